package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// inPairs returns what builds the steps of pairs. Bytes are chosen by a shuffle, which would take the time of a multiplication if each dword had its own. So
// those of a step of two to four dwords are chosen together and stored, one step ahead, and each dword is loaded from there. In the last step of a tile those of the
// next tile's first step are chosen.
func (t *dotTile) inPairs() dotSteps {
	weights, choice, x, product := t.vectors(t.vectorsOf()), t.vector(), t.vector(), t.vector()
	ones := t.set(word(0x00010001))[0]
	size := len(weights) * t.isa.bytes
	single, fours := t.file.args.size("PairsSingle"), t.file.args.size("PairsFours")
	of := func(base reg.GPVirtual, name, field string) operand.Mem {
		return at(base, t.file.args.offset(name, field))
	}
	load := func(w reg.GPVirtual) { t.loadWeights(weights, w, 0) }
	// add adds the products of a dword of a pixel, which is x.
	add := func(p int) {
		for v, weight := range weights {
			to := product
			if v == len(weights)-1 {
				to = x
			}
			t.VPMADDUBSW(weight, x, to)
			t.VPMADDWD(ones, to, to)
			t.VPADDD(to, t.sums[p][v], t.sums[p][v])
		}
	}
	first, now, next := t.field("First"), t.load("Chosen"), t.GP64()
	t.LEAQ(at(now, 16*t.pixels), next)
	see := func(offsets reg.GPVirtual) {
		t.MOVLQSX(of(offsets, "PairsFours", "Offset"), t.x.bases[0])
		t.setBases(first)
		t.move(of(offsets, "PairsFours", "Bytes"), choice.AsX())
	}
	choose := func(p int) {
		chosen := t.vector().AsX()
		t.move(t.x.at(p, 0), chosen)
		t.VPSHUFB(choice.AsX(), chosen, chosen)
		t.move(chosen, at(next, 16*p))
	}
	return dotSteps{begin: func() {
		t.MOVQ(t.load("X"), first)
		see(t.load("Fours"))
		for p := range t.pixels {
			choose(p)
		}
	}, steps: func(tile reg.GPVirtual) {
		t.MOVQ(t.indexed("X", "XTile", tile), first)
		offsets, steps, w := t.load("Offsets"), t.load("Singles"), t.load("W")
		one, several, last, step, choices := t.label("one"), t.label("several"), t.label("last"), t.label("step"), t.label("choices")
		added, done := t.label("added"), t.label("done")
		t.TESTQ(steps, steps)
		t.unless(t.JZ, several, func() {
			t.loop(one, steps, func() {
				t.MOVLQSX(of(offsets, "PairsSingle", "Offset"), t.x.bases[0])
				t.setBases(first)
				t.VPBROADCASTD(of(offsets, "PairsSingle", "Bytes"), choice)
				load(w)
				for p := range t.pixels {
					t.VBROADCASTI128(t.x.at(p, 0), x)
					t.VPSHUFB(choice, x, x)
					add(p)
				}
				t.ADDQ(operand.Imm(uint64(single)), offsets)
				t.ADDQ(operand.U32(uint32(size)), w)
			})
		})
		t.MOVQ(t.field("Steps"), steps)
		t.TESTQ(steps, steps)
		t.unless(t.JZ, done, func() {
			ahead := t.GP64() // where the next tile is, or this one if it is the last
			t.LEAQ(at(tile, 1), ahead)
			t.CMPQ(ahead, t.field("Tiles"))
			t.MOVQ(t.field("XTile"), ahead)
			t.unless(t.JLT, last, func() { t.XORQ(ahead, ahead) })
			t.MOVQ(ahead, t.field("Ahead"))
			t.MOVQ(t.field("Fours"), offsets)
			beyond := t.load("WNext")
			t.loop(step, steps, func() {
				t.XCHGQ(now, next)
				t.ADDQ(operand.Imm(uint64(fours)), offsets)
				t.CMPQ(steps, operand.Imm(1))
				t.unless(t.JNE, choices, func() { t.ADDQ(t.load("Ahead"), first) })
				see(offsets)
				for dword := range 4 {
					if dword > 1 {
						dwords := of(offsets, "PairsFours", "Dwords")
						dwords.Disp -= fours // of the step in front of the one that is chosen
						t.CMPL(dwords, operand.U8(dword))
						t.JE(operand.LabelRef(added))
					}
					load(w)
					t.prefetch(w, beyond, 0, size)
					for p := range t.pixels {
						t.VPBROADCASTD(at(now, 16*p+4*dword), x)
						if add(p); dword < 2 && p%2 == 1-dword { // all of them until the second dword ends
							choose(p)
						}
					}
					t.ADDQ(operand.Imm(uint64(size)), w)
				}
				t.Label(added)
			})
		})
	}}
}
