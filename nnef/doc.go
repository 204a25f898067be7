// Package nnef reads and writes models of the Neural Network Exchange Format, NNEF 1.0 to 1.0.5.
//
// [Load] reads a folder, an archive or a graph file into a [Model]; [Parse] reads a text alone. The document is parsed by
// package syntax, its expressions and fragments are evaluated by package eval, and each of the 118 standard operations,
// which package std declares, is bound to the operators of package op. [Save] writes a graph: as standard NNEF where that
// can say it, and else in the text form of [graph.Print], which Load reads as well.
//
// [ExpandBody] writes an operator by simpler ones, as its definition's body says.
//
// Every mistake in a document is a [syntax.Diagnostic] with its place in the text; a load reports as many as it finds.
package nnef
