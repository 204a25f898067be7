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
	pixels  thirds           // of the input
	count   reg.GPVirtual
}

func convTile(f *file, pixels, channels int) {
	r, vectors := f.tileRoutine("Conv", fmt.Sprintf("%dx%d", pixels, channels), "ConvArgs", "ConvTile", pixels, channels), channels/f.isa.lanes()
	c := &convolution{weights: r.vectors(vectors), element: r.vector(), in: r.GP64(), filter: r.GP64(), tap: r.GP64(), weight: r.GP64(), count: r.GP64(),
		pixels: thirds{step: r.load("PixelStep"), third: r.GP64()}}
	c.tile = &tile{routine: r, spare: append(c.weights[:vectors:vectors], c.element), blocked: true,
		step: r.field("OutStep"), blockStep: r.field("BlockStep")}
	for range pixels {
		c.sums = append(c.sums, r.vectors(vectors))
	}
	for p := 0; p < pixels; p += 3 {
		c.pixels.bases = append(c.pixels.bases, r.GP64())
	}
	r.LEAQ(strided(c.pixels.step, 2, 0, c.pixels.step), c.pixels.third)

	r.loop("tile", r.field("Tiles"), func() {
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
		r.unless(r.JZ, "rest", func() { c.wholeBlocks(channels) })
		r.CMPQ(r.field("Rest"), operand.U8(0))
		r.JNE(operand.LabelRef("rest_begin"))
		r.cold("rest_begin", "done", c.restOfBlocks)
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
	})
	r.end()
}

// wholeBlocks adds the products of blocks of 16 channels, and goes to the label done where there is one tap. They take nearly all of the time: there are
// few instructions beside the multiply-adds, which count where two threads share a core.
func (c *convolution) wholeBlocks(channels int) {
	c.loop("block", c.field("BlocksLeft"), func() {
		c.MOVQ(c.field("Table"), c.tap)
		c.Label("tap")
		c.find(func() { c.SHLQ(operand.U8(bits.Len(uint(16*4*channels))-1), c.weight) })
		c.JNE(operand.LabelRef("some"))
		c.loop("near", c.field("BlocksLeft"), func() {
			c.CMPQ(c.field("Ahead"), operand.U8(0))
			c.JNE(operand.LabelRef("ahead"))
			c.cold("ahead", "at_tap", func() { c.ahead("at_tap") })
			c.Label("at_tap")
			c.block()
			c.next("next", "tap")
			c.CMPQ(c.field("Alone"), operand.U8(0))
			c.JE(operand.LabelRef("not_alone"))
			for _, b := range c.pixels.bases {
				c.ADDQ(c.field("InStep"), b)
			}
			c.ADDQ(c.field("WeightsStep"), c.weight)
		})
		c.JMP(operand.LabelRef("done"))
		c.Label("not_alone")
		c.nextBlock()
	})
	c.cold("some", "next_of_rest", func() {
		c.LEAQ(c.field("Whole"), c.count)
		c.MOVQ(c.count, c.field("Now"))
		c.Label("some_of_rest") // from there, too
		c.channels("some", true)
		c.CMPQ(c.field("BlocksLeft"), operand.U8(0))
		c.JG(operand.LabelRef("next"))
	})
}

// restOfBlocks adds the products of the blocks behind those, which BlocksLeft counts up to 0.
func (c *convolution) restOfBlocks() {
	c.MOVQ(c.field("Rest"), c.count)
	c.SUBQ(c.count, c.field("BlocksLeft"))
	c.Label("block_of_rest")
	c.LEAQ(c.field("Whole"), c.count)
	c.CMPQ(c.field("BlocksLeft"), operand.I8(-1))
	c.unless(c.JNE, "counts", func() { c.LEAQ(c.field("Last"), c.count) })
	c.MOVQ(c.count, c.field("Now"))
	c.MOVQ(c.field("Table"), c.tap)
	c.CMPQ(c.counts("Three"), operand.U8(0))
	c.JNE(operand.LabelRef("tap_of_three"))
	c.cold("tap_of_three", "block_end", c.planesOfColors)
	c.Label("tap_of_rest")
	c.find(func() {
		c.MOVQ(c.field("Now"), c.count)
		c.IMULQ(c.counts("TapBytes"), c.weight)
	})
	c.JNE(operand.LabelRef("some_of_rest"))
	c.channels("all", false)
	c.next("next_of_rest", "tap_of_rest")
	c.Label("block_end")
	c.nextBlock()
	c.INCQ(c.field("BlocksLeft"))
	c.JNZ(operand.LabelRef("block_of_rest"))
}

