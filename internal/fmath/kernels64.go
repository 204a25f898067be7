package fmath

import (
	"math"
	"math/bits"
)

// Kernels of the functions of float64: the series of e^r, sine and cosine, and what one step of Newton's method makes of them. Their
// errors are below 2^-68 of their values.

// The coefficients 1/n!, those of low order as pairs.
var (
	expHead = []pair{
		{0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73}, {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65}, {0x1.1111111111111p-7, 0x1.1111111111111p-63},
		{0x1.5555555555555p-5, 0x1.5555555555555p-59}, {0x1.5555555555555p-3, 0x1.5555555555555p-57}, {0.5, 0}, {1, 0},
	}
	expTail = []float64{
		1.0 / 121645100408832000, 1.0 / 6402373705728000, 1.0 / 355687428096000, 1.0 / 20922789888000, 1.0 / 1307674368000, 1.0 / 87178291200,
		1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
	}
	sinHead = []pair{
		{-0x1.a01a01a01a01ap-13, -0x1.a01a01a01a01ap-73}, {0x1.1111111111111p-7, 0x1.1111111111111p-63},
		{-0x1.5555555555555p-3, -0x1.5555555555555p-57}, {1, 0},
	}
	sinTail = []float64{
		-1.0 / 25852016738884976640000, 1.0 / 51090942171709440000, -1.0 / 121645100408832000, 1.0 / 355687428096000,
		-1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880,
	}
	cosHead = []pair{
		{-0x1.6c16c16c16c17p-10, 0x1.f49f49f49f49fp-65}, {0x1.5555555555555p-5, 0x1.5555555555555p-59}, {-0.5, 0}, {1, 0},
	}
	cosTail = []float64{
		-1.0 / 1124000727777607680000, 1.0 / 2432902008176640000, -1.0 / 6402373705728000, 1.0 / 20922789888000,
		-1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320,
	}
)

// Constants as pairs, ln 2 in three parts too, of which products of the first two with integers below 2^11 are exact.
var (
	ln2Pair       = pair{ln264, 0x1.abc9e3b39803fp-56}
	log2ePair     = pair{log2e64, 0x1.777d0ffda0d24p-56}
	piPair        = pair{math.Pi, 0x1.1a62633145c07p-53}
	halfPiPair    = pair{math.Pi / 2, 0x1.1a62633145c07p-54}
	twoOverRootPi = pair{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed8p-56}
)

const (
	ln2Mid64  = 0x1.a39ef35792p-33
	ln2Last64 = 0x1.c7673007e5ed6p-73
)

// expm1Series returns e^r - 1 for |r| ≤ 0.35.
func expm1Series(r pair) pair { return series(r, expTail, expHead).times(r) }

// expOf returns m and n with e^x = 2^n·m and m near 1, for |x| ≤ 1000.
func expOf(x pair) (m pair, n int) {
	k := (float64(x.hi*log2e64) + roundMagic64) - roundMagic64
	r := sum(x.hi-float64(k*ln2Hi64), -float64(k*ln2Mid64))
	r = fastSum(r.hi, r.lo+(x.lo-float64(k*ln2Last64)))
	return pair{1, 0}.above(expm1Series(r)), int(k)
}

// expm1Of returns e^x - 1 for |x| ≤ 60.
func expm1Of(x pair) pair {
	if math.Abs(x.hi) < 0.34 {
		return expm1Series(x)
	}
	m, n := expOf(x)
	return m.scaled(pow2By64(float64(n))).plus(pair{-1, 0})
}

// log1pOf returns ln(1+f) for √½ ≤ 1+f ≤ √2, nearly: y as float64 finds it, and by how much e^-y·(1+f) is not 1.
func log1pOf(f pair) pair {
	y := log1pPoly(f.hi)
	e := expm1Series(pair{-y, 0})
	rest := f.plus(e.plus(e.times(f)))
	return fastSum(y, rest.hi)
}

