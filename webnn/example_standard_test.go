package webnn_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// must returns v, and ends the example on an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// floats describes an operand of float32 elements.
func floats(shape ...int) webnn.OperandDescriptor {
	return webnn.OperandDescriptor{DataType: tensor.Float32, Shape: shape}
}

// filled makes a tensor that a dispatch reads, with these elements.
func filled(c *webnn.Context, d webnn.OperandDescriptor, data []float32) *webnn.Tensor {
	t := must(c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Writable: true}))
	if err := c.WriteTensor(t, data); err != nil {
		log.Fatal(err)
	}
	return t
}

// readable makes a tensor that a dispatch writes, and that can be read.
func readable(c *webnn.Context, d webnn.OperandDescriptor) *webnn.Tensor {
	return must(c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Readable: true}))
}

// read waits for the elements of a tensor of float32.
func read(c *webnn.Context, t *webnn.Tensor) []float32 {
	data := make([]float32, t.Shape().Len())
	if err := c.ReadTensorInto(context.Background(), t, data); err != nil {
		log.Fatal(err)
	}
	return data
}

// The example of the standard's section "Examples": (constant1 + input1) · (constant2 + input2).
func ExampleGraphBuilder() {
	c := must(webnn.ML{}.CreateContext(nil))
	defer c.Destroy()
	b := must(webnn.NewGraphBuilder(c))

	desc := floats(1, 2, 2, 2)
	half := slices.Repeat([]float32{0.5}, desc.Shape.Len())
	constant1 := must(b.Constant(desc, half))
	input1 := must(b.Input("input1", desc))
	constant2 := must(b.Constant(desc, half))
	input2 := must(b.Input("input2", desc))
	intermediate1 := must(b.Add(constant1, input1, nil))
	intermediate2 := must(b.Add(constant2, input2, nil))
	output := must(b.Mul(intermediate1, intermediate2, nil))
	g := must(b.Build(context.Background(), webnn.NamedOperands{"output": output}))

	ones := filled(c, desc, slices.Repeat([]float32{1}, 8))
	steps := filled(c, desc, []float32{0, 1, 2, 3, 4, 5, 6, 7})
	out := readable(c, desc)
	if err := c.Dispatch(g, webnn.NamedTensors{"input1": ones, "input2": steps}, webnn.NamedTensors{"output": out}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(read(c, out))
	// Output: [0.75 2.25 3.75 5.25 6.75 8.25 9.75 11.25]
}

// C = 0.2·A + B: tensors are written, a graph is dispatched, and its result is read.
func ExampleContext_Dispatch() {
	c := must(webnn.ML{}.CreateContext(&webnn.ContextOptions{PowerPreference: webnn.LowPower}))
	defer c.Destroy()
	b := must(webnn.NewGraphBuilder(c))
	desc := floats(2, 2)
	a, addend := must(b.Input("A", desc)), must(b.Input("B", desc))
	factor := must(b.ConstantNumber(tensor.Float32, webnn.Float(0.2)))
	sum := must(b.Add(must(b.Mul(a, factor, nil)), addend, nil))
	g := must(b.Build(context.Background(), webnn.NamedOperands{"C": sum}))

	inputs := webnn.NamedTensors{"A": filled(c, desc, []float32{1, 1, 1, 1}), "B": filled(c, desc, []float32{0.8, 0.8, 0.8, 0.8})}
	out := readable(c, desc)
	if err := c.Dispatch(g, inputs, webnn.NamedTensors{"C": out}); err != nil { // returns at once
		log.Fatal(err)
	}
	fmt.Println(read(c, out)) // waits for what was enqueued before
	// Output: [1 1 1 1]
}

// Dispatches run in order, so that a result can be the input of the next one without being read. One tensor cannot be an
// input and an output of the same dispatch: two of them take turns.
func ExampleContext_Dispatch_chain() {
	c := must(webnn.ML{}.CreateContext(nil))
	defer c.Destroy()
	b := must(webnn.NewGraphBuilder(c))
	desc := floats(3)
	x := must(b.Input("x", desc))
	g := must(b.Build(context.Background(), webnn.NamedOperands{"y": must(b.Add(x, x, nil))}))

	d := webnn.TensorDescriptor{OperandDescriptor: desc, Readable: true, Writable: true}
	now, next := must(c.CreateTensor(d)), must(c.CreateTensor(d))
	if err := c.WriteTensor(now, []float32{1, 2, 3}); err != nil {
		log.Fatal(err)
	}
	for range 10 {
		if err := c.Dispatch(g, webnn.NamedTensors{"x": now}, webnn.NamedTensors{"y": next}); err != nil {
			log.Fatal(err)
		}
		now, next = next, now
	}
	fmt.Println(read(c, now))
	// Output: [1024 2048 3072]
}
