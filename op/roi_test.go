package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestRoiCells holds cells to the rule that NNEF gives: rounded coordinates, extent ceil(r/p), stride floor(r/p).
func TestRoiCells(t *testing.T) {
	x := must(tensor.FromSlice([]float32{1, 2, 4, 8, 16, 32, 64, 128}, 1, 1, 8))
	index, nan := must(tensor.FromSlice([]int32{0}, 1)), float32(math.NaN())
	for _, tt := range []struct {
		begin, end   float32
		max, average []float32
	}{
		{0, 8, []float32{8, 128}, []float32{3.75, 60}},
		{0, 7, []float32{8, 64}, []float32{3.75, 30}},       // two cells of 4, 3 apart
		{0.5, 4.49, []float32{2, 4, 8}, []float32{2, 4, 8}}, // rounded to 1 and 4: three cells of 1, 1 apart
		{-2, 2, []float32{0, 2}, []float32{0, 1.5}},         // the first cell is outside
		{6, 12, []float32{128, 0}, []float32{96, 0}},        // the second is
		{5, 3, []float32{0}, []float32{0}},                  // ends before it begins
		{nan, float32(math.Inf(1)), []float32{128}, []float32{31.875}},
	} {
		rois := must(tensor.FromSlice([]float32{tt.begin, tt.end}, 1, 2))
		in, attrs := []*tensor.Tensor{x, rois, index}, graph.Attrs{{Name: "output_size", Value: []int{len(tt.max)}}}
		for name, want := range map[string][]float32{"max_roi_pool": tt.max, "avg_roi_pool": tt.average} {
			out, err := op.Eval(def(name), in, attrs)
			if err != nil {
				t.Fatal(err)
			}
			sameFloats(t, out[0], want, op.Case{In: in, Attrs: attrs})
		}
	}
}

