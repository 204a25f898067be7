package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// evalAll evaluates an operator and returns all results.
func evalAll(t *testing.T, name string, attrs graph.Attrs, in ...*tensor.Tensor) []*tensor.Tensor {
	t.Helper()
	out, err := op.Eval(def(name), in, attrs)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sameInts compares an int64 tensor.
func sameInts(t *testing.T, what string, got *tensor.Tensor, want ...int64) {
	t.Helper()
	if !slices.Equal(tensor.Data[int64](got), want) {
		t.Errorf("%s: %v, want %v", what, tensor.Data[int64](got), want)
	}
}

func top(axis, k int, more ...graph.Attr) graph.Attrs {
	return append(graph.Attrs{with("axis", axis), with("k", k)}, more...)
}

func TestTopK(t *testing.T) {
	least, unsorted := with("largest", false), with("sorted", false)
	// ONNX, test_top_k, test_top_k_smallest, test_top_k_same_values_2d.
	x := shaped(tensor.Shape{3, 4}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	out := evalAll(t, "top_k", top(1, 3), x)
	equalFloats(t, "values", tensor.Data[float32](out[0]), []float32{3, 2, 1, 7, 6, 5, 11, 10, 9})
	sameInts(t, "indices", out[1], 3, 2, 1, 3, 2, 1, 3, 2, 1)
	out = evalAll(t, "top_k", top(1, 3, least), shaped(tensor.Shape{3, 4}, 0, 1, 2, 3, 4, 5, 6, 7, 11, 10, 9, 8))
	equalFloats(t, "least values", tensor.Data[float32](out[0]), []float32{0, 1, 2, 4, 5, 6, 8, 9, 10})
	sameInts(t, "indices of the least", out[1], 0, 1, 2, 0, 1, 2, 3, 2, 1)
	sameInts(t, "same values", evalAll(t, "top_k", top(1, 3), must(tensor.FromSlice([]int64{0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2}, 3, 4)))[1], 0, 1, 2, 0, 1, 2, 2, 3, 0)

	sameInts(t, "along axis 0", evalAll(t, "top_k", top(0, 2), x)[1], 2, 2, 2, 2, 1, 1, 1, 1)
	special := vec(1, nan, negZero, 0, nan, -inf, inf)
	out = evalAll(t, "top_k", top(0, 7), special)
	equalFloats(t, "specials", tensor.Data[float32](out[0]), []float32{nan, nan, inf, 1, negZero, 0, -inf})
	sameInts(t, "specials", out[1], 1, 4, 6, 0, 2, 3, 5)
	sameInts(t, "least specials", evalAll(t, "top_k", top(0, 7, least), special)[1], 5, 2, 3, 0, 6, 1, 4)
	sameInts(t, "unsorted", evalAll(t, "top_k", top(0, 3, unsorted), special)[1], 1, 4, 6)
	sameInts(t, "unsorted least", evalAll(t, "top_k", top(0, 3, least, unsorted), special)[1], 2, 3, 5)
	if out := evalAll(t, "top_k", top(1, 0), x); !out[0].Shape().Equal(tensor.Shape{3, 0}) || !out[1].Shape().Equal(tensor.Shape{3, 0}) {
		t.Errorf("nothing: %v", out)
	}
	rejected(t, "top_k", top(1, 5), x)
	rejected(t, "top_k", top(2, 1), x)
	rejected(t, "top_k", top(0, -1), x)
}

// TestTopKSorts compares every k with a stable sort.
func TestTopKSorts(t *testing.T) {
	r := op.NewRand(1, 1)
	for n := range 40 {
		x := r.Integers(tensor.Int16, tensor.Shape{n}, 0, n/2)
		elements := tensor.Data[int16](x)
		for _, largest := range []bool{true, false} {
			want := make([]int64, n)
			for i := range want {
				want[i] = int64(i)
			}
			slices.SortStableFunc(want, func(i, j int64) int {
				if largest {
					i, j = j, i
				}
				return int(elements[i]) - int(elements[j])
			})
			for k := range n + 1 {
				sameInts(t, "sorted", evalAll(t, "top_k", top(0, k, with("largest", largest)), x)[1], want[:k]...)
			}
		}
	}
}

func TestNonZero(t *testing.T) {
	// ONNX, test_nonzero_example.
	out := evalAll(t, "non_zero", nil, must(tensor.FromSlice([]bool{true, false, true, true}, 2, 2)))
	sameInts(t, "count", out[1], 3)
	sameInts(t, "indices", out[0], 0, 1, 1, 0, 0, 0, 1, 0)

	out = evalAll(t, "non_zero", nil, vec(0, negZero, nan, 0x1p-149))
	sameInts(t, "count of floats", out[1], 2)
	sameInts(t, "floats", out[0], 2, 3, 0, 0)
	for _, d := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		out = evalAll(t, "non_zero", nil, must(tensor.Cast(vec(0, negZero, nan, 1), d)))
		sameInts(t, d.String(), out[0], 2, 3, 0, 0)
	}
	for _, v := range []int8{0, -1} {
		out = evalAll(t, "non_zero", nil, tensor.Scalar(v))
		if sameInts(t, "scalar", out[1], int64(-v)); !out[0].Shape().Equal(tensor.Shape{0, 1}) {
			t.Errorf("the index of a scalar is %v", out[0])
		}
	}
	out = evalAll(t, "non_zero", nil, must(tensor.New(tensor.Int8, tensor.Shape{2, 0})))
	if sameInts(t, "nothing", out[1], 0); !out[0].Shape().Equal(tensor.Shape{2, 0}) {
		t.Errorf("the indices of nothing are %v", out[0])
	}
}

func TestUnique(t *testing.T) {
	byOccurrence := with("sorted", false)
	for _, c := range []struct {
		name                          string
		x                             *tensor.Tensor
		attrs                         graph.Attrs
		first, inverse, counts, count []int64
	}{
		// ONNX, test_unique_not_sorted_without_axis, test_unique_sorted_without_axis, test_unique_sorted_with_axis, …_with_axis_3d.
		{"by occurrence", vec[float32](2, 1, 1, 3, 4, 3), graph.Attrs{byOccurrence},
			[]int64{0, 1, 3, 4, 0, 0}, []int64{0, 1, 1, 2, 3, 2}, []int64{1, 2, 2, 1, 0, 0}, []int64{4}},
		{"sorted", vec[float32](2, 1, 1, 3, 4, 3), nil,
			[]int64{1, 0, 3, 4, 0, 0}, []int64{1, 0, 0, 2, 3, 2}, []int64{2, 1, 2, 1, 0, 0}, []int64{4}},
		{"rows", shaped(tensor.Shape{3, 3}, 1, 0, 0, 1, 0, 0, 2, 3, 4), nil, []int64{0, 2, 0}, []int64{0, 0, 1}, []int64{2, 1, 0}, []int64{2}},
		{"greater, then less", shaped(tensor.Shape{2, 2}, 1, 2, 2, 1), nil, []int64{0, 1}, []int64{0, 1}, []int64{1, 1}, []int64{2}},
		{"columns", shaped(tensor.Shape{3, 3}, 1, 0, 0, 1, 0, 0, 2, 3, 3), graph.Attrs{axisOf(1)}, []int64{1, 0, 0}, []int64{1, 0, 0}, []int64{2, 1, 0}, []int64{2}},
		{"slices", shaped(tensor.Shape{2, 4, 2}, 1, 1, 0, 1, 2, 1, 0, 1, 1, 1, 0, 1, 2, 1, 0, 1), graph.Attrs{axisOf(1)},
			[]int64{1, 0, 2, 0}, []int64{1, 0, 2, 0}, []int64{2, 1, 1, 0}, []int64{3}},
		{"one", vec[int64](7), nil, []int64{0}, []int64{0}, []int64{1}, []int64{1}},
		{"none", vec[int64](), nil, []int64{}, []int64{}, []int64{}, []int64{0}},
		{"empty slices", must(tensor.New(tensor.Bool, tensor.Shape{3, 0})), nil, []int64{0, 0, 0}, []int64{0, 0, 0}, []int64{3, 0, 0}, []int64{1}},
		{"specials", vec(nan, 0, negZero, inf, nan, -inf), nil, []int64{5, 1, 3, 0, 0, 0}, []int64{3, 1, 1, 2, 3, 0}, []int64{1, 2, 1, 2, 0, 0}, []int64{4}},
		{"specials by occurrence", vec(nan, negZero, 0, inf, nan, -inf), graph.Attrs{byOccurrence},
			[]int64{0, 1, 3, 5, 0, 0}, []int64{0, 1, 1, 2, 0, 3}, []int64{2, 2, 1, 1, 0, 0}, []int64{4}},
		{"halves", must(tensor.Cast(vec(-1, 2, -1, nan, nan), tensor.Float16)), nil, []int64{0, 1, 3, 0, 0}, []int64{0, 1, 0, 2, 2}, []int64{2, 1, 2, 0, 0}, []int64{3}},
		{"bools", vec(true, false, true), nil, []int64{1, 0, 0}, []int64{1, 0, 1}, []int64{1, 2, 0}, []int64{2}},
		{"wide", vec[uint64](math.MaxUint64, 1, math.MaxUint64-1), nil, []int64{1, 2, 0}, []int64{2, 0, 1}, []int64{1, 1, 1}, []int64{3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := evalAll(t, "unique", c.attrs, c.x)
			sameInts(t, "first", out[0], c.first...)
			sameInts(t, "inverse", out[1], c.inverse...)
			sameInts(t, "counts", out[2], c.counts...)
			sameInts(t, "count", out[3], c.count...)
		})
	}
	rejected(t, "unique", graph.Attrs{axisOf(1)}, vec[int8](1))
}

// TestUniqueGathers holds the results against each other: gathering by first and then by inverse gives the operand again.
func TestUniqueGathers(t *testing.T) {
	for seed := range uint64(200) {
		c := def("unique").Generate(op.NewRand(seed, 1+int(seed)/40))
		out := evalAll(t, "unique", c.Attrs, c.In...)
		sum := int64(0)
		for _, n := range tensor.Data[int64](out[2]) {
			sum += n
		}
		if n := int64(out[0].Len()); sum != n {
			t.Fatalf("seed %d: %d slices are counted of %d", seed, sum, n)
		}
		axis := graph.Attrs{axisOf(c.Attrs.Int("axis"))}
		y := evalAll(t, "gather", axis, evalAll(t, "gather", axis, c.In[0], out[0])[0], out[1])[0]
		if c.In[0].DType().IsFloat() {
			continue // zeros of both signs are equal
		}
		if w := differ([]*tensor.Tensor{c.In[0]}, []*tensor.Tensor{y}); w != "" {
			t.Fatalf("seed %d: %s", seed, w)
		}
	}
}
