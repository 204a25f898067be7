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

// TestMatmulOrder compares all transpositions with the written-out definition, over extents beyond every tile.
func TestMatmulOrder(t *testing.T) {
	r := op.NewRand(1, 1)
	m, k, n := 5, 37, 21
	a, b := r.Tensor(tensor.Float32, tensor.Shape{m, k}), r.Tensor(tensor.Float32, tensor.Shape{k, n})
	want := make([]float32, m*n)
	for i := range m {
		for j := range n {
			for l := range k {
				want[i*n+j] = fmath.FMA(tensor.Data[float32](a)[i*k+l], tensor.Data[float32](b)[l*n+j], want[i*n+j])
			}
		}
	}
	for _, ta := range []bool{false, true} {
		for _, tb := range []bool{false, true} {
			left, right := a, b
			if ta {
				left = must(a.Transpose(1, 0))
			}
			if tb {
				right = must(b.Transpose(1, 0))
			}
			attrs := graph.Attrs{{Name: "transposeA", Value: ta}, {Name: "transposeB", Value: tb}}
			for _, name := range []string{"matmul", "gemm"} {
				got := tensor.Data[float32](evalOne(t, name, attrs, left, right))
				for i := range want {
					sameBits(t, fmt.Sprintf("%s %v, element %d", name, attrs, i), got[i], want[i])
				}
			}
		}
	}
	linear := tensor.Data[float32](evalOne(t, "linear", nil, a, must(b.Transpose(1, 0)), tensor.Scalar(float32(0.1))))
	for i := range want {
		sameBits(t, fmt.Sprintf("linear, element %d", i), linear[i], want[i]+0.1)
	}
}

func TestMatmulBroadcast(t *testing.T) {
	count := func(shape ...int) *tensor.Tensor {
		x := must(tensor.New(tensor.Float32, shape))
		for i := range x.Len() {
			tensor.Data[float32](x)[i] = float32(i + 1)
		}
		return x
	}
	got := evalOne(t, "matmul", nil, count(2, 1, 1, 2), count(1, 3, 2, 1))
	want := []float32{1*1 + 2*2, 1*3 + 2*4, 1*5 + 2*6, 3*1 + 4*2, 3*3 + 4*4, 3*5 + 4*6}
	if !got.Shape().Equal(tensor.Shape{2, 3, 1, 1}) || !slices.Equal(tensor.Data[float32](got), want) {
		t.Errorf("%v %v, want %v", got, tensor.Data[float32](got), want)
	}
}

// TestMatmulEmpty multiplies matrices without a common index, whose products are 0, and without elements.
func TestMatmulEmpty(t *testing.T) {
	for _, ta := range []bool{false, true} {
		for _, tb := range []bool{false, true} {
			for _, d := range []tensor.DType{tensor.Float32, tensor.Int8} {
				for _, e := range [][3]int{{2, 0, 3}, {0, 2, 3}, {2, 3, 0}, {0, 0, 0}} {
					a, b := tensor.Shape{e[0], e[1]}, tensor.Shape{e[1], e[2]}
					if ta {
						slices.Reverse(a)
					}
					if tb {
						slices.Reverse(b)
					}
					attrs := graph.Attrs{{Name: "transposeA", Value: ta}, {Name: "transposeB", Value: tb}}
					got := evalOne(t, "matmul", attrs, must(tensor.New(d, a)), must(tensor.New(d, b)))
					if !got.Shape().Equal(tensor.Shape{e[0], e[2]}) || slices.ContainsFunc(got.Bytes(), func(b byte) bool { return b != 0 }) {
						t.Errorf("%v · %v = %v", a, b, got)
					}
				}
			}
		}
	}
}

