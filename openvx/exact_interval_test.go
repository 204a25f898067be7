package openvx_test

import "math/big"

// interval encloses a real number. Operations round outwards, to precision bits.
type interval struct{ lo, hi *big.Float }

const (
	precision = 96
	tiny      = -78 // exponent of what a series leaves out, at most
)

func down() *big.Float { return new(big.Float).SetPrec(precision).SetMode(big.ToNegativeInf) }
func up() *big.Float   { return new(big.Float).SetPrec(precision).SetMode(big.ToPositiveInf) }

func point(v *big.Rat) interval { return interval{down().SetRat(v), up().SetRat(v)} }

func number(n int64) interval { return point(big.NewRat(n, 1)) }

func (a interval) add(b interval) interval {
	return interval{down().Add(a.lo, b.lo), up().Add(a.hi, b.hi)}
}

func (a interval) neg() interval { return interval{down().Neg(a.hi), up().Neg(a.lo)} }

func (a interval) sub(b interval) interval { return a.add(b.neg()) }

func (a interval) mul(b interval) interval {
	if a.lo.Sign() >= 0 && b.lo.Sign() >= 0 {
		return interval{down().Mul(a.lo, b.lo), up().Mul(a.hi, b.hi)}
	}
	var r interval
	for _, x := range []*big.Float{a.lo, a.hi} {
		for _, y := range []*big.Float{b.lo, b.hi} {
			if lo := down().Mul(x, y); r.lo == nil || lo.Cmp(r.lo) < 0 {
				r.lo = lo
			}
			if hi := up().Mul(x, y); r.hi == nil || hi.Cmp(r.hi) > 0 {
				r.hi = hi
			}
		}
	}
	return r
}

// inverse is that of positive numbers.
func (a interval) inverse() interval {
	one := big.NewFloat(1)
	return interval{down().Quo(one, a.hi), up().Quo(one, a.lo)}
}

// quo divides positive numbers by a positive integer.
func (a interval) quo(n int64) interval {
	d := new(big.Float).SetInt64(n)
	return interval{down().Quo(a.lo, d), up().Quo(a.hi, d)}
}

// shift multiplies by 2^n.
func (a interval) shift(n int) interval {
	return interval{down().SetMantExp(a.lo, n), up().SetMantExp(a.hi, n)}
}

// more adds what a series of positive terms left out.
func (a interval) more() interval {
	e := big.NewFloat(1)
	return interval{a.lo, up().Add(a.hi, e.SetMantExp(e, tiny))}
}

// exp is the exponential function, which grows: its bounds are those of the arguments.
func (a interval) exp() interval {
	return interval{exponential(a.lo).lo, exponential(a.hi).hi}
}

// exponential halves a positive argument until it is less than 1/2, sums Taylor's series, and squares the sum as often. After the
// term x^n/n! the rest is less than that term, which is less than 2^-80 for n = 20.
func exponential(v *big.Float) interval {
	if v.Sign() < 0 {
		return exponential(new(big.Float).Neg(v)).inverse()
	}
	halvings := max(0, v.MantExp(nil)+1)
	x := interval{v, v}.shift(-halvings)
	total, term := number(1), number(1)
	for n := range int64(20) {
		term = term.mul(x).quo(n + 1)
		total = total.add(term)
	}
	total = total.more()
	for range halvings {
		total = total.mul(total)
	}
	return total
}

// log is the natural logarithm of positive numbers.
func (a interval) log() interval {
	return interval{logarithm(a.lo).lo, logarithm(a.hi).hi}
}

// logarithm is that of the mantissa, which is from 1/2 to 1, and of the power of 2.
func logarithm(v *big.Float) interval {
	m := new(big.Float)
	e := v.MantExp(m)
	return number(int64(e)).mul(ln2).sub(minusLog(interval{m, m}))
}

var ln2 = minusLog(point(half))

// minusLog sums 2 (z + z^3/3 + z^5/5 + ...) for z = (1-m)/(1+m), which is from 0 to 1/3. After n terms the rest is less than
// 3^-2n, which is less than 2^-79 for n = 25.
func minusLog(m interval) interval {
	z := number(1).sub(m).mul(number(1).add(m).inverse())
	square := z.mul(z)
	total, power := number(0), z
	for n := range int64(25) {
		total = total.add(power.quo(2*n + 1))
		power = power.mul(square)
	}
	return total.shift(1).more()
}

// pow is a power of positive numbers.
func (a interval) pow(exponent *big.Rat) interval { return a.log().mul(point(exponent)).exp() }

// elements are those that numbers within slack of an interval become when they are truncated.
func (a interval) elements(f Format, slack *big.Rat) (low, high int64) {
	lo, _ := a.lo.Rat(nil)
	hi, _ := a.hi.Rat(nil)
	return f.encode(lo.Sub(lo, slack), Policy{}), f.encode(hi.Add(hi, slack), Policy{})
}
