package main

import "github.com/mmcloughlin/avo/operand"

// The functions of package fmath on vectors, step by step as docs/numerics.md defines them. Every one takes and leaves a register, needs no
// other state, and yields the canonical NaN where its definition does.

// magic is the number which, added to |t| < 2²², leaves the nearest integer in the low bits.
const (
	magic     num  = 0x1.8p23
	magicBits word = 0x4B400000
	log2e     num  = 0x1.715476p+0
	ln2Hi     num  = 0x1.62e43p-1
	ln2Lo     num  = -0x1.05c61p-29
)

// parts are what expParts yields: e^x ≈ 2ⁿ·(1+u).
type parts struct {
	u vec
	n vec // as a float32
	t vec // n + magic
}

// expParts is the kernel of the exponential, for |x| ≤ 1024.
func (f *file) expParts(x vec) parts {
	p, r := f.expReduce(x)
	p.u = f.expRest(f.fmaBy(p.n, -ln2Lo, r))
	return p
}

// expReduce returns x - n·ln2Hi, too.
func (f *file) expReduce(x vec) (p parts, r vec) {
	p.t = f.fmaBy(x, log2e, f.set(magic))
	p.n = f.sub(p.t, magic)
	return p, f.fmaBy(p.n, -ln2Hi, x)
}

// expRest is e^r - 1 for |r| ≤ ln(2)/2.
func (f *file) expRest(r vec) vec {
	q := f.poly(r, 0x1.6bd048p-13, 0x1.6d44bp-10, 0x1.11372ep-7, 0x1.5554f2p-5, 0x1.55553cp-3, 0x1p-1)
	return f.fmaTo(q, f.mul(r, r), r)
}

// scale returns x·2ⁿ for a normal x between 2⁻⁴⁰ and 4, and -250 < n < 250, with one rounding.
func (f *file) scale(x vec, p parts) vec {
	if f.isa.wide() {
		return f.op2(f.VSCALEFPS, nil, x, p.n)
	}
	// 2^h with h = ⌊n/2⌋ is multiplied by adding to the exponent. Of magic, whose bits are even, shifts leave nothing.
	half := f.shiftRight(p.t, 1)
	first := f.addInt(x, f.shiftLeft(half, 23))
	rest := f.addInt(f.shiftLeft(f.subInt(p.t, half), 23), word(0x3F800000))
	return f.mul(first, rest)
}

// pow2 returns 2ⁿ for a normal result.
func (f *file) pow2(t vec) vec { return f.addInt(f.shiftLeft(t, 23), word(0x3F800000)) }

// exp is Exp.
func (f *file) exp(x vec) vec {
	p := f.expParts(f.greater(f.lesser(x, num(89)), num(-104)))
	y := f.scale(f.add(p.u, num(1)), p)
	return f.blend(f.compare(unordered, x, x), nan, y)
}

// expBelow is Exp for x ≤ 0; of a NaN it is one with any bits.
func (f *file) expBelow(x vec) vec {
	p := f.expParts(f.greater(f.set(num(-104)), x))
	y := f.scale(f.add(p.u, num(1)), p)
	if f.isa.wide() {
		return y
	}
	return f.blend(f.compare(unordered, x, x), nan, y)
}

// sigmoid is Sigmoid.
func (f *file) sigmoid(x vec) vec {
	y := f.sigmoidOf(x)
	return f.blend(f.compare(unordered, x, x), nan, y)
}

// sigmoidOf is Sigmoid of a number.
func (f *file) sigmoidOf(x vec) vec {
	one := f.set(num(1))
	p := f.expParts(f.greater(f.or(x, signBit), num(-104)))
	mh := f.add(p.u, num(1))
	ml := f.add(f.sub(one, mh), p.u)
	s := f.pow2(f.greater(p.t, magic-60))
	dh := f.fma(mh, s, num(1))
	dl := f.fma(ml, s, f.fma(mh, s, f.sub(one, dh)))
	// For -0 both ways give the same: the bit of the sign decides.
	below := f.negative(x)
	num_ := f.blend(below, mh, one)
	low := f.blend(below, ml, f.zero())
	p.n = f.blend(below, p.n, f.zero())
	if !f.isa.wide() {
		p.t = f.blend(below, p.t, f.set(magic))
	}
	inv := f.div(one, dh)
	q := f.mul(num_, inv)
	rem := f.fnma(q, dl, f.add(f.fnma(q, dh, num_), low))
	return f.scale(f.fma(rem, inv, q), p)
}

// sigmoidBegun is what sigmoidEnded makes Sigmoid of, for |x| ≤ 41.
func (f *file) sigmoidBegun(x vec) (kept []vec, unknown mask) {
	a := f.or(x, signBit)
	p := f.expParts(a)
	return []vec{p.u, p.t}, f.compare(notMoreEqual, a, num(-41))
}

