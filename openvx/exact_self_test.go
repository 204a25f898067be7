package openvx_test

import (
	"math"
	"math/big"
	"testing"
)

// TestFunctions holds the intervals to be narrow and to contain what package math says.
func TestFunctions(t *testing.T) {
	beta := big.NewRat(3, 4)
	for _, v := range []float64{-300, -88.5, -1, -0.5, -1e-9, 0, 1e-9, 0.4999, 0.5, 1, 2.75, 127.99, 510} {
		x := point(new(big.Rat).SetFloat64(v))
		near(t, "exp", v, x.exp(), math.Exp(v))
		if v > 0 {
			near(t, "log", v, x.log(), math.Log(v))
			near(t, "pow", v, x.pow(beta), math.Pow(v, 0.75))
		}
	}
}

func near(t *testing.T, name string, v float64, got interval, want float64) {
	t.Helper()
	lo, _ := got.lo.Float64()
	hi, _ := got.hi.Float64()
	if bound := 1e-12 * math.Max(1, math.Abs(want)); math.Abs(lo-want) > bound || math.Abs(hi-want) > bound {
		t.Errorf("%s(%g) is from %g to %g, want %g", name, v, lo, hi, want)
	}
	width := new(big.Float).Sub(got.hi, got.lo)
	if width.Sign() < 0 || width.MantExp(nil) > max(0, got.hi.MantExp(nil))-60 {
		t.Errorf("%s(%g) is %g wide", name, v, width)
	}
}

// TestEncode holds rounding and overflow to what their names say.
func TestEncode(t *testing.T) {
	for _, c := range []struct {
		f          Format
		num, denom int64
		p          Policy
		want       int64
	}{
		{Q78, 5, 512, Policy{}, 2},
		{Q78, 5, 512, Policy{NearestEven: true}, 2},
		{Q78, 7, 512, Policy{NearestEven: true}, 4},
		{Q78, 7, 512, Policy{}, 3},
		{Q78, -5, 512, Policy{}, -2},
		{Q78, -5, 512, Policy{NearestEven: true}, -2},
		{Q78, -7, 512, Policy{NearestEven: true}, -4},
		{Q78, -11, 1024, Policy{NearestEven: true}, -3},
		{Q78, 128, 1, Policy{}, 32767},
		{Q78, 128, 1, Policy{Wrap: true}, -32768},
		{Q78, -129, 1, Policy{Wrap: true}, 32512},
		{U8, -1, 1, Policy{}, 0},
		{U8, -1, 1, Policy{Wrap: true}, 255},
		{U8, 511, 2, Policy{NearestEven: true}, 255},
		{S8, 200, 1, Policy{Wrap: true}, -56},
		{S8, 200, 1, Policy{}, 127},
	} {
		if got := c.f.encode(big.NewRat(c.num, c.denom), c.p); got != c.want {
			t.Errorf("%s of %d/%d with %+v is %d, want %d", c.f.Name, c.num, c.denom, c.p, got, c.want)
		}
	}
}

// TestSkip takes the smallest step that gives the output its size.
func TestSkip(t *testing.T) {
	for _, c := range []struct {
		span, out int
		ceiling   bool
		want      int
	}{
		{0, 1, false, 1}, {6, 1, false, 7}, {6, 7, false, 1}, {6, 4, false, 2}, {6, 3, false, 3}, {6, 2, false, 4},
		{6, 5, false, 0}, {-1, 1, false, 0}, {0, 1, true, 1}, {6, 2, true, 6}, {7, 3, true, 4}, {7, 5, true, 2},
		{7, 6, true, 0}, {6, 1, true, 0},
	} {
		if got := Skip(c.span, c.out, c.ceiling); got != c.want {
			t.Errorf("Skip(%d, %d, %t) = %d, want %d", c.span, c.out, c.ceiling, got, c.want)
		}
	}
}