// TestRoiPool follows the worked rule of OpenVX: ends included, bins from floor to ceil.
func TestRoiPool(t *testing.T) {
	x := must(tensor.FromSlice([]int16{
		1, 2, 3, 4,
		5, 6, 7, 8,
		9, 10, 11, 12,
	}, 1, 1, 3, 4))
	for _, tt := range []struct {
		roi  []int16
		size []int
		want []int16
	}{
		{[]int16{0, 0, 3, 2}, []int{1, 1}, []int16{12}},
		{[]int16{0, 0, 3, 2}, []int{3, 4}, []int16{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		{[]int16{0, 0, 2, 0}, []int{1, 2}, []int16{2, 3}}, // columns 0–1 and 1–2
		{[]int16{1, 1, 1, 1}, []int{2, 2}, []int16{6, 6, 6, 6}},
		{[]int16{2, 2, 0, 0}, []int{1, 1}, []int16{11}}, // ends before it begins: one element
		{[]int16{-2, 0, 1, 0}, []int{1, 2}, []int16{0, 2}},
		{[]int16{math.MinInt16, 0, math.MaxInt16, 0}, []int{1, 1}, []int16{4}},
	} {
		out, err := op.Eval(def("roi_pool"), []*tensor.Tensor{x, must(tensor.FromSlice(tt.roi, 1, 1, 4))}, graph.Attrs{{Name: "output_size", Value: tt.size}})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range tensor.Data[int16](out[0]) {
			if v != tt.want[i] {
				t.Errorf("%v in %v: bin %d is %d, want %d", tt.roi, tt.size, i, v, tt.want[i])
			}
		}
	}
	extreme := must(tensor.FromSlice([]int64{math.MinInt64, math.MinInt64, math.MaxInt64, math.MaxInt64}, 1, 1, 4))
	out, err := op.Eval(def("roi_pool"), []*tensor.Tensor{x, extreme}, graph.Attrs{{Name: "output_size", Value: []int{1, 1}}})
	if err != nil || tensor.Data[int16](out[0])[0] != 12 {
		t.Errorf("the greatest region gives %v, %v", out, err)
	}

	// With before = "empty" a bin that begins before the data has nothing, along either dimension.
	early := must(tensor.FromSlice([]int8{-1, 0, 2, 2, 0, -1, 3, 1, -1, -1, -1, -1}, 1, 3, 4))
	out, err = op.Eval(def("roi_pool"), []*tensor.Tensor{x, early}, graph.Attrs{{Name: "output_size", Value: []int{2, 2}}, {Name: "before", Value: "empty"}})
	if want := []int16{0, 7, 0, 11, 0, 0, 6, 8, 0, 0, 0, 0}; err != nil || !slices.Equal(tensor.Data[int16](out[0]), want) {
		t.Errorf("regions that begin before the data give %v, %v; want %v", out, err, want)
	}
}

// TestRoiPlanes pools and resamples regions of two dimensions, and numbers below 0.
func TestRoiPlanes(t *testing.T) {
	x, one := counted(1, 1, 3, 3), with("output_size", []int{1, 1})
	region := shaped(tensor.Shape{1, 4}, 1, 1, 3, 3)
	checkValues(t, []valueCase{
		{"avg_roi_pool", []*tensor.Tensor{x, region, vec[int32](0)}, graph.Attrs{one}, [][]float32{{7}}},
		{"roi_resample", []*tensor.Tensor{x, region, vec[int32](0)}, graph.Attrs{one, with("method", "aligned")}, [][]float32{{5}}},
		{"roi_pool", []*tensor.Tensor{shaped(tensor.Shape{1, 1, 1, 2}, -5, -3), must(vec[int32](0, 0, 1, 0).Reshape(1, 1, 4))}, graph.Attrs{one}, [][]float32{{-3}}},
	})
}

// TestRoiResample interpolates data that are their own positions.
func TestRoiResample(t *testing.T) {
	x := must(tensor.FromSlice([]float32{0, 1, 2, 3, 4, 5, 6, 7}, 2, 1, 4))
	rois := must(tensor.FromSlice([]float32{0, 4, 0, 4, 1, 3, -9, 99}, 4, 2))
	index := must(tensor.FromSlice([]int64{0, 1, 0, 7}, 4, 1))
	for method, want := range map[string][]float32{
		"symmetric":  {0.5, 2.5, 4.5, 6.5, 1, 2, 7, 7},
		"asymmetric": {0, 2, 4, 6, 1, 2, 4, 7},
		"aligned":    {0, 3, 4, 7, 1, 2, 4, 7},
	} {
		out, err := op.Eval(def("roi_resample"), []*tensor.Tensor{x, rois, index},
			graph.Attrs{{Name: "output_size", Value: []int{2}}, {Name: "method", Value: method}})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range floats(out[0]) {
			if v != want[i] {
				t.Errorf("%s: result %d is %v, want %v", method, i, v, want[i])
			}
		}
	}
}

// TestRoiRejects holds the operators to operands that belong together.
func TestRoiRejects(t *testing.T) {
	zeros := func(d tensor.DType, shape ...int) *tensor.Tensor { return must(tensor.New(d, shape)) }
	x, one := zeros(tensor.Float32, 1, 1, 4, 4), zeros(tensor.Int32, 1)
	size := func(n ...int) graph.Attrs { return graph.Attrs{{Name: "output_size", Value: n}} }
	for _, tt := range []struct {
		op    string
		in    []*tensor.Tensor
		attrs graph.Attrs
	}{
		{"max_roi_pool", []*tensor.Tensor{x, zeros(tensor.Float32, 1, 2), one}, size(2, 2)},
		{"max_roi_pool", []*tensor.Tensor{x, zeros(tensor.Float32, 2, 4), one}, size(2, 2)},
		{"max_roi_pool", []*tensor.Tensor{x, zeros(tensor.Float32, 1, 4), one}, size(2)},
		{"max_roi_pool", []*tensor.Tensor{x, zeros(tensor.Float32, 1, 4), one}, size(2, 0)},
		{"avg_roi_pool", []*tensor.Tensor{zeros(tensor.Float32, 0, 1, 4, 4), zeros(tensor.Float32, 1, 4), one}, size(2, 2)},
		{"roi_resample", []*tensor.Tensor{zeros(tensor.Float32, 1, 1, 0, 4), zeros(tensor.Float32, 1, 4), one}, size(2, 2)},
		{"roi_pool", []*tensor.Tensor{x, zeros(tensor.Int32, 1, 1, 3)}, size(2, 2)},
		{"roi_pool", []*tensor.Tensor{x, zeros(tensor.Int32, 2, 1, 4)}, size(2, 2)},
		{"roi_pool", []*tensor.Tensor{x, zeros(tensor.Int32, 1, 1, 4)}, size(2)},
		{"roi_pool", []*tensor.Tensor{x, zeros(tensor.Int32, 1, 1, 4)}, size(math.MaxInt, 1)},
	} {
		if _, err := op.Eval(def(tt.op), tt.in, tt.attrs); err == nil {
			t.Errorf("%s accepts %v %v", tt.op, tt.in, tt.attrs)
		}
	}
}

// TestRoiPoolByIndex compares regions in one list with those in a list for each batch item.
func TestRoiPoolByIndex(t *testing.T) {
	r := op.NewRand(1, 5)
	data, rois := r.Tensor(tensor.Float32, tensor.Shape{2, 3, 5, 4}), r.Integers(tensor.Int32, tensor.Shape{2, 3, 4}, -2, 7)
	attrs := graph.Attrs{with("output_size", []int{2, 3})}
	want := apply[float32](t, "roi_pool", attrs, data, rois)
	one := must(tensor.FromSlice(tensor.Data[int32](rois), 1, 6, 4))
	if got := apply[float32](t, "roi_pool", attrs, data, one, vec[int64](0, 0, -1, 1, 1, 9)); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestRoiAlignValues has places that lie on elements, half-way between them, on the edge and outside.
func TestRoiAlignValues(t *testing.T) {
	x := counted(1, 1, 3, 3)
	align := func(x *tensor.Tensor, roi []float32, want []float32, attrs ...graph.Attr) valueCase {
		return valueCase{"roi_align", []*tensor.Tensor{x, shaped(tensor.Shape{1, 4}, roi...), vec[int64](0)}, attrs, [][]float32{want}}
	}
	size := func(n ...int) graph.Attr { return with("output_size", n) }
	whole, most := with("half_pixel", false), with("mode", "max")
	checkValues(t, []valueCase{
		align(x, []float32{0, 0, 3, 3}, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, size(3, 3)),
		align(x, []float32{0, 0, 3, 3}, []float32{5}, size(1, 1)),
		align(x, []float32{0, 0, 6, 6}, []float32{5}, size(1, 1), with("spatial_scale", 0.5)),
		align(x, []float32{0, 0, 2, 2}, []float32{3, 4, 6, 7}, size(2, 2), whole),
		align(x, []float32{0, 0, 2, 2}, []float32{1.25, 1.5, 2, 2.25}, size(2, 2), whole, most), // the greatest quarter of an element
		align(x, []float32{1, 1, 1, 1}, []float32{7}, size(1, 1), whole),                        // a side of 1 at least
		align(x, []float32{2, 2, 1, 1}, []float32{0}, size(1, 1)),                               // no places
		align(x, []float32{2, 2, 1, 1}, []float32{5}, size(1, 1), with("sampling_ratio", 1)),
		align(x, []float32{-8, 0, 8, 3}, []float32{75.0 / 48}, size(1, 1)), // 5 of 16 columns, two of them at the edges
		align(x, []float32{0, 0, 1e30, 3}, []float32{0}, size(1, 1)),
		align(x, []float32{-30, 0, -20, 3}, []float32{0}, size(1, 1), most),                                                                      // all places are outside
		align(shaped(tensor.Shape{1, 1, 1, 3}, 1, 2, 3), []float32{1.5, 0.5, -6.5, 0.5}, []float32{0.25}, size(1, 1), with("sampling_ratio", 4)), // at 0, -2, -4 and -6
		align(shaped(tensor.Shape{1, 1, 1, 2}, 1, inf), []float32{0, 0, 1, 1}, []float32{1}, size(1, 1)),                                         // what has no weight does not count
	})
}
