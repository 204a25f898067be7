// Package nnef reads and writes models of the Neural Network Exchange Format: NNEF 1.0 to 1.0.5 and its provisional
// dialect of 2017.
//
// [Open] reads the text of a model from a folder, an archive or a graph file, [OpenText] a text alone. Of the [File]
// that they return, [File.Check] lists all findings, [File.Flatten] evaluates the document to a flat graph with shapes,
// and [File.Model] reads the data and builds the graph that the engine compiles. [Load] and [Parse] do it at once.
//
// A document becomes a graph in two steps. Package flat checks it and expands its fragments and expressions, which gives invocations of the
// operations that package std declares. Then a table in this package binds each of them to operators of package op; the same binding infers
// shapes, with inputs in the place of data.
//
// [Save] writes a graph: as standard NNEF where that can say it, and else in the text form of [graph.Print], which Load
// reads as well. [ExpandBody] writes an operator by simpler ones, as its definition's body says.
//
// Every mistake in a document is a [syntax.Diagnostic] with its place in the text.
package nnef
