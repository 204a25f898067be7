package random

import (
	"slices"

	"github.com/concord-nn/concord/tensor"
)

var moveRules = []rule{
	{op: "CenterCropPad", opsets: "18", types: nums, make: func(m *maker) {
		s := m.shape(1, 4)
		axes := m.Perm(len(s))
		if m.chance(0.5) {
			axes = m.axes(len(s), m.between(1, len(s)))
			m.attr("axes", axes)
		}
		m.in(m.t, s, some)
		m.ints(m.extents(len(axes), 1, 7)...)
	}},
	{op: "Concat", opsets: "7", types: all, make: func(m *maker) {
		s := m.shape(1, 4)
		axis := m.axis(len(s))
		m.attr("axis", axis)
		for range m.between(1, 4) {
			m.in(m.t, with(s, count(axis, len(s)), m.between(1, 4)-m.IntN(2)), edges)
		}
	}},
	{op: "DepthToSpace", opsets: "7", types: "f32 f16 f64 u8", make: func(m *maker) {
		b := m.between(1, 3)
		m.attr("blocksize", b)
		if m.opset >= 11 {
			option(m, "mode", "DCR", "CRD")
		}
		m.in(m.t, []int{m.between(1, 2), m.between(1, 3) * b * b, m.between(1, 3), m.between(1, 3)}, some)
	}},
	{op: "Expand", opsets: "8", types: all, make: func(m *maker) {
		s := m.maybeEmpty(0, 4)
		m.in(m.t, m.broadcast(s), edges)
		m.ints(m.broadcast(s)...)
	}},
	{op: "Flatten", opsets: "7", types: all, make: func(m *maker) {
		s := m.maybeEmpty(1, 4)
		if m.chance(0.7) {
			m.attr("axis", m.axis(len(s)))
		} else if m.chance(0.5) {
			m.attr("axis", len(s))
		}
		m.in(m.t, s, edges)
	}},
	{op: "Identity", opsets: "7", types: anything, make: func(m *maker) { m.in(m.t, m.maybeEmpty(0, 4), edges) }},
	{op: "Pad", opsets: "7-10", types: floats, make: func(m *maker) {
		s := m.shape(1, 4)
		mode := option(m, "mode", "constant", "reflect", "edge")
		m.attr("pads", m.pads(s, mode))
		m.maybe("value", one[float32](m, 0, 1.5, -2))
		m.in(m.t, s, some)
	}},
	{op: "Pad", opsets: "11", types: "f32 f16 f64 i8 i32 i64 u8 u32 u64 bool", make: func(m *maker) {
		s := m.shape(1, 4)
		modes := []string{"reflect", "edge"}
		if m.opset >= 19 {
			modes = append(modes, "wrap")
		}
		mode := option(m, "mode", "constant", modes...)
		pads := m.pads(s, mode)
		m.in(m.t, s, some)
		axes := m.opset >= 18 && m.chance(0.4)
		var list []int
		if axes {
			list = m.axes(len(s), m.between(1, len(s)))
			n := len(s)
			var some []int
			for _, side := range [][]int{pads[:n], pads[n:]} {
				for _, a := range list {
					some = append(some, side[count(a, n)])
				}
			}
			pads = some
		}
		m.ints(pads...)
		if m.chance(0.5) {
			m.in(m.t, nil, some)
		} else {
			m.skip()
		}
		if axes {
			m.give(vector(one(m, tensor.Int32, tensor.Int64), list...), m.chance(0.8))
		}
	}},
	{op: "Reshape", opsets: "7", types: all, make: reshaping},
	{op: "Reshape", opsets: "21", types: small, make: reshaping},
	{op: "ReverseSequence", opsets: "10", types: all, make: func(m *maker) {
		s := m.shape(2, 4)
		batch := option(m, "batch_axis", 1, 0)
		m.attr("time_axis", 1-batch)
		m.in(m.t, s, edges)
		m.give(vector(tensor.Int64, m.extents(s[batch], 1, s[1-batch])...), m.chance(0.5))
	}},
	{op: "Shape", opsets: "7", types: all, make: func(m *maker) {
		if m.opset >= 15 {
			m.maybe("start", m.between(-5, 5))
			m.maybe("end", m.between(-5, 5))
		}
		unaryOf(tensor.Int64, some)(m)
	}},
	{op: "Size", opsets: "7", types: nums + " bool", make: unaryOf(tensor.Int64, some)},
	{op: "Slice", opsets: "7-9", types: all, make: func(m *maker) {
		s := m.shape(1, 4)
		axes := m.Perm(len(s))[:m.between(1, len(s))]
		if m.chance(0.3) {
			axes = seq(len(axes))
		} else {
			m.attr("axes", axes)
		}
		starts, ends, _ := m.bounds(s, axes, false)
		m.attr("starts", starts)
		m.attr("ends", ends)
		m.in(m.t, s, edges)
	}},
	{op: "Slice", opsets: "10", types: all, make: func(m *maker) {
		s := m.maybeEmpty(1, 4)
		axes := m.axes(len(s), m.between(1, len(s)))
		listed := m.chance(0.7)
		if !listed {
			axes = seq(len(axes))
		}
		steps := m.chance(0.7)
		starts, ends, by := m.bounds(s, axes, steps)
		d := one(m, tensor.Int32, tensor.Int64)
		m.in(m.t, s, edges)
		m.give(vector(d, starts...), m.chance(0.7))
		m.give(vector(d, ends...), m.chance(0.7))
		if listed {
			m.give(vector(d, axes...), m.chance(0.7))
		} else {
			m.skip()
		}
		if steps {
			m.give(vector(d, by...), m.chance(0.7))
		}
	}},
	{op: "SpaceToDepth", opsets: "7", types: floats, make: func(m *maker) {
		b := m.between(1, 3)
		m.attr("blocksize", b)
		m.in(m.t, []int{m.between(1, 2), m.between(1, 3), m.between(1, 3) * b, m.between(1, 3) * b}, some)
	}},
	{op: "Split", opsets: "7", types: all, make: func(m *maker) {
		s := m.shape(1, 4)
		axis := m.IntN(len(s))
		n := m.between(1, 4)
		sizes := m.extents(n, 0, 3)
		equal := m.chance(0.4)
		if equal {
			sizes = slices.Repeat([]int{m.between(1, 3)}, n)
		}
		total := 0
		for _, k := range sizes {
			total += k
		}
		s = with(s, axis, total)
		switch {
		case m.opset >= 11 && m.chance(0.3):
			m.attr("axis", axis-len(s))
		case axis != 0 || m.chance(0.5):
			m.attr("axis", axis)
		}
		m.in(m.t, s, edges)
		switch {
		case m.opset >= 18 && m.chance(0.4):
			m.attr("num_outputs", n)
			if total%n != 0 || total == 0 {
				m.node.Input = nil
				m.in(m.t, with(s, axis, n*3-m.IntN(3)), edges) // the last one is smaller
			}
		case equal && m.opset < 18 && m.chance(0.5):
		case m.opset >= 13:
			m.ints(sizes...)
		default:
			m.attr("split", sizes)
		}
		m.exactly(n)
	}},
	{op: "Squeeze", opsets: "7", types: all, make: func(m *maker) {
		s := m.shape(1, 4)
		for i := range s {
			if m.chance(0.4) {
				s[i] = 1
			}
		}
		var axes []int
		for i, n := range s {
			if n == 1 && m.chance(0.7) {
				if m.opset >= 11 && m.chance(0.4) {
					i -= len(s)
				}
				axes = append(axes, i)
			}
		}
		m.in(m.t, s, edges)
		m.axesOf(13, axes)
	}},
	{op: "Tile", opsets: "7", types: nums + " bool", make: func(m *maker) {
		s := m.shape(1, 4)
		m.in(m.t, s, edges)
		m.ints(m.extents(len(s), 0+m.IntN(2), 3)...)
	}},
	{op: "Transpose", opsets: "7", types: all, make: transposing},
	{op: "Transpose", opsets: "21", types: small + " i4 u4", make: transposing},
	{op: "Trilu", opsets: "14", types: "f32 f64 i64 bool f16 i32", make: func(m *maker) {
		m.flag("upper", true)
		m.in(m.t, m.maybeEmpty(2, 4), edges)
		if m.chance(0.6) {
			m.give(scalar(tensor.Int64, float64(m.between(-5, 5))), m.chance(0.7))
		}
	}},
	{op: "Unsqueeze", opsets: "7", types: all, make: func(m *maker) {
		s := m.maybeEmpty(0, 3)
		n := m.between(1, 3)
		m.in(m.t, s, edges)
		m.axesOf(13, m.axes(len(s)+n, n))
	}},
}

