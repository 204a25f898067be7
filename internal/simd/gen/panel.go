package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// panel builds the routines of PanelArgs.
func panel(f *file) {
	if f.isa.vnni {
		return
	}
	copyPanels(f)
	transposePanel(f)
}

func copyPanels(f *file) {
	const ahead = 8 // rows
	r := f.routine("CopyPanels", "PanelArgs")
	from, fromStep, to, toStep, panelStep, k, count := r.load("From"), r.load("FromStep"), r.load("To"), r.load("ToStep"), r.load("PanelStep"), r.load("K"), r.load("Panels")
	x, next, source, target, left := r.vectors(2), r.GP64(), r.GP64(), r.GP64(), r.GP64()
	r.loop("row", k, func() {
		r.MOVQ(from, source)
		r.MOVQ(to, target)
		r.MOVQ(count, left)
		r.LEAQ(operand.Mem{Base: from, Index: fromStep, Scale: ahead}, next)
		r.loop("panel", left, func() {
			for i := range x {
				r.VMOVUPS(at(source, i*r.isa.bytes), x[i])
			}
			for i := 0; i < 2*r.isa.bytes; i += 64 {
				r.PREFETCHT0(at(next, i))
			}
			for i := range x {
				r.VMOVUPS(x[i], at(target, i*r.isa.bytes))
			}
			r.ADDQ(operand.U32(2*r.isa.bytes), source)
			r.ADDQ(operand.U32(2*r.isa.bytes), next)
			r.ADDQ(panelStep, target)
		})
		r.ADDQ(fromStep, from)
		r.ADDQ(toStep, to)
	})
	r.end()
}

func transposePanel(f *file) {
	r := f.routine("TransposePanel", "PanelArgs")
	from, step, to, toStep, groups := r.load("From"), r.load("FromStep"), r.load("To"), r.load("ToStep"), r.load("Panels")
	low, high, target, k, step3, toStep3, next := r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64()
	r.LEAQ(operand.Mem{Base: step, Index: step, Scale: 2}, step3)
	r.LEAQ(operand.Mem{Base: toStep, Index: toStep, Scale: 2}, toStep3)
	r.loop("group", groups, func() {
		r.MOVQ(from, low)
		r.LEAQ(operand.Mem{Base: from, Index: step, Scale: 4}, high)
		r.MOVQ(to, target)
		r.MOVQ(r.field("K"), k)
		r.Label("k")
		r.LEAQ(operand.Mem{Base: high, Index: step, Scale: 4}, next)
		for i := range 4 {
			r.PREFETCHT0(strided(next, i, 0, step, step3))
		}
		r.LEAQ(operand.Mem{Base: next, Index: step, Scale: 4}, next)
		for i := range 4 {
			r.PREFETCHT0(strided(next, i, 0, step, step3))
		}
		// Rows i and i+4 side by side, and then in each half four rows become four columns.
		x := [4]reg.VecVirtual{r.YMM(), r.YMM(), r.YMM(), r.YMM()}
		for i, v := range x {
			r.VMOVUPS(strided(low, i, 0, step, step3), v.AsX())
			r.VINSERTF128(operand.U8(1), strided(high, i, 0, step, step3), v, v)
		}
		y := [4]reg.VecVirtual{r.YMM(), r.YMM(), r.YMM(), r.YMM()}
		r.VUNPCKLPS(x[1], x[0], y[0])
		r.VUNPCKLPS(x[3], x[2], y[1])
		r.VUNPCKHPS(x[1], x[0], y[2])
		r.VUNPCKHPS(x[3], x[2], y[3])
		for i := range 4 {
			z, pair := r.YMM(), i/2*2
			r.VSHUFPS(operand.U8([2]uint8{0x44, 0xEE}[i%2]), y[pair+1], y[pair], z)
			r.VMOVUPS(z, strided(target, i, 0, toStep, toStep3))
		}
		r.ADDQ(operand.U8(16), low)
		r.ADDQ(operand.U8(16), high)
		r.LEAQ(operand.Mem{Base: target, Index: toStep, Scale: 4}, target)
		r.SUBQ(operand.U8(4), k)
		r.JNZ(operand.LabelRef("k"))
		r.LEAQ(operand.Mem{Base: from, Index: step, Scale: 8}, from)
		r.ADDQ(operand.U8(32), to)
	})
	r.end()
}
