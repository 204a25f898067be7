package fmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// The functions of float64 are compared with values of many digits, of which these are made.

const digits = 260 // bits of fraction

func number(x float64) *big.Float         { return new(big.Float).SetPrec(digits).SetFloat64(x) }
func add(x, y *big.Float) *big.Float      { return new(big.Float).SetPrec(digits).Add(x, y) }
func minus(x, y *big.Float) *big.Float    { return new(big.Float).SetPrec(digits).Sub(x, y) }
func mul(x, y *big.Float) *big.Float      { return new(big.Float).SetPrec(digits).Mul(x, y) }
func quo(x, y *big.Float) *big.Float      { return new(big.Float).SetPrec(digits).Quo(x, y) }
func root(x *big.Float) *big.Float        { return new(big.Float).SetPrec(digits).Sqrt(x) }
func negative(x *big.Float) *big.Float    { return new(big.Float).SetPrec(digits).Neg(x) }
func half(x *big.Float, n int) *big.Float { return new(big.Float).SetPrec(digits).SetMantExp(x, -n) }

// sumSeries returns the sum of terms, of which next makes each from the one before, given its number from 1 on.
func sumSeries(first *big.Float, next func(term *big.Float, n int) *big.Float) *big.Float {
	sum, term := number(0), first
	for n := 1; term.Sign() != 0 && (n == 1 || term.MantExp(nil) > sum.MantExp(nil)-digits-8); n++ {
		sum = add(sum, term)
		term = next(term, n)
	}
	return sum
}

// trueExpm1 returns e^x - 1, squaring the exponential of a small part of x.
func trueExpm1(x *big.Float) *big.Float {
	n := max(x.MantExp(nil)+8, 0)
	r := half(x, n)
	e := sumSeries(r, func(term *big.Float, n int) *big.Float { return quo(mul(term, r), number(float64(n+1))) })
	for range n {
		e = mul(e, add(e, number(2))) // (1+e)² - 1
	}
	return e
}

func trueExp(x *big.Float) *big.Float {
	if x.Signbit() {
		return quo(number(1), trueExp(negative(x)))
	}
	return add(trueExpm1(x), number(1))
}

// trueLog1p returns ln(1+x) by Newton's method.
func trueLog1p(x *big.Float) *big.Float {
	f, _ := x.Float64()
	y := number(math.Log1p(f))
	if x.Sign() == 0 {
		return y
	}
	for range 4 {
		e := trueExpm1(negative(y)) // (1+x)·e^-y - 1 = x + e + x·e
		y = add(y, add(add(x, e), mul(x, e)))
	}
	return y
}

// trueLog returns ln x.
func trueLog(x *big.Float) *big.Float {
	m := new(big.Float).SetPrec(digits)
	n := x.MantExp(m)
	if m.Cmp(number(0.75)) < 0 {
		n, m = n-1, half(m, -1)
	}
	return add(trueLog1p(minus(m, number(1))), mul(number(float64(n)), trueLn2))
}

var trueLn2 = trueLog1p(number(1))

// truePi is π with digits for the reduction of any float64.
var truePi = func() *big.Float {
	const prec = 1500
	arc := func(n int64) *big.Float { // of the tangent 1/n
		x := new(big.Float).SetPrec(prec).Quo(big.NewFloat(1), new(big.Float).SetPrec(prec).SetInt64(n))
		sum, power := new(big.Float).SetPrec(prec), new(big.Float).SetPrec(prec).Set(x)
		for k := int64(0); power.MantExp(nil) > -prec; k++ {
			term := new(big.Float).SetPrec(prec).Quo(power, new(big.Float).SetInt64(2*k+1))
			if k%2 == 1 {
				term.Neg(term)
			}
			sum.Add(sum, term)
			power.Mul(power, x).Mul(power, x)
		}
		return sum
	}
	a, b := arc(5), arc(239)
	a.Mul(a, big.NewFloat(16))
	return a.Sub(a, b.Mul(b, big.NewFloat(4)))
}()

