package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// convTiles lists the tiles of convolutions: pixels and channels. Loading the weights and the pixels should take less time than the
// multiply-adds; all sums, the weights of a channel and one element of the input must have registers.
func convTiles(i *isa) [][2]int {
	if i.wide() {
		return [][2]int{{14, 32}, {7, 32}, {14, 16}}
	}
	return [][2]int{{6, 16}, {4, 16}, {14, 8}, {14, 4}}
}

// conv builds the routines of convolution, one for each tile.
func conv(f *file) {
	if f.isa.vnni {
		return
	}
	for _, t := range convTiles(f.isa) {
		narrow := *f.isa
		narrow.bytes = min(f.isa.bytes, 4*t[1]) // a tile of fewer channels than a vector has takes less than a vector
		g := *f
		g.isa = &narrow
		convTile(&g, t[0], t[1])
	}
}

// convolution is a routine that is built.
type convolution struct {
	*tile
	weights []reg.VecVirtual // of one channel
	element reg.VecVirtual   // of one channel and pixel
	in      reg.GPVirtual    // the address of a block of the input
	filter  reg.GPVirtual    // the address of the block's weights
	tap     reg.GPVirtual    // the address of a ConvTap
	weight  reg.GPVirtual    // the address of the tap's weights
	bases   []reg.GPVirtual  // the addresses of every third pixel
	step    reg.GPVirtual    // bytes between pixels
	third   reg.GPVirtual    // bytes between every third pixel
	count   reg.GPVirtual
}

