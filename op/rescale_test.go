package op_test

import (
	"bytes"
	"testing"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestRescaleIn64 compares what is computed in 64 bits with the exact computation, which the same numbers as int64 take.
func TestRescaleIn64(t *testing.T) {
	r := op.NewRand(1, 4)
	x := r.Integers(tensor.Int32, tensor.Shape{64}, -1<<31, 1<<31-1)
	copy(tensor.Data[int32](x), []int32{-1 << 31, 1<<31 - 1, -1<<31 + 1, 0, 1, -1})
	for _, shift := range []int{-33, -32, -31, -30, -2, -1, 0, 1, 2, 7, 8, 30, 31, 32, 33, 61, 62, 63, 64, 69} {
		for _, multiplier := range []int{1, -1, 3, 1 << 30, -1 << 30, 1<<30 + 1, 0} {
			for _, mode := range []string{"floor", "half_up"} {
				for _, overflow := range []string{"wrap", "saturate"} {
					for _, d := range []tensor.DType{tensor.Int8, tensor.Int32, tensor.Uint64} {
						for _, from := range []tensor.DType{tensor.Int8, tensor.Int32, tensor.Uint32} {
							y := must(tensor.Cast(x, from))
							attrs := rescaling(mode, overflow, d)
							got, err := op.Eval(def("rescale"), by(y, shift, multiplier), attrs)
							if err != nil {
								t.Fatal(err)
							}
							want, err := op.Eval(def("rescale"), by(must(tensor.Cast(y, tensor.Int64)), shift, multiplier), attrs)
							if err != nil {
								t.Fatal(err)
							}
							if !bytes.Equal(got[0].Bytes(), want[0].Bytes()) {
								t.Fatalf("%v by 2^-%d·%d, %v: %v, want %v", y, shift, multiplier, attrs, got[0], want[0])
							}
						}
					}
				}
			}
		}
	}
}
