package export

import (
	"math/bits"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Operators on the bits of integers, in int64.

var integerRows = []row{
	{Row{"logarithmic_quantize", Body, "", 1, "next to a tie another power of two, as log2 is not the same to the bit"},
		func(c *call) []*webnn.Operand {
			c.near(1)
			return c.byBody(c.d)
		}},
	decomposed("clamp_precision", "clamp", 0, func(c *call) []*webnn.Operand {
		x := c.in[0]
		bound := int64(1)<<(c.int("precision")-1) - 1
		lo, hi := x.DataType().IntRange()
		o := options{}
		if -bound > lo {
			o["minValue"] = webnn.Int(-bound)
		}
		if uint64(bound) < hi {
			o["maxValue"] = webnn.Int(bound)
		}
		return one(c.do("clamp", o, x))
	}),
	decomposed("bit_length", "cast, abs, greaterOrEqual, reduceSum, where", 0, bitLength, "refused in rank 8"),
	decomposed("rescale", "cast, mul, add, sub, div, lesser, where, clamp", 0, rescale,
		"factor and shift constant, one for all elements; refused for uint64, and where they may exceed the 63 bits of int64"),
}

// bitLength counts the powers of two that are not above |x|.
func bitLength(c *call) []*webnn.Operand {
	x := c.in[0]
	if rank(x) == webnn.MaxRank {
		refuse("a dimension more would be needed")
	}
	d := tensor.Int64
	if x.DataType() == tensor.Uint64 {
		d = tensor.Uint64
	}
	magnitude := c.cast(x, d)
	if d == tensor.Int64 {
		magnitude = c.do("abs", nil, magnitude)
	}
	digits := x.DataType().Bits() - 1
	powers := make([]uint64, digits)
	for i := range powers {
		powers[i] = 1 << (i + 1)
	}
	if x.DataType() == tensor.Int64 {
		powers = powers[:digits-1] // the last one is no int64
	}
	t, err := tensor.FromSlice(powers, len(powers))
	if err == nil {
		t, err = tensor.Cast(t, d)
	}
	if err != nil {
		refuse("%v", err)
	}
	column := append(shape(magnitude), 1)
	reached := c.do("greaterOrEqual", nil, c.reshape(magnitude, column), c.constant(t))
	n := c.do("reduceSum", options{"axes": ints{len(column) - 1}}, c.cast(reached, tensor.Int32))
	n = c.do("add", nil, n, c.number(tensor.Int32, 1))
	if x.DataType() == tensor.Int64 { // the least number is its own magnitude
		n = c.do("where", nil, c.do("lesser", nil, magnitude, c.integer(0)), c.number(tensor.Int32, 64), n)
	}
	return one(c.cast(n, x.DataType()))
}

func rescale(c *call) []*webnn.Operand {
	x, shift, factor := c.in[0], int(min(max(c.single(1, "shift"), -64), 127)), c.single(2, "multiplier")
	if x.DataType() == tensor.Uint64 {
		refuse("the elements are uint64, and WebNN computes with 63 bits and a sign")
	}
	lo, hi := x.DataType().IntRange()
	width := max(bits.Len64(uint64(-lo)), bits.Len64(hi)) // |x| ≤ 2^width
	if factor != 1 {
		width += bits.Len64(uint64(max(factor, -factor)))
	}
	if width+max(-shift, 0) > 62 || shift > 62 {
		refuse("multiplier %d and shift %d may exceed the 63 bits of int64", factor, shift)
	}
	v := c.cast(x, tensor.Int64)
	if factor *= 1 << max(-shift, 0); factor != 1 {
		v = c.do("mul", nil, v, c.integer(factor))
	}
	if shift > 0 {
		v = c.shifted(v, shift, c.str("rounding"))
	}
	to := c.outType(0)
	if c.str("overflow") == "saturate" {
		v = c.saturate(v, to)
	}
	return one(c.cast(v, to))
}

// single returns an operand of rescale, which must be a constant of one element; 1 if it is absent.
func (c *call) single(i int, name string) int64 {
	if c.operand(i) == nil {
		return 1
	}
	t := c.value(i)
	if t == nil || t.Len() != 1 {
		refuse("its %s is no constant with one element", name)
	}
	return tensor.Data[int64](c.eval("cast", attrs("dtype", tensor.Int64), t))[0]
}

// shifted divides by 2^shift.
func (c *call) shifted(v *webnn.Operand, shift int, rounding string) *webnn.Operand {
	divisor, half := c.integer(1<<shift), c.integer(1<<(shift-1))
	zero, unit := c.integer(0), c.integer(1)
	floor := func(v *webnn.Operand) (q, rest *webnn.Operand) {
		q = c.do("div", nil, v, divisor)
		rest = c.do("sub", nil, v, c.do("mul", nil, q, divisor))
		below := c.cast(c.do("lesser", nil, rest, zero), tensor.Int64)
		return c.do("sub", nil, q, below), c.do("add", nil, rest, c.do("mul", nil, below, divisor))
	}
	switch rounding {
	case "floor":
		q, _ := floor(v)
		return q
	case "to_zero":
		return c.do("div", nil, v, divisor)
	case "half_up":
		q, _ := floor(c.do("add", nil, v, half))
		return q
	case "half_up_to_zero":
		return c.do("div", nil, c.do("add", nil, v, half), divisor)
	case "half_away":
		return c.do("mul", nil, c.do("sign", nil, v), c.do("div", nil, c.do("add", nil, c.do("abs", nil, v), half), divisor))
	}
	q, rest := floor(v) // half_even
	odd := c.do("notEqual", nil, q, c.do("mul", nil, c.do("div", nil, q, c.integer(2)), c.integer(2)))
	tie := c.do("logicalAnd", nil, c.do("equal", nil, rest, half), odd)
	up := c.do("logicalOr", nil, c.do("greater", nil, rest, half), tie)
	return c.do("add", nil, q, c.do("where", nil, up, unit, zero))
}
