package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// codes builds the routines on quantized numbers of 8 bits.
func codes(f *file) {
	if f.isa.vnni {
		return
	}
	codesLoop(f, "Quantize", func(c *codesRoutine) {
		scale := c.broadcast("Scale")
		c.bounds()
		c.all(func() {
			q := c.vectors(16 / c.isa.lanes())
			numbers := make([]reg.VecVirtual, len(q))
			for i := range q {
				numbers[i] = c.vector()
				c.move(at(c.a, i*c.isa.bytes), q[i])
				c.VDIVPS(scale, q[i], q[i])
				c.numbers(q[i], numbers[i])
				c.quantize(q[i])
				c.bitAnd(numbers[i], q[i])
			}
			c.pack(q, c.out)
			c.advance(64, 0, 16)
		})
	})
	codesLoop(f, "Dequantize", func(c *codesRoutine) {
		scale, zero := c.broadcast("Scale"), c.broadcast("Zero")
		c.bySign(func(signed bool, groups int) {
			for i := range groups * 16 / c.isa.lanes() {
				x := c.vector()
				c.extend(at(c.a, i*c.isa.lanes()), x, signed)
				c.VPSUBD(zero, x, x)
				c.VCVTDQ2PS(x, x)
				c.VMULPS(scale, x, x)
				c.move(x, at(c.out, i*c.isa.bytes))
			}
			c.advance(16*groups, 0, 64*groups)
		})
	})
	codesLoop(f, "AddCodes", func(c *codesRoutine) {
		scale, offset, other := c.broadcast("Scale"), c.broadcast("Offset"), c.broadcast("BScale")
		codes := c.codes()
		c.bySign(func(signed bool, groups int) {
			q := c.vectors(groups * 16 / c.isa.lanes())
			y := c.vector()
			for i := range q {
				c.extend(at(c.a, i*c.isa.lanes()), q[i], signed)
				c.VCVTDQ2PS(q[i], q[i])
				c.VMULPS(scale, q[i], q[i])
				c.VADDPS(offset, q[i], q[i])
				c.extend(at(c.b, i*c.isa.lanes()), y, signed)
				c.VCVTDQ2PS(y, y)
				c.VMULPS(other, y, y)
				c.VADDPS(y, q[i], q[i])
				c.VCVTPS2DQ(q[i], q[i])
			}
			codes(q)
			c.advance(16*groups, 16*groups, 16*groups)
		})
	})
	codesLoop(f, "AddBounded", func(c *codesRoutine) {
		codes := c.codes()
		c.bySign(func(signed bool, groups int) {
			q, y := c.vectors(groups*16/c.isa.lanes()), c.vector()
			for i := range q {
				c.extend(at(c.a, i*c.isa.lanes()), q[i], signed)
				c.extend(at(c.b, i*c.isa.lanes()), y, signed)
				c.VPADDD(y, q[i], q[i])
			}
			codes(q)
			c.advance(16*groups, 16*groups, 16*groups)
		})
	})
	codesLoop(f, "SumCodes", func(c *codesRoutine) {
		sums, y := c.vectors(16/c.isa.lanes()), c.vector()
		c.clear(sums...)
		c.bySign(func(signed bool, groups int) {
			for g := range groups {
				for i, sum := range sums {
					c.extend(at(c.a, 16*g+i*c.isa.lanes()), y, signed)
					c.VPADDD(y, sum, sum)
				}
			}
			c.advance(16*groups, 0, 0)
		})
		for i, sum := range sums {
			c.move(sum, at(c.out, i*c.isa.bytes))
		}
	})
	lookUp(f)
}

// codesRoutine is a routine of a loop over elements.
type codesRoutine struct {
	*routine
	a, b, out, n      reg.GPVirtual
	least, most, zero reg.VecVirtual
}

func codesLoop(f *file, name string, build func(c *codesRoutine)) {
	c := &codesRoutine{routine: f.routine(name, "CodesArgs")}
	c.a, c.b, c.out, c.n = c.load("A"), c.load("B"), c.load("Out"), c.load("N")
	build(c)
	c.end()
}

// broadcast returns a vector of a field of 32 bits.
func (r *routine) broadcast(field string) reg.VecVirtual {
	v := r.vector()
	r.VBROADCASTSS(r.field(field), v)
	return v
}

