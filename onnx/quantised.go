package onnx

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Quantised numbers.
var quantisedRows = family{"Quantisation", []row{
	{name: "QuantizeLinear", forms: forms("10", "x: number, y_scale: step, y_zero_point? -> y", "13", "x: number, y_scale: step, y_zero_point?; axis=1 -> y",
		"19", "x: number, y_scale: step, y_zero_point?; axis=1, saturate=1 -> y", "21", "x: number, y_scale: step, y_zero_point?; axis=1, block_size=0, output_dtype=0, saturate=1 -> y",
		"23 24 25", "x: number, y_scale: step, y_zero_point?; axis=1, block_size=0, output_dtype=0, precision=0, saturate=1 -> y"),
		lower: quantizeLinear, remark: "precision has no effect: quotients are rounded to float32"},
	{name: "DequantizeLinear", forms: forms("10", "x, x_scale: scale, x_zero_point? -> y", "13 19", "x, x_scale: scale, x_zero_point?; axis=1 -> y",
		"21", "x, x_scale: scale, x_zero_point?; axis=1, block_size=0 -> y", "23 24 25", "x, x_scale: scale, x_zero_point?; axis=1, block_size=0, output_dtype=0 -> y"),
		lower: dequantizeLinear},
	{name: "com.microsoft.QuantizeLinear", forms: forms("1", "x: number, y_scale: step, y_zero_point?; axis=1 -> y"), lower: quantizeLinear},
	{name: "com.microsoft.DequantizeLinear", forms: forms("1", "x, x_scale: scale, x_zero_point?; axis=1 -> y"), lower: dequantizeLinear},
	{name: "DynamicQuantizeLinear", forms: forms("11", "x -> y, y_scale, y_zero_point"), lower: func(c *lowering) []*graph.Value {
		x := c.dynamic(c.In(0))
		return []*graph.Value{x.codes, x.scale, x.zero}
	}},

	{name: "MatMulInteger", forms: forms("10", "A, B, a_zero_point?, b_zero_point?"), lower: func(c *lowering) []*graph.Value {
		a, b := coded{c.In(0), quantisation{zero: c.In(2)}}, coded{c.In(1), quantisation{zero: c.In(3)}}
		return one(c.matmulCodes(a, b, tensor.Int32, func(y, _ *graph.Value) *graph.Value { return y }))
	}},
	{name: "QLinearMatMul", forms: forms("10 21", "a, a_scale: float, a_zero_point, b, b_scale: float, b_zero_point, y_scale: float, y_zero_point -> y"), lower: func(c *lowering) []*graph.Value {
		to := c.target(6, 7, c.DType(0))
		if c.DType(0).IsSmallFloat() {
			x, y := c.numbers(c.triple(0), c.perRow), c.numbers(c.triple(3), c.perColumn)
			return one(c.quantize(c.multiplied(x, y, func(x, y *graph.Value) *graph.Value { return c.Each("matmul", x, y) }), to))
		}
		return one(c.matmulCodes(c.triple(0), c.triple(3), tensor.Invalid, func(y, unit *graph.Value) *graph.Value { return c.requantize(y, unit, to) }))
	}},
}}

// triple returns the codes in operand i with the scale and the zero point in the next two.
func (c *lowering) triple(i int) coded {
	return coded{c.In(i), quantisation{scale: c.In(i + 1), zero: c.In(i + 2)}}
}

// numbers returns what the codes of a matrix stand for; the function is perRow or perColumn.
func (c *lowering) numbers(x coded, per func(v *graph.Value, rank int) *graph.Value) *graph.Value {
	rank := len(x.codes.Type.Shape)
	return c.dequantize(coded{x.codes, quantisation{scale: per(x.scale, rank), zero: per(x.zero, rank)}})
}

// single returns the codes in an operand with one scale and one zero point, which may be absent.
func (c *lowering) single(codes, scale, zero int) coded {
	return coded{c.In(codes), c.target(scale, zero, c.DType(codes))}
}

// target returns the quantization with one scale and one zero point, which is 0 of type d if it is absent.
func (c *lowering) target(scale, zero int, d tensor.DType) quantisation {
	q := quantisation{scale: c.scalar(scale), zero: c.scalar(zero)}
	if q.scale == nil {
		c.failf(c.operandName(scale), "the operand is missing")
	}
	if q.zero == nil {
		q.zero = c.Number(0, d)
	}
	return q
}

// plain makes a list of one element a scalar; nil stays nil.
func (c *lowering) plain(v *graph.Value) *graph.Value {
	if v != nil && v.Type.Shape.Len() == 1 {
		return c.Reshape(v)
	}
	return v
}

