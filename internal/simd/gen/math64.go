package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/x86"
)

// The functions of package fmath on vectors of float32 that are computed in float64, where no step is fused. A vec of doubles has two registers
// for each one of singles: those of its first half of lanes, and of its second.

func (f *file) add64(x vec, y src) vec { return f.op2(f.VADDPD, f.VADDPD_BCST, x, y) }
func (f *file) sub64(x vec, y src) vec { return f.op2(f.VSUBPD, f.VSUBPD_BCST, x, y) }
func (f *file) mul64(x vec, y src) vec { return f.op2(f.VMULPD, f.VMULPD_BCST, x, y) }
func (f *file) div64(x vec, y src) vec { return f.op2(f.VDIVPD, f.VDIVPD_BCST, x, y) }

// greater64 and lesser64 are the processor's: y where either is NaN.
func (f *file) greater64(x vec, y src) vec { return f.op2(f.VMAXPD, f.VMAXPD_BCST, x, y) }
func (f *file) lesser64(x vec, y src) vec  { return f.op2(f.VMINPD, f.VMINPD_BCST, x, y) }

// Of bits.
func (f *file) and64(x vec, y src) vec    { return f.op2(f.VANDPD, f.VANDPD_BCST, x, y) }
func (f *file) or64(x vec, y src) vec     { return f.op2(f.VORPD, f.VORPD_BCST, x, y) }
func (f *file) xor64(x vec, y src) vec    { return f.op2(f.VXORPD, f.VXORPD_BCST, x, y) }
func (f *file) addInt64(x vec, y src) vec { return f.op2(f.VPADDQ, f.VPADDQ_BCST, x, y) }
func (f *file) subInt64(x vec, y src) vec { return f.op2(f.VPSUBQ, f.VPSUBQ_BCST, x, y) }
func (f *file) shiftLeft64(x vec, n int) vec {
	return f.op1(func(x, to operand.Op) { f.VPSLLQ(operand.U8(n), x, to) }, x)
}
func (f *file) shiftRight64(x vec, n int) vec { // of unsigned integers
	return f.op1(func(x, to operand.Op) { f.VPSRLQ(operand.U8(n), x, to) }, x)
}

func (f *file) sqrt64(x vec) vec {
	return f.op1(func(x, to operand.Op) { f.VSQRTPD(x, to) }, x)
}

// compare64 and blend64 are compare and blend for doubles.
func (f *file) compare64(how operand.U8, x vec, y src) mask {
	return f.compareBy(f.VCMPPD, f.VCMPPD_BCST, how, x, y)
}
func (f *file) blend64(m mask, yes src, no vec) vec {
	return f.blendBy(x86.VBLENDMPD, x86.VBLENDMPD_BCST, m, yes, no)
}

// poly64 is Horner's rule, highest power first, product and sum being rounded one by one.
func (f *file) poly64(z vec, c []num64) vec {
	p := f.set(c[0])
	for _, a := range c[1:] {
		p = f.add64(f.mul64(p, z), a)
	}
	return p
}

// doubles returns singles as doubles, singles rounds doubles.
func (f *file) doubles(x vec) vec {
	to := vec(f.vectors(2 * len(x)))
	for i, r := range x {
		high := f.YMM()
		if f.isa.wide() {
			f.VEXTRACTF32X8(operand.U8(1), r, high)
			f.VCVTPS2PD(r.AsY(), to[2*i])
			f.VCVTPS2PD(high, to[2*i+1])
		} else {
			f.VEXTRACTF128(operand.U8(1), r, high.AsX())
			f.VCVTPS2PD(r.AsX(), to[2*i])
			f.VCVTPS2PD(high.AsX(), to[2*i+1])
		}
	}
	return to
}

func (f *file) singles(x vec) vec {
	to := vec(f.vectors(len(x) / 2))
	for i, r := range to {
		low, high := f.YMM(), f.YMM()
		if f.isa.wide() {
			f.VCVTPD2PS(x[2*i], low)
			f.VCVTPD2PS(x[2*i+1], high)
			f.VINSERTF32X8(operand.U8(1), high, low.AsZ(), r)
		} else {
			first, err := x86.VCVTPD2PSY(x[2*i], low.AsX())
			check(err)
			first.Outputs = []operand.Op{low} // the other half becomes 0: nothing was there before
			f.Instruction(first)
			f.VCVTPD2PSY(x[2*i+1], high.AsX())
			f.VINSERTF128(operand.U8(1), high.AsX(), low, r)
		}
	}
	return to
}

