package random

import "github.com/concord-nn/concord/tensor"

var normRules = []rule{
	{op: "BatchNormalization", opsets: "7", types: floats, make: func(m *maker) {
		s := m.shape(2, 5)
		m.real("epsilon", 1e-5, 1e-4, 0.1)
		m.maybe("momentum", float32(0.8))
		if m.opset < 9 {
			m.maybe("spatial", 1)
		}
		m.in(m.t, s, some)
		for _, v := range []values{few, few, few, positive} {
			m.in(m.t, s[1:2], v)
		}
		if m.opset >= 14 && m.chance(0.2) {
			m.attr("training_mode", 1)
			m.exactly(3)
		}
	}},
	{op: "InstanceNormalization", opsets: "7", types: single, make: func(m *maker) {
		s := m.shape(3, 5)
		m.real("epsilon", 1e-5, 1e-4, 0.1)
		m.in(m.t, s, some)
		m.in(m.t, s[1:2], few)
		m.in(m.t, s[1:2], few)
	}, loose: 10},
	{op: "GroupNormalization", opsets: "18", types: single, make: func(m *maker) {
		groups := m.between(1, 3)
		c := groups * m.between(1, 3)
		m.attr("num_groups", groups)
		m.real("epsilon", 1e-5, 1e-4, 0.1)
		m.in(m.t, join([]int{m.between(1, 2), c}, m.extents(m.between(1, 3), 2, 4)), some)
		n := c
		if m.opset < 21 {
			n = groups
		} else {
			m.maybe("stash_type", 1)
		}
		m.in(m.t, []int{n}, few)
		m.in(m.t, []int{n}, few)
	}, loose: 10},
	layerNormalization("LayerNormalization", "7", true, 3),
	layerNormalization("RMSNormalization", "23", false, 1),
	layerNormalization("SimplifiedLayerNormalization", "7", false, 2),
	{op: "LRN", opsets: "7", types: single, make: func(m *maker) {
		m.attr("size", one(m, 1, 3, 5))
		m.real("alpha", 0.0001, 0.001, 1)
		m.real("beta", 0.75, 0.25, 1)
		m.real("bias", 1, 0.5, 2)
		m.in(m.t, m.shape(4, 4), some)
	}},
	{op: "com.microsoft.SkipLayerNormalization", opsets: "7", types: "f32 f16", make: func(m *maker) { skipNormalization(m, true) }, loose: 10},
	{op: "com.microsoft.SkipSimplifiedLayerNormalization", opsets: "7", types: "f32 f16", make: func(m *maker) { skipNormalization(m, false) }, loose: 10},
	{op: "Dropout", opsets: "7-11", types: floats, make: func(m *maker) {
		m.maybe("ratio", float32(0.3))
		m.in(m.t, m.shape(0, 4), some)
		m.exactly(m.between(1, 2))
		if m.returns = []tensor.DType{m.t, tensor.Bool}; m.opset < 10 {
			m.returns = nil
		}
	}},
	{op: "Dropout", opsets: "12", types: floats, make: func(m *maker) {
		m.maybe("seed", 7)
		m.in(m.t, m.shape(0, 4), some)
		if m.chance(0.6) {
			m.give(scalar(one(m, tensor.Float32, m.t), 0.3), true)
			if m.chance(0.5) {
				m.give(scalar(tensor.Bool, 0), m.chance(0.7))
			}
		}
		m.exactly(m.between(1, 2))
		m.returns = []tensor.DType{m.t, tensor.Bool}
	}},
}

func layerNormalization(op, opsets string, bias bool, results int) rule {
	return rule{op: op, opsets: opsets, types: single, make: func(m *maker) {
		s := m.extents(m.between(1, 4), 2, 5)
		axis := len(s) - 1
		if m.chance(0.7) {
			axis = m.axis(len(s))
			m.attr("axis", axis)
		}
		m.real("epsilon", 1e-5, 1e-4, 0.1)
		m.maybe("stash_type", 1)
		m.in(m.t, s, some)
		m.in(m.t, s[count(axis, len(s)):], few)
		if bias && m.chance(0.6) {
			m.in(m.t, s[count(axis, len(s)):], few)
		}
		m.results(results)
		m.returns = []tensor.DType{m.t, tensor.Float32, tensor.Float32}
	}, loose: 10}
}

func skipNormalization(m *maker, beta bool) {
	s := m.extents(3, 1, 4)
	s[2] = m.between(2, 6)
	m.real("epsilon", 1e-5, 1e-4, 0.1)
	m.in(m.t, s, some)
	m.in(m.t, one(m, s, s, s[1:]), some)
	m.in(m.t, s[2:], few)
	if beta {
		m.perhaps(m.t, s[2:], few)
	}
	if m.chance(0.5) {
		m.in(m.t, s[2:], few)
	}
	if m.chance(0.4) {
		m.node.Output = []string{m.name(), "", "", m.name()}
	}
}
