// Package graph is the intermediate representation that every front-end builds and the engine compiles.
//
// A [Graph] is a list of [Node] in topological order. A node applies an operator, known by its name, to values and
// yields values; a [Value] has an element type and a shape, whose extents are numbers. A node may own graphs, its blocks. The
// package knows nothing of single operators: what it must know (types, shapes, defaults, parameter names) it asks of [Rules],
// which package op implements.
//
// Graphs are built with a [Builder], checked by [Verify], changed by [Rewrite], which makes a new graph, and printed by
// [Print] as an NNEF document that package nnef reads back.
package graph
