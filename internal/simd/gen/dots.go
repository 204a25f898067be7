package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dots builds the routines of tiles of integer products, for each number of pixels and blocks of 16 channels: of words, and of bytes where there are dot
// products of these, or, with vectors of 256 bits, of pairs of bytes.
func dots(f *file) {
	for _, bytes := range []bool{false, true} {
		if bytes && f.isa.wide() && !f.isa.vnni {
			continue
		}
		of := ""
		if bytes {
			of = "Bytes"
		}
		if bytes && !f.isa.vnni {
			for pixels := 5; pixels > 0; pixels-- {
				t := &dotTile{pixels: pixels, blocks: 1, ofBytes: true, pairs: true}
				t.routine = f.routine(fmt.Sprintf("pairDots%d", t.pixels), "DotsArgs")
				t.build()
			}
			for _, pixels := range []int{10, 8, 6, 4, 3, 2, 1} {
				t := &dotTile{pixels: pixels, blocks: 1, ofBytes: true, pairs: true, narrow: true}
				t.routine = f.routine(fmt.Sprintf("narrowPairDots%d", t.pixels), "DotsArgs")
				t.build()
			}
			copyRows(f, "copyRows"+of, bytes)
			pixels(f, "pixels"+of, bytes)
			continue
		}
		for _, shape := range tilesOf(f.isa) {
			t := &dotTile{pixels: shape[0], blocks: shape[1], ofBytes: bytes}
			t.routine = f.routine(fmt.Sprintf("dots%s%dx%d", of, t.pixels, t.blocks), "DotsArgs")
			t.build()
		}
		if bytes == f.isa.vnni {
			for _, pixels := range depthTilesOf(f.isa) {
				t := &dotTile{pixels: pixels, blocks: 1, ofBytes: bytes, depth: true}
				t.routine = f.routine(fmt.Sprintf("depthDots%s%d", of, t.pixels), "DotsArgs")
				t.build()
			}
		}
		copyRows(f, "copyRows"+of, bytes)
		pixels(f, "pixels"+of, bytes)
	}
	if !f.isa.vnni {
		copyPairs(f)
		rowDots(f)
	}
}

// depthTilesOf is tilesOf for a window that stays within a channel.
func depthTilesOf(i *isa) []int {
	if !i.wide() {
		return []int{6, 5, 4, 3, 2, 1}
	}
	return []int{14, 10, 7, 4, 2, 1}
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
	pixels, blocks  int
	ofBytes         bool               // whether dwords are four bytes; else they are two words
	pairs           bool               // whether dwords are two pairs of bytes, chosen of sixteen; or
	narrow          bool               // whether only the first half of the channels are computed; what is stored of the others is the same
	depth           bool               // whether they are those of neighbours in a channel
	sums            [][]reg.VecVirtual // by pixel and vector
	bases           []reg.GPVirtual    // of every third pixel
	distance, three reg.GPVirtual      // of pixels, and of every third one
}

// vectorsOf returns how many vectors the channels of a pixel have.
func (t *dotTile) vectorsOf() int {
	if t.narrow {
		return 1
	}
	return t.blocks * 64 / t.isa.bytes
}

func (t *dotTile) build() {
	n := t.vectorsOf()
	for range t.pixels {
		t.sums = append(t.sums, t.vectors(n))
	}
	for range (t.pixels + 2) / 3 {
		t.bases = append(t.bases, t.GP64())
	}
	add := t.adding()
	t.distance = t.load("XPixel")
	t.three = t.GP64()
	tile := t.GP64()
	t.LEAQ(operand.Mem{Base: t.distance, Index: t.distance, Scale: 2}, t.three)
	rows := t.label("row")
	t.Label(rows)
	t.XORQ(tile, tile)
	if add.begin != nil {
		add.begin()
	}

	tiles := t.label("tile")
	t.Label(tiles)
	t.begin(tile)
	add.steps(tile)
	t.finish(tile)
	t.INCQ(tile)
	t.CMPQ(tile, t.field("Tiles"))
	t.JLT(operand.LabelRef(tiles))
	row := t.load("XRow")
	t.ADDQ(row, t.field("X"))
	t.MOVQ(t.field("OutRow"), row)
	t.ADDQ(row, t.field("Out"))
	t.DECQ(t.field("Rows"))
	t.JNZ(operand.LabelRef(rows))
	t.end()
}

