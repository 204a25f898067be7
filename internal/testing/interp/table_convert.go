package interp

import (
	"math"
	"slices"
)

func convertRows() []row {
	return slices.Concat(
		extensions(), truncations(), narrow("VCVTPD2PS", unary(singleOf)), narrow("VCVTPD2DQ", rounded(toSigned[float64, int32])),
		narrow("VCVTTPD2DQ", unary(cut(toSigned[float64, int32]))), narrow("VCVTPD2UDQ", rounded(toUnsigned[float64, uint32])),
		narrow("VCVTTPD2UDQ", unary(cut(toUnsigned[float64, uint32]))),
		narrow("VCVTQQ2PS", unary(func(b int64) float32 { return float32(b) })), narrow("VCVTUQQ2PS", unary(func(b uint64) float32 { return float32(b) })),
		[]row{
			{"VCVTDQ2PS", "vmb v", 4, unary(func(b int32) float32 { return float32(b) })},
			{"VCVTUDQ2PS", "vmb v", 4, unary(func(b uint32) float32 { return float32(b) })},
			{"VCVTDQ2PD", "hmb v", 8, unary(func(b int32) float64 { return float64(b) })},
			{"VCVTUDQ2PD", "hmb v", 8, unary(func(b uint32) float64 { return float64(b) })},
			{"VCVTQQ2PD", "vmb v", 8, unary(func(b int64) float64 { return float64(b) })},
			{"VCVTUQQ2PD", "vmb v", 8, unary(func(b uint64) float64 { return float64(b) })},
			{"VCVTPS2DQ", "vmb vr", 4, rounded(toSigned[float32, int32])},
			{"VCVTTPS2DQ", "vmb v", 4, unary(cut(toSigned[float32, int32]))},
			{"VCVTPS2UDQ", "vmb vr", 4, rounded(toUnsigned[float32, uint32])},
			{"VCVTTPS2UDQ", "vmb v", 4, unary(cut(toUnsigned[float32, uint32]))},
			{"VCVTPS2QQ", "hmb vr", 8, rounded(toSigned[float32, int64])},
			{"VCVTTPS2QQ", "hmb v", 8, unary(cut(toSigned[float32, int64]))},
			{"VCVTPS2UQQ", "hmb vr", 8, rounded(toUnsigned[float32, uint64])},
			{"VCVTTPS2UQQ", "hmb v", 8, unary(cut(toUnsigned[float32, uint64]))},
			{"VCVTPD2QQ", "vmb vr", 8, rounded(toSigned[float64, int64])},
			{"VCVTTPD2QQ", "vmb v", 8, unary(cut(toSigned[float64, int64]))},
			{"VCVTPD2UQQ", "vmb vr", 8, rounded(toUnsigned[float64, uint64])},
			{"VCVTTPD2UQQ", "vmb v", 8, unary(cut(toUnsigned[float64, uint64]))},
			{"VCVTPS2PD", "hmb v", 8, unary(singleToDouble)},
			{"VCVTPH2PS", "hm v", 4, unary(halfToSingle)},
			{"VCVTPS2PH", "i v hm", 2, immediate(func(b float32, i uint8) uint16 { return singleToHalf(b, immediateRounding(i)) })},
			{"VCVTSS2SD", "x4m x s8", 8, unary(singleToDouble)},
			{"VCVTSD2SS", "x8m x s4", 4, func(x *work) {
				lanes[float32](x.out, 1)[0] = singleOf(lanes[float64](x.in[0], 1)[0])
			}},
			{"VCVTSI2SSL", "g4m x s4", 0, fromGeneral[int32, float32]},
			{"VCVTSI2SSQ", "g8m x s4", 0, fromGeneral[int64, float32]},
			{"VCVTSI2SDL", "g4m x s8", 0, fromGeneral[int32, float64]},
			{"VCVTSI2SDQ", "g8m x s8", 0, fromGeneral[int64, float64]},
			{"VCVTUSI2SSL", "g4m x s4", 0, fromGeneral[uint32, float32]},
			{"VCVTUSI2SSQ", "g8m x s4", 0, fromGeneral[uint64, float32]},
			{"VCVTUSI2SDL", "g4m x s8", 0, fromGeneral[uint32, float64]},
			{"VCVTUSI2SDQ", "g8m x s8", 0, fromGeneral[uint64, float64]},
			{"VCVTSS2SI", "x4m g4r", 0, toGeneral(toSigned[float32, int32])},
			{"VCVTSS2SIQ", "x4m g8r", 0, toGeneral(toSigned[float32, int64])},
			{"VCVTSD2SI", "x8m g4r", 0, toGeneral(toSigned[float64, int32])},
			{"VCVTSD2SIQ", "x8m g8r", 0, toGeneral(toSigned[float64, int64])},
			{"VCVTTSS2SI", "x4m g4", 0, toGeneral(cut2(toSigned[float32, int32]))},
			{"VCVTTSS2SIQ", "x4m g8", 0, toGeneral(cut2(toSigned[float32, int64]))},
			{"VCVTTSD2SI", "x8m g4", 0, toGeneral(cut2(toSigned[float64, int32]))},
			{"VCVTTSD2SIQ", "x8m g8", 0, toGeneral(cut2(toSigned[float64, int64]))},
		})
}

