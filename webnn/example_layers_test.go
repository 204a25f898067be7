package webnn_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"

	"github.com/concord-nn/concord/webnn"
)

// A custom layer is a function that takes a builder: here mish, x · tanh(softplus(x)), which the standard does not have
// (https://www.w3.org/TR/webnn/#usecase-custom-layer).
func Example_customLayer() {
	mish := func(b *webnn.GraphBuilder, x *webnn.Operand) (*webnn.Operand, error) {
		y, err := b.Softplus(x, nil)
		if err != nil {
			return nil, err
		}
		if y, err = b.Tanh(y, nil); err != nil {
			return nil, err
		}
		return b.Mul(x, y, nil)
	}

	c := must(webnn.ML{}.CreateContext(nil))
	defer c.Destroy()
	b := must(webnn.NewGraphBuilder(c))
	desc := floats(4)
	y := must(mish(b, must(b.Input("x", desc))))
	g := must(b.Build(context.Background(), webnn.NamedOperands{"y": y}))

	in, out := filled(c, desc, []float32{-2, -1, 0, 1}), readable(c, desc)
	if err := c.Dispatch(g, webnn.NamedTensors{"x": in}, webnn.NamedTensors{"y": out}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", read(c, out))
	// Output: [-0.2525 -0.3034 0.0000 0.8651]
}

// Two parts of a network with separate weights become one graph: the operand in which the first ends is where the second
// begins. When the weights of the second part change, only they are loaded again
// (https://www.w3.org/TR/webnn/#usecase-network-concat).
func Example_networkConcatenation() {
	features := func(b *webnn.GraphBuilder, x *webnn.Operand, weights []float32) *webnn.Operand {
		filter := must(b.Constant(floats(2, 1, 2, 2), weights))
		return must(b.Relu(must(b.Conv2d(x, filter, nil)), nil))
	}
	classifier := func(b *webnn.GraphBuilder, x *webnn.Operand, weights []float32) *webnn.Operand {
		x = must(b.Reshape(x, []int{1, x.Shape().Len()}, nil))
		w := must(b.Constant(floats(x.Shape()[1], 2), weights))
		return must(b.Softmax(must(b.Gemm(x, w, nil)), 1, nil))
	}
	upper := []float32{1, -1, 1, -1, 1, 1, -1, -1} // edges to the right, edges down
	lower := make([]float32, 16)
	for i := range 4 {
		lower[2*i], lower[8+2*i+1] = 1, 1 // the sum of each channel
	}

	c := must(webnn.ML{}.CreateContext(nil))
	defer c.Destroy()
	picture := filled(c, floats(1, 1, 3, 3), []float32{1, 1, 0, 1, 1, 0, 1, 1, 0})
	out := readable(c, floats(1, 2))
	for _, version := range []float32{1, 2} {
		b := must(webnn.NewGraphBuilder(c))
		tuned := slices.Clone(lower)
		for i := range tuned {
			tuned[i] *= version
		}
		y := classifier(b, features(b, must(b.Input("picture", floats(1, 1, 3, 3))), upper), tuned)
		g := must(b.Build(context.Background(), webnn.NamedOperands{"classes": y}))
		if err := c.Dispatch(g, webnn.NamedTensors{"picture": picture}, webnn.NamedTensors{"classes": out}); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.4f\n", read(c, out))
	}
	// Output:
	// [0.9820 0.0180]
	// [0.9997 0.0003]
}

// Operations that only change the shape are calls of reshape (https://www.w3.org/TR/webnn/#emulation).
func ExampleGraphBuilder_Reshape() {
	squeeze := func(b *webnn.GraphBuilder, x *webnn.Operand, axes ...int) (*webnn.Operand, error) {
		shape := []int{}
		for i, n := range x.Shape() {
			if n != 1 || len(axes) > 0 && !slices.Contains(axes, i) {
				shape = append(shape, n)
			}
		}
		return b.Reshape(x, shape, nil)
	}
	unsqueeze := func(b *webnn.GraphBuilder, x *webnn.Operand, axes ...int) (*webnn.Operand, error) {
		shape := []int(x.Shape())
		for _, axis := range slices.Sorted(slices.Values(axes)) {
			shape = slices.Insert(shape, axis, 1)
		}
		return b.Reshape(x, shape, nil)
	}
	flatten := func(b *webnn.GraphBuilder, x *webnn.Operand, axis int) (*webnn.Operand, error) {
		before, after := x.Shape()[:axis], x.Shape()[axis:]
		return b.Reshape(x, []int{before.Len(), after.Len()}, nil)
	}

	b := must(webnn.NewGraphBuilder(must(webnn.ML{}.CreateContext(nil))))
	x := must(b.Input("x", floats(1, 2, 1, 3)))
	fmt.Println(must(squeeze(b, x)).Shape(), must(squeeze(b, x, 0)).Shape())
	fmt.Println(must(unsqueeze(b, x, 0, 3)).Shape())
	fmt.Println(must(flatten(b, x, 2)).Shape())
	// Output:
	// [2,3] [2,1,3]
	// [1,1,2,1,1,3]
	// [2,3]
}

// Every rejected call says which rule it breaks, and leaves the graph as it was.
func ExampleError() {
	b := must(webnn.NewGraphBuilder(must(webnn.ML{}.CreateContext(nil))))
	x := must(b.Input("x", floats(2, 3)))
	_, err := b.Softmax(x, 2, &webnn.OperatorOptions{Label: "probabilities"})
	var e *webnn.Error
	if errors.As(err, &e) {
		fmt.Println(e.Name, e.Method, e.Label, e.Rule)
	}
	// Output: TypeError MLGraphBuilder.softmax probabilities softmax.axis
}
