package fmath

import "math"

// x·Φ(x) is -a·Q or x - a·Q for a = |x|, with the tail of the normal distribution Q = e^(-a²/2)·W(a), where W(a) = ½·e^(a²/2)·erfc(a/√2) falls
// slowly from ½ on, like 1/(√(2π)·a) in the end. So nothing cancels for x < 0.

// geluTop is beyond what -a·Q rounds to -0 at.
const geluTop = 14.5

// a·W(a) ≈ p/(1 + geluC·p + a·B(a)) on 0 ≤ a ≤ geluTop, where p = a/2 + a²/2·A(a), with a relative error of 2^-25.5. In this form an error of p,
// which is in numerator and denominator, counts less the greater a is.
var (
	geluA = [...]float32{0x1.4990a2p-7, 0x1.7e413p-4, 0x1.9b726ep-2, 0x1.d8d918p-1}
	geluB = [...]float32{0x1.9be2bp-7, 0x1.e28a08p-4, 0x1.df55c6p-2}
)

const geluC = 0x1.40d954p+1

func geluSingle(x float32) float32 {
	if !(x >= -math.MaxFloat32) { // NaN, or -∞·0
		return NaN()
	}
	b := min(abs(x), geluTop)
	// -b²/2 in two parts, as a rounding of an argument by half a unit would cost the exponential a hundred.
	g := -0.5 * b
	w := float32(b * g)
	r, k, n := expReduce(w)
	u := expRest(r + fmaSingle(k, -ln2Lo, fmaSingle(b, g, -w)))

	p := fmaSingle(-w, poly(b, geluA[:]), -g)
	z := fmaSingle(geluC, p, float32(b*poly(b, geluB[:])))
	d := 1 + z
	// q = p/d with one step of correction, what d lacks included.
	inv := 1 / d
	q := float32(p * inv)
	rest := float32(fmaSingle(-q, z-(d-1), fmaSingle(-q, d, p)) * inv)
	tail := scale(q+fmaSingle(u, q, fmaSingle(u, rest, rest)), n)
	if math.Signbit(float64(x)) {
		return -tail
	}
	return x - tail
}

// geluSplit is where the tail of Φ passes from its series, which cancels further out, to a continued fraction.
const geluSplit = 2.5

var oneOverRootTwoPi = twoOverRootPi.times(pair{0.125, 0}.root())

func geluDouble(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(x >= -math.MaxFloat64): // NaN, or -∞·0
		return nan64()
	case a < 0x1p-60: // so that Φ is ½
		return 0.5 * x
	case a > 40:
		return max(x, math.Copysign(0, -1))
	}
	sq := product(a, a)
	m, n := expOf(sq.scaled(-0.5))
	density := m.times(oneOverRootTwoPi)
	if a > geluSplit {
		// Q = density/(a + 1/(a + 2/(a + 3/…)))
		d := pair{a, 0}
		for k := 120.0; k > 0; k-- {
			d = pair{a, 0}.plus(pair{k, 0}.over(d))
		}
		tail := density.times(pair{a, 0}).over(d)
		if x < 0 {
			return -scale64(tail.value(), n)
		}
		return pair{x, 0}.plus(tail.scaled(pow2By64(float64(max(n, -200)))).neg()).value()
	}
	// Φ = ½ + x·density·(1 + x²/3·(1 + x²/5·(…)))
	half := density.scaled(pow2By64(float64(n))).times(normalSeries(sq)).times(pair{x, 0})
	return pair{0.5, 0}.plus(half).times(pair{x, 0}).value()
}

// normalSeries returns 1 + t/3·(1 + t/5·(1 + t/7·(…))) for t ≤ 72, of which all terms are positive.
func normalSeries(t pair) pair {
	s := pair{1, 0}
	for k := 3 + 2*int(20+float64(1.5*t.hi)); k > 1; k -= 2 {
		s = pair{1, 0}.plus(s.times(t).over(pair{float64(k), 0}))
	}
	return s
}