// dotSteps builds the addition of the steps of a tile, and what comes in front of a row of tiles, if there is something.
type dotSteps struct {
	begin func()
	steps func(tile reg.GPVirtual)
}

// adding returns what builds the steps of a tile.
func (t *dotTile) adding() dotSteps {
	if t.pairs {
		return t.inPairs()
	}
	step := t.dense
	if t.depth {
		step = t.inDepth
	}
	build := step()
	return dotSteps{steps: func(tile reg.GPVirtual) {
		first := t.indexed("X", "XTile", tile)
		offsets, steps, w, beyond := t.load("Offsets"), t.load("Steps"), t.load("W"), t.load("WNext")
		next := t.label("step")
		t.Label(next)
		t.MOVQ(at(offsets, 0), t.bases[0])
		t.setBases(first)
		size := build(w, beyond)
		t.ADDQ(operand.Imm(8), offsets)
		t.ADDQ(operand.U32(uint32(size)), w)
		t.DECQ(steps)
		t.JNZ(operand.LabelRef(next))
	}}
}

// setBases sets the bases, of which the first one is the offset from the first pixel.
func (t *dotTile) setBases(first operand.Op) {
	t.ADDQ(first, t.bases[0])
	for i := 1; i < len(t.bases); i++ {
		t.LEAQ(operand.Mem{Base: t.bases[i-1], Index: t.three, Scale: 1}, t.bases[i])
	}
}

// loadWeights loads vectors that lie so many bytes behind w.
func (t *dotTile) loadWeights(weights []reg.VecVirtual, w reg.GPVirtual, from int) {
	for v, weight := range weights {
		t.move(at(w, from+v*t.isa.bytes), weight)
	}
}

// prefetch brings lines of the weights that are read next time into the second-level cache.
func (t *dotTile) prefetch(w, beyond reg.GPVirtual, from, size int) {
	for i := from; i < from+size; i += 64 {
		t.PREFETCHT1(operand.Mem{Base: w, Index: beyond, Scale: 1, Disp: i})
	}
}

// dense returns what builds a step in which a dword of each pixel goes into all channels; it returns the bytes of the weights.
func (t *dotTile) dense() func(w, beyond reg.GPVirtual) int {
	weights, x, product := t.vectors(t.vectorsOf()), t.vector(), t.vector()
	size := 64 * t.blocks
	return func(w, beyond reg.GPVirtual) int {
		for g := range 4 {
			t.loadWeights(weights, w, g*size)
			t.prefetch(w, beyond, g*size, size)
			for p, sums := range t.sums {
				t.VPBROADCASTD(t.pixel(p, 4*g), x)
				for v, weight := range weights {
					t.dot(x, weight, product, sums[v])
				}
			}
		}
		return 4 * size
	}
}

// inPairs returns what builds the steps of pairs. Bytes are chosen by a shuffle, which would take the time of a multiplication if each dword had its own. So
// those of a step of two to four dwords are chosen together and stored, one step ahead, and each dword is loaded from there. In the last step of a tile those of the
// next tile's first step are chosen.
func (t *dotTile) inPairs() dotSteps {
	weights, choice, x, product := t.vectors(t.vectorsOf()), t.vector(), t.vector(), t.vector()
	ones := t.set(word(0x00010001))[0]
	size := len(weights) * t.isa.bytes
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
		t.MOVLQSX(at(offsets, 0), t.bases[0])
		t.setBases(first)
		t.move(at(offsets, 8), choice.AsX())
	}
	choose := func(p int) {
		chosen := t.vector().AsX()
		t.move(t.pixel(p, 0), chosen)
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
		single, fours, last, four, choices := t.label("single"), t.label("fours"), t.label("last"), t.label("four"), t.label("choices")
		added, done := t.label("added"), t.label("done")
		t.TESTQ(steps, steps)
		t.JZ(operand.LabelRef(fours))
		t.Label(single)
		t.MOVLQSX(at(offsets, 0), t.bases[0])
		t.setBases(first)
		t.VPBROADCASTD(at(offsets, 4), choice)
		load(w)
		for p := range t.pixels {
			t.VBROADCASTI128(t.pixel(p, 0), x)
			t.VPSHUFB(choice, x, x)
			add(p)
		}
		t.ADDQ(operand.Imm(8), offsets)
		t.ADDQ(operand.U32(uint32(size)), w)
		t.DECQ(steps)
		t.JNZ(operand.LabelRef(single))

		t.Label(fours)
		t.MOVQ(t.field("Steps"), steps)
		t.TESTQ(steps, steps)
		t.JZ(operand.LabelRef(done))
		ahead := t.GP64() // where the next tile is, or this one if it is the last
		t.LEAQ(at(tile, 1), ahead)
		t.CMPQ(ahead, t.field("Tiles"))
		t.MOVQ(t.field("XTile"), ahead)
		t.JLT(operand.LabelRef(last))
		t.XORQ(ahead, ahead)
		t.Label(last)
		t.MOVQ(ahead, t.field("Ahead"))
		t.MOVQ(t.field("Fours"), offsets)
		beyond := t.load("WNext")
		t.Label(four)
		t.XCHGQ(now, next)
		t.ADDQ(operand.Imm(24), offsets)
		t.CMPQ(steps, operand.Imm(1))
		t.JNE(operand.LabelRef(choices))
		t.ADDQ(t.load("Ahead"), first)
		t.Label(choices)
		see(offsets)
		for dword := range 4 {
			if dword > 1 {
				t.CMPL(at(offsets, 4-24), operand.U8(dword))
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
		t.DECQ(steps)
		t.JNZ(operand.LabelRef(four))
		t.Label(done)
	}}
}

