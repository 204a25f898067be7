package op_test

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestResizeValues has cases of ONNX's suite.
func TestResizeValues(t *testing.T) {
	resize := func(x *tensor.Tensor, want []float32, attrs ...graph.Attr) valueCase {
		return valueCase{"resize", []*tensor.Tensor{x}, attrs, [][]float32{want}}
	}
	sixteen, linear, cubic := counted(4, 4), with("mode", "linear"), with("mode", "cubic")
	coordinates := func(name string) graph.Attr { return with("coordinates", name) }
	size := func(extents ...int) graph.Attr { return with("sizes", extents) }
	scale := func(factors ...float64) graph.Attr { return with("scales", factors) }
	const a, b = float64(float32(0.6)), float64(float32(0.8))
	checkValues(t, []valueCase{
		resize(sixteen, []float32{1.47119141, 2.78125, 4.08251953, 6.71142578, 8.02148438, 9.32275391, 11.91650391, 13.2265625, 14.52783203},
			cubic, size(3, 3), scale(b, b)),
		resize(sixteen, []float32{1.36812675, 2.6695013, 4.0133367, 6.57362509, 7.875, 9.21883488, 11.94896603, 13.25034142, 14.59417629},
			cubic, size(3, 3), scale(b, b), with("cubic_coeff_a", -0.5), with("exclude_outside", true)),
		resize(sixteen, []float32{1, 2.39519167, 3.7903831, 6.58076617, 7.97595787, 9.37114906, 12.1615324, 13.55672359, 14.95191574},
			cubic, size(3, 3), scale(b, b), coordinates("align_corners")),
		resize(sixteen, []float32{2.5180721, 4.2858863, 9.5893288, 11.357142}, cubic, size(2, 2), scale(a, a), with("antialias", true)),
		resize(sixteen, []float32{2.875, 4.5, 9.375, 11}, linear, size(2, 2), scale(a, a), with("antialias", true)),
		resize(sixteen, []float32{7.6, 10, 10, 12.4, 10, 10, 10, 10, 10}, linear, size(3, 3), coordinates("tf_crop_and_resize"),
			with("roi", []float64{float64(float32(0.4)), a, float64(float32(1.2)), float64(float32(1.7))}), with("extrapolation_value", 10.0)),
		resize(counted(1, 4), []float32{1.6666667, 3.3333333}, linear, size(1, 2), scale(1, a), coordinates("half_pixel_symmetric")),
		resize(counted(2, 4), []float32{1, 3.1428571}, linear, size(1, 2), scale(a, a), coordinates("align_corners")),
		resize(sixteen, []float32{1.6666667, 7, 12.3333333}, linear, size(3, 1), coordinates("pytorch_half_pixel")),
		resize(counted(4), []float32{1, 2, 2, 3, 3, 4, 4, 4}, size(8), coordinates("half_pixel"), with("nearest_mode", "ceil")),
		resize(counted(4), []float32{1, 1, 1, 2, 2, 3, 3, 4}, size(8), coordinates("align_corners"), with("nearest_mode", "floor")),
		resize(counted(4), []float32{1, 2, 2, 3, 3, 4, 4, 4}, size(8), coordinates("asymmetric"), with("nearest_mode", "round_prefer_ceil")),
		resize(counted(4), []float32{1, 1, 2, 2, 3, 3, 4, 4}, size(8), coordinates("asymmetric")),
		resize(counted(4), []float32{1, 1, 2, 2, 3, 3, 4, 4}, size(8), coordinates("tf_half_pixel_for_nn"), with("nearest_mode", "floor")),
	})
}

// TestResizeIntegers holds integers to being rounded and saturated, and those of 32 bits to being exact.
func TestResizeIntegers(t *testing.T) {
	size, cubic := with("sizes", []int{4}), with("mode", "cubic")
	for i, v := range apply[uint8](t, "resize", graph.Attrs{size, cubic}, vec[uint8](0, 255)) {
		if want := []uint8{0, 58, 197, 255}[i]; v != want { // the weights of -0.1055 and 1.1055 make -26.9 and 281.9 of the ends
			t.Errorf("uint8: element %d is %d, want %d", i, v, want)
		}
	}
	for i, v := range apply[int32](t, "resize", graph.Attrs{size, with("mode", "linear")}, vec[int32](math.MaxInt32, math.MaxInt32-4)) {
		if want := []int32{math.MaxInt32, math.MaxInt32 - 1, math.MaxInt32 - 3, math.MaxInt32 - 4}[i]; v != want {
			t.Errorf("int32: element %d is %d, want %d", i, v, want)
		}
	}
	crop := graph.Attrs{with("sizes", []int{1}), with("coordinates", "tf_crop_and_resize"), with("roi", []float64{3, 3}), with("extrapolation_value", 1e30)}
	if v := apply[int64](t, "resize", crop, vec[int64](1, 2)); v[0] != math.MaxInt64 {
		t.Errorf("int64: %d lies outside", v[0])
	}
}

// TestResizeRules are the mistakes that only the shape rule finds.
func TestResizeRules(t *testing.T) {
	x := op.Type{DType: tensor.Float32, Shape: tensor.Shape{4, 4}}
	for _, attrs := range []graph.Attrs{
		{with("sizes", []int{4})},
		{with("sizes", []int{4, 4}), with("scales", []float64{1})},
		{with("sizes", []int{4, 4}), with("roi", []float64{0, 1})},
		{with("sizes", []int{4, 4}), with("mode", "linear"), with("antialias", true), with("scales", []float64{1, 0.1})},
	} {
		if _, _, err := def("resize").Bind([]op.Type{x}, attrs); err == nil {
			t.Errorf("%v is accepted", attrs)
		}
	}
	x.DType = tensor.Int64
	if _, _, err := def("resize").Bind([]op.Type{x}, graph.Attrs{with("sizes", []int{4, 4}), with("mode", "cubic")}); err == nil {
		t.Error("int64 is interpolated")
	}
}

