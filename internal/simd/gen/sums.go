package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// addSums builds the routine that adds parts of sums of integer products, which have 32 bits, to sums of 64 bits, and makes integers of fewer bits of
// these.
func addSums(f *file) {
	s := &sumsRoutine{routine: f.routine("AddSums", "SumsArgs")}
	part, sums, out, n := s.load("Part"), s.load("Sums"), s.load("Out"), s.load("N")
	factor := s.broadcast64("Factor")
	// pixels builds the loop over pixels, with what becomes of the sums of one.
	pixels := func(store func(v []reg.VecVirtual)) {
		next, v := s.label("next"), s.vectors(128/s.isa.bytes)
		s.loop(next, n, func() {
			for i, v := range v {
				s.VPMOVSXDQ(at(part, i*s.isa.bytes/2), v)
				s.VPMULDQ(factor, v, v)
				s.VPADDQ(at(sums, i*s.isa.bytes), v, v)
			}
			store(v)
			s.ADDQ(operand.Imm(64), part)
			s.ADDQ(s.field("SumsStep"), sums)
			s.ADDQ(s.field("OutStep"), out)
		})
		s.JMP(operand.LabelRef("done"))
	}
	s.CMPQ(s.field("Size"), operand.Imm(8))
	s.unless(s.JNE, "rescale", func() {
		pixels(func(v []reg.VecVirtual) {
			for i, v := range v {
				s.move(v, at(out, i*s.isa.bytes))
			}
		})
	})
	s.shift, s.even, s.below = s.broadcast64("Shift"), s.broadcast64("Even"), s.broadcast64("Below")
	if !s.isa.wide() {
		s.zero = s.vector()
		s.VPXOR(s.zero, s.zero, s.zero)
		s.top = s.set(word64(1 << 63))[0]
		s.VPSRLVQ(s.shift, s.top, s.top)
	}
	s.CMPQ(s.field("Size"), operand.Imm(2))
	s.JNE(operand.LabelRef("bytes"))
	for _, size := range []int{2, 1} {
		pixels(func(v []reg.VecVirtual) {
			for _, v := range v {
				s.rescale(v)
			}
			s.store(v, size, out)
		})
		if size == 2 {
			s.Label("bytes")
		}
	}
	s.Label("done")
	s.end()
}

// sumsRoutine has in vectors what sums are rescaled by.
type sumsRoutine struct {
	*routine
	shift, even, below reg.VecVirtual
	zero, top          reg.VecVirtual // in vectors of 256 bits: the sign bit where it comes by the shift
}

// broadcast64 returns a vector of a field of 64 bits.
func (r *routine) broadcast64(field string) reg.VecVirtual {
	v := r.vector()
	r.VPBROADCASTQ(r.field(field), v)
	return v
}

// rescale rounds sums to fewer digits and bounds them.
func (s *sumsRoutine) rescale(v reg.VecVirtual) {
	floor, x := s.vector(), s.vector()
	if s.isa.wide() {
		s.VPSRAVQ(s.shift, v, floor)
		s.VPSRAQ(operand.Imm(63), v, x)
	} else {
		s.VPSRLVQ(s.shift, v, floor)
		s.VPXOR(s.top, floor, floor)
		s.VPSUBQ(s.top, floor, floor)
		s.VPCMPGTQ(v, s.zero, x)
	}
	s.bitAnd(s.below, x)
	s.bitAnd(s.broadcast64("Fraction"), v)
	s.VPADDQ(x, v, v)
	s.VPADDQ(s.broadcast64("Half"), v, v)
	x = s.and(vec{floor}, vec{s.even})[0]
	s.VPADDQ(x, v, v)
	s.VPSRLVQ(s.shift, v, v)
	s.VPADDQ(floor, v, v)
	if s.isa.wide() {
		s.VPMAXSQ_BCST(s.field("From"), v, v)
		s.VPMINSQ_BCST(s.field("To"), v, v)
		return
	}
	bound := s.broadcast64("From")
	s.VPCMPGTQ(v, bound, x)
	s.VBLENDVPD(x, bound, v, v)
	bound = s.broadcast64("To")
	s.VPCMPGTQ(bound, v, x)
	s.VBLENDVPD(x, bound, v, v)
}

// store stores the low bytes, or words, of sixteen sums.
func (s *sumsRoutine) store(v []reg.VecVirtual, size int, out reg.GPVirtual) {
	if s.isa.wide() {
		for i, v := range v {
			if to := at(out, 8*size*i); size == 1 {
				s.VPMOVQB(v, to)
			} else {
				s.VPMOVQW(v, to)
			}
		}
		return
	}
	for i := range 2 { // the low halves
		a := v[2*i]
		s.VSHUFPS(operand.Imm(0x88), v[2*i+1], a, a)
		s.VPERMQ(operand.Imm(0b11_01_10_00), a, a)
	}
	if to := at(out, 0); size == 1 {
		s.bytes(v[0], v[2], to)
	} else {
		s.words(v[0], v[2], to)
	}
}
