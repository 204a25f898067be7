package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dots builds the routines of tiles of integer products, for each number of pixels and blocks of 16 channels.
func dots(f *file) {
	for _, shape := range tilesOf(f.isa) {
		t := &dotTile{pixels: shape[0], blocks: shape[1]}
		t.routine = f.routine(fmt.Sprintf("dots%dx%d", t.pixels, t.blocks), "DotsArgs")
		t.build()
	}
	if !f.isa.vnni {
		widen(f)
	}
}

// tilesOf lists the pixels and blocks of tiles that fit the registers, the largest first.
func tilesOf(i *isa) (shapes [][2]int) {
	if !i.wide() {
		for pixels := 6; pixels > 0; pixels-- {
			shapes = append(shapes, [2]int{pixels, 1})
		}
		return shapes
	}
	for blocks := 2; blocks > 0; blocks-- {
		for _, pixels := range []int{14, 10, 7, 4, 2, 1} {
			shapes = append(shapes, [2]int{pixels, blocks})
		}
	}
	return shapes
}

// dotTile is a routine of tiles: of each pixel the sums of its channels in several vectors.
type dotTile struct {
	*routine
	pixels, blocks int
	sums           [][]reg.VecVirtual // by pixel and vector
	bases          []reg.GPVirtual    // of every third pixel
	distance       reg.GPVirtual      // of pixels
}

// vectorsOf returns how many vectors the channels of a pixel have.
func (t *dotTile) vectorsOf() int { return t.blocks * 64 / t.isa.bytes }

func (t *dotTile) build() {
	n := t.vectorsOf()
	for range t.pixels {
		t.sums = append(t.sums, t.vectors(n))
	}
	weights, x, product := t.vectors(n), t.vector(), t.vector()
	t.distance = t.load("XPixel")
	three, tile := t.GP64(), t.GP64()
	t.LEAQ(operand.Mem{Base: t.distance, Index: t.distance, Scale: 2}, three)
	t.XORQ(tile, tile)

	tiles := t.label("tile")
	t.Label(tiles)
	t.begin(tile)
	first := t.indexed("X", "XTile", tile)
	offsets, steps, w := t.load("Offsets"), t.load("Steps"), t.load("W")
	for range (t.pixels + 2) / 3 {
		t.bases = append(t.bases, t.GP64())
	}

	step := t.label("step")
	t.Label(step)
	t.MOVQ(operand.Mem{Base: offsets}, t.bases[0])
	t.ADDQ(first, t.bases[0])
	for i := 1; i < len(t.bases); i++ {
		t.LEAQ(operand.Mem{Base: t.bases[i-1], Index: three, Scale: 1}, t.bases[i])
	}
	for g := range 4 {
		for v, weight := range weights {
			t.VMOVDQU32or(at(w, g*t.blocks*64+v*t.isa.bytes), weight)
		}
		for p, sums := range t.sums {
			t.VPBROADCASTD(t.pixel(p, 4*g), x)
			for v, weight := range weights {
				t.dot(x, weight, product, sums[v])
			}
		}
	}
	t.ADDQ(operand.Imm(8), offsets)
	t.ADDQ(operand.U32(uint32(4*t.blocks*64)), w)
	t.DECQ(steps)
	t.JNZ(operand.LabelRef(step))

	t.finish(tile)
	t.INCQ(tile)
	t.CMPQ(tile, t.field("Tiles"))
	t.JLT(operand.LabelRef(tiles))
	t.end()
}

// VMOVDQU32or loads or stores a vector of integers.
func (f *file) VMOVDQU32or(from, to operand.Op) {
	if f.isa.wide() {
		f.VMOVDQU32(from, to)
	} else {
		f.VMOVDQU(from, to)
	}
}

// indexed returns the address in a field plus so many times the distance in another.
func (t *dotTile) indexed(address, distance string, times reg.GPVirtual) reg.GPVirtual {
	to := t.GP64()
	t.MOVQ(t.field(distance), to)
	t.IMULQ(times, to)
	t.ADDQ(t.field(address), to)
	return to
}

// pixel returns the memory of pixel p, which is at most two distances, or four or eight, from the base of one in front of it.
func (t *dotTile) pixel(p, bytes int) operand.Mem {
	for i := len(t.bases) - 1; i >= 0; i-- {
		switch d := p - 3*i; d {
		case 0:
			return at(t.bases[i], bytes)
		case 1, 2:
			return operand.Mem{Base: t.bases[i], Index: t.distance, Scale: uint8(d), Disp: bytes}
		}
	}
	panic("no such pixel")
}

