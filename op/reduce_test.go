package op_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// groupsOf lists, for each result of a reduction, the positions of its elements in the order of their numbers: the
// definition, written without regard to speed.
func groupsOf(shape tensor.Shape, axes []int) [][]int {
	reduced := func(d int) bool { return slices.Contains(axes, d) }
	var walk func(d, at int, wanted func(int) bool) []int
	walk = func(d, at int, wanted func(int) bool) []int {
		if d == len(shape) {
			return []int{at}
		}
		if !wanted(d) {
			return walk(d+1, at, wanted)
		}
		var list []int
		for i := range shape[d] {
			list = append(list, walk(d+1, at+i*shape[d+1:].Len(), wanted)...)
		}
		return list
	}
	var groups [][]int
	for _, first := range walk(0, 0, func(d int) bool { return !reduced(d) }) {
		group := walk(0, 0, reduced)
		for i := range group {
			group[i] += first
		}
		groups = append(groups, group)
	}
	return groups
}

// laneFold is the definition of a reduction in lanes, for 16 lanes and written out.
func laneFold(values []float32, start float32, step, merge func(a, b float32) float32) float32 {
	var l [16]float32
	for i := range l {
		l[i] = start
	}
	for i, v := range values {
		l[i%16] = step(l[i%16], v)
	}
	m := merge
	a0, a1, a2, a3 := m(l[0], l[8]), m(l[1], l[9]), m(l[2], l[10]), m(l[3], l[11])
	a4, a5, a6, a7 := m(l[4], l[12]), m(l[5], l[13]), m(l[6], l[14]), m(l[7], l[15])
	b0, b1, b2, b3 := m(a0, a4), m(a1, a5), m(a2, a6), m(a3, a7)
	return m(m(b0, b2), m(b1, b3))
}

func laneSum(values []float32) float32 {
	return laneFold(values, 0, floatAdd, floatAdd)
}

func gatherValues(x *tensor.Tensor, positions []int) []float32 {
	var values []float32
	for _, p := range positions {
		values = append(values, tensor.Data[float32](x)[p])
	}
	return values
}

func evalOne(t *testing.T, name string, attrs graph.Attrs, in ...*tensor.Tensor) *tensor.Tensor {
	t.Helper()
	d, ok := op.Lookup(name)
	if !ok {
		t.Fatalf("there is no operator %s", name)
	}
	out, err := op.Eval(d, in, attrs)
	if err != nil {
		t.Fatal(err)
	}
	return out[0]
}

func axesOf(axes ...int) graph.Attrs {
	return graph.Attrs{{Name: "axes", Value: append([]int{}, axes...)}}
}

func sameBits(t *testing.T, what string, got, want float32) {
	t.Helper()
	if math.Float32bits(got) != math.Float32bits(want) {
		t.Errorf("%s: %v (%08x), want %v (%08x)", what, got, math.Float32bits(got), want, math.Float32bits(want))
	}
}

// TestReductionOrder compares the reductions whose rounding depends on the order with the written-out definition.
func TestReductionOrder(t *testing.T) {
	square := func(acc, v float32) float32 { return fmath.FMA(v, v, acc) }
	definitions := map[string]func(v []float32) float32{
		"sum_reduce":        laneSum,
		"mean_reduce":       func(v []float32) float32 { return laneSum(v) / float32(len(v)) },
		"product_reduce":    func(v []float32) float32 { return laneFold(v, 1, floatMul, floatMul) },
		"sum_square_reduce": func(v []float32) float32 { return laneFold(v, 0, square, floatAdd) },
		"l2_reduce":         func(v []float32) float32 { return fmath.Sqrt(laneFold(v, 0, square, floatAdd)) },
		"log_sum_exp_reduce": func(v []float32) float32 {
			m := slices.Max(v)
			return m + fmath.Log(laneFold(v, 0, func(acc, x float32) float32 { return acc + fmath.Exp(x-m) }, floatAdd))
		},
	}
	r := op.NewRand(1, 1)
	for _, shape := range []tensor.Shape{{100}, {3, 37}, {37, 3}, {2, 5, 7, 3}, {4, 1, 33, 1}, {15}, {16}, {17}} {
		for n := range len(shape) + 1 {
			axes := r.Axes(len(shape), n)
			x := r.Uniform(tensor.Float32, shape, 0.5, 1.5)
			for name, definition := range definitions {
				got := tensor.Data[float32](evalOne(t, name, axesOf(axes...), x))
				for i, group := range groupsOf(shape, axes) {
					sameBits(t, fmt.Sprintf("%s of %v along %v, result %d", name, shape, axes, i), got[i], definition(gatherValues(x, group)))
				}
			}
		}
	}
}

