package main

import (
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

// log2x64 is log2 in float64, for normal numbers above 0.
func (f *file) log2x64(x func() vec) vec {
	const sqrtHalf word64 = 0x3FE6A09E667F3BCD
	b := again(f, func() vec { return f.subInt64(f.doubles(x()), sqrtHalf) })
	m := f.addInt64(f.and64(b(), word64(1<<52-1)), sqrtHalf)
	// A(m - 1)
	a := f.sub64(m, num64(1))
	s := f.div64(a, f.add64(a, num64(2)))
	z := f.mul64(s, s)
	q := f.poly64(z, []num64{2.0 / 21, 2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3})
	rest := f.mul64(f.mul64(s, z), q)
	l := f.mul64(f.add64(f.add64(s, s), rest), log2e64)
	// The exponent becomes a float64 as the last bits of one above 2⁵².
	k := f.sub64(f.or64(f.shiftRight64(f.addInt64(b(), word64(1024<<52)), 52), word64(0x4330000000000000)), num64(0x1p52+1024))
	return f.add64(k, l)
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

// pow is Pow for one finite exponent other than 0 and 2, p[0]: p[1] has the sign bit if it is odd, p[2] and p[3] are the powers of 0 and of infinity.
func (f *file) pow(read func() vec, p func(k int) vec, integer bool) vec {
	read = again(f, read)
	l := f.log2x64(func() vec { return f.abs(read()) })
	t := f.mul64(l, vec{f.doubles(p(0))[0]})
	t = f.greater64(f.lesser64(t, num64(200)), num64(-200))
	shifted := f.add64(t, magic64)
	u := f.e64(f.mul64(f.sub64(t, f.sub64(shifted, magic64)), ln264))
	y := f.singles(f.mul64(f.add64(u, num64(1)), f.pow2x64(shifted)))
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
