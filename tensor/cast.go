package tensor

import (
	"fmt"
	"math"
	"math/bits"
)

// Rounding says to which of its neighbours a number goes.
type Rounding uint8

// The roundings of a magnitude.
const (
	RoundUp      Rounding = iota // to the next one that is not less
	RoundDown                    // to the next one that is not greater
	RoundNearest                 // to the nearest, from the middle to the greater one
)

// CastOptions are what ONNX leaves to whoever casts to a small float. The zero value is ONNX's default.
type CastOptions struct {
	// Unbounded says that numbers beyond the range of a float of 8 bits become infinite or, where the type has no infinities, NaN. Else
	// they become the greatest number. Numbers beyond the range of float4e2m1, which has neither, always do.
	Unbounded bool
	// Round says how powers of two are found: casts to float8e8m0 ask for it, and no others.
	Round Rounding
}

// Cast returns a row-major copy of t with elements of type d, converted as [CastRange] says.
func Cast(t *Tensor, d DType) (*Tensor, error) { return CastOptions{}.Cast(t, d) }

// Cast is the function [Cast] with these options.
func (o CastOptions) Cast(t *Tensor, d DType) (*Tensor, error) {
	if missing(t) {
		return nil, errNoTensor
	}
	out, err := New(d, t.shape)
	if err != nil {
		return nil, err
	}
	return out, o.CastRange(out, t.Contiguous(), 0, t.Len())
}

// CastRange sets the elements lo…hi-1 of dst to those of src; both must be contiguous and of one size, and whole bytes of a packed dst
// are set: lo must be a multiple of [DType.PerByte], and hi be one or the end. The rules are those of WebNN (MLGraphBuilder.cast) and ONNX
// (Cast):
//   - to a float: the nearest value, ties to even; beyond the range an infinity. NaN becomes the canonical quiet NaN;
//   - to a small float: the nearest value, ties to even; beyond the range, or infinite, the greatest. NaN becomes the canonical one, and -0
//     in float4e2m1. In float8e8m0 the next power of two that is not less than the magnitude; a zero becomes the least. [CastOptions] has
//     ONNX's other rules;
//   - float to integer: truncated; beyond the range the nearest bound, NaN is 0 (the standards leave both open). To an integer of 4 or 2
//     bits the low bits of that as an int64, as ONNX's cases have it;
//   - integer to integer: the low bits, reinterpreted;
//   - bool counts as 0 and 1; to bool, every value but zero is true (NaN is true).
func CastRange(dst, src *Tensor, lo, hi int) error { return CastOptions{}.CastRange(dst, src, lo, hi) }

// CastRange is the function [CastRange] with these options.
func (o CastOptions) CastRange(dst, src *Tensor, lo, hi int) error {
	if missing(dst, src) {
		return errNoTensor
	}
	if dst.Len() != src.Len() || !dst.dense || !src.dense {
		return fmt.Errorf("cannot cast %v to %v: both must be contiguous and of one size", src.Describe(), dst.Describe())
	}
	if lo < 0 || hi < lo || hi > dst.Len() {
		return fmt.Errorf("cannot cast elements %d to %d of %v: they must be among its %d", lo, hi-1, dst.Describe(), dst.Len())
	}
	if n := dst.dtype.PerByte(); lo%n != 0 || hi%n != 0 && hi != dst.Len() {
		return fmt.Errorf("cannot cast elements %d to %d of %v: they do not fill whole bytes", lo, hi-1, dst.Describe())
	}
	if f := casts[src.dtype][dst.dtype]; f != nil {
		f(dst, src, lo, hi, o)
		return nil
	}
	return fmt.Errorf("cannot cast %v to %v", src.dtype, dst.dtype)
}

type castFunc func(dst, src *Tensor, lo, hi int, o CastOptions)

// casts holds one conversion for each source (row) and target (column). Every value passes through the widest type
// that holds all of the source's: int64, uint64, float32 or float64.
var casts = [numDTypes][numDTypes]castFunc{
	Bool:     fromBools(),
	Int8:     fromIntegers(func(v int8) int64 { return int64(v) }, fromInt64),
	Int16:    fromIntegers(func(v int16) int64 { return int64(v) }, fromInt64),
	Int32:    fromIntegers(func(v int32) int64 { return int64(v) }, fromInt64),
	Int64:    fromIntegers(func(v int64) int64 { return v }, fromInt64),
	Uint8:    fromIntegers(func(v uint8) int64 { return int64(v) }, fromInt64),
	Uint16:   fromIntegers(func(v uint16) int64 { return int64(v) }, fromInt64),
	Uint32:   fromIntegers(func(v uint32) int64 { return int64(v) }, fromInt64),
	Uint64:   fromIntegers(func(v uint64) uint64 { return v }, fromUint64),
	Float16:  fromHalves(F16.Float32),
	BFloat16: fromHalves(BF16.Float32),
	Float32:  fromFloats(fromFloat32),
	Float64:  fromFloats(fromFloat64),
	Int4:     fromCodes(Int4, signedCode(4), fromInt64),
	Uint4:    fromCodes(Uint4, unsignedCode, fromInt64),
	Int2:     fromCodes(Int2, signedCode(2), fromInt64),
	Uint2:    fromCodes(Uint2, unsignedCode, fromInt64),

	Float4E2M1:     fromSmall(Float4E2M1),
	Float8E4M3FN:   fromSmall(Float8E4M3FN),
	Float8E4M3FNUZ: fromSmall(Float8E4M3FNUZ),
	Float8E5M2:     fromSmall(Float8E5M2),
	Float8E5M2FNUZ: fromSmall(Float8E5M2FNUZ),
	Float8E8M0:     fromSmall(Float8E8M0),
}

