// Package eval evaluates the bodies of NNEF graphs and fragments at compile time: expressions on attributes, operators on
// tensors, nested invocations, comprehensions and builtin functions. What remains are applications of atomic operations
// to tensors, which it hands to the operation's own function in the order of the text.
//
// The same code checks bodies whose values are not known: [Evaluator.CheckFragment] and [Evaluator.CheckGraph] evaluate them
// once with an [Unknown], of which only the type is known, for each parameter, and with what invocations declare to yield.
// Both branches of a condition are looked at, and nothing is applied or expanded.
//
// The package knows no operation. A [Library] resolves names to an [Operation], which has either a body, which is
// expanded, or an Apply function. Tensors are opaque: a [Tensor] states its item type and, where it is known, its shape.
//
// Errors are diagnostics with a place. An [Evaluator] goes on after an erroneous statement of a graph, without reporting
// what follows from it. [Limits] bound depth, work and the size of values.
package eval
