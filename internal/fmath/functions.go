package fmath

import (
	"math"
	"unsafe"
)

// Float is the set of types that the functions compute in. Those of float32 and float64 have definitions of their own: the first are
// the ones that networks use and vector registers repeat, the second are slower and nearly correctly rounded.
type Float interface{ float32 | float64 }

// isDouble reports whether T is float64. The compiler knows.
func isDouble[T Float]() bool { return unsafe.Sizeof(T(0)) == 8 }

// either applies the function for the type of x.
func either[T Float](x T, single func(float32) float32, double func(float64) float64) T {
	if isDouble[T]() {
		return T(double(float64(x)))
	}
	return T(single(float32(x)))
}

// NaN returns the canonical quiet NaN of float32, 0x7FC00000.
func NaN() float32 { return math.Float32frombits(canonicalNaN) }

// NaNOf returns the canonical quiet NaN of T: 0x7FC00000 or 0x7FF8000000000000.
func NaNOf[T Float]() T {
	if isDouble[T]() {
		return T(nan64())
	}
	return T(NaN())
}

// Canonical returns x, or the canonical quiet NaN if x is any NaN.
func Canonical[T Float](x T) T {
	if x != x {
		return NaNOf[T]()
	}
	return x
}

// FMA returns x*y + z with a single rounding, to nearest even, as the fused instruction of
// a processor does. Subnormals are kept; a NaN result is the canonical one.
func FMA[T Float](x, y, z T) T {
	if isDouble[T]() {
		return T(fmaDouble(float64(x), float64(y), float64(z)))
	}
	return T(fmaSingle(float32(x), float32(y), float32(z)))
}

// Exp returns e^x.
func Exp[T Float](x T) T { return either(x, expSingle, expDouble) }

// Expm1 returns e^x - 1.
func Expm1[T Float](x T) T { return either(x, expm1Single, expm1Double) }

// Sigmoid returns 1/(1+e^-x).
func Sigmoid[T Float](x T) T { return either(x, sigmoidSingle, sigmoidDouble) }

// Softplus returns ln(1+e^x).
func Softplus[T Float](x T) T { return either(x, softplusSingle, softplusDouble) }

// Log returns the natural logarithm of x: -Inf for a zero, NaN for a negative x.
func Log[T Float](x T) T { return either(x, logSingle, logDouble) }

// Log2 returns the binary logarithm of x, exact for powers of two: -Inf for a zero, NaN
// for a negative x.
func Log2[T Float](x T) T { return either(x, log2Single, log2Double) }

// Erf returns the error function of x, 2/√π·∫₀ˣ e^-t² dt.
func Erf[T Float](x T) T { return either(x, erfSingle, erfDouble) }

// Gelu returns x·Φ(x) = ½·x·erfc(-x/√2), Φ being the normal distribution: NaN for -Inf.
func Gelu[T Float](x T) T { return either(x, geluSingle, geluDouble) }

// Sin returns the sine of x radians, NaN for an infinity.
func Sin[T Float](x T) T { return either(x, sinSingle, sinDouble) }

// Cos returns the cosine of x radians, NaN for an infinity.
func Cos[T Float](x T) T { return either(x, cosSingle, cosDouble) }

// Tan returns the tangent of x radians, NaN for an infinity.
func Tan[T Float](x T) T { return either(x, tanSingle, tanDouble) }

// Asin returns the inverse sine of x in radians, NaN for |x| > 1.
func Asin[T Float](x T) T { return either(x, asinSingle, asinDouble) }

// Acos returns the inverse cosine of x in radians, NaN for |x| > 1.
func Acos[T Float](x T) T { return either(x, acosSingle, acosDouble) }

// Atan returns the inverse tangent of x in radians, between -π/2 and π/2.
func Atan[T Float](x T) T { return either(x, atanSingle, atanDouble) }

// Sinh returns the hyperbolic sine of x.
func Sinh[T Float](x T) T { return either(x, sinhSingle, sinhDouble) }

// Cosh returns the hyperbolic cosine of x.
func Cosh[T Float](x T) T { return either(x, coshSingle, coshDouble) }

// Tanh returns the hyperbolic tangent of x.
func Tanh[T Float](x T) T { return either(x, tanhSingle, tanhDouble) }

// Asinh returns the inverse hyperbolic sine of x.
func Asinh[T Float](x T) T { return either(x, asinhSingle, asinhDouble) }

// Acosh returns the inverse hyperbolic cosine of x, NaN for x < 1.
func Acosh[T Float](x T) T { return either(x, acoshSingle, acoshDouble) }

// Atanh returns the inverse hyperbolic tangent of x: ±Inf at ±1, NaN beyond.
func Atanh[T Float](x T) T { return either(x, atanhSingle, atanhDouble) }

// Sqrt returns the square root of x, correctly rounded: NaN for x < 0, -0 for -0.
func Sqrt[T Float](x T) T {
	// Rounding the root of a float32 to 53 bits first is innocuous: 53 ≥ 2·24 + 2.
	return Canonical(T(math.Sqrt(float64(x))))
}

// Rsqrt returns 1/√x: NaN for x < 0, ±Inf for ±0.
func Rsqrt[T Float](x T) T { return either(x, rsqrtSingle, rsqrtDouble) }

// Reciprocal returns 1/x, correctly rounded.
func Reciprocal[T Float](x T) T { return Canonical(1 / x) }
