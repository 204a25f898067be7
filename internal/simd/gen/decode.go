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

// decoder is a routine on codes while it is built.
type decoder struct {
	*routine
	bits, rows                       int // rows of a group
	from, scale, zero                reg.GPVirtual
	fromPanel, scalePanel, zeroPanel reg.GPVirtual
	low, base                        vec
}

func (f *file) decoder(name string, bits int) *decoder {
	r := f.routine(fmt.Sprint(name, bits), "DecodeArgs")
	return &decoder{routine: r, bits: bits, rows: 32 / bits, from: r.load("From"), scale: r.load("Scale"), zero: r.load("Zero"), fromPanel: r.load("FromPanel"),
		scalePanel: r.load("ScalePanel"), zeroPanel: r.load("ZeroPanel"), low: r.set(word(1<<bits - 1)), base: r.set(word(math.Float32bits(float32(f.args.constant("DecodeZero")))))}
}

// blocks builds the loops: numbers for a block, then group for each of its groups.
func (c *decoder) blocks(numbers, group func()) {
	blocks, groups := c.load("Blocks"), c.GP64()
	c.loop("block", blocks, func() {
		numbers()
		c.MOVQ(c.field("Groups"), groups)
		c.loop("group", groups, func() {
			group()
			c.ADDQ(operand.U32(2*c.isa.bytes), c.from)
		})
		c.ADDQ(c.field("ScaleStep"), c.scale)
		c.ADDQ(c.field("ZeroStep"), c.zero)
	})
}

// vector returns where vector i of a panel is, of which each has two, and those of the next one follow.
func (c *decoder) vector(p, panel reg.GPVirtual, i int) operand.Mem {
	m := at(p, i%2*c.isa.bytes)
	if i >= 2 {
		m.Index, m.Scale = panel, 1
	}
	return m
}

// near brings near what two vectors have that lie some times a distance behind a place.
func (c *decoder) near(p, distance reg.GPVirtual, times uint8) {
	for i := 0; i < 2*c.isa.bytes; i += 64 {
		c.PREFETCHT1(operand.Mem{Base: p, Index: distance, Scale: times, Disp: i})
	}
}

// number returns what code k of each dword stands for.
func (c *decoder) number(codes vec, k int, zero, scale src) vec {
	if k > 0 {
		codes = c.shiftRight(codes, k*c.bits)
	}
	switch {
	case k == c.rows-1:
		codes = c.or(codes, c.base)
	case c.isa.wide(): // codes & low | base
		if k == 0 { // which are read again
			codes = c.copy(codes, 1)
		}
		c.VPTERNLOGD(operand.U8(0xEA), c.base[0], c.low[0], codes[0])
	default:
		codes = c.or(c.and(codes, c.low), c.base)
	}
	return c.mul(c.sub(codes, zero), scale)
}

func decodePanel(f *file, bits int) {
	c := f.decoder("Decode", bits)
	to := c.load("To")
	scales, zeros := c.vectors(2), c.vectors(2)
	c.blocks(func() {
		for i := range 2 {
			c.VMOVUPS(c.vector(c.scale, nil, i), scales[i])
			c.VMOVUPS(c.vector(c.zero, nil, i), zeros[i])
		}
		c.near(c.scale, c.scalePanel, 1)
		c.near(c.zero, c.zeroPanel, 1)
	}, func() {
		c.near(c.from, c.fromPanel, 1)
		for i := range 2 {
			codes := c.set(c.vector(c.from, nil, i))
			for k := range c.rows {
				c.VMOVUPS(c.number(codes, k, vec{zeros[i]}, vec{scales[i]})[0], at(to, (2*k+i)*c.isa.bytes))
			}
		}
		c.ADDQ(operand.U32(2*c.isa.bytes*c.rows), to)
	})
	c.end()
}

// decodeRow builds a routine that has the sums of 4 vectors at once, so that a multiply-add need not wait for the one before it much longer than for
// the decoding.
func decodeRow(f *file, bits int) {
	c := f.decoder("DecodeRow", bits)
	x, to := c.load("X"), c.load("C")
	var third [3]reg.GPVirtual
	for i, panel := range []reg.GPVirtual{c.fromPanel, c.scalePanel, c.zeroPanel} {
		third[i] = c.GP64()
		c.LEAQ(operand.Mem{Base: panel, Index: panel, Scale: 2}, third[i])
	}
	sums := c.vectors(4)
	c.beginSums(c.field("First"), sums, func(i int) operand.Mem { return at(to, i*c.isa.bytes) })
	var scales, zeros [4]src
	c.blocks(func() {
		for i := range sums {
			scales[i], zeros[i] = c.vector(c.scale, c.scalePanel, i), c.vector(c.zero, c.zeroPanel, i)
			if c.isa.wide() {
				scales[i], zeros[i] = c.set(scales[i]), c.set(zeros[i])
			}
		}
		c.near(c.scale, c.scalePanel, 2)
		c.near(c.scale, third[1], 1)
		c.near(c.zero, c.zeroPanel, 2)
		c.near(c.zero, third[2], 1)
	}, func() {
		var codes [4]vec
		for i := range codes {
			codes[i] = c.set(c.vector(c.from, c.fromPanel, i))
		}
		c.near(c.from, c.fromPanel, 2)
		c.near(c.from, third[0], 1)
		for k := range c.rows {
			by := c.vectors(1)[0]
			c.VBROADCASTSS(at(x, 4*k), by)
			for i, sum := range sums {
				c.VFMADD231PS(c.number(codes[i], k, zeros[i], scales[i])[0], by, sum)
			}
		}
		c.ADDQ(operand.U8(4*c.rows), x)
	})
	for i, sum := range sums {
		c.VMOVUPS(sum, at(to, i*c.isa.bytes))
	}
	c.end()
}
