package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The quick functions of package fmath on vectors of float64: what they do not tell for sure becomes NaN.

// double is a routine that takes a vector of each operand at a time.
type double struct {
	*routine
	table reg.GPVirtual
}

// pair is the sum of two vectors of doubles, of which hi is that rounded, or nearly so.
type pair struct{ hi, lo vec }

// doubles builds the routines of Tier.Doubles.
func doubles(f *file) {
	if f.isa.vnni {
		return
	}
	for _, d := range []struct {
		name string
		f    func(d *double, x vec, y operand.Mem) vec
	}{
		{"exp", func(d *double, x vec, _ operand.Mem) vec { return d.exponential(x) }},
		{"sigmoid", func(d *double, x vec, _ operand.Mem) vec { return d.sigmoid(x) }},
		{"tanh", func(d *double, x vec, _ operand.Mem) vec { return d.tanh(x) }},
		{"log", func(d *double, x vec, _ operand.Mem) vec { return d.log(x) }},
		{"pow", (*double).pow},
		{"sin", func(d *double, x vec, _ operand.Mem) vec { return d.sine(x, 0) }},
		{"cos", func(d *double, x vec, _ operand.Mem) vec { return d.sine(x, 64) }},
	} {
		r := f.entry("Doubles", d.name)
		addresses := []reg.GPVirtual{r.load("X"), r.load("Z")}
		if d.name == "pow" {
			addresses = append(addresses, r.load("Y"))
		}
		x, z, y := addresses[0], addresses[1], addresses[len(addresses)-1]
		n, table := r.load("N"), r.load("Table")
		if !r.isa.wide() { // half a block
			r.ADDQ(n, n)
		}
		r.loop("loop", n, func() {
			r.VMOVUPS(d.f(&double{r, table}, r.set(at(x, 0)), at(y, 0))[0], at(z, 0))
			for _, a := range addresses {
				r.ADDQ(operand.U32(r.isa.bytes), a)
			}
		})
		r.end()
	}
}

// fastSum is x + y for |x| ≥ |y|, and sum without that; product is x·y.
func (d *double) fastSum(x, y vec) pair {
	s := d.add64(x, y)
	return pair{s, d.sub64(y, d.sub64(s, x))}
}
func (d *double) sum(x, y vec) pair {
	s := d.add64(x, y)
	v := d.sub64(s, x)
	return pair{s, d.add64(d.sub64(x, d.sub64(s, v)), d.sub64(y, v))}
}
func (d *double) product(x, y vec) pair {
	p := d.mul64(x, y)
	lo := d.copy(p, 1)
	d.VFMSUB231PD(x[0], y[0], lo[0])
	return pair{p, lo}
}
func (d *double) times(x, y pair) pair {
	p := d.product(x.hi, y.hi)
	return d.fastSum(p.hi, d.add64(p.lo, d.add64(d.mul64(x.hi, y.lo), d.mul64(x.lo, y.hi))))
}

// unknown is what routines yield that do not know.
const unknown word64 = 0x7FF8000000000000

// unless returns y where a sum, from which y comes, rounds to the same number if it is off by at most an error; sure returns the sum so.
func (d *double) unless(x pair, err src, y vec) vec {
	return d.blend64(d.compare64(unequal, d.add64(x.hi, d.add64(x.lo, err)), d.add64(x.hi, d.sub64(x.lo, err))), unknown, y)
}
func (d *double) sure(x pair, err src) vec { return d.unless(x, err, d.add64(x.hi, x.lo)) }

// upTo leaves only what belongs to |x| up to a bound.
func (d *double) upTo(y, x vec, bound num64) vec {
	return d.blend64(d.compare64(notLessEqual, d.abs64(x), bound), unknown, y)
}

func (d *double) abs64(x vec) vec { return d.and64(x, ^sign64) }

// looked returns the pairs of the table of some indices.
func (d *double) looked(index vec) pair {
	part := func(bytes int) vec {
		to := d.zero()
		all, from := d.compare64(equal, to, to), operand.Mem{Base: d.table, Index: index[0], Scale: 8, Disp: bytes}
		if d.isa.wide() {
			d.VGATHERQPD(from, all.k[0], to[0])
		} else {
			d.VGATHERQPD(all.v[0], from, to[0])
		}
		return to
	}
	index = d.addInt64(index, index)
	return pair{part(0), part(8)}
}

