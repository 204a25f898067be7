package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// foldLanes is how many sums there are of each channel.
const foldLanes = 16

// planeSum builds the routine that adds the elements of planes.
func planeSum(f *file) {
	if f.isa.vnni {
		return
	}
	r := f.routine("PlaneSum", "PlaneSumArgs")
	in, count := r.GP64(), r.GP64()
	sums := r.vectors(foldLanes)
	const pixel = 64

	r.loop("plane", r.field("Planes"), func() {
		r.clear(sums...)
		r.MOVQ(r.field("In"), in)
		r.MOVQ(r.field("Pixels"), count)
		r.SUBQ(operand.Imm(foldLanes), count)
		r.unless(r.JL, "rest", func() {
			r.Label("all")
			for i, s := range sums {
				r.VADDPS(at(in, i*pixel), s, s)
			}
			r.ADDQ(operand.U32(foldLanes*pixel), in)
			r.SUBQ(operand.Imm(foldLanes), count)
			r.JGE(operand.LabelRef("all"))
		})
		r.ADDQ(operand.Imm(foldLanes), count)
		for i, s := range sums[:foldLanes-1] {
			r.CMPQ(count, operand.Imm(uint64(i)))
			r.JE(operand.LabelRef("join"))
			r.VADDPS(at(in, i*pixel), s, s)
		}
		r.Label("join")
		for half := foldLanes / 2; half > 0; half /= 2 {
			for i := range half {
				r.VADDPS(sums[i+half], sums[i], sums[i])
			}
		}
		r.CMPQ(r.field("Divide"), operand.Imm(0))
		r.unless(r.JE, "whole", func() {
			r.VBROADCASTSS(r.field("Divisor"), sums[1])
			r.VDIVPS(sums[1], sums[0], sums[0])
		})
		t := &tile{routine: r, sums: [][]reg.VecVirtual{sums[:1]}, spare: sums[1:4]}
		t.canonical()
		out := r.load("Out")
		r.VMOVUPS(sums[0], at(out, 0))
		for _, side := range []string{"In", "Out"} {
			step := r.load(side + "Step")
			r.ADDQ(step, r.field(side))
		}
	})
	r.end()
}
