package fmath

import "math"

const (
	// roundMagic added to |t| < 2^22 leaves the nearest integer (ties to even) in the low bits.
	roundMagic = 0x1.8p23

	log2e = 0x1.715476p+0  // 1/ln 2
	ln2Hi = 0x1.62e43p-1   // ln 2 rounded to float32
	ln2Lo = -0x1.05c61p-29 // ln 2 - ln2Hi
)

// expQ holds Q of e^r ≈ 1 + r + r²·Q(r) on |r| ≤ ln(2)/2, relative error 2^-31.0.
var expQ = [...]float32{0x1.6bd048p-13, 0x1.6d44bp-10, 0x1.11372ep-7, 0x1.5554f2p-5, 0x1.55553cp-3, 0x1p-1}

// expParts returns u and n with e^x ≈ 2^n·(1+u) and |u| < 0.42, for |x| ≤ 1024.
// Leaving out the sum 1+u lets the callers round it together with what follows.
func expParts(x float32) (u float32, n int32) {
	r, k, n := expReduce(x)
	return expRest(fmaSingle(k, -ln2Lo, r)), n
}

// expReduce returns r = x - k·ln2Hi and the integer k nearest to x/ln 2, as a number of each kind.
func expReduce(x float32) (r, k float32, n int32) {
	t := fmaSingle(x, log2e, roundMagic)
	k = t - roundMagic
	return fmaSingle(k, -ln2Hi, x), k, int32(math.Float32bits(t) - math.Float32bits(roundMagic))
}

// expRest returns e^r - 1 for |r| ≤ ln(2)/2.
func expRest(r float32) float32 { return fmaSingle(float32(r*r), poly(r, expQ[:]), r) }

func expSingle(x float32) float32 {
	if x != x {
		return NaN()
	}
	// Beyond these bounds the result is +Inf or 0, as it is at the bounds.
	u, n := expParts(max(-104, min(x, 89)))
	return scale(1+u, n)
}

func sigmoidSingle(x float32) float32 {
	if x != x {
		return NaN()
	}
	// With t = e^-|x| = 2^n·(mh+ml), the result is 1/(1+t) or, for negative x, t/(1+t).
	u, n := expParts(max(-104, -abs(x)))
	mh := 1 + u
	ml := (1 - mh) + u
	s := pow2(max(n, -60))
	dh := fmaSingle(mh, s, 1)
	dl := fmaSingle(ml, s, fmaSingle(mh, s, 1-dh))
	num, numLow := float32(1), float32(0)
	if x < 0 {
		num, numLow = mh, ml
	} else {
		n = 0
	}
	// One division, then one step of correction with the exact remainder.
	inv := 1 / dh
	q := float32(num * inv)
	rem := fmaSingle(-q, dl, fmaSingle(-q, dh, num)+numLow)
	return scale(fmaSingle(rem, inv, q), n)
}

// tanhSwitch is where Tanh passes from its polynomial to the exponential.
const tanhSwitch = 1

// tanhP holds P of tanh x ≈ x + x³·P(x²) on |x| ≤ tanhSwitch, relative error 2^-27.7.
var tanhP = [...]float32{
	-0x1.77ca4cp-12, 0x1.2d9f4ep-9, -0x1.045fdp-7, 0x1.6009a2p-6, -0x1.b9623ap-5, 0x1.110be4p-3, -0x1.55553cp-2,
}

func tanhSingle(x float32) float32 {
	if x != x {
		return NaN()
	}
	a := abs(x)
	if a < tanhSwitch {
		z := float32(a * a)
		return copySign(fmaSingle(float32(a*z), poly(z, tanhP[:]), a), x)
	}
	// 1 - 2/(e^2a + 1); from 9.02 on the result rounds to 1.
	a = min(a, 10)
	u, n := expParts(a + a)
	s := pow2(n)
	d := fmaSingle(u, s, 1+s)
	return copySign(1-2/d, x)
}
