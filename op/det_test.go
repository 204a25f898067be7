package op_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func TestDet(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape tensor.Shape
		x     []float32
		want  []float32
	}{
		// ONNX, test_det_2d and test_det_nd.
		{"2d", tensor.Shape{2, 2}, []float32{0, 1, 2, 3}, []float32{-2}},
		{"batch", tensor.Shape{3, 2, 2}, []float32{1, 2, 3, 4, 1, 2, 2, 1, 1, 3, 3, 1}, []float32{-0x1.fffffep+0, -3, -8}}, // a third is rounded
		{"no rows", tensor.Shape{2, 0, 0}, nil, []float32{1, 1}},
		{"one", tensor.Shape{1, 1}, []float32{-7}, []float32{-7}},
		{"singular", tensor.Shape{3, 3}, []float32{1, 2, 3, 2, 4, 6, 5, 0, 1}, []float32{0}},
		{"zero", tensor.Shape{2, 2}, []float32{0, 1, negZero, 1}, []float32{0}},
		{"permutation", tensor.Shape{3, 3}, []float32{0, 1, 0, 0, 0, 1, 1, 0, 0}, []float32{1}},
		{"exchange", tensor.Shape{3, 3}, []float32{0, 1, 0, 1, 0, 0, 0, 0, 1}, []float32{-1}},
		{"pivots", tensor.Shape{2, 2}, []float32{1e-20, 1, 1, 1}, []float32{-1}},
		{"NaN", tensor.Shape{2, 2}, []float32{5, 1, nan, 1}, []float32{nan}},
		{"NaN beside 0", tensor.Shape{2, 2}, []float32{0, 1, nan, 1}, []float32{nan}},
		{"infinite", tensor.Shape{2, 2}, []float32{inf, 1, 1, 2}, []float32{inf}},
	} {
		equalFloats(t, c.name, apply[float32](t, "det", nil, shaped(c.shape, c.x...)), c.want)
	}
	rejected(t, "det", nil, shaped(tensor.Shape{1, 2}, 1, 2))
}

// TestDetExact compares with rational arithmetic.
func TestDetExact(t *testing.T) {
	for seed := range uint64(100) {
		r := op.NewRand(seed, 1)
		n := r.Between(1, 6)
		x := r.Tensor(tensor.Float32, tensor.Shape{n, n})
		want, _ := exactDet(tensor.Data[float32](x), n).Float64()
		scale := 1.0 // the product of the lengths of the rows, which bounds the determinant
		for i := range n {
			sum := 0.0
			for _, v := range tensor.Data[float32](x)[i*n : (i+1)*n] {
				sum += float64(v) * float64(v)
			}
			scale *= math.Sqrt(sum)
		}
		if got := apply[float32](t, "det", nil, x)[0]; math.Abs(float64(got)-want) > 1e-5*scale {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

// exactDet expands by the first row.
func exactDet(x []float32, n int) *big.Rat {
	if n == 0 {
		return big.NewRat(1, 1)
	}
	det := new(big.Rat)
	for j := range n {
		var minor []float32
		for i := 1; i < n; i++ {
			minor = append(minor, x[i*n:i*n+j]...)
			minor = append(minor, x[i*n+j+1:(i+1)*n]...)
		}
		term := new(big.Rat).SetFloat64(float64(x[j]))
		term.Mul(term, exactDet(minor, n-1))
		if j%2 == 1 {
			term.Neg(term)
		}
		det.Add(det, term)
	}
	return det
}