// TestProductIntegers mixes types; sums wrap in the type of the result.
func TestProductIntegers(t *testing.T) {
	x := must(tensor.FromSlice([]uint8{255, 255}, 1, 2))
	w := must(tensor.FromSlice([]int32{math.MaxInt32, 1, -1, 2}, 2, 2))
	for _, c := range []struct {
		d    tensor.DType
		bias *tensor.Tensor
		want []int64
	}{
		{tensor.Int32, nil, []int64{255*math.MaxInt32 + 255, 255}},
		{tensor.Int64, nil, []int64{255*math.MaxInt32 + 255, 255}},
		{tensor.Int64, must(tensor.FromSlice([]int64{1, -1}, 2)), []int64{255*math.MaxInt32 + 256, 254}},
		{tensor.Int64, must(tensor.FromSlice([]int64{7}, 1, 1)), []int64{255*math.MaxInt32 + 262, 262}},
	} {
		for i := range c.want {
			if c.d == tensor.Int32 {
				c.want[i] = int64(int32(c.want[i]))
			}
		}
		in := []*tensor.Tensor{x, w, c.bias}
		got := evalOne(t, "linear", graph.Attrs{{Name: "dtype", Value: c.d}}, in...)
		if wide := tensor.Data[int64](must(tensor.Cast(got, tensor.Int64))); got.DType() != c.d || !slices.Equal(wide, c.want) {
			t.Errorf("linear with %v: %v %v, want %v", c.bias, got, wide, c.want)
		}
	}
	// Wider than a tile.
	r := op.NewRand(9, 1)
	a, b := r.Integers(tensor.Int16, tensor.Shape{2, 3}, -100, 100), r.Integers(tensor.Int8, tensor.Shape{3, 300}, -100, 100)
	got := tensor.Data[int32](evalOne(t, "matmul", nil, a, b))
	for i := range got {
		want := int32(0)
		for k := range 3 {
			want += int32(tensor.Data[int16](a)[i/300*3+k]) * int32(tensor.Data[int8](b)[k*300+i%300])
		}
		if got[i] != want {
			t.Fatalf("element %d: %d, want %d", i, got[i], want)
		}
	}
}

// TestProductTiles compares matrix products of all integer types, narrower and wider than tiles, with the written-out definition.
func TestProductTiles(t *testing.T) {
	for seed := range uint64(200) {
		r := op.NewRand(seed, 9)
		m, k, n := r.Between(1, 4), op.Pick(r, []int{1, 3, 4, 63, 128, 131, 260}), op.Pick(r, []int{1, 2, 4, 7, 128, 130, 257})
		operand := func(shape tensor.Shape, transposed bool) (*tensor.Tensor, []int64) {
			d := r.DType(op.Integers)
			least, most := d.IntRange()
			x := r.Integers64(d, shape, max(least, -1<<40), int64(min(most, 1<<40)))
			values := tensor.Data[int64](must(tensor.Cast(x, tensor.Int64)))
			if transposed {
				x = must(x.Transpose(1, 0))
			}
			return x, values
		}
		ta, tb := r.Bool(), r.Bool()
		a, left := operand(tensor.Shape{m, k}, ta)
		b, right := operand(tensor.Shape{k, n}, tb)
		want := make([]int64, m*n)
		for i := range want {
			for l := range k {
				want[i] += left[i/n*k+l] * right[l*n+i%n]
			}
		}
		got := evalOne(t, "matmul", graph.AttrsOf("transposeA", ta, "transposeB", tb, "dtype", tensor.Int64), a, b)
		if !slices.Equal(tensor.Data[int64](got), want) {
			t.Fatalf("%v · %v = %v, want %v", a, b, tensor.Data[int64](got), want)
		}
	}
}

