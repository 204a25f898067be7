package tensor

import "math"

// F16 is an IEEE 754 binary16 number: the bits of a float16 element.
type F16 uint16

// BF16 is a bfloat16 number, the upper half of a binary32: the bits of a bfloat16 element.
type BF16 uint16

// The quiet NaNs of float32 and float64 that every NaN becomes when it changes its type.
const (
	canonicalNaN   = 0x7FC00000
	canonicalNaN64 = 0x7FF8000000000000
)

// Float32 returns h exactly; a NaN becomes the canonical quiet NaN.
func (h F16) Float32() float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h>>10) & 0x1F
	frac := uint32(h) & 0x3FF
	switch {
	case exp == 0x1F && frac != 0:
		return math.Float32frombits(canonicalNaN)
	case exp == 0x1F:
		return math.Float32frombits(sign | 0x7F800000)
	case exp == 0:
		// A subnormal is a small integer times 2^-24, which float32 holds exactly.
		v := float32(frac) * 0x1p-24
		return math.Float32frombits(math.Float32bits(v) | sign)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// ToF16 rounds x to the nearest binary16, ties to even; values of magnitude 65520 and above become infinite.
func ToF16(x float32) F16 {
	b := math.Float32bits(x)
	sign := F16(b >> 16 & 0x8000)
	abs := b & 0x7FFFFFFF
	switch {
	case abs > 0x7F800000:
		return 0x7E00
	case abs >= 0x47800000: // 2^16 and above
		return sign | 0x7C00
	case abs < 0x38800000: // below 2^-14: adding 0.5 aligns the last bit with 2^-24, the unit of subnormals
		v := math.Float32frombits(abs) + 0.5
		return sign | F16(math.Float32bits(v)-0x3F000000)
	}
	// Round the lower 13 bits to nearest even; a carry runs into the exponent and, at the top, makes infinity.
	abs += 0xFFF + abs>>13&1
	return sign | F16((abs-112<<23)>>13)
}

// RoundF16 is [ToF16] for a double, which it rounds once: by way of float32 it would be rounded twice.
func RoundF16(x float64) F16 { return ToF16(oddFloat32(x)) }

// RoundBF16 is [ToBF16] for a double, which it rounds once.
func RoundBF16(x float64) BF16 { return ToBF16(oddFloat32(x)) }

// oddFloat32 rounds x to odd: if anything is dropped the last bit is set, so that rounding to a type with fewer digits gives what x would.
func oddFloat32(x float64) float32 {
	f := float32(x)
	if float64(f) == x || x != x || math.IsInf(float64(f), 0) {
		return f
	}
	bits := math.Float32bits(f)
	if math.Abs(float64(f)) > math.Abs(x) {
		bits--
	}
	return math.Float32frombits(bits | 1)
}

// Float32 returns h exactly; a NaN becomes the canonical quiet NaN.
func (h BF16) Float32() float32 {
	if h&0x7FFF > 0x7F80 {
		return math.Float32frombits(canonicalNaN)
	}
	return math.Float32frombits(uint32(h) << 16)
}

// ToBF16 rounds x to the nearest bfloat16, ties to even.
func ToBF16(x float32) BF16 {
	b := math.Float32bits(x)
	if b&0x7FFFFFFF > 0x7F800000 {
		return 0x7FC0
	}
	b += 0x7FFF + b>>16&1
	return BF16(b >> 16)
}