const (
	quickError num64 = 0x1p-63
	exactError num64 = 0x1p-67
	sineError  num64 = 0x1p-62
)

// exp is quickExp, with t of which the bits from 2⁷ on are n.
func (d *double) exp(x vec) (m pair, t vec) {
	t = d.add64(d.mul64(x, 128*log2e64), magic64)
	k := d.sub64(t, magic64)
	a, b := d.sub64(x, d.mul64(k, num64(0x1.62e42fef80000p-8))), d.mul64(k, num64(0x1.1cf79abc80000p-43))
	r := d.sub64(a, b)
	lo := d.sub64(d.sub64(d.sub64(a, r), b), d.mul64(k, num64(0x1.e3b39803f2f6bp-79)))
	z := d.mul64(r, r)
	p := d.add64(d.add64(d.mul64(r, num64(1.0/120)), num64(1.0/24)), d.mul64(z, num64(1.0/720)))
	p = d.add64(d.add64(d.mul64(r, num64(1.0/6)), num64(0.5)), d.mul64(z, p))
	rest := d.add64(d.mul64(z, p), lo)
	of := d.looked(d.and64(t, word64(127)))
	const split num64 = 0x1.8p18
	high := d.sub64(d.add64(r, split), split)
	y := d.fastSum(of.hi, d.mul64(of.hi, high))
	return pair{y.hi, d.add64(d.add64(y.lo, of.lo), d.add64(d.mul64(of.lo, d.add64(r, rest)), d.mul64(of.hi, d.add64(d.sub64(r, high), rest))))}, t
}

// exponents returns n of exp, where exponents of float64 are.
func (d *double) exponents(t vec) vec { return d.shiftLeft64(d.shiftRight64(t, 7), 52) }

// scaledExp is e^x of numbers between -700 and 700.
func (d *double) scaledExp(x vec) pair {
	m, t := d.exp(x)
	s := d.addInt64(d.exponents(t), word64(1023<<52))
	m = d.fastSum(m.hi, m.lo)
	return pair{d.mul64(m.hi, s), d.mul64(m.lo, s)}
}

// exponential and what follows are the functions.
func (d *double) exponential(x vec) vec {
	m, t := d.exp(x)
	return d.upTo(d.unless(m, quickError, d.addInt64(d.add64(m.hi, m.lo), d.exponents(t))), x, 699)
}

// quotient returns c / x.
func (d *double) quotient(c num64, x pair) pair {
	q, rest := d.div64(d.set(c), x.hi), d.set(c)
	d.VFNMADD231PD(q[0], x.hi[0], rest[0])
	return pair{q, d.mul64(d.mul64(d.sub64(rest, d.mul64(q, x.lo)), q), 1/c)}
}

func (d *double) sigmoid(x vec) vec {
	e := d.scaledExp(d.or64(x, sign64))
	y := d.fastSum(d.set(num64(1)), e.hi)
	y = d.quotient(1, pair{y.hi, d.add64(y.lo, e.lo)})
	negative := d.compare64(less, x, num64(0))
	y = d.times(y, pair{d.blend64(negative, e.hi, d.set(num64(1))), d.blend64(negative, e.lo, d.zero())})
	return d.upTo(d.sure(y, d.mul64(y.hi, 2*quickError)), x, 100)
}

func (d *double) tanh(x vec) vec {
	a := d.lesser64(d.abs64(x), num64(22))
	a = d.add64(a, a)
	e := d.scaledExp(a)
	y := d.fastSum(e.hi, d.set(num64(1)))
	q := d.quotient(2, pair{y.hi, d.add64(y.lo, e.lo)})
	one := d.set(num64(1))
	s := d.sub64(one, q.hi)
	z := d.sure(pair{s, d.sub64(d.sub64(d.sub64(one, s), q.hi), q.lo)}, quickError)
	z = d.blend64(d.compare64(less, a, num64(0.01)), unknown, d.or64(z, d.and64(x, sign64)))
	return d.blend64(d.compare64(unordered, x, x), unknown, z)
}