// rsqrt is Rsqrt.
func (f *file) rsqrt(x vec) vec {
	return f.canonical(f.singles(f.div64(f.set(num64(1)), f.sqrt64(f.doubles(x)))))
}

const (
	magic64 num64 = 0x1.8p52
	ln264   num64 = 0x1.62e42fefa39efp-1
	log2e64 num64 = 0x1.71547652b82fep+0
)

// e64 is E: e^r - 1 for |r| ≤ ln(2)/2.
func (f *file) e64(r vec) vec {
	q := f.poly64(r, []num64{1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
		1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2})
	return f.add64(r, f.mul64(f.mul64(r, r), q))
}

// pow2x64 returns 2ⁿ, given n + magic64.
func (f *file) pow2x64(t vec) vec { return f.addInt64(f.shiftLeft64(t, 52), word64(1023<<52)) }

// expm1x64 is expm1 in float64.
func (f *file) expm1x64(x vec) vec {
	t := f.add64(f.mul64(x, log2e64), magic64)
	n := f.sub64(t, magic64)
	r := f.sub64(f.sub64(x, f.mul64(n, num64(0x1.62e42feep-1))), f.mul64(n, num64(0x1.a39ef35793c76p-33)))
	s := f.pow2x64(t)
	return f.add64(f.mul64(s, f.e64(r)), f.sub64(s, num64(1)))
}

// expm1 is Expm1.
func (f *file) expm1(x vec) vec {
	y := f.singles(f.expm1x64(f.doubles(f.lesser(f.greater(x, num(-30)), num(89)))))
	y = f.blend(f.compare(equal, x, num(0)), x, y)
	return f.canonicalAs(y, x)
}

// again returns a function that does what another one does again and again, where there are few registers, or did once.
func again[T any](f *file, do func() T) func() T {
	if !f.isa.wide() {
		return do
	}
	x := do()
	return func() T { return x }
}

// sqrtHalf has the bits of √½, below which mantissas are doubled.
const sqrtHalf word64 = 0x3FE6A09E667F3BCD

// mantissa64 returns m and exponent64 k, for the bits of a normal 2ᵏ·m above 0, less those of √½: √½ ≤ m < √2.
func (f *file) mantissa64(b vec) vec { return f.addInt64(f.and64(b, word64(1<<52-1)), sqrtHalf) }
func (f *file) exponent64(b vec) vec {
	// It becomes a float64 as the last bits of one above 2⁵².
	return f.sub64(f.or64(f.shiftRight64(f.addInt64(b, word64(1024<<52)), 52), word64(0x4330000000000000)), num64(0x1p52+1024))
}

// log1pPoly64 is ln(1 + a) for √½ ≤ 1 + a ≤ √2.
func (f *file) log1pPoly64(a vec) vec {
	s := f.div64(a, f.add64(a, num64(2)))
	z := f.mul64(s, s)
	q := f.poly64(z, []num64{2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3})
	rest := f.mul64(f.mul64(s, z), q)
	return f.add64(f.add64(s, s), rest)
}

// log2x64 is log2 in float64, for normal numbers above 0.
func (f *file) log2x64(x func() vec) vec {
	b := again(f, func() vec { return f.subInt64(f.doubles(x()), sqrtHalf) })
	l := f.mul64(f.log1pPoly64(f.sub64(f.mantissa64(b()), num64(1))), log2e64)
	return f.add64(f.exponent64(b()), l)
}

// log1p64 is ln(1 + v) in float64, for v ≥ 0.
func (f *file) log1p64(v vec) vec {
	b := f.subInt64(f.add64(v, num64(1)), sqrtHalf)
	a := f.blend64(f.compare64(less, v, num64(0.41)), v, f.sub64(f.mantissa64(b), num64(1)))
	return f.add64(f.mul64(f.exponent64(b), ln264), f.log1pPoly64(a)) // the exponent of a small v is 0
}

// log2 is Log2.
func (f *file) log2(x func() vec, _ func(int) vec) vec {
	x = again(f, x)
	return f.logCases(f.singles(f.log2x64(x)), x())
}

// logCases puts what logarithms are of 0, infinity and less than 0 in their places.
func (f *file) logCases(y, x vec) vec {
	y = f.blend(f.compare(equal, x, infinity), infinity, y)
	y = f.blend(f.compare(equal, x, num(0)), infinity|signBit, y)
	return f.blend(f.compare(notMoreEqual, x, num(0)), nan, y)
}

