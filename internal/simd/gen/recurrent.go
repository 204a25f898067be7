package main

import (
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// recurrent builds the routines of recurrent networks.
func recurrent(f *file) {
	if f.isa.vnni {
		return
	}
	f.lstmState()
	f.gruState()
	for _, net := range []struct {
		name  string
		gates int
	}{{"LSTM", 4}, {"GRU", 3}} {
		f.gatesRow(net.name+"Row", net.gates)
		f.gatesRows(net.name+"Rows", net.gates)
		if f.isa.wide() {
			f.gatesAhead(net.name+"Ahead", net.gates)
		}
	}
}

const blockBytes = 64 // of 16 float32

// gatesRow builds the product of a row with all panels.
func (f *file) gatesRow(name string, gates int) {
	r := f.routine(name, "GatesArgs")
	each := blockBytes / f.isa.bytes // registers for the 16 elements of a gate
	w, y, panels := r.load("W"), r.load("Y"), r.load("Panels")
	sums := r.vectors(gates * each)
	x, k, v := r.GP64(), r.GP64(), r.vector()
	r.Label("panel")
	r.beginSums(r.field("First"), sums, func(i int) operand.Mem { return at(y, i*f.isa.bytes) })
	r.MOVQ(r.field("X"), x)
	r.MOVQ(r.field("K"), k)
	r.along(x, w, k, v, sums)
	r.endPanel(sums, w, y, panels, gates)
}

// multiplyAdd adds the products of number k of a row with those of a panel to sums.
func (r *routine) multiplyAdd(x, w reg.GPVirtual, k int, v reg.VecVirtual, sums []reg.VecVirtual) {
	bytes := r.isa.bytes
	r.VBROADCASTSS(at(x, 4*k), v)
	for i, s := range sums {
		r.VFMADD231PS(at(w, (k*len(sums)+i)*bytes), v, s)
	}
}

// along adds the products of the next k numbers of a row with those of a panel to sums.
func (r *routine) along(x, w, k reg.GPVirtual, v reg.VecVirtual, sums []reg.VecVirtual) {
	r.loop("k", k, func() {
		r.multiplyAdd(x, w, 0, v, sums)
		r.ADDQ(operand.U32(4), x)
		r.ADDQ(operand.U32(len(sums)*r.isa.bytes), w)
	})
}

// endPanel stores the sums of a row and goes on to the next panel, or ends.
func (r *routine) endPanel(sums []reg.VecVirtual, w, y reg.GPVirtual, panels operand.Op, gates int) {
	for i, s := range sums {
		r.VMOVUPS(s, at(y, i*r.isa.bytes))
	}
	r.ADDQ(operand.U32(gates*blockBytes), y)
	r.ADDQ(r.field("WNext"), w)
	r.ADDQ(r.field("YNext"), y)
	r.DECQ(panels)
	r.JNZ(operand.LabelRef("panel"))
	r.end()
}

// gatesAhead builds the product of a row with all panels, which waits for the panels, and meanwhile products of other rows with one gate of other panels.
// An item is of as many rows as possible, as its panel has to be read, too.
func (f *file) gatesAhead(name string, gates int) {
	r := f.routine(name, "AheadArgs")
	numbers, item := f.args.constant("AheadNumbers"), r.GP64()
	field := func(name string) operand.Mem { return at(item, f.args.offset("AheadItem", name)) }
	w, y, xRow, xRow3 := r.load("W"), r.load("Y"), r.load("XRow"), r.GP64()
	sums, v := r.vectors(gates), r.vector()
	ahead, weights := r.vectors(f.args.constant("AheadRows")), r.vector()
	var rows []reg.GPVirtual // every fourth one
	for range len(ahead) / 4 {
		rows = append(rows, r.GP64())
	}
	x, fewW, k, left, to, step := r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64(), r.GP64()
	r.LEAQ(operand.Mem{Base: xRow, Index: xRow, Scale: 2}, xRow3)
	r.Label("panel")
	r.clear(sums...)
	r.MOVQ(r.field("X"), x)
	r.MOVQ(r.field("Items"), item)
	r.MOVQ(r.field("Count"), left)

	r.loop("item", left, func() {
		r.MOVQ(field("Y"), to)
		r.MOVQ(r.field("YRow"), step)
		stored := func(i int) operand.Mem {
			if i > 0 {
				r.ADDQ(step, to)
			}
			return at(to, 0)
		}
		r.beginSums(field("First"), ahead, stored)
		r.MOVQ(field("X"), rows[0])
		for i, next := range rows[1:] {
			r.LEAQ(operand.Mem{Base: rows[i], Index: xRow, Scale: 4}, next)
		}
		r.MOVQ(field("W"), fewW)
		r.MOVQ(field("K"), k)
		r.loop("both", k, func() {
			r.VMOVUPS(at(fewW, 0), weights)
			for i := range numbers {
				r.multiplyAdd(x, w, i, v, sums)
				for j := i * len(ahead) / numbers; j < (i+1)*len(ahead)/numbers; j++ {
					r.VFMADD231PS_BCST(strided(rows[j/4], j%4, 0, xRow, xRow3), weights, ahead[j])
				}
			}
			r.ADDQ(operand.U32(4*numbers), x)
			r.ADDQ(operand.U32(numbers*gates*blockBytes), w)
			for _, few := range rows {
				r.ADDQ(operand.U32(4), few)
			}
			r.ADDQ(operand.U32(gates*blockBytes), fewW)
		})
		r.MOVQ(field("Y"), to)
		r.MOVQ(r.field("YRow"), step)
		for i, s := range ahead {
			r.VMOVUPS(s, stored(i))
		}
		for _, side := range []string{"W", "Y"} {
			r.MOVQ(r.field(side+"Step"), step)
			r.ADDQ(step, field(side))
		}
		r.ADDQ(operand.U32(f.args.size("AheadItem")), item)
	})

	r.MOVQ(r.field("K"), k)
	r.TESTQ(k, k)
	r.unless(r.JZ, "end", func() { r.along(x, w, k, v, sums) })
	r.endPanel(sums, w, y, r.field("Panels"), gates)
}

// beginSums sets sums to zeros, or, if this is not the first part of a row, to what is stored.
func (r *routine) beginSums(first operand.Mem, sums []reg.VecVirtual, stored func(i int) operand.Mem) {
	more, begun := r.label("more"), r.label("begun")
	r.CMPQ(first, operand.Imm(0))
	r.either(r.JE, more, begun, func() {
		r.clear(sums...)
	}, func() {
		for i, s := range sums {
			r.VMOVUPS(stored(i), s)
		}
	})
}

// gatesRows builds the product of several rows with a panel. Where vectors have 8 elements, it computes the first halves of all gates, then the
// second ones.
func (f *file) gatesRows(name string, gates int) {
	r := f.routine(name, "GatesArgs")
	rows := f.byLanes("RecurrentRows")
	xRow, yRow, w, y := r.load("XRow"), r.load("YRow"), r.GP64(), r.GP64()
	sums := make([][]reg.VecVirtual, rows)
	for i := range sums {
		sums[i] = r.vectors(gates)
	}
	values, v := r.vectors(rows), r.vector()
	x, x3, k, to := r.GP64(), r.GP64(), r.GP64(), r.GP64()
	xRow3 := r.GP64()
	r.LEAQ(operand.Mem{Base: xRow, Index: xRow, Scale: 2}, xRow3)
	for half := 0; half < blockBytes; half += f.isa.bytes {
		r.MOVQ(r.field("W"), w)
		r.MOVQ(r.field("Y"), y)
		r.MOVQ(r.field("X"), x)
		r.MOVQ(r.field("K"), k)
		r.LEAQ(operand.Mem{Base: x, Index: xRow3, Scale: 1}, x3)
		r.MOVQ(y, to)
		r.beginSums(r.field("First"), slices.Concat(sums...), func(i int) operand.Mem {
			if i > 0 && i%gates == 0 {
				r.ADDQ(yRow, to)
			}
			return at(to, i%gates*blockBytes+half)
		})
		r.loop(r.label("k"), k, func() {
			for i, value := range values {
				r.VBROADCASTSS(strided([]reg.Register{x, x3}[i/3], i%3, 0, xRow), value)
			}
			for g := range gates {
				r.VMOVUPS(at(w, g*blockBytes+half), v)
				for i, list := range sums {
					r.VFMADD231PS(values[i], v, list[g])
				}
			}
			r.ADDQ(operand.U32(4), x)
			r.ADDQ(operand.U32(4), x3)
			r.ADDQ(operand.U32(gates*blockBytes), w)
		})
		r.MOVQ(y, to)
		for i, list := range sums {
			for g, s := range list {
				r.VMOVUPS(s, at(to, g*blockBytes+half))
			}
			if i+1 < rows {
				r.ADDQ(yRow, to)
			}
		}
	}
	r.end()
}

// state builds a step behind the products. The function is given the operands of a vector of elements, in memory: what it is given of a number of
// a gate is in a vector of its own there.
func (f *file) state(name string, gates, biases int, step func(x, r, b func(gate int) operand.Mem, c, h, next operand.Mem)) {
	r := f.routine(name, "StateArgs")
	xs, rs, bs, blocks := r.load("X"), r.load("R"), r.load("B"), r.load("Blocks")
	c, h, next, parts := r.load("C"), r.load("H"), r.load("Next"), r.GP64()
	gate := func(base reg.Register) func(int) operand.Mem {
		return func(i int) operand.Mem { return at(base, i*blockBytes) }
	}
	advance := func(bytes int, registers ...reg.GPVirtual) {
		for _, to := range registers {
			if bytes > 0 {
				r.ADDQ(operand.U32(bytes), to)
			}
		}
	}
	r.loop("block", blocks, func() {
		r.MOVQ(operand.U32(blockBytes/f.isa.bytes), parts)
		r.loop("part", parts, func() {
			step(gate(xs), gate(rs), gate(bs), at(c, 0), at(h, 0), at(next, 0))
			advance(f.isa.bytes, xs, rs, bs, c, h, next)
		})
		advance((gates-1)*blockBytes, xs, rs)
		advance((biases-1)*blockBytes, bs)
	})
	r.end()
}

func (f *file) lstmState() {
	f.state("LSTMState", 4, 4, func(x, r, b func(int) operand.Mem, c, _, next operand.Mem) {
		sum := func(gate int) vec { return f.add(f.add(f.set(x(gate)), r(gate)), b(gate)) }
		cell := f.mul(f.sigmoid(sum(2)), c)
		cell = f.add(cell, f.mul(f.sigmoid(sum(0)), f.tanh(sum(3))))
		cell = f.canonical(cell)
		f.VMOVUPS(cell[0], c)
		f.VMOVUPS(f.canonical(f.mul(f.sigmoid(sum(1)), f.tanh(cell)))[0], next)
	})
}

func (f *file) gruState() {
	f.state("GRUState", 3, 4, func(x, r, b func(int) operand.Mem, _, h, next operand.Mem) {
		sum := func(gate int) vec { return f.add(f.add(f.set(x(gate)), r(gate)), b(gate)) }
		reset := f.mul(f.add(f.set(r(2)), b(3)), f.sigmoid(sum(1)))
		fresh := f.tanh(f.add(f.add(reset, x(2)), b(2)))
		update := f.sigmoid(sum(0))
		state := f.add(f.mul(update, h), f.mul(f.sub(f.set(num(1)), update), fresh))
		f.VMOVUPS(f.canonical(state)[0], next)
	})
}
