package random

import "github.com/concord-nn/concord/tensor"

// Operators of ONNX Runtime that optimised models of transformers have.
var microsoftRules = []rule{
	{op: "com.microsoft.Attention", opsets: "7", types: "f32", make: projected, loose: 10},
	{op: "com.microsoft.QAttention", opsets: "7", types: "f32", make: quantisedAttention, loose: 10},
	{op: "com.microsoft.MultiHeadAttention", opsets: "7", types: "f32", make: multiHead, loose: 10},
	{op: "com.microsoft.GroupQueryAttention", opsets: "7", types: "f32", make: groupQuery, loose: 10},
	{op: "com.microsoft.EmbedLayerNormalization", opsets: "7", types: "f32", make: embed, loose: 30},
	{op: "com.microsoft.QEmbedLayerNormalization", opsets: "7", types: "f32", make: quantisedEmbed, loose: 30},
	{op: "com.microsoft.GridSample", opsets: "7", types: "f32", make: func(m *maker) {
		option(m, "mode", "bilinear", "nearest", "bicubic")
		option(m, "padding_mode", "zeros", "border", "reflection")
		m.flag("align_corners", false)
		n := m.between(1, 2)
		m.in(m.t, join([]int{n, m.between(1, 2)}, m.extents(2, 1, 5)), some)
		m.in(m.t, join([]int{n}, m.extents(2, 1, 4), []int{2}), values{lo: -1.3, hi: 1.3})
	}, loose: 30},
	{op: "com.microsoft.QuantizeLinear", opsets: "7", types: "f32 f16", make: func(m *maker) { m.coding(m.t, one(m, types("u8 i8 u16 i16")...), true) }, quanta: 1},
	{op: "com.microsoft.DequantizeLinear", opsets: "7", types: "u8 i8 u16 i16 i32", make: func(m *maker) {
		m.coding(one(m, tensor.Float32, tensor.Float16), m.t, false)
	}},
}

// coding adds the operands of a conversion between numbers and codes, with a scale for all or for each index along an axis.
func (m *maker) coding(number, code tensor.DType, quantizes bool) {
	s, per := m.shape(1, 4), []int{}
	if m.chance(0.5) {
		axis := m.IntN(len(s))
		if axis != 1 || m.chance(0.5) {
			m.attr("axis", axis)
		}
		per = s[axis : axis+1]
	}
	if quantizes {
		m.in(number, s, values{lo: -20, hi: 20})
		m.returns = []tensor.DType{code}
	} else {
		m.in(code, s, values{lo: -128, hi: 255})
		m.returns = []tensor.DType{number}
	}
	m.give(m.fill(number, per, values{lo: 0.1, hi: 0.4}), m.chance(0.8))
	switch {
	case quantizes && code != tensor.Uint8: // the type of the result
		m.give(m.zeros(code, per), m.chance(0.8))
	case m.chance(0.7):
		v := values{lo: -7, hi: 7}
		if code == tensor.Int32 {
			v = values{}
		}
		m.give(m.fill(code, per, v), m.chance(0.8))
	}
}

// mask returns one of a batch of sequences: where they end, where they end and begin, or ones and zeros.
func (m *maker) mask(batch, queries, keys int, forms string) *tensor.Tensor {
	var list []int
	switch form := one(m, []byte(forms)...); form {
	case 'n':
		return vector(tensor.Int32, m.extents(batch, 1, keys)...)
	case 'b':
		return vector(tensor.Int32, append(m.extents(batch, max(1, keys-1), keys), m.extents(batch, 0, max(0, keys-2))...)...)
	case 'k':
		for range batch {
			list = append(list, append(m.extents(keys-1, 0, 1), 1)...)
		}
		return reshape(vector(tensor.Int32, list...), []int{batch, keys})
	default:
		for range batch * queries {
			list = append(list, append(m.extents(keys-1, 0, 1), 1)...)
		}
		return reshape(vector(tensor.Int32, list...), []int{batch, queries, keys})
	}
}

// perhapsIn is in for few values, or skip.
func (m *maker) perhapsIn(p float64, shape ...int) {
	if m.chance(p) {
		m.in(m.t, shape, few)
	} else {
		m.skip()
	}
}

// scoring chooses what all attentions have. It reports whether queries see no later keys.
func (m *maker) scoring() bool {
	m.maybe("scale", 0.25+m.Float32())
	m.maybe("mask_filter_value", float32(-10000))
	return m.flag("unidirectional", false)
}

