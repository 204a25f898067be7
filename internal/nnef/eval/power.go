package eval

import "math"

// exponential returns a to the power of a number that is not integral: 2^(b·log2 a), in arithmetic that gives the same
// bits on every processor.
func exponential(a, b float64) float64 {
	if a < 0 {
		return math.NaN()
	}
	if a == 0 {
		if b < 0 {
			return math.Inf(1)
		}
		return 0
	}
	return exp2(float64(b * log2(a)))
}

// log2 returns the logarithm to base 2 from the series of artanh.
func log2(x float64) float64 {
	m, e := math.Frexp(x) // m in [1/2, 1)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	s := (m - 1) / (m + 1) // |s| < 0.172
	s2 := float64(s * s)
	sum := 0.0
	for k := 25; k >= 1; k -= 2 {
		sum = float64(sum*s2) + 1/float64(k)
	}
	return float64(float64(2*float64(s*sum))*math.Log2E) + float64(e)
}

// exp2 returns 2 to the power of x.
func exp2(x float64) float64 {
	if math.Abs(x) > 2000 {
		return math.Ldexp(1, int(math.Copysign(2000, x)))
	}
	n := math.RoundToEven(x)
	t := float64((x - n) * math.Ln2)
	sum := 1.0
	for k := 20; k >= 1; k-- {
		sum = 1 + float64(sum*t)/float64(k)
	}
	return math.Ldexp(sum, int(n))
}
