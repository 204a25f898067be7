// Package export writes a graph as an ONNX model: the inverse of package onnx. Read again by that, the model yields the bits of the graph.
//
// A table has a row for each operator of package op and says which nodes of the standard's it becomes. One that the standard lacks, or has
// in another meaning, becomes a node of the domain org.concord, which package onnx maps back to the operator: see [onnx.OwnDomain]. A
// function in the model says the same in the standard's operators, so that other runtimes run it, too, perhaps with other last digits.
//
// Inputs and outputs keep their names, labels of nodes become their names, constants are stored as they are. The version of the standard is
// the oldest that has the element types: see [Versions].
package export
