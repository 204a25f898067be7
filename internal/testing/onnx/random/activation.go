package random

var activationRules = []rule{
	activation("Celu", "12", 1, 0.2, 3),
	activation("Elu", "6", 1, -0.5, 3),
	activation("LeakyRelu", "6", 0.01, -0.5, 2),
	activation("ThresholdedRelu", "10", 1, -2, 3),
	activation("Swish", "24", 1, -2, 3),
	activation("com.microsoft.QuickGelu", "7", 1.702, 0.5, 3),
	unary("HardSwish", "14", single, some),
	unary("Mish", "18", single, edges),
	unary("Relu", "6", "f32 f16 f64 i8 i32 i16 i64", some),
	unary("Sigmoid", "6", floats, edges),
	unary("Softplus", "7", single, edges),
	unary("Softsign", "7", single, some),
	unary("Tanh", "6", floats, edges),
	{op: "Gelu", opsets: "20", types: single, make: func(m *maker) {
		option(m, "approximate", "none", "tanh")
		m.in(m.t, m.maybeEmpty(0, 4), some)
	}},
	{op: "HardSigmoid", opsets: "6", types: single, make: func(m *maker) {
		m.real("alpha", 0.2, -0.5, 1)
		m.real("beta", 0.5, -1, 1)
		m.in(m.t, m.maybeEmpty(0, 4), edges)
	}},
	{op: "PRelu", opsets: "7", types: single, make: func(m *maker) {
		s := m.shape(1, 4)
		m.in(m.t, s, some)
		m.in(m.t, m.broadcast(s), few)
	}},
	{op: "Selu", opsets: "6", types: single, make: func(m *maker) {
		m.real("alpha", 1.67326, 0.5, 2)
		m.real("gamma", 1.0507, 0.5, 2)
		m.in(m.t, m.maybeEmpty(0, 4), some)
	}},
	{op: "Shrink", opsets: "9", types: nums + " bf16", make: func(m *maker) {
		if m.t.IsInteger() {
			m.attr("lambd", float32(m.between(1, 3)))
			m.attr("bias", float32(m.between(0, 2)))
		} else {
			m.real("lambd", 0.5, 0, 3)
			m.real("bias", 0, -2, 2)
		}
		m.in(m.t, m.maybeEmpty(0, 4), some)
	}},
	{op: "com.microsoft.Gelu", opsets: "7", types: "f32", make: func(m *maker) { m.in(m.t, m.maybeEmpty(0, 4), some) }},
	{op: "com.microsoft.BiasGelu", opsets: "7", types: "f32", make: func(m *maker) {
		s := m.shape(1, 4)
		m.in(m.t, s, some)
		m.in(m.t, s[len(s)-1:], some)
	}},
	{op: "com.microsoft.FastGelu", opsets: "7", types: "f32", make: func(m *maker) {
		s := m.shape(1, 4)
		m.in(m.t, s, some)
		if m.chance(0.5) {
			m.in(m.t, s[len(s)-1:], some)
		}
	}},
}

// activation is the rule of an operator on each element with one number, alpha.
func activation(op, opsets string, value, lo, hi float32) rule {
	return rule{op: op, opsets: opsets, types: single, make: func(m *maker) {
		m.real("alpha", value, lo, hi)
		m.in(m.t, m.maybeEmpty(0, 4), some)
	}}
}
