package onnx

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

const (
	resizeAttrs = `coordinate_transformation_mode="half_pixel", cubic_coeff_a=-0.75, exclude_outside=0, extrapolation_value=0.0, mode="nearest", ` +
		`nearest_mode="round_prefer_floor"`
	shapedAttrs = resizeAttrs + `, antialias=0, axes: ints, keep_aspect_ratio_policy="stretch"`
)

// Resizing.
var resizeRows = family{"Resizing", []row{
	{name: "Resize", forms: forms("10", `X, scales; mode="nearest"`, "11", "X, roi, scales, sizes?; "+resizeAttrs,
		"13", "X, roi?, scales?, sizes?; "+resizeAttrs, "18 19", "X, roi?, scales?, sizes?; "+shapedAttrs), lower: resize},
	{name: "Upsample", forms: forms("1", `X; height_scale: float!, mode="nearest", width_scale: float!`,
		"7", `X; mode="nearest", scales: floats!`, "9", `X, scales; mode="nearest"`), lower: upsample,
		remark: "as in opset 9 in later ones, where Resize has taken its place"},
}}

// resizeModes are the names that our operator has for modes.
var resizeModes = map[string]string{"nearest": "nearest-neighbor", "linear": "linear", "bilinear": "linear", "cubic": "cubic"}

// resizing is how a tensor is resized along all its dimensions.
type resizing struct {
	sizes  []int
	scales []float64 // nil for the quotients of the extents
	roi    []float64 // where the region begins in each dimension, then where it ends; nil for all of the input
}

// resizing returns a description that changes nothing.
func (c *lowering) resizing() *resizing { return &resizing{sizes: c.Shape(0).Clone()} }

// factor sets the factor of a dimension.
func (r *resizing) factor(d int, f float64) {
	for len(r.scales) < len(r.sizes) {
		r.scales = append(r.scales, 1)
	}
	r.scales[d] = f
}

// scale multiplies the extents of dimensions by factors.
func (c *lowering) scale(r *resizing, axes []int, factors []float64) {
	if len(factors) != len(axes) {
		c.failf("scales", "there are %d numbers; there must be %d", len(factors), len(axes))
	}
	for i, d := range axes {
		r.factor(d, factors[i])
		part := float32(1)
		if r.roi != nil {
			part = float32(r.roi[len(r.sizes)+d]) - float32(r.roi[d])
		}
		n := float32(part*float32(r.sizes[d])) * float32(factors[i]) // rounded as other implementations do
		if !(n >= 0 && n < windowBound) {
			c.failf("scales", "factor %v of dimension %d would give it %v elements", factors[i], d, n)
		}
		r.sizes[d] = int(n)
	}
}

// node adds the operator. Factors that are the quotients of the extents are not mentioned.
func (r *resizing) node(c *lowering, x *graph.Value, attrs graph.Attrs) *graph.Value {
	exact := true
	for d, f := range r.scales {
		exact = exact && float64(r.sizes[d]) == f*float64(x.Type.Shape[d])
	}
	attrs = append(attrs, emit.Attr("sizes", r.sizes, "roi", r.roi)...)
	if !exact {
		attrs = append(attrs, emit.Attr("scales", r.scales)...)
	}
	if d := x.Type.DType; d == tensor.Bool && attrs.String("mode") == resizeModes["nearest"] {
		return c.Cast(c.Node("resize", attrs, c.Cast(x, tensor.Uint8)), d)
	}
	return c.Node("resize", attrs, x)
}