// dot adds the products of two vectors of dwords to sums.
func (t *dotTile) dot(x, w, product, sum reg.VecVirtual) {
	if t.isa.vnni {
		t.VPDPBUSD(w, x, sum)
		return
	}
	t.VPMADDWD(w, x, product)
	t.VPADDD(product, sum, sum)
}

// begin sets the sums to what they begin with.
func (t *dotTile) begin(tile reg.GPVirtual) {
	init := t.indexed("Init", "InitTile", tile)
	for p, sums := range t.sums {
		if p > 0 {
			t.ADDQ(t.field("InitPixel"), init)
		}
		for v, sum := range sums {
			t.VMOVDQU32or(at(init, v*t.isa.bytes), sum)
		}
	}
}

// finish stores the sums, or codes.
func (t *dotTile) finish(tile reg.GPVirtual) {
	out := t.indexed("Out", "OutTile", tile)
	next, codes := t.load("OutBlock"), t.label("codes")
	done := t.label("done")
	t.ADDQ(out, next) // where the second block is
	t.CMPQ(t.field("Codes"), operand.Imm(0))
	t.JNE(operand.LabelRef(codes))
	each := 64 / t.isa.bytes
	block := []reg.GPVirtual{out, next}
	for p, sums := range t.sums {
		for v, sum := range sums {
			t.VMOVDQU32or(sum, at(block[v/each], 64*p+v%each*t.isa.bytes))
		}
	}
	t.JMP(operand.LabelRef(done))
	t.Label(codes)
	multiplier := t.load("Multiplier")
	least, most, zero := t.vector(), t.vector(), t.vector()
	t.VBROADCASTSS(t.field("Least"), least)
	t.VBROADCASTSS(t.field("Most"), most)
	t.VPBROADCASTD(t.field("Zero"), zero)
	for p, sums := range t.sums {
		for v, sum := range sums {
			t.VCVTDQ2PS(sum, sum)
			t.VMULPS(at(multiplier, v*t.isa.bytes), sum, sum)
			t.VMAXPS(least, sum, sum)
			t.VMINPS(most, sum, sum)
			t.VCVTPS2DQ(sum, sum)
			t.VPADDD(zero, sum, sum)
			if t.isa.wide() {
				t.VPMOVDB(sum, at(block[v], 16*p))
			}
		}
		if !t.isa.wide() {
			t.bytes(sums[0], sums[1], at(out, 16*p))
		}
	}
	t.Label(done)
}

// bytes stores the low bytes of 16 dwords that are those of words, in two vectors of 8.
func (r *routine) bytes(a, b reg.VecVirtual, to operand.Mem) {
	r.VPACKSSDW(b, a, a)                                    // the dwords 0 to 3 and 8 to 11, 4 to 7 and 12 to 15
	r.VPSLLW(operand.Imm(8), a, a)                          // so that what is packed is not negative
	r.VPSRLW(operand.Imm(8), a, a)                          //
	r.VEXTRACTI128(operand.Imm(1), a, b.AsX())              //
	r.VPACKUSWB(b.AsX(), a.AsX(), a.AsX())                  //
	r.VPSHUFD(operand.Imm(0b11_01_10_00), a.AsX(), a.AsX()) //
	r.VMOVDQU(a.AsX(), to)
}

// widen builds the routine that makes words of bytes.
func widen(f *file) {
	r := f.routine("widen", "WidenArgs")
	from, to, n := r.load("From"), r.load("To"), r.load("N")
	zero, x := r.YMM(), r.YMM()
	r.VPBROADCASTW(r.field("Zero"), zero)
	loop := func(widen func(from, to operand.Op)) {
		next := r.label("next")
		r.Label(next)
		widen(operand.Mem{Base: from}, x)
		r.VPSUBW(zero, x, x)
		r.VMOVDQU(x, operand.Mem{Base: to})
		r.ADDQ(operand.Imm(16), from)
		r.ADDQ(operand.Imm(32), to)
		r.DECQ(n)
		r.JNZ(operand.LabelRef(next))
	}
	signed, done := r.label("signed"), r.label("done")
	r.CMPQ(r.field("Signed"), operand.Imm(0))
	r.JNE(operand.LabelRef(signed))
	loop(func(from, to operand.Op) { r.VPMOVZXBW(from, to) })
	r.JMP(operand.LabelRef(done))
	r.Label(signed)
	loop(func(from, to operand.Op) { r.VPMOVSXBW(from, to) })
	r.Label(done)
	r.end()
}
