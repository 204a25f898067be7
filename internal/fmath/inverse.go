package fmath

import "math"

// atanP holds A of atan w ≈ w + w³·A(w²) on |w| ≤ tan(π/8), relative error 2^-45.0.
var atanP = [...]float64{
	0x1.f9b3bf5e32fbcp-6, -0x1.e26efd487965ep-5, 0x1.35fc305dfb4efp-4, -0x1.73e0d81fe981dp-4,
	0x1.c71572c0271d4p-4, -0x1.24922d0814599p-3, 0x1.9999992bd7443p-3, -0x1.555555550be0bp-2,
}

// asinP holds P of asin w ≈ w + w³·P(w²) on |w| ≤ 1/2, relative error 2^-43.9.
var asinP = [...]float64{
	0x1.056e6b63fddf4p-5, -0x1.6fdcfd95f25c7p-9, 0x1.30d8efa53bb92p-6, 0x1.0e11b8ef3f0fcp-6,
	0x1.7027df12e0e78p-6, 0x1.f1ab445d76a77p-6, 0x1.6db762adde6d9p-5, 0x1.333331f27e07fp-4, 0x1.555555565a838p-3,
}

func atanSingle(x float32) float32 {
	if x != x {
		return NaN()
	}
	return copySign(float32(atanBy64(float64(abs(x)))), x)
}

// atanBy64 returns the inverse tangent of w ≥ 0, to about 2^-45 of its value.
func atanBy64(w float64) float64 {
	const tan8th, tan3Eighths = 0x1.a827999fcef32p-2, 0x1.3504f333f9de6p+1 // tan(π/8), tan(3π/8)
	base := 0.0
	switch {
	case w > tan3Eighths:
		w, base = -1/w, math.Pi/2
	case w > tan8th:
		w, base = (w-1)/(w+1), math.Pi/4
	}
	z := float64(w * w)
	return base + (w + float64(float64(w*z)*poly64(z, atanP[:])))
}

// asinHalf returns asin w for 0 ≤ a ≤ 1, where w = a if a ≤ 1/2, and otherwise w = √((1-a)/2), for which
// asin a = π/2 - 2·asin w.
func asinHalf(a float64) float64 {
	var w, z float64
	if a <= 0.5 {
		w, z = a, float64(a*a)
	} else {
		z = 0.5 * (1 - a)
		w = math.Sqrt(z)
	}
	return w + float64(float64(w*z)*poly64(z, asinP[:]))
}

func asinSingle(x float32) float32 {
	a := float64(abs(x))
	if !(a <= 1) {
		return NaN()
	}
	r := asinHalf(a)
	if a > 0.5 {
		r = math.Pi/2 - (r + r)
	}
	return copySign(float32(r), x)
}

func acosSingle(x float32) float32 {
	a := float64(abs(x))
	if !(a <= 1) {
		return NaN()
	}
	r := asinHalf(a)
	switch {
	case a <= 0.5 && x >= 0:
		r = math.Pi/2 - r
	case a <= 0.5:
		r = math.Pi/2 + r
	case x >= 0:
		r += r
	default:
		r = math.Pi - (r + r)
	}
	return float32(r)
}
