package kernel

import (
	"encoding/binary"
	"unsafe"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// The working memory of a convolution by dot products: what sums begin with and the multipliers, for the channels of a chunk; then a strip.
const (
	initAt       = 0
	multiplierAt = initAt + 2*64
	stripAt      = multiplierAt + 2*64
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
	packed          []byte
	size            int // of an element of the result, in bytes
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
	f.elements = p.c.In[1]
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
	for chunks := d.chunks(); lo < hi && !p.watch.Stops(0); {
		n := min(hi-lo, chunks-lo%chunks)
		p.locate(lo / chunks)
		for chunk := lo % chunks; chunk < lo%chunks+n && !p.watch.Stops(0); chunk++ {
			if !d.Direct && (chunk == lo%chunks || d.own()) {
				p.copy(p.start(chunk))
			}
			p.compute(chunk)
		}
		lo += n
	}
}

// locate sets where strip i lies.
func (p *dotPart) locate(i int) {
	across, down := p.across(), p.down()
	p.column, p.row, p.batch = i%across*p.Columns, i/across%down*p.Rows, i/across/down
	p.columns, p.rows = min(p.Columns, p.X.Out-p.column), min(p.Rows, p.Y.Out-p.row)
	if p.runs = p.dotConv.columns[0]; i%across == across-1 {
		p.runs = p.dotConv.columns[1]
	}
}

// copy makes the strip: what the window meets, in the form in which routines read it, from a block of input channels on.
func (p *dotPart) copy(first int) {
	rows, columns, top, left := met(&p.Y, p.rows), met(&p.X, p.columns), p.row*p.Y.Stride-p.Y.Before, p.column*p.X.Stride-p.X.Before
	within := func(at, n, extent int) (from, to int) { // which of n from at on are within the input
		from = min(max(-at, 0), n)
		return from, max(min(extent-at, n), from)
	}
	y0, y1 := within(top, rows, p.Y.In)
	x0, x1 := within(left, columns, p.X.In)
	for plane := range p.planesRead() {
		if p.watch.Stops(rows * columns) {
			return
		}
		dst := p.strip[plane*p.StripRows*p.StripCols*p.pixel():]
		if p.Plain {
			p.interleave(dst, rows, columns, top, left)
			continue
		}
		if p.product {
			p.copyColumns(dst, plane, columns)
			continue
		}
		at := (p.batch*p.planes() + first + plane) * p.Y.In * p.X.In
		if p.border == geometry.BorderIgnore {
			p.copyRows(dst, 0, y0, 0, 0, columns, 0)
			p.copyRows(dst, y0, y1, at+(top+y0)*p.X.In+left+x0, x0, x1, columns)
			p.copyRows(dst, y1, rows, 0, 0, columns, 0)
			continue
		}
		for r := range rows {
			at := at + p.border.Index(top+r, p.Y.In)*p.X.In
			p.copyRows(dst, r, r+1, at+left+x0, x0, x1, columns)
			for j := range columns {
				if j < x0 || j >= x1 {
					p.copyRows(dst[j*p.pixel():], r, r+1, at+p.border.Index(left+j, p.X.In), 0, 1, 1)
				}
			}
		}
	}
}

// copyRows sets the rows from…to-1 of a plane of the strip: their pixels x0…x1-1 to those of the input from one on, the others up to x1 or n to
// what stands for 0.
func (p *dotPart) copyRows(dst []byte, from, to, at, x0, x1, n int) {
	if from == to {
		return
	}
	row := p.StripCols * p.pixel()
	if p.Words {
		for r := from; r < to; r++ {
			dst := dst[r*row:]
			clear(dst[:max(x1, n)*p.pixel()])
			if n > 0 {
				copy(dst[x0*p.pixel():x1*p.pixel()], p.x[(at+(r-from)*p.X.In)*p.pixel():])
			}
		}
		return
	}
	args := simd.CopyRowsArgs{From: simd.At(p.x, at*block), To: simd.At(dst, from*row), FromRow: p.X.In * block, ToRow: row, Rows: to - from,
		Left: x0, N: x1 - x0, Right: n - x1}
	if n == 0 { // nothing of the input
		args.Left, args.N, args.Right = x1, 0, 0
	}
	p.change(&args)
	p.copyRoutine().Run(&args)
}

// copyRoutine returns the routine that copies rows.
func (d *dotConv) copyRoutine() *simd.Routine[simd.CopyRowsArgs] {
	if d.Size == 1 {
		return &d.tier.CopyRowsBytes
	}
	return &d.tier.CopyRows
}

// change sets what becomes of elements that are copied.
func (p *dotPart) change(args *simd.CopyRowsArgs) {
	if p.Size == 1 {
		args.Change = 0x01010101 * uint32(p.flip())
		args.Pad = args.Change ^ 0x01010101*uint32(uint8(p.zero))
		return
	}
	args.Change = 0x00010001 * uint32(uint16(p.zero))
	args.Signed = int(p.flip())
}

// copyColumns makes the part of a strip that has sixteen columns of rows of a matrix.
func (p *dotPart) copyColumns(dst []byte, plane, rows int) {
	at := p.column*p.In + plane*block
	if p.planar {
		for channel := plane * block; channel < min((plane+1)*block, p.In); channel++ {
			p.loadChannel(dst[channel%block*p.Size:], block, channel, 0, p.column, rows)
		}
		return
	}
	if p.Words {
		n := 2 * min(p.In-plane*block, block)
		for r := range rows {
			copy(dst[r*p.pixel():][:n], p.x[2*(at+r*p.In):])
		}
		return
	}
	if n := p.In - plane*block; n < block {
		for r := range rows {
			to := dst[r*p.pixel():]
			for k, v := range p.x[at+r*p.In:][:n] {
				switch {
				case p.Size == 1:
					to[k] = v ^ p.flip()
				case p.signed:
					binary.LittleEndian.PutUint16(to[2*k:], uint16(int16(int8(v))-int16(p.zero)))
				default:
					binary.LittleEndian.PutUint16(to[2*k:], uint16(int16(v)-int16(p.zero)))
				}
			}
		}
		return
	}
	args := simd.CopyRowsArgs{From: simd.At(p.x, at), To: simd.At(dst, 0), FromRow: p.In, ToRow: p.pixel(), Rows: rows, N: 1}
	p.change(&args)
	p.copyRoutine().Run(&args)
}

// flip returns which bits of a byte change when signed bytes become unsigned ones, 128 greater.
func (p *dotPart) flip() byte {
	if p.signed {
		return 0x80
	}
	return 0
}

// interleave makes the strip of a plain input of few channels, of which a pixel has four.
func (p *dotPart) interleave(dst []byte, rows, columns, top, left int) {
	from := min(max(-left, 0), columns) // the columns from…to-1 are within the input
	to := max(min(p.X.In-left, columns), from)
	for r := range rows {
		row := dst[r*p.StripCols*p.pixel():][:columns*p.pixel()]
		y := p.border.Index(top+r, p.Y.In)
		if y < 0 {
			p.pad(row)
			continue
		}
		if from < to {
			p.load(row[from*p.pixel():], y, left+from, to-from)
		}
		for j := 0; j < columns; j++ {
			if j >= from && j < to {
				j = to - 1
				continue
			}
			at := row[j*p.pixel():][:p.pixel()]
			if x := p.border.Index(left+j, p.X.In); x >= 0 {
				p.load(at, y, x, 1)
			} else {
				p.pad(at)
			}
		}
	}
}

// pad sets bytes of the strip to what stands for 0.
func (p *dotPart) pad(dst []byte) {
	clear(dst)
	if b := byte(p.zero) ^ p.flip(); p.Size == 1 && b != 0 {
		for i := range dst {
			dst[i] = b
		}
	}
}

// load sets n pixels of the strip to those of the input from a row and column on.
func (p *dotPart) load(dst []byte, y, x, n int) {
	if p.In == 3 && p.Size == 1 {
		plane := p.Y.In * p.X.In
		at := p.batch*3*plane + y*p.X.In + x
		change := 0x00010101 * uint32(p.flip())
		if whole := n / 16; whole > 0 {
			args := simd.PixelsArgs{A: simd.At(p.x, at), B: simd.At(p.x, at+plane), C: simd.At(p.x, at+2*plane), To: simd.At(dst, 0), N: whole, Change: change}
			p.tier.Pixels.Run(&args)
			at, dst, n = at+16*whole, dst[64*whole:], n%16
		}
		interleaveThree(dst, p.x[at:][:n], p.x[at+plane:][:n], p.x[at+2*plane:][:n], change)
		return
	}
	for channel := range p.In {
		p.loadChannel(dst[channel*p.Size:], 4, channel, y, x, n)
	}
}

// loadChannel sets a channel of n pixels, of step elements, to those of the input from a row and column on.
func (p *dotPart) loadChannel(to []byte, step, channel, y, x, n int) {
	switch at := (p.batch*p.In+channel)*p.Y.In*p.X.In + y*p.X.In + x; {
	case p.Words:
		interleaveWords(to, step, tensor.Data[int16](p.c.In[0])[at:][:n], 0)
	case p.Size == 1:
		interleave(to, step, p.x[at:][:n], p.flip())
	case p.signed:
		interleaveWords(to, step, tensor.Data[int8](p.c.In[0])[at:][:n], int16(p.zero))
	default:
		interleaveWords(to, step, p.x[at:][:n], int16(p.zero))
	}
}

// interleaveThree sets three of every four bytes.
func interleaveThree(dst, a, b, c []byte, flip uint32) {
	b, c, dst = b[:len(a)], c[:len(a)], dst[:4*len(a)]
	for i, v := range a {
		binary.LittleEndian.PutUint32(dst[4*i:4*i+4], (uint32(v)|uint32(b[i])<<8|uint32(c[i])<<16)^flip)
	}
}

// interleave sets bytes that are so many apart.
func interleave(dst []byte, step int, x []byte, flip byte) {
	for i, v := range x {
		dst[step*i] = v ^ flip
	}
}

// interleaveWords sets words that are so many apart.
func interleaveWords[T int8 | uint8 | int16](dst []byte, step int, x []T, zero int16) {
	for i, v := range x {
		binary.LittleEndian.PutUint16(dst[2*step*i:], uint16(int16(v)-zero))
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
	t := target{offset: (p.column*p.Channels + first) * p.size, pixel: p.Channels * p.size, block: block * p.size}
	if !p.product {
		plane := p.Plane[0] * p.Plane[1]
		row, column := p.row*p.Apart[0]+p.Phase[0], p.column*p.Apart[1]+p.Phase[1]
		t.offset = ((p.batch*geometry.CeilDiv(p.Channels, block)+first/block)*plane + row*p.Plane[1] + column) * block * p.size
		t.pixel, t.row, t.block = p.Apart[1]*block*p.size, p.Apart[0]*p.Plane[1]*block*p.size, plane*block*p.size
	}
	t.at = simd.At(p.y, t.offset)
	return t
}

// compute computes a chunk of the strip.
func (p *dotPart) compute(chunk int) {
	first, blocks := chunk*p.Blocks*block, p.blocksOf(chunk)
	p.begin(first, min(blocks*block, p.Channels-first))
	var args simd.DotsArgs
	if q := p.codes; q != nil {
		args = q.args
		args.Words, args.Multiplier = p.size-1, simd.At(p.c.Scratch, multiplierAt)
	}
	args.XPixel, args.Offsets, args.Steps = p.X.Stride*p.pixel(), simd.At(p.packed, 0), p.steps
	args.W, args.Init = simd.At(p.packed, p.weightsAt+chunk*p.chunkBytes), simd.At(p.c.Scratch, initAt)
	args.X, args.XRow = simd.At(p.strip, 0), p.Y.Stride*p.StripCols*p.pixel()
	if !p.own() {
		args.X += uintptr(p.start(chunk) * p.StripRows * p.StripCols * p.pixel())
	}
	if p.Direct {
		args.XRow = p.Y.Stride * p.X.In * block
		args.X = simd.At(p.x, (p.batch*p.planes()+p.start(chunk))*p.Y.In*p.X.In*block) + uintptr(p.row*args.XRow+p.column*args.XPixel)
	}
	to := p.target(first)
	some := p.product && first+blocks*block > p.Channels // of whose columns are none of the result
	for _, run := range p.runs {
		switch {
		case p.Wide:
			p.computeWide(args, run, chunk, to)
		case some:
			part := target{at: simd.At(p.c.Scratch, p.partAt()), pixel: 2 * block * p.size, block: block * p.size}
			p.computeRun(args, run, blocks, part)
		default:
			p.computeRun(args, run, blocks, to)
		}
	}
	if some && !p.Wide {
		for r, n := 0, p.size*(p.Channels-first); r < p.columns; r++ {
			copy(p.y[to.offset+r*to.pixel:][:n], p.c.Scratch[p.partAt()+r*2*block*p.size:])
		}
	}
}

// computeRun computes the tiles of a run in all rows of a strip.
func (p *dotPart) computeRun(args simd.DotsArgs, run run, blocks int, to target) {
	tile, work := p.tile(run.pixels, blocks), args.Steps*run.pixels*blocks
	args.XTile, args.OutTile = run.pixels*args.XPixel, run.pixels*to.pixel
	args.OutPixel, args.OutRow, args.OutBlock = to.pixel, to.row, to.block
	tiles := min(max(stepsAtOnce/work, 1), run.tiles)
	rows := max(stepsAtOnce/(work*tiles), 1)
	for r := 0; r < p.rows; r += rows {
		for i := 0; i < run.tiles; i += tiles {
			args := args
			args.Tiles, args.Rows = min(tiles, run.tiles-i), min(rows, p.rows-r)
			if p.watch.Stops(args.Tiles * args.Rows * work * dotsAtOnce) {
				return
			}
			at := run.first + i*run.pixels
			args.X, args.Out = args.X+uintptr(r*args.XRow+at*args.XPixel), to.of(r, at).at
			tile.Run(&args)
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
func addBiases[A int32 | int64](d *dotConv, c *op.Call, sums []A, first int) {
	if !d.bias {
		return
	}
	bias := tensor.Data[A](c.In[2])
	if len(bias) > 1 {
		bias = bias[first:]
	}
	for k := range sums {
		sums[k] += bias[k%len(bias)]
	}
}

// begin sets what the sums of some channels begin with, and their multipliers.
func (p *dotPart) begin(first, channels int) {
	init := unsafe.Slice((*int32)(unsafe.Pointer(&p.c.Scratch[initAt])), 2*block)
	if excess := int32(p.zero) + int32(p.flip()); p.Size == 1 && excess != 0 { // of what stands for an element of the input
		for k, sum := range unsafe.Slice((*int32)(unsafe.Pointer(&p.packed[p.sumsAt+4*first])), channels) {
			init[k] = -excess * sum
		}
	} else {
		clear(init)
	}
	if p.Wide {
		at, _, _, _ := p.wideAt()
		sums := unsafe.Slice((*int64)(unsafe.Pointer(&p.c.Scratch[at])), 2*block)
		clear(sums)
		addBiases(p.dotConv, p.c, sums[:channels], first)
	} else {
		addBiases(p.dotConv, p.c, init[:channels], first)
	}
	if p.codes != nil {
		p.codes.load(unsafe.Slice((*float32)(unsafe.Pointer(&p.c.Scratch[multiplierAt])), 2*block), first)
	}
}