func (c *codesRoutine) bounds() {
	c.least, c.most, c.zero = c.broadcast("Least"), c.broadcast("Most"), c.broadcast("Zero")
}

// codes returns what builds the end of integers: the zero point is added, they are bounded, and their low bytes stored. Two groups of sixteen at a time
// become words, where vectors have eight dwords.
func (c *codesRoutine) codes() func(q []reg.VecVirtual) {
	if c.isa.wide() {
		zero, from, to := c.broadcast("Zero"), c.broadcast("From"), c.broadcast("To")
		return func(q []reg.VecVirtual) {
			c.VPADDD(zero, q[0], q[0])
			c.VPMAXSD(from, q[0], q[0])
			c.VPMINSD(to, q[0], q[0])
			c.VPMOVDB(q[0], at(c.out, 0))
		}
	}
	word := func(field string) reg.VecVirtual {
		v := c.vector()
		c.VPBROADCASTW(c.field(field), v)
		return v
	}
	zero, from, to := word("Zero"), word("From"), word("To")
	low, order := c.constant(0x00FF00FF), c.sequence("packed", 4, c.packedDword)
	return func(q []reg.VecVirtual) {
		for i := 0; i < len(q); i += 2 {
			c.VPACKSSDW(q[i+1], q[i], q[i])
			c.VPADDSW(zero, q[i], q[i])
			c.VPMAXSW(from, q[i], q[i])
			c.VPMINSW(to, q[i], q[i])
			c.VPAND(low, q[i], q[i])
		}
		x := q[0]
		c.VPACKUSWB(q[len(q)-2], x, x)
		c.VPERMD(x, order, x)
		if len(q) == 2 {
			c.move(x.AsX(), at(c.out, 0))
			return
		}
		c.move(x, at(c.out, 0))
	}
}

// all repeats a body N times.
func (c *codesRoutine) all(body func()) { c.loop(c.label("next"), c.n, body) }

// groups repeats a body for N groups of sixteen elements, of which it takes so many: with vectors of eight, two while there are as many.
func (c *codesRoutine) groups(body func(groups int)) {
	if c.isa.wide() {
		c.all(func() { body(1) })
		return
	}
	next, one, done := c.label("next"), c.label("one"), c.label("done")
	c.Label(next)
	c.CMPQ(c.n, operand.Imm(2))
	c.unless(c.JL, one, func() {
		body(2)
		c.SUBQ(operand.Imm(2), c.n)
		c.JMP(operand.LabelRef(next))
	})
	c.TESTQ(c.n, c.n)
	c.unless(c.JZ, done, func() { body(1) })
}

// bySign repeats one of two bodies for N groups.
func (c *codesRoutine) bySign(body func(signed bool, groups int)) {
	c.routine.bySign(func(signed bool) { c.groups(func(groups int) { body(signed, groups) }) })
}

func (c *codesRoutine) advance(a, b, out int) {
	for _, p := range []struct {
		at    reg.GPVirtual
		bytes int
	}{{c.a, a}, {c.b, b}, {c.out, out}} {
		if p.bytes > 0 {
			c.ADDQ(operand.Imm(uint64(p.bytes)), p.at)
		}
	}
}

// extend makes dwords of bytes.
func (f *file) extend(from operand.Op, to reg.VecVirtual, signed bool) {
	if signed {
		f.VPMOVSXBD(from, to)
	} else {
		f.VPMOVZXBD(from, to)
	}
}

// quantize makes dwords of codes of floats.
func (c *codesRoutine) quantize(q reg.VecVirtual) {
	c.VMAXPS(c.least, q, q)
	c.VMINPS(c.most, q, q)
	c.VCVTPS2DQ(q, q)
	c.VPADDD(c.zero, q, q)
}

// numbers sets the lanes of numbers to ones, and those of NaNs to zeros.
func (r *routine) numbers(x, to reg.VecVirtual) {
	if !r.isa.wide() {
		r.VCMPPS(ordered, x, x, to)
		return
	}
	k := r.K()
	r.VCMPPS(ordered, x, x, k)
	r.VPMOVM2D(k, to)
}

