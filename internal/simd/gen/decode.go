package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// decode builds the routines of DecodeArgs.
func decode(f *file) {
	if f.isa.vnni {
		return
	}
	for _, bits := range []int{2, 4, 8} {
		decodePanel(f, bits)
		decodeRow(f, bits)
	}
}

func decodePanel(f *file, bits int) {
	r := f.routine(fmt.Sprintf("Decode%d", bits), "DecodeArgs")
	from, to, scale, zero, blocks, groups := r.load("From"), r.load("To"), r.load("Scale"), r.load("Zero"), r.load("Blocks"), r.GP64()
	scales, zeros, low, base := r.vectors(2), r.vectors(2), r.set(word(1<<bits-1)), r.set(word(math.Float32bits(1<<23)))
	rows, size := 32/bits, r.isa.bytes
	r.loop("block", blocks, func() {
		for i := range 2 {
			r.VMOVUPS(at(scale, i*size), scales[i])
			r.VMOVUPS(at(zero, i*size), zeros[i])
		}
		r.ADDQ(r.field("ScaleStep"), scale)
		r.ADDQ(r.field("ZeroStep"), zero)
		r.MOVQ(r.field("Groups"), groups)
		r.loop("group", groups, func() {
			for i := range 2 {
				codes := r.set(at(from, i*size))
				for k := range rows {
					x := r.mul(r.sub(r.or(r.code(codes, k, bits, low), base), vec{zeros[i]}), vec{scales[i]})
					r.VMOVUPS(x[0], at(to, (2*k+i)*size))
				}
			}
			r.ADDQ(operand.U32(2*size), from)
			r.ADDQ(operand.U32(2*size*rows), to)
		})
	})
	r.end()
}

// code returns code k of each dword.
func (f *file) code(codes vec, k, bits int, low vec) vec {
	if k > 0 {
		codes = f.shiftRight(codes, k*bits)
	}
	if k == 32/bits-1 {
		return codes
	}
	return f.and(codes, low)
}

// decodeRow builds a routine of DecodeRowArgs. It has the sums of 4 vectors at once, so that a multiply-add need not wait for the one before it much longer
// than for the decoding.
func decodeRow(f *file, bits int) {
	r := f.routine(fmt.Sprintf("DecodeRow%d", bits), "DecodeRowArgs")
	x, from, scale, zero, blocks, groups := r.load("X"), r.load("From"), r.load("Scale"), r.load("Zero"), r.load("Blocks"), r.GP64()
	fromPanel, scalePanel, zeroPanel, c := r.load("FromPanel"), r.load("ScalePanel"), r.load("ZeroPanel"), r.load("C")
	low, base := r.set(word(1<<bits-1)), r.set(word(math.Float32bits(1<<23)))
	rows, size := 32/bits, r.isa.bytes
	vector := func(p, panel reg.GPVirtual, i int) operand.Mem {
		if i < 2 {
			return at(p, i*size)
		}
		return operand.Mem{Base: p, Index: panel, Scale: 1, Disp: (i - 2) * size}
	}
	sums := r.vectors(4)
	r.beginSums(r.field("First"), sums, func(i int) operand.Mem { return at(c, i*size) })
	r.loop("block", blocks, func() {
		r.MOVQ(r.field("Groups"), groups)
		numbers := func(p, panel reg.GPVirtual) (list [4]src) {
			for i := range list {
				if list[i] = vector(p, panel, i); r.isa.wide() {
					list[i] = r.set(list[i])
				}
			}
			return list
		}
		scales, zeros := numbers(scale, scalePanel), numbers(zero, zeroPanel)
		r.loop("group", groups, func() {
			var codes [4]vec
			for i := range codes {
				codes[i] = r.set(vector(from, fromPanel, i))
			}
			for k := range rows {
				by := r.vector()
				r.VBROADCASTSS(at(x, 4*k), by)
				for i, v := range sums {
					w := r.mul(r.sub(r.or(r.code(codes[i], k, bits, low), base), zeros[i]), scales[i])
					r.VFMADD231PS(w[0], by, v)
				}
			}
			r.ADDQ(operand.U8(4*rows), x)
			r.ADDQ(operand.U32(2*size), from)
		})
		r.ADDQ(r.field("ScaleStep"), scale)
		r.ADDQ(r.field("ZeroStep"), zero)
	})
	for i, v := range sums {
		r.VMOVUPS(v, at(c, i*size))
	}
	r.end()
}
