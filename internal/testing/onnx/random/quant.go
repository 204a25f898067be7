package random

import (
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

var quantRules = []rule{
	{op: "QuantizeLinear", opsets: "10", types: "f32", make: func(m *maker) { m.quantize("u8 i8") }, quanta: 1},
	{op: "QuantizeLinear", opsets: "19", types: "f32 f16", make: func(m *maker) { m.quantize("u8 i8 " + small) }, quanta: 1},
	{op: "QuantizeLinear", opsets: "21", types: "f32 f16", make: func(m *maker) { m.quantize("u8 i8 u16 i16 u4 i4 " + small) }, quanta: 1},
	{op: "DequantizeLinear", opsets: "10", types: "u8 i8 i32", make: dequantize},
	{op: "DequantizeLinear", opsets: "19", types: "u8 i8 i32 " + small, make: dequantize},
	{op: "DequantizeLinear", opsets: "21", types: "u8 i8 i32 u16 i16 u4 i4 " + small, make: dequantize},
	{op: "DynamicQuantizeLinear", opsets: "11", types: "f32", make: func(m *maker) {
		m.in(m.t, m.shape(1, 3), one(m, some, positive, values{lo: -5, hi: -1}))
		m.exactly(3)
		m.returns = []tensor.DType{tensor.Uint8, tensor.Float32, tensor.Uint8}
	}, quanta: 1},
	{op: "QLinearMatMul", opsets: "10", types: "u8 i8", make: func(m *maker) {
		a, b := m.factors()
		w := m.t
		if m.t == tensor.Uint8 {
			w = one(m, tensor.Uint8, tensor.Int8)
		}
		m.codes(m.t, a, nil)
		var per []int
		if len(b) == 2 && m.chance(0.4) {
			per = b[1:]
		}
		m.codes(w, b, per)
		m.result(m.t, 1)
	}, quanta: 1},
	{op: "QLinearConv", opsets: "10", types: "u8 i8", make: func(m *maker) { quantisedConv(m, false) }, quanta: 1},
	{op: "com.microsoft.QLinearConv", opsets: "10", types: "u8 i8", make: func(m *maker) { quantisedConv(m, m.flag("channels_last", false)) }, quanta: 1},
	{op: "com.microsoft.NhwcMaxPool", opsets: "10", types: "u8 i8", make: func(m *maker) {
		m.flag("ceil_mode", false)
		w := m.window(one(m, 1, 2, 2), "auto_pad kernel_shape strides dilations pads")
		m.in(m.t, join(m.extents(1, 1, 2), w.extents, m.extents(1, 1, 3)), some)
	}},
	quantisedPair("com.microsoft.QLinearAdd"),
	quantisedPair("com.microsoft.QLinearMul"),
	quantisedUnary("com.microsoft.QLinearLeakyRelu", func(m *maker) { m.real("alpha", 0.01, 0, 1) }),
	quantisedUnary("com.microsoft.QLinearSigmoid", func(*maker) {}),
	{op: "com.microsoft.QLinearSoftmax", opsets: "7", types: "u8 i8", make: func(m *maker) {
		s := m.shape(1, 4)
		m.attr("opset", m.opset)
		m.attr("axis", m.IntN(len(s)))
		m.codes(m.t, s, nil)
		least, _ := m.t.IntRange()
		m.give(scalar(tensor.Float32, 1.0/255), m.chance(0.85))
		m.give(scalar(m.t, float64(least)), m.chance(0.85)) // so that no result is out of range, which ORT wraps
	}, quanta: 1},
	{op: "com.microsoft.QLinearConcat", opsets: "7", types: "u8 i8", make: func(m *maker) {
		s := m.shape(1, 3)
		axis := m.IntN(len(s))
		m.attr("axis", axis)
		m.result(m.t, 0.2)
		for range m.between(1, 3) {
			m.codes(m.t, with(s, axis, m.between(1, 3)), nil)
		}
	}, quanta: 1},
	{op: "com.microsoft.QLinearGlobalAveragePool", opsets: "7", types: "u8 i8", make: func(m *maker) {
		m.flag("channels_last", false)
		m.codes(m.t, m.shape(4, 4), nil)
		m.result(m.t, 0.2)
	}, quanta: 1},
	{op: "com.microsoft.QLinearAveragePool", opsets: "7", types: "u8 i8", make: func(m *maker) {
		m.flag("count_include_pad", false)
		m.flag("ceil_mode", false)
		w := m.window(one(m, 1, 2, 2), "auto_pad kernel_shape strides pads")
		s := join(m.extents(2, 1, 3), w.extents)
		if m.flag("channels_last", false) {
			s = join(s[:1], s[2:], s[1:2])
		}
		m.codes(m.t, s, nil)
		m.result(m.t, 0.2)
	}, quanta: 1},
	{op: "com.microsoft.QLinearWhere", opsets: "7", types: "u8 i8", make: func(m *maker) {
		s := m.shape(0, 3)
		m.in(tensor.Bool, m.broadcast(s), some)
		m.codes(m.t, m.broadcast(s), nil)
		m.codes(m.t, m.broadcast(s), nil)
		m.result(m.t, 0.2)
	}, quanta: 1},
	{op: "com.microsoft.QGemm", opsets: "7", types: "u8 i8", make: func(m *maker) {
		rows, inner, columns := m.between(1, 5), m.between(1, 5), m.between(1, 5)
		a, b := []int{rows, inner}, []int{inner, columns}
		if m.flag("transA", false) {
			a = []int{inner, rows}
		}
		if m.flag("transB", false) {
			b = []int{columns, inner}
		}
		m.real("alpha", 1, 0.5, 2)
		w := m.t
		if m.t == tensor.Uint8 {
			w = one(m, tensor.Uint8, tensor.Int8)
		}
		var per []int
		if m.chance(0.4) {
			per = []int{columns}
		}
		m.codes(m.t, a, nil)
		m.codes(w, b, per)
		if m.chance(0.5) {
			m.in(tensor.Int32, m.broadcast([]int{rows, columns}), values{lo: -300, hi: 300})
		} else {
			m.skip()
		}
		if m.chance(0.6) {
			m.result(m.t, 1)
		} else {
			m.returns = []tensor.DType{tensor.Float32}
		}
	}, quanta: 1},
	{op: "com.microsoft.DynamicQuantizeMatMul", opsets: "7", types: "u8 i8", make: func(m *maker) {
		inner, columns := m.between(2, 6), m.between(1, 5)
		var per []int
		if m.chance(0.4) {
			per = []int{columns}
		}
		m.in(tensor.Float32, join(m.extents(m.between(1, 2), 1, 3), []int{inner}), some)
		m.in(m.t, []int{inner, columns}, edges)
		m.give(m.fill(tensor.Float32, per, values{lo: 0.02, hi: 0.2}), m.chance(0.8))
		m.perhaps(m.t, per, values{lo: -9, hi: 9})
		if m.chance(0.5) {
			m.in(tensor.Float32, []int{columns}, some)
		}
		m.returns = []tensor.DType{tensor.Float32}
	}, loose: 100},
	{op: "com.microsoft.MatMulIntegerToFloat", opsets: "7", types: "u8 i8", make: func(m *maker) {
		inner, columns := m.between(2, 6), m.between(1, 5)
		w := one(m, tensor.Uint8, tensor.Int8)
		var per []int
		if m.chance(0.4) {
			per = []int{columns}
		}
		m.in(m.t, join(m.extents(m.between(1, 2), 1, 3), []int{inner}), edges)
		m.in(w, []int{inner, columns}, edges)
		m.give(m.fill(tensor.Float32, nil, values{lo: 0.02, hi: 0.2}), m.chance(0.8))
		m.give(m.fill(tensor.Float32, per, values{lo: 0.02, hi: 0.2}), m.chance(0.8))
		m.perhaps(m.t, nil, values{lo: -9, hi: 9})
		m.perhaps(w, per, values{lo: -9, hi: 9})
		m.perhaps(tensor.Float32, []int{columns}, some)
		m.returns = []tensor.DType{tensor.Float32}
	}},
	{op: "com.microsoft.MatMulNBits", opsets: "7", types: "f32", make: func(m *maker) {
		block := one(m, 16, 32)
		k, n := m.between(1, 40), m.between(1, 5)
		blocks := (k + block - 1) / block
		m.attr("K", k)
		m.attr("N", n)
		m.attr("block_size", block)
		bits := option(m, "bits", 4, 8)
		m.maybe("accuracy_level", 0)
		m.in(m.t, join(m.extents(m.between(1, 2), 1, 3), []int{k}), few)
		m.give(m.fill(tensor.Uint8, []int{n, blocks, block * bits / 8}, edges), true)
		m.give(m.fill(m.t, []int{n, blocks}, values{lo: 0.02, hi: 0.2}), true)
		if m.chance(0.5) {
			m.give(m.fill(tensor.Uint8, []int{n, (blocks*bits + 7) / 8}, edges), true)
		} else {
			m.skip()
		}
		m.skip()
		if m.chance(0.4) {
			m.in(m.t, []int{n}, some)
		}
	}, loose: 10},
	{op: "com.microsoft.MatMulBnb4", opsets: "7", types: "f32", make: func(m *maker) {
		block := one(m, 16, 32)
		k, n := m.between(1, 40), m.between(1, 5)
		m.attr("K", k)
		m.attr("N", n)
		m.attr("block_size", block)
		m.attr("quant_type", m.IntN(2))
		m.maybe("transB", 1)
		m.in(m.t, join(m.extents(m.between(1, 2), 1, 3), []int{k}), few)
		m.give(m.fill(tensor.Uint8, []int{(n*k + 1) / 2}, edges), m.chance(0.8))
		m.give(m.fill(m.t, []int{(n*k + block - 1) / block}, values{lo: 0.02, hi: 2}), m.chance(0.8))
	}, loose: 10},
	{op: "com.microsoft.GatherBlockQuantized", opsets: "7", types: "f32 f16", make: gatherBlocks},
	{op: "com.microsoft.DynamicQuantizeLSTM", opsets: "7", types: "f32", make: dynamicLSTM, loose: 3},
}

// gatherBlocks adds codes of 4 bits or in bytes, indices, and the scales and zero points of blocks.
func gatherBlocks(m *maker) {
	block := one(m, 16, 32)
	m.attr("block_size", block)
	d := one(m, tensor.Uint8, tensor.Uint8, tensor.Uint4, tensor.Int4)
	s := m.extents(m.between(2, 3), 1, 3)
	along, at, each := len(s)-1, 0, 1
	if d == tensor.Uint8 {
		each = 8 / option(m, "bits", 4, 2, 8)
	} else if along = m.IntN(len(s)); along == 0 {
		at = 1
	}
	s[along] = m.between(1, 40/each)
	if at != 0 || m.chance(0.5) {
		m.attr("gather_axis", at)
	}
	if along != 1 || m.chance(0.5) {
		m.attr("quantize_axis", along)
	}
	m.give(m.fill(d, s, edges), m.chance(0.8))
	indices := m.extents(m.between(0, 2), 1, 3)
	m.give(m.fill(one(m, tensor.Int32, tensor.Int64), indices, values{lo: -float64(s[at]), hi: float64(s[at] - 1)}), m.chance(0.4))
	blocks := with(s, along, (s[along]*each+block-1)/block)
	m.give(m.fill(m.t, blocks, values{lo: 0.02, hi: 0.2}), m.chance(0.8))
	if m.chance(0.5) {
		m.give(m.fill(d, with(blocks, along, (blocks[along]+each-1)/each), edges), m.chance(0.8))
	}
}

// codes adds an operand of a quantised operator, its scale and its zero point: of all elements, or of each along an axis.
func (m *maker) codes(d tensor.DType, shape, per []int) {
	m.in(d, shape, values{lo: -128, hi: 255})
	m.scaled8(d, per, values{lo: 0.05, hi: 0.2})
}

// result adds the scale and the zero point of a result.
func (m *maker) result(d tensor.DType, size float64) {
	m.scaled8(d, nil, values{lo: size * 0.3, hi: size})
	m.returns = []tensor.DType{d}
}

func (m *maker) scaled8(d tensor.DType, per []int, v values) {
	m.give(m.fill(tensor.Float32, per, v), m.chance(0.85))
	zero := values{lo: -9, hi: 9}
	if d.IsUnsigned() {
		zero = values{lo: 100, hi: 150}
	}
	m.give(m.fill(d, per, zero), m.chance(0.85))
}

func quantisedPair(op string) rule {
	return rule{op: op, opsets: "7", types: "u8 i8", make: func(m *maker) {
		s := m.shape(0, 4)
		m.codes(m.t, m.broadcast(s), nil)
		m.codes(m.t, m.broadcast(s), nil)
		m.result(m.t, 0.3)
	}, quanta: 1}
}

func quantisedUnary(op string, attributes func(m *maker)) rule {
	return rule{op: op, opsets: "7", types: "u8 i8", make: func(m *maker) {
		attributes(m)
		m.codes(m.t, m.shape(0, 4), nil)
		m.result(m.t, 0.1)
	}, quanta: 1}
}

// layout chooses how an operand is quantised and returns its shape and that of the scale.
func (m *maker) layout() (shape, scale []int) {
	shape = m.shape(1, 4)
	switch {
	case m.opset >= 21 && m.chance(0.3):
		axis := m.axis(len(shape))
		m.attr("axis", axis)
		axis = count(axis, len(shape))
		block := m.between(1, 4)
		m.attr("block_size", block)
		return shape, with(shape, axis, (shape[axis]+block-1)/block)
	case m.opset >= 13 && m.chance(0.5):
		axis := min(1, len(shape)-1)
		if axis != 1 || m.chance(0.7) {
			axis = m.axis(len(shape))
			m.attr("axis", axis)
			axis = count(axis, len(shape))
		}
		return shape, shape[axis : axis+1]
	}
	return shape, []int{}
}

func (m *maker) quantize(list string) {
	to := one(m, types(list)...)
	for firstOpset[to] > m.opset {
		to = one(m, types(list)...)
	}
	shape, scale := m.layout()
	m.in(m.t, shape, values{lo: -20, hi: 20})
	m.give(m.fill(m.t, scale, values{lo: 0.1, hi: 0.4}), m.chance(0.8))
	if to.IsSmallFloat() {
		m.flag("saturate", true)
	}
	if m.opset >= 23 {
		m.maybe("precision", int(proto.Float))
	}
	switch {
	case to != tensor.Uint8 && m.opset >= 21 && m.chance(0.3):
		m.attr("output_dtype", to)
	case to != tensor.Uint8 || m.chance(0.7):
		m.give(m.zeros(to, scale), m.chance(0.8))
	}
	m.returns = []tensor.DType{to}
}

// zeros returns zero points.
func (m *maker) zeros(d tensor.DType, shape []int) *tensor.Tensor {
	if !d.IsInteger() {
		return m.fill(d, shape, values{})
	}
	return m.fill(d, shape, values{lo: -7, hi: 7})
}

func dequantize(m *maker) {
	shape, scale := m.layout()
	to := tensor.Float32
	if m.opset >= 19 && m.chance(0.3) {
		to = tensor.Float16
	}
	if m.opset >= 23 {
		m.maybe("output_dtype", to)
	}
	m.in(m.t, shape, values{lo: -128, hi: 255})
	m.give(m.fill(to, scale, values{lo: 0.1, hi: 0.4}), m.chance(0.8))
	if m.chance(0.7) {
		if m.t == tensor.Int32 {
			m.give(m.fill(m.t, scale, values{}), m.chance(0.8))
		} else {
			m.give(m.zeros(m.t, scale), m.chance(0.8))
		}
	}
	m.returns = []tensor.DType{to}
}

// quantisedConv adds the operands of a convolution of codes, whose channels may be last.
func quantisedConv(m *maker, last bool) {
	w := m.window(one(m, 1, 2, 2, 3), "auto_pad strides dilations pads kernel?")
	groups := one(m, 1, 1, 2, 3)
	in, out := m.between(1, 3)*groups, m.between(1, 3)*groups
	if groups > 1 {
		m.attr("group", groups)
	}
	d := m.t
	if m.t == tensor.Uint8 {
		d = one(m, tensor.Uint8, tensor.Int8)
	}
	x := join([]int{m.between(1, 2), in}, w.extents)
	if last {
		x = join(x[:1], x[2:], x[1:2])
	}
	m.codes(m.t, x, nil)
	var per []int
	if m.chance(0.5) {
		per = []int{out}
	}
	m.codes(d, join([]int{out, in / groups}, w.kernel), per)
	m.result(m.t, 1)
	if m.chance(0.6) {
		m.in(tensor.Int32, []int{out}, values{lo: -300, hi: 300})
	}
}
