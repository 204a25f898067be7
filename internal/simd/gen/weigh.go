package main

import (
	"github.com/mmcloughlin/avo/operand"
)

// weigh builds the routine that adds rows with weights.
func weigh(f *file) {
	if f.isa.vnni {
		return
	}
	r := f.routine("Weigh", "WeighArgs")
	rows, weights, counts, out := r.load("Rows"), r.load("Weights"), r.load("Counts"), r.load("Out")
	in, to, left, n, k, row := r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64()
	first, last, weight := r.vector(), r.vector(), r.vector()
	r.VBROADCASTSS(r.field("First"), first)
	r.VBROADCASTSS(r.field("Last"), last)

	// add builds a sum of some vectors, or of a part of one.
	add := func(vectors int, lanes *mask) {
		t := &tile{routine: r}
		if lanes != nil {
			t.mask = lanes.operand()
		}
		sums, none := r.copy(vec{first}, vectors), r.label("none")
		r.MOVQ(operand.U32(0), k)
		r.TESTQ(n, n)
		r.unless(r.JE, none, func() {
			term := r.label("term")
			r.Label(term)
			r.MOVQ(operand.Mem{Base: rows, Index: k, Scale: 8}, row)
			r.VBROADCASTSS(operand.Mem{Base: weights, Index: k, Scale: 4}, weight)
			for i, s := range sums {
				x := operand.Mem{Base: in, Index: row, Scale: 4, Disp: i * r.isa.bytes}
				if lanes == nil {
					r.VFMADD231PS(x, weight, s)
				} else {
					there := r.vector()
					t.read(x, there)
					r.VFMADD231PS(there, weight, s)
				}
			}
			r.INCQ(k)
			r.CMPQ(k, n)
			r.JL(operand.LabelRef(term))
		})
		for i, s := range r.canonical(r.add(sums, vec{last})) {
			t.write(s, at(to, i*r.isa.bytes))
		}
	}

	r.loop("sum", r.field("Sums"), func() {
		r.MOVQ(r.field("In"), in)
		r.MOVQ(out, to)
		r.MOVQ(at(counts, 0), n)
		r.MOVQ(r.field("Width"), left)
		for _, vectors := range []int{4, 2, 1} {
			more, less, bytes := r.label("more"), r.label("less"), operand.U32(vectors*r.isa.bytes)
			r.Label(more)
			r.CMPQ(left, bytes)
			r.unless(r.JL, less, func() {
				add(vectors, nil)
				r.ADDQ(bytes, in)
				r.ADDQ(bytes, to)
				r.SUBQ(bytes, left)
				if vectors == 4 {
					r.JMP(operand.LabelRef(more))
				}
			})
		}
		r.TESTQ(left, left)
		r.unless(r.JE, "whole", func() {
			lanes := (&walk{routine: r, n: 1}).firstLanes(left)()
			add(1, &lanes)
		})
		r.LEAQ(operand.Mem{Base: rows, Index: n, Scale: 8}, rows)
		r.LEAQ(operand.Mem{Base: weights, Index: n, Scale: 4}, weights)
		r.ADDQ(operand.U32(8), counts)
		r.ADDQ(r.field("OutStep"), out)
	})
	r.end()
}
