package random

import "github.com/concord-nn/concord/tensor"

var gatherRules = []rule{
	{op: "Compress", opsets: "9", types: all, make: func(m *maker) {
		s := m.shape(1, 4)
		n := product(s)
		if m.chance(0.7) {
			axis := m.axis(len(s))
			m.attr("axis", axis)
			n = s[count(axis, len(s))]
		}
		m.in(m.t, s, edges)
		m.in(tensor.Bool, []int{m.between(1, n)}, some)
	}},
	{op: "Gather", opsets: "7", types: all, make: func(m *maker) {
		s := m.shape(1, 4)
		axis := m.along(s)
		m.in(m.t, s, edges)
		m.indices(m.maybeEmpty(0, 3), s[axis])
	}},
	{op: "GatherElements", opsets: "11", types: all, make: func(m *maker) {
		s := m.shape(1, 4)
		axis := m.along(s)
		m.in(m.t, s, edges)
		m.indices(m.below(s, axis), s[axis])
	}},
	{op: "GatherND", opsets: "11", types: all, make: func(m *maker) {
		s := m.shape(1, 4)
		batch := 0
		if m.opset >= 12 {
			batch = option(m, "batch_dims", 0, seq(len(s))...)
		}
		k := m.between(1, len(s)-batch)
		m.in(m.t, s, edges)
		m.places(join(s[:batch], m.extents(m.between(0, 2), 1, 3)), s[batch:batch+k], false)
	}},
	{op: "OneHot", opsets: "9", types: "f32 i32 i64", make: func(m *maker) {
		s := m.shape(1, 3)
		if m.chance(0.7) {
			m.attr("axis", m.between(-len(s)-1, len(s)))
		}
		n := m.between(1, 6)
		d, e := tensor.Int64, tensor.Int64 // of indices and depth; few combinations are implemented everywhere
		switch m.t {
		case tensor.Float32:
			d = one(m, tensor.Int64, tensor.Int32, tensor.Float32)
			e = map[tensor.DType]tensor.DType{tensor.Int64: tensor.Int64, tensor.Int32: tensor.Int32, tensor.Float32: tensor.Float32}[d]
		case tensor.Int64:
			d = one(m, tensor.Int64, tensor.Float32)
		}
		m.give(cast(m.fill(tensor.Int64, s, values{lo: float64(-n - 1), hi: float64(n)}), d), m.chance(0.3))
		depth := scalar(e, float64(n))
		if m.chance(0.5) {
			depth = reshape(depth, []int{1})
		}
		m.give(depth, m.chance(0.8))
		m.in(m.t, []int{2}, some)
	}},
	{op: "ScatterElements", opsets: "11", types: "f32 f32 f16 f64 i8 i32 i64 u8 bool", make: func(m *maker) {
		s := m.shape(1, 4)
		axis := m.along(s)
		unique := m.reduction(map[string]int{"add": 16, "mul": 16, "max": 18, "min": 18}) == "none"
		m.in(m.t, s, few)
		to := m.below(s, axis)
		if unique {
			m.give(m.once(to, axis, s[axis]), m.chance(0.4))
		} else {
			m.indices(to, s[axis])
		}
		m.in(m.t, to, few)
	}},
	{op: "Scatter", opsets: "9-10", types: "f32 f64 i8 i64 bool", make: func(m *maker) {
		s := m.shape(1, 4)
		axis := m.along(s)
		m.in(m.t, s, some)
		to := m.below(s, axis)
		m.give(m.once(to, axis, s[axis]), m.chance(0.4))
		m.in(m.t, to, some)
	}},
	{op: "ScatterND", opsets: "11", types: "f32 f32 f16 f64 i8 i32 i64 u8 bool", make: func(m *maker) {
		s := m.shape(1, 4)
		unique := m.reduction(map[string]int{"add": 16, "mul": 16, "max": 18, "min": 18}) == "none"
		k := m.between(1, len(s))
		m.in(m.t, s, few)
		outer := m.extents(m.between(0, 2), 1, 3)
		if unique && product(outer) > product(s[:k]) {
			outer = []int{product(s[:k])}
		}
		m.places(outer, s[:k], unique)
		m.in(m.t, join(outer, s[k:]), few)
	}},
	{op: "TensorScatter", opsets: "24", types: all, make: func(m *maker) {
		s := m.shape(3, 4)
		axis := len(s) - 2
		if m.chance(0.7) {
			axis = m.between(1, len(s)-1)
			if m.attr("axis", axis); m.chance(0.5) {
				m.node.Attribute[0].I -= int64(len(s))
			}
		}
		mode := option(m, "mode", "linear", "circular")
		n := m.between(1, s[axis])
		m.in(m.t, s, some)
		m.in(m.t, with(s, axis, n), some)
		if m.chance(0.8) {
			most := s[axis] - n
			if mode == "circular" {
				most = s[axis] - 1
			}
			m.give(vector(tensor.Int64, m.extents(s[0], 0, most)...), m.chance(0.4))
		}
	}},
}

// along chooses an axis and adds it as an attribute; 0 is the default.
func (m *maker) along(shape []int) int {
	if m.chance(0.3) {
		return 0
	}
	axis := m.axis(len(shape))
	m.attr("axis", axis)
	return count(axis, len(shape))
}

// indices adds an operand with places among n, which may count from the end.
func (m *maker) indices(shape []int, n int) {
	lo := 0.0
	if m.opset >= 11 {
		lo = float64(-n)
	}
	m.in(one(m, tensor.Int32, tensor.Int64), shape, values{lo: lo, hi: float64(n - 1)})
}

// below returns a shape that is nowhere greater but along an axis.
func (m *maker) below(shape []int, axis int) []int {
	out := append([]int{}, shape...)
	for i := range out {
		if out[i] = m.between(1, out[i]); i == axis && m.chance(0.3) {
			out[i] = shape[i]
		}
	}
	return out
}

// once returns places along an axis each of which occurs once in its line.
func (m *maker) once(shape []int, axis, n int) *tensor.Tensor {
	inner := product(shape[axis+1:])
	out := make([]int64, product(shape))
	lines := make(map[int][]int)
	for i := range out {
		line := i/inner/shape[axis]*inner + i%inner
		if lines[line] == nil {
			lines[line] = m.Perm(n)
		}
		k := i / inner % shape[axis]
		if out[i] = int64(lines[line][k]); m.opset >= 11 && m.chance(0.2) {
			out[i] -= int64(n)
		}
	}
	return cast(reshape(slice(out), shape), one(m, tensor.Int64, tensor.Int32))
}

// places adds an operand with places of several indices each, on request each place only once.
func (m *maker) places(outer, extents []int, unique bool) {
	n := product(outer)
	var out []int64
	all := m.Perm(product(extents))
	for i := range n {
		at := m.IntN(product(extents))
		if unique {
			at = all[i]
		}
		place := make([]int64, len(extents))
		for k := len(extents) - 1; k >= 0; k-- {
			place[k] = int64(at % extents[k])
			at /= extents[k]
			if m.chance(0.2) {
				place[k] -= int64(extents[k])
			}
		}
		out = append(out, place...)
	}
	m.give(reshape(slice(out), join(outer, []int{len(extents)})), m.chance(0.4))
}

// reduction chooses how elements that meet are joined, of what an opset has.
func (m *maker) reduction(since map[string]int) string {
	if m.opset < 16 {
		return "none"
	}
	var kinds []string
	for _, k := range []string{"add", "mul", "max", "min"} {
		if m.opset >= since[k] {
			kinds = append(kinds, k)
		}
	}
	return option(m, "reduction", "none", kinds...)
}
