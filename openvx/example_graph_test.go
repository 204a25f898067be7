package openvx_test

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/openvx"
)

// A picture of 4 by 4 bytes goes through a convolution and a pooling. The first result is a virtual tensor, so that the two layers are compiled
// into one program and nothing is stored between them.
func Example() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Release()
	g, err := c.CreateGraph()
	if err != nil {
		fmt.Println(err)
		return
	}
	picture, err1 := c.CreateTensor([]int{4, 4, 1}, openvx.TypeUint8, 0) // width, height, channels
	weights, err2 := c.CreateTensor([]int{3, 3, 1, 1}, openvx.TypeUint8, 0)
	sums, err3 := g.CreateVirtualTensor(nil, openvx.TypeInvalid, 0) // what it is follows from the layer
	greatest, err4 := c.CreateTensor([]int{2, 2, 1}, openvx.TypeUint8, 0)
	_, err5 := g.ConvolutionLayer(picture, weights, nil, openvx.ConvolutionParams{
		PaddingX: 1, PaddingY: 1,
		OverflowPolicy: openvx.ConvertPolicySaturate,
		RoundingPolicy: openvx.RoundPolicyToZero,
		DownScaleSize:  openvx.SizeRoundingFloor,
	}, sums)
	_, err6 := g.PoolingLayer(sums, openvx.PoolingMax, 2, 2, 0, 0, openvx.SizeRoundingFloor, greatest)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, g.Verify()); err != nil {
		fmt.Println(err)
		return
	}
	result := make([]uint8, 4)
	err = errors.Join(
		weights.Write([]uint8{0, 1, 0, 1, 1, 1, 0, 1, 0}),
		picture.Write([]uint8{1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 200}),
		g.Process(),
		greatest.Read(result),
	)
	fmt.Printf("%v %d %v\n", sums.Dims(), result, err)
	// Output: [4 4 1] [3 5 5 203] <nil>
}

// A graph's parameter is given another tensor for each run. As its format is the same, the graph is compiled once. Q7.8 counts 256th parts.
func ExampleGraph_SetParameter() {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Release()
	g, err := c.CreateGraph()
	if err != nil {
		fmt.Println(err)
		return
	}
	first, err1 := c.CreateTensor([]int{3}, openvx.TypeInt16, 8)
	second, err2 := c.CreateTensor([]int{3}, openvx.TypeInt16, 8)
	out, err3 := c.CreateTensor([]int{3}, openvx.TypeInt16, 8)
	n, err4 := g.TensorAddNode(first, first, openvx.ConvertPolicySaturate, out)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		fmt.Println(err)
		return
	}
	p, err := n.Parameter(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = errors.Join(g.AddParameter(p), g.Verify(), first.Write([]int16{-256, 128, 32767}), second.Write([]int16{1, 2, 3})) // −1, 0.5, 127.996
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range []*openvx.Tensor{first, second} {
		result := make([]int16, 3)
		err := errors.Join(g.SetParameter(0, in), g.Process(), out.Read(result))
		fmt.Println(result, g.IsVerified(), err)
	}
	// Output:
	// [-512 256 32767] true <nil>
	// [-255 130 32767] true <nil>
}
