package tensor_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// floatFormat describes a binary floating-point type for exact checks.
type floatFormat struct {
	bits, fraction, bias int
}

var floatFormats = map[tensor.DType]floatFormat{
	tensor.Float16:  {16, 10, 15},
	tensor.BFloat16: {16, 7, 127},
	tensor.Float32:  {32, 23, 127},
	tensor.Float64:  {64, 52, 1023},
}

// exact returns the value of the bits without their sign; an infinity counts as the power of two that would follow
// the greatest number. NaN is not allowed.
func (f floatFormat) exact(bits uint64) *big.Float {
	exp, frac := int(bits>>f.fraction), bits&(1<<f.fraction-1)
	if exp == 0 {
		exp = 1
	} else {
		frac += 1 << f.fraction
	}
	x := new(big.Float).SetPrec(300).SetUint64(frac)
	return x.SetMantExp(x, exp-f.bias-f.fraction)
}

// magnitude is exact for formats whose values are float64, infinity's too.
func (f floatFormat) magnitude(bits uint64) float64 {
	x, _ := f.exact(bits).Float64()
	return x
}

func (f floatFormat) sign() uint64     { return 1 << (f.bits - 1) }
func (f floatFormat) infinity() uint64 { return f.sign() - 1<<f.fraction }

// isNearest reports whether bits are the number of the format that is nearest to x, ties to even, judged by exact
// comparison with the midpoints to both neighbours.
func (f floatFormat) isNearest(x *big.Float, bits uint64) bool {
	if x.Signbit() != (bits&f.sign() != 0) {
		return false
	}
	abs := new(big.Float).Abs(x)
	mag := bits &^ f.sign()
	if mag > f.infinity() {
		return false
	}
	beyond := func(lower uint64) int { // compares |x| with the midpoint above lower
		sum := new(big.Float).SetPrec(300).Add(f.exact(lower), f.exact(lower+1))
		return abs.Cmp(sum.Quo(sum, big.NewFloat(2)))
	}
	if mag > 0 {
		if c := beyond(mag - 1); c < 0 || c == 0 && mag&1 != 0 {
			return false
		}
	}
	if mag < f.infinity() {
		if c := beyond(mag); c > 0 || c == 0 && mag&1 != 0 {
			return false
		}
	}
	return true
}

// TestHalfExact holds the conversion of all 16-bit floats, to float32 and back, to their definition.
func TestHalfExact(t *testing.T) {
	for _, c := range []struct {
		dtype  tensor.DType
		widen  func(uint16) float32
		narrow func(float32) uint16
		nan    uint16
	}{
		{tensor.Float16, func(b uint16) float32 { return tensor.F16(b).Float32() }, func(v float32) uint16 { return uint16(tensor.ToF16(v)) }, 0x7E00},
		{tensor.BFloat16, func(b uint16) float32 { return tensor.BF16(b).Float32() }, func(v float32) uint16 { return uint16(tensor.ToBF16(v)) }, 0x7FC0},
	} {
		f := floatFormats[c.dtype]
		for bits := range uint64(1 << 16) {
			got := c.widen(uint16(bits))
			mag := bits &^ f.sign()
			if mag > f.infinity() {
				if math.Float32bits(got) != canonicalNaN || c.narrow(got) != c.nan {
					t.Fatalf("%v %#04x: a NaN becomes %#x and %#04x", c.dtype, bits, math.Float32bits(got), c.narrow(got))
				}
				continue
			}
			want := f.magnitude(mag)
			if mag == f.infinity() {
				want = math.Inf(1)
			}
			if bits != mag {
				want = -want
			}
			if float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want) {
				t.Fatalf("%v %#04x is %v; want %v", c.dtype, bits, got, want)
			}
			if back := c.narrow(got); uint64(back) != bits {
				t.Fatalf("%v %#04x comes back as %#04x", c.dtype, bits, back)
			}
		}
		// All of float32's exponents with random fractions, and midpoints with both neighbours, all of them if exhaustive.
		check := func(v float32) {
			bits := uint64(c.narrow(v))
			if v != v {
				if uint16(bits) != c.nan {
					t.Fatalf("NaN %#x becomes the %v %#04x", math.Float32bits(v), c.dtype, bits)
				}
				return
			}
			x := new(big.Float).SetFloat64(float64(v))
			if !f.isNearest(x, bits) {
				t.Fatalf("%v (%#x) becomes the %v %#04x", v, math.Float32bits(v), c.dtype, bits)
			}
		}
		r := rand.New(rand.NewPCG(1, 1))
		for exp := range uint32(512) {
			for range 100 {
				check(math.Float32frombits(exp<<23 | r.Uint32()>>9))
			}
			check(math.Float32frombits(exp << 23))
			check(math.Float32frombits(exp<<23 | 1<<23 - 1))
		}
		top := int(f.infinity())
		for i := range testdata.Cases(top/8, top) {
			mag := uint64(top - 1 - i*7919%top) // from where infinity begins; 7919 and top have no common factor
			mid := math.Float32bits(float32((f.magnitude(mag) + f.magnitude(mag+1)) / 2))
			if math.IsInf(float64(math.Float32frombits(mid)), 0) {
				continue // beyond float32 there is nothing to round
			}
			for _, b := range []uint32{max(mid, 1) - 1, mid, mid + 1} {
				check(math.Float32frombits(b))
				check(math.Float32frombits(b | 1<<31))
			}
		}
	}
}

// TestRoundF16 takes the doubles next to every number of binary16 and to every midpoint between two of them, which float32
// cannot tell apart.
func TestRoundF16(t *testing.T) {
	f := floatFormats[tensor.Float16]
	check := func(x float64) {
		if got := uint64(tensor.RoundF16(x)); !f.isNearest(big.NewFloat(x), got) {
			t.Fatalf("%v becomes %#04x", x, got)
		}
	}
	step := uint64(5) // which meets even and odd significands; all numbers are tried when tests are exhaustive
	if testdata.Cases(0, 1) == 1 {
		step = 1
	}
	for bits := uint64(0); bits < f.infinity(); bits += step {
		number, next := f.magnitude(bits), f.magnitude(bits+1)
		for _, x := range []float64{number, (number + next) / 2} {
			for _, near := range []float64{x, math.Nextafter(x, 0), math.Nextafter(x, next)} {
				check(near)
				check(-near)
			}
		}
	}
	for _, x := range []float64{math.SmallestNonzeroFloat64, 1e-60, 1e300, math.MaxFloat64, math.Copysign(0, -1)} {
		check(x)
	}
	if got := tensor.RoundF16(math.NaN()); got != tensor.ToF16(float32(math.NaN())) {
		t.Errorf("NaN becomes %#04x", got)
	}
	if got := tensor.RoundF16(math.Inf(-1)); got != tensor.ToF16(float32(math.Inf(-1))) {
		t.Errorf("-Inf becomes %#04x", got)
	}
}