// TestReductionIgnoresLayout moves the reduced axes about, in memory and in the shape: the bits stay.
func TestReductionIgnoresLayout(t *testing.T) {
	r := op.NewRand(2, 1)
	x := r.Tensor(tensor.Float32, tensor.Shape{3, 19, 5, 7})
	for _, name := range []string{"sum_reduce", "l2_reduce", "product_reduce", "log_sum_exp_reduce", "softmax"} {
		d, _ := op.Lookup(name)
		perGroup := func(shape tensor.Shape, axes []int, out *tensor.Tensor) []float32 {
			var values []float32
			for _, g := range groupsOf(shape, axes) {
				if d == def("softmax") {
					values = append(values, gatherValues(out, g)...)
				}
			}
			if values == nil {
				values = tensor.Data[float32](out)
			}
			return values
		}
		want := perGroup(x.Shape(), []int{1, 3}, evalOne(t, name, axesOf(1, 3), x))
		for _, perm := range [][]int{{1, 3, 0, 2}, {0, 2, 1, 3}, {1, 0, 3, 2}, {0, 1, 3, 2}} {
			moved := must(x.Transpose(perm...))
			axes := []int{slices.Index(perm, 3), slices.Index(perm, 1)} // the order of the list does not matter
			for _, in := range []*tensor.Tensor{moved, moved.Contiguous()} {
				got := perGroup(in.Shape(), axes, evalOne(t, name, axesOf(axes...), in))
				for i := range want {
					sameBits(t, fmt.Sprintf("%s, transposed by %v, value %d", name, perm, i), got[i], want[i])
				}
			}
		}
	}
}