// trueSinCos returns sine and cosine of x.
func trueSinCos(x float64) (sin, cos *big.Float) {
	turn := new(big.Float).SetPrec(1500).Quo(truePi, big.NewFloat(2))
	q := new(big.Float).SetPrec(1500).SetFloat64(x)
	q.Quo(q, turn)
	if q.Signbit() {
		q.Sub(q, big.NewFloat(0.5))
	} else {
		q.Add(q, big.NewFloat(0.5))
	}
	n, _ := q.Int(nil)
	rest := new(big.Float).SetPrec(1500).SetFloat64(x)
	rest.Sub(rest, new(big.Float).SetPrec(1500).Mul(turn, new(big.Float).SetPrec(1500).SetInt(n)))
	r := new(big.Float).SetPrec(digits).Set(rest)
	sq := negative(mul(r, r))
	sin = sumSeries(r, func(term *big.Float, n int) *big.Float { return quo(mul(term, sq), number(float64(2*n*(2*n+1)))) })
	cos = sumSeries(number(1), func(term *big.Float, n int) *big.Float { return quo(mul(term, sq), number(float64(2*n*(2*n-1)))) })
	switch new(big.Int).And(n, big.NewInt(3)).Int64() {
	case 1:
		return cos, negative(sin)
	case 2:
		return negative(sin), negative(cos)
	case 3:
		return negative(cos), sin
	}
	return sin, cos
}

// trueAtan returns the inverse tangent of x, halving the angle until its series is short.
func trueAtan(x *big.Float) *big.Float {
	one, n := number(1), 0
	for ; x.MantExp(nil) > -8; n++ {
		x = quo(x, add(one, root(add(one, mul(x, x)))))
	}
	sq, power := negative(mul(x, x)), x
	sum := sumSeries(x, func(_ *big.Float, n int) *big.Float {
		power = mul(power, sq)
		return quo(power, number(float64(2*n+1)))
	})
	return half(sum, -n)
}

func trueErf(x *big.Float) *big.Float {
	sq := mul(x, x)
	s := sumSeries(x, func(term *big.Float, n int) *big.Float {
		return quo(mul(mul(term, sq), number(2)), number(float64(2*n+1)))
	})
	return quo(mul(mul(s, trueExp(negative(sq))), number(2)), root(truePi))
}

// trueGelu returns x·Φ(x): by the error function, or where that leaves few digits of 1 + erf, by Laplace's continued fraction
// Φ(x)/φ(x) = 1/(a + 1/(a + 2/(a + 3/…))) with a = -x.
func trueGelu(x *big.Float) *big.Float {
	if x.Cmp(number(-12)) > 0 {
		return half(mul(x, add(number(1), trueErf(quo(x, root(number(2)))))), 1)
	}
	a := negative(x)
	d := a
	for k := 400.0; k > 0; k-- {
		d = add(a, quo(number(k), d))
	}
	return negative(quo(mul(a, trueExp(negative(half(mul(a, a), 1)))), mul(d, root(mul(number(2), truePi)))))
}

// of applies a function of many digits to a float64.
func of(f func(x *big.Float) *big.Float) func(float64) *big.Float {
	return func(x float64) *big.Float { return f(number(x)) }
}

// odd makes a function of numbers that are not negative odd.
func odd(f func(x *big.Float) *big.Float) func(x *big.Float) *big.Float {
	return func(x *big.Float) *big.Float {
		if x.Signbit() {
			return negative(f(negative(x)))
		}
		return f(x)
	}
}

