// Package op defines the operators: one [Def] each, in the file of its family, with everything there is to know of it —
// documentation, operands and attributes, type and shape rule, reference evaluation, body, traits, cost, and a
// generator of random legal cases.
//
// The reference evaluation defines the bits of every result; docs/numerics.md states the rules it follows. Fast kernels
// must equal it. [All] lists the operators, [Lookup] finds one by name, [Rules] gives package graph its view of them,
// and [Eval] evaluates one application.
//
// To add an operator, write its Def in the file of its family and name it in the family's list; nothing else has to
// know.
package op

//go:generate go run ../cmd/concord ops --markdown ../docs/operators --force
