package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestGridSampleValues has cases of ONNX's suite.
func TestGridSampleValues(t *testing.T) {
	x := shaped(tensor.Shape{1, 1, 3, 2}, 0, 1, 2, 3, 4, 5)
	near := shaped(tensor.Shape{1, 2, 4, 2}, -1, -0.8, -0.6, -0.5, -0.1, -0.2, 0.7, 0, 0, 0.4, 0.2, -0.2, -0.3, 0.5, -1, 1)
	far := shaped(tensor.Shape{1, 2, 4, 2}, -10, -10, -5, -5, -0.2, -0.2, 10, 10, 10, 10, -0.2, -0.2, 5, 5, 10, 10)
	sample := func(grid *tensor.Tensor, mode, padding string, aligned bool, want ...float32) valueCase {
		return valueCase{"grid_sample", []*tensor.Tensor{x, grid},
			graph.Attrs{with("mode", mode), with("padding_mode", padding), with("align_corners", aligned)}, [][]float32{want}}
	}
	line := func(place float32, mode, padding string, aligned bool, want float32) valueCase {
		c := sample(shaped(tensor.Shape{1, 1, 1}, place), mode, padding, aligned, want)
		c.in[0] = counted(1, 1, 3)
		return c
	}
	checkValues(t, []valueCase{
		sample(near, "linear", "zeros", false, 0, 0.45, 1.8, 2.4, 3.7, 2.1, 3.7, 1),
		sample(near, "linear", "zeros", true, 0.4, 1.2, 2.05, 2.85, 3.3, 2.2, 3.35, 4),
		sample(near, "cubic", "zeros", false, -0.17325, 0.284265, 1.923106, 2.568, 5.1703749, 2.284414, 4.744844, 1.046875),
		sample(near, "nearest", "zeros", false, 0, 0, 2, 3, 4, 3, 4, 4),
		sample(far, "linear", "zeros", false, 0, 0, 1.7, 0, 0, 1.7, 0, 0),
		sample(far, "linear", "border", false, 0, 0, 1.7, 5, 5, 1.7, 5, 5),
		sample(far, "linear", "reflection", false, 2.5, 0, 1.7, 2.5, 2.5, 1.7, 5, 2.5),
		// Elements beyond the borders, and NaN, which counts as 0.
		line(1, "cubic", "border", false, 3.09375),
		line(0.5, "cubic", "reflection", true, 2.6875),
		line(nan, "linear", "zeros", false, 1),
	})
}

// TestGridSampleIdentity samples the elements themselves, whose places with aligned corners are exact, in three dimensions.
func TestGridSampleIdentity(t *testing.T) {
	x := counted(2, 3, 3, 5, 2)
	places := make([]float32, 0, 2*30*3)
	for range 2 {
		for _, i := range indices(tensor.Shape{3, 5, 2}) {
			places = append(places, float32(2*i[2]-1), float32(i[1])/2-1, float32(i[0]-1))
		}
	}
	for _, mode := range namesOf(def("grid_sample"), "mode") {
		for _, padding := range namesOf(def("grid_sample"), "padding_mode") {
			got := apply[float32](t, "grid_sample", graph.Attrs{with("mode", mode), with("padding_mode", padding), with("align_corners", true)},
				x, must(tensor.FromSlice(places, 2, 3, 5, 2, 3)))
			if !slices.Equal(got, floats(x)) {
				t.Errorf("%s, %s: %v", mode, padding, got)
			}
		}
	}
}

// TestGridReflects mirrors positions step by step.
func TestGridReflects(t *testing.T) {
	for _, aligned := range []bool{false, true} {
		attrs := graph.Attrs{with("padding_mode", "reflection"), with("align_corners", aligned)}
		reflected := func(u float32, n int) float64 { // elements are their places, from 1
			v := (2*u+1)/float32(n) - 1
			if aligned && n > 1 {
				v = 2*u/float32(n-1) - 1
			}
			return float64(apply[float32](t, "grid_sample", attrs, counted(1, 1, n), shaped(tensor.Shape{1, 1, 1}, v))[0]) - 1
		}
		for n := 1; n < 5; n++ {
			for u := -20.0; u < 20; u += 0.125 {
				least, most := 0.0, float64(n-1)
				if !aligned {
					least, most = -0.5, most+0.5
				}
				want := u
				for want < least || want > most {
					if want < least {
						want = 2*least - want
					} else {
						want = 2*most - want
					}
					if least == most {
						want = least
					}
				}
				if got := reflected(float32(u), n); math.Abs(got-min(max(want, 0), float64(n-1))) > 1e-5 {
					t.Errorf("aligned %v, extent %d: %v is mirrored to %v, want %v", aligned, n, u, got, want)
				}
			}
		}
	}
}

func TestDeformConvValues(t *testing.T) {
	offset, mask := make([]float32, 32), slices.Repeat([]float32{1}, 16)
	offset[0], offset[21], mask[11] = 0.5, -0.1, 0.2
	x, ones := shaped(tensor.Shape{1, 1, 3, 3}, 0, 1, 2, 3, 4, 5, 6, 7, 8), shaped(tensor.Shape{1, 1, 2, 2}, 1, 1, 1, 1)
	checkValues(t, []valueCase{{"deform_conv", []*tensor.Tensor{x, ones, shaped(tensor.Shape{1, 8, 2, 2}, offset...), vec[float32](1),
		shaped(tensor.Shape{1, 4, 2, 2}, mask...)}, graph.Attrs{with("padding", make([]int, 4))}, [][]float32{{10.5, 12.9, 21, 19.4}}},
		{"deform_conv", []*tensor.Tensor{counted(1, 1, 3), shaped(tensor.Shape{1, 1, 1}, 1), shaped(tensor.Shape{1, 1, 3}, 0, nan, 0)},
			graph.Attrs{with("padding", []int{0, 0})}, [][]float32{{1, 1, 3}}}}) // NaN counts as 0
}

// TestDeformConvUnmoved compares convolutions whose offsets are 0 with conv, bit by bit.
func TestDeformConvUnmoved(t *testing.T) {
	for seed := range uint64(200) {
		c := def("deform_conv").Generate(op.NewRand(seed, 4))
		if c.In[0].DType() != tensor.Float32 {
			continue
		}
		c.In[2], c.In[4] = must(tensor.New(tensor.Float32, c.In[2].Shape())), nil
		attrs := slices.DeleteFunc(slices.Clone(c.Attrs), func(a graph.Attr) bool { return a.Name == "offset_groups" })
		want := evaluated(def("conv"), op.Case{In: []*tensor.Tensor{c.In[0], c.In[1], c.In[3]}, Attrs: attrs})
		if w := differ(want, evaluated(def("deform_conv"), c)); w != "" {
			t.Fatalf("seed %d: %s: %v", seed, w, c.Attrs)
		}
	}
}
