package fmath

import "math"

// Sqrt returns the square root of x, correctly rounded: NaN for x < 0, -0 for -0.
func Sqrt(x float32) float32 {
	// Rounding √x to 53 bits first is innocuous: 53 ≥ 2·24 + 2.
	return Canonical(float32(math.Sqrt(float64(x))))
}

// Rsqrt returns 1/√x: NaN for x < 0, ±Inf for ±0.
func Rsqrt(x float32) float32 {
	return Canonical(float32(1 / math.Sqrt(float64(x))))
}

// Reciprocal returns 1/x, correctly rounded.
func Reciprocal(x float32) float32 { return Canonical(1 / x) }