// quantisation returns what operands 1 and 2 say of one whose codes have the shape of operand 0: scales and zero points of type d along an
// axis, or of blocks, or for all.
func (c *lowering) quantisation(d tensor.DType) quantisation {
	q := quantisation{scale: c.plain(c.In(1)), zero: c.plain(c.In(2))}
	if q.zero == nil {
		q.zero = c.Number(0, d)
	}
	shape := c.Shape(0)
	if len(q.scale.Type.Shape) == 0 {
		return q
	}
	axis := 1
	if c.form.declared("axis") != nil {
		axis = c.Int("axis")
	}
	if len(shape) == 1 {
		axis = 0
	}
	axis = c.Axis("axis", axis, len(shape))
	if c.form.declared("block_size") != nil && c.Int("block_size") != 0 {
		n := c.Int("block_size")
		if n < 0 {
			c.failf("block_size", "it is %d; it must not be negative", n)
		}
		q.block = slices.Repeat([]int{1}, len(shape))
		q.block[axis] = n
		return q
	}
	along := func(i int, v *graph.Value) *graph.Value {
		if len(v.Type.Shape) == 0 {
			return v
		}
		if len(v.Type.Shape) != 1 || v.Type.Shape[0] != shape[axis] {
			c.failf(c.operandName(i), "it is %v; it must have one element, or %d, those of dimension %d of %v", v.Type, shape[axis], axis, shape)
		}
		extents := slices.Repeat([]int{1}, len(shape))
		extents[axis] = shape[axis]
		return c.Reshape(v, extents...)
	}
	q.scale, q.zero = along(1, q.scale), along(2, q.zero)
	return q
}

func quantizeLinear(c *lowering) []*graph.Value {
	d := tensor.Uint8
	if c.form.declared("output_dtype") != nil && c.Int("output_dtype") != 0 {
		d = c.ElemType("output_dtype")
		if zero := c.In(2); zero != nil && zero.Type.DType != d {
			c.failf("output_dtype", "it is %v; the element type of y_zero_point is %v", d, zero.Type.DType)
		}
	}
	q, x := c.quantisation(d), c.In(0)
	if s := q.scale.Type.DType; x.Type.DType != s || !s.IsFloat() {
		x, q.scale = c.Cast(x, tensor.Float32), c.Cast(q.scale, tensor.Float32)
	}
	if c.form.declared("saturate") != nil && !c.Flag("saturate") {
		return one(c.quantize(x, q, "saturate", false))
	}
	return one(c.quantize(x, q))
}

func dequantizeLinear(c *lowering) []*graph.Value {
	q := c.quantisation(c.DType(0))
	d := q.scale.Type.DType
	if c.form.declared("output_dtype") != nil && c.Int("output_dtype") != 0 {
		d = c.ElemType("output_dtype")
	}
	if s := q.scale.Type.DType; s != d || !s.IsFloat() {
		q.scale = c.Cast(q.scale, tensor.Float32)
	}
	return one(c.Cast(c.dequantize(coded{c.In(0), q}), d))
}

// dynamic quantizes numbers to uint8, from the least to the greatest of them and 0.
func (c *lowering) dynamic(x *graph.Value) coded {
	d := x.Type.DType
	zero, axes := c.Number(0, d), emit.Attr("axes", emit.Counting(0, len(x.Type.Shape)))
	most := c.Node("max", nil, c.Reshape(c.Node("max_reduce", axes, x)), zero)
	least := c.Node("min", nil, c.Reshape(c.Node("min_reduce", axes, x)), zero)
	scale := c.Node("div", nil, c.Node("sub", nil, most, least), c.Number(255, d))
	q := quantisation{scale: c.Node("select", nil, c.Node("eq", nil, most, least), c.Number(1, d), scale)}
	q.zero = c.Node("quantize_linear", nil, c.Node("neg", nil, least), q.scale, c.Number(0, tensor.Uint8))
	return coded{c.Node("quantize_linear", nil, x, q.scale, q.zero), q}
}

// matmulCodes multiplies matrices or vectors of codes, whose scales and zero points may be nil: rows of the left one may have their own, and
// columns of the right one. The function makes the result of the sums, which have the type d if that is valid, and what they are counted in.
func (c *lowering) matmulCodes(a, b coded, d tensor.DType, then func(y, unit *graph.Value) *graph.Value) *graph.Value {
	if d == tensor.Invalid {
		d = sums(a, b)
	}
	return c.multiplied(a.codes, b.codes, func(x, w *graph.Value) *graph.Value {
		in := c.AlignRight(x, w)
		rank := len(in[0].Type.Shape)
		y := c.Node("matmul", emit.Attr("dtype", d), in[0], in[1], c.perRow(a.zero, rank), c.perColumn(b.zero, rank))
		if a.scale == nil {
			return then(y, nil)
		}
		return then(y, c.unit(c.perRow(a.scale, rank), c.perColumn(b.scale, rank)))
	})
}

// perRow gives what a matrix has for each of its rows the rank of the product, perColumn what it has for each column.
func (c *lowering) perRow(v *graph.Value, rank int) *graph.Value {
	if v = c.plain(v); v != nil && len(v.Type.Shape) == 1 {
		v = c.Unsqueeze(v, 1)
	}
	return c.perColumn(v, rank)
}

func (c *lowering) perColumn(v *graph.Value, rank int) *graph.Value {
	if v = c.plain(v); v == nil || len(v.Type.Shape) == 0 {
		return v
	}
	return c.Unsqueeze(v, emit.Counting(0, rank-len(v.Type.Shape))...)
}
