package fmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

const bigPrec = 160

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(bigPrec).SetFloat64(x) }

// bigLog returns ln x for 0.5 ≤ x ≤ 2, from the series of 2·artanh((x-1)/(x+1)).
func bigLog(x *big.Float) *big.Float {
	one := bigOf(1)
	s := new(big.Float).Sub(x, one)
	s.Quo(s, new(big.Float).Add(x, one))
	sq := new(big.Float).Mul(s, s)
	sum, power := bigOf(0), new(big.Float).Add(s, s)
	for i := 1; i < 110; i += 2 {
		sum.Add(sum, new(big.Float).Quo(power, bigOf(float64(i))))
		power.Mul(power, sq)
	}
	return sum
}

var bigLn2 = bigLog(bigOf(2))

// truePow returns x^y for x > 0, to float64 accuracy.
func truePow(x, y float32) float64 {
	m, k := math.Frexp(float64(x))
	ln := bigLog(bigOf(m))
	ln.Add(ln, new(big.Float).Mul(bigOf(float64(k)), bigLn2))
	ln.Mul(ln, bigOf(float64(y)))
	q, _ := new(big.Float).Quo(ln, bigLn2).Float64()
	n := math.RoundToEven(max(-400, min(q, 400)))
	if n != math.RoundToEven(q) {
		return math.Ldexp(1, int(n))
	}
	r := ln.Sub(ln, new(big.Float).Mul(bigOf(n), bigLn2))
	sum, term := bigOf(1), bigOf(1)
	for i := range 31 {
		term.Mul(term, r)
		term.Quo(term, bigOf(float64(i+1)))
		sum.Add(sum, term)
	}
	f, _ := sum.Float64()
	return math.Ldexp(f, int(n))
}

// powBound is the error that docs/numerics.md states for Pow.
const powBound = 0.5001

// powError returns Pow's error at x > 0 and y. Package math is the reference where it suffices.
func powError(x, y float32) float64 {
	got := Pow(x, y)
	err := ulps(got, math.Pow(float64(x), float64(y)))
	if err > 0.49999 {
		err = ulps(got, truePow(x, y))
	}
	return err
}

func TestPowAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var top float64
	check := func(x, y float32) {
		t.Helper()
		if err := powError(x, y); err > powBound {
			t.Errorf("Pow(%x, %x) = %v, true %v: %.6f ULP", x, y, Pow(x, y), truePow(x, y), err)
		} else {
			top = max(top, err)
		}
	}
	// A dense grid of ordinary bases and exponents.
	bases := testdata.Cases(205, 1024)
	for i := range bases {
		for j := -64; j <= 64; j++ {
			check(float32(i*1024/bases+1)/64, float32(j)/4)
		}
	}
	// Any base, with an exponent that gives a result of any size.
	for range testdata.Cases(40_000, 1_000_000) {
		x := math.Float32frombits(1 + r.Uint32N(0x7F800000-1))
		if x != 1 {
			check(x, float32((r.Float64()*280-150)/math.Log2(float64(x))))
		}
	}
	// Bases next to 1, with exponents as large as they need.
	for range testdata.Cases(40_000, 200_000) {
		x := math.Float32frombits(0x3F800000 + r.Uint32N(8192) - 4096)
		if x != 1 {
			check(x, float32((r.Float64()*280-150)/math.Log2(float64(x))))
		}
	}
	// Random bits.
	for range testdata.Cases(50_000, 200_000) {
		check(math.Float32frombits(r.Uint32N(0x7F800000)), randomFinite(r))
	}
	t.Logf("at most %.6f ULP", top)
}

// TestPowTruth compares with big numbers alone.
func TestPowTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range testdata.Cases(1000, 3000) {
		x := math.Float32frombits(1 + r.Uint32N(0x7F800000-1))
		y := float32((r.Float64()*280 - 150) / math.Log2(float64(x)))
		if want := truePow(x, y); ulps(Pow(x, y), want) > powBound {
			t.Errorf("Pow(%x, %x) = %v, true %v", x, y, Pow(x, y), want)
		}
	}
}