// narrow has the forms of a conversion to half the size. In memory, the name says how wide the source is.
func narrow(name string, do kernel) []row {
	r := ""
	if name == "VCVTPD2DQ" || name == "VCVTPD2UDQ" {
		r = "r"
	}
	return []row{{name + "X", "xmb h" + r, 4, do}, {name + "Y", "ymb h" + r, 4, do}, {name, "zmb h" + r, 4, do}}
}

// toSigned rounds to a whole number; what it can not be is the least.
func toSigned[F float, I int32 | int64](b F, r rounding) I {
	limit := float64(uint64(1) << (8*sizeOf[I]() - 1))
	if v := r.of(float64(b)); v >= -limit && v < limit {
		return I(v)
	}
	return I(-limit)
}

func toUnsigned[F float, I uint32 | uint64](b F, r rounding) I {
	limit := float64(uint64(1)<<(8*sizeOf[I]()-1)) * 2
	if v := r.of(float64(b)); v >= 0 && v < limit {
		return I(v)
	}
	return ^I(0)
}

func cut[F, I number](f func(F, rounding) I) func(F) I {
	return func(b F) I { return f(b, roundZero) }
}

func cut2[F, I number](f func(F, rounding) I) func(F, rounding) I {
	return func(b F, _ rounding) I { return f(b, roundZero) }
}

func toGeneral[F float, I int32 | int64](f func(F, rounding) I) kernel {
	return func(x *work) { x.out[0] = uint64(f(lanes[F](x.in[0], 1)[0], x.round)) }
}

func fromGeneral[I integer, F float](x *work) {
	lanes[F](x.out, 1)[0] = F(lanes[I](x.in[0], 1)[0])
}

// singleToDouble and singleOf keep the bits of NaN as far as they fit, and make it quiet.
func singleToDouble(b float32) float64 {
	if b != b {
		v := bitsOf(b)
		return quiet(fromBits[float64](v>>31<<63 | 0x7FF<<52 | v&(1<<23-1)<<29))
	}
	return float64(b)
}

func singleOf(b float64) float32 {
	if b != b {
		v := bitsOf(b)
		return quiet(fromBits[float32](v>>63<<31 | 0xFF<<23 | v>>29&(1<<23-1)))
	}
	return float32(b)
}

func halfToSingle(b uint16) float32 {
	sign, e, f := uint64(b>>15)<<31, int(b>>10&31), uint64(b&1023)
	switch {
	case e == 31 && f != 0:
		return quiet(fromBits[float32](sign | 0xFF<<23 | f<<13))
	case e == 31:
		return fromBits[float32](sign | 0xFF<<23)
	case e == 0:
		v := float32(f) / (1 << 24)
		return fromBits[float32](sign | bitsOf(v))
	}
	return fromBits[float32](sign | uint64(e+112)<<23 | f<<13)
}

func singleToHalf(b float32, r rounding) uint16 {
	v := bitsOf(b)
	sign := uint16(v >> 31 << 15)
	if b != b {
		return sign | 0x7E00 | uint16(v>>13&1023)
	}
	x := math.Abs(float64(b))
	if b < 0 { // the value is rounded without its sign
		r = [...]rounding{roundNearest, roundUp, roundDown, roundZero}[r]
	}
	if math.IsInf(x, 0) {
		return sign | 0x7C00
	}
	_, e := math.Frexp(x)
	unit := math.Ldexp(1, max(e-11, -24)) // of the last place
	switch x = r.of(x/unit) * unit; {
	case x >= 65536 && (r == roundNearest || r == roundUp):
		return sign | 0x7C00
	case x >= 65536:
		return sign | 0x7BFF
	case x < 1.0/(1<<14):
		return sign | uint16(x*(1<<24))
	}
	_, e = math.Frexp(x)
	return sign | uint16(e+14)<<10 | uint16(math.Ldexp(x, 11-e))&1023
}

