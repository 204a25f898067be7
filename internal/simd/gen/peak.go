package main

import (
	"github.com/mmcloughlin/avo/operand"
)

// peak builds the routine that measures how fast multiply-adds can be: 12 sums, of which none waits for another.
func peak(f *file) {
	if f.isa.vnni {
		return
	}
	r := f.routine("peak", "PeakArgs")
	rounds := r.load("Rounds")
	sums, x := r.vectors(12), r.vector()
	r.VXORPS(x, x, x)
	for _, s := range sums {
		r.VXORPS(s, s, s)
	}
	r.Label("round")
	for range 8 {
		for _, s := range sums {
			r.VFMADD231PS(x, x, s)
		}
	}
	r.DECQ(rounds)
	r.JNZ(operand.LabelRef("round"))
	r.end()
}