func projected(m *maker) {
	batch, n, width, heads := m.between(1, 2), m.between(1, 4), m.between(2, 5), m.between(1, 3)
	size, vSize := one(m, 2, 4), one(m, 2, 4)
	if m.chance(0.6) {
		vSize = size
	}
	hidden, vHidden := heads*size, heads*vSize
	m.attr("num_heads", heads)
	if vHidden != hidden || m.chance(0.3) {
		m.attr("qkv_hidden_sizes", []int{hidden, hidden, vHidden})
	}
	m.scoring()
	past := 0
	if vSize == size && m.chance(0.3) {
		past = m.between(1, 3)
	}
	total := 2*hidden + vHidden
	m.in(m.t, []int{batch, n, width}, few)
	m.give(m.fill(m.t, []int{width, total}, values{lo: -0.5, hi: 0.5}), m.chance(0.7))
	m.in(m.t, []int{total}, few)
	if m.chance(0.4) {
		forms := "nkq"
		if past == 0 {
			forms = "nbkq"
		}
		m.give(m.mask(batch, n, past+n, forms), m.chance(0.3))
	} else {
		m.skip()
	}
	if past > 0 {
		m.in(m.t, []int{2, batch, heads, past, size}, few)
	} else {
		m.skip()
		m.perhapsIn(0.3, batch, heads, n, n)
	}
	m.exactly(1)
	if past > 0 {
		m.exactly(1)
	}
}

func quantisedAttention(m *maker) {
	batch, n, width, heads, size := m.between(1, 2), m.between(1, 4), m.between(2, 5), m.between(1, 3), one(m, 2, 4)
	m.attr("num_heads", heads)
	m.scoring()
	past := 0
	if m.chance(0.3) {
		past = m.between(1, 3)
	}
	d, total := one(m, tensor.Uint8, tensor.Int8), 3*heads*size
	per := []int{}
	if m.chance(0.4) {
		per = []int{total}
	}
	m.in(tensor.Uint8, []int{batch, n, width}, edges)
	m.give(m.fill(d, []int{width, total}, edges), m.chance(0.7))
	m.in(m.t, []int{total}, few)
	m.in(m.t, nil, values{lo: 0.002, hi: 0.01})
	m.in(m.t, per, values{lo: 0.002, hi: 0.01})
	if m.chance(0.4) {
		m.give(m.mask(batch, n, past+n, "nk"), m.chance(0.3))
	} else {
		m.skip()
	}
	m.perhaps(tensor.Uint8, nil, values{lo: 100, hi: 150})
	m.perhaps(d, per, values{lo: -9, hi: 9})
	if past > 0 {
		m.in(m.t, []int{2, batch, heads, past, size}, few)
		m.exactly(1)
	}
	m.exactly(1)
}

func multiHead(m *maker) {
	batch, queries, keys, heads := m.between(1, 2), m.between(1, 4), m.between(1, 4), m.between(1, 3)
	size, vSize := one(m, 2, 4), one(m, 2, 4)
	m.attr("num_heads", heads)
	if m.scoring() && m.chance(0.9) { // else there are differences, see the disputes
		keys = queries
	}
	bias, past := m.chance(0.4), 0
	switch m.IntN(3) {
	case 0: // those of another attention
		bias, vSize = false, size
		m.in(m.t, []int{batch, queries, heads * size}, few)
		m.in(m.t, []int{batch, heads, keys, size}, few)
		m.in(m.t, []int{batch, heads, keys, vSize}, few)
	default:
		m.in(m.t, []int{batch, queries, heads * size}, few)
		m.in(m.t, []int{batch, keys, heads * size}, few)
		m.in(m.t, []int{batch, keys, heads * vSize}, few)
		if vSize == size && m.chance(0.5) {
			past = m.between(1, 3)
		}
	}
	if bias {
		m.in(m.t, []int{heads * (2*size + vSize)}, few)
	} else {
		m.skip()
	}
	if past == 0 && m.chance(0.3) {
		m.give(m.mask(batch, queries, keys, "nkq"), m.chance(0.3))
	} else {
		m.skip()
	}
	m.perhapsIn(0.3, batch, heads, queries, past+keys)
	if past > 0 {
		m.in(m.t, []int{batch, heads, past, size}, few)
		m.in(m.t, []int{batch, heads, past, vSize}, few)
	}
	m.exactly(1)
	if past > 0 {
		m.exactly(2)
	}
}

