package random

import (
	"slices"

	"github.com/concord-nn/concord/tensor"
)

var productRules = []rule{
	{op: "Einsum", opsets: "12", types: "f32 f32 f16 f64 i32 i64", make: einsum},
	{op: "Gemm", opsets: "7", types: floats, make: func(m *maker) {
		m.gemm()
		m.real("beta", 1, -2, 2)
	}},
	{op: "MatMul", opsets: "7", types: "f32 f32 f16 f64 i32 i64 u32 u64", make: func(m *maker) {
		a, b := m.factors()
		m.in(m.t, a, some)
		m.in(m.t, b, some)
	}},
	{op: "MatMulInteger", opsets: "10", types: "u8 i8", make: func(m *maker) {
		a, b := m.factors()
		other := one(m, tensor.Uint8, tensor.Int8)
		m.in(m.t, a, edges)
		m.in(other, b, edges)
		if m.chance(0.6) {
			m.in(m.t, nil, values{lo: -9, hi: 9})
			if m.chance(0.6) {
				s := []int{}
				if len(b) > 1 && m.chance(0.5) {
					s = b[len(b)-1:]
					if len(b) > 2 {
						s = with(with(b, len(b)-2, 1), len(b)-1, b[len(b)-1])
					}
				}
				m.in(other, s, values{lo: -9, hi: 9})
			}
		}
		m.returns = []tensor.DType{tensor.Int32}
	}},
	{op: "Det", opsets: "11", types: "f32", make: func(m *maker) {
		n := m.between(1, 4)
		m.in(m.t, join(m.extents(m.between(0, 2), 1, 3), []int{n, n}), some)
	}, loose: 10},
	{op: "com.microsoft.FusedMatMul", opsets: "7", types: "f32", make: func(m *maker) {
		a, b := m.factors()
		m.real("alpha", 1, -2, 2)
		turn := func(name string, s []int) []int {
			if len(s) > 1 && m.flag(name, false) {
				s = append([]int{}, s...)
				n := len(s)
				s[n-1], s[n-2] = s[n-2], s[n-1]
			}
			return s
		}
		a, b = turn("transA", a), turn("transB", b)
		m.in(m.t, a, some)
		m.in(m.t, b, some)
	}},
	{op: "com.microsoft.FusedMatMul", opsets: "7", types: "f32", make: func(m *maker) {
		// The matrices are those of the first dimension and the last: [M, batch…, K] for [batch…, M, K].
		batch := m.extents(m.between(1, 2), 1, 3)
		rows, inner, columns := m.between(1, 4), m.between(1, 4), m.between(1, 4)
		a, b := join([]int{rows}, batch, []int{inner}), join([]int{inner}, batch, []int{columns})
		m.attr("transBatchA", 1)
		m.attr("transBatchB", 1)
		if m.flag("transA", false) {
			a[0], a[len(a)-1] = inner, rows
		}
		if m.flag("transB", false) {
			b[0], b[len(b)-1] = columns, inner
		}
		m.in(m.t, a, some)
		m.in(m.t, b, some)
	}},
	{op: "com.microsoft.TransposeMatMul", opsets: "7", types: "f32", make: func(m *maker) {
		n := m.between(1, 4)
		m.real("alpha", 1, -2, 2)
		m.flag("transA", false)
		m.flag("transB", false)
		m.in(m.t, []int{n, n}, some)
		m.in(m.t, []int{n, n}, some)
	}},
	{op: "com.microsoft.FusedGemm", opsets: "7", types: "f32", make: func(m *maker) {
		m.gemm()
		m.real("beta", 1, -2, 2)
		switch kind := one(m, "", "Relu", "LeakyRelu", "Sigmoid", "Tanh", "Elu", "HardSigmoid", "ThresholdedRelu", "Softplus", "Softsign", "Selu", "Celu"); kind {
		case "":
		case "LeakyRelu", "Elu", "ThresholdedRelu", "Celu":
			m.attr("activation", kind)
			m.attr("activation_alpha", m.Float32())
		case "Selu":
			m.attr("activation", kind)
			m.attr("activation_alpha", 0.5+m.Float32())
			m.attr("activation_gamma", 0.5+m.Float32())
		case "HardSigmoid":
			m.attr("activation", kind)
			m.attr("activation_alpha", m.Float32())
			m.attr("activation_beta", m.Float32())
		default:
			m.attr("activation", kind)
		}
	}},
}

// gemm adds the operands of a product of matrices and something that broadcasts.
func (m *maker) gemm() {
	rows, inner, columns := m.between(1, 6), m.between(1, 6), m.between(1, 6)
	a, b := []int{rows, inner}, []int{inner, columns}
	if m.flag("transA", false) {
		a = []int{inner, rows}
	}
	if m.flag("transB", false) {
		b = []int{columns, inner}
	}
	m.real("alpha", 1, -2, 2)
	m.in(m.t, a, some)
	m.in(m.t, b, some)
	if m.opset < 11 || m.chance(0.7) {
		m.in(m.t, m.broadcast([]int{rows, columns}), some)
	}
}

// factors returns the shapes of two operands of a matrix product.
func (m *maker) factors() (a, b []int) {
	inner := m.between(1, 6)
	switch m.IntN(6) {
	case 0:
		return []int{inner}, []int{inner}
	case 1:
		return []int{inner}, join(m.extents(m.between(0, 2), 1, 3), []int{inner, m.between(1, 5)})
	case 2:
		return join(m.extents(m.between(0, 2), 1, 3), []int{m.between(1, 5), inner}), []int{inner}
	}
	batch := m.extents(m.between(0, 2), 1, 3)
	return join(m.broadcast(batch), []int{m.between(1, 5), inner}), join(m.broadcast(batch), []int{inner, m.between(1, 5)})
}

// einsum makes an equation of one to three operands over some letters.
func einsum(m *maker) {
	letters := []string{"i", "j", "k", "b", "A"}
	extent := map[string]int{}
	for _, l := range letters {
		extent[l] = m.between(1, 4)
	}
	dots := m.chance(0.3)
	batch := m.extents(m.between(1, 2), 1, 3)
	used := map[string]bool{}
	equation := ""
	for i := range m.between(1, 3) {
		term := ""
		var s []int
		if dots {
			term, s = "...", slices.Clone(batch)
			for k := range s {
				if i > 0 && m.chance(0.3) {
					s[k] = 1
				}
			}
		}
		for _, k := range m.Perm(len(letters))[:m.between(1, 3)] {
			l := letters[k]
			term, s, used[l] = term+l, append(append([]int{}, s...), extent[l]), true
			if m.chance(0.08) {
				term, s = term+l, append(s, extent[l]) // a diagonal
			}
		}
		if i > 0 {
			equation += ","
			if m.chance(0.3) {
				equation += " "
			}
		}
		equation += term
		m.in(m.t, s, few)
	}
	if m.chance(0.8) {
		equation += "->"
		if dots {
			equation += "..."
		}
		for _, k := range m.Perm(len(letters)) {
			if l := letters[k]; used[l] && m.chance(0.6) {
				equation += l
			}
		}
	}
	m.attr("equation", equation)
}