func reshaping(m *maker) {
	s := m.maybeEmpty(0, 4)
	n := product(s)
	var to []int
	for rest := n; len(to) < 4 && (rest > 1 || m.chance(0.4)); {
		k := one(m, divisors(rest)...)
		to = append(to, k)
		if rest /= max(k, 1); len(to) == 3 && rest > 1 {
			to = append(to, rest)
			break
		}
	}
	if product(to) != n {
		to = append(to, n/max(product(to), 1))
	}
	keep := m.opset >= 14 && m.flag("allowzero", false)
	if n == 0 {
		to = slices.Clone(s)
	} else if !keep {
		for i := range to {
			if i < len(s) && to[i] == s[i] && m.chance(0.5) {
				to[i] = 0
			}
		}
		if len(to) > 0 && m.chance(0.5) {
			to[m.IntN(len(to))] = -1
		}
	}
	m.in(m.t, s, edges)
	m.ints(to...)
}

func transposing(m *maker) {
	s := m.maybeEmpty(0, 5)
	if m.chance(0.8) {
		m.attr("perm", m.Perm(len(s)))
	}
	m.in(m.t, s, edges)
}

// axesOf adds axes: as an operand from an opset on, and as an attribute before; none are left out.
func (m *maker) axesOf(operand int, axes []int) {
	switch {
	case len(axes) == 0:
	case m.opset >= operand:
		m.ints(axes...)
	default:
		m.attr("axes", axes)
	}
}

