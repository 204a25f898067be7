package onnx

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Quantised numbers in the operators of ONNX Runtime.
var microsoftQuantisedRows = family{"Quantisation in ONNX Runtime", []row{
	quantisedPair("Add", "add"),
	quantisedPair("Mul", "mul"),
	quantisedUnary("QLinearSigmoid", "", func(c *lowering, x *graph.Value) *graph.Value { return c.Node("sigmoid", nil, x) }),
	quantisedUnary("QLinearLeakyRelu", "alpha=0.01", func(c *lowering, x *graph.Value) *graph.Value {
		return c.Node("leaky_relu", emit.Attr("alpha", c.Float("alpha")), x)
	}),
	quantisedUnary("QLinearGlobalAveragePool", "channels_last=0", func(c *lowering, x *graph.Value) *graph.Value {
		c.spatial(0)
		axes := spatialAxes(x)
		if c.Flag("channels_last") {
			axes = emit.Counting(1, len(axes))
		}
		return c.Node("mean_reduce", emit.Attr("axes", axes), x)
	}),
	quantisedUnary("QLinearAveragePool", ceilAttrs+", channels_last=0, count_include_pad=0", func(c *lowering, x *graph.Value) *graph.Value {
		c.in = append(tensors(x), c.in[1:]...)
		return c.channelsFirst(c.Flag("channels_last"), func() *graph.Value { return averagePool(c)[0] })
	}),
	{name: "com.microsoft.QLinearConcat", forms: forms("1", "Y_scale: float, Y_zero_point, inputs...; axis: int!"), lower: quantisedConcat},
	{name: "com.microsoft.QLinearWhere", forms: forms("1", "condition, X, x_scale: float, x_zero_point, Y, y_scale: float, y_zero_point, z_scale: float, z_zero_point -> Z"),
		lower: func(c *lowering) []*graph.Value {
			y := c.Each("select", c.In(0), c.dequantize(c.single(1, 2, 3)), c.dequantize(c.single(4, 5, 6)))
			return one(c.quantize(y, c.target(7, 8, c.DType(1))))
		}},
	{name: "com.microsoft.QGemm", forms: forms("1", "A, a_scale: float, a_zero_point, B, b_scale: float, b_zero_point?, C?: integer, y_scale?: float, y_zero_point?; alpha=1.0, transA=0, transB=0"),
		lower: quantisedGemm},
	{name: "com.microsoft.MatMulIntegerToFloat", forms: forms("1", "A, B, a_scale: float, b_scale: float, a_zero_point?, b_zero_point?, bias?"), lower: func(c *lowering) []*graph.Value {
		return one(c.measured(c.single(0, 2, 4), coded{c.In(1), quantisation{scale: c.In(3), zero: c.In(5)}}, c.In(6)))
	}},
	{name: "com.microsoft.DynamicQuantizeMatMul", forms: forms("1", "A, B, b_scale: float, b_zero_point?, bias?"), lower: func(c *lowering) []*graph.Value {
		return one(c.measured(c.dynamic(c.In(0)), c.triple(1), c.In(4)))
	}},
	{name: "com.microsoft.MatMulNBits", forms: forms("1", "A, B, scales, zero_points?, g_idx?, bias?; K: int!, N: int!, accuracy_level=0, bits=4, block_size: int!"),
		lower: matmulBits, remark: "with 2, 4 or 8 bits, without g_idx; accuracy_level has no effect"},
	{name: "com.microsoft.MatMulBnb4", forms: forms("1", "A: float, B, absmax: float; K: int!, N: int!, block_size: int!, quant_type: int!, training_mode=0, transB=1"),
		lower: matmulBnb, remark: "without transB = 0; training_mode has no effect"},
	{name: "com.microsoft.GatherBlockQuantized", forms: forms("1", "data, indices, scales: float, zero_points?; bits=4, block_size=128, gather_axis=0, "+
		"quantize_axis=1 -> output"), lower: gatherBlocks},
}}

// quantisedPair is the row of an operator on elements of two operands.
func quantisedPair(name, operator string) row {
	return row{name: "com.microsoft.QLinear" + name, forms: forms("1", "A, A_scale: float, A_zero_point?, B, B_scale: float, B_zero_point?, C_scale: float, C_zero_point? -> C"),
		lower: func(c *lowering) []*graph.Value {
			y := c.Each(operator, c.dequantize(c.single(0, 1, 2)), c.dequantize(c.single(3, 4, 5)))
			return one(c.quantize(y, c.target(6, 7, c.DType(0))))
		}}
}

