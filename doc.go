// Package concord loads neural networks and runs them, with the same result bits on every processor.
//
// [Open] reads a model from a file or folder; [Model.Compile] makes it a program for concrete input shapes, which many
// goroutines may run:
//
//	model, err := concord.Open("model.nnef")
//	…
//	program, err := model.Compile(concord.Options{})
//	…
//	outputs, err := program.Run(ctx, map[string]*tensor.Tensor{"x": picture})
//
// A model is a function of the shapes of its inputs. Extents that it leaves open are given to [Model.Compile], in [Options]; where they change
// from run to run, [Model.Programs] compiles for the shapes that come and keeps the programs that were used last:
//
//	programs := model.Programs(concord.Options{})
//	defer programs.Close()
//	outputs, err := programs.Run(ctx, map[string]*tensor.Tensor{"x": pictures})
//
// The layers below may be used on their own: package tensor for arrays, graph and op for building networks, engine for
// compiling them, model for shapes, nnef, onnx, webnn, openvx and cvm for the standards' own interfaces.
package concord