// inDepth returns what builds a step in which each channel has a dword of neighbours of its own: four pixels of bytes, or two of words, which lie together.
func (t *dotTile) inDepth() func(w, _ reg.GPVirtual) int {
	weights, x := t.vectors(t.vectorsOf()), t.vector()
	if !t.ofBytes {
		return func(w, _ reg.GPVirtual) int {
			t.loadWeights(weights, w, 0)
			for p, sums := range t.sums {
				for v, weight := range weights {
					t.dot(weight, t.pixel(p, v*t.isa.bytes), x, sums[v])
				}
			}
			return 64
		}
	}
	order := t.sequence("dwords", 4, func(i int) int { return i%4*4 + i/4 })    // of four channels, of all pixels
	within := t.sequence("bytes", 1, func(i int) int { return i%4*4 + i%16/4 }) // those of a channel
	return func(w, _ reg.GPVirtual) int {
		t.loadWeights(weights, w, 0)
		for p, sums := range t.sums {
			t.VPERMD(t.pixel(p, 0), order, x)
			t.VPSHUFB(within, x, x)
			t.dot(x, weights[0], nil, sums[0])
		}
		return 64
	}
}

// sequence returns a vector of integers of so many bytes.
func (f *file) sequence(name string, size int, of func(i int) int) reg.VecVirtual {
	m, ok := f.constants[name]
	if !ok {
		m = f.StaticGlobal(name)
		f.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := 0; i < f.isa.bytes; i += 8 {
			var bits uint64
			for k := 0; k < 8; k += size {
				bits |= uint64(of((i+k)/size)) << (8 * k)
			}
			f.AppendDatum(operand.U64(bits))
		}
		f.keep(name, m)
	}
	v := f.vector()
	f.move(m, v)
	return v
}