// doubles lists the functions of float64 that are not exact, with what is true of finite arguments at which the result is finite.
var doubles = []struct {
	name   string
	f      func(float64) float64
	exact  func(float64) *big.Float
	lo, hi float64 // where most arguments are drawn from
	reach  float64 // the greatest magnitude that is compared
}{
	{"Exp", Exp[float64], of(trueExp), -745.2, 709.8, 800},
	{"Expm1", Expm1[float64], of(trueExpm1), -60, 709.8, 800},
	{"Sigmoid", Sigmoid[float64], of(func(x *big.Float) *big.Float { return quo(number(1), add(number(1), trueExp(negative(x)))) }), -745, 60, 800},
	{"Softplus", Softplus[float64], of(func(x *big.Float) *big.Float { return trueLogOnePlus(trueExp(x)) }), -745, 100, 800},
	{"Tanh", Tanh[float64], of(func(x *big.Float) *big.Float { e := trueExpm1(half(x, -1)); return quo(e, add(e, number(2))) }), -30, 30, 800},
	{"Sinh", Sinh[float64], of(odd(func(x *big.Float) *big.Float { e := trueExpm1(x); return half(add(e, quo(e, add(e, number(1)))), 1) })), -710, 710, 800},
	{"Cosh", Cosh[float64], of(func(x *big.Float) *big.Float { e := trueExp(x); return half(add(e, quo(number(1), e)), 1) }), -710, 710, 800},
	{"Log", Log[float64], of(trueLog), 0, 10, math.MaxFloat64},
	{"Log2", Log2[float64], of(func(x *big.Float) *big.Float { return quo(trueLog(x), trueLn2) }), 0, 10, math.MaxFloat64},
	{"Asinh", Asinh[float64], of(odd(func(x *big.Float) *big.Float {
		sq := mul(x, x)
		return trueLogOnePlus(add(x, quo(sq, add(number(1), root(add(number(1), sq))))))
	})), -5, 5, math.MaxFloat64},
	{"Acosh", Acosh[float64], of(func(x *big.Float) *big.Float {
		t := minus(x, number(1))
		return trueLogOnePlus(add(t, root(mul(t, add(t, number(2))))))
	}), 1, 5, math.MaxFloat64},
	{"Atanh", Atanh[float64], of(func(x *big.Float) *big.Float { return half(trueLogOnePlus(quo(half(x, -1), minus(number(1), x))), 1) }), -1, 1, math.MaxFloat64},
	{"Sin", Sin[float64], func(x float64) *big.Float { s, _ := trueSinCos(x); return s }, -10, 10, math.MaxFloat64},
	{"Cos", Cos[float64], func(x float64) *big.Float { _, c := trueSinCos(x); return c }, -10, 10, math.MaxFloat64},
	{"Tan", Tan[float64], func(x float64) *big.Float { s, c := trueSinCos(x); return quo(s, c) }, -10, 10, math.MaxFloat64},
	{"Atan", Atan[float64], of(trueAtan), -5, 5, math.MaxFloat64},
	{"Asin", Asin[float64], of(func(x *big.Float) *big.Float {
		return trueAtan(quo(x, root(mul(minus(number(1), x), add(number(1), x)))))
	}), -1, 1, math.MaxFloat64},
	{"Acos", Acos[float64], of(func(x *big.Float) *big.Float {
		y := trueAtan(quo(root(mul(minus(number(1), x), add(number(1), x))), new(big.Float).Abs(x)))
		if x.Signbit() {
			return minus(truePi, y)
		}
		return y
	}), -1, 1, math.MaxFloat64},
	{"Erf", Erf[float64], of(trueErf), -6.2, 6.2, 8},
	{"Gelu", Gelu[float64], of(trueGelu), -38.6, 10, 40},
	{"Rsqrt", Rsqrt[float64], of(func(x *big.Float) *big.Float { return quo(number(1), root(x)) }), 0, 10, math.MaxFloat64},
}

// trueLogOnePlus is trueLog1p for any x, of which it may be large.
func trueLogOnePlus(x *big.Float) *big.Float {
	if x.MantExp(nil) < -1 {
		return trueLog1p(x)
	}
	return trueLog(add(x, number(1)))
}

// ulps64 returns the distance of got from want, in units in the last place of a float64 of want's size.
func ulps64(got float64, want *big.Float) float64 {
	if math.IsInf(got, 0) {
		if want.MantExp(nil) > 1024 {
			return 0
		}
		got = math.Copysign(math.MaxFloat64, got) // and one step beyond
	}
	if want.Sign() != 0 && got != 0 && want.Signbit() != math.Signbit(got) {
		return math.Inf(1)
	}
	e := max(want.MantExp(nil)-53, -1074)
	d, _ := half(minus(number(got), want), e).Float64()
	return math.Abs(d)
}

// anyDouble returns a float64 of any exponent.
func anyDouble(r *rand.Rand) float64 {
	for {
		if x := math.Float64frombits(r.Uint64()); !math.IsInf(x, 0) && x == x {
			return x
		}
	}
}

// TestDoubleAccuracy holds the functions of float64 to 0.51 units in the last place, which is next to correct rounding, and to 0.75 where
// results are subnormal.
func TestDoubleAccuracy(t *testing.T) {
	cases := testdata.Cases(40, 10_000)
	for _, fn := range doubles {
		t.Run(fn.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(len(fn.name)), 64))
			args := []float64{0x1p-1074, 0x1p-1022, 0x1p-600, 0x1p-54, 0x1p-30, 0.5, 1, 1.5, 2, 3, math.Pi, math.Pi / 2, math.Pi / 4, 22, 50, 0x1p40, 0x1p1000, math.MaxFloat64}
			for _, x := range args[:len(args):len(args)] {
				args = append(args, -x, math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1)), -math.Nextafter(x, 0))
			}
			for range cases {
				x := fn.lo + float64((fn.hi-fn.lo)*r.Float64())
				args = append(args, x, x*math.Ldexp(1, -r.IntN(60)), anyDouble(r))
				args = append(args, 1+math.Ldexp(r.Float64()-0.5, -r.IntN(53)), float64(float64(r.IntN(100))*(math.Pi/2)))
			}
			worst, at := 0.0, 0.0
			for _, x := range args {
				got := fn.f(x)
				if x == 0 || got != got || math.Abs(x) > fn.reach || x == fn.lo || x == fn.hi {
					continue // special
				}
				u := ulps64(got, fn.exact(x))
				if math.Abs(got) < 0x1p-1022 && u < 0.75 {
					continue
				}
				if u > worst {
					worst, at = u, x
				}
			}
			t.Logf("%-9s %.4f ULP at %v (%x)", fn.name, worst, at, at)
			if worst > 0.51 {
				t.Errorf("%s(%v) = %v; the error is %v ULP", fn.name, at, fn.f(at), worst)
			}
		})
	}
}

