package fmath

import (
	"math"
	"math/bits"
)

// sinP, cosP and tanP hold the polynomials on |r| ≤ π/4 of
//
//	sin r ≈ r + r³·S(r²),           relative error 2^-27.9
//	cos r ≈ 1 - r²/2 + r⁴·C(r²),    relative error 2^-33.0
//	tan r ≈ r + r³·T(r²),           relative error 2^-29.5
var (
	sinP = [...]float32{-0x1.9951eap-13, 0x1.110774p-7, -0x1.555546p-3}
	cosP = [...]float32{0x1.99e80cp-16, -0x1.6c0c28p-10, 0x1.55554ap-5}
	tanP = [...]float32{0x1.1f102cp-8, 0x1.60b234p-14, 0x1.632008p-7, 0x1.5cb292p-6, 0x1.badadep-5, 0x1.110d9ap-3, 0x1.55556p-2}
)

// π/2 = piO2A + piO2B + piO2C + piO2D. B and C have nine bits, so that their products with
// an integer below 2^14.4 are exact.
const (
	twoOverPi   = 0x1.45f306p-1
	piO2A       = 0x1.921fb6p+0
	piO2B       = -0x1.77p-25
	piO2C       = -0x1.eap-35
	piO2D       = 0x1.184698p-44
	reduceLimit = 32768
)

// reduce returns q = a/(π/2) rounded to an integer, modulo 4, and the rest a - q·π/2 as the sum
// rh + rl, for finite a ≥ 0.
func reduce(a float32) (q uint32, rh, rl float32) {
	if a >= reduceLimit {
		return reduceLarge(a)
	}
	t := fmaSingle(a, twoOverPi, roundMagic)
	j := t - roundMagic
	r := fmaSingle(-j, piO2A, a)
	w := float32(j * piO2B)
	rh = r - w
	c := fmaSingle(-j, piO2C, (r-rh)-w)
	r = rh
	rh = r + c
	rl = fmaSingle(-j, piO2D, (r-rh)+c)
	return math.Float32bits(t) & 3, rh, rl
}

// twoOverPiBits holds 64 zero bits and then the first 320 bits of 2/π.
var twoOverPiBits = [...]uint64{
	0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
}

// reduceLarge is reduce for 2^15 ≤ a ≤ MaxFloat32, by Payne and Hanek's method: a is an integer m times 2^e,
// and of the product with 2/π only the bits between 2^1 and 2^-62 matter.
func reduceLarge(a float32) (q uint32, rh, rl float32) {
	b := math.Float32bits(a)
	m := uint64(b&0x7FFFFF | 0x800000)
	at := b>>23 - 150 + 62 // the table's bit that has weight 2 after multiplication by 2^e
	i, s := at/64, at%64
	hi := twoOverPiBits[i]<<s | twoOverPiBits[i+1]>>(64-s)
	lo := twoOverPiBits[i+1]<<s | twoOverPiBits[i+2]>>(64-s)
	carry, _ := bits.Mul64(m, lo)
	p := m*hi + carry
	q = uint32((p + 1<<61) >> 62)
	frac := int64(p - uint64(q)<<62)
	r := float64(float64(frac) * (math.Pi / 2 * 0x1p-62))
	rh = float32(r)
	return q & 3, rh, float32(r - float64(rh))
}

// sinCos returns the sine (odd q: the cosine) of rh+rl, negated where q's bit 1 is set.
func sinCos(q uint32, rh, rl float32) float32 {
	z := float32(rh * rh)
	var y float32
	if q&1 == 0 {
		y = rh + fmaSingle(float32(rh*z), poly(z, sinP[:]), rl)
	} else {
		h := fmaSingle(-0.5, z, 1)
		c := fmaSingle(-0.5, z, 1-h)
		c = fmaSingle(-rh, rl, c)
		y = h + fmaSingle(float32(z*z), poly(z, cosP[:]), c)
	}
	return math.Float32frombits(math.Float32bits(y) ^ q<<30&(1<<31))
}

func sinSingle(x float32) float32 {
	a := abs(x)
	if !(a <= math.MaxFloat32) {
		return NaN()
	}
	y := sinCos(reduce(a))
	return math.Float32frombits(math.Float32bits(y) ^ math.Float32bits(x)&(1<<31))
}

func cosSingle(x float32) float32 {
	a := abs(x)
	if !(a <= math.MaxFloat32) {
		return NaN()
	}
	q, rh, rl := reduce(a)
	return sinCos(q+1, rh, rl)
}

func tanSingle(x float32) float32 {
	a := abs(x)
	if !(a <= math.MaxFloat32) {
		return NaN()
	}
	q, rh, rl := reduce(a)
	z := float32(rh * rh)
	v, p := float32(rh*z), poly(z, tanP[:])
	y := fmaSingle(v, p, rh)
	// What y lacks: its rounding error, and rl times the derivative 1 + tan².
	yl := fmaSingle(v, p, rh-y) + fmaSingle(rl, float32(y*y), rl)
	h := y + yl
	if q&1 == 0 {
		y = h
	} else {
		// -1/(h+yl), with one step of correction.
		yl += y - h
		inv := -1 / h
		y = fmaSingle(inv, fmaSingle(inv, yl, fmaSingle(inv, h, 1)), inv)
	}
	return math.Float32frombits(math.Float32bits(y) ^ math.Float32bits(x)&(1<<31))
}
