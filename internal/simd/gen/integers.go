package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// integerType is a type that float32 is cast to and from: its bytes, its range, and how vectors of integers of 32 bits are made of it.
type integerType struct {
	name        string
	bytes       int
	least, most num
	widen       func(f *file, from, to operand.Op)
}

var integerTypes = []integerType{
	{"int8", 1, -128, 127, func(f *file, from, to operand.Op) { f.VPMOVSXBD(from, to) }},
	{"uint8", 1, 0, 255, func(f *file, from, to operand.Op) { f.VPMOVZXBD(from, to) }},
	{"int16", 2, -32768, 32767, func(f *file, from, to operand.Op) { f.VPMOVSXWD(from, to) }},
	{"uint16", 2, 0, 65535, func(f *file, from, to operand.Op) { f.VPMOVZXWD(from, to) }},
	{"int32", 4, 0, 0, func(f *file, from, to operand.Op) { f.VMOVUPS(from, to) }},
}

// integers builds the routines of Tier.Integers, which take sixteen elements at a time.
func integers(f *file) {
	if f.isa.vnni {
		return
	}
	for _, t := range integerTypes {
		f.integersLoop("from_"+t.name, t.bytes, 4, func(x, out reg.GPVirtual) {
			v := vec(f.vectors(blockBytes / f.isa.bytes))
			for i, r := range v {
				t.widen(f, at(x, i*f.isa.lanes()*t.bytes), r)
				f.VCVTDQ2PS(r, r)
			}
			for i, r := range v {
				f.VMOVUPS(r, at(out, i*f.isa.bytes))
			}
		})
		f.integersLoop("to_"+t.name, 4, t.bytes, func(x, out reg.GPVirtual) {
			v := vec(f.vectors(blockBytes / f.isa.bytes))
			for i, r := range v {
				f.VMOVUPS(at(x, i*f.isa.bytes), r)
			}
			v = f.blend(f.compare(unordered, v, v), f.zero(), v)
			if t.bytes == 4 {
				whole := f.truncated(v)
				v = f.blend(f.compare(moreEqual, v, num(0x1p31)), word(1<<31-1), whole)
			} else {
				v = f.truncated(f.lesser(f.greater(v, t.least), t.most))
			}
			f.narrow(v, t, out)
		})
	}
	float16s(f)
}

// float16s builds the conversions of float16 among the routines of Tier.Integers.
func float16s(f *file) {
	each := func(g func(i int)) {
		for i := range blockBytes / f.isa.bytes {
			g(i)
		}
	}
	f.integersLoop("from_float16", 2, 4, func(x, out reg.GPVirtual) {
		each(func(i int) {
			v := f.vector()
			f.VCVTPH2PS(at(x, i*f.isa.bytes/2), v)
			f.VMOVUPS(f.canonical(vec{v})[0], at(out, i*f.isa.bytes))
		})
	})
	f.integersLoop("to_float16", 4, 2, func(x, out reg.GPVirtual) {
		each(func(i int) {
			f.VCVTPS2PH(operand.U8(0), f.canonical(f.set(at(x, i*f.isa.bytes)))[0], at(out, i*f.isa.bytes/2))
		})
	})
}

// integersLoop builds a loop over blocks of sixteen elements of some bytes.
func (f *file) integersLoop(key string, from, to int, body func(x, out reg.GPVirtual)) {
	r := f.entry("Integers", key)
	x, out, n := r.load("X"), r.load("Out"), r.load("N")
	r.loop("loop", n, func() {
		body(x, out)
		r.ADDQ(operand.U32(16*from), x)
		r.ADDQ(operand.U32(16*to), out)
	})
	r.end()
}

func (f *file) truncated(x vec) vec {
	return f.op1(func(x, to operand.Op) { f.VCVTTPS2DQ(x, to) }, x)
}

// narrow stores sixteen integers of 32 bits, which are in the range of a type, as that type.
func (f *file) narrow(v vec, t integerType, out reg.GPVirtual) {
	to := at(out, 0)
	switch {
	case t.bytes == 4:
		for i, r := range v {
			f.VMOVUPS(r, at(out, i*f.isa.bytes))
		}
	case f.isa.wide() && t.bytes == 2:
		f.VPMOVDW(v[0], to)
	case f.isa.wide():
		f.VPMOVDB(v[0], to)
	default:
		words := f.YMM()
		if t.name == "uint16" {
			f.VPACKUSDW(v[1], v[0], words)
		} else {
			f.VPACKSSDW(v[1], v[0], words)
		}
		f.VPERMQ(operand.U8(0xD8), words, words)
		if t.bytes == 2 {
			f.VMOVUPS(words, to)
			return
		}
		high := f.XMM()
		f.VEXTRACTI128(operand.U8(1), words, high)
		if t.name == "uint8" {
			f.VPACKUSWB(high, words.AsX(), high)
		} else {
			f.VPACKSSWB(high, words.AsX(), high)
		}
		f.VMOVUPS(high, to)
	}
}
