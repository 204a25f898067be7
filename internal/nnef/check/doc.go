// Package check finds what is wrong with an NNEF document before anything is evaluated: in declarations, in the bodies of
// all fragments, invoked or not, in the graph, and in branches that would not be taken.
//
// [Check] reports names, arguments, types and structure as the standard has them, and the rules for graphs. Expressions
// are checked by package eval, with values of which only the types are known. What depends on values is left to the
// evaluation: subscripts out of range, conversions, arithmetic, attributes out of range, and shapes.
//
// After a Check without errors an evaluation may rely on this: every name that is used is defined before, every
// invocation fits a declaration, every expression has a type, every fragment yields results of the declared types, and
// external, variable and update stand where they may.
package check
