package random

import "github.com/concord-nn/concord/tensor"

var reduceRules = []rule{
	reduction("ReduceL1", 18, numbers4, some),
	reduction("ReduceL2", 18, numbers4, some),
	reduction("ReduceLogSum", 18, numbers4, positive),
	reduction("ReduceLogSumExp", 18, numbers4, some),
	reduction("ReduceMax", 18, numbers4+" i8 u8 bool", edges),
	reduction("ReduceMean", 18, numbers4, some),
	reduction("ReduceMin", 18, numbers4+" i8 u8 bool", edges),
	reduction("ReduceProd", 18, numbers4, few),
	reduction("ReduceSum", 13, numbers4, some),
	reduction("ReduceSumSquare", 18, numbers4, some),
	choosing("ArgMax"),
	choosing("ArgMin"),
	alongOne("Hardmax", distinct),
	alongOne("LogSoftmax", some),
	alongOne("Softmax", some),
	running("CumSum", "11"),
	running("CumProd", "26"),
	{op: "LpNormalization", opsets: "7", types: floats, make: func(m *maker) {
		s := m.shape(1, 4)
		if m.chance(0.7) {
			m.attr("axis", m.axis(len(s)))
		}
		option(m, "p", 2, 1)
		m.in(m.t, s, some)
	}},
	{op: "MeanVarianceNormalization", opsets: "9", types: single, make: func(m *maker) {
		s := m.extents(4, 2, 4)
		if m.chance(0.7) {
			s = m.shape(2, 4)
			m.attr("axes", m.Perm(len(s))[:m.between(1, len(s))])
		}
		m.in(m.t, s, some)
	}},
}

const numbers4 = "f32 f32 f16 f64 i32 i64"

// reduction is the rule of a reduction whose axes are an operand from an opset on.
func reduction(op string, operand int, types string, v values) rule {
	return rule{op: op, opsets: "7", types: types, make: func(m *maker) {
		s := m.shape(0, 4)
		m.in(m.t, s, v)
		axes := m.axes(len(s), m.between(0, len(s)))
		m.flag("keepdims", true)
		switch {
		case m.opset >= operand:
			noop := m.flag("noop_with_empty_axes", false)
			if len(axes) > 0 || noop && m.chance(0.5) {
				m.ints(axes...)
			}
		case len(axes) > 0:
			m.attr("axes", axes)
		}
	}}
}

// choosing is the rule of what yields the place of an extreme. Which one of equal elements is it says from opset 12 on.
func choosing(op string) rule {
	return rule{op: op, opsets: "7", types: "f32 f32 f16 f64 i32 i64 i8 u8", make: func(m *maker) {
		s := m.shape(1, 4)
		if m.opset >= 12 {
			m.flag("select_last_index", false)
		}
		m.flag("keepdims", true)
		if m.chance(0.7) {
			m.attr("axis", m.axis(len(s)))
		}
		m.in(m.t, s, one(m, few, distinct))
		m.returns = []tensor.DType{tensor.Int64}
	}}
}

// alongOne is the rule of what keeps the shape and looks along one axis, before opset 13 along all from there on.
func alongOne(op string, v values) rule {
	return rule{op: op, opsets: "7", types: floats, make: func(m *maker) {
		s := m.shape(1, 4)
		if len(s) == 1 && m.opset < 13 || m.chance(0.7) {
			m.attr("axis", m.axis(len(s)))
		}
		m.in(m.t, s, v)
	}}
}

func running(op, opsets string) rule {
	return rule{op: op, opsets: opsets, types: numbers4, make: func(m *maker) {
		s := m.shape(1, 4)
		m.flag("exclusive", false)
		m.flag("reverse", false)
		m.in(m.t, s, some)
		m.int(one(m, tensor.Int32, tensor.Int64), m.axis(len(s)))
	}}
}
