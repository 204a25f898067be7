package export

import (
	"math/bits"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
)

var elementwiseRows = []row{
	{op: "copy", logical: true, emit: func(c *emission) []operand { return c.in[:1] }},
	{op: "cast", logical: true, emit: func(c *emission) []operand {
		// It is nothing where the result's type holds the operand.
		x, from, to := c.in[0], c.In[0].Type.DType, c.Out[0].Type.DType
		switch {
		case to == tensor.Bool:
			return []operand{{entry: x.entry, truth: x.truth || from != tensor.Bool}}
		case !from.IsInteger() && from != tensor.Bool:
			kit.Refuse("it casts from %v; CVM computes with integers", from)
		case !to.IsInteger():
			kit.Refuse("it casts to %v; CVM computes with integers", to)
		case x.truth:
			kit.Refuse("the operand is not computed as 0 and 1")
		case to.IsUnsigned() && !from.IsUnsigned():
			kit.Refuse("it casts to %v; CVM has signed integers only", to)
		case to.IsUnsigned() && to.Bits() < from.Bits():
			kit.Refuse("it casts to a narrower type without a sign")
		}
		return one(x.entry)
	}},
	{op: "neg", emit: unary("negative")},
	{op: "abs", emit: unary("abs")},
	{op: "relu", emit: unary("relu"), keeps: true},
	{op: "bit_length", emit: unary("cvm_precision")},
	{op: "add", emit: binary("broadcast_add")},
	{op: "sub", emit: binary("broadcast_sub")},
	{op: "mul", emit: binary("broadcast_mul")},
	{op: "div", emit: binary("broadcast_div")},
	{op: "max", emit: binary("broadcast_max")},
	{op: "min", emit: func(c *emission) []operand {
		return c.negated(func(in ...int) int { return c.do("broadcast_max", nil, in...) }, c.in[0].entry, c.in[1].entry)
	}},
	{op: "gt", emit: binary("broadcast_greater")},
	{op: "lt", emit: func(c *emission) []operand {
		return one(c.do("broadcast_greater", nil, c.in[1].entry, c.in[0].entry))
	}},
	{op: "ne", emit: func(c *emission) []operand {
		// Comparisons with 0 hold where the other operand does.
		for i, v := range c.In {
			if n, ok := single(v); ok && n == 0 {
				return []operand{{entry: c.in[1-i].entry, truth: true}}
			}
		}
		kit.Refuse("CVM compares with 0 only")
		return nil
	}},
	{op: "select", logical: true, emit: func(c *emission) []operand {
		// It selects by a condition of the same shape, or by one for each row.
		condition, out := c.in[0].entry, c.outShape()
		for i := 1; i <= 2; i++ {
			if s := c.shape(c.in[i].entry); !s.Equal(out) {
				kit.Refuse("operand %d has the shape %v; CVM needs that of the result, %v", i, s, out)
			}
		}
		if s := c.shape(condition); !s.Equal(out) {
			if s[0] != out[0] || s.Len() != s[0] || len(s) != len(out) {
				kit.Refuse("the condition has the shape %v; CVM needs that of the result, %v, or one element for each row", s, out)
			}
			condition = c.reshaped(condition, tensor.Shape{s[0]})
		}
		return one(c.do("where", nil, condition, c.in[1].entry, c.in[2].entry))
	}},
	{op: "clamp", numbers: true, emit: func(c *emission) []operand {
		// Bounds are numbers. Those beyond the operand's precision are brought to it where that changes nothing.
		x := c.in[0].entry
		most := operators.Bound(c.outs[x].Precision)
		low, known := c.number(1, -most)
		high, both := c.number(2, most)
		if !known || !both {
			return nil
		}
		if low < -most && -most < high {
			low = -most
		}
		if high > most && most > low {
			high = most
		}
		switch {
		case low == -most && high == most:
			return one(x)
		case low >= high:
			return nil
		}
		precision := bits.Len(uint(max(high, -low))) + 1
		if low != -operators.Bound(precision) || high != operators.Bound(precision) {
			x = c.do("clip", graph.AttrsOf("a_min", low, "a_max", high), x)
		}
		return one(c.clipped(x, precision)) // clip assumes a bit more than 127 takes
	}},
	{op: "clamp_precision", keeps: true, emit: func(c *emission) []operand {
		return one(c.clipped(c.in[0].entry, c.Int("precision")))
	}},
	{op: "rescale", numbers: true, emit: func(c *emission) []operand {
		// It multiplies and shifts. Together with a clamp_precision behind it, it is one shift.
		x, a := c.in[0].entry, c.Attrs
		shift, known := c.number(1, 0)
		multiplier, both := c.number(2, 1)
		if !known || !both {
			kit.Refuse("its shift or multiplier is no constant with one element")
		}
		if multiplier != 1 {
			x = c.do("broadcast_mul", nil, x, c.parameterOf(multiplier))
		}
		shift = min(max(shift, -64), 127)
		given, operator := shift, "cvm_right_shift"
		switch rounding := a.String("rounding"); {
		case shift == 0:
			return one(x)
		case shift < 0:
			operator, shift = "cvm_left_shift", -shift
		case rounding == "floor": // half a unit less, rounded to nearest
			if shift >= operators.MaxPrecision {
				kit.Refuse("a shift by %d is beyond CVM's, with rounding floor", shift)
			}
			x = c.do("broadcast_sub", nil, x, c.parameterOf(1<<(shift-1)))
		case rounding != "half_up":
			kit.Refuse("the rounding is %s; CVM has half_up and floor", rounding)
		}
		if shift > operators.MaxPrecision {
			kit.Refuse("it shifts by %d bits; CVM shifts by %d at most", shift, operators.MaxPrecision)
		}
		precision := c.outs[x].Precision - shift + 1
		if given < 0 {
			precision = c.outs[x].Precision + shift
		}
		precision = max(precision, 1)
		if bound := c.bounded(c.Out[0]); bound > 0 && (precision <= a.DType("dtype").Bits() || a.String("overflow") == "saturate") {
			precision = min(precision, bound)
		}
		return one(c.do(operator, graph.AttrsOf("precision", precision, "shift_bit", shift), x))
	}},
	{op: "lookup", emit: func(c *emission) []operand {
		// Tables of CVM begin with index 0.
		x, table := c.in[0].entry, c.in[1].entry
		if offset := c.Int("offset"); offset != 0 {
			x = c.do("broadcast_add", nil, x, c.parameterOf(offset))
		}
		return one(c.do("cvm_lut", graph.AttrsOf("in_dim", c.shape(table).Len()), x, table))
	}},
}

