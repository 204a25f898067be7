package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func TestUnarySpecialValues(t *testing.T) {
	x := []float32{0, negZero, inf, -inf, nan, -0.5}
	for _, c := range []struct {
		op   string
		want []float32
	}{
		{"copy", x},
		{"neg", []float32{negZero, 0, -inf, inf, nan, 0.5}},
		{"abs", []float32{0, 0, inf, inf, nan, 0.5}},
		{"sign", []float32{0, 0, 1, -1, 0, -1}},
		{"floor", []float32{0, negZero, inf, -inf, nan, -1}},
		{"ceil", []float32{0, negZero, inf, -inf, nan, negZero}},
		{"round", []float32{0, negZero, inf, -inf, nan, 0}},
		{"round_even", []float32{0, negZero, inf, -inf, nan, negZero}},
		{"rcp", []float32{inf, -inf, 0, negZero, nan, -2}},
		{"sqr", []float32{0, 0, inf, inf, nan, 0.25}},
		{"sqrt", []float32{0, negZero, inf, nan, nan, nan}},
		{"rsqr", []float32{inf, inf, 0, 0, nan, 4}},
		{"rsqrt", []float32{inf, -inf, 0, nan, nan, nan}},
		{"exp", []float32{1, 1, inf, 0, nan}},
		{"log", []float32{-inf, -inf, inf, nan, nan}},
		{"log2", []float32{-inf, -inf, inf, nan, nan}},
		{"tanh", []float32{0, negZero, 1, -1, nan}},
		{"erf", []float32{0, negZero, 1, -1, nan}},
		{"atan", []float32{0, negZero, math.Pi / 2, -math.Pi / 2, nan}},
		{"sinh", []float32{0, negZero, inf, -inf, nan}},
		{"cosh", []float32{1, 1, inf, inf, nan}},
		{"asinh", []float32{0, negZero, inf, -inf, nan}},
	} {
		equalFloats(t, c.op, apply[float32](t, c.op, nil, vec(x...))[:len(c.want)], c.want)
	}
}

// TestUnaryFunctions compares every function with float64 arithmetic.
func TestUnaryFunctions(t *testing.T) {
	for _, c := range []struct {
		op     string
		f      func(float64) float64
		lo, hi float64
	}{
		{"exp", math.Exp, -10, 3}, {"log", math.Log, 0.01, 9}, {"log2", math.Log2, 0.01, 9}, {"sqrt", math.Sqrt, 0, 9},
		{"rcp", func(x float64) float64 { return 1 / x }, 0.1, 9}, {"rsqr", func(x float64) float64 { return 1 / (x * x) }, 0.1, 9},
		{"rsqrt", func(x float64) float64 { return 1 / math.Sqrt(x) }, 0.1, 9}, {"sqr", func(x float64) float64 { return x * x }, -5, 5},
		{"sin", math.Sin, -10, 10}, {"cos", math.Cos, -10, 10}, {"tan", math.Tan, -1.5, 1.5},
		{"asin", math.Asin, -1, 1}, {"acos", math.Acos, -1, 1}, {"atan", math.Atan, -9, 9},
		{"sinh", math.Sinh, -5, 5}, {"cosh", math.Cosh, -5, 5}, {"tanh", math.Tanh, -5, 5},
		{"asinh", math.Asinh, -5, 5}, {"acosh", math.Acosh, 1, 9}, {"atanh", math.Atanh, -0.99, 0.99}, {"erf", math.Erf, -3, 3},
	} {
		x := op.NewRand(1, 1).Uniform(tensor.Float32, tensor.Shape{300}, c.lo, c.hi)
		closeTo(t, c.op, tensor.Data[float32](x), apply[float32](t, c.op, nil, x), c.f, 1e-6)
	}
}