func TestReductionValues(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	negZero := float32(math.Copysign(0, -1))
	f := func(v ...float32) *tensor.Tensor { return must(tensor.FromSlice(v, len(v))) }
	dtype := func(d tensor.DType) graph.Attrs { return append(axesOf(0), graph.Attr{Name: "dtype", Value: d}) }
	normalize := append(axesOf(0), graph.Attr{Name: "normalize", Value: true})
	var none []float32
	for i, c := range []struct {
		op    string
		attrs graph.Attrs
		in    *tensor.Tensor
		want  *tensor.Tensor
	}{
		{"sum_reduce", axesOf(0), f(negZero), f(0)},
		{"sum_reduce", axesOf(0), f(inf, -inf), f(nan)},
		{"sum_reduce", axesOf(0), f(none...), f(0)},
		{"sum_reduce", normalize, f(none...), f(nan)},
		{"sum_reduce", normalize, f(1, 2, 6), f(3)},
		{"sum_reduce", axesOf(0), must(tensor.FromSlice([]int8{100, 100}, 2)), must(tensor.FromSlice([]int8{-56}, 1))},
		{"sum_reduce", normalize, must(tensor.FromSlice([]int32{-7, 2}, 2)), must(tensor.FromSlice([]int32{-2}, 1))},
		{"sum_reduce", normalize, must(tensor.FromSlice([]uint64{math.MaxUint64, 0}, 2)), must(tensor.FromSlice([]uint64{math.MaxUint64 / 2}, 1))},
		{"sum_reduce", normalize, must(tensor.FromSlice([]int32{}, 0)), must(tensor.FromSlice([]int32{0}, 1))},
		{"mean_reduce", axesOf(0), f(1, 2), f(1.5)},
		{"mean_reduce", axesOf(0), f(none...), f(nan)},
		{"max_reduce", axesOf(0), f(negZero, 0, negZero), f(0)},
		{"max_reduce", axesOf(0), f(1, nan, inf), f(nan)},
		{"max_reduce", axesOf(0), f(none...), f(-inf)},
		{"max_reduce", axesOf(0), must(tensor.FromSlice([]int8{}, 0)), must(tensor.FromSlice([]int8{-128}, 1))},
		{"max_reduce", axesOf(0), must(tensor.FromSlice([]uint64{1, math.MaxUint64}, 2)), must(tensor.FromSlice([]uint64{math.MaxUint64}, 1))},
		{"min_reduce", axesOf(0), f(0, negZero), f(negZero)},
		{"min_reduce", axesOf(0), f(none...), f(inf)},
		{"min_reduce", axesOf(0), must(tensor.FromSlice([]uint8{}, 0)), must(tensor.FromSlice([]uint8{255}, 1))},
		{"product_reduce", axesOf(0), f(none...), f(1)},
		{"product_reduce", axesOf(0), must(tensor.FromSlice([]uint8{16, 17}, 2)), must(tensor.FromSlice([]uint8{16}, 1))},
		{"l1_reduce", axesOf(), f(-3, negZero), f(3, 0)},
		{"l1_reduce", axesOf(0), must(tensor.FromSlice([]int8{-128, 1}, 2)), must(tensor.FromSlice([]int8{-127}, 1))},
		{"l2_reduce", axesOf(0), f(3, -4), f(5)},
		{"l2_reduce", axesOf(), f(-3), f(3)},
		{"sum_square_reduce", axesOf(0), must(tensor.FromSlice([]int32{-3, 4}, 2)), must(tensor.FromSlice([]int32{25}, 1))},
		{"log_sum_reduce", axesOf(), f(1, 0, -1), f(0, -inf, nan)},
		{"log_sum_reduce", axesOf(0), f(none...), f(-inf)},
		{"log_sum_exp_reduce", axesOf(), f(7, -inf, inf, nan), f(7, -inf, inf, nan)},
		{"log_sum_exp_reduce", axesOf(0), f(200, 200), f(200 + math.Ln2)},
		{"log_sum_exp_reduce", axesOf(0), f(-inf, 3), f(3)},
		{"log_sum_exp_reduce", axesOf(0), f(none...), f(-inf)},
		{"argmax_reduce", axesOf(0), f(1, 3, 2, 3), must(tensor.FromSlice([]int64{1}, 1))},
		{"argmax_reduce", dtype(tensor.Int32), f(negZero, 0), must(tensor.FromSlice([]int32{0}, 1))},
		{"argmax_reduce", axesOf(0), f(inf, nan, nan), must(tensor.FromSlice([]int64{1}, 1))},
		{"argmin_reduce", axesOf(0), f(-inf, nan, 0), must(tensor.FromSlice([]int64{1}, 1))},
		{"argmin_reduce", axesOf(), f(5, 4), must(tensor.FromSlice([]int64{0, 0}, 2))},
		{"argmin_reduce", axesOf(0), must(tensor.FromSlice([]uint64{math.MaxUint64, 1, 1}, 3)), must(tensor.FromSlice([]int64{1}, 1))},
		{"all_reduce", axesOf(0), must(tensor.FromSlice([]bool{true, false}, 2)), must(tensor.FromSlice([]bool{false}, 1))},
		{"all_reduce", axesOf(0), must(tensor.FromSlice([]bool{}, 0)), must(tensor.FromSlice([]bool{true}, 1))},
		{"any_reduce", axesOf(0), must(tensor.FromSlice([]bool{true, false}, 2)), must(tensor.FromSlice([]bool{true}, 1))},
		{"any_reduce", axesOf(0), must(tensor.FromSlice([]bool{}, 0)), must(tensor.FromSlice([]bool{false}, 1))},
	} {
		got := evalOne(t, c.op, c.attrs, c.in)
		if got.DType() != c.want.DType() || !got.Shape().Equal(c.want.Shape()) || string(got.Bytes()) != string(must(canonicalCopy(c.want)).Bytes()) {
			t.Errorf("case %d: %s of %v %v: %v %x, want %v %x", i, c.op, c.in, c.attrs, got, got.Bytes(), c.want, c.want.Bytes())
		}
	}
}