// bitAnd is the bits of two vectors in the second one.
func (f *file) bitAnd(x, y reg.VecVirtual) {
	if f.isa.wide() {
		f.VPANDD(x, y, y)
	} else {
		f.VPAND(x, y, y)
	}
}

// pack stores the low bytes of 16 dwords that are codes.
func (c *codesRoutine) pack(q []reg.VecVirtual, to reg.GPVirtual) {
	if c.isa.wide() {
		c.VPMOVDB(q[0], at(to, 0))
	} else {
		c.bytes(q[0], q[1], at(to, 0))
	}
}

// lookUp builds the routine that replaces bytes by those of a table.
func lookUp(f *file) {
	codesLoop(f, "LookUp", func(c *codesRoutine) {
		flip, signs := c.vector(), c.GP32()
		c.XORL(signs, signs)
		unsigned := c.label("unsigned")
		c.CMPQ(c.field("Signed"), operand.Imm(0))
		c.unless(c.JE, unsigned, func() { c.MOVL(operand.U32(0x80808080), signs) })
		x := c.XMM()
		c.VMOVD(signs, x)
		c.VPBROADCASTD(x, flip)
		if c.isa.wide() {
			c.lookUpWords(flip)
		} else {
			c.lookUpParts(flip)
		}
	})
}

// constant returns a vector of a dword.
func (c *codesRoutine) constant(bits uint32) reg.VecVirtual {
	v, x, r := c.vector(), c.XMM(), c.GP32()
	c.MOVL(operand.U32(bits), r)
	c.VMOVD(r, x)
	c.VPBROADCASTD(x, v)
	return v
}

// lookUpWords looks bytes up in the table as 128 words, in four vectors.
func (c *codesRoutine) lookUpWords(flip reg.VecVirtual) {
	table := c.vectors(4)
	for i, t := range table {
		c.move(at(c.b, 64*i), t)
	}
	low, one, upper := c.constant(0x00FF00FF), c.constant(0x00010001), c.constant(0x00400040)
	codes, k := c.vector(), c.K()
	halves := [2]reg.VecVirtual{c.vector(), c.vector()}
	index, words, others, shift := c.vector(), c.vector(), c.vector(), c.vector()
	c.all(func() {
		c.VPXORD(at(c.a, 0), flip, codes)
		c.VPANDD(low, codes, halves[0])
		c.VPSRLW(operand.Imm(8), codes, halves[1])
		for _, half := range halves {
			c.VPSRLW(operand.Imm(1), half, index)
			c.VPTESTMW(upper, index, k)
			c.VMOVDQA64(index, words)
			c.VPERMI2W(table[1], table[0], words)
			c.VPERMI2W(table[3], table[2], index)
			c.VPBLENDMW(index, words, k, others)
			c.VPANDD(one, half, shift)
			c.VPSLLW(operand.Imm(3), shift, shift)
			c.VPSRLVW(shift, others, half)
		}
		c.VPANDD(low, halves[0], halves[0])
		c.VPSLLW(operand.Imm(8), halves[1], halves[1])
		c.VPORD(halves[0], halves[1], halves[0])
		c.move(halves[0], at(c.out, 0))
		c.advance(64, 0, 64)
	})
}

// lookUpParts looks bytes up in each sixteenth of the table.
func (c *codesRoutine) lookUpParts(flip reg.VecVirtual) {
	beyond, step := c.constant(0x70707070), c.constant(0x10101010)
	index := c.vectors(2)
	bytes := c.vectors(2)
	place, part := c.vector(), c.vector()
	c.all(func() {
		for i := range index {
			c.VPXOR(at(c.a, 32*i), flip, index[i])
			c.VPXOR(bytes[i], bytes[i], bytes[i])
		}
		for k := range 16 {
			c.VBROADCASTI128(at(c.b, 16*k), part)
			for i := range index {
				c.VPADDUSB(beyond, index[i], place) // 128 or more where it is not in this part
				c.VPSHUFB(place, part, place)
				c.VPOR(place, bytes[i], bytes[i])
				c.VPSUBB(step, index[i], index[i])
			}
		}
		for i := range bytes {
			c.move(bytes[i], at(c.out, 32*i))
		}
		c.advance(64, 0, 64)
	})
}
