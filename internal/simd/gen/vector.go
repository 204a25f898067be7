package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// Arithmetic on vectors, written once for all widths. An operation yields new registers and leaves its operands; avo places registers so
// that what is not needed any more costs nothing. Operands that may lie in memory are of type src.

// vec is one or several vector registers, with each of which the same is done, so that the processor need not wait for one. A vec of one
// register together with a longer one stands for as many of the same.
type vec []reg.VecVirtual

// src is an operand: a vec, an operand.Mem of one vector, or one of the constants that follow.
type src any

// num is a float32 in every lane, word any 32 bits, num64 a float64 in every lane of doubles, word64 any 64 bits.
type (
	num    float32
	word   uint32
	num64  float64
	word64 uint64
)

// inst is an instruction of three or more operands, as avo has it.
type inst func(ops ...operand.Op)

// at returns register i.
func (x vec) at(i int) reg.VecVirtual { return x[min(i, len(x)-1)] }

// longest returns how many registers an operation on some operands yields.
func longest(list ...src) int {
	n := 1
	for _, s := range list {
		if x, ok := s.(vec); ok {
			n = max(n, len(x))
		}
	}
	return n
}

// from calls an instruction with register i of a src, or its constant, as the first operand: plain for what is a vector, or bcst, which takes
// one element of memory for all lanes.
func (f *file) from(s src, i int, plain, bcst inst, ops ...operand.Op) {
	switch s := s.(type) {
	case num:
		f.withConstant(operand.U32(math.Float32bits(float32(s))), plain, bcst, ops)
	case word:
		f.withConstant(operand.U32(s), plain, bcst, ops)
	case num64:
		f.withConstant(operand.U64(math.Float64bits(float64(s))), plain, bcst, ops)
	case word64:
		f.withConstant(operand.U64(s), plain, bcst, ops)
	case vec:
		plain(append([]operand.Op{s.at(i)}, ops...)...)
	case operand.Mem:
		plain(append([]operand.Op{s}, ops...)...)
	}
}

func (f *file) withConstant(c operand.Constant, plain, bcst inst, ops []operand.Op) {
	if f.isa.wide() && bcst != nil {
		plain = bcst
	}
	plain(append([]operand.Op{f.constant(c, !f.isa.wide() || bcst == nil)}, ops...)...)
}

// constant returns memory with a constant, once or in all lanes of a vector.
func (f *file) constant(c operand.Constant, all bool) operand.Mem {
	name := fmt.Sprintf("c%d_%x", c.Bytes()*8, c)
	if all {
		name += "v"
	}
	if m, ok := f.constants[name]; ok {
		return m
	}
	m := f.StaticGlobal(name)
	f.DataAttributes(attr.RODATA | attr.NOPTR)
	size := c.Bytes()
	if all {
		size = f.isa.bytes
	}
	if v, ok := c.(operand.U32); ok && all { // half as many lines
		c = operand.U64(uint64(v) | uint64(v)<<32)
	}
	for range size / c.Bytes() {
		f.AppendDatum(c)
	}
	f.keep(name, m)
	return m
}

// keep remembers where a constant is.
func (f *file) keep(name string, m operand.Mem) {
	if f.constants == nil {
		f.constants = make(map[string]operand.Mem)
	}
	f.constants[name] = m
}

// set returns a register with a vector of memory, or a constant in all lanes.
func (f *file) set(s src) vec {
	to := f.vector()
	switch s := s.(type) {
	case num:
		f.VBROADCASTSS(f.constant(operand.U32(math.Float32bits(float32(s))), false), to)
	case word:
		f.VBROADCASTSS(f.constant(operand.U32(s), false), to)
	case num64:
		f.VBROADCASTSD(f.constant(operand.U64(math.Float64bits(float64(s))), false), to)
	case word64:
		f.VBROADCASTSD(f.constant(operand.U64(s), false), to)
	case operand.Mem:
		f.VMOVUPS(s, to)
	}
	return vec{to}
}

// clear clears vectors of any width, by an instruction of which avo knows that it does not read them.
func (f *file) clear(list ...reg.VecVirtual) {
	for _, v := range list {
		f.VXORPS(v, v, v)
	}
}

// zero returns a register of +0.
func (f *file) zero() vec {
	to := f.vector()
	f.clear(to)
	return vec{to}
}

// copy returns n new registers with what is in others.
func (f *file) copy(x vec, n int) vec {
	to := f.vectors(n)
	for i, r := range to {
		f.VMOVAPS(x.at(i), r)
	}
	return to
}

// op1 and op2 return what an instruction yields.
func (f *file) op1(do func(x, to operand.Op), x vec) vec {
	to := f.vectors(len(x))
	for i, r := range to {
		do(x[i], r)
	}
	return to
}

