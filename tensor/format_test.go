package tensor_test

import (
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestString writes the elements of short tensors of every kind.
func TestString(t *testing.T) {
	must := func(x *tensor.Tensor, err error) *tensor.Tensor {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	matrix := must(tensor.FromSlice([]float32{1, 2.5, -3, 4e-9, 5, 6}, 2, 3))
	for want, x := range map[string]*tensor.Tensor{
		"float32[2,3] [[1 2.5 -3] [4e-09 5 6]]":   matrix,
		"float32[3,2] [[1 4e-09] [2.5 5] [-3 6]]": must(matrix.Transpose(1, 0)),
		"float16[2] [1.5 -2]":                     must(tensor.Cast(must(tensor.FromSlice([]float32{1.5, -2}, 2)), tensor.Float16)),
		"uint64[1] [18446744073709551615]":        must(tensor.FromSlice([]uint64{1<<64 - 1}, 1)),
		"int4[3] [-8 7 1]":                        must(tensor.Cast(must(tensor.FromSlice([]int64{-8, 7, 1}, 3)), tensor.Int4)),
		"float8e4m3fn[2] [1.5 -2]":                must(tensor.Cast(must(tensor.FromSlice([]float32{1.5, -2}, 2)), tensor.Float8E4M3FN)),
		"float4e2m1[2] [1.5 -2]":                  must(tensor.Cast(must(tensor.FromSlice([]float32{1.5, -2}, 2)), tensor.Float4E2M1)),
		"int64[] -9223372036854775808":            tensor.Scalar(int64(-1 << 63)),
		"bool[2] [true false]":                    must(tensor.FromSlice([]bool{true, false}, 2)),
		"float64[1] [0.1]":                        must(tensor.FromSlice([]float64{0.1}, 1)),
		"float32[2,0] []":                         must(tensor.New(tensor.Float32, tensor.Shape{2, 0})),
		"float32[17]":                             must(tensor.New(tensor.Float32, tensor.Shape{17})),
		"<nil>":                                   nil,
	} {
		if got := x.String(); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
	if got := matrix.Describe(); got != "float32[2,3]" {
		t.Error(got)
	}
}
