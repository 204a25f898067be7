package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
)

var shapeRows = []row{
	{op: "reshape", emit: reshape, keeps: true, logical: true},
	{op: "squeeze", emit: reshape, keeps: true, logical: true},
	{op: "unsqueeze", emit: reshape, keeps: true, logical: true},
	{op: "transpose", keeps: true, emit: func(c *emission) []operand {
		// It leaves dimensions that the node does not name where they are.
		axes := slices.Clone(c.Ints("axes"))
		for d := len(axes); d < len(c.shape(c.in[0].entry)); d++ {
			axes = append(axes, d)
		}
		if len(axes) < 2 {
			return c.in[:1]
		}
		return one(c.do("transpose", graph.AttrsOf("axes", axes), c.in[0].entry))
	}},
	{op: "tile", emit: tile, keeps: true},
	{op: "expand", emit: tile, keeps: true},
	{op: "concat", keeps: true, emit: func(c *emission) []operand {
		var in []int
		for _, x := range c.in {
			in = append(in, x.entry)
		}
		return one(c.do("concatenate", graph.AttrsOf("axis", c.Int("axis")), in...))
	}},
	{op: "slice", keeps: true, emit: func(c *emission) []operand {
		// It begins where the node begins and ends behind as many elements as its result has.
		a, in, out := c.Attrs, c.shape(c.in[0].entry), c.outShape(0)
		begin, end, stride := make([]int, len(in)), slices.Clone(in), slices.Repeat([]int{1}, len(in))
		for i, d := range a.Ints("axes") {
			n := in[d]
			if strides := a.Ints("stride"); len(strides) > 0 {
				stride[d] = strides[i]
			}
			if begin[d] = a.Ints("begin")[i]; begin[d] < 0 {
				begin[d] += n
			}
			begin[d] = min(max(begin[d], 0), n)
			if stride[d] < 0 {
				begin[d] = min(begin[d], n-1)
			}
			if end[d] = min(begin[d]+stride[d]*out[d], n); end[d] < 0 {
				end[d] = -n - 1 // a negative end counts from the end
			}
		}
		return one(c.do("strided_slice", graph.AttrsOf("begin", begin, "end", []int(end), "stride", stride), c.in[0].entry))
	}},
	{op: "gather", keeps: true, emit: func(c *emission) []operand {
		if c.Bool("negative") {
			kit.Refuse("it counts negative indices from the end; CVM takes the first item for them")
		}
		axis := c.Int("axis")
		y := c.do("take", graph.AttrsOf("axis", &axis), c.in[0].entry, c.in[1].entry)
		return one(c.reshaped(y, c.outShape(0)))
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
	return []operand{{entry: c.reshaped(c.in[0].entry, c.outShape(0)), truth: c.in[0].truth}}
}

// tile is for expand, too: both repeat an operand as a whole.
func tile(c *emission) []operand {
	x, out := c.in[0].entry, c.outShape(0)
	reps := make([]int, len(out))
	for d, n := range c.shape(x) {
		reps[d] = out[d] / n
	}
	if c.shape(x).Equal(out) {
		return one(x)
	}
	return one(c.do("tile", graph.AttrsOf("reps", reps), x))
}