func convTile(f *file, pixels, channels int) {
	r, vectors := f.tileRoutine("Conv", fmt.Sprintf("%dx%d", pixels, channels), "ConvArgs", "ConvTile", pixels, channels), channels/f.isa.lanes()
	c := &convolution{weights: r.vectors(vectors), element: r.vector(), in: r.GP64(), filter: r.GP64(), tap: r.GP64(), weight: r.GP64(), count: r.GP64(),
		step: r.load("PixelStep"), third: r.GP64()}
	c.tile = &tile{routine: r, spare: append(c.weights[:vectors:vectors], c.element), blocked: true,
		step: r.field("OutStep"), blockStep: r.field("BlockStep")}
	for range pixels {
		c.sums = append(c.sums, r.vectors(vectors))
	}
	for p := 0; p < pixels; p += 3 {
		c.bases = append(c.bases, r.GP64())
	}
	r.LEAQ(operand.Mem{Base: c.step, Index: c.step, Scale: 2}, c.third)

	r.Label("tile")
	c.begin()
	r.MOVQ(r.field("Table"), c.tap)
	r.MOVQ(at(c.tap, 0), c.count)
	r.TESTQ(c.count, c.count)
	r.JZ(operand.LabelRef("done"))
	r.ADDQ(c.tap, c.count)
	r.MOVQ(c.count, r.field("LastTap"))
	r.MOVQ(r.field("In"), c.in)
	r.MOVQ(r.field("Weights"), c.filter)
	r.MOVQ(r.field("Blocks"), c.count)
	r.MOVQ(c.count, r.field("BlocksLeft"))
	r.TESTQ(c.count, c.count)
	r.JZ(operand.LabelRef("rest"))

	// Whole blocks take nearly all of the time. There are few instructions beside their multiply-adds, which count where two threads share a core.
	r.Label("block")
	r.MOVQ(r.field("Table"), c.tap)
	r.Label("tap")
	c.find(func() { r.SHLQ(operand.U8(bits.Len(uint(16*4*channels))-1), c.weight) }, "some")
	r.Label("near")
	r.CMPQ(r.field("Ahead"), operand.U8(0))
	r.JNE(operand.LabelRef("ahead"))
	r.Label("at_tap")
	c.block()
	c.next("next", "tap")
	r.CMPQ(r.field("Alone"), operand.U8(0))
	r.JE(operand.LabelRef("not_alone"))
	for _, b := range c.bases {
		r.ADDQ(r.field("InStep"), b)
	}
	r.ADDQ(r.field("WeightsStep"), c.weight)
	r.DECQ(r.field("BlocksLeft"))
	r.JNZ(operand.LabelRef("near"))
	r.JMP(operand.LabelRef("done"))
	r.Label("not_alone")
	r.ADDQ(r.field("InStep"), c.in)
	r.ADDQ(r.field("WeightsStep"), c.filter)
	r.DECQ(r.field("BlocksLeft"))
	r.JNZ(operand.LabelRef("block"))
	r.Label("rest")
	r.CMPQ(r.field("Rest"), operand.U8(0))
	r.JNE(operand.LabelRef("rest_begin"))
	r.Label("done")
	c.rows = c.GP64()
	c.MOVQ(c.field("Pixels"), c.rows)
	c.finish(c.load("Steps"), c.load("Out"))

	for _, forth := range [][2]string{{"PixelStep", "In"}, {"OutStep", "Out"}} {
		d := r.load(forth[0])
		r.IMUL3Q(operand.U8(pixels), d, d)
		r.ADDQ(d, r.field(forth[1]))
	}
	table := r.load("TableStep")
	r.ADDQ(table, r.field("Table"))
	r.DECQ(r.field("Tiles"))
	r.JNZ(operand.LabelRef("tile"))
	r.end()

	r.Label("more")
	c.more()
	r.JMP(operand.LabelRef("begun"))

	r.Label("ahead")
	c.ahead()
	r.JMP(operand.LabelRef("at_tap"))
	r.Label("some")
	r.LEAQ(r.field("Whole"), c.count)
	r.MOVQ(c.count, r.field("Now"))
	r.Label("some_of_rest")
	c.channels("some", true)
	r.CMPQ(r.field("BlocksLeft"), operand.U8(0))
	r.JG(operand.LabelRef("next"))
	r.JMP(operand.LabelRef("next_of_rest"))

	r.Label("rest_begin") // where BlocksLeft counts up to 0
	r.MOVQ(r.field("Rest"), c.count)
	r.SUBQ(c.count, r.field("BlocksLeft"))
	r.Label("block_of_rest")
	r.LEAQ(r.field("Whole"), c.count)
	r.CMPQ(r.field("BlocksLeft"), operand.I8(-1))
	r.JNE(operand.LabelRef("counts"))
	r.LEAQ(r.field("Last"), c.count)
	r.Label("counts")
	r.MOVQ(c.count, r.field("Now"))
	r.MOVQ(r.field("Table"), c.tap)
	r.CMPQ(c.counts("Three"), operand.U8(0))
	r.JNE(operand.LabelRef("tap_of_three"))
	r.Label("tap_of_rest")
	c.find(func() {
		r.MOVQ(r.field("Now"), c.count)
		r.IMULQ(c.counts("TapBytes"), c.weight)
	}, "some_of_rest")
	c.channels("all", false)
	c.next("next_of_rest", "tap_of_rest")
	r.Label("block_end")
	r.ADDQ(r.field("InStep"), c.in)
	r.ADDQ(r.field("WeightsStep"), c.filter)
	r.INCQ(r.field("BlocksLeft"))
	r.JNZ(operand.LabelRef("block_of_rest"))
	r.JMP(operand.LabelRef("done"))

	// Planes of red, green and blue, which are too few channels for loops.
	r.Label("tap_of_three")
	c.find(func() { r.IMUL3Q(operand.U32(3*vectors*r.isa.bytes), c.weight, c.weight) }, "some_of_three")
	c.three(false)
	c.next("next_of_three", "tap_of_three")
	r.JMP(operand.LabelRef("block_end"))
	r.Label("some_of_three")
	c.three(true)
	r.JMP(operand.LabelRef("next_of_three"))
}