// TestResizeDefinition sums weights in float64, the filter written as the formula that the literature gives.
func TestResizeDefinition(t *testing.T) {
	cases(t, "resize", 300, func(c op.Case, out *tensor.Tensor) {
		a := c.Attrs
		if mode := a.String("mode"); !out.DType().IsFloat() || out.DType().IsHalf() || !a.Bool("antialias") && mode == "linear" || mode == "nearest-neighbor" {
			return
		}
		in := c.In[0].Shape()
		r := naiveResize{in, out.Shape(), a}
		weights := make([][][]float64, len(in)) // by dimension, result and element
		for d := range in {
			weights[d] = make([][]float64, out.Shape()[d])
			for o := range weights[d] {
				for i := range in[d] {
					weights[d][o] = append(weights[d][o], r.weight(d, o, i))
				}
			}
		}
		x, got := floats(c.In[0]), floats(out)
		for n, o := range indices(out.Shape()) {
			want := 0.0
			for _, i := range indices(in) {
				weight := 1.0
				for d := range in {
					weight *= weights[d][o[d]][i[d]]
				}
				if weight != 0 {
					want += weight * float64(x[flat(in, i...)])
				}
			}
			for d := range in {
				if u := r.position(d, o[d]); a.String("coordinates") == "tf_crop_and_resize" && (u < 0 || u > float64(in[d]-1)) {
					want = a.Float("extrapolation_value")
				}
			}
			if d := math.Abs(want - float64(got[n])); d > 1e-4*max(1, math.Abs(want)) && math.Abs(want) < 1e30 {
				t.Fatalf("%v %v: result %v is %v, want %v", c.In, a, o, got[n], want)
			}
		}
	})
}

// naiveResize has the formulas of the definition, in float64.
type naiveResize struct {
	in, out tensor.Shape
	attrs   graph.Attrs
}

func (r naiveResize) scale(d int) float64 {
	if scales := r.attrs.Floats("scales"); len(scales) > 0 {
		return scales[d]
	}
	return float64(r.out[d]) / float64(r.in[d])
}

// region returns where the region begins and ends.
func (r naiveResize) region(d int) (begin, end float64) {
	if roi := r.attrs.Floats("roi"); len(roi) > 0 && r.attrs.String("coordinates") == "tf_crop_and_resize" {
		return roi[d], roi[len(r.in)+d]
	}
	return 0, 1
}

// position returns where result o lies along dimension d.
func (r naiveResize) position(d, o int) float64 {
	x, n, m, s := float64(o), float64(r.in[d]), float64(r.out[d]), r.scale(d)
	begin, end := r.region(d)
	switch rule := r.attrs.String("coordinates"); {
	case n == m && s == 1 && begin == 0 && end == 1:
		return x
	case rule == "tf_crop_and_resize" && m == 1:
		return (end-begin)*(n-1)/2 + begin*(n-1)
	case rule == "tf_crop_and_resize":
		return x*(end-begin)*(n-1)/(m-1) + begin*(n-1)
	case m == 1 && (rule == "align_corners" || rule == "pytorch_half_pixel"):
		return 0
	case rule == "align_corners":
		return x * (n - 1) / (s*n - 1)
	case rule == "asymmetric":
		return x / s
	case rule == "tf_half_pixel_for_nn":
		return (x + 0.5) / s
	case rule == "half_pixel_symmetric":
		return n/2*(1-m/(s*n)) + (x+0.5)/s - 0.5
	}
	return (x+0.5)/s - 0.5
}

// weight returns the weight that element i has in result o along dimension d, all places outside that stand for it included.
func (r naiveResize) weight(d, o, i int) float64 {
	n := r.in[d]
	antialias, exclude := r.attrs.Bool("antialias"), r.attrs.Bool("exclude_outside")
	if begin, end := r.region(d); n == r.out[d] && r.scale(d) == 1 && begin == 0 && end == 1 {
		return map[bool]float64{true: 1}[o == i]
	}
	u, shrink := r.position(d, o), 1.0
	if antialias {
		shrink = min(shrink, r.scale(d))
	}
	at := int(math.Floor(u))
	t := u - math.Floor(u)
	filter := func(x float64) float64 {
		x = math.Abs(x)
		switch a := r.attrs.Float("cubic_coeff_a"); {
		case r.attrs.String("mode") == "linear":
			return max(0, 1-x)
		case x <= 1:
			return (a+2)*x*x*x - (a+3)*x*x + 1
		case x < 2:
			return a*x*x*x - 5*a*x*x + 8*a*x - 4*a
		}
		return 0
	}
	part, sum := 0.0, 0.0
	for k := at - 4*n - 8; k <= at+4*n+8; k++ {
		w := filter((float64(k-at) - t) * shrink)
		if exclude && (k < 0 || k >= n) {
			continue
		}
		sum += w
		if min(max(k, 0), n-1) == i {
			part += w
		}
	}
	switch {
	case math.Abs(sum) < 1e-12:
		return 0
	case exclude || antialias:
		return part / sum
	}
	return part
}
