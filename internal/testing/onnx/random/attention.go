package random

import (
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

var attentionRules = []rule{
	{op: "Attention", opsets: "23", types: "f32 f32 f16", make: attention, loose: 10},
	{op: "RotaryEmbedding", opsets: "23", types: "f32 f16", make: func(m *maker) {
		batch, heads, n, size := m.between(1, 2), m.between(1, 3), m.between(1, 4), 2*m.between(1, 4)
		turned := size
		if m.chance(0.4) {
			turned = 2 * m.between(1, size/2)
			m.attr("rotary_embedding_dim", turned)
		}
		m.flag("interleaved", false)
		s := []int{batch, heads, n, size}
		if m.chance(0.5) {
			s = []int{batch, n, heads * size}
			m.attr("num_heads", heads)
		}
		m.in(m.t, s, some)
		cache := []int{batch, n, turned / 2}
		most := m.between(n, n+3)
		placed := m.chance(0.5)
		if placed {
			cache = []int{most, turned / 2}
		}
		m.in(m.t, cache, values{lo: -1, hi: 1})
		m.in(m.t, cache, values{lo: -1, hi: 1})
		if placed {
			m.give(reshape(vector(tensor.Int64, m.extents(batch*n, 0, most-1)...), []int{batch, n}), m.chance(0.5))
		}
	}},
	{op: "com.microsoft.RotaryEmbedding", opsets: "7", types: "f32 f16", make: func(m *maker) {
		batch, heads, n, size := m.between(1, 2), m.between(1, 3), m.between(1, 4), 2*m.between(1, 4)
		turned := size
		if m.chance(0.4) {
			turned = 2 * m.between(1, size/2)
			m.attr("rotary_embedding_dim", turned)
		}
		m.flag("interleaved", false)
		s := []int{batch, heads, n, size}
		if m.chance(0.5) || turned != size {
			s = []int{batch, n, heads * size}
		}
		if turned != size || m.chance(0.4) {
			m.attr("num_heads", heads)
		}
		m.maybe("scale", float32(1))
		m.maybe("is_packed_batching", 0)
		m.in(m.t, s, some)
		most := m.between(n, n+3)
		if m.chance(0.5) {
			m.give(reshape(vector(tensor.Int64, m.extents(batch*n, 0, most-1)...), []int{batch, n}), m.chance(0.5))
		} else {
			m.give(vector(tensor.Int64, m.between(0, most-n)), m.chance(0.5))
		}
		m.in(m.t, []int{most, turned / 2}, values{lo: -1, hi: 1})
		m.in(m.t, []int{most, turned / 2}, values{lo: -1, hi: 1})
	}},
}

func attention(m *maker) {
	batch, kvHeads, queries, keys := m.between(1, 2), m.between(1, 2), m.between(1, 4), m.between(1, 4)
	heads := kvHeads * one(m, 1, 1, 2)
	size, vSize := one(m, 2, 4, 8), one(m, 2, 4)
	m.flag("is_causal", false)
	m.maybe("scale", 0.25+m.Float32())
	m.maybe("softcap", one[float32](m, 0, 2))
	m.maybe("softmax_precision", int(proto.Float))
	flat := m.chance(0.5)
	shape := func(heads, n, size int) []int {
		if flat {
			return []int{batch, n, heads * size}
		}
		return []int{batch, heads, n, size}
	}
	if flat {
		m.attr("q_num_heads", heads)
		m.attr("kv_num_heads", kvHeads)
	}
	m.in(m.t, shape(heads, queries, size), few)
	m.in(m.t, shape(kvHeads, keys, size), few)
	m.in(m.t, shape(kvHeads, keys, vSize), few)
	past := 0
	cached := m.chance(0.4)
	if cached {
		past = m.between(1, 3)
	}
	if m.chance(0.5) {
		s := m.broadcast([]int{batch, heads, queries, past + keys})
		for len(s) < 2 {
			s = []int{queries, past + keys}
		}
		s[len(s)-1] = past + keys
		s[len(s)-2] = queries
		m.in(one(m, tensor.Bool, m.t), s, few)
	} else {
		m.skip()
	}
	if cached {
		m.in(m.t, []int{batch, kvHeads, past, size}, few)
		m.in(m.t, []int{batch, kvHeads, past, vSize}, few)
	}
	if m.opset >= 24 && !cached && m.chance(0.3) {
		m.skip()
		m.skip()
		m.give(vector(tensor.Int64, m.extents(batch, 1, keys)...), m.chance(0.5))
	}
	m.exactly(1)
	if cached {
		m.exactly(2)
	}
	if m.chance(0.3) {
		if !cached {
			m.node.Output = append(m.node.Output, "", "")
		}
		m.exactly(1)
		m.maybe("qk_matmul_output_mode", m.IntN(4))
	}
}
