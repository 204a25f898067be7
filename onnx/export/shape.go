package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Operators that give elements other places.

var shapeRows = []row{
	direct("reshape", "Reshape", stored, func(c *emission) []val {
		to := c.out(0).Shape
		attrs := at()
		if slices.Contains(to, 0) {
			attrs = at("allowzero", 1)
		}
		return one(c.node1("Reshape", c.out(0), attrs, c.in[0], c.list(to...)))
	}),
	direct("squeeze", "Squeeze", stored, func(c *emission) []val {
		if len(c.Ints("axes")) == 0 { // some squeeze all dimensions then
			return one(c.node1("Identity", c.out(0), nil, c.in[0]))
		}
		return one(c.node1("Squeeze", c.out(0), nil, c.in[0], c.list(c.Ints("axes")...)))
	}),
	direct("unsqueeze", "Unsqueeze", stored, func(c *emission) []val {
		return one(c.node1("Unsqueeze", c.out(0), nil, c.in[0], c.list(c.Ints("axes")...)))
	}),
	direct("transpose", "Transpose", stored, func(c *emission) []val {
		return one(c.node1("Transpose", c.out(0), at("perm", op.Permutation(c.Attrs, c.in[0].rank())), c.in[0]))
	}),
	direct("expand", "Expand", moved, func(c *emission) []val {
		return one(c.node1("Expand", c.out(0), nil, c.in[0], c.list(c.Ints("shape")...)))
	}),
	direct("tile", "Tile", moved, func(c *emission) []val {
		return one(c.node1("Tile", c.out(0), nil, c.in[0], c.list(c.Ints("repeats")...)))
	}),
	with("concat", "Concat", moved, "axis", "axis"),
	several("stack", "Unsqueeze, Concat", moved, func(c *emission) []val {
		axis := c.Int("axis")
		parts := make([]val, len(c.in))
		for i, x := range c.in {
			shape := slices.Insert(x.Shape.Clone(), axis, 1)
			parts[i] = c.node1("Unsqueeze", graph.Type{DType: x.DType, Shape: shape}, nil, x, c.list(axis))
		}
		return one(c.node1("Concat", c.out(0), at("axis", axis), parts...))
	}),
	direct("split", "Split", moved, func(c *emission) []val {
		types, sizes := make([]graph.Type, len(c.Out)), make(ints, len(c.Out))
		for i, v := range c.Out {
			types[i], sizes[i] = v.Type, v.Type.Shape[c.Int("axis")]
		}
		return c.nodes("Split", types, at("axis", c.Int("axis")), c.in[0], c.list(sizes...))
	}),
	several("unstack", "Split, Squeeze", moved, func(c *emission) []val {
		axis := c.Int("axis")
		parts := make([]graph.Type, len(c.Out))
		for i, v := range c.Out {
			parts[i] = graph.Type{DType: v.Type.DType, Shape: slices.Insert(v.Type.Shape.Clone(), axis, 1)}
		}
		out := c.nodes("Split", parts, at("axis", axis), c.in[0], c.list(slices.Repeat(ints{1}, len(parts))...))
		for i := range out {
			out[i] = c.node1("Squeeze", c.out(i), nil, out[i], c.list(axis))
		}
		return out
	}),
	direct("slice", "Slice", moved, slice),
	several("reverse", "Slice", moved, func(c *emission) []val {
		n := len(c.Ints("axes"))
		if n == 0 {
			return one(c.node1("Identity", c.out(0), nil, c.in[0]))
		}
		minus := c.list(slices.Repeat(ints{-1}, n)...)
		return one(c.node1("Slice", c.out(0), nil, c.in[0], minus, c.list(slices.Repeat(ints{math.MinInt32}, n)...), c.list(c.Ints("axes")...), minus))
	}),
	direct("pad", "Pad", stored, pad, `borders "reflect-even", and "reflect" beyond the extent: own`),
	direct("triangular", "Trilu", moved, func(c *emission) []val {
		return one(c.node1("Trilu", c.out(0), at("upper", c.Bool("upper")), c.in[0], c.integer(tensor.Int64, int64(c.Int("diagonal")))))
	}),
	direct("bit_cast", "BitCast", stored, func(c *emission) []val {
		c.needs(bitVersion)
		return one(c.node1("BitCast", c.out(0), at("to", c.Attrs.DType("dtype")), c.in[0]))
	}),
}

// slice says anew where each dimension begins and ends, as the standard counts from the end otherwise.
func slice(c *emission) []val {
	axes, taken := c.Ints("axes"), op.Slices(c.Attrs, c.in[0].Shape)
	if len(axes) == 0 {
		return one(c.node1("Identity", c.out(0), nil, c.in[0]))
	}
	begin, end, step := make(ints, len(axes)), make(ints, len(axes)), make(ints, len(axes))
	for i, a := range axes {
		s, n := taken[a], c.in[0].Shape[a]
		begin[i], step[i] = s.Begin, s.Stride
		switch last := s.Begin + (s.Count-1)*s.Stride; {
		case s.Count == 0:
			begin[i], end[i], step[i] = n, n, 1
		case step[i] > 0:
			end[i] = last + 1
		case last == 0:
			end[i] = math.MinInt32
		default:
			end[i] = last - 1
		}
	}
	in := []val{c.in[0], c.list(begin...), c.list(end...), c.list(axes...)}
	if slices.ContainsFunc(step, func(s int) bool { return s != 1 }) {
		in = append(in, c.list(step...))
	}
	return one(c.node1("Slice", c.out(0), nil, in...))
}

// padModes are the names that the standard has for borders.
var padModes = map[string]string{"constant": "constant", "replicate": "edge", "reflect": "reflect"}

// pad leaves out what the standard understands otherwise: elements that are mirrored more than once, those that are taken away on one side
// and repeated on the other, and more elements that are taken away than there are.
func pad(c *emission) []val {
	mode, padding := padModes[c.Str("border")], c.Ints("padding")
	if len(padding) == 0 {
		return one(c.node1("Identity", c.out(0), nil, c.in[0]))
	}
	before, after := make(ints, len(padding)/2), make(ints, len(padding)/2)
	for d := range before {
		before[d], after[d] = padding[2*d], padding[2*d+1]
		n, least, most := c.in[0].Shape[d], min(before[d], after[d]), max(before[d], after[d])
		if n+min(before[d], 0)+min(after[d], 0) < 0 {
			return nil
		}
		if mode != "constant" && (least < 0 && most > 0 || mode == "reflect" && most >= n) {
			return nil
		}
	}
	if mode == "" {
		return nil
	}
	return one(c.node1("Pad", c.out(0), at("mode", mode), c.in[0], c.list(slices.Concat(before, after)...), c.fill()))
}

// fill returns what a constant border is made of.
func (c *emission) fill() val {
	switch {
	case c.Str("border") != "constant":
		return val{}
	case c.Has(1):
		return c.in[1]
	case c.in[0].DType == tensor.Bool:
		return c.cast(c.number(tensor.Uint8, c.Float("value")), tensor.Bool)
	}
	return c.number(c.in[0].DType, c.Float("value"))
}
