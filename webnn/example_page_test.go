package webnn_test

import (
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
