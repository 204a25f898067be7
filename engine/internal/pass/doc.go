// Package pass holds the rewrites that package engine applies to a graph between its verification and the planning of
// its memory. Each is a function from graph to graph in a file of its own, and [All] lists them in order.
//
// A rewrite is part of the definition of a result: it depends on nothing but the graph, never on the processor or the
// number of threads, and it keeps every bit of every output.
package pass
