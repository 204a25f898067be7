package fmath

import "math"

// logP holds P of ln(1+f) ≈ f + f²·P(f) on |f| ≤ 1/3, relative error 2^-27.7.
var logP = [...]float32{
	-0x1.07a794p-3, 0x1.1e718ep-3, -0x1.f33d4cp-4, 0x1.1ed482p-3, -0x1.559c2ap-3,
	0x1.99d05ap-3, -0x1.fffefap-3, 0x1.555506p-2, -0x1p-1,
}

// twoThirds is the bit pattern of 2/3, where the significands of logarithms begin.
const twoThirds = 0x3F2AAAAB

func logSingle(x float32) float32 {
	switch {
	case x != x || x < 0:
		return NaN()
	case x == 0:
		return float32(math.Inf(-1))
	case x > math.MaxFloat32:
		return x
	}
	// x = 2^k·(1+f) with 2/3 ≤ 1+f < 4/3.
	bias := int32(0)
	if x < 0x1p-126 {
		x, bias = x*0x1p23, 23
	}
	b := math.Float32bits(x) - twoThirds
	k := float32(int32(b)>>23 - bias)
	f := math.Float32frombits(b&0x7FFFFF+twoThirds) - 1
	r := fmaSingle(float32(f*f), poly(f, logP[:]), f)
	return fmaSingle(k, ln2Hi, r)
}

func softplusSingle(x float32) float32 {
	if x != x {
		return NaN()
	}
	if x > math.MaxFloat32 {
		return x
	}
	// max(x, 0) + ln(1+t) with t = e^-|x| = th+tl; for t > 1/3, ln(1+t) = ln 2 + ln(1+f)
	// with f = (t-1)/2.
	u, n := expParts(max(-104, -abs(x)))
	m := 1 + u
	f, fl := scale(m, n), scale((1-m)+u, n)
	base := float32(0)
	if f > 1.0/3 {
		t := f
		f = fmaSingle(0.5, t, -0.5)
		fl = fmaSingle(0.5, fl, fmaSingle(0.5, t, -(f+0.5)))
		base = ln2Hi
	}
	fl = fmaSingle(-f, fl, fl) // fl/(1+f), nearly
	r := fmaSingle(float32(f*f), poly(f, logP[:]), fl)
	// base + max(x, 0) + f + r, the first two sums with their errors kept.
	p := max(x, 0)
	s := base + p
	v := s - base
	e := (base - (s - v)) + (p - v)
	h := s + f
	v = h - s
	e += (s - (h - v)) + (f - v)
	return h + (e + r)
}
