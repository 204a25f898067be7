package random

import "github.com/concord-nn/concord/tensor"

var signalRules = []rule{
	windowFunction("BlackmanWindow"),
	windowFunction("HammingWindow"),
	windowFunction("HannWindow"),
	{op: "DFT", opsets: "17", types: "f32 f64", make: func(m *maker) {
		parts := one(m, 1, 1, 2)
		inverse := m.flag("inverse", false)
		if parts == 1 && !inverse || parts == 2 && inverse && m.opset >= 20 {
			m.flag("onesided", false)
		}
		s := m.shape(1, 3)
		whole := join([]int{m.between(1, 2)}, s, []int{parts})
		axis := m.between(1, len(s))
		if m.chance(0.4) {
			axis -= len(whole)
		}
		if m.opset < 20 {
			m.attr("axis", axis)
		}
		m.in(m.t, whole, some)
		if m.chance(0.4) {
			m.int(one(m, tensor.Int32, tensor.Int64), m.between(1, 7))
		} else {
			m.skip()
		}
		if m.opset >= 20 && (count(axis, len(whole)) != len(whole)-2 || m.chance(0.6)) {
			m.int(tensor.Int64, axis)
		}
	}, loose: 30},
	{op: "STFT", opsets: "17", types: "f32 f64", make: func(m *maker) {
		m.flag("onesided", true)
		n := m.between(8, 20)
		frame := one(m, 3, 4, 5, 8)
		m.in(m.t, []int{m.between(1, 2), n, 1}, some)
		d := one(m, tensor.Int32, tensor.Int64)
		m.int(d, m.between(1, 4))
		if m.chance(0.6) {
			m.in(m.t, []int{frame}, positive)
			if m.chance(0.5) {
				m.int(d, frame)
			}
		} else {
			m.skip()
			m.int(d, frame)
		}
	}, loose: 30},
	{op: "MelWeightMatrix", opsets: "17", types: "f32 f64", make: func(m *maker) {
		m.maybe("output_datatype", m.t)
		if len(m.node.Attribute) == 0 {
			m.returns = []tensor.DType{tensor.Float32}
		}
		d := one(m, tensor.Int32, tensor.Int64)
		for _, n := range []int{m.between(2, 8), one(m, 16, 32, 64), 8000} {
			m.int(d, n)
		}
		m.give(scalar(tensor.Float32, float64(m.between(0, 500))), m.chance(0.8))
		m.give(scalar(tensor.Float32, float64(m.between(2000, 4000))), m.chance(0.8))
	}},
}

func windowFunction(op string) rule {
	return rule{op: op, opsets: "17", types: "f32 f64", make: func(m *maker) {
		m.flag("periodic", true)
		if m.chance(0.5) {
			m.attr("output_datatype", m.t)
		} else {
			m.returns = []tensor.DType{tensor.Float32}
		}
		m.int(one(m, tensor.Int32, tensor.Int64), m.between(1, 12))
	}}
}
