package fmath

import "math"

// pair is the number hi + lo, which is not rounded: hi is the nearest float64 to it, or nearly so. The functions of float64 are
// computed in pairs and rounded once.
type pair struct{ hi, lo float64 }

// value returns x rounded to float64.
func (x pair) value() float64 { return x.hi + x.lo }

// neg returns -x.
func (x pair) neg() pair { return pair{-x.hi, -x.lo} }

// sum returns a + b exactly.
func sum(a, b float64) pair {
	s := a + b
	v := s - a
	return pair{s, (a - (s - v)) + (b - v)}
}

// fastSum is sum for |a| ≥ |b|, or a = 0.
func fastSum(a, b float64) pair {
	s := a + b
	return pair{s, b - (s - a)}
}

// product returns a·b, exactly unless it is nearly subnormal.
func product(a, b float64) pair {
	p := float64(a * b)
	return pair{p, fused(a, b, -p)}
}

// plus returns x + y with an error below 2^-103 of its magnitude.
func (x pair) plus(y pair) pair {
	s, t := sum(x.hi, y.hi), sum(x.lo, y.lo)
	s = fastSum(s.hi, s.lo+t.hi)
	return fastSum(s.hi, s.lo+t.lo)
}

// above is plus for |x| well above |y|.
func (x pair) above(y pair) pair {
	s := fastSum(x.hi, y.hi)
	return fastSum(s.hi, s.lo+(x.lo+y.lo))
}

// times returns x·y with an error below 2^-102 of its magnitude.
func (x pair) times(y pair) pair {
	p := product(x.hi, y.hi)
	return fastSum(p.hi, p.lo+(float64(x.hi*y.lo)+float64(x.lo*y.hi)))
}

// scaled returns x·s for a power of two s.
func (x pair) scaled(s float64) pair { return pair{float64(x.hi * s), float64(x.lo * s)} }

// over returns x / y with an error below 2^-100 of its magnitude.
func (x pair) over(y pair) pair {
	q := x.hi / y.hi
	rest := x.plus(y.times(pair{-q, 0}))
	return fastSum(q, rest.hi/y.hi)
}

// root returns √x for x > 0 with an error below 2^-100 of its magnitude, and 0 for 0.
func (x pair) root() pair {
	if x.hi == 0 {
		return pair{}
	}
	s := math.Sqrt(x.hi)
	rest := x.plus(product(s, -s))
	return fastSum(s, rest.hi/(s+s))
}

// series returns the polynomial with the given coefficients, highest power first, at z: those of tail, which contribute little, in float64.
func series(z pair, tail []float64, head []pair) pair {
	s := pair{poly64(z.hi, tail), 0}
	for _, c := range head {
		s = c.above(s.times(z))
	}
	return s
}

// fused returns x·y + z with a single rounding. On all processors it is the same function, be it an instruction or not.
func fused(x, y, z float64) float64 {
	return math.FMA(x, y, z)
}

// scale64 returns x·2^n for -2100 ≤ n ≤ 2100 and 0.5 ≤ |x| < 4. It rounds once, where the result is subnormal.
func scale64(x float64, n int) float64 {
	n = max(-1100, min(n, 1100))
	h := n >> 1
	return float64(float64(x*pow2By64(float64(h))) * pow2By64(float64(n-h)))
}