// TestDoubleSpecial compares special results with those of float32, which have a test of their own: of arguments without a finite result or
// with a simple one.
func TestDoubleSpecial(t *testing.T) {
	args := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, math.Inf(1), math.Inf(-1), math.Float64frombits(0xFFF0000000000123)}
	for _, fn := range append(doubles[:len(doubles):len(doubles)], doubles[0]) {
		single := byName(t, fn.name).f
		for _, x := range args {
			got, want := fn.f(x), float64(single(float32(x)))
			if want == want && math.Abs(want) != 0 && math.Abs(want) != 1 && !math.IsInf(want, 0) {
				continue
			}
			if want != want {
				want = nan64()
			}
			if fn.name == "Tanh" && math.Abs(x) == 2 || math.Abs(want) == 1 && want != math.Trunc(got) && math.Abs(got-want) < 1e-7 {
				continue // where float32 has rounded
			}
			if math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%s(%v) = %v, want %v", fn.name, x, got, want)
			}
		}
	}
	for _, c := range []struct {
		name string
		x, y float64
	}{
		{"Exp", 709.79, math.Inf(1)}, {"Exp", -745.2, 0}, {"Exp", -745.1, 0x1p-1074}, {"Exp", -1e300, 0}, {"Exp", 1e300, math.Inf(1)},
		{"Expm1", 709.79, math.Inf(1)}, {"Expm1", -40, -1}, {"Expm1", -1e300, -1}, {"Sigmoid", -1e300, 0}, {"Sigmoid", 1e300, 1},
		{"Softplus", -1e300, 0}, {"Softplus", 1e300, 1e300}, {"Tanh", 1e300, 1}, {"Tanh", -40, -1}, {"Sinh", -1e300, math.Inf(-1)},
		{"Sinh", 711, math.Inf(1)}, {"Cosh", 1e300, math.Inf(1)}, {"Erf", -1e300, -1}, {"Erf", 6, 1}, {"Atan", 1e300, math.Pi / 2},
		{"Log2", 0x1p-1074, -1074}, {"Log2", 0x1p1023, 1023}, {"Acosh", 1, 0}, {"Log", 1, 0},
	} {
		for _, fn := range doubles {
			if got := fn.f(c.x); fn.name == c.name && math.Float64bits(got) != math.Float64bits(c.y) {
				t.Errorf("%s(%v) = %v, want %v", c.name, c.x, got, c.y)
			}
		}
	}
}

// TestDoubleExact holds operations of one rounding to what the processor does, and FMA to exact arithmetic.
func TestDoubleExact(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	for range 100_000 {
		x, y := anyDouble(r), anyDouble(r)
		for what, c := range map[string][2]float64{
			"Sqrt": {Sqrt(math.Abs(x)), math.Sqrt(math.Abs(x))}, "Reciprocal": {Reciprocal(x), 1 / x},
			"Pow(x, 2)": {Pow(x, 2), x * x}, "Pow(x, 1)": {Pow(x, 1), x}, "Pow(2, n)": {Pow(2, float64(int(x)%1074)), math.Ldexp(1, int(x)%1074)},
		} {
			if math.Float64bits(c[0]) != math.Float64bits(c[1]) {
				t.Fatalf("%s of %x is %x; want %x", what, x, c[0], c[1])
			}
		}
		z := float64(x*y) * (r.Float64() - 1)
		sum := new(big.Float).SetPrec(3000)
		want, _ := sum.Mul(sum.SetFloat64(x), new(big.Float).SetPrec(3000).SetFloat64(y)).Float64()
		if !math.IsInf(z, 0) && z == z {
			want, _ = sum.Add(sum, new(big.Float).SetPrec(3000).SetFloat64(z)).Float64()
		} else {
			z = 0
		}
		if got := FMA(x, y, z); got != want {
			t.Fatalf("FMA(%x, %x, %x) = %x; want %x", x, y, z, got, want)
		}
	}
	for _, x := range []float64{math.Inf(1), math.NaN()} {
		if got := FMA(x, 0, 1); math.Float64bits(got) != canonicalNaN64 {
			t.Errorf("FMA(%v, 0, 1) = %x", x, math.Float64bits(got))
		}
	}
	for base := -300.0; base <= 300; base++ {
		exact := 1.0
		for n := range 60 {
			if got := Pow(base, float64(n)); got != exact {
				t.Errorf("Pow(%v, %d) = %v, want %v", base, n, got, exact)
			}
			if exact *= base; math.Abs(exact) > 1<<53 {
				break
			}
		}
	}
}