// exp2x64 is 2 to the power of t, of which the bounds are those of powSingle.
func (f *file) exp2x64(t vec) vec {
	t = f.greater64(f.lesser64(t, num64(200)), num64(-200))
	shifted := f.add64(t, magic64)
	u := f.e64(f.mul64(f.sub64(t, f.sub64(shifted, magic64)), ln264))
	return f.mul64(f.add64(u, num64(1)), f.pow2x64(shifted))
}

// pow is Pow for one finite exponent other than 0 and 2, p[0]: p[1] has the sign bit if it is odd, p[2] and p[3] are the powers of 0 and of infinity.
func (f *file) pow(read func() vec, p func(k int) vec, integer bool) vec {
	read = again(f, read)
	l := f.log2x64(func() vec { return f.abs(read()) })
	y := f.singles(f.exp2x64(f.mul64(l, vec{f.doubles(p(0))[0]})))
	x := read()
	a := f.abs(x)
	if !integer {
		y = f.blend(f.compare(less, x, num(0)), nan, y)
	}
	y = f.blend(f.compare(equal, a, num(0)), p(2), y)
	y = f.blend(f.compare(equal, a, infinity), p(3), y)
	if integer {
		y = f.or(y, f.and(x, p(1)))
	}
	return f.canonicalAs(y, x)
}

// cube is the third power where x·x·x, of which float64 has all but a few bits, says what that rounds to: it is none of those nearest to a midpoint of two
// float32, farther from all others than Pow errs, 2⁻⁴⁵ of its value, and no subnormal number.
func (f *file) cube(x vec) (y vec, unknown mask) {
	d := f.doubles(x)
	d = f.mul64(f.mul64(d, d), d)
	y = f.singles(d)
	low := f.vectors(len(x)) // bits of each, in any order
	for i, r := range low {
		f.VSHUFPS(operand.U8(0b10001000), d[2*i+1], d[2*i], r)
	}
	const near word = 1 << 9
	apart := f.shiftRight(f.and(f.subInt(low, 1<<28-near), 1<<29-2*near), 10)
	small := f.blend(f.compare(equal, x, num(0)), num(2), f.set(num(1)))
	small = f.blend(f.compare(lessEqual, f.abs(y), num(0x1p-126)), small, f.set(num(2)))
	return f.canonical(y), f.compare(equal, f.lesser(f.or(apart, num(1)), small), num(1))
}

// powOf is Pow of two operands.
func (f *file) powOf(x, y vec) vec {
	l := f.log2x64(func() vec { return f.abs(x) })
	z := f.singles(f.exp2x64(f.mul64(l, f.doubles(y))))
	a := f.abs(x)
	z = f.blend(f.compare(equal, a, num(1)), num(1), z) // to an infinite power, too
	z = f.blend(f.compare(equal, y, num(2)), f.mul(x, x), z)
	whole := f.round(y, 3)
	z = f.blend(f.compare(less, x, num(0)), f.blend(f.compare(equal, whole, y), z, f.set(nan)), z)
	up := f.blend(f.compare(more, y, num(0)), infinity, f.zero()) // the power of infinity
	z = f.blend(f.compare(equal, a, infinity), up, z)
	z = f.blend(f.compare(equal, a, num(0)), f.xor(up, infinity), z)
	// An odd integer is one of which the half is none.
	half := f.mul(y, num(0.5))
	odd := f.blend(f.compare(equal, whole, y), f.blend(f.compare(unequal, f.round(half, 3), half), signBit, f.zero()), f.zero())
	z = f.xor(z, f.and(odd, x))
	z = f.blend(f.compare(unordered, x, y), nan, z)
	z = f.blend(f.compare(equal, x, num(1)), num(1), z)
	return f.blend(f.compare(equal, y, num(0)), num(1), z)
}

const (
	piHalf num64 = math.Pi / 2
	sign64       = word64(1 << 63)
)

// atan is Atan.
func (f *file) atan(x vec) vec {
	a := f.doubles(f.abs(x))
	far, half := f.compare64(more, a, num64(0x1.3504f333f9de6p+1)), f.compare64(more, a, num64(0x1.a827999fcef32p-2)) // tan(3π/8), tan(π/8)
	over := f.blend64(far, num64(-1), f.blend64(half, f.sub64(a, num64(1)), a))
	w := f.div64(over, f.blend64(far, a, f.blend64(half, f.add64(a, num64(1)), f.set(num64(1)))))
	base := f.blend64(far, piHalf, f.blend64(half, num64(math.Pi/4), f.zero()))
	z := f.mul64(w, w)
	q := f.poly64(z, []num64{0x1.f9b3bf5e32fbcp-6, -0x1.e26efd487965ep-5, 0x1.35fc305dfb4efp-4, -0x1.73e0d81fe981dp-4,
		0x1.c71572c0271d4p-4, -0x1.24922d0814599p-3, 0x1.9999992bd7443p-3, -0x1.555555550be0bp-2})
	y := f.singles(f.add64(base, f.add64(w, f.mul64(f.mul64(w, z), q))))
	return f.canonicalAs(f.withSign(y, x), x)
}

