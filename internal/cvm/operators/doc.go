// Package operators is the table of CVM's operators: their attributes and how these are spelled, how many operands they take, the rules
// of shapes and precisions, and what they cost. What they compute is said in package cvm, which lowers them to the operators of
// package op.
//
// The operators stand in a file for each family of the formalisation. Where a method gives an attribute in the form in which an
// implementation wants it, as [Call.ReduceAxes] or [Call.SliceRange] do, it stands beside the rule of shapes that checks it.
package operators

//go:generate go test -run ^TestPage$ . -update
