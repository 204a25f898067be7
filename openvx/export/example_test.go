package export_test

import (
	"fmt"

	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/tensor"
)

// A graph becomes calls of OpenVX, which are made in a context and run.
func Example() {
	g, err := nnef.Parse("net", []byte(`version 1.0;
graph net( x ) -> ( y )
{
    x = external(shape = [1, 3]);
    f = constant(shape = [1, 3], value = [0.5, 0.25, 1.0]);
    s = linear(x, f);
    y = relu(s);
}`), nnef.Options{})
	if err != nil {
		panic(err)
	}
	n, err := export.New(g, export.Options{})
	if err != nil {
		panic(err)
	}
	for _, c := range n.Calls {
		fmt.Println(c.Value, "is made by", c.Function)
	}
	ctx, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		panic(err)
	}
	b, err := n.Build(ctx)
	if err != nil {
		panic(err)
	}
	x, err := tensor.FromSlice([]float32{1, 2, -0.5}, 1, 3)
	if err != nil {
		panic(err)
	}
	out, err := b.Run(n, map[string]*tensor.Tensor{"x": x})
	if err != nil {
		panic(err)
	}
	fmt.Println(tensor.Data[float32](out["y"]))
	// Output:
	// s is made by vxFullyConnectedLayer
	// y is made by vxActivationLayer
	// [0.5]
}

// An operator that OpenVX cannot express is refused, with its place in the graph.
func ExampleError() {
	g, err := nnef.Parse("net", []byte(`version 1.0;
graph net( x ) -> ( y )
{
    x = external(shape = [1, 3, 8, 8]);
    y = argmax_reduce(x, axes = [1]);
}`), nnef.Options{})
	if err != nil {
		panic(err)
	}
	_, err = export.New(g, export.Options{})
	fmt.Println(err)
	// Output:
	// graph net cannot be expressed in OpenVX:
	// argmax_reduce (value y): no layer computes it
}