// move loads or stores a vector of integers.
func (f *file) move(from, to operand.Op) {
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
func (t *dotTile) dot(x reg.VecVirtual, w operand.Op, product, sum reg.VecVirtual) {
	switch {
	case t.ofBytes:
		t.VPDPBUSD(w, x, sum)
	case t.isa.vnni:
		t.VPDPWSSD(w, x, sum)
	default:
		t.VPMADDWD(w, x, product)
		t.VPADDD(product, sum, sum)
	}
}

// begin sets the sums to what they begin with.
func (t *dotTile) begin(tile reg.GPVirtual) {
	init := t.indexed("Init", "InitTile", tile)
	for p, sums := range t.sums {
		if p > 0 {
			t.ADDQ(t.field("InitPixel"), init)
		}
		for v, sum := range sums {
			t.move(at(init, v*t.isa.bytes), sum)
		}
	}
}

// finish stores the sums, or what becomes of them.
func (t *dotTile) finish(tile reg.GPVirtual) {
	out, next := t.indexed("Out", "OutTile", tile), t.load("OutBlock")
	t.ADDQ(out, next) // where the second block is
	block := []reg.GPVirtual{out, next}
	requantize, shift, store, words, done := t.label("requantize"), t.label("shift"), t.label("store"), t.label("words"), t.label("done")
	t.CMPQ(t.field("Form"), operand.Imm(1))
	t.JE(operand.LabelRef(requantize))
	t.JG(operand.LabelRef(shift))
	each := 64 / t.isa.bytes
	t.eachPixel(block, func(sums []reg.VecVirtual) {
		for v, sum := range sums {
			t.move(sum, at(block[v/each], v%each*t.isa.bytes))
		}
	})
	t.JMP(operand.LabelRef(done))

	t.Label(shift)
	for _, sums := range t.sums {
		for _, sum := range sums {
			t.shift(sum)
		}
	}
	t.JMP(operand.LabelRef(store))

	t.Label(requantize)
	t.requantize(block)
	t.JMP(operand.LabelRef(done))

	t.Label(store)
	t.CMPQ(t.field("Words"), operand.Imm(0))
	t.JNE(operand.LabelRef(words))
	t.eachPixel(block, func(sums []reg.VecVirtual) { t.store(sums, 1, block) })
	t.JMP(operand.LabelRef(done))
	t.Label(words)
	t.eachPixel(block, func(sums []reg.VecVirtual) { t.store(sums, 2, block) })
	t.Label(done)
}

// eachPixel builds what stores the sums of each pixel to where its blocks are.
func (t *dotTile) eachPixel(block []reg.GPVirtual, store func(sums []reg.VecVirtual)) {
	for p, sums := range t.sums {
		if store(sums); p == t.pixels-1 {
			return
		}
		for _, b := range block[:t.blocks] {
			t.ADDQ(t.field("OutPixel"), b)
		}
	}
}

// requantize stores sums as codes, as many pixels at a time as fill a vector. They are packed with saturation, as unsigned bytes.
func (t *dotTile) requantize(block []reg.GPVirtual) {
	multiplier := t.load("Multiplier")
	order, zero, from, to := t.sequence("packed", 4, t.packedDword), t.broadcast("Zero"), t.broadcast("From"), t.broadcast("To")
	each := t.isa.bytes / 16
	for b := range t.blocks {
		per := t.vectorsOf() / t.blocks
		for first := 0; first < t.pixels; first += each {
			n := min(each, t.pixels-first)
			var list []reg.VecVirtual
			for p := first; p < first+n; p++ {
				for v, sum := range t.sums[p][b*per : (b+1)*per] {
					t.VCVTDQ2PS(sum, sum)
					t.VMULPS(at(multiplier, b*64+v*t.isa.bytes), sum, sum)
					t.VCVTPS2DQ(sum, sum)
					if list = append(list, sum); t.narrow {
						list = append(list, sum)
					}
				}
			}
			some := len(list)
			for i := some; i < 4; i++ {
				list = append(list, list[i%len(list)])
			}
			t.VPACKSSDW(list[1], list[0], list[0])
			if some > 2 {
				t.VPACKSSDW(list[3], list[2], list[2])
			} else {
				list[2] = list[0]
			}
			t.VPADDSW(zero, list[0], list[0])
			if list[2] != list[0] {
				t.VPADDSW(zero, list[2], list[2])
			}
			x, flip := list[0], t.vector()
			t.VPACKUSWB(list[2], x, x)
			t.VPERMD(x, order, x)
			t.VPMAXUB(from, x, x)
			t.VPMINUB(to, x, x)
			t.VPBROADCASTD(t.field("Flip"), flip)
			t.VXORPS(flip, x, x)
			t.storeBytes(x, n, at(block[b], 16*first))
		}
	}
}

// packedDword says where the i-th dword of four vectors lies when they are packed in two steps.
func (f *file) packedDword(i int) int {
	if f.isa.wide() {
		return i%4*4 + i/4 // dword i%4 of vector i/4
	}
	return i%4/2 + i%4%2*4 + i/4*2 // of two pixels each two vectors
}

// storeBytes stores 16 bytes of each of n pixels.
func (t *dotTile) storeBytes(x reg.VecVirtual, n int, to operand.Mem) {
	switch {
	case n*16 == t.isa.bytes:
		t.move(x, to)
	case n == 1:
		t.move(x.AsX(), to)
	default:
		t.move(x.AsY(), to)
	}
	if n == 3 {
		to.Disp += 32
		t.VEXTRACTI32X4(operand.Imm(2), x, to)
	}
}

// store stores the low bytes, or words, of the sums of a pixel.
func (t *dotTile) store(sums []reg.VecVirtual, size int, block []reg.GPVirtual) {
	if t.narrow {
		sums = append(sums, t.vector())
		t.VMOVDQA(sums[0], sums[1])
	}
	switch {
	case !t.isa.wide() && size == 1:
		t.bytes(sums[0], sums[1], at(block[0], 0))
	case !t.isa.wide():
		t.words(sums[0], sums[1], at(block[0], 0))
	}
	for v, sum := range sums {
		switch {
		case t.isa.wide() && size == 1:
			t.VPMOVDB(sum, at(block[v], 0))
		case t.isa.wide():
			t.VPMOVDW(sum, at(block[v], 0))
		}
	}
}

// shift rounds sums to fewer digits and bounds them.
func (t *dotTile) shift(sum reg.VecVirtual) {
	signs := t.vector()
	if t.isa.wide() {
		t.VPSRAD(operand.Imm(31), sum, signs)
		t.VPANDD_BCST(t.field("Below"), signs, signs)
		t.VPADDD(signs, sum, sum)
		t.VPSRAVD_BCST(t.field("Shift"), sum, sum)
		t.VPADDD_BCST(t.field("Half"), sum, sum)
		t.VPSRAVD_BCST(t.field("Rest"), sum, sum)
		t.VPMAXSD_BCST(t.field("From"), sum, sum)
		t.VPMINSD_BCST(t.field("To"), sum, sum)
		return
	}
	t.VPSRAD(operand.Imm(31), sum, signs)
	t.VPAND(t.broadcast("Below"), signs, signs)
	t.VPADDD(signs, sum, sum)
	t.VPSRAVD(t.broadcast("Shift"), sum, sum)
	t.VPADDD(t.broadcast("Half"), sum, sum)
	t.VPSRAVD(t.broadcast("Rest"), sum, sum)
	t.VPMAXSD(t.broadcast("From"), sum, sum)
	t.VPMINSD(t.broadcast("To"), sum, sum)
}

// bytes stores the low bytes of 16 dwords in two vectors of 8, words the low words.
func (r *routine) bytes(a, b reg.VecVirtual, to operand.Mem) {
	r.low(24, a, b)
	r.VPACKSSDW(b, a, a) // the dwords 0 to 3 and 8 to 11, 4 to 7 and 12 to 15
	r.VEXTRACTI128(operand.Imm(1), a, b.AsX())
	r.VPACKUSWB(b.AsX(), a.AsX(), a.AsX())
	r.VPSHUFD(operand.Imm(0b11_01_10_00), a.AsX(), a.AsX())
	r.VMOVDQU(a.AsX(), to)
}

func (r *routine) words(a, b reg.VecVirtual, to operand.Mem) {
	r.low(16, a, b)
	r.VPACKUSDW(b, a, a)
	r.VPERMQ(operand.Imm(0b11_01_10_00), a, a)
	r.VMOVDQU(a, to)
}

// low clears so many high bits of dwords.
func (r *routine) low(bits uint8, x ...reg.VecVirtual) {
	for _, x := range x {
		r.VPSLLD(operand.Imm(uint64(bits)), x, x)
		r.VPSRLD(operand.Imm(uint64(bits)), x, x)
	}
}

// copyRows builds the routine that brings rows of pixels into the form that dot products of bytes or of words read.
func copyRows(f *file, name string, bytes bool) {
	r := f.routine(name, "CopyRowsArgs")
	from, to, pixel := r.GP64(), r.GP64(), r.load("ToPixel")
	pad, change := r.YMM(), r.YMM()
	r.VPBROADCASTD(r.field("Pad"), pad)
	r.VPBROADCASTD(r.field("Change"), change)
	// times repeats a body as often as a field says, which may be never.
	times := func(field string, body func()) {
		next, done, n := r.label("next"), r.label("done"), r.load(field)
		r.TESTQ(n, n)
		r.JZ(operand.LabelRef(done))
		r.Label(next)
		body()
		r.ADDQ(pixel, to)
		r.DECQ(n)
		r.JNZ(operand.LabelRef(next))
		r.Label(done)
	}
	padding := func() {
		if bytes {
			r.VMOVDQU(pad.AsX(), at(to, 0))
		} else {
			r.VMOVDQU(pad, at(to, 0))
		}
	}
	rows := func(copyOf func(x reg.VecVirtual)) {
		row := r.label("row")
		r.Label(row)
		r.MOVQ(r.field("From"), from)
		r.MOVQ(r.field("To"), to)
		times("Left", padding)
		times("N", func() {
			x := r.YMM()
			copyOf(x)
			r.ADDQ(operand.Imm(16), from)
		})
		times("Right", padding)
		step := r.load("FromRow")
		r.ADDQ(step, r.field("From"))
		r.MOVQ(r.field("ToRow"), step)
		r.ADDQ(step, r.field("To"))
		r.DECQ(r.field("Rows"))
		r.JNZ(operand.LabelRef(row))
	}
	if bytes {
		rows(func(x reg.VecVirtual) {
			r.VPXOR(at(from, 0), change.AsX(), x.AsX())
			r.VMOVDQU(x.AsX(), at(to, 0))
		})
		r.end()
		return
	}
	words := func(widen func(ops ...operand.Op)) {
		rows(func(x reg.VecVirtual) {
			widen(at(from, 0), x)
			r.VPSUBW(change, x, x)
			r.VMOVDQU(x, at(to, 0))
		})
	}
	signed, done := r.label("signed"), r.label("done")
	r.CMPQ(r.field("Signed"), operand.Imm(0))
	r.JNE(operand.LabelRef(signed))
	words(func(ops ...operand.Op) { r.VPMOVZXBW(ops[0], ops[1]) })
	r.JMP(operand.LabelRef(done))
	r.Label(signed)
	words(func(ops ...operand.Op) { r.VPMOVSXBW(ops[0], ops[1]) })
	r.Label(done)
	r.end()
}

// copyPairs builds the routine that makes rows of pairs of neighbouring pixels of words.
func copyPairs(f *file) {
	r := f.routine("copyPairs", "CopyPairsArgs")
	from, to, step, toggle := r.GP64(), r.GP64(), r.GP64(), r.load("Toggle")
	left, n := r.GP64(), r.GP64()
	last, x, low, high, change := r.YMM(), r.YMM(), r.YMM(), r.YMM(), r.YMM()
	r.VPBROADCASTD(r.field("Change"), change)
	store := func() {
		r.VMOVDQU(low, at(to, 0))
		r.VMOVDQU(high, at(to, 32))
	}
	unpack := func() {
		r.VPUNPCKLWD(x, last, low)
		r.VPUNPCKHWD(x, last, high)
	}
	// pairs adds as many pixels as a counter says, which may be none: each completes the pair of the one before it. Where that is left out, it is overwritten.
	pairs := func(count reg.GPVirtual, pixel, two func()) {
		next, done, each := r.label("next"), r.label("done"), r.label("each")
		r.Label(next)
		if two != nil { // the first ones of two pairs that are not left out
			r.TESTQ(step, step)
			r.JNZ(operand.LabelRef(each))
			again := r.label("two")
			r.Label(again)
			r.CMPQ(count, operand.Imm(2))
			r.JL(operand.LabelRef(each))
			two()
			store()
			r.ADDQ(operand.Imm(64), to)
			r.SUBQ(operand.Imm(2), count)
			r.JMP(operand.LabelRef(again))
			r.Label(each)
		}
		r.TESTQ(count, count)
		r.JZ(operand.LabelRef(done))
		pixel()
		unpack()
		store()
		r.VMOVDQA(x, last)
		r.ADDQ(step, to)
		r.XORQ(toggle, step)
		r.DECQ(count)
		r.JMP(operand.LabelRef(next))
		r.Label(done)
	}
	zero := func() { r.VPXOR(x, x, x) }
	rows := func(size uint64, load, loadTwo func()) {
		pixel := func() {
			load()
			r.ADDQ(operand.Imm(size), from)
		}
		two := func() {
			loadTwo()
			r.ADDQ(operand.Imm(2*size), from)
		}
		row, begin, begun := r.label("row"), r.label("begin"), r.label("begun")
		r.Label(row)
		r.MOVQ(r.field("From"), from)
		r.MOVQ(r.field("To"), to)
		r.MOVQ(operand.U32(64), step)
		r.MOVQ(r.field("Left"), left)
		r.MOVQ(r.field("N"), n)
		r.VPXOR(last, last, last)
		r.TESTQ(left, left)
		r.JZ(operand.LabelRef(begin))
		r.DECQ(left)
		r.JMP(operand.LabelRef(begun))
		r.Label(begin)
		pixel()
		r.VMOVDQA(x, last)
		r.DECQ(n)
		r.Label(begun)
		pairs(left, zero, nil)
		pairs(n, pixel, two)
		r.MOVQ(r.field("Right"), left)
		r.INCQ(left) // with one for the last pixel
		pairs(left, zero, nil)
		r.MOVQ(r.field("FromRow"), step)
		r.ADDQ(step, r.field("From"))
		r.MOVQ(r.field("ToRow"), step)
		r.ADDQ(step, r.field("To"))
		r.DECQ(r.field("Rows"))
		r.JNZ(operand.LabelRef(row))
	}
	const order = 0b11_01_10_00 // of quarters, so that channels are in order when halves of halves are unpacked
	end := r.label("end")
	for kind, widen := range []func(ops ...operand.Op){r.VPMOVZXBW, r.VPMOVSXBW} {
		other := r.label("other")
		r.CMPQ(r.field("Kind"), operand.Imm(uint64(kind)))
		r.JNE(operand.LabelRef(other))
		rows(16, func() {
			r.VPSHUFD(operand.Imm(order), at(from, 0), x.AsX())
			widen(x.AsX(), x)
			r.VPSUBW(change, x, x)
		}, func() {
			r.VMOVDQU(at(from, 0), x.AsX())
			r.VPUNPCKLBW(at(from, 16), x.AsX(), low.AsX())
			r.VPUNPCKHBW(at(from, 16), x.AsX(), high.AsX())
			for _, half := range []reg.VecVirtual{low, high} {
				widen(half.AsX(), half)
				r.VPSUBW(change, half, half)
			}
		})
		r.JMP(operand.LabelRef(end))
		r.Label(other)
	}
	rows(32, func() { r.VPERMQ(operand.Imm(order), at(from, 0), x) }, func() {
		r.VPERMQ(operand.Imm(order), at(from, 0), last)
		r.VPERMQ(operand.Imm(order), at(from, 32), x)
		unpack()
	})
	r.Label(end)
	r.end()
}

// rowDots builds the routine that multiplies rows of bytes, or of words, with one, four at a time.
func rowDots(f *file) {
	r := f.routine("rowDots", "RowDotsArgs")
	out, w, row, n := r.load("Out"), r.load("W"), r.load("WRow"), r.load("N")
	three := r.GP64()
	r.LEAQ(operand.Mem{Base: row, Index: row, Scale: 2}, three)
	type widening func(from, to operand.Op)
	unsigned, signed := func(from, to operand.Op) { r.VPMOVZXBW(from, to) }, func(from, to operand.Op) { r.VPMOVSXBW(from, to) }
	words := func(from, to operand.Op) { r.VMOVDQU(from, to) }
	// rows multiplies so many rows at a time, while there are as many; sixteen elements have so many bytes.
	rows := func(many, size int, widenX, widenW widening) {
		next, few, each := r.label("rows"), r.label("few"), r.label("each")
		r.Label(next)
		r.CMPQ(n, operand.Imm(uint64(many)))
		r.JLT(operand.LabelRef(few))
		sums := make([]reg.VecVirtual, many)
		for i := range sums {
			sums[i] = r.YMM()
			r.VPXOR(sums[i], sums[i], sums[i])
		}
		x, at0, k := r.load("X"), r.GP64(), r.load("K")
		r.MOVQ(w, at0)
		left, right := r.YMM(), r.YMM()
		r.Label(each)
		widenX(at(x, 0), left)
		for i, sum := range sums {
			from := operand.Mem{Base: at0, Index: row, Scale: uint8(i)}
			switch i {
			case 0:
				from = at(at0, 0)
			case 3:
				from = operand.Mem{Base: at0, Index: three, Scale: 1}
			}
			widenW(from, right)
			r.VPMADDWD(left, right, right)
			r.VPADDD(right, sum, sum)
		}
		r.ADDQ(operand.Imm(uint64(size)), x)
		r.ADDQ(operand.Imm(uint64(size)), at0)
		r.DECQ(k)
		r.JNZ(operand.LabelRef(each))
		for i, sum := range sums {
			r.VEXTRACTI128(operand.Imm(1), sum, right.AsX())
			r.VPADDD(right.AsX(), sum.AsX(), sum.AsX())
			for _, order := range []uint64{0b01_00_11_10, 0b10_11_00_01} {
				r.VPSHUFD(operand.Imm(order), sum.AsX(), right.AsX())
				r.VPADDD(right.AsX(), sum.AsX(), sum.AsX())
			}
			r.VMOVD(sum.AsX(), at(out, 4*i))
			r.ADDQ(row, w)
		}
		r.ADDQ(operand.Imm(uint64(4*many)), out)
		r.SUBQ(operand.Imm(uint64(many)), n)
		r.JMP(operand.LabelRef(next))
		r.Label(few)
	}
	done, bytes := r.label("done"), r.label("bytes")
	r.CMPQ(r.field("Words"), operand.Imm(0))
	r.JE(operand.LabelRef(bytes))
	rows(4, 32, words, words)
	rows(1, 32, words, words)
	r.JMP(operand.LabelRef(done))
	r.Label(bytes)
	for _, x := range []struct {
		field  int
		widenX widening
	}{{0, unsigned}, {1, signed}} {
		other := r.label("other")
		r.CMPQ(r.field("XSigned"), operand.Imm(uint64(x.field)))
		r.JNE(operand.LabelRef(other))
		for _, y := range []struct {
			field  int
			widenW widening
		}{{0, unsigned}, {1, signed}} {
			next := r.label("next")
			r.CMPQ(r.field("WSigned"), operand.Imm(uint64(y.field)))
			r.JNE(operand.LabelRef(next))
			rows(4, 16, x.widenX, y.widenW)
			rows(1, 16, x.widenX, y.widenW)
			r.JMP(operand.LabelRef(done))
			r.Label(next)
		}
		r.Label(other)
	}
	r.Label(done)
	r.end()
}

// pixels builds the routine that makes pixels of four planes of bytes, eight at a time, of bytes or of words. The last eight may be made twice.
func pixels(f *file, name string, bytes bool) {
	r := f.routine(name, "PixelsArgs")
	to, last, i := r.load("To"), r.load("N"), r.GP64()
	r.SUBQ(operand.Imm(8), last)
	planes := []reg.GPVirtual{r.load("A"), r.load("B"), r.load("C"), r.load("D")}
	change := r.YMM()
	r.VPBROADCASTD(r.field("Change"), change)
	store := func(half int, x reg.VecVirtual) { // four pixels
		r.VPXOR(change.AsX(), x.AsX(), x.AsX())
		r.VMOVDQU(x.AsX(), operand.Mem{Base: to, Index: i, Scale: 4, Disp: 16 * half})
	}
	eights := func() {
		row, next, done := r.label("row"), r.label("next"), r.label("done")
		r.Label(row)
		r.XORQ(i, i)
		r.Label(next)
		var x [4]reg.VecVirtual
		for k, plane := range planes {
			x[k] = r.YMM()
			r.VMOVQ(operand.Mem{Base: plane, Index: i, Scale: 1}, x[k].AsX())
		}
		r.VPUNPCKLBW(x[1].AsX(), x[0].AsX(), x[0].AsX())
		r.VPUNPCKLBW(x[3].AsX(), x[2].AsX(), x[2].AsX())
		r.VPUNPCKLWD(x[2].AsX(), x[0].AsX(), x[1].AsX())
		r.VPUNPCKHWD(x[2].AsX(), x[0].AsX(), x[3].AsX())
		store(0, x[1])
		store(1, x[3])
		r.CMPQ(i, last)
		r.JGE(operand.LabelRef(done))
		r.ADDQ(operand.Imm(8), i)
		r.CMPQ(i, last)
		r.JLE(operand.LabelRef(next))
		r.MOVQ(last, i)
		r.JMP(operand.LabelRef(next))
		r.Label(done)
		for _, plane := range planes {
			r.ADDQ(r.field("FromRow"), plane)
		}
		r.ADDQ(r.field("ToRow"), to)
		r.DECQ(r.field("Rows"))
		r.JNZ(operand.LabelRef(row))
	}
	if bytes {
		eights()
		r.end()
		return
	}
	widened := func(widen func(ops ...operand.Op)) {
		store = func(half int, x reg.VecVirtual) {
			widen(x.AsX(), x)
			r.VPSUBW(change, x, x)
			r.VMOVDQU(x, operand.Mem{Base: to, Index: i, Scale: 8, Disp: 32 * half})
		}
		eights()
	}
	signed, end := r.label("signed"), r.label("end")
	r.CMPQ(r.field("Signed"), operand.Imm(0))
	r.JNE(operand.LabelRef(signed))
	widened(func(ops ...operand.Op) { r.VPMOVZXBW(ops[0], ops[1]) })
	r.JMP(operand.LabelRef(end))
	r.Label(signed)
	widened(func(ops ...operand.Op) { r.VPMOVSXBW(ops[0], ops[1]) })
	r.Label(end)
	r.end()
}