// TestDoublePow holds powers to 0.51 units in the last place.
func TestDoublePow(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 5))
	worst := 0.0
	for i := range testdata.Cases(1000, 4000) {
		x := math.Abs(anyDouble(r))
		switch i % 3 {
		case 0:
			x = r.Float64() * 10
		case 1:
			x = 1 + math.Ldexp(r.Float64()-0.5, -r.IntN(50))
		}
		y := (r.Float64()*1400 - 700) / math.Log(x)
		if x == 0 || x == 1 || math.IsInf(y, 0) {
			continue
		}
		if u := ulps64(Pow(x, y), trueExp(mul(trueLog(number(x)), number(y)))); u > 0.51 {
			t.Errorf("Pow(%x, %x) = %x: %v ULP", x, y, Pow(x, y), u)
		} else {
			worst = max(worst, u)
		}
	}
	t.Logf("%.4f ULP", worst)
	inf, nan, neg0 := math.Inf(1), math.Float64frombits(0xFFF0000000000001), math.Copysign(0, -1)
	for _, c := range [][3]float64{
		{0, -3, inf}, {neg0, -3, -inf}, {neg0, -2, inf}, {neg0, 3, neg0}, {neg0, inf, 0}, {-1, inf, 1}, {1, nan, 1}, {nan, neg0, 1}, {-2, 0.5, nan},
		{nan, 1, nan}, {2, nan, nan}, {0.5, -inf, inf}, {-0.5, inf, 0}, {-inf, -3, neg0}, {-inf, 3, -inf}, {-inf, 2.5, inf}, {-1, 1<<53 - 1, -1},
		{-1, 1 << 53, 1}, {2, 1024, inf}, {-2, 1025, -inf}, {2, -1075, 0}, {-2, -1077, neg0}, {2, -1074, 0x1p-1074}, {1e300, 1e300, inf},
		{-1e300, -3, neg0}, {0x1p-1074, 1, 0x1p-1074}, {1 - 0x1p-53, math.MaxFloat64, 0},
	} {
		if got := Pow(c[0], c[1]); math.Float64bits(got) != math.Float64bits(Canonical(c[2])) {
			t.Errorf("Pow(%v, %v) = %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

// TestTwoOverPi holds the bits for the reduction to π.
func TestTwoOverPi(t *testing.T) {
	q := new(big.Float).SetPrec(1500).Quo(big.NewFloat(2), truePi)
	n, _ := q.SetMantExp(q, 1280).Int(nil)
	for i := len(twoOverPi64) - 1; i > 0; i-- {
		word := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64))
		if word.Uint64() != twoOverPi64[i] {
			t.Errorf("word %d is %#x, want %#x", i, twoOverPi64[i], word)
		}
		n.Rsh(n, 64)
	}
	for c, want := range map[pair]*big.Float{ln2Pair: trueLn2, log2ePair: quo(number(1), trueLn2), piPair: truePi, twoOverRootPi: quo(number(2), root(truePi))} {
		if d := minus(minus(want, number(c.hi)), number(c.lo)); d.Sign() != 0 && d.MantExp(nil) > -104 {
			t.Errorf("%v is %v", c, want)
		}
	}
}

func BenchmarkDoubles(b *testing.B) {
	args := make([]float64, 1024)
	for i := range args {
		args[i] = float64(i-512) / 64
	}
	for _, fn := range doubles {
		b.Run(fn.name, func(b *testing.B) {
			s := 0.0
			for b.Loop() {
				for _, x := range args {
					s += fn.f(x)
				}
			}
			sink = float32(s)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(args)), "ns/value")
		})
	}
}
