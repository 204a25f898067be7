package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
)

// Operators that interpolate.

var resizeRows = []row{
	direct("resize", "Resize", moved, resize, "scales and other numbers that are no float32, and scales that the extents say already: own").
		otherwise(func(c *emission) []val {
			if c.in[0].rank() == 0 {
				return one(c.do("Identity", c.in[0]))
			}
			return one(c.resized(c.in[0], c.scales()))
		}),
	own("resample", "Resize", func(c *emission) []val {
		x := c.in[0]
		if x.rank() == 0 {
			return one(c.do("Identity", x))
		}
		attrs := at("mode", resizeModes[c.Str("mode")], "coordinate_transformation_mode", "half_pixel", "nearest_mode", "round_prefer_floor")
		if linear := c.Str("mode") == "linear"; x.DType.Size() == 2 || linear && x.DType.IsInteger() {
			x = c.cast(x, tensor.Float32)
		}
		y := c.node1("Resize", graph.Type{DType: x.DType, Shape: c.out(0).Shape}, attrs, append([]val{x, {}}, c.scales()...)...)
		if c.in[0].DType.IsInteger() && x.DType.IsFloat() {
			y = c.do("Round", y)
		}
		return one(c.cast(y, c.out(0).DType))
	}),
	own("multilinear_upsample", "Resize", multilinear),
	with("grid_sample", "GridSample", floats, "mode", "mode", "padding_mode", "padding_mode", "align_corners", "align_corners"),
	direct("dft", "DFT", floats, func(c *emission) []val {
		if parts := c.in[0].Shape[c.in[0].rank()-1]; c.Bool("onesided") && (parts == 2) != c.Bool("inverse") {
			return nil
		}
		return one(c.dft(c.in[0], c.Bool("onesided"), c.out(0)))
	}, "onesided of complex elements, or from real ones: own").otherwise(dft),
}

// dft adds the operator of the standard. ONNX Runtime does not cut or fill what half a spectrum needs, so that is done before.
func (c *emission) dft(x val, onesided bool, t graph.Type) val {
	length, axis := val{}, c.Int("axis")
	if n := c.Int("length"); n > 0 {
		length = c.integer(tensor.Int64, int64(n))
		if onesided && c.Bool("inverse") {
			x = c.brought(x, axis, n/2+1)
		}
	}
	attrs := at("inverse", c.Bool("inverse"), "onesided", onesided)
	return c.node1("DFT", t, attrs, x, length, c.integer(tensor.Int64, int64(axis)))
}

// brought gives a dimension n elements: the first ones, or zeros behind all.
func (c *emission) brought(x val, d, n int) val {
	more := n - x.Shape[d]
	if more <= 0 {
		return c.cut(x, d, n)
	}
	w := &window{geometry.Window{Size: make(ints, x.rank()), Before: make(ints, x.rank()), After: make(ints, x.rank())}}
	w.After[d] = more
	return c.zeros(x, 0, w, val{})
}

// dft takes the first half of all frequencies, or gives half of them imaginary parts.
func dft(c *emission) []val {
	x, axis, out := c.in[0], c.Int("axis"), c.out(0)
	last := x.rank() - 1
	if c.Bool("inverse") {
		both := x.Shape.Clone()
		both[last] = 2
		zeros := c.do("Sub", x, x)
		return one(c.dft(c.node1("Concat", graph.Type{DType: x.DType, Shape: both}, at("axis", last), x, zeros), true, out))
	}
	all := out.Shape.Clone()
	if all[axis] = c.Int("length"); all[axis] == 0 {
		all[axis] = x.Shape[axis]
	}
	return one(c.cut(c.dft(x, false, graph.Type{DType: x.DType, Shape: all}), axis, out.Shape[axis]))
}

// resizeModes are the names that the standard has for modes.
var resizeModes = map[string]string{"nearest-neighbor": "nearest", "linear": "linear", "cubic": "cubic"}

// resize leaves out what the standard rounds or computes otherwise.
func resize(c *emission) []val {
	scales, in, out := c.Attrs.Floats("scales"), c.in[0].Shape, c.out(0).Shape
	if !singles(append(slices.Concat(scales, c.Attrs.Floats("roi")), c.Float("cubic_coeff_a"), c.Float("extrapolation_value"))...) {
		return nil
	}
	if len(in) == 0 || !slices.Equal(c.factors(), scales) {
		return nil
	}
	said := len(scales) > 0 // whether the scales are the quotients of the extents
	for d, s := range scales {
		said = said && float64(out[d]) == s*float64(in[d])
	}
	if said || len(c.Attrs.Floats("roi")) > 0 && c.Str("coordinates") != "tf_crop_and_resize" {
		return nil
	}
	return one(c.resized(c.in[0], c.scales()))
}

