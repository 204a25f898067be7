package openvx_test

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/openvx"
)

// outlined sends a picture in Q7.8 through a convolution and an activation, as docs/openvx.md shows it.
func outlined(pixels, kernel []int16) ([]int16, error) {
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		return nil, err
	}
	defer c.Release()
	g, err := c.CreateGraph()
	if err != nil {
		return nil, err
	}
	in, err1 := c.CreateTensor([]int{6, 4, 1}, openvx.TypeInt16, 8) // width, height, channels; Q7.8
	weights, err2 := c.CreateTensor([]int{3, 3, 1, 1}, openvx.TypeInt16, 8)
	edges, err3 := g.CreateVirtualTensor(nil, openvx.TypeInvalid, 0) // what it is follows from the layer
	out, err4 := c.CreateTensor([]int{6, 4, 1}, openvx.TypeInt16, 8)
	_, err5 := g.ConvolutionLayer(in, weights, nil, openvx.ConvolutionParams{PaddingX: 1, PaddingY: 1,
		OverflowPolicy: openvx.ConvertPolicySaturate, RoundingPolicy: openvx.RoundPolicyToNearestEven,
		DownScaleSize: openvx.SizeRoundingFloor}, edges)
	_, err6 := g.ActivationLayer(edges, openvx.ActivationRelu, 0, 0, out)
	if err := errors.Join(err1, err2, err3, err4, err5, err6, weights.Write(kernel)); err != nil {
		return nil, err
	}
	if err := g.Verify(); err != nil {
		return nil, err // names the node, the parameter, the numbers, and what would be right
	}
	result := make([]int16, 6*4)
	err = errors.Join(in.Write(pixels), g.Process(), out.Read(result))
	return result, err
}

// Edges of a bright square.
func Example_page() {
	result, err := outlined(
		[]int16{0, 0, 0, 0, 0, 0, 0, 0, 256, 256, 0, 0, 0, 0, 256, 256, 0, 0, 0, 0, 0, 0, 0, 0},
		[]int16{0, -64, 0, -64, 256, -64, 0, -64, 0})
	if err != nil {
		fmt.Println(err)
		return
	}
	for y := range 4 {
		fmt.Println(result[6*y : 6*y+6])
	}
	// Output:
	// [0 0 0 0 0 0]
	// [0 0 128 128 0 0]
	// [0 0 128 128 0 0]
	// [0 0 0 0 0 0]
}