// extensions widen lanes, with the sign or without.
func extensions() []row {
	return []row{
		{"VPMOVSXBW", "hm v", 2, unary(func(b int8) int16 { return int16(b) })},
		{"VPMOVSXBD", "qm v", 4, unary(func(b int8) int32 { return int32(b) })},
		{"VPMOVSXBQ", "em v", 8, unary(func(b int8) int64 { return int64(b) })},
		{"VPMOVSXWD", "hm v", 4, unary(func(b int16) int32 { return int32(b) })},
		{"VPMOVSXWQ", "qm v", 8, unary(func(b int16) int64 { return int64(b) })},
		{"VPMOVSXDQ", "hm v", 8, unary(func(b int32) int64 { return int64(b) })},
		{"VPMOVZXBW", "hm v", 2, unary(func(b uint8) uint16 { return uint16(b) })},
		{"VPMOVZXBD", "qm v", 4, unary(func(b uint8) uint32 { return uint32(b) })},
		{"VPMOVZXBQ", "em v", 8, unary(func(b uint8) uint64 { return uint64(b) })},
		{"VPMOVZXWD", "hm v", 4, unary(func(b uint16) uint32 { return uint32(b) })},
		{"VPMOVZXWQ", "qm v", 8, unary(func(b uint16) uint64 { return uint64(b) })},
		{"VPMOVZXDQ", "hm v", 8, unary(func(b uint32) uint64 { return uint64(b) })},
	}
}

// truncations narrow lanes: by cutting off, with signed saturation (S), with unsigned (US).
func truncations() []row {
	return []row{
		{"VPMOVWB", "v hm", 1, unary(func(b int16) int8 { return int8(b) })},
		{"VPMOVDB", "v qm", 1, unary(func(b int32) int8 { return int8(b) })},
		{"VPMOVQB", "v em", 1, unary(func(b int64) int8 { return int8(b) })},
		{"VPMOVDW", "v hm", 2, unary(func(b int32) int16 { return int16(b) })},
		{"VPMOVQW", "v qm", 2, unary(func(b int64) int16 { return int16(b) })},
		{"VPMOVQD", "v hm", 4, unary(func(b int64) int32 { return int32(b) })},
		{"VPMOVSWB", "v hm", 1, unary(func(b int16) int8 { return saturated[int8](int64(b)) })},
		{"VPMOVSDB", "v qm", 1, unary(func(b int32) int8 { return saturated[int8](int64(b)) })},
		{"VPMOVSQB", "v em", 1, unary(func(b int64) int8 { return saturated[int8](b) })},
		{"VPMOVSDW", "v hm", 2, unary(func(b int32) int16 { return saturated[int16](int64(b)) })},
		{"VPMOVSQW", "v qm", 2, unary(func(b int64) int16 { return saturated[int16](b) })},
		{"VPMOVSQD", "v hm", 4, unary(func(b int64) int32 { return saturated[int32](b) })},
		{"VPMOVUSWB", "v hm", 1, unary(func(b uint16) uint8 { return uint8(min(b, math.MaxUint8)) })},
		{"VPMOVUSDB", "v qm", 1, unary(func(b uint32) uint8 { return uint8(min(b, math.MaxUint8)) })},
		{"VPMOVUSQB", "v em", 1, unary(func(b uint64) uint8 { return uint8(min(b, math.MaxUint8)) })},
		{"VPMOVUSDW", "v hm", 2, unary(func(b uint32) uint16 { return uint16(min(b, math.MaxUint16)) })},
		{"VPMOVUSQW", "v qm", 2, unary(func(b uint64) uint16 { return uint16(min(b, math.MaxUint16)) })},
		{"VPMOVUSQD", "v hm", 4, unary(func(b uint64) uint32 { return uint32(min(b, math.MaxUint32)) })},
	}
}
