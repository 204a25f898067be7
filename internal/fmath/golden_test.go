package fmath

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

// goldenSums are FNV-1a sums of result bits over fixed samples. A difference means that a function's
// bits changed, or that this processor computes other bits: the first needs a note in the
// change log and new sums, the second is a defect.
var goldenSums = map[string]uint64{
	"Acos":       0x52a85bbb8b01f17b,
	"Acosh":      0xa57bfb120f2b7491,
	"Asin":       0x16560bf9ed168eb5,
	"Asinh":      0xde05735e42e914ee,
	"Atan":       0xed0c405f0792af9f,
	"Atanh":      0x8c69d44f9dfe00f4,
	"Cos":        0xfab740b5408934af,
	"Cosh":       0x393588ebd3d23e62,
	"Erf":        0xeb1b561d97c2a147,
	"Exp":        0xe0864d535778b59d,
	"Expm1":      0xf324db55a2adbea6,
	"FMA":        0x7f7ee1798052faa1,
	"Log":        0xda9e6127521ca68c,
	"Log1p":      0x6d5f655416967bdd,
	"Log2":       0x98da6714fee66dce,
	"Pow":        0xff491c21ee6e73e0,
	"Reciprocal": 0x54734ac2b792e40b,
	"Rsqrt":      0xeb948843c2f704a5,
	"Sigmoid":    0x3c25a7916bb0b255,
	"Sin":        0xc94317ab62b570d6,
	"Sinh":       0x829bf2a06ca0f548,
	"Softplus":   0xb5fff470f14b4534,
	"Sqrt":       0x4e6f0a7798ade4f8,
	"Tan":        0xb982b6041df654c2,
	"Tanh":       0xc569588e85d4492d,
}

// sumBits returns the FNV-1a sum of the bits that f yields for i = 0 … n-1.
func sumBits(n int, f func(i int) float32) uint64 {
	h := fnv.New64a()
	var b [4]byte
	for i := range n {
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(f(i)))
		h.Write(b[:])
	}
	return h.Sum64()
}

func TestGoldenBits(t *testing.T) {
	const n = 1 << 16
	// Arguments of all exponents and signs: multiples of a large odd number modulo 2^32.
	arg := func(i int) float32 { return math.Float32frombits(uint32(i) * 2654435769) }
	// Arguments between -16 and 16, where most values of networks lie.
	near := func(i int) float32 { return float32(i-n/2) * 0x1.00c2p-11 }
	sums := map[string]uint64{
		"FMA": sumBits(n, func(i int) float32 { return FMA(arg(i), near(i+1), arg(i+2)) }),
		"Pow": sumBits(n, func(i int) float32 { return Pow(arg(i), near(i)) }),
	}
	for _, fn := range functions {
		sums[fn.name] = sumBits(2*n, func(i int) float32 {
			if i < n {
				return fn.f(arg(i))
			}
			return fn.f(near(i - n))
		})
	}
	for name, sum := range sums {
		if want, ok := goldenSums[name]; sum != want || !ok {
			t.Errorf("%q: %#016x, want %#016x", name, sum, want)
		}
	}
	if len(sums) != len(goldenSums) {
		t.Errorf("%d sums, but %d recorded", len(sums), len(goldenSums))
	}
}
