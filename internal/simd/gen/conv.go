package main

import (
	"fmt"

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
	bases   []reg.GPVirtual  // the addresses of every third pixel
	step    reg.GPVirtual    // bytes between pixels
	weight  reg.GPVirtual    // the address of the weights
	pixels  reg.GPVirtual    // a bit for each pixel that takes the tap
	count   reg.GPVirtual
	fetched reg.GPVirtual // the address of the weights that are to be fetched
}

func convTile(f *file, pixels, channels int) {
	r, vectors := f.routine(fmt.Sprintf("conv%dx%d", pixels, channels), "ConvArgs"), channels/f.isa.lanes()
	c := &convolution{weights: r.vectors(vectors), element: r.vector(), step: r.load("PixelStep"), weight: r.GP64(), pixels: r.GP64(), count: r.GP64()}
	c.tile = &tile{routine: r, spare: append(c.weights[:vectors:vectors], c.element), blocked: true,
		step: r.field("OutStep"), blockStep: r.field("BlockStep")}
	for range pixels {
		c.sums = append(c.sums, r.vectors(vectors))
	}
	for p := 0; p < pixels; p += 3 {
		c.bases = append(c.bases, r.GP64())
	}
	c.fetched = r.load("Fetch")

	r.Label("tile")
	c.begin()
	in, weights, tap := r.load("In"), r.load("Weights"), r.GP64()
	c.move("Blocks", "BlocksLeft")
	r.Label("block")
	r.LEAQ(r.field("Whole"), c.count)
	r.CMPQ(r.field("BlocksLeft"), operand.U8(1))
	r.JNE(operand.LabelRef("taps"))
	r.LEAQ(r.field("Last"), c.count)
	r.Label("taps")
	r.MOVQ(c.count, r.field("Now"))
	r.MOVQ(r.field("Table"), tap)
	r.MOVQ(at(tap, 0), c.count)
	r.MOVQ(c.count, r.field("TapsLeft"))
	r.TESTQ(c.count, c.count)
	r.JZ(operand.LabelRef("no_taps"))
	r.MOVQ(r.field("Now"), c.count)
	r.CMPQ(c.counts("Three"), operand.U8(0))
	r.JNE(operand.LabelRef("tap_of_three"))
	tapOf := func(label string, multiply, fetch func(), some string) {
		r.Label(label)
		r.ADDQ(operand.U8(16), tap)
		r.MOVL(at(tap, 8), c.weight.As32())
		multiply()
		r.ADDQ(weights, c.weight)
		r.MOVQ(at(tap, 0), c.bases[0])
		r.ADDQ(in, c.bases[0])
		for i, b := range c.bases[1:] {
			r.LEAQ(operand.Mem{Base: c.bases[i], Index: c.step, Scale: 2}, b)
			r.ADDQ(c.step, b)
		}
		fetch()
		r.MOVL(at(tap, 12), c.pixels.As32())
		r.CMPL(c.pixels.As32(), operand.U32(1<<pixels-1))
		r.JNE(operand.LabelRef(some))
	}
	next := func(label, tap string) {
		r.Label(label)
		r.DECQ(r.field("TapsLeft"))
		r.JNZ(operand.LabelRef(tap))
	}
	tapOf("tap", func() {
		r.MOVQ(r.field("Now"), c.count)
		r.IMULQ(c.counts("TapBytes"), c.weight)
	}, c.fetchNext, "some")
	r.MOVQ(r.field("Now"), c.count)
	r.CMPQ(c.counts("Quads"), operand.U8(4))
	r.JNE(operand.LabelRef("part"))
	c.block()
	next("next", "tap")
	r.Label("no_taps")
	r.ADDQ(r.field("InStep"), in)
	r.ADDQ(r.field("WeightsStep"), weights)
	r.DECQ(r.field("BlocksLeft"))
	r.JNZ(operand.LabelRef("block"))
	c.finish()

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
	r.Label("some") // apart from what is met most
	c.channels("some", true)
	r.JMP(operand.LabelRef("next"))
	r.Label("part")
	c.channels("all", false)
	r.JMP(operand.LabelRef("next"))

	// Planes of red, green and blue, which are too few channels for loops.
	tapOf("tap_of_three", func() { r.IMUL3Q(operand.U32(3*vectors*r.isa.bytes), c.weight, c.weight) }, func() {}, "some_of_three")
	c.three(false)
	next("next_of_three", "tap_of_three")
	r.JMP(operand.LabelRef("no_taps"))
	r.Label("some_of_three")
	c.three(true)
	r.JMP(operand.LabelRef("next_of_three"))
}

