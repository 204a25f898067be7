package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func by2(reduction string, more ...graph.Attr) graph.Attrs {
	return append(graph.Attrs{with("reduction", reduction)}, more...)
}

func TestScatterElementsReduce(t *testing.T) {
	// ONNX, test_scatter_elements_with_duplicate_indices, …_with_reduction_max, …_min; …_with_negative_indices.
	x, at := shaped(tensor.Shape{1, 5}, 1, 2, 3, 4, 5), must(tensor.FromSlice([]int64{1, 1}, 1, 2))
	u := shaped(tensor.Shape{1, 2}, 1.1, 2.1)
	axis := with("axis", 1)
	equalFloats(t, "add", apply[float32](t, "scatter_elements_reduce", by2("add", axis), x, at, u), []float32{1, 5.2, 3, 4, 5})
	equalFloats(t, "max", apply[float32](t, "scatter_elements_reduce", by2("max", axis), x, at, u), []float32{1, 2.1, 3, 4, 5})
	equalFloats(t, "min", apply[float32](t, "scatter_elements_reduce", by2("min", axis), x, at, u), []float32{1, 1.1, 3, 4, 5})
	equalFloats(t, "mul", apply[float32](t, "scatter_elements_reduce", by2("mul", axis), x, at, shaped(tensor.Shape{1, 2}, 2, 5)), []float32{1, 20, 3, 4, 5})

	ends := vec[int32](-1, -4, 9, 3)
	if got := apply[int8](t, "scatter_elements_reduce", by2("add", with("negative", true)), vec[int8](0, 0, 100), ends, vec[int8](1, 2, 100, 5)); !slices.Equal(got, []int8{2, 0, -50}) {
		t.Error(got) // nearest legal ones beyond the ends; 100+1+100+5 wraps
	}
	if got := apply[int8](t, "scatter_elements_reduce", by2("add"), vec[int8](0, 0, 0), ends, vec[int8](1, 2, 3, 4)); !slices.Equal(got, []int8{3, 0, 7}) {
		t.Error(got)
	}
	equalFloats(t, "NaN", apply[float32](t, "scatter_elements_reduce", by2("max"), vec(1, nan, negZero, math.Float32frombits(0x7F80_0123)), vec[int32](0, 1, 2), vec(nan, 1, 0)),
		[]float32{nan, nan, 0, nan})
	rejected(t, "scatter_elements_reduce", by2("none", axis), x, at, u)
	rejected(t, "scatter_elements_reduce", by2("add", axis), x, must(tensor.FromSlice([]uint8{1, 1}, 1, 2)), u)
}

// TestScatterOrder adds numbers whose sum depends on the order.
func TestScatterOrder(t *testing.T) {
	const big = 1 << 24
	updates := []float32{1, big, 1, 1, -big, 1}
	want := float32(0)
	for _, v := range updates {
		want += v
	}
	got := apply[float32](t, "scatter_elements_reduce", by2("add"), vec[float32](0), vec[int64](0, 0, 0, 0, 0, 0), vec(updates...))
	equalFloats(t, "in order", got, []float32{want})
	slices.Reverse(updates)
	if apply[float32](t, "scatter_elements_reduce", by2("add"), vec[float32](0), vec[int64](0, 0, 0, 0, 0, 0), vec(updates...))[0] == want {
		t.Error("the order makes no difference; choose other numbers")
	}
	// 16-bit floats are combined in float32, and rounded once.
	half := func(v ...float32) *tensor.Tensor { return must(tensor.Cast(vec(v...), tensor.Float16)) }
	out := evalAll(t, "scatter_elements_reduce", by2("add"), half(2048), vec[int32](0, 0), half(1, 1))
	equalFloats(t, "halves", floats(out[0]), []float32{2050})
}

func TestScatterNDReduce(t *testing.T) {
	// ONNX, test_scatternd_add, test_scatternd_max_with_element_indices, test_scatternd_min, shortened.
	x, at := iota32(3, 2), must(tensor.FromSlice([]int64{0, 2, 0}, 3, 1))
	u := ints32([]int32{10, 1, 3, 9, 10, 2}, 3, 2)
	for reduction, want := range map[string][]int32{
		"add": {20, 4, 2, 3, 7, 14}, "mul": {0, 2, 2, 3, 12, 45}, "max": {10, 2, 2, 3, 4, 9}, "min": {0, 1, 2, 3, 3, 5},
	} {
		if got := apply[int32](t, "scatter_nd_reduce", by2(reduction), x, at, u); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", reduction, got, want)
		}
	}
	coordinates := must(tensor.FromSlice([]int64{1, -1, 1, 1, 0, 0}, 3, 2))
	if got := apply[int32](t, "scatter_nd_reduce", by2("max", with("negative", true)), x, coordinates, ints32([]int32{2, 7, -1}, 3)); !slices.Equal(got, []int32{0, 1, 2, 7, 4, 5}) {
		t.Error(got)
	}
	whole := must(tensor.New(tensor.Int64, tensor.Shape{2, 0})) // coordinates of rank 0: the whole tensor, twice
	if got := apply[int32](t, "scatter_nd_reduce", by2("add"), vec[int32](1, 2), whole, ints32([]int32{1, 1, 5, 5}, 2, 2)); !slices.Equal(got, []int32{7, 8}) {
		t.Error(got)
	}
	rejected(t, "scatter_nd_reduce", by2("add"), x, at, ints32([]int32{1}, 1))
}

