package random

import (
	"strings"

	"github.com/concord-nn/concord/tensor"
)

var convRules = []rule{
	{op: "Conv", opsets: "7", types: single, make: func(m *maker) { m.conv(m.t, m.t, true) }, loose: 3},
	{op: "com.microsoft.FusedConv", opsets: "7", types: "f32", make: func(m *maker) {
		if shape := m.conv(m.t, m.t, true); shape != nil && m.chance(0.5) {
			if len(m.node.Input) < 3 {
				m.skip()
			}
			m.in(m.t, shape, few)
		}
		if kind := one(m, "", "Relu", "Tanh", "Sigmoid", "LeakyRelu", "Clip", "HardSigmoid"); kind != "" {
			m.attr("activation", kind)
			if p := map[string][]float32{"LeakyRelu": {0.25}, "Clip": {-1, 2}, "HardSigmoid": {0.25, 0.5}}[kind]; p != nil {
				m.attr("activation_params", p)
			}
		}
	}, loose: 3},
	{op: "ConvInteger", opsets: "10", types: "u8 i8", make: func(m *maker) {
		w := one(m, tensor.Uint8, tensor.Int8)
		m.conv(m.t, w, false)
		if m.chance(0.6) {
			m.in(m.t, nil, values{lo: -9, hi: 9})
			if m.chance(0.6) {
				m.in(w, nil, values{lo: -9, hi: 9})
			}
		}
		m.returns = []tensor.DType{tensor.Int32}
	}},
	{op: "ConvTranspose", opsets: "7", types: single, make: convTranspose, loose: 3},
	{op: "DeformConv", opsets: "19", types: "f32 f64", make: deformConv, loose: 3},
	{op: "Col2Im", opsets: "18", types: "f32", make: func(m *maker) {
		w := m.window(2, "strides dilations pads")
		image, blocks := w.extents, product(w.out())
		m.in(m.t, []int{m.between(1, 2), m.between(1, 2) * product(w.kernel), blocks}, some)
		m.ints(image...)
		m.ints(w.kernel...)
	}},
}

// window is what convolutions and pools have in common.
type window struct {
	extents, kernel, strides, dilations, pads []int // pads: those at the beginning, then those at the end
	same                                      bool  // the result is as great as strides let it be
}

// window chooses one over n dimensions and adds the attributes that are listed.
func (m *maker) window(n int, attributes string) *window {
	has := func(name string) bool {
		for i := 0; i+len(name) <= len(attributes); i++ {
			if attributes[i:i+len(name)] == name {
				return true
			}
		}
		return false
	}
	ones := make([]int, n)
	for i := range ones {
		ones[i] = 1
	}
	w := &window{kernel: m.extents(n, 1, 3), strides: ones, dilations: ones, pads: make([]int, 2*n)}
	if has("strides") && m.chance(0.6) {
		w.strides = m.extents(n, 1, 3)
		m.attr("strides", w.strides)
	}
	if has("dilations") && m.chance(0.4) {
		w.dilations = m.extents(n, 1, 2)
		m.attr("dilations", w.dilations)
	}
	auto := "NOTSET"
	if has("auto_pad") {
		auto = option(m, "auto_pad", auto, auto, "VALID", "SAME_UPPER", "SAME_LOWER")
	}
	w.same = strings.HasPrefix(auto, "SAME")
	if has("pads") && auto == "NOTSET" && m.chance(0.6) {
		for i := range w.pads {
			w.pads[i] = m.IntN(w.kernel[i%n])
		}
		m.attr("pads", w.pads)
	}
	for i, k := range w.kernel {
		w.extents = append(w.extents, (k-1)*w.dilations[i]+1+m.IntN(5))
	}
	if has("kernel_shape") {
		m.attr("kernel_shape", w.kernel)
	} else if has("kernel?") {
		m.maybe("kernel_shape", w.kernel)
	}
	return w
}

// out returns the extents of the result, with the pads that are given.
func (w *window) out() []int {
	var out []int
	for i, n := range w.extents {
		out = append(out, (n+w.pads[i]+w.pads[i+len(w.kernel)]-w.dilations[i]*(w.kernel[i]-1)-1)/w.strides[i]+1)
	}
	return out
}

// conv adds the operands of a convolution and returns the shape of its result, nil if pads decide that which are not given.
func (m *maker) conv(x, weights tensor.DType, bias bool) []int {
	w := m.window(one(m, 1, 2, 2, 3), "auto_pad strides dilations pads kernel?")
	groups := one(m, 1, 1, 2, 3)
	in, out := m.between(1, 3)*groups, m.between(1, 3)*groups
	if groups > 1 || m.chance(0.3) {
		m.attr("group", groups)
	}
	v := few
	if !x.IsFloat() {
		v = edges
	}
	batch := m.between(1, 2)
	m.in(x, join([]int{batch, in}, w.extents), v)
	m.in(weights, join([]int{out, in / groups}, w.kernel), v)
	if bias && m.chance(0.6) {
		m.in(x, []int{out}, v)
	}
	if w.same {
		return nil
	}
	return join([]int{batch, out}, w.out())
}

func convTranspose(m *maker) {
	n := one(m, 1, 2, 2, 3)
	w := m.window(n, "strides dilations kernel?")
	for i := range w.extents {
		w.extents[i] = m.between(2, 5)
	}
	groups := one(m, 1, 1, 2, 3)
	in, out := m.between(1, 3)*groups, m.between(1, 3)
	if groups > 1 {
		m.attr("group", groups)
	}
	extra := make([]int, n)
	if m.chance(0.4) {
		for i := range extra {
			extra[i] = m.IntN(max(w.strides[i], w.dilations[i]))
		}
		m.attr("output_padding", extra)
	}
	auto := option(m, "auto_pad", "NOTSET", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
	whole := make([]int, n)
	for i := range whole {
		whole[i] = w.strides[i]*(w.extents[i]-1) + extra[i] + (w.kernel[i]-1)*w.dilations[i] + 1
	}
	switch {
	case m.chance(0.25):
		for i := range whole {
			whole[i] -= m.IntN(min(whole[i], w.kernel[i]))
		}
		m.attr("output_shape", whole)
	case auto == "NOTSET" && m.chance(0.6):
		for i := range w.pads {
			w.pads[i] = m.IntN(w.kernel[i%n])
		}
		m.attr("pads", w.pads)
	}
	m.in(m.t, join([]int{m.between(1, 2), in}, w.extents), few)
	m.in(m.t, join([]int{in, out}, w.kernel), few)
	if m.chance(0.6) {
		m.in(m.t, []int{out * groups}, few)
	}
}

func deformConv(m *maker) {
	w := m.window(2, "strides dilations pads kernel?")
	groups, offsets := one(m, 1, 1, 2), one(m, 1, 1, 2)
	in, out := 2*m.between(1, 2), m.between(1, 2)*groups
	if groups > 1 {
		m.attr("group", groups)
	}
	if offsets > 1 {
		m.attr("offset_group", offsets)
	}
	batch, k := m.between(1, 2), product(w.kernel)
	m.in(m.t, join([]int{batch, in}, w.extents), few)
	m.in(m.t, join([]int{out, in / groups}, w.kernel), few)
	m.in(m.t, join([]int{batch, 2 * offsets * k}, w.out()), values{lo: -2.2, hi: 2.2})
	m.perhaps(m.t, []int{out}, few)
	if m.chance(0.5) {
		m.in(m.t, join([]int{batch, offsets * k}, w.out()), values{lo: 0, hi: 1})
	}
}
