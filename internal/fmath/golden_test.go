package fmath

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
	"unsafe"
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
	"Gelu":       0xeb199d813e29d19f,
	"Log":        0xda9e6127521ca68c,
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
	"Acos64":     0xc302c03edc713f7c,
	"Acosh64":    0x17456e363ab8cf76,
	"Asin64":     0x3c80dd6890a792da,
	"Asinh64":    0xe4f37dfc1cb33284,
	"Atan64":     0x2e2c8e9042fe1718,
	"Atanh64":    0xacd98f9ed04594c2,
	"Cos64":      0xc638a5d0570bbd35,
	"Cosh64":     0x9970a2ab74425139,
	"Erf64":      0x9471b927b0ac3909,
	"Exp64":      0x788f9f192b7488d7,
	"Expm164":    0xaec9253c271e0f03,
	"FMA64":      0xa7b42962fc268334,
	"Gelu64":     0x214838f8f83ecf82,
	"Log264":     0x8889ee0426b6533c,
	"Log64":      0x7383cc8294c88433,
	"Pow64":      0x1ddfbe0ae2881681,
	"Rsqrt64":    0xf4f1711d7aa20872,
	"Sigmoid64":  0x852878349fbe5539,
	"Sin64":      0x1da643a79660e080,
	"Sinh64":     0xaef9429288a0d023,
	"Softplus64": 0x5d18ac4e7049c947,
	"Tan64":      0x9a1660e641a6b5e6,
	"Tanh64":     0xc60c0802d3740cce,
}

// sumBits returns the FNV-1a sum of the bits that f yields for i = 0 … n-1.
func sumBits[T Float](n int, f func(i int) T) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for i := range n {
		if x := f(i); isDouble[T]() {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(float64(x)))
		} else {
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(float32(x)))
		}
		h.Write(b[:unsafe.Sizeof(T(0))])
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
	// The same of float64, fewer.
	const m = 1 << 13
	arg64 := func(i int) float64 { return math.Float64frombits(uint64(i) * 0x9E3779B97F4A7C15) }
	near64 := func(i int) float64 { return float64(i-m/2) * 0x1.00c2f1p-8 }
	sums["FMA64"] = sumBits(m, func(i int) float64 { return FMA(arg64(i), near64(i+1), arg64(i+2)) })
	sums["Pow64"] = sumBits(m, func(i int) float64 { return Pow(arg64(i), near64(i)) })
	for _, fn := range doubles {
		sums[fn.name+"64"] = sumBits(2*m, func(i int) float64 {
			if i < m {
				return fn.f(arg64(i))
			}
			return fn.f(near64(i - m))
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