// find leads to the next tap: to its elements, and by the number that is in weight to its weights. It goes to a label if some pixels do not take it.
func (c *convolution) find(multiply func(), some string) {
	c.ADDQ(operand.U8(16), c.tap)
	c.MOVL(at(c.tap, 8), c.weight.As32())
	c.MOVQ(at(c.tap, 0), c.bases[0])
	multiply()
	c.ADDQ(c.in, c.bases[0])
	c.ADDQ(c.filter, c.weight)
	for i, b := range c.bases[1:] {
		c.LEAQ(operand.Mem{Base: c.bases[i], Index: c.third, Scale: 1}, b)
	}
	c.CMPL(at(c.tap, 12), operand.U32(1<<len(c.sums)-1))
	c.JNE(operand.LabelRef(some))
}

// next goes to a label if there is another tap.
func (c *convolution) next(label, tap string) {
	c.Label(label)
	c.CMPQ(c.tap, c.field("LastTap"))
	c.JNE(operand.LabelRef(tap))
}

// three adds the products of a tap of three channels.
func (c *convolution) three(some bool) {
	pixels := c.some(some)
	for channel := range 3 {
		if channel > 0 {
			c.nextPlane()
		}
		c.channel(channel, 0, pixels)
	}
}

// nextPlane leads from a channel to the next one where they lie apart.
func (c *convolution) nextPlane() {
	for _, b := range c.bases {
		c.ADDQ(c.field("ChannelStep"), b)
	}
}

// counts returns the memory of a field of the block's ConvCounts, whose address c.count holds.
func (c *convolution) counts(field string) operand.Mem {
	return at(c.count, c.file.args.offset("ConvCounts", field))
}

// begin sets which pixels the tile has, and the sums.
func (c *convolution) begin() {
	c.rows = c.GP64()
	c.MOVQ(operand.U32(1<<len(c.sums)-1), c.rows)
	c.CMPQ(c.field("Tiles"), operand.U8(1))
	c.JNE(operand.LabelRef("pixels"))
	c.MOVQ(c.field("LastPixels"), c.rows)
	c.Label("pixels")
	c.MOVQ(c.rows, c.field("Pixels"))
	c.CMPQ(c.field("First"), operand.U8(0))
	c.JE(operand.LabelRef("more"))
	c.clear()
	c.Label("begun")
	addend := c.load("Addend")
	c.TESTQ(addend, addend)
	c.JZ(operand.LabelRef("no_addend"))
	c.ADDQ(c.field("Out"), addend)
	c.places(addend, func(_ reg.VecVirtual, place operand.Mem) {
		if place.Disp%64 == 0 {
			c.PREFETCHT0(place)
		}
	})
	c.Label("no_addend")
}

// more begins the sums with what the result holds.
func (c *convolution) more() {
	c.rows = c.GP64()
	c.MOVQ(c.field("Pixels"), c.rows)
	c.CMPL(c.rows.As32(), operand.U32(1<<len(c.sums)-1))
	c.JE(operand.LabelRef("stored"))
	c.clear() // also those of pixels that there are not, which would be searched for NaN
	c.Label("stored")
	c.places(c.load("Out"), func(sum reg.VecVirtual, place operand.Mem) { c.VMOVUPS(place, sum) })
}

// clear sets the sums to zero.
func (c *convolution) clear() { c.each(func(_ int, sum reg.VecVirtual) { c.VPXOR512(sum) }) }

// ahead fetches weights that are needed later, and what the tap will meet in the next line. They come into the nearest cache: what is fetched only
// into the second one arrives later, where it has to come from memory.
func (c *convolution) ahead() {
	c.CMPQ(c.field("FetchTaps"), operand.U8(0))
	c.JE(operand.LabelRef("fetched"))
	lines := 4 * max(len(c.weights)*c.isa.bytes/64, 1)
	c.MOVQ(c.field("Fetch"), c.count)
	for i := range lines {
		c.PREFETCHT0(at(c.count, 64*i))
	}
	c.ADDQ(operand.U32(64*lines), c.field("Fetch"))
	c.DECQ(c.field("FetchTaps"))
	c.JNZ(operand.LabelRef("fetched"))
	c.MOVQ(c.field("NextLine"), c.count)
	c.MOVQ(c.count, c.field("Ahead"))
	c.Label("fetched")
	c.MOVQ(c.field("NextLine"), c.count)
	c.TESTQ(c.count, c.count)
	c.JZ(operand.LabelRef("at_tap"))
	for p, base := range c.bases {
		c.ADDQ(base, c.count)
		for i := range min(3, len(c.sums)-3*p) {
			place := at(c.count, 0)
			if i > 0 {
				place.Index, place.Scale = c.step, uint8(i)
			}
			c.PREFETCHT0(place)
		}
		c.SUBQ(base, c.count)
	}
}