// targets has, for a wide type W, the conversion into each element type.
type targets[W any] struct {
	b       func(W) bool
	i8      func(W) int8
	i16     func(W) int16
	i32     func(W) int32
	i64     func(W) int64
	u8      func(W) uint8
	u16     func(W) uint16
	u32     func(W) uint32
	u64     func(W) uint64
	f16     func(W) F16
	bf16    func(W) BF16
	float32 func(W) float32
	float64 func(W) float64
	low     func(W) byte    // as an integer, of which the low bits count
	odd     func(W) float32 // rounded to odd, so that a small float is rounded once
}

// code returns the conversion into a type whose elements are codes.
func (t *targets[W]) code(d DType) func(W, CastOptions) byte {
	if d.IsSmallFloat() {
		return func(v W, o CastOptions) byte { return ToSmall(d, t.odd(v), o) }
	}
	return func(v W, _ CastOptions) byte { return t.low(v) }
}

var (
	fromInt64   = fromInteger[int64]()
	fromUint64  = fromInteger[uint64]()
	fromFloat32 = fromFloat(ToF16, ToBF16, func(v float32) float32 { return v })
	fromFloat64 = fromFloat(RoundF16, RoundBF16, oddFloat32)
)

func fromFloat[W float32 | float64](f16 func(W) F16, bf16 func(W) BF16, odd func(W) float32) targets[W] {
	whole := saturate[W, int64](math.MinInt64, math.MaxInt64)
	return targets[W]{
		b:    func(v W) bool { return v != 0 },
		i8:   saturate[W, int8](math.MinInt8, math.MaxInt8),
		i16:  saturate[W, int16](math.MinInt16, math.MaxInt16),
		i32:  saturate[W, int32](math.MinInt32, math.MaxInt32),
		i64:  whole,
		u8:   saturate[W, uint8](0, math.MaxUint8),
		u16:  saturate[W, uint16](0, math.MaxUint16),
		u32:  saturate[W, uint32](0, math.MaxUint32),
		u64:  saturate[W, uint64](0, math.MaxUint64),
		f16:  f16,
		bf16: bf16,
		// A conversion rounds once, to nearest even.
		float32: func(v W) float32 { return canonical(float32(v)) },
		float64: func(v W) float64 { return canonical64(float64(v)) },
		low:     func(v W) byte { return byte(whole(v)) },
		odd:     odd,
	}
}

func fromInteger[W int64 | uint64]() targets[W] {
	return targets[W]{
		b:       func(v W) bool { return v != 0 },
		i8:      func(v W) int8 { return int8(v) },
		i16:     func(v W) int16 { return int16(v) },
		i32:     func(v W) int32 { return int32(v) },
		i64:     func(v W) int64 { return int64(v) },
		u8:      func(v W) uint8 { return uint8(v) },
		u16:     func(v W) uint16 { return uint16(v) },
		u32:     func(v W) uint32 { return uint32(v) },
		u64:     func(v W) uint64 { return uint64(v) },
		f16:     func(v W) F16 { return ToF16(roundToOdd(v, 12)) },
		bf16:    func(v W) BF16 { return ToBF16(roundToOdd(v, 9)) },
		float32: NearestFloat32[W],
		float64: func(v W) float64 { return float64(v) },
		low:     func(v W) byte { return byte(v) },
		odd:     func(v W) float32 { return roundToOdd(v, 22) },
	}
}

// NearestFloat32 returns the float32 that is nearest to an integer, the even one of two. A conversion of the compiler's is that, too, but where
// an int has 32 bits: of integers of more than 46 bits Go rounds some to a neighbour there.
func NearestFloat32[T Integer](v T) float32 {
	if math.MaxInt > math.MaxInt32 || T(int32(v)) == v {
		return float32(v)
	}
	if v < 0 {
		return -nearestFloat32(-uint64(v))
	}
	return nearestFloat32(uint64(v))
}

