package main

import (
	"fmt"
	"image"

	"github.com/concord-nn/concord/openvx"
)

// margin is how much smaller the result is on all sides together: two convolutions of 3×3 without padding.
const margin = 4

// In Q7.8, 256 stands for 1. Weights are [kx, ky, input maps, output maps], the first dimension the fastest.
var (
	soften = weights{[]int{3, 3, 1, 1}, []int16{
		16, 32, 16,
		32, 64, 32,
		16, 32, 16}}
	slopes = weights{[]int{3, 3, 1, 2}, []int16{
		-64, 0, 64,
		-128, 0, 128,
		-64, 0, 64,

		-64, -128, -64,
		0, 0, 0,
		64, 128, 64}}
	total = weights{[]int{1, 1, 2, 1}, []int16{256, 256}}
)

type weights struct {
	dims   []int
	values []int16
}

// outline returns how steep a picture is at each pixel: black where it is even, white where the brightness changes by all there is.
func outline(m *image.Gray) (*image.Gray, error) {
	width, height := m.Rect.Dx(), m.Rect.Dy()
	if width <= margin || height <= margin {
		return nil, fmt.Errorf("the picture has %d×%d pixels; there must be more than %d×%d", width, height, margin, margin)
	}
	c, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		return nil, err
	}
	in, err := c.CreateTensor([]int{width, height, 1}, openvx.TypeUint8, 0)
	if err != nil {
		return nil, err
	}
	out, err := c.CreateTensor([]int{width - margin, height - margin, 1}, openvx.TypeUint8, 0)
	if err != nil {
		return nil, err
	}
	g, err := build(c, in, out)
	if err != nil {
		return nil, err
	}
	if err := in.Write(m.Pix); err != nil {
		return nil, err
	}
	if err := g.Process(); err != nil {
		return nil, err
	}
	result := image.NewGray(image.Rect(0, 0, width-margin, height-margin))
	return result, out.Read(result.Pix)
}

// build makes the graph: bytes become Q7.8 numbers from 0 to 1, which are softened; the slope along x and along y is squared, added, and
// the root of it taken; at most 1 of that becomes a byte again.
func build(c *openvx.Context, in, out *openvx.Tensor) (*openvx.Graph, error) {
	g, err := c.CreateGraph()
	if err != nil {
		return nil, err
	}
	b := builder{c: c, g: g}
	x := b.convert(in, 255, nil)
	x = b.convolution(x, soften)
	x = b.convolution(x, slopes)
	x = b.activation(x, openvx.ActivationSquare, 0)
	x = b.convolution(x, total)
	x = b.activation(x, openvx.ActivationSqrt, 0)
	x = b.activation(x, openvx.ActivationBrelu, 1)
	b.convert(x, 1./255, out)
	if b.err != nil {
		return nil, b.err
	}
	return g, g.Verify()
}

// builder adds nodes to a graph; the first error sticks.
type builder struct {
	c   *openvx.Context
	g   *openvx.Graph
	err error
}

// between makes the tensor behind a node: its extents are left to the graph, and it never exists where layers fuse.
func (b *builder) between() *openvx.Tensor {
	t, err := b.g.CreateVirtualTensor(nil, openvx.TypeInt16, 8)
	b.note(err)
	return t
}

func (b *builder) note(err error) {
	if b.err == nil {
		b.err = err
	}
}

// convert divides by norm and changes the format: to that of out or, without one, to Q7.8.
func (b *builder) convert(x *openvx.Tensor, norm float32, out *openvx.Tensor) *openvx.Tensor {
	if out == nil {
		out = b.between()
	}
	by, err := b.c.CreateScalar(openvx.TypeFloat32, norm)
	b.note(err)
	offset, err := b.c.CreateScalar(openvx.TypeFloat32, float32(0))
	b.note(err)
	_, err = b.g.TensorConvertDepthNode(x, openvx.ConvertPolicySaturate, by, offset, out)
	b.note(err)
	return out
}

func (b *builder) convolution(x *openvx.Tensor, w weights) *openvx.Tensor {
	out := b.between()
	t, err := b.c.CreateTensor(w.dims, openvx.TypeInt16, 8)
	if err == nil {
		err = t.Write(w.values)
	}
	b.note(err)
	_, err = b.g.ConvolutionLayer(x, t, nil, openvx.ConvolutionParams{OverflowPolicy: openvx.ConvertPolicySaturate,
		RoundingPolicy: openvx.RoundPolicyToNearestEven, DownScaleSize: openvx.SizeRoundingFloor}, out)
	b.note(err)
	return out
}

func (b *builder) activation(x *openvx.Tensor, f openvx.Activation, a float32) *openvx.Tensor {
	out := b.between()
	_, err := b.g.ActivationLayer(x, f, a, 0, out)
	b.note(err)
	return out
}