func groupQuery(m *maker) {
	batch, kv := m.between(1, 2), m.between(1, 2)
	heads, size := kv*one(m, 1, 1, 2), 16
	m.attr("num_heads", heads)
	m.attr("kv_num_heads", kv)
	m.maybe("scale", 0.25+m.Float32())
	m.maybe("softcap", one[float32](m, 0, 2))
	m.flag("smooth_softmax", false)
	if m.chance(0.3) {
		m.attr("local_window_size", m.between(1, 4))
	}
	n, past := m.between(1, 4), 0
	if m.chance(0.6) {
		n, past = 1, m.between(1, 4)
	}
	if batch == 1 && past > 0 && m.chance(0.3) {
		n = m.between(1, 3)
	}
	total := past + n
	if m.chance(0.3) {
		m.in(m.t, []int{batch, n, (heads + 2*kv) * size}, few)
		m.skip()
		m.skip()
	} else {
		m.in(m.t, []int{batch, n, heads * size}, few)
		m.in(m.t, []int{batch, n, kv * size}, few)
		m.in(m.t, []int{batch, n, kv * size}, few)
	}
	cache, width, scales := m.t, size, []int(nil)
	if m.chance(0.3) {
		scales = []int{1}
		kind := one(m, "PER_TENSOR", "PER_CHANNEL")
		if kind == "PER_CHANNEL" {
			scales = []int{kv * size}
		}
		m.attr("k_quant_type", kind)
		m.attr("v_quant_type", kind)
		bits := one(m, 4, 8)
		m.attr("kv_cache_bit_width", bits)
		if cache = tensor.Int8; bits == 4 {
			cache, width = tensor.Uint8, size/2
		}
		m.returns, m.quanta = []tensor.DType{m.t, cache, cache}, 1
	}
	if past > 0 || scales != nil { // by whose type ORT knows that of the results
		m.in(cache, []int{batch, kv, past, width}, few)
		m.in(cache, []int{batch, kv, past, width}, few)
	} else {
		m.skip()
		m.skip()
	}
	m.give(vector(tensor.Int32, m.extents(batch, total-1, total-1)...), m.chance(0.4))
	m.give(scalar(tensor.Int32, float64(total)), m.chance(0.4))
	if m.flag("do_rotary", false) {
		m.flag("rotary_interleaved", false)
		m.in(m.t, []int{total + 2, size / 2}, values{lo: -1, hi: 1})
		m.in(m.t, []int{total + 2, size / 2}, values{lo: -1, hi: 1})
		if m.chance(0.3) {
			m.give(reshape(vector(tensor.Int64, m.extents(batch*n, 0, total-1)...), []int{batch, n}), m.chance(0.4))
		} else {
			m.skip()
		}
	} else {
		m.skip()
		m.skip()
		m.skip()
	}
	m.perhapsIn(0.2, batch, heads, n, total)
	m.perhapsIn(0.2, heads)
	if scales != nil {
		steps := values{lo: 0.1037, hi: 0.2913} // of which few numbers are halves
		m.in(m.t, scales, steps)
		m.in(m.t, scales, steps)
	}
	m.exactly(3)
	if m.chance(0.2) {
		m.exactly(1)
		m.attr("qk_output", m.between(1, 2))
	}
	if m.chance(0.3) {
		m.attr("causal", 1)
	}
}

func embed(m *maker) {
	batch, n, width, words, places := m.between(1, 2), m.between(1, 4), m.between(2, 6), m.between(2, 6), m.between(4, 6)
	m.real("epsilon", 1e-12, 1e-4, 0.1)
	ids := func(most int) {
		m.give(reshape(vector(tensor.Int32, m.extents(batch*n, 0, most-1)...), []int{batch, n}), m.chance(0.4))
	}
	ids(words)
	segments := m.chance(0.6)
	if segments {
		ids(2)
	} else {
		m.skip()
	}
	table := func(shape ...int) { m.give(m.fill(m.t, shape, few), true) }
	table(words, width)
	table(places, width)
	if segments {
		table(2, width)
	} else {
		m.skip()
	}
	table(width)
	table(width)
	if m.chance(0.4) {
		m.give(m.mask(batch, n, n, "k"), m.chance(0.4))
		m.maybe("mask_index_type", 0)
	} else {
		m.skip()
	}
	if m.chance(0.3) {
		ids(places)
	}
	m.exactly(m.between(2, 3))
	m.returns = []tensor.DType{m.t, tensor.Int32, m.t}
}

func quantisedEmbed(m *maker) {
	batch, n, width, words := m.between(1, 2), m.between(1, 4), m.between(2, 6), m.between(2, 6)
	d := one(m, tensor.Uint8, tensor.Int8)
	m.real("epsilon", 1e-12, 1e-4, 0.1)
	ids := func(most int) {
		m.give(reshape(vector(tensor.Int32, m.extents(batch*n, 0, most-1)...), []int{batch, n}), m.chance(0.4))
	}
	tables := [][]int{{words, width}, {m.between(4, 6), width}, {2, width}, {width}, {width}}
	given := func(add func(shape []int)) {
		for i, shape := range tables {
			if i == 2 && m.node.Input[1] == "" {
				m.skip()
			} else {
				add(shape)
			}
		}
	}
	ids(words)
	if m.chance(0.6) {
		ids(2)
	} else {
		m.skip()
	}
	given(func(shape []int) { m.give(m.fill(d, shape, edges), true) })
	if m.chance(0.4) {
		m.give(m.mask(batch, n, n, "k"), m.chance(0.4))
	} else {
		m.skip()
	}
	given(func([]int) { m.give(m.fill(m.t, nil, values{lo: 0.01, hi: 0.1}), true) })
	given(func([]int) { m.give(m.fill(d, nil, values{lo: -9, hi: 9}), true) })
	m.exactly(2)
	m.returns = []tensor.DType{m.t, tensor.Int32}
}