// three adds the products of a tap of three channels.
func (c *convolution) three(some bool) {
	for channel := range 3 {
		if channel > 0 {
			c.nextPlane()
		}
		c.channel(channel, 0, some)
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

// move copies a field to another.
func (c *convolution) move(from, to string) {
	r := c.load(from)
	c.MOVQ(r, c.field(to))
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
	c.each(func(_ int, sum reg.VecVirtual) { c.VPXOR512(sum) }) // also those of pixels that there are not, which would be searched for NaN
	c.CMPQ(c.field("First"), operand.U8(0))
	c.JNE(operand.LabelRef("begun"))
	out := c.load("Out")
	c.places(out, func(sum reg.VecVirtual, place operand.Mem) { c.VMOVUPS(place, sum) })
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

// fetchNext fetches what the tap will meet in the next line. It, and the weights, come into the nearest cache: what is fetched only into the second
// one arrives later, where it has to come from memory.
func (c *convolution) fetchNext() {
	next := c.load("NextLine")
	c.TESTQ(next, next)
	c.JZ(operand.LabelRef("no_line"))
	for p, base := range c.bases {
		c.ADDQ(base, next)
		for i := range min(3, len(c.sums)-3*p) {
			place := at(next, 0)
			if i > 0 {
				place.Index, place.Scale = c.step, uint8(i)
			}
			c.PREFETCHT0(place)
		}
		c.SUBQ(base, next)
	}
	c.Label("no_line")
}

// lines returns how many lines of weights are fetched with four channels.
func (c *convolution) lines() int { return max(len(c.weights)*c.isa.bytes/64, 1) }

// channels adds the products of a tap: of all pixels, or of some.
func (c *convolution) channels(name string, some bool) {
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
			c.channel(channel, 4*channel, some)
		}
		if part.channels == 1 {
			c.nextPlane()
		} else {
			for i := range c.lines() {
				c.PREFETCHT0(at(c.fetched, 64*i))
			}
			c.ADDQ(c.field("FetchStep"), c.fetched)
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

// block adds the products of a tap of a whole block of channels: as channels does, with fewer instructions beside the multiply-adds.
func (c *convolution) block() {
	for channel := range 16 {
		c.channel(channel, 4*channel, false)
		if channel%4 == 3 {
			for i := range c.lines() {
				c.PREFETCHT0(at(c.fetched, 64*(channel/4*c.lines()+i)))
			}
		}
	}
	c.MOVQ(c.field("FetchStep"), c.count)
	c.LEAQ(operand.Mem{Base: c.fetched, Index: c.count, Scale: 4}, c.fetched)
}

// channel adds the products of a channel, whose elements lie so many bytes from the addresses.
func (c *convolution) channel(channel, bytes int, some bool) {
	for v, w := range c.weights {
		c.VMOVUPS(at(c.weight, (channel*len(c.weights)+v)*c.isa.bytes), w)
	}
	for p, sums := range c.sums {
		skip := ""
		if some {
			skip = c.label("skip")
			c.TESTL(operand.U32(1<<p), c.pixels.As32())
			c.JZ(operand.LabelRef(skip))
		}
		place := operand.Mem{Base: c.bases[p/3], Disp: bytes}
		if p%3 > 0 {
			place.Index, place.Scale = c.step, uint8(p%3)
		}
		if c.isa.wide() && len(sums) == 1 {
			c.VFMADD231PS_BCST(place, c.weights[0], sums[0])
		} else {
			c.VBROADCASTSS(place, c.element)
			for v, sum := range sums {
				c.VFMADD231PS(c.weights[v], c.element, sum)
			}
		}
		if some {
			c.Label(skip)
		}
	}
}

// finish takes the steps of the tail and writes the sums.
func (c *convolution) finish() {
	c.rows = c.GP64()
	c.MOVQ(c.field("Pixels"), c.rows)
	steps, out := c.load("Steps"), c.load("Out")
	c.TESTQ(steps, steps)
	c.JZ(operand.LabelRef("write"))
	c.tail(steps, out)
	c.Label("write")
	c.places(out, func(sum reg.VecVirtual, place operand.Mem) { c.VMOVUPS(sum, place) })
}