// quantisedUnary is the row of an operator on one operand, of which the function makes the result in floats.
func quantisedUnary(name, attributes string, of func(c *lowering, x *graph.Value) *graph.Value) row {
	return row{name: "com.microsoft." + name, forms: forms("1", "X, X_scale: float, X_zero_point?, Y_scale: float, Y_zero_point?; "+attributes+" -> Y"),
		lower: func(c *lowering) []*graph.Value {
			to := c.target(3, 4, c.DType(0))
			return one(c.quantize(of(c, c.dequantize(c.single(0, 1, 2))), to))
		}}
}

// quantisedConcat joins operands that come with their scales and zero points.
func quantisedConcat(c *lowering) []*graph.Value {
	if n := len(c.in); n < 5 || n%3 != 2 {
		c.failf("inputs", "there are %d; there must be three for each tensor, with its scale and its zero point", n-2)
	}
	var in []*graph.Value
	for i := 2; i < len(c.in); i += 3 {
		in = append(in, c.dequantize(c.single(i, i+1, i+2)))
	}
	axis := c.Axis("axis", c.Int("axis"), len(in[0].Type.Shape))
	return one(c.quantize(c.Node("concat", emit.Attr("axis", axis), in...), c.target(0, 1, c.DType(2))))
}

// quantisedGemm adds C, counted in alpha and the scales of A and B, to the product.
func quantisedGemm(c *lowering) []*graph.Value {
	a, b := c.single(0, 1, 2), c.triple(3)
	rows, columns := c.Flag("transA"), c.Flag("transB")
	b.scale, b.zero = c.perColumn(b.scale, 2), c.perColumn(b.zero, 2)
	y := c.Node("matmul", emit.Attr("transposeA", rows, "transposeB", columns, "dtype", sums(a, b)), a.codes, b.codes, a.zero, b.zero)
	if addend := c.In(6); addend != nil {
		y = c.Each("add", y, c.Cast(addend, y.Type.DType))
	}
	unit := c.unit(c.scaled(a.scale, "alpha", c.Float("alpha")), b.scale)
	if c.In(7) == nil {
		return one(c.floats(y, unit))
	}
	return one(c.requantize(y, unit, c.target(7, 8, a.codes.Type.DType)))
}

// measured multiplies matrices of codes and returns floats, with a bias for each column.
func (c *lowering) measured(a, b coded, bias *graph.Value) *graph.Value {
	d := a.scale.Type.DType
	y := c.matmulCodes(a, b, tensor.Int32, func(y, unit *graph.Value) *graph.Value {
		return c.Cast(c.floats(y, unit), d)
	})
	if bias == nil {
		return y
	}
	return c.Each("add", y, bias)
}

// matmulBits multiplies by a matrix of codes of a few bits, in blocks that have scales, and zero points of as many bits or of A's type.
func matmulBits(c *lowering) []*graph.Value {
	bits, block, rows, inner := c.Int("bits"), c.blockSize(), c.Int("N"), c.Int("K")
	d := c.codeType(bits)
	switch {
	case block*bits%8 != 0:
		c.failf("block_size", "it is %d; it must be a power of two from 16", block)
	case rows < 0 || inner < 0:
		c.failf("K", "there are %d rows of %d; neither may be negative", rows, inner)
	case c.In(4) != nil:
		c.failf("g_idx", "rows in another order are not supported")
	}
	many := geometry.CeilDiv(inner, block)
	if n := c.Shape(1).Len(); c.DType(1) != tensor.Uint8 || rows == 0 || n%rows != 0 || n/rows != many*(block*bits/8) {
		c.failf("B", "it is %v; it must be uint8[%d,%d,%d]", c.In(1).Type, rows, many, block*bits/8)
	}
	w := coded{c.codesIn(c.In(1), d, rows, many*block), quantisation{block: []int{1, block}}}
	w.scale = c.Reshape(c.In(2), rows, many)
	offset := c.In(3)
	if offset == nil || offset.Type.DType == tensor.Uint8 {
		w.zero = c.zeroBits(offset, w.codes.Type.DType, bits, rows, many)
		offset = nil
	} else {
		w.zero = c.Number(0, w.codes.Type.DType)
	}
	m := c.dequantize(w)
	if offset != nil { // the codes themselves, from which a float is taken away
		one := coded{w.codes, quantisation{scale: c.Number(1, w.scale.Type.DType), zero: w.zero}}
		m = c.Reshape(c.dequantize(one), rows, many, block)
		m = c.Node("sub", nil, m, c.Reshape(offset, rows, many, 1))
		m = c.Reshape(c.Node("mul", nil, m, c.Reshape(w.scale, rows, many, 1)), rows, many*block)
	}
	m = c.Section(m, 1, 0, inner)
	y := c.multiplied(c.In(0), m, func(a, b *graph.Value) *graph.Value { return c.product(a, b, false, true) })
	if bias := c.In(5); bias != nil {
		y = c.Each("add", y, bias)
	}
	return one(y)
}

