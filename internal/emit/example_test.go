package emit_test

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// A translation adds what it needs step by step, and asks once whether all of it has succeeded.
func ExampleEmitter() {
	b := graph.NewBuilder(op.Rules, "scale")
	x, err := b.Input("x", graph.Type{DType: tensor.Uint8, Shape: tensor.Shape{2, 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := &emit.Emitter{Target: b, Label: "first layer"}
	y := e.Cast(x, tensor.Float32)
	y = e.Node("mul", nil, y, e.Constant(tensor.Scalar[float32](0.5)))
	y = e.Node("softmax", emit.Attr("axes", []int{1}), e.Reshape(y, 2, 3)) // which is its shape already
	fmt.Println(y.Type, e.Err)

	y = e.Transpose(y, 0, 2) // fails, and what follows does nothing
	y = e.Node("relu", nil, y)
	fmt.Println(y.Type.Shape, e.Err)
	// Output:
	// float32[2,3] <nil>
	// [] [first layer] transpose: axes: [0,2] is not a permutation of the first 2 dimensions of shape [2,3]
}
