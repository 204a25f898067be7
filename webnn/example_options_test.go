package webnn_test

import (
	"context"
	"fmt"
	"log"
	"math/big"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// compute builds the graph whose one output is y, runs it without inputs, and returns the elements.
func compute[T any](c *webnn.Context, b *webnn.GraphBuilder, y *webnn.Operand) []T {
	g := must(b.Build(context.Background(), webnn.NamedOperands{"y": y}))
	out := readable(c, g.Outputs()["y"])
	if err := c.Dispatch(g, nil, webnn.NamedTensors{"y": out}); err != nil {
		log.Fatal(err)
	}
	data := make([]T, y.Shape().Len())
	if err := c.ReadTensorInto(context.Background(), out, data); err != nil {
		log.Fatal(err)
	}
	return data
}

// A member whose default is not Go's zero value is a pointer, so that 0 can be asked for.
func ExampleGraphBuilder_HardSigmoid() {
	c := must(webnn.ML{}.CreateContext(nil))
	defer c.Destroy()
	for _, options := range []*webnn.HardSigmoidOptions{
		nil,
		{Alpha: new(1.0)},
		{Alpha: new(1.0), Beta: new(0.0), Label: "ramp"},
	} {
		b := must(webnn.NewGraphBuilder(c))
		x := must(b.Constant(floats(3), []float32{-1, 0.25, 1}))
		fmt.Println(compute[float32](c, b, must(b.HardSigmoid(x, options))))
	}
	// Output:
	// [0.3 0.55 0.7]
	// [0 0.75 1]
	// [0 0.25 1]
}

// A list that is nil is absent. An empty list is present: no dimension is reduced, but each element is squared.
func ExampleGraphBuilder_ReduceSumSquare() {
	c := must(webnn.ML{}.CreateContext(nil))
	defer c.Destroy()
	b := must(webnn.NewGraphBuilder(c))
	x := must(b.Constant(floats(2, 3), make([]float32, 6)))
	for _, options := range []*webnn.ReduceOptions{
		nil,
		{Axes: []int{1}},
		{Axes: []int{1}, KeepDimensions: true},
		{Axes: []int{}},
	} {
		fmt.Println(must(b.ReduceSumSquare(x, options)).Shape())
	}
	_, err := b.ReduceSumSquare(x, &webnn.ReduceOptions{Axes: []int{2}, Label: "energy"})
	fmt.Println(err)
	// Output:
	// []
	// [2]
	// [2,1]
	// [2,3]
	// TypeError: [energy] MLGraphBuilder.reduceSumSquare: axes: axis 2 is not a dimension of shape [2,3]
}

// An MLNumber is a float or an integer of any size; it is cast to the type of the operand, so that no bit of a 64-bit
// integer is lost.
func ExampleGraphBuilder_Clamp() {
	c := must(webnn.ML{}.CreateContext(nil))
	defer c.Destroy()
	b := must(webnn.NewGraphBuilder(c))
	desc := webnn.OperandDescriptor{DataType: tensor.Uint64, Shape: tensor.Shape{3}}
	x := must(b.Constant(desc, []uint64{1, 9007199254740993, 18446744073709551615}))
	most := new(big.Int).Lsh(big.NewInt(1), 63) // 2⁶³, too large for an int64
	y := must(b.Clamp(x, &webnn.ClampOptions{MinValue: webnn.Float(2.5), MaxValue: webnn.BigInt{Int: most}}))
	fmt.Println(compute[uint64](c, b, y))
	// Output:
	// [2 9007199254740993 9223372036854775808]
}

// The one method of the standard for equal and for unequal parts is two methods in Go.
func ExampleGraphBuilder_SplitSizes() {
	c := must(webnn.ML{}.CreateContext(nil))
	defer c.Destroy()
	b := must(webnn.NewGraphBuilder(c))
	x := must(b.Input("x", floats(2, 6)))
	for _, part := range must(b.Split(x, 2, nil)) {
		fmt.Println(part.Shape())
	}
	for _, part := range must(b.SplitSizes(x, []int{1, 2, 3}, &webnn.SplitOptions{Axis: 1})) {
		fmt.Println(part.Shape())
	}
	// Output:
	// [1,6]
	// [1,6]
	// [2,1]
	// [2,2]
	// [2,3]
}

// Enumerations are string types with constants. A layout is given once and holds for the result, too.
func ExampleGraphBuilder_Conv2d() {
	c := must(webnn.ML{}.CreateContext(nil))
	defer c.Destroy()
	b := must(webnn.NewGraphBuilder(c))
	picture := must(b.Input("picture", floats(1, 224, 224, 3)))
	filter := must(b.Constant(floats(32, 3, 3, 3), make([]float32, 32*3*3*3)))
	y := must(b.Conv2d(picture, filter, &webnn.Conv2dOptions{
		Padding:      []int{0, 1, 0, 1},
		Strides:      []int{2, 2},
		InputLayout:  webnn.LayoutNHWC,
		FilterLayout: webnn.FilterOHWI,
	}))
	fmt.Println(y.Shape())
	// Output: [1,112,112,32]
}
