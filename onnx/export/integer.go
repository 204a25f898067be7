package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Quantization, and integers that are scaled.

var integerRows = []row{
	direct("quantize_linear", "QuantizeLinear", op.Singles, func(c *emission) []val {
		if c.coded(c.In[0]) {
			return nil // integers would be computed with
		}
		return c.standardCodes("QuantizeLinear", c.out(0).DType)
	}, "numbers that have been made of codes, float64, scales of several dimensions, and codes of 32 bits: own").otherwise(quantize),
	direct("dequantize_linear", "DequantizeLinear", codes|op.TypeSet(tensor.Int32), func(c *emission) []val {
		return c.standardCodes("DequantizeLinear", c.in[0].DType)
	}, "scales of float64 or of several dimensions, and uint32: own"),
	own("requantize", "Cast, Mul, Round, Add, Clip", func(c *emission) []val {
		x := c.cast(c.in[0], tensor.Float32)
		return one(c.quantized(c.do("Round", c.do("Mul", x, c.blocks(c.in[1]))), c.blocks(c.cast(c.in[2], tensor.Int64))))
	}),
	own("rescale", "Cast, Mul, Gather, Div, Mod, Clip", rescale),
}

// codes are the element types that the standard quantizes to.
var codes = op.Packed | op.SmallFloats&^op.TypeSet(tensor.Float8E8M0) | small

// coded reports whether package onnx may take a value for one that has been made of codes, by a chain of nodes. Inputs of blocks may be.
func (c *emission) coded(v *graph.Value) bool {
	if c.e.coded == nil {
		c.e.coded = make(map[*graph.Value]bool)
	}
	if v.Producer == nil {
		return v.Const == nil && c.around != nil && !c.function
	}
	known, ok := c.e.coded[v]
	if !ok {
		known = v.Producer.Op == "dequantize_linear" || slices.ContainsFunc(v.Producer.In, func(x *graph.Value) bool { return x != nil && c.coded(x) })
		for _, x := range v.Producer.Out {
			c.e.coded[x] = known
		}
	}
	return known
}

// standardCodes adds an operator of the standard, where scales and zero points are as it wants them: one for all, one for each element along
// an axis, or those of blocks along one.
func (c *emission) standardCodes(to string, d tensor.DType) []val {
	in, scale, zero := c.in[0].Shape, c.in[1], c.in[2]
	if !(codes | op.TypeSet(tensor.Int32)).Has(d) || d == tensor.Int32 && to == "QuantizeLinear" || !op.Singles.Has(scale.DType) {
		return nil
	}
	attrs := at()
	if to == "QuantizeLinear" && d.IsSmallFloat() {
		attrs = at("saturate", c.Bool("saturate"))
	}
	var several, fewer ints // dimensions with more than one scale, and with more elements than scales
	for i, n := range scale.Shape {
		if n != 1 {
			several = append(several, i)
		}
		if n != in[i] {
			fewer = append(fewer, i)
		}
	}
	switch {
	case scale.Shape.Len() == 1:
		scale, zero = c.reshape(scale), c.reshape(zero)
	case len(several) == 1 && scale.Shape[several[0]] == in[several[0]]:
		n := in[several[0]]
		if zero.Shape.Len() != n && !moved.Has(zero.DType) {
			return nil
		}
		scale = c.reshape(scale, n)
		if zero.Shape.Len() > 1 {
			zero = c.reshape(zero, n)
		} else if zero = c.reshape(zero, 1); n != 1 {
			zero = c.node1("Expand", graph.Type{DType: zero.DType, Shape: scale.Shape}, nil, zero, c.list(n))
		}
		attrs = append(attrs, at("axis", several[0])...)
	case len(fewer) == 1 && zero.Shape.Equal(scale.Shape):
		axis := fewer[0]
		size := in[axis] / scale.Shape[axis]
		if block := c.Ints("block"); len(block) > 0 {
			size = block[axis]
		}
		attrs = append(attrs, at("axis", axis, "block_size", size)...)
	default:
		return nil
	}
	return one(c.node1(to, c.out(0), attrs, c.in[0], scale, zero))
}

// blocks repeats what serves blocks of the first operand for each of its elements.
func (c *emission) blocks(x val) val {
	block := c.Ints("block")
	for d, n := range x.Shape {
		all := c.in[0].Shape[d]
		if n == all || n == 1 {
			continue
		}
		size := all / n
		if len(block) > 0 {
			size = block[d]
		}
		room(all)
		places := make(ints, all)
		for i := range places {
			places[i] = i / size
		}
		shape := x.Shape.Clone()
		shape[d] = all
		x = c.node1("Gather", graph.Type{DType: x.DType, Shape: shape}, at("axis", d), x, c.list(places...))
	}
	return x
}