// channels adds the products of a tap of so many channels as Now says: of all pixels, or of some.
func (c *convolution) channels(name string, some bool) {
	pixels := c.some(some)
	for _, part := range []struct {
		field    string
		channels int
	}{{"Quads", 4}, {"Ones", 1}} {
		loop, done := c.label(name), c.label(name+"_done")
		c.MOVQ(c.field("Now"), c.count)
		c.MOVQ(c.counts(part.field), c.count)
		c.TESTQ(c.count, c.count)
		c.JZ(operand.LabelRef(done))
		c.Label(loop)
		for channel := range part.channels {
			c.channel(channel, 4*channel, pixels)
		}
		if part.channels == 1 {
			c.nextPlane()
		} else {
			for _, b := range c.bases {
				c.ADDQ(operand.U8(16), b)
			}
		}
		c.ADDQ(operand.U32(part.channels*len(c.weights)*c.isa.bytes), c.weight)
		c.DECQ(c.count)
		c.JNZ(operand.LabelRef(loop))
		c.Label(done)
	}
}

// some returns a register with a bit for each pixel that takes the tap, if that need not be all.
func (c *convolution) some(some bool) reg.GPVirtual {
	if !some {
		return nil
	}
	pixels := c.GP64()
	c.MOVL(at(c.tap, 12), pixels.As32())
	return pixels
}

// block adds the products of a tap of a whole block of channels for all pixels. Where there are registers for it, those of the last channels are added
// pixel by pixel: then sums are complete one after the other, and what becomes of the first ones takes no time from those that follow.
func (c *convolution) block() {
	const last = 4
	var weights [][]reg.VecVirtual
	if vectors := len(c.weights); c.isa.wide() && (len(c.sums)+last)*vectors < 32 {
		for range last {
			weights = append(weights, c.vectors(vectors))
		}
	}
	for channel := range 16 - len(weights) {
		c.channel(channel, 4*channel, nil)
	}
	for i, list := range weights {
		for v, w := range list {
			c.VMOVUPS(at(c.weight, ((16-last+i)*len(list)+v)*c.isa.bytes), w)
		}
	}
	for p, sums := range c.sums {
		for i, list := range weights {
			for v, w := range list {
				c.VFMADD231PS_BCST(c.pixel(p, 4*(16-last+i)), w, sums[v])
			}
		}
	}
}

// pixel returns the memory of an element of a pixel, so many bytes behind its first one.
func (c *convolution) pixel(p, bytes int) operand.Mem {
	place := operand.Mem{Base: c.bases[p/3], Disp: bytes}
	if p%3 > 0 {
		place.Index, place.Scale = c.step, uint8(p%3)
	}
	return place
}

// channel adds the products of a channel, whose elements lie so many bytes from the addresses, of all pixels or of those that have a bit.
func (c *convolution) channel(channel, bytes int, pixels reg.GPVirtual) {
	for v, w := range c.weights {
		c.VMOVUPS(at(c.weight, (channel*len(c.weights)+v)*c.isa.bytes), w)
	}
	for p, sums := range c.sums {
		skip := ""
		if pixels != nil {
			skip = c.label("skip")
			c.TESTL(operand.U32(1<<p), pixels.As32())
			c.JZ(operand.LabelRef(skip))
		}
		place := c.pixel(p, bytes)
		if c.isa.wide() && len(sums) == 1 {
			c.VFMADD231PS_BCST(place, c.weights[0], sums[0])
		} else {
			c.VBROADCASTSS(place, c.element)
			for v, sum := range sums {
				c.VFMADD231PS(c.weights[v], c.element, sum)
			}
		}
		if pixels != nil {
			c.Label(skip)
		}
	}
}