// sigmoidEnded is sigmoidOf as a product with a power of two, which has no bound then, and is exact.
func (f *file) sigmoidEnded(x vec, kept []vec) (q, power vec) {
	u, one := kept[0], f.set(num(1))
	mh := f.add(u, num(1))
	ml := f.add(f.sub(one, mh), u)
	s := f.pow2(kept[1])
	dh := f.fma(mh, s, num(1))
	dl := f.sub(one, dh)
	for _, m := range []vec{mh, ml} {
		f.VFMADD231PS(m[0], s[0], dl[0])
	}
	below := f.negative(x)
	num_ := f.blend(below, mh, one)
	low := f.blend(below, ml, f.zero())
	inv := f.div(one, dh)
	q = f.mul(num_, inv)
	f.VFNMADD213PS(num_[0], q[0], dh[0])
	rem := f.fnma(q, dl, f.add(dh, low))
	return f.fmaTo(rem, inv, q), f.blend(below, s, one)
}

// tanh is Tanh.
func (f *file) tanh(x vec) vec {
	a := f.abs(x)
	z := f.mul(a, a)
	small := f.poly(z, -0x1.77ca4cp-12, 0x1.2d9f4ep-9, -0x1.045fdp-7, 0x1.6009a2p-6, -0x1.b9623ap-5, 0x1.110be4p-3, -0x1.55553cp-2)
	f.fmaTo(small, f.mul(a, z), a)

	b := f.lesser(a, num(10))
	p := f.expParts(f.add(b, b))
	s := f.pow2(p.t)
	d := f.fma(p.u, s, f.add(s, num(1)))
	large := f.sub(f.set(num(1)), f.div(f.set(num(2)), d))
	y := f.withSign(f.blend(f.compare(less, a, num(1)), small, large), x)
	return f.blend(f.compare(unordered, x, x), nan, y)
}

// erf is Erf.
func (f *file) erf(x vec) vec {
	a := f.abs(x)
	small := f.poly(f.mul(a, a), 0x1.4771eap-14, -0x1.a3515cp-11, 0x1.53f224p-8, -0x1.b7f71ap-6, 0x1.ce2ce6p-4, -0x1.81273ep-2, 0x1.06eba8p-3)
	f.fmaTo(small, a, a)

	b := f.lesser(a, num(4))
	w := f.poly(b, -0x1.b9c1ap-13, 0x1.a1b876p-9, -0x1.7587a8p-6, 0x1.ae8e36p-4, 0x1.458bb6p-1, 0x1.072088p-3)
	f.fmaTo(w, b, b)
	p := f.expParts(f.xor(w, signBit))
	s := f.pow2(p.t)
	large := f.fnma(s, p.u, f.sub(f.set(num(1)), s))
	y := f.withSign(f.blend(f.compare(less, a, num(1)), small, large), x)
	return f.blend(f.compare(unordered, x, x), nan, y)
}

// gelu is Gelu.
func (f *file) gelu(x vec) vec {
	b := f.lesser(f.abs(x), num(14.5))
	g := f.mul(b, num(-0.5))
	w := f.mul(b, g)
	e, r := f.expReduce(w)
	u := f.expRest(f.sub(r, f.fmaBy(e.n, ln2Lo, f.fnma(b, g, w))))

	p := f.poly(b, 0x1.4990a2p-7, 0x1.7e413p-4, 0x1.9b726ep-2, 0x1.d8d918p-1)
	p = f.fnma(w, p, f.xor(g, signBit))
	z := f.poly(b, 0x1.9be2bp-7, 0x1.e28a08p-4, 0x1.df55c6p-2)
	z = f.fmaBy(p, 0x1.40d954p+1, f.mul(b, z))
	one := f.set(num(1))
	d := f.add(z, one)
	low := f.sub(z, f.sub(d, one))
	inv := f.div(one, d)
	q := f.mul(p, inv)
	rest := f.mul(f.fnma(q, low, f.fnma(q, d, p)), inv)
	tail := f.scale(f.add(f.fma(u, q, f.fma(u, rest, rest)), q), e)
	y := f.sub(f.greater(f.set(signBit), x), tail) // of -0, which leaves -tail, where x < 0
	return f.blend(f.compare(notMore, x, lowest), nan, y)
}

// logPoly is f + f²·L(f) with the last sum left to z: fma(f·f, L(f), z).
func (f *file) logPoly(x vec, z src) vec {
	l := f.poly(x, -0x1.07a794p-3, 0x1.1e718ep-3, -0x1.f33d4cp-4, 0x1.1ed482p-3, -0x1.559c2ap-3, 0x1.99d05ap-3, -0x1.fffefap-3, 0x1.555506p-2, -0x1p-1)
	return f.fmaTo(l, f.mul(x, x), z)
}

// log is Log.
func (f *file) log(x vec) vec {
	const twoThirds word = 0x3F2AAAAB
	tiny := f.compare(less, x, num(0x1p-126))
	b := f.subInt(f.blend(tiny, f.mul(x, num(0x1p23)), x), twoThirds)
	k := f.op1(func(x, to operand.Op) { f.VCVTDQ2PS(x, to) }, f.shiftSigned(b, 23))
	k = f.blend(tiny, f.sub(k, num(23)), k) // exact
	m := f.sub(f.addInt(f.and(b, word(0x7FFFFF)), twoThirds), num(1))
	y := f.fmaBy(k, ln2Hi, f.logPoly(m, m))

	return f.logCases(y, x)
}