// upsample is Upsample, and Resize of opset 10: the elements begin where those of the input do.
func upsample(c *lowering) []*graph.Value {
	var factors []float64
	switch {
	case c.form.declared("height_scale") != nil:
		factors = []float64{1, 1, c.Float("height_scale"), c.Float("width_scale")}
	case c.form.declared("scales") != nil:
		factors = c.Floats("scales")
	default:
		factors = c.KnownFloats(1)
	}
	attrs := emit.Attr("coordinates", "asymmetric", "nearest_mode", "floor", "mode", resizeModes[c.OneOf("mode", "nearest", "linear", "bilinear")])
	all, r := emit.Counting(0, len(c.Shape(0))), c.resizing()
	c.scale(r, all, factors)
	if c.Str("mode") != "nearest" || slices.Min(append(factors, 1)) == 1 {
		return one(r.node(c, c.In(0), attrs))
	}
	// Where there are fewer elements than in the input the nearest one is that behind, else that in front.
	less, more := c.resizing(), c.resizing()
	for d, f := range factors {
		part := more
		if f < 1 {
			part = less
		}
		part.sizes[d] = r.sizes[d]
		part.factor(d, f)
	}
	y := less.node(c, c.In(0), emit.Attr("coordinates", "asymmetric", "nearest_mode", "ceil", "mode", "nearest-neighbor"))
	for d, n := range less.sizes {
		if factors[d] < 1 {
			more.sizes[d] = n
		}
	}
	return one(more.node(c, y, attrs))
}

func resize(c *lowering) []*graph.Value {
	if c.form.declared("nearest_mode") == nil {
		return upsample(c)
	}
	coordinates := c.OneOf("coordinate_transformation_mode", "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
		"tf_half_pixel_for_nn", "tf_crop_and_resize")
	attrs := emit.Attr("mode", resizeModes[c.OneOf("mode", "nearest", "linear", "cubic")], "coordinates", coordinates,
		"nearest_mode", c.OneOf("nearest_mode", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"), "cubic_coeff_a", c.Float("cubic_coeff_a"),
		"exclude_outside", c.Flag("exclude_outside"), "extrapolation_value", c.Float("extrapolation_value"))
	axes, r := emit.Counting(0, len(c.Shape(0))), c.resizing()
	if c.form.declared("axes") != nil {
		attrs = append(attrs, emit.Attr("antialias", c.Flag("antialias"))...)
		if given := c.Ints("axes"); given != nil {
			axes = c.Axes("axes", given, len(axes))
		}
	}
	if coordinates == "tf_crop_and_resize" {
		c.region(r, axes)
	}
	// In opset 11 an operand without elements is one that is left out.
	scales, sizes := c.KnownFloats(2), c.KnownInts(3)
	switch {
	case len(sizes) > 0 && len(scales) > 0:
		c.failf("scales", "both scales and sizes are given; it must be one of them")
	case len(sizes) > 0 || len(axes) == 0:
		c.resizeTo(r, axes, sizes)
	default:
		c.scale(r, axes, scales)
	}
	return one(r.node(c, c.In(0), attrs))
}

// region reads which part of the input is resized.
func (c *lowering) region(r *resizing, axes []int) {
	given, rank := c.KnownFloats(1), len(r.sizes)
	if len(given) != 2*len(axes) {
		c.failf("roi", "there are %d numbers; there must be %d", len(given), 2*len(axes))
	}
	r.roi = make([]float64, 2*rank)
	for d := range rank {
		r.roi[rank+d] = 1
	}
	for i, d := range axes {
		r.roi[d], r.roi[rank+d] = given[i], given[len(axes)+i]
	}
}

// resizeTo sets the extents of dimensions, or makes them fit.
func (c *lowering) resizeTo(r *resizing, axes, sizes []int) {
	if len(sizes) != len(axes) {
		c.failf("sizes", "there are %d numbers; there must be %d", len(sizes), len(axes))
	}
	c.bounded("sizes", 0, sizes)
	policy := "stretch"
	if c.form.declared("keep_aspect_ratio_policy") != nil {
		policy = c.OneOf("keep_aspect_ratio_policy", "stretch", "not_larger", "not_smaller")
	}
	factors := make([]float64, len(axes))
	for i, d := range axes {
		if factors[i] = float64(sizes[i]) / float64(r.sizes[d]); r.sizes[d] == 0 {
			factors[i] = 1
		}
	}
	factor := 0.0
	switch {
	case policy == "not_larger" && len(factors) > 0:
		factor = slices.Min(factors)
	case policy == "not_smaller" && len(factors) > 0:
		factor = slices.Max(factors)
	}
	for i, d := range axes {
		n := r.sizes[d]
		if r.sizes[d] = sizes[i]; policy != "stretch" {
			r.sizes[d] = c.small("sizes", int64(math.Floor(float64(factor*float64(n))+0.5)))
			r.factor(d, factor)
		}
	}
}
