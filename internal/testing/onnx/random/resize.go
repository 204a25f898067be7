package random

import "github.com/concord-nn/concord/tensor"

var resizeRules = []rule{
	{op: "AffineGrid", opsets: "20", types: "f32 f64", make: func(m *maker) {
		n := m.between(1, 3)
		m.flag("align_corners", false)
		dims := one(m, 2, 3)
		m.in(m.t, []int{n, dims, dims + 1}, few)
		m.ints(join([]int{n, 2}, m.extents(dims, 1, 4))...)
	}},
	{op: "GridSample", opsets: "16", types: "f32", make: func(m *maker) {
		mode, modes := "bilinear", []string{"nearest", "bicubic"}
		dims := 2
		if m.opset >= 20 {
			mode, modes = "linear", []string{"nearest", "cubic"}
			if m.chance(0.3) {
				dims, modes = 3, []string{"nearest"}
			}
		}
		option(m, "mode", mode, modes...)
		option(m, "padding_mode", "zeros", "border", "reflection")
		m.flag("align_corners", false)
		n := m.between(1, 2)
		m.in(m.t, join([]int{n, m.between(1, 2)}, m.extents(dims, 1, 5)), some)
		m.in(m.t, join([]int{n}, m.extents(dims, 1, 4), []int{dims}), values{lo: -1.3, hi: 1.3})
	}, loose: 10},
	{op: "Resize", opsets: "10-10", types: "f32 u8 i8 i32", make: func(m *maker) { m.scaled(0.4) }},
	{op: "Resize", opsets: "11", types: "f32 f32 f32 f16 u8 i8 i32", make: resize, loose: 3},
	{op: "Upsample", opsets: "7-8", types: "f32 u8 i32", make: func(m *maker) {
		m.interpolates(option(m, "mode", "nearest", "linear"))
		s := m.shape(4, 4)
		m.in(m.t, s, some)
		m.attr("scales", []float32{1, 1, m.scale(1), m.scale(1)})
	}},
	{op: "Upsample", opsets: "9-9", types: "f32 u8 i32", make: func(m *maker) { m.scaled(1) }},
}

// scaled makes a resizing by factors.
func (m *maker) scaled(least float32) {
	mode := option(m, "mode", "nearest", "linear")
	m.interpolates(mode)
	s := m.shape(1, 4)
	if mode == "linear" {
		s = m.shape(one(m, 2, 4), 4)
		if len(s) == 3 {
			s = s[:2]
		}
	}
	scales := make([]float32, len(s))
	for i := range scales {
		if scales[i] = m.scale(least); mode == "linear" && i < len(s)-2 {
			scales[i] = 1
		}
	}
	m.in(m.t, s, some)
	m.give(slice(scales), m.chance(0.8))
}

// scale returns a factor.
func (m *maker) scale(least float32) float32 {
	for {
		if f := one[float32](m, 0.5, 0.6, 0.75, 1, 1, 1.5, 2, 2, 3, 1.3); f >= least {
			return f
		}
	}
}

func resize(m *maker) {
	mode := option(m, "mode", "nearest", "linear", "cubic")
	m.interpolates(mode)
	modes := []string{"pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"}
	switch {
	case m.opset < 13:
		modes = append(modes, "tf_half_pixel_for_nn")
	case m.opset >= 19:
		modes = append(modes, "half_pixel_symmetric")
	}
	coordinates := option(m, "coordinate_transformation_mode", "half_pixel", modes...)
	if mode == "nearest" {
		option(m, "nearest_mode", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
	}
	if mode == "cubic" {
		option(m, "cubic_coeff_a", float32(-0.75), float32(-0.5))
		m.flag("exclude_outside", false)
	}
	s := m.extents(one(m, 2, 4, 4), 1, 5)
	if mode == "nearest" || mode == "linear" && m.chance(0.2) {
		s = m.shape(1, 5)
	}
	axes := seq(len(s))
	sized := min(2, len(s))
	if mode == "nearest" {
		sized = m.between(1, len(s))
	}
	listed := m.opset >= 18 && m.chance(0.4)
	if m.opset >= 18 && mode != "nearest" && coordinates != "tf_crop_and_resize" {
		m.flag("antialias", false)
	}
	if listed {
		axes = axes[len(s)-sized:]
		m.attr("axes", axes)
	}
	m.in(m.t, s, some)
	if coordinates == "tf_crop_and_resize" {
		m.maybe("extrapolation_value", float32(2.5))
		roi := make([]float32, 2*len(axes))
		for i, a := range axes {
			if roi[i+len(axes)] = 1; a >= len(s)-sized {
				roi[i], roi[i+len(axes)] = m.Float32()*0.5, 0.5+m.Float32()*0.7
			}
		}
		m.give(slice(roi), m.chance(0.7))
	} else if m.opset < 13 {
		m.give(slice([]float32{}), true)
	} else {
		m.skip()
	}
	var scales []float32
	var sizes []int
	for _, a := range axes {
		f := float32(1)
		if a >= len(s)-sized {
			f = m.scale(0)
		}
		scales = append(scales, f)
		sizes = append(sizes, max(int(float32(s[a])*f), 1))
	}
	if m.chance(0.5) {
		m.give(slice(scales), m.chance(0.8))
		return
	}
	if m.opset < 13 {
		m.give(slice([]float32{}), true)
	} else {
		m.skip()
	}
	if m.opset >= 18 {
		option(m, "keep_aspect_ratio_policy", "stretch", "not_larger", "not_smaller")
	}
	m.give(vector(tensor.Int64, sizes...), m.chance(0.8))
}

// interpolates says that integers between those of the operand may be rounded to either side.
func (m *maker) interpolates(mode string) {
	if mode != "nearest" && m.t.IsInteger() {
		m.quanta = 1
	}
}