func unary(operator string) func(*emission) []operand {
	return func(c *emission) []operand { return one(c.do(operator, nil, c.in[0].entry)) }
}

func binary(operator string) func(*emission) []operand {
	return func(c *emission) []operand { return one(c.do(operator, nil, c.in[0].entry, c.in[1].entry)) }
}

// negated applies what works on largest elements to smallest ones.
func (c *emission) negated(f func(in ...int) int, in ...int) []operand {
	for i := range in {
		in[i] = c.do("negative", nil, in[i])
	}
	return one(c.do("negative", nil, f(in...)))
}

// single returns the only element of a constant, if an attribute holds it.
func single(v *graph.Value) (int, bool) {
	if v == nil || v.Const == nil || v.Const.Len() != 1 || !v.Const.DType().IsInteger() {
		return 0, false
	}
	t, err := tensor.Cast(v.Const, tensor.Int64)
	if err != nil {
		return 0, false
	}
	x := tensor.Data[int64](t)[0]
	return int(x), int64(int(x)) == x
}

// number returns an operand, the default if it is absent, and false if it is no number.
func (c *emission) number(i, absent int) (int, bool) {
	if !c.Has(i) {
		return absent, true
	}
	return single(c.In[i])
}

// clipped bounds an entry by a precision.
func (c *emission) clipped(x, precision int) int {
	if c.outs[x].Precision <= precision {
		return x
	}
	return c.do("cvm_clip", graph.AttrsOf("precision", precision), x)
}
