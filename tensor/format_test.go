package tensor

import "testing"

// TestString writes the elements of short tensors of every kind.
func TestString(t *testing.T) {
	must := func(x *Tensor, err error) *Tensor {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	matrix := must(FromSlice([]float32{1, 2.5, -3, 4e-9, 5, 6}, 2, 3))
	for want, x := range map[string]*Tensor{
		"float32[2,3] [[1 2.5 -3] [4e-09 5 6]]":   matrix,
		"float32[3,2] [[1 4e-09] [2.5 5] [-3 6]]": must(matrix.Transpose(1, 0)),
		"float16[2] [1.5 -2]":                     must(Cast(must(FromSlice([]float32{1.5, -2}, 2)), Float16)),
		"uint64[1] [18446744073709551615]":        must(FromSlice([]uint64{1<<64 - 1}, 1)),
		"int4[3] [-8 7 1]":                        must(Cast(must(FromSlice([]int64{-8, 7, 1}, 3)), Int4)),
		"int64[] -9223372036854775808":            Scalar(int64(-1 << 63)),
		"bool[2] [true false]":                    must(FromSlice([]bool{true, false}, 2)),
		"float64[1] [0.1]":                        must(FromSlice([]float64{0.1}, 1)),
		"float32[2,0] []":                         must(New(Float32, Shape{2, 0})),
		"float32[17]":                             must(New(Float32, Shape{17})),
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
