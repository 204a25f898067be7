package main

import "github.com/mmcloughlin/avo/operand"

// pairs builds the routines of Tier.Pairs: one instruction for a vector.
func pairs(f *file) {
	if f.isa.vnni {
		return
	}
	for _, p := range []struct {
		name string
		do   inst
	}{
		{"add_int8", f.VPADDB}, {"add_int16", f.VPADDW}, {"add_int32", f.VPADDD},
		{"add_saturate_int8", f.VPADDSB}, {"add_saturate_uint8", f.VPADDUSB}, {"add_saturate_int16", f.VPADDSW}, {"add_saturate_uint16", f.VPADDUSW},
		{"sub_int8", f.VPSUBB}, {"sub_int16", f.VPSUBW}, {"sub_int32", f.VPSUBD},
		{"sub_saturate_int8", f.VPSUBSB}, {"sub_saturate_uint8", f.VPSUBUSB}, {"sub_saturate_int16", f.VPSUBSW}, {"sub_saturate_uint16", f.VPSUBUSW},
		{"mul_int8", f.multiplyBytes}, {"mul_int16", f.VPMULLW}, {"mul_int32", f.VPMULLD},
		{"max_int8", f.VPMAXSB}, {"max_uint8", f.VPMAXUB}, {"max_int16", f.VPMAXSW}, {"max_uint16", f.VPMAXUW}, {"max_int32", f.VPMAXSD}, {"max_uint32", f.VPMAXUD},
		{"min_int8", f.VPMINSB}, {"min_uint8", f.VPMINUB}, {"min_int16", f.VPMINSW}, {"min_uint16", f.VPMINUW}, {"min_int32", f.VPMINSD}, {"min_uint32", f.VPMINUD},
		{"add_int64", f.VPADDQ}, {"sub_int64", f.VPSUBQ}, {"and", f.VANDPS}, {"or", f.VORPS}, {"xor", f.VXORPS},
		{"shift_left_int32", f.VPSLLVD}, {"shift_left_int64", f.VPSLLVQ}, {"shift_right_int32", f.VPSRAVD}, {"shift_right_uint32", f.VPSRLVD}, {"shift_right_uint64", f.VPSRLVQ},
		{"shift_right_int64", f.shiftRightInt64},
		{"abs_int8", alone(f.VPABSB)}, {"abs_int16", alone(f.VPABSW)}, {"abs_int32", alone(f.VPABSD)},
	} {
		r := f.entry("Pairs", p.name)
		x, y, out, mask, n, at, index := r.load("X"), r.load("Y"), r.load("Out"), r.load("YMask"), r.load("N"), r.GP64(), r.GP64()
		r.XORQ(at, at)
		r.loop("loop", n, func() {
			r.MOVQ(at, index)
			r.ANDQ(mask, index)
			for i := 0; i < blockBytes; i += f.isa.bytes {
				v := r.vector()
				r.VMOVUPS(operand.Mem{Base: x, Index: at, Scale: 1, Disp: i}, v)
				p.do(operand.Mem{Base: y, Index: index, Scale: 1, Disp: i}, v, v)
				r.VMOVUPS(v, operand.Mem{Base: out, Index: at, Scale: 1, Disp: i})
			}
			r.ADDQ(operand.U32(blockBytes), at)
		})
		r.end()
	}
}

// alone makes an instruction of one operand one that leaves out the first of two.
func alone(do inst) inst { return func(ops ...operand.Op) { do(ops[1:]...) } }

// shiftRightInt64 is the instruction that AVX2 lacks: of a negative number it moves the inverted bits.
func (f *file) shiftRightInt64(ops ...operand.Op) {
	if f.isa.wide() {
		f.VPSRAVQ(ops...)
		return
	}
	x, to, negative := ops[1], ops[2], f.zero()[0]
	f.VPCMPGTQ(x, negative, negative)
	f.VXORPS(negative, x, to)
	f.VPSRLVQ(ops[0], to, to)
	f.VXORPS(negative, to, to)
}

// multiplyBytes is the instruction for products of bytes, which there is not: those of even bytes and of odd ones are products of words, of which the low bytes stay.
func (f *file) multiplyBytes(ops ...operand.Op) {
	x, to := ops[1], ops[2]
	eight, y, odd, even := operand.Imm(8), f.vector(), f.vector(), f.vector()
	f.VMOVUPS(ops[0], y)
	f.VPMULLW(x, y, even)
	f.VPSLLW(eight, even, even)
	f.VPSRLW(eight, even, even)
	f.VPSRLW(eight, x, odd)
	f.VPSRLW(eight, y, y)
	f.VPMULLW(odd, y, odd)
	f.VPSLLW(eight, odd, odd)
	f.VORPS(even, odd, to)
}