func TestGemm(t *testing.T) {
	a, b := must(tensor.FromSlice([]float32{1, 2}, 2, 1)), must(tensor.FromSlice([]float32{3, 4, 5}, 1, 3))
	attrs := graph.Attrs{{Name: "alpha", Value: 0.5}, {Name: "beta", Value: 2.0}}
	for _, c := range []struct {
		shape tensor.Shape
		want  []float32
	}{
		{tensor.Shape{}, []float32{3.5, 4, 4.5, 5, 6, 7}},
		{tensor.Shape{3}, []float32{3.5, 6, 8.5, 5, 8, 11}},
		{tensor.Shape{1, 3}, []float32{3.5, 6, 8.5, 5, 8, 11}},
		{tensor.Shape{2, 1}, []float32{3.5, 4, 4.5, 7, 8, 9}},
		{tensor.Shape{2, 3}, []float32{3.5, 6, 8.5, 11, 14, 17}},
	} {
		addend := must(tensor.New(tensor.Float32, c.shape))
		for i := range addend.Len() {
			tensor.Data[float32](addend)[i] = float32(i + 1)
		}
		if got := tensor.Data[float32](evalOne(t, "gemm", attrs, a, b, addend)); !slices.Equal(got, c.want) {
			t.Errorf("c of shape %v: %v, want %v", c.shape, got, c.want)
		}
	}
}

func TestProductRejects(t *testing.T) {
	f := func(shape ...int) *tensor.Tensor { return must(tensor.New(tensor.Float32, shape)) }
	i := func(shape ...int) *tensor.Tensor { return must(tensor.New(tensor.Int8, shape)) }
	for _, c := range []struct {
		op string
		in []*tensor.Tensor
	}{
		{"matmul", []*tensor.Tensor{f(2, 3), f(2, 3)}},
		{"matmul", []*tensor.Tensor{f(2, 3), f(1, 3, 2)}},
		{"matmul", []*tensor.Tensor{f(3), f(3)}},
		{"matmul", []*tensor.Tensor{f(2, 2, 3), f(3, 3, 2)}},
		{"matmul", []*tensor.Tensor{f(2, 3), i(3, 2)}},
		{"matmul", []*tensor.Tensor{i(2, 3), f(3, 2)}},
		{"matmul", []*tensor.Tensor{f(2, 3), must(tensor.New(tensor.Float16, tensor.Shape{3, 2}))}},
		{"linear", []*tensor.Tensor{f(2, 3), f(3, 2)}},
		{"linear", []*tensor.Tensor{f(2, 3), f(4, 3), f(3)}},
		{"linear", []*tensor.Tensor{f(2, 3), f(4, 3), f(4, 1)}},
		{"linear", []*tensor.Tensor{i(2, 3), i(4, 3), f(4)}},
		{"gemm", []*tensor.Tensor{f(2, 3), f(3, 4), f(2)}},
		{"gemm", []*tensor.Tensor{f(2, 3), f(3, 4), f(2, 3)}},
		{"gemm", []*tensor.Tensor{f(1, 3), f(3, 1), f(2, 1)}},
	} {
		d, _ := op.Lookup(c.op)
		if _, err := op.Eval(d, c.in, nil); err == nil {
			t.Errorf("%s accepts %v", c.op, c.in)
		}
	}
}

func BenchmarkLinear(b *testing.B) {
	r := op.NewRand(1, 1)
	x, w := r.Tensor(tensor.Float32, tensor.Shape{1, 1024}), r.Tensor(tensor.Float32, tensor.Shape{256, 1024})
	for b.Loop() {
		if _, err := op.Eval(def("linear"), []*tensor.Tensor{x, w}, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*1024*256/b.Elapsed().Seconds()/1e6, "MMAC/s")
}

func BenchmarkMatmul(b *testing.B) {
	r := op.NewRand(1, 1)
	x, w := r.Tensor(tensor.Float32, tensor.Shape{64, 256}), r.Tensor(tensor.Float32, tensor.Shape{256, 256})
	for b.Loop() {
		if _, err := op.Eval(def("matmul"), []*tensor.Tensor{x, w}, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*64*256*256/b.Elapsed().Seconds()/1e6, "MMAC/s")
}
