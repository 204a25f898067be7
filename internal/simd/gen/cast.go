package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// casts builds the routines that convert elements.
func casts(f *file) {
	if f.isa.vnni {
		return
	}
	f.cast("CastFromFloat16", 2, 4, func(r *routine, from, to operand.Mem) {
		x := r.vector()
		r.VCVTPH2PS(from, x)
		r.VMOVUPS(r.canonical(vec{x})[0], to)
	})
	f.cast("CastToFloat16", 4, 2, func(r *routine, from, to operand.Mem) {
		r.VCVTPS2PH(operand.U8(0), r.canonical(r.set(from))[0], to)
	})
	f.cast("CastFromBFloat16", 2, 4, func(r *routine, from, to operand.Mem) {
		x := r.vector()
		r.VPMOVZXWD(from, x)
		r.VMOVUPS(r.canonical(r.shiftLeft(vec{x}, 16))[0], to)
	})
	f.cast("CastToBFloat16", 4, 2, func(r *routine, from, to operand.Mem) {
		x := r.canonical(r.set(from))
		r.halves(r.shiftRight(r.addInt(x, r.addInt(r.last(r.shiftRight(x, 16)), word(0x7FFF))), 16)[0], to)
	})
	for _, w := range []struct {
		name     string
		from, to int
		widen    func(ops ...operand.Op)
	}{
		{"Int8ToInt16", 1, 2, f.VPMOVSXBW}, {"Uint8ToInt16", 1, 2, f.VPMOVZXBW}, {"Int8ToInt32", 1, 4, f.VPMOVSXBD}, {"Uint8ToInt32", 1, 4, f.VPMOVZXBD},
		{"Int16ToInt32", 2, 4, f.VPMOVSXWD}, {"Uint16ToInt32", 2, 4, f.VPMOVZXWD},
	} {
		f.cast("Cast"+w.name, w.from, w.to, func(r *routine, from, to operand.Mem) {
			x := operand.Op(r.vector())
			if w.to == 2 {
				x = r.half(x.(reg.VecVirtual))
			}
			w.widen(from, x)
			r.VMOVUPS(x, to)
		})
	}
	for _, of := range []struct {
		name string
		size int
		load func(ops ...operand.Op)
	}{{"Int8", 1, f.VPMOVSXBD}, {"Uint8", 1, f.VPMOVZXBD}, {"Int32", 4, nil}} {
		f.cast("CastFrom"+of.name, of.size, 4, func(r *routine, from, to operand.Mem) {
			x := r.vector()
			if of.load != nil {
				of.load(from, x)
				r.VCVTDQ2PS(x, x)
			} else {
				r.VCVTDQ2PS(from, x)
			}
			r.VMOVUPS(x, to)
		})
	}
}

// toHalf rounds a vector to float16, by way of another.
func (f *file) toHalf(x, by reg.VecVirtual) {
	f.VCVTPS2PH(operand.U8(0), x, f.half(by))
	f.VCVTPH2PS(f.half(by), x)
}

// half returns the lower half of a vector.
func (f *file) half(x reg.VecVirtual) operand.Op {
	if f.isa.wide() {
		return x.AsY()
	}
	return x.AsX()
}

// cast builds a routine that converts vectors of elements between sizes. The last one ends with the last element, and may repeat some before.
func (f *file) cast(name string, fromSize, toSize int, convert func(r *routine, from, to operand.Mem)) {
	r := f.routine(name, "CastArgs")
	from, to, at, last := r.load("From"), r.load("To"), r.GP64(), r.load("Count")
	r.XORQ(at, at)
	r.SUBQ(operand.U8(f.isa.lanes()), last)
	r.Label("vector")
	convert(r, operand.Mem{Base: from, Index: at, Scale: uint8(fromSize)}, operand.Mem{Base: to, Index: at, Scale: uint8(toSize)})
	r.CMPQ(at, last)
	r.unless(r.JE, "done", func() {
		r.ADDQ(operand.U8(f.isa.lanes()), at)
		r.CMPQ(at, last)
		r.CMOVQGT(last, at)
		r.JMP(operand.LabelRef("vector"))
	})
	r.end()
}

// last returns the lowest bit of each lane.
func (f *file) last(x vec) vec { return f.shiftRight(f.shiftLeft(x, 31), 31) }

// halves writes the lower halves of lanes of which the upper ones are zeros.
func (f *file) halves(x reg.VecVirtual, to operand.Mem) {
	half := reg.VecVirtual(nil)
	if f.isa.wide() {
		half = f.YMM()
		f.VPMOVDW(x, half)
		f.VMOVUPS(half, to)
		return
	}
	pairs := f.vector()
	f.VPACKUSDW(x, x, pairs)
	f.VPERMQ(operand.U8(0b1000), pairs, pairs)
	f.VMOVUPS(pairs.AsX(), to)
}
