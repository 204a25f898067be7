package export

import (
	"slices"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Operators that move elements.

var shapeRows = []row{
	direct("reshape", "reshape", reshaped),
	decomposed("squeeze", "reshape", 0, reshaped),
	decomposed("unsqueeze", "reshape", 0, reshaped),
	direct("transpose", "transpose", func(c *call) []*webnn.Operand {
		perm := slices.Clone(c.ints("axes"))
		for d := len(perm); d < rank(c.in[0]); d++ {
			perm = append(perm, d)
		}
		return one(c.do("transpose", options{"permutation": perm}, c.in[0]))
	}),
	direct("expand", "expand", func(c *call) []*webnn.Operand { return one(c.do("expand", nil, c.in[0], c.outShape(0))) }),
	direct("tile", "tile", func(c *call) []*webnn.Operand { return one(c.do("tile", nil, c.in[0], c.ints("repeats"))) }),
	direct("concat", "concat", func(c *call) []*webnn.Operand { return one(c.do("concat", nil, c.in, c.int("axis"))) }),
	direct("split", "split", func(c *call) []*webnn.Operand {
		splits := make(ints, len(c.n.Out))
		for i := range splits {
			splits[i] = c.outShape(i)[c.int("axis")]
		}
		return c.all("split", options{"axis": c.int("axis")}, c.in[0], splits)
	}),
	direct("slice", "slice", slice, "negative strides: reverse"),
	direct("pad", "pad", pad, "reflect-even, and reflect beyond one mirror image: gather; negative padding: slice; "+
		"a fill that is no constant: concat"),
	direct("reverse", "reverse", func(c *call) []*webnn.Operand { return one(c.do("reverse", options{"axes": c.ints("axes")}, c.in[0])) }),
	direct("triangular", "triangular", func(c *call) []*webnn.Operand {
		return one(c.do("triangular", options{"upper": c.bool("upper"), "diagonal": c.int("diagonal")}, c.in[0]))
	}),
}

func reshaped(c *call) []*webnn.Operand { return one(c.do("reshape", nil, c.in[0], c.outShape(0))) }

func slice(c *call) []*webnn.Operand {
	x, out := c.in[0], c.outShape(0)
	axes, begin, steps := c.ints("axes"), c.ints("begin"), c.ints("stride")
	start, stride := make(ints, rank(x)), slices.Repeat(ints{1}, rank(x))
	back := ints{}
	for i, d := range axes {
		n, b := shape(x)[d], begin[i]
		if b < 0 {
			b += n
		}
		b = max(0, min(b, n-1))
		if len(steps) > 0 {
			stride[d] = steps[i]
		}
		if stride[d] < 0 {
			back = append(back, d)
			b, stride[d] = n-1-b, -stride[d]
		}
		start[d] = b
		if out[d] == 1 {
			stride[d] = 1 // no step is taken
		}
	}
	if len(back) > 0 {
		x = c.do("reverse", options{"axes": back}, x)
	}
	y := c.slice(x, start, out, stride)
	if y == c.in[0] {
		y = c.do("identity", nil, y)
	}
	return one(y)
}

func pad(c *call) []*webnn.Operand {
	w := c.window()
	x := c.in[0]
	d := x.DataType()
	var fill any = 0.0
	switch {
	case w.border != "constant":
	case c.operand(1) == nil:
		value, err := tensor.Cast(tensor.Scalar(float32(c.float("value"))), d)
		if d.IsInteger() {
			value, err = tensor.Cast(tensor.Scalar(int64(c.float("value"))), d)
		}
		if err != nil {
			refuse("%v", err)
		}
		fill, _ = number(value)
	case c.value(1) == nil:
		return one(c.surrounded(x, w))
	default:
		var ok bool
		if fill, ok = number(c.value(1)); !ok {
			return one(c.surrounded(x, w))
		}
	}
	y := c.surround(x, w, 0, fill)
	if y == c.in[0] {
		y = c.do("identity", nil, y)
	}
	return one(y)
}

// surrounded pads with an element that is computed.
func (c *call) surrounded(x *webnn.Operand, w *window) *webnn.Operand {
	x, w = c.crop(x, w, 0)
	for d := range w.before {
		parts := []*webnn.Operand{}
		add := func(n int) {
			if n > 0 {
				s := slices.Clone(shape(x))
				s[d] = n
				parts = append(parts, c.do("expand", nil, c.in[1], s))
			}
		}
		add(w.before[d])
		parts = append(parts, x)
		add(w.after[d])
		if len(parts) > 1 {
			x = c.do("concat", nil, parts, d)
		}
	}
	return x
}
