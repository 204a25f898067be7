package export

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

var shapeRows = []row{
	{op: "reshape", emit: reshape, logical: true},
	{op: "squeeze", emit: reshape, logical: true},
	{op: "unsqueeze", emit: reshape, logical: true},
	{op: "transpose", emit: func(c *emission) []operand {
		// It leaves dimensions that the node does not name where they are.
		axes := op.Permutation(c.Attrs, len(c.shape(c.in[0].entry)))
		if len(axes) < 2 {
			return c.in[:1]
		}
		return one(c.do("transpose", graph.AttrsOf("axes", axes), c.in[0].entry))
	}},
	{op: "tile", emit: tile},
	{op: "expand", emit: tile},
	{op: "concat", emit: func(c *emission) []operand {
		var in []int
		for _, x := range c.in {
			in = append(in, x.entry)
		}
		return one(c.do("concatenate", graph.AttrsOf("axis", c.Int("axis")), in...))
	}},
	{op: "slice", emit: func(c *emission) []operand {
		// It begins where the node begins and ends behind as many elements as its result has.
		in := c.shape(c.in[0].entry)
		begin, end, stride := make([]int, len(in)), make([]int, len(in)), make([]int, len(in))
		for d, s := range op.Slices(c.Attrs, in) {
			begin[d], stride[d] = s.Begin, s.Stride
			if end[d] = min(s.Begin+s.Stride*s.Count, in[d]); end[d] < 0 {
				end[d] = -in[d] - 1 // a negative end counts from the end
			}
		}
		return one(c.do("strided_slice", graph.AttrsOf("begin", begin, "end", end, "stride", stride), c.in[0].entry))
	}},
	{op: "gather", emit: func(c *emission) []operand {
		if c.Bool("negative") {
			kit.Refuse("it counts negative indices from the end; CVM takes the first item for them")
		}
		axis := c.Int("axis")
		y := c.do("take", graph.AttrsOf("axis", &axis), c.in[0].entry, c.in[1].entry)
		return one(c.reshaped(y, c.outShape()))
	}},
}

// reshaped gives an entry another shape of as many elements.
func (c *emission) reshaped(x int, shape tensor.Shape) int {
	if c.shape(x).Equal(shape) {
		return x
	}
	return c.do("reshape", graph.AttrsOf("shape", []int(shape)), x)
}

func reshape(c *emission) []operand {
	return []operand{{entry: c.reshaped(c.in[0].entry, c.outShape()), truth: c.in[0].truth}}
}

// tile is for expand, too: both repeat an operand as a whole.
func tile(c *emission) []operand {
	x, out := c.in[0].entry, c.outShape()
	reps := make([]int, len(out))
	for d, n := range c.shape(x) {
		reps[d] = out[d] / n
	}
	if c.shape(x).Equal(out) {
		return one(x)
	}
	return one(c.do("tile", graph.AttrsOf("reps", reps), x))
}
