package fmath

import "math"

// poly returns the polynomial with coefficients c, highest power first, at z by Horner's rule
// with one fused step per coefficient.
func poly(z float32, c []float32) float32 {
	p := c[0]
	for _, a := range c[1:] {
		p = fmaSingle(p, z, a)
	}
	return p
}

// poly64 is poly in float64, where product and sum round separately.
func poly64(z float64, c []float64) float64 {
	p := c[0]
	for _, a := range c[1:] {
		p = float64(p*z) + a
	}
	return p
}

// pow2 returns 2^n for -126 ≤ n ≤ 127.
func pow2(n int32) float32 { return math.Float32frombits(uint32(n+127) << 23) }

// scale returns x·2^n for -252 ≤ n ≤ 254. For 0.5 ≤ |x| < 4 the product rounds at most once,
// where the result is subnormal or overflows.
func scale(x float32, n int32) float32 {
	h := n >> 1
	return float32(float32(x*pow2(h)) * pow2(n-h))
}

// abs returns x without its sign.
func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }

// copySign returns x with the sign of s.
func copySign(x, s float32) float32 {
	return math.Float32frombits(math.Float32bits(x)&^(1<<31) | math.Float32bits(s)&(1<<31))
}