// nearestFloat32 rounds once, since no more than 53 bits become a float64: of those that no float32 has, only whether there are any matters.
func nearestFloat32(u uint64) float32 {
	const low = 1<<11 - 1
	if u > 1<<53 {
		if u&low != 0 {
			u |= low + 1
		}
		u &^= low
	}
	return float32(float64(u))
}

// roundToOdd returns v with at most keep+2 significant bits, the last of which is set if any bit was dropped. Such a
// value rounds to a type of keep-1 fraction bits as v itself would: no rounding is applied twice.
func roundToOdd[W int64 | uint64](v W, keep int) float32 {
	neg := v < 0
	u := uint64(v)
	if neg {
		u = -u
	}
	shift := max(bits.Len64(u)-keep-2, 0)
	dropped := u & (1<<shift - 1)
	u >>= shift
	if dropped != 0 {
		u |= 1
	}
	f := float32(u) * math.Float32frombits(uint32(127+shift)<<23)
	if neg {
		f = -f
	}
	return f
}

// saturate returns the conversion of a float into an integer type, within the given bounds.
func saturate[W float32 | float64, T Integer](lo, hi T) func(W) T {
	// The bounds as floats may round up beyond the type; comparing with >= is right for both cases.
	flo, fhi := W(lo), W(hi)
	return func(v W) T {
		switch {
		case v != v:
			return 0
		case v <= flo:
			return lo
		case v >= fhi:
			return hi
		}
		if v < 0 {
			return T(int64(v))
		}
		if v >= 1<<63 {
			return T(uint64(v-1<<63) | 1<<63)
		}
		return T(int64(v))
	}
}

func canonical(v float32) float32 {
	if v != v {
		return math.Float32frombits(canonicalNaN)
	}
	return v
}

func canonical64(v float64) float64 {
	if v != v {
		return math.Float64frombits(canonicalNaN64)
	}
	return v
}

