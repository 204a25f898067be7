package random

import (
	"slices"

	"github.com/concord-nn/concord/tensor"
)

var convertRules = []rule{
	{op: "BitCast", opsets: "26", types: "f32 f16 i8 i32 i64 u8", make: func(m *maker) {
		same := map[int][]tensor.DType{8: types("i8 u8"), 16: types("i16 u16 f16"), 32: types("i32 u32 f32"), 64: types("i64 u64 f64")}
		to := one(m, same[m.t.Bits()]...)
		m.attr("to", to)
		unaryOf(to, some)(m)
	}},
	{op: "Cast", opsets: "7", types: all, make: func(m *maker) { m.casting(types(all), false) }},
	{op: "Cast", opsets: "19", types: all + " " + small, make: func(m *maker) { m.casting(types(all+" "+small), false) }},
	{op: "Cast", opsets: "25", types: all + " " + small + " " + tiny, make: func(m *maker) { m.casting(types(all+" "+small+" "+tiny), false) }},
	{op: "CastLike", opsets: "15", types: all, make: func(m *maker) { m.casting(types(all), true) }},
	{op: "CastLike", opsets: "19", types: all + " " + small, make: func(m *maker) { m.casting(types(all+" "+small), true) }},
}

// casting makes a conversion to one of some types. What is out of an integer's range is nobody's to say.
func (m *maker) casting(list []tensor.DType, like bool) {
	list = slices.DeleteFunc(slices.Clone(list), func(d tensor.DType) bool { return firstOpset[d] > m.opset })
	to := one(m, list...)
	var v values
	switch lo, hi := to.IntRange(); {
	case to.IsFloat() || to.IsSmallFloat() || to == tensor.Bool:
		v = edges
	case m.t.IsInteger() && to.IsInteger() && !to.IsPacked():
		v = edges
	default:
		v = values{lo: max(float64(lo), -100), hi: min(float64(hi), 100)}
	}
	if to.IsSmallFloat() {
		m.flag("saturate", true)
	}
	if m.opset >= 24 {
		m.maybe("round_mode", "up") // others are for float8e8m0
	}
	m.in(m.t, m.maybeEmpty(0, 3), v)
	if like {
		m.in(to, nil, few)
	} else {
		m.attr("to", to)
	}
	m.returns = []tensor.DType{to}
}