// TestCumulativeProduct has the cases of ONNX's test_cumprod.
func TestCumulativeProduct(t *testing.T) {
	x := vec[int32](1, 2, 3, 4)
	exclusive, reversed := with("exclusive", true), with("reversed", true)
	for _, c := range []struct {
		attrs graph.Attrs
		want  []int32
	}{
		{nil, []int32{1, 2, 6, 24}},
		{graph.Attrs{exclusive}, []int32{1, 1, 2, 6}},
		{graph.Attrs{reversed}, []int32{24, 24, 12, 4}},
		{graph.Attrs{exclusive, reversed}, []int32{24, 12, 4, 1}},
	} {
		if got := apply[int32](t, "cumulative_product", append(c.attrs, axisOf(0)), x); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.attrs, got, c.want)
		}
	}
	equalFloats(t, "rows", apply[float32](t, "cumulative_product", graph.Attrs{axisOf(0)}, shaped(tensor.Shape{2, 3}, 1, 2, 3, 4, 5, 6)), []float32{1, 2, 3, 4, 10, 18})
	equalFloats(t, "specials", apply[float32](t, "cumulative_product", graph.Attrs{axisOf(0)}, vec(negZero, 2, inf, 0)), []float32{negZero, negZero, nan, nan})
	rejected(t, "cumulative_product", graph.Attrs{axisOf(1)}, x)
}

func image(output, size []int, more ...graph.Attr) graph.Attrs {
	attrs := append(graph.Attrs{with("output_size", output), with("size", size)}, more...)
	if attrs.Get("padding") == nil {
		attrs = append(attrs, with("padding", make([]int, 2*len(size))))
	}
	return attrs
}

func TestColToIm(t *testing.T) {
	columns := counted(1, 5, 5)
	columns = evalAll(t, "transpose", graph.Attrs{with("axes", []int{0, 2, 1})}, columns)[0] // as in ONNX's cases, each block a column
	// ONNX, test_col2im.
	equalFloats(t, "blocks", apply[float32](t, "col_to_im", image([]int{5, 5}, []int{1, 5}), columns), floats(counted(25)))

	// ONNX, test_col2im_strides.
	strided := must(tensor.FromSlice([]float32{
		0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0}, 1, 9, 4))
	equalFloats(t, "strides", apply[float32](t, "col_to_im", image([]int{5, 5}, []int{3, 3}, with("stride", []int{2, 2})), strided), []float32{
		0, 1, 1, 1, 1,
		1, 0, 1, 0, 0,
		0, 2, 1, 2, 1,
		1, 0, 1, 0, 0,
		0, 1, 0, 1, 0})

	// ONNX, test_col2im_pads.
	padded := evalAll(t, "transpose", graph.Attrs{with("axes", []int{0, 2, 1})}, counted(1, 15, 5))[0]
	equalFloats(t, "padding", apply[float32](t, "col_to_im", image([]int{5, 5}, []int{1, 5}, with("padding", []int{0, 0, 1, 1})), padded), []float32{
		8, 21, 24, 27, 24,
		38, 66, 69, 72, 54,
		68, 111, 114, 117, 84,
		98, 156, 159, 162, 114,
		128, 201, 204, 207, 144})
	rejected(t, "col_to_im", image([]int{5, 5}, []int{1, 4}), columns)
	rejected(t, "col_to_im", image([]int{5, 6}, []int{1, 5}), columns)
	rejected(t, "col_to_im", image([]int{5}, []int{1, 5}), columns)
	rejected(t, "col_to_im", image([]int{}, []int{}), columns)
	rejected(t, "col_to_im", image([]int{2, 2}, []int{5, 1}), columns)
}

