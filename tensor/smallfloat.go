package tensor

import "math"

// smallFormat is a float of 8 or 4 bits with a sign. Its codes without the sign ascend with the numbers that they stand for; codes
// beyond the greatest number are the infinity, if there is one, and NaN.
type smallFormat struct {
	fraction, bias int
	sign           byte // the bit of the sign
	most           byte // the code of the greatest number
	infinity       byte // its code, or that of NaN in a type without infinities
	nan            byte // the code that every NaN becomes, or the one that NaN becomes in a type without NaN
	oneZero        bool // whether there is no -0, which is the code of NaN instead
}

// smallFormats has a format for every small float but float8e8m0.
var smallFormats = [numDTypes]smallFormat{
	Float4E2M1:     {fraction: 1, bias: 1, sign: 0x8, most: 0x7, nan: 0x8}, // what ONNX's cases make of NaN; its text on the type says 6
	Float8E4M3FN:   {fraction: 3, bias: 7, sign: 0x80, most: 0x7E, infinity: 0x7F, nan: 0x7F},
	Float8E4M3FNUZ: {fraction: 3, bias: 8, sign: 0x80, most: 0x7F, infinity: 0x80, nan: 0x80, oneZero: true},
	Float8E5M2:     {fraction: 2, bias: 15, sign: 0x80, most: 0x7B, infinity: 0x7C, nan: 0x7E},
	Float8E5M2FNUZ: {fraction: 2, bias: 16, sign: 0x80, most: 0x7F, infinity: 0x80, nan: 0x80, oneZero: true},
}

// SmallFloat32 returns the number that a code of a small float stands for, exactly; NaN is the canonical quiet NaN. Of float4e2m1 the
// low four bits count. The type must be a small float.
func SmallFloat32(d DType, code byte) float32 {
	if d == Float8E8M0 {
		return fromE8M0(code)
	}
	return smallFormats[d].value(code)
}

// ToSmall returns the code of x, rounded to the small float d, which must be one: to nearest, ties to even; beyond the range as o says. -0
// is 0 where the type has one zero only. To float8e8m0 the magnitude of x is rounded as o.Round says.
func ToSmall(d DType, x float32, o CastOptions) byte {
	if d == Float8E8M0 {
		return toE8M0(x, o)
	}
	return smallFormats[d].round(x, o)
}

// RoundSmall is [ToSmall] for a double, which it rounds once: by way of float32 it would be rounded twice.
func RoundSmall(d DType, x float64, o CastOptions) byte { return ToSmall(d, oddFloat32(x), o) }

func (f *smallFormat) value(code byte) float32 {
	mag := code & (f.sign - 1)
	var v float32
	switch {
	case f.oneZero && code == f.nan, !f.oneZero && mag > f.most && mag != f.infinity, mag > f.most && f.infinity == f.nan:
		return math.Float32frombits(canonicalNaN)
	case mag > f.most:
		v = float32(math.Inf(1))
	default:
		// Below the first power of two codes count in its last place, as subnormal numbers do.
		exp, frac := int(mag>>f.fraction), int(mag)&(1<<f.fraction-1)
		if exp == 0 {
			exp = 1
		} else {
			frac |= 1 << f.fraction
		}
		v = float32(math.Ldexp(float64(frac), exp-f.bias-f.fraction))
	}
	if code&f.sign != 0 {
		v = -v
	}
	return v
}

func (f *smallFormat) round(x float32, o CastOptions) byte {
	bits := math.Float32bits(x)
	abs := bits &^ (1 << 31)
	if abs > 0x7F800000 {
		return f.nan
	}
	code := f.magnitude(abs)
	if code > int(f.most) {
		if o.Unbounded && f.infinity != 0 {
			if code = int(f.infinity); f.oneZero {
				return f.infinity // NaN, which has no sign
			}
		} else {
			code = int(f.most)
		}
	}
	if bits != abs && !(f.oneZero && code == 0) {
		code |= int(f.sign)
	}
	return byte(code)
}

// magnitude returns the code of a float32 with the given bits, not negative, as if codes went on beyond the greatest.
func (f *smallFormat) magnitude(abs uint32) int {
	least := 1 - f.bias // the exponent of subnormal numbers and of the first normal ones
	exp, frac := int(abs>>23)-127, abs&(1<<23-1)|1<<23
	shift := 23 - f.fraction + max(least-exp, 0)
	if shift > 24 {
		return 0 // below half of the least number; float32's own subnormals too
	}
	frac += 1<<(shift-1) - 1 + frac>>shift&1 // to nearest even; a carry goes into the exponent
	return max(exp-least, 0)<<f.fraction + int(frac>>shift)
}

const (
	leastE8M0 = 0x00400000 // the bits of 2^-127 as a float32, a subnormal number
	mostE8M0  = 0x7F000000 // those of 2^127
	nanE8M0   = 0xFF
)

func fromE8M0(code byte) float32 {
	switch code {
	case nanE8M0:
		return math.Float32frombits(canonicalNaN)
	case 0:
		return math.Float32frombits(leastE8M0)
	}
	return math.Float32frombits(uint32(code) << 23)
}

func toE8M0(x float32, o CastOptions) byte {
	abs := math.Float32bits(x) &^ (1 << 31)
	switch {
	case abs > 0x7F800000 || o.Unbounded && (abs < leastE8M0 || abs > mostE8M0):
		return nanE8M0
	case abs <= leastE8M0:
		return 0
	case abs >= mostE8M0:
		return mostE8M0 >> 23
	}
	exp, frac := abs>>23, abs&(1<<23-1)
	if exp == 0 { // beyond 2^-127: doubling is exact and gives the power a fraction of 23 bits
		exp, frac = 0, (abs<<1)&(1<<23-1)
	}
	if o.Round == RoundUp && frac > 0 || o.Round == RoundNearest && frac >= 1<<22 {
		exp++
	}
	return byte(exp)
}
