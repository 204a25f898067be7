package fmath

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// exactFMA computes x*y + z for finite arguments without any rounding but the last.
func exactFMA(x, y, z float32) float32 {
	const prec = 1000 // more than the span of a product and a sum, 2^-298 to 2^256
	b := func(v float32) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(float64(v)) }
	p := new(big.Float).SetPrec(prec).Mul(b(x), b(y))
	r, _ := p.Add(p, b(z)).Float32()
	return r
}

func checkFMA(t *testing.T, x, y, z float32) {
	t.Helper()
	if got, want := FMA(x, y, z), exactFMA(x, y, z); math.Float32bits(got) != math.Float32bits(want) {
		t.Errorf("FMA(%x, %x, %x) = %x, want %x", x, y, z, got, want)
	}
}

// randomFinite returns a float32 of any exponent, often with few significant bits.
func randomFinite(r *rand.Rand) float32 {
	for {
		b := r.Uint32()
		switch r.IntN(4) {
		case 0:
			b &^= 1<<r.IntN(24) - 1
		case 1:
			b |= 1<<r.IntN(23) - 1
		}
		if f := math.Float32frombits(b); !math.IsInf(float64(f), 0) && f == f {
			return f
		}
	}
}

func TestFMARandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range testdata.Cases(30_000, 200_000) {
		checkFMA(t, randomFinite(r), randomFinite(r), randomFinite(r))
	}
}

// TestFMAMidpoints builds sums that lie on, just above or just below the middle of two float32,
// where rounding twice goes wrong, both for normal and for subnormal results.
func TestFMAMidpoints(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	doubleRounded := 0
	for range testdata.Cases(30_000, 200_000) {
		// z + p, where p is half a unit of z's last place times 1 ± a tiny amount.
		z := math.Float32frombits(r.Uint32N(0x7F000000))
		unit := max(-126, math.Ilogb(float64(z))) - 23
		e := r.IntN(20) - 10 // divide half a unit among two factors
		x := float32(math.Ldexp(1, (unit-1)/2+e))
		y := float32(math.Ldexp(1, unit-1-(unit-1)/2-e))
		switch r.IntN(4) {
		case 0: // (1-2^-23)·(1+2^-23) = 1 - 2^-46
			x *= 1 - 0x1p-23
			y *= 1 + 0x1p-23
		case 1:
			x = math.Nextafter32(x, float32(math.Inf(1)))
		case 2:
			y = math.Nextafter32(y, 0)
		}
		if r.IntN(3) == 0 {
			// Or a product of 25 bits, which is a midpoint itself, and a tiny z.
			x = float32(r.Uint32N(1<<12) | 1)
			y = float32(r.Uint32N(1<<13) | 1)
			z = float32(math.Ldexp(1, -r.IntN(140)))
		}
		if r.IntN(2) == 0 {
			x = -x
		}
		if r.IntN(2) == 0 {
			x, z = -x, -z
		}
		checkFMA(t, x, y, z)
		if naive := float32(float64(float64(x)*float64(y)) + float64(z)); naive != exactFMA(x, y, z) {
			doubleRounded++
		}
	}
	if doubleRounded < 500 {
		t.Errorf("only %d cases need the careful path", doubleRounded)
	}
}

// TestFMACancellation subtracts the rounded product from the product.
func TestFMACancellation(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range testdata.Cases(15_000, 100_000) {
		x, y := randomFinite(r), randomFinite(r)
		p := x * y
		if math.IsInf(float64(p), 0) {
			continue
		}
		checkFMA(t, x, y, -p)
		checkFMA(t, x, y, math.Nextafter32(-p, 0))
	}
}

// TestFMASubnormal gives results in and just above the subnormal range.
func TestFMASubnormal(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range testdata.Cases(30_000, 200_000) {
		x := math.Float32frombits(r.Uint32N(1<<24)) * 0x1p60
		y := math.Float32frombits(r.Uint32()&0x807FFFFF | uint32(127-60-r.IntN(50))<<23)
		z := math.Float32frombits(r.Uint32() & 0x80FFFFFF)
		checkFMA(t, x, y, z)
	}
	// The sum rounded to 53 bits ends halfway between two subnormals, the exact one does not.
	checkFMA(t, 0x1p-75*(1+0x1p-23), 0x1p-75*(1+0x1p-23), 0x1p-127)
	checkFMA(t, 0x1p-75*(1-0x1p-23), 0x1p-75*(1+0x1p-23), 0x1p-127)
	checkFMA(t, 0x1p-75*(1-0x1p-23), 0x1p-75*(1+0x1p-23), 0x1p-127+0x1p-149)
}

func TestFMASpecial(t *testing.T) {
	inf, nan, zero := float32(math.Inf(1)), math.Float32frombits(0xFFC12345), float32(0)
	negZero := float32(math.Copysign(0, -1))
	const top = math.MaxFloat32
	cases := []struct{ x, y, z, want float32 }{
		{nan, 1, 1, NaN()}, {1, nan, 1, NaN()}, {1, 1, nan, NaN()},
		{inf, 0, 1, NaN()}, {0, -inf, 1, NaN()}, {inf, 1, -inf, NaN()}, {inf, -1, inf, NaN()},
		{inf, 2, 1, inf}, {inf, -2, 1, -inf}, {1, 1, inf, inf}, {top, top, -inf, -inf}, {inf, 1, inf, inf},
		{top, 2, 0, inf}, {top, 2, -top, top}, {-top, top, top, -inf},
		{top, 1, 0x1p103, inf}, {top, 1, 0x1p102, top},
		{zero, 1, zero, zero}, {zero, -1, zero, zero}, {zero, -1, negZero, negZero}, {zero, 1, negZero, zero},
		{1, 1, -1, zero}, {-1, 1, 1, zero}, {zero, 5, 7, 7},
		{0x1p-100, 0x1p-100, zero, zero}, {0x1p-100, -0x1p-100, zero, negZero},
		{0x1p-100, -0x1p-100, 0x1p-149, 0x1p-149}, {0x1p-75, 0x1p-75, zero, zero}, {0x1p-75, 0x1.000002p-75, zero, 0x1p-149},
	}
	for _, c := range cases {
		if got := FMA(c.x, c.y, c.z); math.Float32bits(got) != math.Float32bits(c.want) {
			t.Errorf("FMA(%v, %v, %v) = %v (%#08x), want %v", c.x, c.y, c.z, got, math.Float32bits(got), c.want)
		}
	}
}

func TestCanonical(t *testing.T) {
	for _, b := range []uint32{0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x7FC12345} {
		if got := math.Float32bits(Canonical(math.Float32frombits(b))); got != canonicalNaN {
			t.Errorf("Canonical(%#08x) = %#08x", b, got)
		}
	}
	for _, b := range []uint32{0, 1 << 31, 1, 0x7F800000, 0xFF800000, 0x3F800000} {
		if got := math.Float32bits(Canonical(math.Float32frombits(b))); got != b {
			t.Errorf("Canonical(%#08x) = %#08x", b, got)
		}
	}
}

var sink float32

func BenchmarkFMA(b *testing.B) {
	a := float32(0.3)
	for b.Loop() {
		a = FMA(a, 0.77, 0.31)
	}
	sink = a
}

func BenchmarkFunctions(b *testing.B) {
	args := make([]float32, 1024)
	for i := range args {
		args[i] = float32(i-512) / 64
	}
	for _, fn := range functions {
		b.Run(fn.name, func(b *testing.B) {
			for b.Loop() {
				for _, x := range args {
					sink = fn.f(x)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(args)), "ns/value")
		})
	}
}