// TestColToImLoops compares generated cases with the plain loop over blocks.
func TestColToImLoops(t *testing.T) {
	for seed := range uint64(300) {
		c := def("col_to_im").Generate(op.NewRand(seed, 1+int(seed)/60))
		if c.In[0].DType() != tensor.Int64 {
			c.In[0] = must(tensor.Cast(must(tensor.Cast(c.In[0], tensor.Int8)), tensor.Int64))
		}
		got := evalAll(t, "col_to_im", c.Attrs, c.In...)[0]
		want := make([]int64, got.Len())
		size, padding, stride, dilation := c.Attrs.Ints("size"), c.Attrs.Ints("padding"), c.Attrs.Ints("stride"), c.Attrs.Ints("dilation")
		out, counts, volume := c.Attrs.Ints("output_size"), make([]int, len(size)), tensor.Shape(size).Len()
		for d := range out {
			counts[d] = (out[d]+padding[2*d]+padding[2*d+1]-(size[d]-1)*dilation[d]-1)/stride[d] + 1
		}

		blocks := c.In[0].Shape()[2]
		for i, v := range tensor.Data[int64](c.In[0]) {
			plane, k, l := i/blocks/volume, i/blocks%volume, i%blocks
			to, step := 0, 1
			for d := len(out) - 1; d >= 0; d-- {
				at := l%counts[d]*stride[d] - padding[2*d] + k%size[d]*dilation[d]
				if at < 0 || at >= out[d] {
					to = -1
					break
				}
				to += at * step
				step *= out[d]
				k /= size[d]
				l /= counts[d]
			}
			if to >= 0 {
				want[plane*tensor.Shape(out).Len()+to] += v
			}
		}
		if !slices.Equal(tensor.Data[int64](got), want) {
			t.Fatalf("seed %d: %v: %v, want %v", seed, c.Attrs, tensor.Data[int64](got), want)
		}
	}
}

func TestNGramCount(t *testing.T) {
	// ONNX, test_tfidfvectorizer_tf_*.
	x := must(tensor.FromSlice([]int32{1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8}, 12))
	batch := must(tensor.FromSlice([]int32{1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8}, 2, 6))
	grams := func(lo, hi, skip int, more ...graph.Attr) graph.Attrs {
		return append(graph.Attrs{with("pool", []int{2, 3, 5, 4, 5, 6, 7, 8, 6, 7}), with("starts", []int{0, 4}), with("columns", []int{0, 1, 2, 3, 4, 5, 6}),
			with("min_length", lo), with("max_length", hi), with("max_skip", skip)}, more...)
	}
	onlyPairs := graph.Attrs{with("pool", []int{5, 6, 7, 8, 6, 7}), with("starts", []int{0, 0}), with("columns", []int{0, 1, 2}), with("min_length", 2), with("max_length", 2)}
	weights := with("weights", []float64{1, 2, 0.5, 3, 4, 5, 0.25})
	for _, c := range []struct {
		name  string
		x     *tensor.Tensor
		attrs graph.Attrs
		want  []float32
	}{
		{"pairs, no skip", x, grams(2, 2, 0), []float32{0, 0, 0, 0, 1, 1, 1}},
		{"pairs, skip 5", x, grams(2, 2, 5), []float32{0, 0, 0, 0, 1, 3, 1}},
		{"both, skip 5", x, grams(1, 2, 5), []float32{0, 3, 1, 0, 1, 3, 1}},
		{"both, no skip", x, grams(1, 2, 0), []float32{0, 3, 1, 0, 1, 1, 1}},
		{"batch, both, skip 5", batch, grams(1, 2, 5), []float32{0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1}},
		{"batch, pairs, no skip", batch, grams(2, 2, 0), []float32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1}},
		{"pool of pairs", x, onlyPairs, []float32{1, 1, 1}},
		{"IDF", x, grams(1, 2, 5, with("mode", "IDF")), []float32{0, 1, 1, 0, 1, 1, 1}},
		{"IDF, weights", x, grams(1, 2, 5, with("mode", "IDF"), weights), []float32{0, 2, 0.5, 0, 4, 5, 0.25}},
		{"TFIDF, weights", x, grams(1, 2, 5, with("mode", "TFIDF"), weights), []float32{0, 6, 0.5, 0, 4, 15, 0.25}},
		{"TF, weights", x, grams(1, 2, 5, weights), []float32{0, 3, 1, 0, 1, 3, 1}},
		{"weights of n-grams, not of columns", x, graph.Attrs{with("pool", []int{3, 7, 8}), with("starts", []int{0}), with("columns", []int{1, 0, 1}),
			with("max_length", 1), with("mode", "TFIDF"), with("weights", []float64{2, 3, 0.5})}, []float32{6, 7}},
		{"nothing", vec[int64](), grams(1, 2, 5), make([]float32, 7)},
		{"one column for all", x, graph.Attrs{with("pool", []int{3, 7}), with("starts", []int{0}), with("columns", []int{1, 1}), with("max_length", 1)}, []float32{0, 5}},
	} {
		equalFloats(t, c.name, apply[float32](t, "n_gram_count", c.attrs, c.x), c.want)
	}
	for _, bad := range []graph.Attr{with("starts", []int{4, 0}), with("starts", []int{0, 11}), with("starts", []int{0, 5}), with("columns", []int{0}), with("min_length", 3), with("weights", []float64{1})} {
		rejected(t, "n_gram_count", grams(1, 2, 0).With(bad.Name, bad.Value), x)
	}
}
