package fmath

import "math"

// canonicalNaN is the bit pattern of the one NaN that results carry.
const canonicalNaN = 0x7FC00000

func fmaSingle(x, y, z float32) float32 {
	// The product of two float32 has 48 significant bits at most: exact in float64. The sum
	// rounds to 53 bits, and rounding it again to 24 errs only when the first rounding landed
	// on a midpoint of two float32. Where float32 is subnormal, midpoints have other patterns,
	// so those sums (and zero and NaN) are left to the careful path.
	p := float64(float64(x) * float64(y))
	s := p + float64(z)
	if math.Float64bits(s)&(1<<29-1) != 1<<28 && math.Abs(s) >= 0x1p-126 {
		return float32(s)
	}
	return fmaRound(p, float64(z), s)
}

// fmaRound rounds p + z to float32 once, given s, the sum rounded to float64.
func fmaRound(p, z, s float64) float32 {
	if s != s {
		return NaN()
	}
	// TwoSum: p + z = s + e exactly. Infinities never come here.
	v := s - p
	e := (p - (s - v)) + (z - v)
	if b := math.Float64bits(s); e != 0 && b&1 == 0 {
		// Round to odd instead: truncate towards the side where the exact sum lies, and
		// let the last bit tell that something was cut off. Rounding to 24 bits is then right.
		if (e > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}
