package fmath

import "math"

// The functions that are not hot are evaluated in float64 with separately rounded products and
// sums, and rounded to float32 once.

// exp64P holds 1/13! … 1/2!, the coefficients of (e^r - 1 - r)/r².
var exp64P = [...]float64{
	1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
	1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2,
}

// log64P holds 2/21 … 2/5, 2/3, the coefficients of (2·artanh(s) - 2s)/s³ in s².
var log64P = [...]float64{
	2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3,
}

const (
	roundMagic64 = 0x1.8p52
	log2e64      = 0x1.71547652b82fep+0
	ln2Hi64      = 0x1.62e42fee00000p-1 // 32 bits: its products with small integers are exact
	ln2Lo64      = 0x1.a39ef35793c76p-33
	ln264        = 0x1.62e42fefa39efp-1
)

// expm1Poly returns e^r - 1 for |r| ≤ ln(2)/2.
func expm1Poly(r float64) float64 {
	return r + float64(float64(r*r)*poly64(r, exp64P[:]))
}

// pow2By64 returns 2^n for -1022 ≤ n ≤ 1023, n being an integer.
func pow2By64(n float64) float64 {
	return math.Float64frombits(uint64(int64(n)+1023) << 52)
}

// expm1By64 returns e^x - 1 for |x| ≤ 500, to about 2^-51 of its value.
func expm1By64(x float64) float64 {
	n := (float64(x*log2e64) + roundMagic64) - roundMagic64
	r := (x - float64(n*ln2Hi64)) - float64(n*ln2Lo64)
	s := pow2By64(n)
	return float64(s*expm1Poly(r)) + (s - 1)
}

// log1pPoly returns ln(1+f) for √½ ≤ 1+f ≤ √2.
func log1pPoly(f float64) float64 {
	s := f / (2 + f)
	z := float64(s * s)
	return s + s + float64(float64(s*z)*poly64(z, log64P[:]))
}

// logParts returns an integer k and ln m with w = 2^k·m and √½ ≤ m < √2, for normal w > 0.
func logParts(w float64) (k, lnM float64) {
	const sqrtHalf = 0x3FE6A09E667F3BCD
	b := math.Float64bits(w) - sqrtHalf
	m := math.Float64frombits(b&(1<<52-1) + sqrtHalf)
	return float64(int64(b) >> 52), log1pPoly(m - 1)
}

// log1pBy64 returns ln(1+v) for finite v > -1 such that 1+v is normal, to about 2^-51 of its value.
func log1pBy64(v float64) float64 {
	if v > -0.29 && v < 0.41 {
		return log1pPoly(v)
	}
	k, l := logParts(1 + v)
	return float64(k*ln264) + l
}

// log2By64 returns the binary logarithm of normal w > 0, exact for powers of two.
func log2By64(w float64) float64 {
	k, l := logParts(w)
	return k + float64(l*log2e64)
}

func expm1Single(x float32) float32 {
	switch {
	case x != x:
		return NaN()
	case x == 0:
		return x // keeps the sign
	}
	return float32(expm1By64(max(-30, min(float64(x), 89))))
}

func log2Single(x float32) float32 {
	switch {
	case x != x || x < 0:
		return NaN()
	case x == 0:
		return float32(math.Inf(-1))
	case x > math.MaxFloat32:
		return x
	}
	return float32(log2By64(float64(x)))
}
