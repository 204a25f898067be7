package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lerp builds the routine that interpolates rows of pixels.
func lerp(f *file) {
	if f.isa.vnni {
		return
	}
	r := f.routine("Lerp", "LerpArgs")
	top, bottom, out, place, pixels, a, b := r.load("Top"), r.load("Bottom"), r.load("Out"), r.load("Places"), r.load("Pixels"), r.GP64(), r.GP64()
	rowT, rowRest, zero, result := r.vector(), r.vector(), r.zero(), r.vector()
	r.VBROADCASTSS(r.field("T"), rowT)
	r.VBROADCASTSS(r.field("Rest"), rowRest)
	size := r.file.args.size("LerpPlace")
	field := func(name string) operand.Mem { return at(place, r.file.args.offset("LerpPlace", name)) }
	t, rest := r.vector(), r.vector()
	along := func(row reg.GPVirtual) vec { // that between the pixels of a row
		x := r.set(operand.Mem{Base: row, Index: a, Scale: 1})
		y := r.mul(vec{rest}, x)
		r.VFMADD231PS(operand.Mem{Base: row, Index: b, Scale: 1}, t, y[0])
		return r.blend(r.compare(equal, vec{t}, zero), x, y)
	}

	r.loop("pixel", pixels, func() {
		r.MOVLQSX(field("A"), a)
		r.MOVLQSX(field("B"), b)
		r.VBROADCASTSS(field("T"), t)
		r.VBROADCASTSS(field("Rest"), rest)
		r.VMOVAPS(along(top)[0], result)
		r.CMPQ(r.field("Both"), operand.U8(0))
		r.unless(r.JE, "one", func() {
			second := along(bottom)
			r.VMULPS(rowRest, result, result)
			r.VFMADD231PS(second[0], rowT, result)
		})
		r.VMOVUPS(r.canonical(vec{result})[0], at(out, 0))
		r.ADDQ(operand.U8(64), out)
		r.ADDQ(operand.U8(size), place)
	})
	r.end()
}