// TestPowExact checks that representable results of integer powers come out exactly, and that
// squares are correctly rounded.
func TestPowExact(t *testing.T) {
	for base := -300; base <= 300; base++ {
		exact := int64(1)
		for n := range 25 {
			if got := Pow(float32(base), float32(n)); got != float32(exact) {
				t.Errorf("Pow(%d, %d) = %v, want %d", base, n, got, exact)
			}
			if exact *= int64(base); exact > 1<<24 || exact < -1<<24 {
				break
			}
		}
	}
	for n := -149; n <= 127; n++ {
		if got := Pow(2, float32(n)); float64(got) != math.Ldexp(1, n) {
			t.Errorf("Pow(2, %d) = %v", n, got)
		}
	}
	r := rand.New(rand.NewPCG(15, 16))
	for range 100_000 {
		x := randomFinite(r)
		if got := Pow(x, 2); got != x*x {
			t.Errorf("Pow(%x, 2) = %x, want %x", x, got, x*x)
		}
		if got := Pow(x, 1); math.Float32bits(got) != math.Float32bits(x) {
			t.Errorf("Pow(%x, 1) = %x", x, got)
		}
		if got, want := Pow(x, -1), Reciprocal(x); got != want {
			t.Errorf("Pow(%x, -1) = %x, want %x", x, got, want)
		}
	}
}

// TestPowSpecial walks C99's table in F.9.4.4 (C23: F.10.4.5).
func TestPowSpecial(t *testing.T) {
	inf, nan := float32(math.Inf(1)), math.Float32frombits(0xFFC00123)
	neg0 := float32(math.Copysign(0, -1))
	cases := []struct{ x, y, want float32 }{
		{0, -3, inf}, {neg0, -3, -inf}, {0, -2, inf}, {neg0, -2, inf}, {neg0, -2.5, inf}, {0, -inf, inf}, {neg0, -inf, inf},
		{0, 3, 0}, {neg0, 3, neg0}, {0, 2, 0}, {neg0, 2, 0}, {neg0, 0.5, 0}, {neg0, inf, 0}, {neg0, 1, neg0}, {neg0, -1, -inf},
		{-1, inf, 1}, {-1, -inf, 1}, {1, nan, 1}, {1, inf, 1}, {1, -inf, 1}, {nan, 0, 1}, {nan, neg0, 1}, {inf, 0, 1}, {neg0, 0, 1},
		{-2, 0.5, nan}, {-8, 1.0 / 3, nan}, {-1, 1.5, nan}, {nan, 1, nan}, {2, nan, nan}, {-1, nan, nan}, {nan, inf, nan}, {0, nan, nan},
		{0.5, -inf, inf}, {-0.5, -inf, inf}, {2, -inf, 0}, {-2, -inf, 0}, {0.5, inf, 0}, {-0.5, inf, 0}, {2, inf, inf}, {-2, inf, inf},
		{-inf, -3, neg0}, {-inf, -2, 0}, {-inf, -2.5, 0}, {-inf, 3, -inf}, {-inf, 2, inf}, {-inf, 2.5, inf}, {inf, -1, 0}, {inf, 0.5, inf},
		{inf, inf, inf}, {inf, -inf, 0}, {-inf, inf, inf}, {-inf, -inf, 0},
		{-2, 3, -8}, {-2, 4, 16}, {-2, -1, -0.5}, {3, 3, 27}, {-1, 1<<24 - 1, -1}, {-1, 1 << 24, 1}, {-1, 1e30, 1}, {-1, -1<<24 + 1, -1},
		{2, 128, inf}, {-2, 129, -inf}, {2, -150, 0}, {-2, -151, neg0}, {2, -149, 0x1p-149}, {1e30, 1e30, inf}, {1e30, -1e30, 0}, {-1e30, -3, neg0},
		{0x1p-149, 1, 0x1p-149}, {0x1p-149, -1, inf}, {4, 0.5, 2}, {8, -1.0 / 3, 0.5}, {0.9999999, math.MaxFloat32, 0}, {1.0000001, math.MaxFloat32, inf},
	}
	for _, c := range cases {
		if got := Pow(c.x, c.y); math.Float32bits(got) != math.Float32bits(Canonical(c.want)) {
			t.Errorf("Pow(%v, %v) = %v (%#08x), want %v", c.x, c.y, got, math.Float32bits(got), c.want)
		}
	}
}
