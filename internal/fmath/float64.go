package fmath

import "math"

// The functions of float64. Each computes in pairs and rounds once, so that the error is little above half a unit in the last place.

const canonicalNaN64 = 0x7FF8000000000000

func nan64() float64 { return math.Float64frombits(canonicalNaN64) }

func fmaDouble(x, y, z float64) float64 {
	if s := fused(x, y, z); s == s {
		return s
	}
	return nan64()
}

func expDouble(x float64) float64 {
	if math.Abs(x) < 700 {
		if m, n := quickExp(x); m.sure(quickError) {
			return float64(m.value() * math.Float64frombits(uint64(n+1023)<<52))
		}
	}
	if x != x {
		return nan64()
	}
	// Beyond these bounds the result is +Inf or 0, as it is at the bounds.
	m, n := expOf(pair{max(-750, min(x, 710)), 0})
	return scale64(m.value(), n)
}

func expm1Double(x float64) float64 {
	switch {
	case x != x:
		return nan64()
	case x == 0:
		return x // keeps the sign
	case x > 50:
		return expDouble(x)
	}
	return expm1Of(pair{max(x, -50), 0}).value()
}

func sigmoidDouble(x float64) float64 {
	if x != x {
		return nan64()
	}
	// With t = e^-|x| the result is 1/(1+t) or, for negative x, t/(1+t).
	t := -min(math.Abs(x), 750)
	if t > -100 {
		m, n := quickPair(t)
		e := m.scaled(pow2By64(float64(n)))
		y := fastSum(1, e.hi)
		y = quickQuotient(1, pair{y.hi, y.lo + e.lo})
		if x < 0 {
			y = e.times(y)
		}
		if y.sure(float64(2 * quickError * y.hi)) {
			return y.value()
		}
	}
	m, n := expOf(pair{t, 0})
	d := pair{1, 0}.plus(m.scaled(pow2By64(float64(max(n, -200)))))
	if x >= 0 {
		return pair{1, 0}.over(d).value()
	}
	return scale64(m.over(d).value(), n)
}

func softplusDouble(x float64) float64 {
	switch {
	case x != x:
		return nan64()
	case x > 50: // e^-x does not count beside x, nor beside 1
		return x
	case x < -50:
		return expDouble(x)
	}
	t, n := expOf(pair{-math.Abs(x), 0})
	return log1pSmall(t.scaled(pow2By64(float64(n)))).plus(pair{max(x, 0), 0}).value()
}

func tanhDouble(x float64) float64 {
	if x != x {
		return nan64()
	}
	a := 2 * min(math.Abs(x), 22)
	if a > 0.01 { // 1 - 2/(1+e^a)
		m, n := quickPair(a)
		e := m.scaled(pow2By64(float64(n)))
		d := fastSum(e.hi, 1)
		q := quickQuotient(2, pair{d.hi, d.lo + e.lo})
		y := fastSum(1, -q.hi)
		if y.lo -= q.lo; y.sure(quickError) {
			return math.Copysign(y.value(), x)
		}
	}
	u := expm1Of(pair{a, 0})
	return math.Copysign(u.over(u.plus(pair{2, 0})).value(), x)
}

func sinhDouble(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan64()
	case a > 50:
		m, n := expOf(pair{min(a, 750), 0})
		return math.Copysign(scale64(m.value(), n-1), x)
	}
	u := expm1Of(pair{a, 0})
	return math.Copysign(0.5*u.plus(u.over(u.plus(pair{1, 0}))).value(), x)
}

func coshDouble(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan64()
	case a > 50:
		m, n := expOf(pair{min(a, 750), 0})
		return scale64(m.value(), n-1)
	}
	m, n := expOf(pair{a, 0})
	w := m.scaled(pow2By64(float64(n)))
	return 0.5 * w.plus(pair{1, 0}.over(w)).value()
}

// positiveLog reports the logarithms of arguments that have no finite one, as of all that are not positive.
func positiveLog(x float64) (y float64, special bool) {
	switch {
	case x != x || x < 0:
		return nan64(), true
	case x == 0:
		return math.Inf(-1), true
	case x > math.MaxFloat64:
		return x, true
	}
	return 0, false
}

func logDouble(x float64) float64 {
	if y, special := positiveLog(x); special {
		return y
	}
	if y := quickLog(x); y.sure(quickError + float64(exactError*math.Abs(y.hi))) {
		return y.value()
	}
	return logOf(pair{x, 0}).value()
}

