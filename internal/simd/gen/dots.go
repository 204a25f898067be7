package main

import (
	"fmt"
	"strconv"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dots builds the routines of tiles of integer products, for each number of pixels and blocks of 16 channels that fits the registers: of words, and of
// bytes where there are dot products of these, or, with vectors of 256 bits, of pairs of bytes.
func dots(f *file) {
	pixels, blocks := []int{6, 5, 4, 3, 2, 1}, 1
	if f.isa.wide() {
		pixels, blocks = []int{14, 10, 7, 4, 2, 1}, 2
	}
	f.dotTiles("Dots", pixels, blocks, dotTile{})
	if !f.isa.vnni {
		f.dotTiles("DepthDots", pixels, 1, dotTile{depth: true})
	}
	copyRows(f, "CopyRows", false)
	pixelsOfPlanes(f, "Pixels", false)
	if f.isa.vnni {
		f.dotTiles("DotsBytes", pixels, blocks, dotTile{ofBytes: true})
		f.dotTiles("DepthDotsBytes", pixels, 1, dotTile{ofBytes: true, depth: true})
	} else if !f.isa.wide() {
		f.dotTiles("PairDots", []int{5, 4, 3, 2, 1}, 1, dotTile{ofBytes: true, pairs: true})
		f.dotTiles("NarrowPairDots", []int{10, 8, 6, 4, 3, 2, 1}, 1, dotTile{ofBytes: true, pairs: true, narrow: true})
	}
	if f.isa.vnni || !f.isa.wide() {
		copyRows(f, "CopyRowsBytes", true)
		pixelsOfPlanes(f, "PixelsBytes", true)
	}
	if !f.isa.vnni {
		copyPairs(f)
		rowDots(f)
	}
	if !f.isa.wide() {
		pairRows(f)
	}
}

// dotTiles builds the routines of a list, which are all of a kind.
func (f *file) dotTiles(list string, pixels []int, blocks int, kind dotTile) {
	for ; blocks > 0; blocks-- {
		for _, n := range pixels {
			t, shape := kind, strconv.Itoa(n)
			if t.pixels, t.blocks = n, blocks; !t.depth && !t.pairs {
				shape += fmt.Sprintf("x%d", blocks)
			}
			t.routine = f.tileRoutine(list, shape, "DotsArgs", "DotTile", n, blocks)
			t.build()
		}
	}
}

// dotTile is a routine of tiles: of each pixel the sums of its channels in several vectors.
type dotTile struct {
	*routine
	pixels, blocks int
	ofBytes        bool               // whether dwords are four bytes; else they are two words
	pairs          bool               // whether dwords are two pairs of bytes, chosen of sixteen; or
	narrow         bool               // whether only the first half of the channels are computed; what is stored of the others is the same
	depth          bool               // whether they are those of neighbours in a channel
	sums           [][]reg.VecVirtual // by pixel and vector
	x              thirds             // the pixels of the input
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
		t.x.bases = append(t.x.bases, t.GP64())
	}
	add := t.adding()
	t.x.step = t.load("XPixel")
	t.x.third = t.GP64()
	tile := t.GP64()
	t.LEAQ(strided(t.x.step, 2, 0, t.x.step), t.x.third)
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
	t.nextRowBy(rows, [2]string{"X", "XRow"}, [2]string{"Out", "OutRow"})
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
		t.loop(t.label("step"), steps, func() {
			t.MOVQ(at(offsets, 0), t.x.bases[0])
			t.setBases(first)
			size := build(w, beyond)
			t.ADDQ(operand.Imm(8), offsets)
			t.ADDQ(operand.U32(uint32(size)), w)
		})
	}}
}

// setBases sets the bases, of which the first one is the offset from the first pixel.
func (t *dotTile) setBases(first operand.Op) {
	t.ADDQ(first, t.x.bases[0])
	t.follow(&t.x)
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
				t.VPBROADCASTD(t.x.at(p, 4*g), x)
				for v, weight := range weights {
					t.dot(x, weight, product, sums[v])
				}
			}
		}
		return 4 * size
	}
}

// inDepth returns what builds a step in which each channel has a dword of neighbours of its own: four pixels of bytes, or two of words, which lie together.
func (t *dotTile) inDepth() func(w, _ reg.GPVirtual) int {
	weights, x := t.vectors(t.vectorsOf()), t.vector()
	if !t.ofBytes {
		return func(w, _ reg.GPVirtual) int {
			t.loadWeights(weights, w, 0)
			for p, sums := range t.sums {
				for v, weight := range weights {
					t.dot(weight, t.x.at(p, v*t.isa.bytes), x, sums[v])
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
			t.VPERMD(t.x.at(p, 0), order, x)
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
	t.either(t.JNE, words, done, func() {
		t.eachPixel(block, func(sums []reg.VecVirtual) { t.store(sums, 1, block) })
	}, func() {
		t.eachPixel(block, func(sums []reg.VecVirtual) { t.store(sums, 2, block) })
	})
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
