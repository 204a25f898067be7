package random

import "github.com/concord-nn/concord/tensor"

var elementwiseRules = []rule{
	unary("Abs", "6", nums, edges),
	unary("Acos", "7", single, values{lo: -1, hi: 1, edges: true}),
	unary("Acosh", "9", single, values{lo: 1, hi: 20, edges: true}),
	unary("Asin", "7", single, values{lo: -1, hi: 1, edges: true}),
	unary("Asinh", "9", single, edges),
	unary("Atan", "7", single, edges),
	unary("Atanh", "9", single, values{lo: -1, hi: 1}),
	unary("BitwiseNot", "18", ints, edges),
	unary("Ceil", "6", floats, edges),
	unary("Cos", "7", floats, some),
	unary("Cosh", "9", single, edges),
	unary("Erf", "9", single, edges),
	unary("Exp", "6", floats, edges),
	unary("Floor", "6", floats, edges),
	{op: "IsInf", opsets: "10", types: "f32 f16 f64 bf16 " + small, make: func(m *maker) {
		m.flag("detect_negative", true)
		m.flag("detect_positive", true)
		unaryOf(tensor.Bool, edges)(m)
	}},
	{op: "IsNaN", opsets: "9", types: "f32 f16 f64 bf16 " + small, make: unaryOf(tensor.Bool, edges)},
	unary("Log", "6", floats, values{lo: 0, hi: 9, edges: true}),
	unary("Neg", "6", "f32 f16 f64 i8 i16 i32 i64", edges),
	unary("Not", "7", "bool", some),
	unary("Reciprocal", "6", floats, edges),
	unary("Round", "11", floats, edges),
	unary("Sign", "9", nums+" bf16", values{lo: -5, hi: 5}),
	unary("Sin", "7", floats, some),
	unary("Sinh", "9", single, edges),
	unary("Sqrt", "6", floats, values{lo: 0, hi: 9, edges: true}),
	unary("Tan", "7", single, values{lo: -1.5, hi: 1.5}),

	binary("Add", "7", nums, edges),
	binary("And", "7", "bool", some),
	binary("BitwiseAnd", "18", ints, edges),
	binary("BitwiseOr", "18", ints, edges),
	binary("BitwiseXor", "18", ints, edges),
	{op: "BitShift", opsets: "11", types: "u8 u32 u64 u16", make: func(m *maker) {
		m.attr("direction", one(m, "LEFT", "RIGHT"))
		pair(m, m.t, m.t, edges, values{lo: 0, hi: float64(m.t.Bits() - 1)})
	}},
	{op: "Div", opsets: "7", types: nums, make: func(m *maker) {
		divisor := edges
		if m.t.IsInteger() {
			divisor = values{lo: 1, hi: 9}
		}
		pair(m, m.t, m.t, edges, divisor)
	}},
	binary("Equal", "7", nums+" bool", few, tensor.Bool),
	binary("Greater", "7", nums, few, tensor.Bool),
	binary("GreaterOrEqual", "12", nums, few, tensor.Bool),
	binary("Less", "7", nums, few, tensor.Bool),
	binary("LessOrEqual", "12", nums, few, tensor.Bool),
	{op: "Mod", opsets: "10", types: nums, make: func(m *maker) {
		divisor := values{lo: 1, hi: 9}
		if m.t.IsFloat() {
			m.attr("fmod", 1)
			divisor = one(m, positive, values{lo: -5, hi: -0.5})
		} else {
			m.flag("fmod", false)
			if m.t.IsSigned() {
				divisor = one(m, divisor, values{lo: -9, hi: -2})
			}
		}
		pair(m, m.t, m.t, edges, divisor)
	}},
	binary("Mul", "7", nums, edges),
	binary("Or", "7", "bool", some),
	{op: "Pow", opsets: "7", types: "f32 f32 f16 f64 i32 i64", make: func(m *maker) {
		exponent := m.t
		if m.opset >= 12 {
			exponent = one(m, m.t, tensor.Float32, tensor.Int32, tensor.Int64, tensor.Float64)
		}
		switch {
		case !m.t.IsFloat() && exponent.IsFloat():
			pair(m, m.t, exponent, values{lo: 0, hi: 4}, values{lo: 0, hi: 4})
		case !m.t.IsFloat():
			pair(m, m.t, exponent, values{lo: -4, hi: 4}, values{lo: 0, hi: 4})
		case exponent.IsInteger():
			pair(m, m.t, exponent, some, values{lo: -3, hi: 3})
		default:
			pair(m, m.t, exponent, values{lo: 0, hi: 5, edges: true}, values{lo: -3, hi: 3, edges: true})
		}
	}},
	binary("Sub", "7", nums, edges),
	binary("Xor", "7", "bool", some),

	{op: "Clip", opsets: "7-10", types: single, make: func(m *maker) {
		m.maybe("min", one[float32](m, -3, -1, 0, 1))
		m.maybe("max", one[float32](m, 4, 1, 0.5))
		m.in(m.t, m.maybeEmpty(0, 4), edges)
	}},
	{op: "Clip", opsets: "11", types: nums, make: func(m *maker) {
		m.in(m.t, m.maybeEmpty(0, 4), edges)
		for _, v := range []values{{lo: -4, hi: 1}, {lo: 0, hi: 5}} { // sometimes the least is above the greatest
			if m.chance(0.7) {
				m.in(m.t, nil, v)
			} else {
				m.skip()
			}
		}
	}},
	variadic("Max", nums),
	variadic("Mean", single),
	variadic("Min", nums),
	variadic("Sum", floats),
	{op: "Where", opsets: "9", types: "f32 f64 i32 i64 u8 f16 i8 bool", make: func(m *maker) {
		s := m.maybeEmpty(0, 4)
		m.in(tensor.Bool, m.broadcast(s), some)
		m.in(m.t, m.broadcast(s), edges)
		m.in(m.t, m.broadcast(s), edges)
	}},
}

// unary is the rule of an operator on each element.
func unary(op, opsets, types string, v values) rule {
	return rule{op: op, opsets: opsets, types: types, make: func(m *maker) { m.in(m.t, m.maybeEmpty(0, 4), v) }}
}

// unaryOf is what makes an operator on each element that yields another type.
func unaryOf(d tensor.DType, v values) func(m *maker) {
	return func(m *maker) {
		m.in(m.t, m.maybeEmpty(0, 4), v)
		m.returns = []tensor.DType{d}
	}
}

// binary is the rule of an operator on each element of two operands that broadcast.
func binary(op, opsets, types string, v values, returns ...tensor.DType) rule {
	return rule{op: op, opsets: opsets, types: types, make: func(m *maker) {
		pair(m, m.t, m.t, v, v)
		m.returns = returns
	}}
}

// pair adds two operands that broadcast.
func pair(m *maker, a, b tensor.DType, va, vb values) {
	s := m.maybeEmpty(0, 4)
	one, other := s, m.broadcast(s)
	if m.chance(0.5) {
		one, other = other, one
	}
	if m.chance(0.2) {
		one, other = m.broadcast(s), m.broadcast(s)
	}
	m.in(a, one, va)
	m.in(b, other, vb)
}

// variadic is the rule of an operator on each element of any number of operands.
func variadic(op, types string) rule {
	return rule{op: op, opsets: "8", types: types, make: func(m *maker) {
		s := m.maybeEmpty(0, 3)
		for range m.between(1, 4) {
			m.in(m.t, m.broadcast(s), some)
		}
	}}
}
