package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func signOf(which string) graph.Attrs { return graph.Attrs{with("sign", which)} }

func TestIntegerMod(t *testing.T) {
	// ONNX, test_mod_mixed_sign_int16 and test_mod_int64_fmod.
	x, y := []int64{-4, 7, 5, 4, -7, 8, math.MinInt64, 3}, []int64{2, -3, 8, -2, 3, 5, -1, 0}
	if got := apply[int64](t, "mod", nil, vec(x...), vec(y...)); !slices.Equal(got, []int64{0, -2, 5, 0, 2, 3, 0, 0}) {
		t.Error(got)
	}
	if got := apply[int64](t, "mod", signOf("dividend"), vec(x...), vec(y...)); !slices.Equal(got, []int64{0, 1, 5, 0, -1, 3, 0, 0}) {
		t.Error(got)
	}
	if got := apply[uint8](t, "mod", nil, vec[uint8](250, 7, 5), vec[uint8](7, 250, 0)); !slices.Equal(got, []uint8{5, 7, 0}) {
		t.Error(got)
	}
}

func TestFloatMod(t *testing.T) {
	x := []float32{-4.3, 7.2, 5, 4.3, -7.2, 8, -4, 4, inf, 1, -1, 1, nan, negZero, math.MaxFloat32, 0x1p-149}
	y := []float32{2.1, -3.4, 8, -2.1, 3.4, 5, 2, -2, 2, inf, inf, 0, 1, 3, 0x1.8p-149, math.MaxFloat32}
	var fmod, python []float32
	for i := range x {
		r := float32(math.Mod(float64(x[i]), float64(y[i])))
		fmod = append(fmod, r)
		switch {
		case r == 0:
			r = float32(math.Copysign(0, float64(y[i])))
		case (r < 0) != (y[i] < 0) && r == r:
			r += y[i]
		}
		python = append(python, r)
	}
	equalFloats(t, "fmod", apply[float32](t, "mod", signOf("dividend"), vec(x...), vec(y...)), fmod)
	equalFloats(t, "mod", apply[float32](t, "mod", nil, vec(x...), vec(y...)), python)
	known := []float32{-0.1, 0.4, 5, 0.1, -0.4, 3} // ONNX, test_mod_mixed_sign_float32, to one digit
	for i, w := range known {
		if math.Abs(float64(fmod[i]-w)) > 1e-5 {
			t.Errorf("%v mod %v is %v, want about %v", x[i], y[i], fmod[i], w)
		}
	}
	if got := math.Float64bits(apply[float64](t, "mod", nil, tensor.Scalar(1.0), tensor.Scalar(0.0))[0]); got != 0x7FF8<<48 {
		t.Errorf("1 mod 0 is %#x", got)
	}
	if !math.Signbit(float64(fmod[6])) || !math.Signbit(float64(python[7])) || !math.Signbit(float64(fmod[13])) {
		t.Error("a zero does not have the sign that it must have")
	}
}

// TestExactMod compares with integers: floats that are multiples of a small power of two, of very different size.
func TestExactMod(t *testing.T) {
	r := op.NewRand(1, 1)
	for range 2000 {
		// x = m·2^e and y = n: m·2^e mod n by squaring.
		m, n, e := uint64(r.Between(1, 1<<24-1)), uint64(r.Between(1, 1<<24-1)), r.IntN(100)
		want := m % n
		for range e {
			want = want * 2 % n
		}
		x, y := float32(math.Ldexp(float64(m), e)), float32(n)
		if got := apply[float32](t, "mod", signOf("dividend"), tensor.Scalar(x), tensor.Scalar(y)); got[0] != float32(want) {
			t.Fatalf("%v mod %v is %v, want %v", x, y, got[0], want)
		}
	}
}