// pads returns those of both sides of all dimensions; some crop.
func (m *maker) pads(shape []int, mode string) []int {
	var begin, end []int
	for _, n := range shape {
		lo, hi := 0, 3
		switch mode {
		case "reflect", "wrap":
			hi = n - 1
		case "constant":
			if m.chance(0.2) {
				lo = -(n - 1) / 2
			}
		}
		begin, end = append(begin, m.between(lo, hi)), append(end, m.between(lo, hi))
	}
	return append(begin, end...)
}

// bounds returns where slices along axes start and end, which may be beyond the ends.
func (m *maker) bounds(shape, axes []int, steps bool) (starts, ends, by []int) {
	for _, a := range axes {
		n := shape[count(a, len(shape))]
		starts, ends = append(starts, m.between(-n-2, n+1)), append(ends, m.between(-n-2, n+2))
		by = append(by, 1)
		if steps {
			by[len(by)-1] = one(m, 1, 2, 3, -1, -2)
		}
		if m.chance(0.1) {
			ends[len(ends)-1] = one(m, 1<<31-1, -1<<31+1)
		}
	}
	return starts, ends, by
}

// seq returns 0, 1, 2 …
func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func divisors(n int) []int {
	out := []int{max(n, 1)}
	for k := 1; k < n; k++ {
		if n%k == 0 {
			out = append(out, k)
		}
	}
	return out
}