// codeType returns the type of codes of so many bits.
func (c *lowering) codeType(bits int) tensor.DType {
	d, ok := map[int]tensor.DType{2: tensor.Uint2, 4: tensor.Uint4, 8: tensor.Uint8}[bits]
	if !ok {
		c.failf("bits", "it is %d; it must be 2, 4 or 8", bits)
	}
	return d
}

// blockSize returns how many elements in a row have a scale.
func (c *lowering) blockSize() int {
	n := c.Int("block_size")
	if n < 1 || n > windowBound {
		c.failf("block_size", "it is %d; it must be a power of two from 16", n)
	}
	return n
}

// The numbers that codes of bitsandbytes stand for, as ONNX Runtime has them: FP4, whose last bits have no order, and NF4, quantiles of the normal distribution.
var bnbNumbers = [][]float32{
	{0, 5.208333333e-03, 0.66666667, 1, 0.33333333, 0.5, 0.16666667, 0.25, 0, -5.208333333e-03, -0.66666667, -1, -0.33333333, -0.5, -0.16666667, -0.25},
	{-1, -0.6961928, -0.52507305, -0.3949175, -0.28444138, -0.18477343, -0.091050036, 0,
		0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1},
}

// matmulBnb multiplies by a matrix of codes of 4 bits, the first ones in the high bits, in blocks that have scales, going on from row to row.
func matmulBnb(c *lowering) []*graph.Value {
	block, kind := c.blockSize(), c.Int("quant_type")
	shape := tensor.Shape(c.bounded("N", 0, []int{c.Int("N"), c.Int("K")}))
	c.Fail(shape.Check())
	n := shape.Len()
	switch {
	case kind < 0 || kind >= len(bnbNumbers):
		c.failf("quant_type", "it is %d; it must be 0 or 1", kind)
	case !c.Flag("transB"):
		c.failf("transB", "matrices that are not transposed are not supported")
	case c.DType(1) != tensor.Uint8 || c.Shape(1).Len() != geometry.CeilDiv(n, 2):
		c.failf("B", "it is %v; it must have %d elements of uint8", c.In(1).Type, geometry.CeilDiv(n, 2))
	case c.Shape(2).Len() != geometry.CeilDiv(n, block):
		c.failf("absmax", "it is %v; it must have %d elements", c.In(2).Type, geometry.CeilDiv(n, block))
	}
	var pairs []float32 // of the numbers in a byte
	for b := range 256 {
		pairs = append(pairs, bnbNumbers[kind][b>>4], bnbNumbers[kind][b&15])
	}
	table, err := tensor.FromSlice(pairs, 256, 2)
	c.Fail(err)
	block = min(block, max(n, 1)) // so that scales take no more than the matrix, or twice as much
	first := func(v *graph.Value) *graph.Value { return c.Section(c.Reshape(v, v.Type.Shape.Len()), 0, 0, n) }
	w := c.Node("gather", emit.Attr("axis", 0), c.Cast(c.Constant(table), c.DType(2)), c.In(1))
	scales := c.Broadcast(c.Reshape(c.In(2), c.Shape(2).Len(), 1), c.Shape(2).Len(), block)
	w = c.Reshape(c.Node("mul", nil, first(w), first(scales)), shape...)
	return one(c.multiplied(c.In(0), w, func(a, b *graph.Value) *graph.Value { return c.product(a, b, false, true) }))
}