// asinHalf is asinHalf, with the mask of the lanes where a is above ½.
func (f *file) asinHalf(a vec) (r vec, above mask) {
	above = f.compare64(more, a, num64(0.5))
	rest := f.mul64(f.sub64(f.set(num64(1)), a), num64(0.5))
	w := f.blend64(above, f.sqrt64(rest), a)
	z := f.blend64(above, rest, f.mul64(a, a))
	q := f.poly64(z, []num64{0x1.056e6b63fddf4p-5, -0x1.6fdcfd95f25c7p-9, 0x1.30d8efa53bb92p-6, 0x1.0e11b8ef3f0fcp-6,
		0x1.7027df12e0e78p-6, 0x1.f1ab445d76a77p-6, 0x1.6db762adde6d9p-5, 0x1.333331f27e07fp-4, 0x1.555555565a838p-3})
	return f.add64(w, f.mul64(f.mul64(w, z), q)), above
}

// asin is Asin. Beyond 1 there is no root.
func (f *file) asin(x vec) vec {
	r, above := f.asinHalf(f.doubles(f.abs(x)))
	r = f.blend64(above, f.sub64(f.set(piHalf), f.add64(r, r)), r)
	return f.canonical(f.withSign(f.singles(r), x))
}

// acos is Acos.
func (f *file) acos(x vec) vec {
	d := f.doubles(x)
	r, above := f.asinHalf(f.and64(d, ^sign64))
	r = f.blend64(above, f.add64(r, r), f.xor64(r, sign64))
	base := f.blend64(above, f.blend64(f.compare64(less, d, num64(0)), num64(math.Pi), f.zero()), f.set(piHalf))
	return f.canonical(f.singles(f.add64(base, f.xor64(r, f.and64(d, sign64)))))
}

// expm1OfAbs is e^|x| - 1 in float64, with any value for a NaN.
func (f *file) expm1OfAbs(x vec) vec { return f.expm1x64(f.doubles(f.lesser(f.abs(x), num(90)))) }

// sinh and cosh are Sinh and Cosh.
func (f *file) sinh(x vec) vec {
	u := f.expm1OfAbs(x)
	y := f.singles(f.mul64(f.add64(u, f.div64(u, f.add64(u, num64(1)))), num64(0.5)))
	return f.canonicalAs(f.withSign(y, x), x)
}

func (f *file) cosh(x vec) vec {
	w := f.add64(f.expm1OfAbs(x), num64(1))
	return f.canonicalAs(f.singles(f.mul64(f.add64(w, f.div64(f.set(num64(1)), w)), num64(0.5))), x)
}

// asinh, acosh and atanh are Asinh, Acosh and Atanh.
func (f *file) asinh(x vec) vec {
	d := f.doubles(f.abs(x))
	sq := f.mul64(d, d)
	y := f.singles(f.log1p64(f.add64(d, f.div64(sq, f.add64(f.sqrt64(f.add64(sq, num64(1))), num64(1))))))
	y = f.blend(f.compare(equal, f.abs(x), infinity), infinity, y)
	return f.canonicalAs(f.withSign(y, x), x)
}

func (f *file) acosh(x vec) vec {
	t := f.sub64(f.doubles(x), num64(1))
	y := f.singles(f.log1p64(f.add64(t, f.sqrt64(f.mul64(t, f.add64(t, num64(2)))))))
	y = f.blend(f.compare(equal, x, infinity), infinity, y)
	return f.blend(f.compare(notMoreEqual, x, num(1)), nan, y)
}

func (f *file) atanh(x vec) vec {
	a := f.doubles(f.abs(x))
	y := f.singles(f.mul64(f.log1p64(f.div64(f.add64(a, a), f.sub64(f.set(num64(1)), a))), num64(0.5)))
	y = f.blend(f.compare(equal, f.abs(x), num(1)), infinity, y)
	return f.blend(f.compare(notLessEqual, f.abs(x), num(1)), nan, f.withSign(y, x))
}
