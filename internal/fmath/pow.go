package fmath

import "math"

// Pow returns x^y with the special cases of C99's pow (annex F.9.4.4). Squares are correctly
// rounded, and results that are representable are exact.
func Pow(x, y float32) float32 {
	if y == 0 || x == 1 {
		return 1
	}
	if x != x || y != y {
		return NaN()
	}
	a, b := abs(x), abs(y)
	integer, odd := parity(b)
	var sign uint32
	if odd {
		sign = math.Float32bits(x) & (1 << 31)
	}
	var r float32
	switch {
	case b > math.MaxFloat32 && a == 1:
		r = 1
	case b > math.MaxFloat32, a == 0, a > math.MaxFloat32:
		if (a > 1) == (y > 0) {
			r = float32(math.Inf(1))
		}
	case x < 0 && !integer:
		return NaN()
	case y == 2:
		r = float32(x * x)
	default:
		r = powPositive(float64(a), float64(y))
	}
	return math.Float32frombits(math.Float32bits(r) | sign)
}

// powPositive returns a^y for finite a > 0 and finite y, as 2^(y·log2 a).
func powPositive(a, y float64) float32 {
	// Beyond ±200, float32 overflows or vanishes.
	t := max(-200, min(float64(y*log2By64(a)), 200))
	n := (t + roundMagic64) - roundMagic64
	u := expm1Poly(float64((t - n) * ln264))
	return float32(float64((1 + u) * pow2By64(n)))
}

// parity reports whether b ≥ 0 is an integer, and whether it is an odd one.
func parity(b float32) (integer, odd bool) {
	if b >= 1<<24 { // even; infinities count as even integers
		return true, false
	}
	i := int32(b)
	return float32(i) == b, float32(i) == b && i&1 != 0
}