// gatherBlocks takes codes at indices, with the scales and zero points of their blocks, and returns what they stand for.
func gatherBlocks(c *lowering) []*graph.Value {
	d, block, blocks := c.DType(0), c.blockSize(), c.Shape(0).Clone()
	at, along := c.Axis("gather_axis", c.Int("gather_axis"), len(blocks)), c.Axis("quantize_axis", c.Int("quantize_axis"), len(blocks))
	bits := 8
	switch d {
	case tensor.Uint8:
		bits = c.codeType(c.Int("bits")).Bits()
	case tensor.Int4, tensor.Uint4:
	default:
		c.failf("data", "it is %v; its type must be int4, uint4 or uint8", c.In(0).Type)
	}
	if last := len(blocks) - 1; at == along || d == tensor.Uint8 && along != last {
		c.failf("quantize_axis", "it is %d for %v; it must differ from gather_axis and, for uint8, be the last one", c.Int("quantize_axis"), c.In(0).Type)
	}
	blocks[along] = geometry.CeilDiv(blocks[along]*(8/bits), block)
	packed := blocks.Clone()
	packed[along] = geometry.CeilDiv(blocks[along]*bits, 8)
	for i, want := range []tensor.Shape{blocks, packed} {
		if v := c.In(2 + i); v != nil && !v.Type.Shape.Equal(want) {
			c.failf(c.operandName(2+i), "it is %v; it must have the shape %v", v.Type, want)
		}
	}
	if v := c.In(3); v != nil && v.Type.DType != d {
		c.failf("zero_points", "it is %v; its type must be that of data, %v", v.Type, d)
	}
	x := coded{c.gatheredCodes(0, at, bits), quantisation{scale: c.Node("gather", c.indexed("axis", at), c.In(2), c.In(1))}}
	if along > at {
		along += len(c.Shape(1)) - 1
	}
	switch {
	case c.In(3) != nil:
		x.zero = c.Section(c.gatheredCodes(3, at, bits), along, 0, x.scale.Type.Shape[along])
	case d == tensor.Uint8:
		x.zero = c.Number(float64(int(1)<<(bits-1)), d)
	default:
		x.zero = c.Number(0, x.codes.Type.DType)
	}
	x.block = slices.Repeat([]int{1}, len(x.codes.Type.Shape))
	x.block[along] = block
	return one(c.dequantize(x))
}

// gatheredCodes takes codes of so many bits in bytes, or of types of 4 bits, at indices. They become codes of 8 bits, those of constants only where
// they are asked for.
func (c *lowering) gatheredCodes(i, axis, bits int) *graph.Value {
	v := c.In(i)
	d, s := v.Type.DType, v.Type.Shape
	wide := map[tensor.DType]tensor.DType{tensor.Int4: tensor.Int8, tensor.Uint4: tensor.Uint8}[d]
	if wide != tensor.Invalid {
		last := len(s) - 1
		t := c.constant(v)
		if t == nil || axis == last || s[last]%2 != 0 {
			return c.Node("gather", c.indexed("axis", axis), c.Cast(v, wide), c.In(1))
		}
		s = s.Clone()
		s[last] /= 2
		bytes, err := tensor.FromBytes(tensor.Uint8, s, t.Bytes())
		c.Fail(err)
		v, bits = c.Stored(v.Name, v.Label, bytes), 4
	}
	y := c.Node("gather", c.indexed("axis", axis), v, c.In(1))
	if bits == 8 {
		return y
	}
	s = y.Type.Shape.Clone()
	s[len(s)-1] *= 8 / bits
	y = c.Reshape(c.digits(y, bits), s...)
	if wide == tensor.Invalid {
		return y
	}
	return c.Cast(c.Cast(y, d), wide)
}

// codesIn returns the codes in bytes, the first ones in the low bits, as rows. Those of a constant stay packed.
func (c *lowering) codesIn(v *graph.Value, d tensor.DType, rows, columns int) *graph.Value {
	if d == tensor.Uint8 {
		return c.Reshape(v, rows, columns)
	}
	if t := c.constant(v); t != nil {
		packed, err := tensor.FromBytes(d, tensor.Shape{rows, columns}, t.Bytes())
		c.Fail(err)
		return c.Stored(v.Name, v.Label, packed)
	}
	return c.Reshape(c.digits(v, d.Bits()), rows, columns)
}

// digits splits bytes into codes of so many bits, along a dimension that is added behind.
func (c *lowering) digits(v *graph.Value, bits int) *graph.Value {
	var parts []*graph.Value
	for at := 0; at < 8; at += bits {
		part := c.Node("shift_right", nil, v, c.Number(float64(at), tensor.Uint8))
		parts = append(parts, c.Node("bitwise_and", nil, part, c.Number(float64(int(1)<<bits-1), tensor.Uint8)))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return c.Node("stack", emit.Attr("axis", len(v.Type.Shape)), parts...)
}

// zeroBits returns zero points for blocks, as codes of type d: those that bytes hold, each row beginning with one of its own, or that in the middle.
func (c *lowering) zeroBits(v *graph.Value, d tensor.DType, bits, rows, many int) *graph.Value {
	if v == nil {
		return c.Number(float64(int(1)<<(bits-1)), d)
	}
	bytes := geometry.CeilDiv(many*bits, 8)
	if v.Type.Shape.Len() != rows*bytes {
		c.failf("zero_points", "it is %v; it must be uint8[%d,%d]", v.Type, rows, bytes)
	}
	v = c.Reshape(c.digits(c.Reshape(v, rows, bytes), bits), rows, bytes*(8/bits))
	return c.Cast(c.Section(v, 1, 0, many), d)
}
