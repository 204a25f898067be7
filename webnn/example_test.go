package webnn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// A graph is built, dispatched and read.
func Example() {
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Destroy()
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		log.Fatal(err)
	}
	d := webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{2, 2}}
	x, err := b.Input("x", d)
	if err != nil {
		log.Fatal(err)
	}
	y, err := b.LeakyRelu(x, &webnn.LeakyReluOptions{Alpha: new(0.1), Label: "activation"})
	if err != nil {
		log.Fatal(err)
	}
	g, err := b.Build(context.Background(), webnn.NamedOperands{"y": y})
	if err != nil {
		log.Fatal(err)
	}
	in, err := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Writable: true})
	if err != nil {
		log.Fatal(err)
	}
	out, err := c.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: d, Readable: true})
	if err != nil {
		log.Fatal(err)
	}
	if err := c.WriteTensor(in, []float32{1, -2, 3, -4}); err != nil {
		log.Fatal(err)
	}
	if err := c.Dispatch(g, webnn.NamedTensors{"x": in}, webnn.NamedTensors{"y": out}); err != nil {
		log.Fatal(err)
	}
	result := make([]float32, 4)
	if err := c.ReadTensorInto(context.Background(), out, result); err != nil {
		log.Fatal(err)
	}
	fmt.Println(result)
	// Output: [1 -0.2 3 -0.4]
}

// A network is written without an error check after every line; the first error ends the function and names the operator.
func ExampleTry() {
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Destroy()
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		log.Fatal(err)
	}
	var y *webnn.Operand
	err = webnn.Try(func(must *webnn.Must) {
		x := must.One(b.Input("x", webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{2, 6}}))
		halves := must.All(b.Split(x, 2, &webnn.SplitOptions{Axis: 1}))
		gate := must.One(b.Sigmoid(halves[1], nil))
		y = must.One(b.Mul(halves[0], gate, nil))
	})
	fmt.Println(y.Shape(), err)

	err = webnn.Try(func(must *webnn.Must) {
		must.One(b.Matmul(y, y, &webnn.OperatorOptions{Label: "scores"}))
		fmt.Println("this is not reached")
	})
	fmt.Println(err)
	// Output:
	// [2,3] <nil>
	// TypeError: [scores] MLGraphBuilder.matmul: b: the product of shapes [2,3] and [2,3] is not defined: the left matrix has 3 columns, the right one 2 rows
}
