package webnn_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// A mistake is refused when the method is called, with the label, the method and the rule, as the README shows it.
func Example_mistake() {
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Destroy()
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		log.Fatal(err)
	}
	x, err := b.Input("x", webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{1, 4, 8, 8}})
	if err != nil {
		log.Fatal(err)
	}
	filter, err := b.Input("filter", webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{6, 2, 3, 3}})
	if err != nil {
		log.Fatal(err)
	}
	y, err := b.Conv2d(x, filter, &webnn.Conv2dOptions{Groups: new(3), Label: "embed"})
	// TypeError: [embed] MLGraphBuilder.conv2d: groups: 3 groups do not divide 4 input and 6 output channels (input [1,4,8,8] as nchw, filter [6,2,3,3] as oihw)
	fmt.Println(y, err)
	// Output: <nil> TypeError: [embed] MLGraphBuilder.conv2d: groups: 3 groups do not divide 4 input and 6 output channels (input [1,4,8,8] as nchw, filter [6,2,3,3] as oihw)
}

// sums computes 0.2 * A + B, as docs/webnn.md shows it.
func sums(ctx context.Context) ([]float32, error) {
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		return nil, err
	}
	defer c.Destroy()
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		return nil, err
	}
	d := webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{2, 2}}
	var sum *webnn.Operand
	err = webnn.Try(func(must *webnn.Must) { // the first error ends it
		A, B := must.One(b.Input("A", d)), must.One(b.Input("B", d))
		k := must.One(b.Constant(d, []float32{0.2, 0.2, 0.2, 0.2}))
		sum = must.One(b.Add(must.One(b.Mul(A, k, nil)), B, nil))
	})
	if err != nil {
		return nil, err // names the method, the operator's label, the rule, and what would be right
	}
	g, err := b.Build(ctx, webnn.NamedOperands{"C": sum})
	if err != nil {
		return nil, err
	}
	A, err1 := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Writable: true})
	B, err2 := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Writable: true})
	C, err3 := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Readable: true})
	result := make([]float32, 4)
	return result, errors.Join(err1, err2, err3,
		c.WriteTensor(A, []float32{1, 1, 1, 1}),
		c.WriteTensor(B, []float32{0.8, 0.8, 0.8, 0.8}),
		c.Dispatch(g, webnn.NamedTensors{"A": A, "B": B}, webnn.NamedTensors{"C": C}),
		c.ReadTensorInto(ctx, C, result)) // 1, 1, 1, 1
}

func Example_page() {
	fmt.Println(sums(context.Background()))
	// Output: [1 1 1 1] <nil>
}