// planesOfColors adds the products of planes of red, green and blue, which are too few channels for loops.
func (c *convolution) planesOfColors() {
	c.find(func() { c.IMUL3Q(operand.U32(3*len(c.weights)*c.isa.bytes), c.weight, c.weight) })
	c.JNE(operand.LabelRef("some_of_three"))
	c.cold("some_of_three", "next_of_three", func() { c.three(true) })
	c.three(false)
	c.next("next_of_three", "tap_of_three")
}

// nextBlock leads to the next block of channels.
func (c *convolution) nextBlock() {
	c.ADDQ(c.field("InStep"), c.in)
	c.ADDQ(c.field("WeightsStep"), c.filter)
}

// find leads to the next tap: to its elements, and by the number that is in weight to its weights. Then flags say whether all pixels take it.
func (c *convolution) find(multiply func()) {
	c.ADDQ(operand.U8(16), c.tap)
	c.MOVL(at(c.tap, 8), c.weight.As32())
	c.MOVQ(at(c.tap, 0), c.pixels.bases[0])
	multiply()
	c.ADDQ(c.in, c.pixels.bases[0])
	c.ADDQ(c.filter, c.weight)
	c.follow(&c.pixels)
	c.CMPL(at(c.tap, 12), operand.U32(1<<len(c.sums)-1))
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
	for _, b := range c.pixels.bases {
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
	c.unless(c.JNE, "pixels", func() { c.MOVQ(c.field("LastPixels"), c.rows) })
	c.MOVQ(c.rows, c.field("Pixels"))
	c.CMPQ(c.field("First"), operand.U8(0))
	c.JE(operand.LabelRef("more"))
	c.cold("more", "begun", c.more)
	c.clearSums()
	c.Label("begun")
	addend := c.load("Addend")
	c.TESTQ(addend, addend)
	c.unless(c.JZ, "no_addend", func() {
		c.ADDQ(c.field("Out"), addend)
		c.places(addend, func(_ reg.VecVirtual, place operand.Mem) {
			if place.Disp%64 == 0 {
				c.PREFETCHT0(place)
			}
		})
	})
}

// more begins the sums with what the result holds.
func (c *convolution) more() {
	c.rows = c.GP64()
	c.MOVQ(c.field("Pixels"), c.rows)
	c.CMPL(c.rows.As32(), operand.U32(1<<len(c.sums)-1))
	c.unless(c.JE, "stored", func() {
		c.clearSums() // also those of pixels that there are not, which would be searched for NaN
	})
	c.places(c.load("Out"), func(sum reg.VecVirtual, place operand.Mem) { c.VMOVUPS(place, sum) })
}

// clearSums sets the sums to zero.
func (c *convolution) clearSums() { c.each(func(_ int, sum reg.VecVirtual) { c.clear(sum) }) }

// ahead fetches weights that are needed later, and what the tap will meet in the next line. They come into the nearest cache: what is fetched only
// into the second one arrives later, where it has to come from memory. It goes to a label
// if there is no such line.
func (c *convolution) ahead(done string) {
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
	c.JZ(operand.LabelRef(done))
	for p, base := range c.pixels.bases {
		c.ADDQ(base, c.count)
		for i := range min(3, len(c.sums)-3*p) {
			c.PREFETCHT0(strided(c.count, i, 0, c.pixels.step))
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
		c.unless(c.JZ, done, func() {
			c.loop(loop, c.count, func() {
				for channel := range part.channels {
					c.channel(channel, 4*channel, pixels)
				}
				if part.channels == 1 {
					c.nextPlane()
				} else {
					for _, b := range c.pixels.bases {
						c.ADDQ(operand.U8(16), b)
					}
				}
				c.ADDQ(operand.U32(part.channels*len(c.weights)*c.isa.bytes), c.weight)
			})
		})
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
				c.VFMADD231PS_BCST(c.pixels.at(p, 4*(16-last+i)), w, sums[v])
			}
		}
	}
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
		place := c.pixels.at(p, bytes)
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
