// Package onnx reads ONNX models and translates them into graphs.
//
// [Open] reads a file; [File.Network] is what it means: a function of the shapes of its inputs. A model whose shapes or nodes depend on
// elements that only a run knows has no single graph; it is made part by part (see [model.Part]).
//
// The operators of the standard are rows of one table. A row declares, for each version of the operator, operands, attributes and results,
// and has a function that says the operator in operators of package op. Nothing else knows the operator: checks, the coverage page and
// errors read the row.
package onnx
