package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Signals.
var signalRows = family{"Signals", []row{
	{name: "DFT", forms: forms("17", "input, dft_length?; axis=1, inverse=0, onesided=0 -> output",
		"20", "input, dft_length?, axis?; inverse=0, onesided=0 -> output"), lower: dft},
	{name: "STFT", forms: forms("17", "signal, frame_step, window?, frame_length?; onesided=1 -> output"), lower: stft},
}}

func dft(c *lowering) []*graph.Value {
	axis := -2
	if c.form.declared("axis") != nil {
		axis = c.Int("axis")
	} else if c.In(2) != nil {
		axis = c.KnownInt(2)
	}
	length := 0
	if c.In(1) != nil {
		if length = c.KnownInt(1); length < 1 {
			c.failf("dft_length", "it is %d; it must be positive", length)
		}
	}
	return one(c.Node("dft", emit.Attr("axis", c.Axis("axis", axis, len(c.Shape(0))), "length", length, "inverse", c.Flag("inverse"),
		"onesided", c.Flag("onesided")), c.In(0)))
}

// stft transforms sections of a signal, each a step behind the one before.
func stft(c *lowering) []*graph.Value {
	x, shape := c.In(0), c.Shape(0)
	if len(shape) == 2 {
		x, shape = c.Unsqueeze(x, 2), append(shape.Clone(), 1)
	}
	if len(shape) != 3 {
		c.failf("signal", "it is %v; it must have batch, length and parts", x.Type)
	}
	step, window := c.KnownInt(1), c.In(2)
	length := 0
	switch {
	case c.In(3) != nil:
		length = c.KnownInt(3)
	case window != nil:
		length = window.Type.Shape.Len()
	default:
		c.failf("frame_length", "neither it nor a window is given; it must be one of them")
	}
	if step < 1 || length < 1 || length > shape[1] {
		c.failf("frame_length", "frames of %d elements, %d apart, cannot be cut from a signal of %d", length, step, shape[1])
	}
	frames := (shape[1]-length)/step + 1
	first := c.Node("mul", nil, c.IotaAlong(0, 2, frames, tensor.Int64), c.Number(float64(step), tensor.Int64))
	places := c.Node("add", nil, first, c.IotaAlong(1, 2, length, tensor.Int64))
	y := c.Node("gather", emit.Attr("axis", 1), x, places)
	if window != nil {
		if s := window.Type.Shape; len(s) != 1 || s[0] != length {
			c.failf("window", "it is %v; it must have as many elements as a frame, %d", window.Type, length)
		}
		y = c.Node("mul", nil, y, c.Reshape(window, 1, 1, length, 1))
	}
	return one(c.Node("dft", emit.Attr("axis", 2, "onesided", c.Flag("onesided")), y))
}
