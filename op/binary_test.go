package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// exactPower is x to the power of y as binary.go documents it, before it is brought into range.
func exactPower(x, y int, bits uint) int {
	if y < 0 {
		switch x {
		case 1:
			return 1
		case -1:
			return 1 - 2*(y&1)
		}
		return 0
	}
	z := 1
	for range y {
		z = z * x & (1<<bits - 1)
	}
	return z
}

// TestArithmeticOfBytes compares all pairs of int8 and uint8 with exact arithmetic.
func TestArithmeticOfBytes(t *testing.T) {
	ops := map[string]func(x, y int) int{
		"add": func(x, y int) int { return x + y },
		"sub": func(x, y int) int { return x - y },
		"mul": func(x, y int) int { return x * y },
		"div": func(x, y int) int {
			if y == 0 {
				return 0
			}
			return x / y
		},
		"pow": func(x, y int) int { return exactPower(x, y, 8) },
		"max": func(x, y int) int { return max(x, y) },
		"min": func(x, y int) int { return min(x, y) },
	}
	for name, f := range ops {
		arithmeticOf[int8](t, name, f, -128, 127)
		arithmeticOf[uint8](t, name, f, 0, 255)
	}
}

func arithmeticOf[T tensor.Integer](t *testing.T, name string, f func(x, y int) int, lo, hi int) {
	t.Helper()
	values := everyInt[T](lo, hi)
	n := len(values)
	x, y := must(tensor.FromSlice(values, n, 1)), must(tensor.FromSlice(values, 1, n))
	d, _ := op.Lookup(name)
	policies := []string{""}
	if len(d.Attrs) != 0 {
		policies = []string{"wrap", "saturate"}
	}
	for _, policy := range policies {
		var attrs graph.Attrs
		if policy != "" {
			attrs = graph.Attrs{{Name: "overflow", Value: policy}}
		}
		for i, got := range apply[T](t, name, attrs, x, y) {
			z := f(int(values[i/n]), int(values[i%n]))
			if policy == "saturate" {
				z = min(max(z, lo), hi)
			}
			if got != T(z) {
				t.Fatalf("%s %s(%d, %d) = %d, want %d", policy, name, values[i/n], values[i%n], got, T(z))
			}
		}
	}
}

func TestSaturateWide(t *testing.T) {
	saturate := graph.Attrs{{Name: "overflow", Value: "saturate"}}
	const lo, hi = math.MinInt64, math.MaxInt64
	for _, c := range []struct {
		op         string
		x, y, want int64
	}{
		{"add", hi, 1, hi}, {"add", lo, -1, lo}, {"add", lo, hi, -1}, {"sub", 0, lo, hi}, {"sub", -1, lo, hi}, {"sub", lo, 1, lo},
		{"mul", lo, -1, hi}, {"mul", lo, 1, lo}, {"mul", 1 << 32, 1 << 31, hi}, {"mul", -1 << 32, 1 << 31, lo}, {"mul", -1 << 40, 1 << 40, lo}, {"mul", hi, hi, hi},
	} {
		if got := apply[int64](t, c.op, saturate, vec(c.x), vec(c.y))[0]; got != c.want {
			t.Errorf("%s(%d, %d) = %d, want %d", c.op, c.x, c.y, got, c.want)
		}
	}
	if got := apply[uint64](t, "mul", saturate, vec[uint64](1<<33, 3), vec[uint64](1<<33, 5)); !slices.Equal(got, []uint64{math.MaxUint64, 15}) {
		t.Errorf("mul of uint64 = %v", got)
	}
	if got := apply[int64](t, "div", nil, vec[int64](lo, 7, -7), vec[int64](-1, 0, 2)); !slices.Equal(got, []int64{lo, 0, -3}) {
		t.Errorf("div = %v", got)
	}
}

func TestBinarySpecialValues(t *testing.T) {
	x, y := vec(0, negZero, nan, inf, inf, 1), vec(negZero, 0, 1, -inf, inf, 0)
	for name, want := range map[string][]float32{
		"add": {0, 0, nan, nan, inf, 1},
		"sub": {0, negZero, nan, inf, nan, 1},
		"mul": {negZero, negZero, nan, -inf, inf, 0},
		"div": {nan, nan, nan, nan, nan, inf},
		"max": {0, 0, nan, inf, inf, 1},
		"min": {negZero, negZero, nan, -inf, inf, 0},
		"pow": {1, 1, nan, 0, inf, 1},
	} {
		equalFloats(t, name, apply[float32](t, name, nil, x, y), want)
	}
	for name, want := range map[string][]bool{
		"lt": {false, false, false, false, false, false},
		"gt": {false, false, false, true, false, true},
		"le": {true, true, false, false, true, false},
		"ge": {true, true, false, true, true, true},
		"eq": {true, true, false, false, true, false},
		"ne": {false, false, true, true, false, true},
	} {
		for _, d := range op.Floats.List() {
			if got := apply[bool](t, name, nil, must(tensor.Cast(x, d)), must(tensor.Cast(y, d))); !slices.Equal(got, want) {
				t.Errorf("%s of %v = %v, want %v", name, d, got, want)
			}
		}
	}
}

func TestComparisonsOfIntegers(t *testing.T) {
	x, y := vec[uint64](math.MaxUint64, 1, 5), vec[uint64](1, math.MaxUint64, 5)
	for name, want := range map[string][]bool{
		"lt": {false, true, false}, "gt": {true, false, false}, "le": {false, true, true},
		"ge": {true, false, true}, "eq": {false, false, true}, "ne": {true, true, false},
	} {
		if got := apply[bool](t, name, nil, x, y); !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}

func TestLogical(t *testing.T) {
	x, y := vec(false, false, true, true), vec(false, true, false, true)
	for name, want := range map[string][]bool{
		"and": {false, false, false, true}, "or": {false, true, true, true}, "xor": {false, true, true, false},
		"eq": {true, false, false, true}, "ne": {false, true, true, false},
	} {
		if got := apply[bool](t, name, nil, x, y); !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}

func TestBroadcast(t *testing.T) {
	x, y := must(tensor.FromSlice([]int32{1, 2}, 2, 1)), must(tensor.FromSlice([]int32{10, 20, 30}, 1, 3))
	if got := apply[int32](t, "add", nil, x, y); !slices.Equal(got, []int32{11, 21, 31, 12, 22, 32}) {
		t.Errorf("column + row = %v", got)
	}
	if got := apply[int32](t, "sub", nil, tensor.Scalar[int32](1), y); !slices.Equal(got, []int32{-9, -19, -29}) {
		t.Errorf("scalar - row = %v", got)
	}
	rejected(t, "add", nil, y, vec[int32](1, 2, 3))                               // ranks differ
	rejected(t, "add", nil, must(tensor.FromSlice([]int32{1, 2}, 1, 2)), y)       // extents 2 and 3
	rejected(t, "add", nil, y, must(tensor.FromSlice([]int64{10, 20, 30}, 1, 3))) // types differ
}

// TestHalfRoundsOnce evaluates in float32 what would overflow float16 on the way.
func TestHalfRoundsOnce(t *testing.T) {
	x := vec(tensor.ToF16(300))
	got := apply[tensor.F16](t, "affine", graph.Attrs{{Name: "alpha", Value: 256.0}, {Name: "beta", Value: -65536.0}}, x)
	if got[0].Float32() != 11264 {
		t.Errorf("256·300 - 65536 = %v, want 11264", got[0].Float32())
	}
}