// canonicalCopy returns a copy with canonical NaNs.
func canonicalCopy(t *tensor.Tensor) (*tensor.Tensor, error) {
	return tensor.Cast(t, t.DType())
}

// TestArgReduceIndex takes the index over two axes that are not neighbours.
func TestArgReduceIndex(t *testing.T) {
	x := must(tensor.New(tensor.Float32, tensor.Shape{2, 3, 4}))
	tensor.Data[float32](x)[1*12+2*4+3] = 1 // (1, 2, 3)
	got := tensor.Data[int64](evalOne(t, "argmax_reduce", axesOf(2, 0), x))
	if want := []int64{0, 0, 1*4 + 3}; !slices.Equal(got, want) {
		t.Errorf("argmax along axes 0 and 2: %v, want %v", got, want)
	}
	d, _ := op.Lookup("argmax_reduce")
	if _, err := op.Eval(d, []*tensor.Tensor{must(tensor.New(tensor.Float32, tensor.Shape{2, 0}))}, axesOf(1)); err == nil {
		t.Error("the greatest of no elements is accepted")
	}
	if out, err := op.Eval(d, []*tensor.Tensor{must(tensor.New(tensor.Float32, tensor.Shape{0, 2}))}, axesOf(1)); err != nil || !out[0].Shape().Equal(tensor.Shape{0, 1}) {
		t.Errorf("argmax without results: %v, %v", out, err)
	}
}

func TestReductionAxes(t *testing.T) {
	x := must(tensor.New(tensor.Float32, tensor.Shape{2, 3}))
	for _, axes := range [][]int{{2}, {-1}, {0, 0}} {
		for _, d := range []*op.Def{def("sum_reduce"), def("softmax"), def("layer_normalization")} {
			if _, err := op.Eval(d, []*tensor.Tensor{x}, axesOf(axes...)); err == nil {
				t.Errorf("%s: axes %v of %v are accepted", d.Name, axes, x)
			}
		}
	}
	if got := evalOne(t, "sum_reduce", axesOf(), tensor.Scalar(float32(3))); got.Rank() != 0 || tensor.Data[float32](got)[0] != 3 {
		t.Errorf("the sum of a scalar is %v", got)
	}
}

func TestCumulativeSum(t *testing.T) {
	x := must(tensor.FromSlice([]int8{1, 2, 3, 4, 5, 127}, 2, 3))
	for _, c := range []struct {
		axis                int
		exclusive, reversed bool
		want                []int8
	}{
		{1, false, false, []int8{1, 3, 6, 4, 9, -120}},
		{1, true, false, []int8{0, 1, 3, 0, 4, 9}},
		{1, false, true, []int8{6, 5, 3, -120, -124, 127}},
		{1, true, true, []int8{5, 3, 0, -124, 127, 0}},
		{0, false, false, []int8{1, 2, 3, 5, 7, -126}},
		{0, true, true, []int8{4, 5, 127, 0, 0, 0}},
	} {
		attrs := graph.Attrs{{Name: "axis", Value: c.axis}, {Name: "exclusive", Value: c.exclusive}, {Name: "reversed", Value: c.reversed}}
		if got := tensor.Data[int8](evalOne(t, "cumulative_sum", attrs, x)); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", attrs, got, c.want)
		}
	}
	for _, shape := range []tensor.Shape{{0, 2}, {2, 0}} {
		evalOne(t, "cumulative_sum", graph.Attrs{{Name: "axis", Value: 1}}, must(tensor.New(tensor.Float32, shape)))
	}
}