// softplus is Softplus.
func (f *file) softplus(x vec) vec {
	p := f.expParts(f.greater(f.or(x, signBit), num(-104)))
	m := f.add(p.u, num(1))
	t := f.scale(m, p)
	// What m lacks may be zero, which the addition of exponents in scale does not allow.
	tl := f.scaleAny(f.add(f.sub(f.set(num(1)), m), p.u), p)
	third := f.compare(more, t, num(0x1.555556p-2))

	half := f.set(num(0.5))
	h := f.fma(t, half, num(-0.5))
	g := f.fma(tl, half, f.fma(t, half, f.xor(f.add(h, half), signBit)))
	h, g = f.blend(third, h, t), f.blend(third, g, tl)
	base := f.blend(third, ln2Hi, f.zero())
	g = f.fnma(h, g, g)
	r := f.logPoly(h, g)

	q := f.greater(x, f.zero())
	s, e1 := f.twoSum(base, q)
	top, e2 := f.twoSum(s, h)
	y := f.add(top, f.add(f.add(e1, e2), r))
	y = f.blend(f.compare(equal, x, infinity), infinity, y)
	return f.blend(f.compare(unordered, x, x), nan, y)
}

// scaleAny is scale for any x.
func (f *file) scaleAny(x vec, p parts) vec {
	if f.isa.wide() {
		return f.scale(x, p)
	}
	half := f.shiftRight(p.t, 1)
	first := f.addInt(f.shiftLeft(half, 23), word(0x3F800000))
	rest := f.addInt(f.shiftLeft(f.subInt(p.t, half), 23), word(0x3F800000))
	return f.mul(f.mul(x, first), rest)
}

// twoSum returns a + b and its error.
func (f *file) twoSum(a, b vec) (s, e vec) {
	s = f.add(a, b)
	v := f.sub(s, a)
	return s, f.add(f.sub(a, f.sub(s, v)), f.sub(b, v))
}

// quarters is reduce for 0 ≤ a < 2¹⁵: q in the low bits, and the rest as a sum.
func (f *file) quarters(a vec) (q, rh, rl vec) {
	const twoOverPi, piO2A, piO2B, piO2C, piO2D = num(0x1.45f306p-1), num(0x1.921fb6p+0), num(-0x1.77p-25), num(-0x1.eap-35), num(0x1.184698p-44)
	t := f.fmaBy(a, twoOverPi, f.set(magic))
	j := f.sub(t, magic)
	r := f.fmaBy(j, -piO2A, a)
	w := f.mul(j, piO2B)
	rest := f.sub(r, w)
	c := f.fmaBy(j, -piO2C, f.sub(f.sub(r, rest), w))
	rh = f.add(rest, c)
	return t, rh, f.fmaBy(j, -piO2D, f.add(f.sub(rest, rh), c))
}

// sinCos is sinCos, with both polynomials being computed.
func (f *file) sinCos(q, rh, rl vec) vec {
	z := f.mul(rh, rh)
	sin := f.poly(z, -0x1.9951eap-13, 0x1.110774p-7, -0x1.555546p-3)
	sin = f.add(f.fma(f.mul(rh, z), sin, rl), rh)

	one := f.set(num(1))
	h := f.fmaBy(z, -0.5, one)
	c := f.fnma(rh, rl, f.fmaBy(z, -0.5, f.sub(one, h)))
	cos := f.poly(z, 0x1.99e80cp-16, -0x1.6c0c28p-10, 0x1.55554ap-5)
	cos = f.add(f.fma(f.mul(z, z), cos, c), h)

	y := f.blend(f.negative(f.shiftLeft(q, 31)), cos, sin)
	return f.xor(y, f.and(f.shiftLeft(q, 30), signBit))
}

// tan is Tan for |x| < 2¹⁵, with both of its ways being computed.
func (f *file) tan(x vec) vec {
	q, rh, rl := f.quarters(f.abs(x))
	z := f.mul(rh, rh)
	v := f.mul(rh, z)
	p := f.poly(z, 0x1.1f102cp-8, 0x1.60b234p-14, 0x1.632008p-7, 0x1.5cb292p-6, 0x1.badadep-5, 0x1.110d9ap-3, 0x1.55556p-2)
	y := f.fma(v, p, rh)
	rest := f.add(f.fma(v, p, f.sub(rh, y)), f.fma(f.mul(y, y), rl, rl))
	h := f.add(y, rest)
	rest = f.add(rest, f.sub(y, h))
	inv := f.div(f.set(num(-1)), h)
	far := f.fma(f.fma(rest, inv, f.fma(h, inv, num(1))), inv, inv)
	return f.xor(f.blend(f.negative(f.shiftLeft(q, 31)), far, h), f.and(x, signBit))
}
