package random

import (
	"github.com/concord-nn/concord/tensor"
)

var poolRules = []rule{
	{op: "AveragePool", opsets: "7", types: single, make: func(m *maker) {
		m.flag("count_include_pad", false)
		m.pool(10, 19, some)
	}},
	{op: "LpPool", opsets: "7", types: single, make: func(m *maker) {
		option(m, "p", 2, 1, 3)
		m.pool(18, 18, some)
	}},
	{op: "MaxPool", opsets: "7", types: "f32 f32 f16 f64 i8 u8", make: func(m *maker) {
		m.pool(10, 10, distinct)
		if m.opset >= 8 && m.chance(0.4) {
			m.flag("storage_order", false)
			m.exactly(2)
			m.returns = []tensor.DType{m.t, tensor.Int64}
		}
	}},
	global("GlobalAveragePool"),
	{op: "GlobalLpPool", opsets: "7", types: single, make: func(m *maker) {
		option(m, "p", 2, 1, 3)
		m.in(m.t, m.shape(3, 5), some)
	}},
	global("GlobalMaxPool"),
	{op: "MaxRoiPool", opsets: "7", types: "f32", make: func(m *maker) {
		h, w := m.between(3, 8), m.between(3, 8)
		m.attr("pooled_shape", m.extents(2, 1, 3))
		m.real("spatial_scale", 1, 0.5, 1)
		batch := m.between(1, 2)
		m.in(m.t, []int{batch, m.between(1, 2), h, w}, some)
		n := m.between(1, 3)
		var rois []float32
		for range n {
			x, y := m.IntN(w), m.IntN(h)
			rois = append(rois, float32(m.IntN(batch)), float32(x), float32(y), float32(m.between(x, w-1)), float32(m.between(y, h-1)))
		}
		m.give(reshape(slice(rois), []int{n, 5}), m.chance(0.5))
	}},
	{op: "RoiAlign", opsets: "10", types: "f32 f64", make: func(m *maker) {
		option(m, "mode", "avg", "max")
		option(m, "output_height", 1, 2, 3)
		option(m, "output_width", 1, 2, 3)
		option(m, "sampling_ratio", 0, 1, 2, 3)
		m.real("spatial_scale", 1, 0.5, 1)
		if m.opset >= 16 {
			option(m, "coordinate_transformation_mode", "half_pixel", "output_half_pixel")
		}
		batch, h, w := m.between(1, 2), m.between(2, 7), m.between(2, 7)
		m.in(m.t, []int{batch, m.between(1, 2), h, w}, some)
		n := m.between(1, 3)
		var rois []float64
		for range n {
			x, y := m.Float64()*float64(w), m.Float64()*float64(h)
			rois = append(rois, x, y, x+0.5+m.Float64()*3, y+0.5+m.Float64()*3)
		}
		m.give(cast(reshape(slice(rois), []int{n, 4}), m.t), m.chance(0.5))
		m.give(vector(tensor.Int64, m.extents(n, 0, batch-1)...), m.chance(0.5))
	}},
	{op: "MaxUnpool", opsets: "9", types: "f32", make: func(m *maker) {
		n := one(m, 1, 2, 2)
		w := &window{kernel: m.extents(n, 1, 3), strides: m.extents(n, 1, 2), pads: make([]int, 2*n)}
		m.attr("kernel_shape", w.kernel)
		m.attr("strides", w.strides)
		if m.chance(0.5) {
			for i := range n {
				if w.kernel[i] > 1 {
					w.pads[i], w.pads[i+n] = m.IntN(2), m.IntN(2)
				}
			}
		}
		in := m.extents(n, 2, 4)
		var out []int
		for i := range n {
			for w.strides[i] == 1 && w.kernel[i]-w.pads[i]-w.pads[i+n] < 1 { // there must be room for all elements
				w.pads[i], w.pads[i+n] = max(w.pads[i]-1, 0), max(w.pads[i+n]-1, 0)
			}
			out = append(out, (in[i]-1)*w.strides[i]+w.kernel[i]-w.pads[i]-w.pads[i+n])
		}
		m.attr("pads", w.pads)
		outer := []int{m.between(1, 2), m.between(1, 2)}
		s := join(outer, in)
		m.in(m.t, s, some)
		size, k := product(out), product(in) // each image has places of its own, counted over all of the result
		var at []int
		for c := range product(outer) {
			for _, p := range m.Perm(size)[:k] {
				at = append(at, c*size+p)
			}
		}
		m.give(reshape(vector(tensor.Int64, at...), s), m.chance(0.4))
		if m.chance(0.4) {
			m.ints(join(outer, out)...)
		}
	}},
}

func global(op string) rule {
	return rule{op: op, opsets: "7", types: single, make: func(m *maker) { m.in(m.t, m.shape(3, 5), some) }}
}

// pool adds the operand of a pool, which has the attributes ceil_mode and dilations since some opsets.
func (m *maker) pool(ceil, dilations int, v values) {
	attributes := "auto_pad kernel_shape strides pads"
	if m.opset >= dilations {
		attributes += " dilations"
	}
	if m.opset >= ceil {
		m.flag("ceil_mode", false)
	}
	w := m.window(one(m, 1, 2, 2, 3), attributes)
	m.in(m.t, join(m.extents(2, 1, 3), w.extents), v)
}
