// Package flat holds flattened NNEF graphs: the invocations of operations that remain when the expressions of a document
// are evaluated and its fragments expanded. [Flatten] makes a [Graph] of a document, [Graph.Write] writes it as a document
// without fragments and expressions, [Graph.MarshalJSON] as JSON.
// [Check] looks at the whole document before, with the same evaluator and values of which only the types are known.
//
// The package knows no engine and reads no data. Shapes are inferred by an [Inferrer], which package nnef has; without
// one they are unknown.
package flat
