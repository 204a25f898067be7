package kernel

import (
	"unsafe"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// The working memory of a convolution by dot products: what sums begin with and the multipliers, for the channels of a chunk; bytes of pairs that
// are chosen; then a strip.
const (
	initAt       = 0
	multiplierAt = initAt + 2*64
	chosenAt     = multiplierAt + 2*64
	stripAt      = chosenAt + simd.PairsChosen
)

// dotsAtOnce is how many operations the dot products of a step with a pixel and a block count as, which are fast.
const dotsAtOnce = 32

// scratch returns how many bytes of working memory a worker needs.
func (d *dotConv) scratch() int {
	if d.Direct {
		return stripAt
	}
	if d.Wide {
		_, _, _, end := d.wideAt()
		return end
	}
	if d.product {
		return d.partAt() + d.Columns*2*64
	}
	return stripAt + d.stripSize()
}

// partAt is where in the working memory the sums are of a chunk that has fewer columns than the blocks of a product.
func (d *dotConv) partAt() int { return (stripAt + d.stripSize() + 63) &^ 63 }

// blocksOf returns the number of blocks of output channels that a chunk has.
func (d *dotConv) blocksOf(chunk int) int {
	return min(d.Blocks, geometry.CeilDiv(d.Channels, block)-chunk*d.Blocks)
}

// dotPart is a strip of a convolution by dot products.
type dotPart struct {
	*dotConv
	c               *op.Call
	watch           op.Watch
	batch           int
	row, rows       int // of the result
	column, columns int
	runs            []run
	zero            int64 // of the input
	x, y, strip     []byte
	packed          []byte  // of all matrices, and
	matrix          []byte  // of one
	left            int     // the first element of the left one
	size            int     // of an element of the result, in bytes
	biases          []int32 // none if there are none, or if sums have 64 bits
	args            simd.DotsArgs
}

// run computes the pieces lo…hi-1: the chunks of filters that are packed, and then the convolutions.
func (l dots) run(c *op.Call, lo, hi int) {
	p := dotPart{c: c, watch: c.Watch(), x: c.In[0].Bytes(), y: c.Out[0].Bytes(), strip: c.Scratch[stripAt:], size: c.Out[0].DType().Size()}
	for _, d := range l {
		p.pack(d, lo, min(hi, d.packs))
		lo, hi = max(lo-d.packs, 0), hi-d.packs
	}
	for _, d := range l {
		p.run(d, lo, min(hi, d.pieces))
		lo, hi = max(lo-d.pieces, 0), hi-d.pieces
	}
}

// pack packs the chunks lo…hi-1 of the filter of a convolution.
func (p *dotPart) pack(d *dotConv, lo, hi int) {
	if lo >= hi {
		return
	}
	f := *d.filter
	if f.elements = p.c.In[1]; f.zero > 0 {
		zero := [1]int64{integerAt(p.c.In[f.zero], 0)}
		f.zeros = zero[:]
	}
	for ; lo < hi && !p.watch.Stops(4*d.bufferLen()); lo++ {
		d.packChunk(p.c.Shared[d.packedAt:], &f, unsafe.Slice((*int16)(unsafe.Pointer(&p.strip[0])), d.bufferLen()), lo)
	}
}

// run computes the pieces lo…hi-1 of a convolution: of each batch item the strips, row by row, and for each of these the chunks.
func (p *dotPart) run(d *dotConv, lo, hi int) {
	if p.dotConv = d; d.filter != nil {
		p.packed = p.c.Shared[d.packedAt:]
	} else {
		p.packed = p.c.Packed[d.packedAt]
	}
	if d.zero > 0 {
		p.zero = integerAt(p.c.In[d.zero], 0)
	}
	if p.biases = nil; d.bias > 0 && !d.Wide {
		p.biases = tensor.Data[int32](p.c.In[d.bias])
	}
	p.setArgs()
	for chunks := d.chunks; lo < hi && !p.watch.Stops(0); {
		n := min(hi-lo, chunks-lo%chunks)
		p.locate(lo / chunks)
		for chunk := lo % chunks; chunk < lo%chunks+n && !p.watch.Stops(0); chunk++ {
			if !d.Direct && (chunk == lo%chunks || d.own()) {
				p.copy(p.start(chunk), chunk > lo%chunks)
			}
			p.compute(chunk)
		}
		lo += n
	}
}

// locate sets where strip i lies.
func (p *dotPart) locate(i int) {
	p.column, p.row, p.batch = i%p.across*p.Columns, i/p.across%p.down*p.Rows, i/p.across/p.down
	p.columns, p.rows = min(p.Columns, p.X.Out-p.column), min(p.Rows, p.Y.Out-p.row)
	if p.runs = p.dotConv.columns[0]; i%p.across == p.across-1 {
		p.runs = p.dotConv.columns[1]
	}
	if p.matrix = p.packed; p.product {
		left, right := p.factors.Factors(p.batch * p.X.Out * p.Channels)
		p.left, p.matrix = left, p.packed[right/(p.In*p.Channels)*p.packedApart:]
	}
}

// target is where results go: the first one, and how many bytes pixels, rows and blocks of channels are apart. The offset is that in the result.
type target struct {
	at                        uintptr
	offset, pixel, row, block int
}

// of returns the target of the row and column of a strip.
func (t target) of(row, column int) target {
	more := row*t.row + column*t.pixel
	t.at, t.offset = t.at+uintptr(more), t.offset+more
	return t
}

// target returns where the strip's results go that belong to the channels from first on.
func (p *dotPart) target(first int) target {
	t := target{offset: ((p.batch*p.X.Out+p.column)*p.Channels + first) * p.size, pixel: p.Channels * p.size, block: block * p.size}
	if !p.product {
		plane := p.Plane[0] * p.Plane[1]
		row, column := p.row*p.Apart[0]+p.Phase[0], p.column*p.Apart[1]+p.Phase[1]
		t.offset = ((p.batch*geometry.CeilDiv(p.Channels, block)+first/block)*plane + row*p.Plane[1] + column) * block * p.size
		t.pixel, t.row, t.block = p.Apart[1]*block*p.size, p.Apart[0]*p.Plane[1]*block*p.size, plane*block*p.size
	}
	t.at = simd.At(p.y, t.offset)
	return t
}

// setArgs sets the arguments of routines that all chunks have in common.
func (p *dotPart) setArgs() {
	args := &p.args
	if *args = (simd.DotsArgs{}); p.codes != nil {
		*args = p.codes.args
		args.Words, args.Multiplier = p.size-1, simd.At(p.c.Scratch, multiplierAt)
	}
	args.XPixel, args.XRow = p.X.Stride/p.Every*p.pixel(), p.Y.Stride*p.StripCols*p.pixel()
	if p.Direct {
		args.XRow = p.Y.Stride * p.X.In * block
	}
	args.Steps, args.WNext = p.steps, p.chunkBytes
	args.Init, args.Chosen = simd.At(p.c.Scratch, initAt), simd.At(p.c.Scratch, chosenAt)
}

// compute computes a chunk of the strip.
func (p *dotPart) compute(chunk int) {
	first, blocks := chunk*p.Blocks*block, p.blocksOf(chunk)
	p.begin(first, min(blocks*block, p.Channels-first))
	if p.args.Offsets, p.args.W = simd.At(p.matrix, 0), simd.At(p.matrix, p.weightsAt+chunk*p.chunkBytes); p.Pairs {
		p.setPairs(chunk)
	}
	x := simd.At(p.strip, 0)
	if !p.own() {
		x += uintptr(p.start(chunk) * p.StripRows * p.StripCols * p.pixel())
	}
	if p.Direct {
		x = simd.At(p.x, (p.batch*p.planes()+p.start(chunk))*p.Y.In*p.X.In*block) + uintptr(p.row*p.args.XRow+p.column*p.args.XPixel)
	}
	to := p.target(first)
	// Where columns are none of the result, or codes of sixteen columns are stored together, rows of a product come by way of the working memory.
	aside := p.product && (first+blocks*block > p.Channels || p.args.Form == 1) && !p.Wide
	part := target{at: simd.At(p.c.Scratch, p.partAt()), pixel: block * p.size, block: p.columns * block * p.size}
	for _, run := range p.runs {
		switch {
		case p.Wide:
			p.computeWide(x, run, chunk, to)
		case aside:
			p.computeRun(x, run, blocks, part)
		default:
			p.computeRun(x, run, blocks, to)
		}
	}
	for b := 0; b < blocks && aside; b++ {
		n, from := min(block, p.Channels-first-b*block)*p.size, p.c.Scratch[p.partAt()+b*part.block:]
		for r := range p.columns {
			copy(p.y[to.offset+b*to.block+r*to.pixel:][:n], from[r*part.pixel:])
		}
	}
}

// computeRun computes the tiles of a run in all rows of a strip, which begins at an address.
func (p *dotPart) computeRun(x uintptr, run run, blocks int, to target) {
	args, tile := &p.args, p.tile(run.pixels, blocks)
	work := args.Steps * run.pixels * blocks
	if p.Pairs {
		work = max((args.Steps+geometry.CeilDiv(args.Singles, 4))*run.pixels, 1)
	}
	args.XTile, args.OutTile = run.pixels*args.XPixel, run.pixels*to.pixel
	args.OutPixel, args.OutRow, args.OutBlock = to.pixel, to.row, to.block
	tiles := min(max(stepsAtOnce/work, 1), run.tiles)
	rows := max(stepsAtOnce/(work*tiles), 1)
	for r := 0; r < p.rows; r += rows {
		for i := 0; i < run.tiles; i += tiles {
			args.Tiles, args.Rows = min(tiles, run.tiles-i), min(rows, p.rows-r)
			if p.watch.Stops(args.Tiles * args.Rows * work * dotsAtOnce) {
				return
			}
			at := run.first + i*run.pixels
			args.X, args.Out = x+uintptr(r*args.XRow+at*args.XPixel), to.of(r, at).at
			tile.Run(args)
		}
	}
}

// tile returns the routine of tiles of so many pixels and blocks.
func (d *dotConv) tile(pixels, blocks int) *simd.DotTile {
	for i := range d.tiles {
		if t := &d.tiles[i]; t.Pixels == pixels && t.Blocks == blocks {
			return t
		}
	}
	return nil
}

// addBiases adds the biases of the channels from the first one on, if there are any.
func addBiases[A int32 | int64](sums, bias []A, first int) {
	switch len(bias) {
	case 0:
	case 1:
		for k := range sums {
			sums[k] += bias[0]
		}
	default:
		for k, b := range bias[first:][:len(sums)] {
			sums[k] += b
		}
	}
}

// begin sets what the sums of some channels begin with, and their multipliers.
func (p *dotPart) begin(first, channels int) {
	init := unsafe.Slice((*int32)(unsafe.Pointer(&p.c.Scratch[initAt])), 2*block)
	if excess := int32(p.zero) + int32(p.flip()); p.Size == 1 && excess != 0 { // of what stands for an element of the input
		for k, sum := range unsafe.Slice((*int32)(unsafe.Pointer(&p.matrix[p.sumsAt+4*first])), channels) {
			init[k] = -excess * sum
		}
	} else {
		clear(init)
	}
	if p.Wide {
		at, _, _, _ := p.wideAt()
		sums := unsafe.Slice((*int64)(unsafe.Pointer(&p.c.Scratch[at])), 2*block)
		if clear(sums); p.bias > 0 {
			addBiases(sums[:channels], tensor.Data[int64](p.c.In[p.bias]), first)
		}
	}
	addBiases(init[:channels], p.biases, first)
	if p.codes != nil {
		p.codes.load(unsafe.Slice((*float32)(unsafe.Pointer(&p.c.Scratch[multiplierAt])), 2*block), first)
	}
}