// logarithm is quickLog of normal numbers above 0. Of what float64 finds first 33 bits must do, as the square of what it lacks does not count.
func (d *double) logarithm(x vec) pair {
	b := d.subInt64(x, sqrtHalf)
	n, m := d.exponent64(b), d.mantissa64(b)
	a := d.sub64(m, num64(1))
	v := d.div64(a, d.add64(a, num64(2)))
	z := d.mul64(v, v)
	y := d.mul64(v, d.add64(d.mul64(z, d.poly64(z, []num64{2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3})), num64(2)))
	e := d.scaledExp(d.xor64(y, sign64))
	p := d.product(m, e.hi)
	rest := d.add64(d.sub64(p.hi, num64(1)), d.add64(p.lo, d.mul64(m, e.lo)))
	l := d.product(n, d.set(ln264))
	s := d.sum(l.hi, y)
	return d.fastSum(s.hi, d.add64(s.lo, d.add64(rest, d.add64(l.lo, d.mul64(n, num64(0x1.abc9e3b39803fp-56))))))
}

// ofNormal leaves only what belongs to a normal number above 0.
func (d *double) ofNormal(y, x vec) vec {
	y = d.blend64(d.compare64(notLessEqual, x, num64(math.MaxFloat64)), unknown, y)
	return d.blend64(d.compare64(less, x, num64(0x1p-1022)), unknown, y)
}

func (d *double) log(x vec) vec {
	y := d.logarithm(x)
	return d.ofNormal(d.sure(y, d.add64(d.mul64(d.abs64(y.hi), exactError), quickError)), x)
}

func (d *double) pow(x vec, at operand.Mem) vec {
	l := d.logarithm(x)
	y := d.set(at)
	p := d.product(l.hi, y)
	t := d.fastSum(p.hi, d.add64(p.lo, d.mul64(l.lo, y)))
	m, shifted := d.exp(t.hi)
	m.lo = d.add64(m.lo, d.mul64(m.hi, t.lo))
	err := d.add64(d.mul64(d.abs64(y), 2*quickError), d.add64(d.mul64(d.abs64(t.hi), 2*exactError), 2*quickError))
	z := d.unless(m, err, d.addInt64(d.add64(m.hi, m.lo), d.exponents(shifted)))
	return d.ofNormal(d.upTo(d.upTo(z, t.hi, 699), y, 100), x)
}

// sine is the sine of numbers that are so many 128ths of π greater, by the sines and cosines of those.
func (d *double) sine(x vec, more uint64) vec {
	t := d.add64(d.mul64(x, num64(128/math.Pi)), magic64)
	k := d.sub64(t, magic64)
	r := d.sum(d.sub64(x, d.mul64(k, num64(0x1.921fb54400000p-6))), d.xor64(d.mul64(k, num64(0x1.0b4611a600000p-40)), sign64))
	r = d.fastSum(r.hi, d.sub64(r.lo, d.mul64(k, num64(0x1.3198a2e037073p-75))))
	place := func(more uint64) pair { return d.looked(d.and64(d.addInt64(t, word64(more)), word64(255))) }
	of := place(more + 64)
	z := d.mul64(r.hi, r.hi)
	rest := d.poly64(z, []num64{-1.0 / 5040, 1.0 / 120, -1.0 / 6})
	rest = d.add64(r.lo, d.mul64(d.mul64(r.hi, z), rest))
	p := d.product(of.hi, r.hi)
	rest = d.add64(d.add64(p.lo, d.mul64(of.lo, r.hi)), d.mul64(of.hi, rest))
	of = place(more)
	rest = d.add64(rest, d.add64(of.lo, d.mul64(of.hi, d.mul64(z, d.poly64(z, []num64{-1.0 / 720, 1.0 / 24, -1.0 / 2})))))
	y := d.sum(of.hi, p.hi)
	return d.upTo(d.sure(d.fastSum(y.hi, d.add64(y.lo, rest)), sineError), x, 0x1p14)
}
