package fmath

import "math"

// Pow returns x^y with the special cases of C99's pow (annex F.9.4.4). Squares are correctly
// rounded, and results that are representable are exact.
func Pow[T Float](x, y T) T {
	if y == 2 && x == x {
		return T(x * x) // here, so that callers' loops have it without a call
	}
	return pow(x, y)
}

// pow is Pow for all but squares of numbers.
func pow[T Float](x, y T) T {
	if y == 0 || x == 1 {
		return 1
	}
	if x != x || y != y {
		return NaNOf[T]()
	}
	a, b := T(math.Abs(float64(x))), math.Abs(float64(y))
	integer, odd := parity(b)
	var r T
	switch infinite := math.IsInf(b, 0); {
	case infinite && a == 1:
		r = 1
	case infinite, a == 0, math.IsInf(float64(a), 0):
		if (a > 1) == (y > 0) {
			r = T(math.Inf(1))
		}
	case x < 0 && !integer:
		return NaNOf[T]()
	case isDouble[T]():
		r = T(powDouble(float64(a), float64(y)))
	default:
		r = T(powSingle(float64(a), float64(y)))
	}
	if odd && math.Signbit(float64(x)) {
		return -r
	}
	return r
}

// parity reports whether b ≥ 0 is an integer, and whether it is an odd one.
func parity(b float64) (integer, odd bool) {
	if b >= 1<<53 { // even; infinities count as even integers
		return true, false
	}
	i := int64(b)
	return float64(i) == b, float64(i) == b && i&1 != 0
}

// powSingle returns a^y for finite a > 0 and finite y, as 2^(y·log2 a).
func powSingle(a, y float64) float32 {
	// Beyond ±200, float32 overflows or vanishes.
	t := max(-200, min(float64(y*log2By64(a)), 200))
	n := (t + roundMagic64) - roundMagic64
	u := expm1Poly(float64((t - n) * ln264))
	return float32(float64((1 + u) * pow2By64(n)))
}

// powDouble is powSingle for float64: e^(y·ln a).
func powDouble(a, y float64) float64 {
	if math.Abs(y) < 100 {
		t := quickLog(a).times(pair{y, 0})
		if math.Abs(t.hi) < 700 {
			m, n := quickExp(t.hi)
			m.lo += float64(m.hi * t.lo)
			if m.sure(float64(quickError*(2+float64(2*math.Abs(y)))) + float64(2*exactError*math.Abs(t.hi))) {
				return scale64(m.value(), n)
			}
		}
	}
	log := logOf(pair{a, 0})
	if t := float64(log.hi * y); !(math.Abs(t) < 750) {
		return expDouble(t) // overflows or vanishes
	}
	m, n := expOf(log.times(pair{y, 0}))
	return scale64(m.value(), n)
}
