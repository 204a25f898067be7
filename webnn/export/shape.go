package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Operators that move elements.

var shapeRows = []row{
	direct("reshape", "reshape", reshaped),
	direct("squeeze", "reshape", reshaped),
	direct("unsqueeze", "reshape", reshaped),
	direct("transpose", "transpose", func(c *emission) []*webnn.Operand {
		return c.one("transpose", options{"permutation": op.Permutation(c.Attrs, rank(c.in[0]))}, c.in[0])
	}),
	direct("split", "split", func(c *emission) []*webnn.Operand {
		splits := make(ints, len(c.Out))
		for i := range splits {
			splits[i] = c.outShape(i)[c.Int("axis")]
		}
		return c.all("split", options{"axis": c.Int("axis")}, c.in[0], splits)
	}),
	direct("slice", "slice", slice, "negative strides: reverse"),
	direct("pad", "pad", pad, "reflect-even, and reflect beyond one mirror image: gather; negative padding: slice; "+
		"a fill that is no constant: concat"),
}

func reshaped(c *emission) []*webnn.Operand { return c.one("reshape", nil, c.in[0], c.outShape(0)) }

func slice(c *emission) []*webnn.Operand {
	x, out := c.in[0], c.outShape(0)
	start, sizes, stride, every := make(ints, rank(x)), slices.Clone(out), slices.Repeat(ints{1}, rank(x)), true
	for d, s := range op.Slices(c.Attrs, shape(x)) {
		if s.Stride < 0 {
			return nil
		}
		if start[d] = s.Begin; s.Count > 1 {
			stride[d], sizes[d] = s.Stride, (s.Count-1)*s.Stride+1
			every = every && s.Stride == 1
		}
	}
	switch {
	case slices.Equal(out, shape(x)):
		return c.one("identity", nil, x)
	case every:
		return c.one("slice", nil, x, start, sizes)
	}
	return c.one("slice", options{"strides": stride}, x, start, sizes)
}

// pad adds elements with the modes that the method has, of which one mirrors once.
func pad(c *emission) []*webnn.Operand {
	x, padding, border := c.in[0], c.Ints("padding"), c.Str("border")
	before, after := make(ints, rank(x)), make(ints, rank(x))
	for d, n := range shape(x) {
		before[d], after[d] = padding[2*d], padding[2*d+1]
		if min(before[d], after[d]) < 0 || border == "reflect" && max(before[d], after[d]) >= n {
			return nil
		}
	}
	mode, ok := map[string]string{"constant": "constant", "replicate": "edge", "reflect": "reflection"}[border]
	o := options{}
	switch fill, known := c.fill(); {
	case !slices.ContainsFunc(padding, func(n int) bool { return n != 0 }):
		return c.one("identity", nil, x)
	case !ok || !known:
		return nil
	case mode != "constant":
		o["mode"] = mode
	case fill != any(0.0) || math.Signbit(fill.(float64)): // the default is 0
		o["value"] = fill
	}
	return c.one("pad", o, x, before, after)
}

// fill returns what a constant border consists of, if a method takes it as a number.
func (c *emission) fill() (any, bool) {
	t := c.Known(1)
	switch {
	case c.Str("border") != "constant":
		return nil, true
	case t != nil:
		return number(t)
	case c.Has(1):
		return nil, false
	}
	return number(kit.Must(tensor.Cast(tensor.Scalar(c.Float("value")), c.in[0].DataType())))
}