func (f *file) op2(plain, bcst inst, x vec, y src) vec {
	to := f.vectors(longest(x, y))
	for i, r := range to {
		f.from(y, i, plain, bcst, x.at(i), r)
	}
	return to
}

func (f *file) add(x vec, y src) vec { return f.op2(f.VADDPS, f.VADDPS_BCST, x, y) }
func (f *file) sub(x vec, y src) vec { return f.op2(f.VSUBPS, f.VSUBPS_BCST, x, y) }
func (f *file) mul(x vec, y src) vec { return f.op2(f.VMULPS, f.VMULPS_BCST, x, y) }
func (f *file) div(x vec, y src) vec { return f.op2(f.VDIVPS, f.VDIVPS_BCST, x, y) }
func (f *file) and(x vec, y src) vec { return f.op2(f.VANDPS, f.VANDPS_BCST, x, y) }
func (f *file) or(x vec, y src) vec  { return f.op2(f.VORPS, f.VORPS_BCST, x, y) }
func (f *file) xor(x vec, y src) vec { return f.op2(f.VXORPS, f.VXORPS_BCST, x, y) }

// greater and lesser are the processor's: y where either is NaN or both are zeros.
func (f *file) greater(x vec, y src) vec { return f.op2(f.VMAXPS, f.VMAXPS_BCST, x, y) }
func (f *file) lesser(x vec, y src) vec  { return f.op2(f.VMINPS, f.VMINPS_BCST, x, y) }

// Of integers of 32 bits.
func (f *file) addInt(x vec, y src) vec { return f.op2(f.VPADDD, f.VPADDD_BCST, x, y) }
func (f *file) subInt(x vec, y src) vec { return f.op2(f.VPSUBD, f.VPSUBD_BCST, x, y) }
func (f *file) shiftLeft(x vec, n int) vec {
	return f.op1(func(x, to operand.Op) { f.VPSLLD(operand.U8(n), x, to) }, x)
}
func (f *file) shiftRight(x vec, n int) vec { // of unsigned integers
	return f.op1(func(x, to operand.Op) { f.VPSRLD(operand.U8(n), x, to) }, x)
}
func (f *file) shiftSigned(x vec, n int) vec {
	return f.op1(func(x, to operand.Op) { f.VPSRAD(operand.U8(n), x, to) }, x)
}

// fma returns x·y + z, fnma z - x·y, each with one rounding.
func (f *file) fma(x, y vec, z src) vec {
	return f.fmaTo(f.copy(x, longest(x, y, z)), y, z)
}
func (f *file) fnma(x, y vec, z src) vec {
	to := f.copy(x, longest(x, y, z))
	for i, r := range to {
		f.from(z, i, f.VFNMADD213PS, f.VFNMADD213PS_BCST, y.at(i), r)
	}
	return to
}

// fmaTo sets x to x·y + z, with one rounding.
func (f *file) fmaTo(x, y vec, z src) vec {
	for i, r := range x {
		f.from(z, i, f.VFMADD213PS, f.VFMADD213PS_BCST, y.at(i), r)
	}
	return x
}

// fmaBy returns x·c + z for a constant factor.
func (f *file) fmaBy(x vec, c num, z vec) vec {
	to := f.copy(z, longest(x, z))
	for i, r := range to {
		f.from(c, i, f.VFMADD231PS, f.VFMADD231PS_BCST, x.at(i), r)
	}
	return to
}

// poly is Horner's rule, highest power first, with one rounding for each step.
func (f *file) poly(z vec, c ...num) vec {
	p := make(vec, len(z))
	for i := range p {
		p[i] = f.set(c[0])[0]
	}
	for _, a := range c[1:] {
		f.fmaTo(p, z, a)
	}
	return p
}

// round rounds to integers: 0 to nearest, ties to even, 1 down, 2 up, 3 toward zero.
func (f *file) round(x vec, how int) vec {
	return f.op1(func(x, to operand.Op) {
		if f.isa.wide() {
			f.VRNDSCALEPS(operand.U8(how|8), x, to)
		} else {
			f.VROUNDPS(operand.U8(how|8), x, to)
		}
	}, x)
}

func (f *file) sqrt(x vec) vec {
	return f.op1(func(x, to operand.Op) { f.VSQRTPS(x, to) }, x)
}

// mask says of each lane whether something holds: all bits of the lane, or a bit of a mask register.
type mask struct {
	v vec
	k []reg.OpmaskVirtual
}