func quantize(c *emission) []val {
	d := c.out(0).DType
	wide := realOf(c.in[0].DType)
	x := c.do("Div", c.cast(c.in[0], wide), c.blocks(c.cast(c.in[1], wide)))
	if d.IsSmallFloat() {
		x = c.do("Add", x, c.blocks(c.cast(c.in[2], wide)))
		attrs := at("to", d, "saturate", c.Bool("saturate"))
		return one(c.node1("Cast", graph.Type{DType: d, Shape: x.Shape}, attrs, x))
	}
	return one(c.quantized(c.do("Round", x), c.blocks(c.cast(c.in[2], tensor.Int64))))
}

// quantized adds a zero point to whole numbers and bounds the sum to the type of the result, in integers.
func (c *emission) quantized(x, zero val) val {
	d := c.out(0).DType
	none := c.test("IsNaN", x)
	x = c.do("Where", none, c.number(x.DType, 0), x)
	x = c.do("Min", c.do("Max", x, c.number(x.DType, -1<<40)), c.number(x.DType, 1<<40))
	sum := c.saturate(c.do("Add", c.cast(x, tensor.Int64), zero), d)
	return c.cast(c.do("Where", none, c.integer(tensor.Int64, 0), sum), d)
}

// rescale computes in int64: products of more bits wrap there.
func rescale(c *emission) []val {
	d := c.out(0).DType
	along := func(x val) val { // one element, or one for each index along the axis
		x = c.cast(x, tensor.Int64)
		if x.Shape.Len() == 1 {
			return c.reshape(x)
		}
		shape := slices.Repeat(ints{1}, c.in[0].rank())
		shape[c.Int("axis")] = x.Shape[0]
		return c.reshape(x, shape...)
	}
	shift := along(c.in[1])
	v := c.cast(c.in[0], tensor.Int64)
	if c.Has(2) {
		v = c.do("Mul", v, along(c.in[2]))
	}
	right := c.bounded(shift, 0, 62)
	left := c.bounded(c.do("Neg", shift), 0, 63)
	p := c.power(right)
	v = c.rounded(v, p, c.test("Equal", right, c.integer(tensor.Int64, 0)))
	if c.Str("overflow") == "saturate" && d.Size() <= 4 {
		// Two steps, each of which leaves room for the product: beyond 2^40 all is beyond the range.
		half := c.bounded(left, 0, 20)
		rest := c.bounded(c.do("Sub", left, half), 0, 20)
		for _, by := range []val{half, rest} {
			v = c.do("Mul", c.bounded(v, -1<<40, 1<<40), c.power(by))
		}
		return one(c.cast(c.saturate(v, d), d))
	}
	if v = c.do("Mul", v, c.power(left)); c.Str("overflow") == "saturate" {
		v = c.saturate(v, d)
	}
	return one(c.cast(v, d))
}

// power returns 2^x for x from 0 to 63, of which 2^63 wraps.
func (c *emission) power(x val) val {
	list := make([]int64, 64)
	for i := range list {
		list[i] = int64(uint64(1) << i)
	}
	return c.node1("Gather", x.Type, nil, c.along(0, 1, list), x)
}

// rounded divides by powers of two as the attribute rounding says; whole says where the divisor is 1.
func (c *emission) rounded(v, p, whole val) val {
	number := func(n int64) val { return c.integer(tensor.Int64, n) }
	two := number(2)
	floor := func(v val) val { return c.do("Div", c.do("Sub", v, c.do("Mod", v, p)), p) }
	half := c.do("Where", whole, number(0), c.do("Div", p, two))
	switch c.Str("rounding") {
	case "to_zero":
		return c.do("Div", v, p)
	case "half_up":
		return floor(c.do("Add", v, half))
	case "half_away":
		sign := c.do("Where", c.test("Less", v, number(0)), number(-1), number(1))
		return c.do("Mul", floor(c.do("Add", c.do("Abs", v), half)), sign)
	case "half_up_to_zero":
		return c.do("Div", c.do("Add", v, half), p)
	case "half_even":
		q := floor(v)
		rest := c.do("Sub", v, c.do("Mul", q, p))
		odd := c.test("Equal", c.do("Mod", q, two), number(1))
		tie := c.test("And", c.test("Equal", rest, half), c.test("And", odd, c.do("Not", whole)))
		return c.do("Add", q, c.cast(c.test("Or", c.test("Greater", rest, half), tie), tensor.Int64))
	}
	return floor(v)
}