func TestRound(t *testing.T) {
	below := math.Nextafter32(0.5, 0)
	x := []float32{-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, -0.3, below, -below, 8388607.5, 8388609, -8388608.5, -1e-30, 1 << 30}
	equalFloats(t, "round", apply[float32](t, "round", nil, vec(x...)),
		[]float32{-2, -1, 0, 1, 2, 3, 0, 0, 0, 8388608, 8388609, -8388608, 0, 1 << 30})
	equalFloats(t, "round_even", apply[float32](t, "round_even", nil, vec(x...)),
		[]float32{-2, -2, negZero, 0, 2, 2, negZero, 0, negZero, 8388608, 8388609, -8388608, negZero, 1 << 30})
	// Every float16 is exact in float64, where the sum with ½ is, too.
	all := make([]tensor.F16, 1<<16)
	for i := range all {
		all[i] = tensor.F16(i)
	}
	got := apply[tensor.F16](t, "round", nil, vec(all...))
	for i, h := range all {
		want := tensor.ToF16(float32(math.Floor(float64(h.Float32()) + 0.5)))
		if got[i].Float32() != want.Float32() && got[i] != want {
			t.Fatalf("round(%v) = %v, want %v", h.Float32(), got[i].Float32(), want.Float32())
		}
	}
}

func TestUnaryIntegers(t *testing.T) {
	x := everyInt[int8](-128, 127)
	ops := map[string]func(v int) int{
		"neg": func(v int) int { return -v },
		"abs": func(v int) int { return max(v, -v) },
		"sqr": func(v int) int { return v * v },
		"sign": func(v int) int {
			return min(max(v, -1), 1)
		},
		"relu": func(v int) int { return max(v, 0) },
		"bit_length": func(v int) int {
			n := 1
			for v = max(v, -v); v > 1; v /= 2 {
				n++
			}
			return n
		},
	}
	for name, f := range ops {
		for i, got := range apply[int8](t, name, nil, vec(x...)) {
			if want := int8(f(int(x[i]))); got != want {
				t.Errorf("%s(%d) = %d, want %d", name, x[i], got, want)
			}
		}
	}
	if got := apply[int64](t, "abs", nil, vec[int64](math.MinInt64, -3)); !slices.Equal(got, []int64{math.MinInt64, 3}) {
		t.Errorf("abs wraps to %v", got)
	}
	if got := apply[uint64](t, "bit_length", nil, vec[uint64](math.MaxUint64, 0, 255)); !slices.Equal(got, []uint64{64, 1, 8}) {
		t.Errorf("bit_length = %v", got)
	}
	if got := apply[uint8](t, "sign", nil, vec[uint8](0, 1, 200)); !slices.Equal(got, []uint8{0, 1, 1}) {
		t.Errorf("sign of unsigned = %v", got)
	}
	rejected(t, "neg", nil, vec[uint8](1))
	rejected(t, "exp", nil, vec[int32](1))
}

func TestPredicates(t *testing.T) {
	x := vec(0, inf, -inf, nan, math.MaxFloat32)
	if got := apply[bool](t, "is_nan", nil, x); !slices.Equal(got, []bool{false, false, false, true, false}) {
		t.Errorf("is_nan = %v", got)
	}
	if got := apply[bool](t, "is_infinite", nil, must(tensor.Cast(x, tensor.Float16))); !slices.Equal(got, []bool{false, true, true, false, true}) {
		t.Errorf("is_infinite of float16 = %v", got)
	}
	if got := apply[bool](t, "not", nil, vec(true, false)); !slices.Equal(got, []bool{false, true}) {
		t.Errorf("not = %v", got)
	}
}

// TestCopyKeepsBits holds copy to moving elements that arithmetic would change.
func TestCopyKeepsBits(t *testing.T) {
	x := []tensor.F16{0x7C01, 0xFE12, 0x8000}
	if got := apply[tensor.F16](t, "copy", nil, vec(x...)); !slices.Equal(got, x) {
		t.Errorf("copy = %04x, want %04x", got, x)
	}
}