// part returns the mask of n of the registers.
func (m mask) part(from, n int) mask {
	if m.v != nil {
		m.v = m.v[from : from+n]
	} else {
		m.k = m.k[from : from+n]
	}
	return m
}

// operand returns the mask of one register.
func (m mask) operand() operand.Op {
	if m.v != nil {
		return m.v[0]
	}
	return m.k[0]
}

// Comparisons, as the processor's immediate has them.
const (
	equal        = operand.U8(0)
	less         = operand.U8(1)
	lessEqual    = operand.U8(2)
	unordered    = operand.U8(3) // of a vector with itself: NaN
	unequal      = operand.U8(4) // which holds for NaN
	ordered      = operand.U8(7)
	notLessEqual = operand.U8(22) // which holds for NaN
	moreEqual    = operand.U8(13)
	more         = operand.U8(14)
	notMoreEqual = operand.U8(25) // which holds for NaN
	notMore      = operand.U8(26)
)

// compare returns the mask of the lanes of which a comparison holds.
func (f *file) compare(how operand.U8, x vec, y src) mask {
	return f.compareBy(f.VCMPPS, f.VCMPPS_BCST, how, x, y)
}

func (f *file) compareBy(plain, bcst inst, how operand.U8, x vec, y src) mask {
	by := func(do inst) inst {
		return func(ops ...operand.Op) { do(append([]operand.Op{how}, ops...)...) }
	}
	n := longest(x, y)
	if f.isa.wide() {
		m := mask{k: f.opmasks(n)}
		for i, r := range m.k {
			f.from(y, i, by(plain), by(bcst), x.at(i), r)
		}
		return m
	}
	return mask{v: f.op2(by(plain), nil, x, y)}
}

// anyOf clears the zero flag if any lane of a mask of one register is set.
func (f *file) anyOf(m mask) {
	if f.isa.wide() {
		f.KORTESTW(m.k[0], m.k[0])
	} else {
		f.VPTEST(m.v[0], m.v[0])
	}
}

// opmasks returns n new mask registers.
func (f *file) opmasks(n int) []reg.OpmaskVirtual {
	list := make([]reg.OpmaskVirtual, n)
	for i := range list {
		list[i] = f.K()
	}
	return list
}

// negative returns the mask of the lanes whose highest bit is set.
func (f *file) negative(x vec) mask {
	if !f.isa.wide() {
		return mask{v: x} // of which a blend looks at nothing else
	}
	m := mask{k: f.opmasks(len(x))}
	for i, r := range m.k {
		f.VPMOVD2M(x[i], r)
	}
	return m
}

// blend returns yes in the lanes of a mask, and no in others.
func (f *file) blend(m mask, yes src, no vec) vec {
	return f.blendBy(x86.VBLENDMPS, x86.VBLENDMPS_BCST, m, yes, no)
}

// blendBy is blend with the instructions for masks of the lanes' size.
func (f *file) blendBy(plain, bcst func(ops ...operand.Op) (*ir.Instruction, error), m mask, yes src, no vec) vec {
	to := f.vectors(max(len(m.v), len(m.k), longest(yes, no)))
	for i, r := range to {
		if f.isa.wide() {
			f.from(yes, i, f.onlyWriting(plain), f.onlyWriting(bcst), no.at(i), m.k[min(i, len(m.k)-1)], r)
		} else {
			f.from(yes, i, func(ops ...operand.Op) { f.VBLENDVPS(m.v.at(i), ops[0], ops[1], ops[2]) }, nil, no.at(i), r)
		}
	}
	return to
}

// onlyWriting is an instruction with a mask that writes all lanes of its last operand. Avo takes that for read, as other masks leave lanes as
// they are, and would keep a register for it from the beginning of the routine on.
func (f *file) onlyWriting(build func(ops ...operand.Op) (*ir.Instruction, error)) inst {
	return func(ops ...operand.Op) {
		i, err := build(ops...)
		check(err)
		to := ops[len(ops)-1]
		i.Inputs = slices.DeleteFunc(i.Inputs, func(o operand.Op) bool { return o == to })
		f.Instruction(i)
	}
}

// The canonical NaN, infinity, and the bit of the sign.
const (
	nan      word = 0x7FC00000
	infinity word = 0x7F800000
	lowest   word = 0xFF800000 // -∞
	signBit  word = 1 << 31
)

// canonical returns x with the canonical NaN in place of any.
func (f *file) canonical(x vec) vec { return f.blend(f.compare(unordered, x, x), nan, x) }

// abs returns x without its sign, withSign x with the sign of s, where x has none.
func (f *file) abs(x vec) vec         { return f.and(x, ^signBit) }
func (f *file) withSign(x, s vec) vec { return f.or(x, f.and(s, signBit)) }