// exponent64 returns n and m with x = 2^n·m and √½ ≤ m < √2, nearly, for x > 0.
func exponent64(x pair) (n float64, m pair) {
	const sqrtHalf = 0x3FE6A09E667F3BCD
	bias := 0.0
	if x.hi < 0x1p-1000 {
		x, bias = x.scaled(0x1p100), -100
	}
	k := int64(math.Float64bits(x.hi)-sqrtHalf) >> 52
	h := k >> 1
	return float64(k) + bias, x.scaled(pow2By64(float64(-h))).scaled(pow2By64(float64(h - k)))
}

// logParts64 returns n and ln m of [exponent64].
func logParts64(x pair) (n float64, lnM pair) {
	n, m := exponent64(x)
	return n, log1pOf(m.plus(pair{-1, 0}))
}

// logOf returns ln x for x > 0.
func logOf(x pair) pair {
	n, m := logParts64(x)
	return ln2Pair.times(pair{n, 0}).plus(m)
}

// log1pSmall returns ln(1+v) for v > -1.
func log1pSmall(v pair) pair {
	if v.hi > -0.29 && v.hi < 0.41 {
		return log1pOf(v)
	}
	return logOf(v.plus(pair{1, 0}))
}

// sinOf and cosOf return the sine and cosine of |r| ≤ π/4, nearly.
func sinOf(r pair) pair { return series(r.times(r), sinTail, sinHead).times(r) }
func cosOf(r pair) pair { return series(r.times(r), cosTail, cosHead) }

// atanOf returns the inverse tangent of y/x for y, x ≥ 0, of which not both are 0: of the lesser through the greater, as float64 finds
// it, and the tangent of what is missing.
func atanOf(y, x pair) pair {
	if y.hi > x.hi {
		return halfPiPair.plus(atanOf(x, y).neg())
	}
	w := y.over(x)
	a := atanBy64(w.hi)
	s, c := sinOf(pair{a, 0}), cosOf(pair{a, 0})
	rest := w.times(c).plus(s.neg()).over(c.plus(w.times(s)))
	return pair{a, 0}.above(rest)
}

// twoOverPi64 holds 64 zero bits and then the first 1280 bits of 2/π.
var twoOverPi64 = [...]uint64{
	0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
	0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
	0x56033046fc7b6bab, 0xf0cfbc209af4361d,
}

// reduce64 returns q = a/(π/2) rounded to an integer, modulo 4, and the rest a - q·π/2, for finite a ≥ 0, by Payne and Hanek's method: a
// is an integer m times 2^e, and of the product with 2/π only the bits from 2^1 on matter, 192 of them.
func reduce64(a float64) (q uint64, r pair) {
	if a < math.Pi/4 {
		return 0, pair{a, 0}
	}
	b := math.Float64bits(a)
	m := b&(1<<52-1) | 1<<52
	at := b>>52 - 1075 + 62 // the table's bit that has weight 2 after multiplication by 2^e
	i, s := at/64, at%64
	word := func(k uint64) uint64 { return twoOverPi64[i+k]<<s | twoOverPi64[i+k+1]>>(64-s) }
	h0, p0 := bits.Mul64(m, word(2))
	h1, l1 := bits.Mul64(m, word(1))
	p1, carry := bits.Add64(l1, h0, 0)
	p2 := m*word(0) + h1 + carry
	q = (p2 + 1<<61) >> 62
	p2 -= q << 62
	negative := int64(p2) < 0
	if negative {
		var borrow uint64
		p0, borrow = bits.Sub64(0, p0, 0)
		p1, borrow = bits.Sub64(0, p1, borrow)
		p2, _ = bits.Sub64(0, p2, borrow)
	}
	r = fraction192(p2, p1, p0).times(halfPiPair)
	if negative {
		r = r.neg()
	}
	return q & 3, r
}

// fraction192 returns p·2^-190 for 192 bits that are not all 0.
func fraction192(p2, p1, p0 uint64) pair {
	scale := 0x1p-62
	for p2 == 0 {
		p2, p1, p0 = p1, p0, 0
		scale *= 0x1p-64
	}
	s := bits.LeadingZeros64(p2)
	p2, p1 = p2<<s|p1>>(64-s), p1<<s|p0>>(64-s)
	scale *= pow2By64(float64(-s))
	return pair{float64(p2 &^ 0x7FF), float64(p2&0x7FF) + float64(float64(p1)*0x1p-64)}.scaled(scale)
}