func b2u(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func fromSource[S Element, W any](widen func(S) W, to targets[W]) [numDTypes]castFunc {
	row := [numDTypes]castFunc{
		Bool:     castLoop(widen, to.b),
		Int8:     castLoop(widen, to.i8),
		Int16:    castLoop(widen, to.i16),
		Int32:    castLoop(widen, to.i32),
		Int64:    castLoop(widen, to.i64),
		Uint8:    castLoop(widen, to.u8),
		Uint16:   castLoop(widen, to.u16),
		Uint32:   castLoop(widen, to.u32),
		Uint64:   castLoop(widen, to.u64),
		Float16:  castLoop(widen, to.f16),
		BFloat16: castLoop(widen, to.bf16),
		Float32:  castLoop(widen, to.float32),
		Float64:  castLoop(widen, to.float64),
	}
	for _, d := range codeTypes() {
		row[d] = encodeLoop(d.Bits(), widen, to.code(d))
	}
	return row
}

// fromSmall is fromSource for a small float.
func fromSmall(d DType) [numDTypes]castFunc {
	var values [1 << 8]float32
	for code := range values {
		values[code] = SmallFloat32(d, byte(code))
	}
	return fromCodes(d, func(code byte) float32 { return values[code] }, fromFloat32)
}

// The frequent casts are loops of their own, without two calls for each element.

// fromBools is fromSource for bools.
func fromBools() [numDTypes]castFunc {
	f := fromSource(func(b bool) int64 { return int64(b2u(b)) }, fromInt64)
	f[Int8], f[Int16], f[Int32], f[Int64] = ofBools[int8], ofBools[int16], ofBools[int32], ofBools[int64]
	f[Uint8], f[Uint16], f[Uint32], f[Uint64] = ofBools[uint8], ofBools[uint16], ofBools[uint32], ofBools[uint64]
	f[Float32], f[Float64] = ofBools[float32], ofBools[float64]
	f[Float16], f[BFloat16] = oneHalf(uint16(ToF16(1))), oneHalf(uint16(ToBF16(1)))
	return f
}

func ofBools[D Integer | float32 | float64](dst, src *Tensor, lo, hi int, _ CastOptions) {
	d, s := Data[D](dst)[lo:hi], Words[uint8](src)[lo:hi]
	for i, v := range s {
		d[i] = D(v)
	}
}

// oneHalf makes a float of 16 bits of a bool, the bits of 1 being given.
func oneHalf(one uint16) castFunc {
	return func(dst, src *Tensor, lo, hi int, _ CastOptions) {
		d, s := Words[uint16](dst)[lo:hi], Words[uint8](src)[lo:hi]
		for i, v := range s {
			d[i] = -uint16(v) & one
		}
	}
}

// fromHalves is fromSource for floats of 16 bits.
func fromHalves[S F16 | BF16](widen func(S) float32) [numDTypes]castFunc {
	f := fromSource(widen, fromFloat32)
	f[Bool] = func(dst, src *Tensor, lo, hi int, _ CastOptions) {
		d, s := Data[bool](dst)[lo:hi], Data[S](src)[lo:hi]
		for i, v := range s {
			d[i] = v&0x7FFF != 0
		}
	}
	f[Int64] = func(dst, src *Tensor, lo, hi int, _ CastOptions) {
		d, s := Data[int64](dst)[lo:hi], Data[S](src)[lo:hi]
		for i, v := range s {
			if x := widen(v); -1<<63 <= x && x < 1<<63 {
				d[i] = int64(x)
			} else {
				d[i] = fromFloat32.i64(x)
			}
		}
	}
	return f
}

// fromIntegers is fromSource for integers.
func fromIntegers[S Integer, W int64 | uint64](widen func(S) W, to targets[W]) [numDTypes]castFunc {
	f := fromSource(widen, to)
	f[Int8], f[Int16], f[Int32], f[Int64] = convert[S, int8], convert[S, int16], convert[S, int32], convert[S, int64]
	f[Uint8], f[Uint16], f[Uint32], f[Uint64] = convert[S, uint8], convert[S, uint16], convert[S, uint32], convert[S, uint64]
	f[Float16], f[Float32], f[Float64], f[Bool] = nearestHalf[S], nearest[S], convert[S, float64], unlikeZero[S]
	return f
}

func convert[S Integer, D Integer | float64](dst, src *Tensor, lo, hi int, _ CastOptions) {
	d, s := Data[D](dst)[lo:hi], Data[S](src)[lo:hi]
	for i, v := range s {
		d[i] = D(v)
	}
}

// nearestHalf rounds no number twice: those that no float32 has become infinite.
func nearestHalf[S Integer](dst, src *Tensor, lo, hi int, _ CastOptions) {
	d, s := Data[F16](dst)[lo:hi], Data[S](src)[lo:hi]
	for i, v := range s {
		d[i] = ToF16(float32(v))
	}
}

func nearest[S Integer](dst, src *Tensor, lo, hi int, _ CastOptions) {
	d, s := Data[float32](dst)[lo:hi], Data[S](src)[lo:hi]
	for i, v := range s {
		d[i] = NearestFloat32(v)
	}
}

func unlikeZero[S Number](dst, src *Tensor, lo, hi int, _ CastOptions) {
	d, s := Data[bool](dst)[lo:hi], Data[S](src)[lo:hi]
	for i, v := range s {
		d[i] = v != 0
	}
}

// fromFloats is fromSource for floats of 32 and 64 bits.
func fromFloats[S float32 | float64](to targets[S]) [numDTypes]castFunc {
	f := fromSource(func(v S) S { return v }, to)
	f[Float32], f[Float64], f[Bool] = singles[S], doubles[S], unlikeZero[S]
	f[Int8], f[Int16], f[Int32], f[Int64] = truncated[S](to.i8), truncated[S](to.i16), truncated[S](to.i32), truncated[S](to.i64)
	f[Uint8], f[Uint16], f[Uint32], f[Uint64] = truncated[S](to.u8), truncated[S](to.u16), truncated[S](to.u32), truncated[S](to.u64)
	return f
}

// truncated makes integers of floats, by a function of those beyond the type, or beyond int64.
//
//go:noinline // tables of casts would hold it twice
func truncated[S float32 | float64, D Integer](beyond func(S) D) castFunc {
	least, most := TypeOf[D]().IntRange()
	from, to := S(least), S(min(most, math.MaxInt64)/2+1)*2
	return func(dst, src *Tensor, lo, hi int, _ CastOptions) {
		d, s := Data[D](dst)[lo:hi], Data[S](src)[lo:hi]
		for i, v := range s {
			if from <= v && v < to {
				d[i] = D(int64(v))
			} else {
				d[i] = beyond(v)
			}
		}
	}
}

func singles[S float32 | float64](dst, src *Tensor, lo, hi int, _ CastOptions) {
	d, s := Data[float32](dst)[lo:hi], Data[S](src)[lo:hi]
	for i, v := range s {
		d[i] = canonical(float32(v))
	}
}

func doubles[S float32 | float64](dst, src *Tensor, lo, hi int, _ CastOptions) {
	d, s := Data[float64](dst)[lo:hi], Data[S](src)[lo:hi]
	for i, v := range s {
		d[i] = canonical64(float64(v))
	}
}

//go:noinline // tables of casts would hold it twice
func castLoop[S Element, W any, D Element](widen func(S) W, narrow func(W) D) castFunc {
	return func(dst, src *Tensor, lo, hi int, _ CastOptions) {
		d, s := Data[D](dst)[lo:hi], Data[S](src)[lo:hi]
		for i, v := range s {
			d[i] = narrow(widen(v))
		}
	}
}