// resized adds the operator of the standard.
func (c *emission) resized(x val, to []val) val {
	mode := resizeModes[c.Str("mode")]
	antialias := c.Bool("antialias") && mode != "nearest" // where it means nothing, ONNX Runtime wants it to be false
	exclude := c.Bool("exclude_outside") && (mode == "cubic" || antialias)
	attrs := at("mode", mode, "coordinate_transformation_mode", c.Str("coordinates"), "nearest_mode", c.Str("nearest_mode"),
		"cubic_coeff_a", c.Float("cubic_coeff_a"), "exclude_outside", exclude, "antialias", antialias, "extrapolation_value", c.Float("extrapolation_value"))
	roi, region := val{}, c.Attrs.Floats("roi")
	if len(region) == 0 && c.Str("coordinates") == "tf_crop_and_resize" {
		region = append(slices.Repeat([]float64{0}, x.rank()), slices.Repeat([]float64{1}, x.rank())...)
	}
	if len(region) > 0 {
		roi = c.reals(region)
	}
	return c.node1("Resize", c.out(0), attrs, append([]val{x, roi}, to...)...)
}

// scales returns the operands that say the extents of the result: scales, or else sizes.
func (c *emission) scales() []val {
	if f := c.factors(); f != nil {
		return []val{c.reals(f)}
	}
	return []val{{}, c.list(c.out(0).Shape...)}
}

// factors returns the scales as float32, nil if there are none that lead to the extents of the result. Runtimes multiply as float32 and
// onnx.checker as float64, so that a scale may have to be a little greater than the nearest float32.
func (c *emission) factors() []float64 {
	in, roi := c.in[0].Shape, c.Attrs.Floats("roi")
	var out []float64
	for d, s := range c.Attrs.Floats("scales") {
		part, n := float32(1), c.out(0).Shape[d]
		if len(roi) > 0 && c.Str("coordinates") == "tf_crop_and_resize" {
			part = float32(roi[len(in)+d]) - float32(roi[d])
		}
		leads := func(f float32) bool {
			return int(float32(part*float32(in[d]))*f) == n && int(float64(part)*float64(in[d])*float64(f)) == n
		}
		f := float32(s)
		if !leads(f) {
			f = math.Nextafter32(f, float32(math.Inf(1)))
		}
		if !leads(f) {
			return nil
		}
		out = append(out, float64(f))
	}
	return out
}

// reals adds a constant that is a list of float32.
func (c *emission) reals(list []float64) val {
	single := make([]float32, len(list))
	for i, x := range list {
		single[i] = float32(x)
	}
	return c.constant(kit.Must(tensor.FromSlice(single, len(single))))
}

// singles reports whether all numbers are float32.
func singles(list ...float64) bool {
	return !slices.ContainsFunc(list, func(x float64) bool { return float64(float32(x)) != x })
}

// upsampleModes are the names that the standard has for how results are placed.
var upsampleModes = map[string]string{"symmetric": "half_pixel", "asymmetric": "asymmetric", "aligned": "align_corners"}

// multilinear adds an element of the border on each side, and takes away what becomes of it.
func multilinear(c *emission) []val {
	x, factor, method, border := c.in[0], c.Ints("factor"), c.Str("method"), c.Str("border")
	outer := method != "aligned" && border != "replicate"
	if outer {
		w := &window{}
		for range factor {
			w.Size, w.Before, w.After = append(w.Size, 1), append(w.Before, 1), append(w.After, 1)
		}
		x = c.padded(x, w, border)
	}
	shape := x.Shape.Clone()
	for i, f := range factor {
		shape[2+i] *= f
	}
	attrs := at("mode", "linear", "coordinate_transformation_mode", upsampleModes[method])
	y := c.node1("Resize", graph.Type{DType: x.DType, Shape: shape}, attrs, x, val{}, val{}, c.list(shape...))
	if outer {
		w := &window{geometry.Window{Size: factor}}
		for _, f := range factor {
			w.Before, w.After = append(w.Before, -f), append(w.After, -f)
		}
		y = c.zeros(y, 2, w, val{})
	}
	return one(y)
}
