// Package concord loads neural networks and runs them, with the same result bits on every processor.
//
// [Load] reads a model from a file or folder; [Model.Compile] makes it a program for concrete input shapes, which many
// goroutines may run:
//
//	model, err := concord.Load("model.nnef")
//	…
//	program, err := model.Compile(concord.Options{})
//	…
//	outputs, err := program.Run(ctx, map[string]*tensor.Tensor{"x": picture})
//
// The layers below may be used on their own: package tensor for arrays, graph and op for building networks, engine for
// compiling them, nnef, webnn and cvm for the standards' own interfaces.
package concord
