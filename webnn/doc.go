// Package webnn is the W3C Web Neural Network API (https://www.w3.org/TR/webnn/) for Go programs: what a browser offers a page,
// with every check that the standard asks for, the same kinds of errors, and results that are the same on every machine.
//
//	c, err := webnn.ML{}.CreateContext(nil)
//	b, err := webnn.NewGraphBuilder(c)
//	d := webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{2, 2}}
//	x, err := b.Input("x", d)
//	y, err := b.LeakyRelu(x, &webnn.LeakyReluOptions{Alpha: new(0.1), Label: "activation"})
//	g, err := b.Build(ctx, webnn.NamedOperands{"y": y})
//
//	in, err := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Writable: true})
//	out, err := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Readable: true})
//	err = c.WriteTensor(in, []float32{1, -2, 3, -4})
//	err = c.Dispatch(g, webnn.NamedTensors{"x": in}, webnn.NamedTensors{"y": out})
//	result := make([]float32, 4)
//	err = c.ReadTensorInto(ctx, out, result) // 1, -0.2, 3, -0.4
//
// Where it is tedious to check an error after every line, [Try] does it once.
//
// # Names
//
// A Go name is the standard's with a capital and without "ML": MLContext.createTensor is [Context.CreateTensor], and the
// dictionary MLConv2dOptions is [Conv2dOptions], which may be nil. Overloads have names of their own, such as
// [GraphBuilder.ConstantNumber]. The entry, navigator.ml, is the zero value of [ML]. [GraphBuilder.Call] calls a method by its
// name in the standard. Every such method is a row of one table, which has its arguments, its options with their defaults and
// the limits of its operands, and becomes the operator that has its name in WebNN; the package computes nothing itself.
//
// # The timeline
//
// A [Context] has a timeline: a queue of work that runs in order, beside the program. [Context.Dispatch] and
// [Context.WriteTensor] check their arguments, enqueue and return; [Context.ReadTensor] and [GraphBuilder.Build] enqueue and
// wait, as long as their context.Context lasts. A read therefore gives what the calls before it have left, and many dispatches
// may be under way. The maps and buffers of a call are the caller's again when it returns. All methods may be called by any
// number of goroutines; what they enqueue is ordered by which call comes first.
//
// Destroying a tensor or a graph lets queued work finish and then gives the memory back; only reads that wait for the tensor
// fail. Destroying a context, or losing it, ends everything: the dispatch that runs is stopped and what is queued is dropped.
// What is no longer reachable is destroyed by itself. A timeline without work has no goroutine.
//
// The standard has no way to report that a dispatch fails while it runs, by a limit of [ContextOptions] for instance. Its
// context is lost then, so that nobody reads wrong data; [Context.LostInfo] names the graph, the node and the reason.
//
// # Errors
//
// A call that is rejected returns an [*Error] with the standard's kind of error, the method, the operator's label and the rule
// that was broken. errors.Is(err, webnn.TypeError) asks for the kind. The one exception is a wait that a context.Context ends,
// which returns what that says. A rejected call leaves nothing behind. The zero
// value of an object, and a nil pointer to one, fail like one that is lost.
package webnn