func log2Double(x float64) float64 {
	if y, special := positiveLog(x); special {
		return y
	}
	n, m := logParts64(pair{x, 0})
	return m.times(log2ePair).plus(pair{n, 0}).value()
}

// beyondLog is where inverse hyperbolic functions are ln 2x to all digits.
const beyondLog = 0x1p40

func asinhDouble(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x:
		return nan64()
	case a > math.MaxFloat64 || x == 0:
		return x
	case a > beyondLog:
		return math.Copysign(logOf(pair{a, 0}).plus(ln2Pair).value(), x)
	}
	p, one := pair{a, 0}, pair{1, 0}
	sq := p.times(p)
	return math.Copysign(log1pSmall(p.plus(sq.over(one.plus(one.plus(sq).root())))).value(), x)
}

func acoshDouble(x float64) float64 {
	switch {
	case x != x || x < 1:
		return nan64()
	case x > math.MaxFloat64:
		return x
	case x > beyondLog:
		return logOf(pair{x, 0}).plus(ln2Pair).value()
	}
	t := sum(x, -1)
	return log1pSmall(t.plus(t.times(t.plus(pair{2, 0})).root())).value()
}

func atanhDouble(x float64) float64 {
	a := math.Abs(x)
	switch {
	case x != x || a > 1:
		return nan64()
	case a == 1:
		return math.Inf(int(x))
	}
	return math.Copysign(0.5*log1pSmall(pair{2 * a, 0}.over(sum(1, -a))).value(), x)
}

// sinCos64 returns the sine (odd q: the cosine) of r, negated where q's bit 1 is set.
func sinCos64(q uint64, r pair) pair {
	y := sinOf
	if q&1 != 0 {
		y = cosOf
	}
	if q&2 != 0 {
		return y(r).neg()
	}
	return y(r)
}

func sinDouble(x float64) float64 {
	a := math.Abs(x)
	if !(a <= math.MaxFloat64) {
		return nan64()
	}
	y := sinCos64(reduce64(a)).value()
	return math.Float64frombits(math.Float64bits(y) ^ math.Float64bits(x)&(1<<63))
}

func cosDouble(x float64) float64 {
	a := math.Abs(x)
	if !(a <= math.MaxFloat64) {
		return nan64()
	}
	q, r := reduce64(a)
	return sinCos64(q+1, r).value()
}

func tanDouble(x float64) float64 {
	a := math.Abs(x)
	if !(a <= math.MaxFloat64) {
		return nan64()
	}
	q, r := reduce64(a)
	y := sinCos64(q, r).over(sinCos64(q+1, r)).value()
	return math.Float64frombits(math.Float64bits(y) ^ math.Float64bits(x)&(1<<63))
}

func atanDouble(x float64) float64 {
	if x != x {
		return nan64()
	}
	a := math.Abs(x)
	y, d := pair{min(a, math.MaxFloat64), 0}, pair{1, 0}
	return math.Copysign(atanOf(y, d).value(), x)
}

// arc returns the sine a ≤ 1 of an angle from 0 to π/2, and the cosine.
func arc(a float64) (sine, cosine pair) {
	return pair{a, 0}, sum(1, -a).times(sum(1, a)).root()
}

func asinDouble(x float64) float64 {
	a := math.Abs(x)
	if !(a <= 1) {
		return nan64()
	}
	return math.Copysign(atanOf(arc(a)).value(), x)
}

func acosDouble(x float64) float64 {
	a := math.Abs(x)
	if !(a <= 1) {
		return nan64()
	}
	s, c := arc(a)
	y := atanOf(c, s)
	if math.Signbit(x) {
		y = piPair.plus(y.neg())
	}
	return y.value()
}

func erfDouble(x float64) float64 {
	if x != x {
		return nan64()
	}
	a := math.Abs(x)
	if a > 6 {
		return math.Copysign(1, x)
	}
	// x·e^-x²·2/√π·(1 + t/3·(1 + t/5·(1 + t/7·(…)))) with t = 2x²
	sq := product(a, a)
	m, n := expOf(sq.neg())
	y := normalSeries(sq.scaled(2)).times(m.scaled(pow2By64(float64(n)))).times(twoOverRootPi).times(pair{a, 0})
	return math.Copysign(y.value(), x)
}

func rsqrtDouble(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return Canonical(1 / math.Sqrt(x))
	}
	if x < 0x1p-1000 {
		return rsqrtDouble(x*0x1p120) * 0x1p60
	}
	return pair{1, 0}.over(pair{x, 0}.root()).value()
}
