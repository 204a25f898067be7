package main

import "github.com/mmcloughlin/avo/operand"

// randoms builds RandomBits: ten rounds of Philox on words in the lower halves of lanes of 64 bits. What lies above them does not matter.
func randoms(f *file) {
	if f.isa.vnni {
		return
	}
	r := f.routine("RandomBits", "RandomArgs")
	x, out, n := r.load("X"), r.load("Out"), r.load("N")
	keys := r.vectors(2)
	r.VPBROADCASTD(r.field("Key0"), keys[0])
	r.VPBROADCASTD(r.field("Key1"), keys[1])
	const together = 2 // vectors, which the words of one fill
	if !r.isa.wide() { // half a block
		r.ADDQ(n, n)
	}
	r.loop("loop", n, func() {
		c := [4]vec{r.vectors(together), nil, r.zero(), r.zero()}
		for i, v := range c[0] {
			r.VMOVUPS(at(x, i*r.isa.bytes), v)
		}
		c[1] = r.shiftRight64(c[0], 32)
		k0, k1 := vec{keys[0]}, vec{keys[1]}
		for range 10 {
			p, q := r.mulWords(c[0], 0xD2511F53), r.mulWords(c[2], 0xCD9E8D57)
			c = [4]vec{r.xor(r.xor(r.shiftRight64(q, 32), c[1]), k0), q, r.xor(r.xor(r.shiftRight64(p, 32), c[3]), k1), p}
			k0, k1 = r.addInt(k0, word(0x9E3779B9)), r.addInt(k1, word(0xBB67AE85))
		}
		if r.isa.wide() {
			for i, v := range c[0] {
				r.VPMOVQD(v, at(out, i*r.isa.bytes/2))
			}
		} else {
			words := r.vector()
			r.VSHUFPS(operand.U8(0b10001000), c[0][1], c[0][0], words)
			r.VPERMQ(operand.U8(0b11011000), words, words)
			r.VMOVUPS(words, at(out, 0))
		}
		r.ADDQ(operand.U32(together*r.isa.bytes), x)
		r.ADDQ(operand.U32(together*r.isa.bytes/2), out)
	})
	r.end()
}

// mulWords returns the products, of 64 bits, of the lower halves of lanes with a number.
func (f *file) mulWords(x vec, by word64) vec { return f.op2(f.VPMULUDQ, f.VPMULUDQ_BCST, x, by) }
