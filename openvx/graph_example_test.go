package openvx_test

import (
	"fmt"

	"github.com/concord-nn/concord/openvx"
)

// Two nodes, connected by a virtual tensor, are compiled into one program.
func ExampleGraph() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Release()
	g, _ := c.CreateGraph()
	in, _ := c.CreateTensor([]int{4}, openvx.TypeInt16, 8)
	out, _ := c.CreateTensor([]int{4}, openvx.TypeInt16, 8)
	between, _ := g.CreateVirtualTensor(nil, openvx.TypeInvalid, 0)
	g.TensorAddNode(in, in, openvx.ConvertPolicySaturate, between)
	g.ActivationLayer(between, openvx.ActivationRelu, 0, 0, out)
	if err := g.Verify(); err != nil {
		fmt.Println(err)
		return
	}
	in.Write([]int16{-256, 128, 256, 32767}) // −1, 0.5, 1, 127.996
	if err := g.Process(); err != nil {
		fmt.Println(err)
		return
	}
	result := make([]int16, 4)
	out.Read(result)
	fmt.Println(result, between.Dims())
	// Output: [0 256 512 32767] [4]
}
