// Package engine compiles graphs and runs them.
//
// [Compile] gives every value a concrete shape, verifies the graph, rewrites it (see package engine/internal/pass), plans
// the memory of a run as one block and returns a [Program], which does not change any more and serves any number of
// goroutines. [Program.Run] evaluates it on named tensors. A caller that runs it often makes a [Session], which owns the
// memory, keeps the states of the model, and allocates nothing when it runs.
//
// A result depends on the graph and its inputs alone: neither the passes nor the number of threads change a bit of it.
//
// A model may be hostile: [Limits] bound its size, memory, operations and time. What fails in a node is a [NodeError]
// that names it, and no panic leaves this package.
package engine
