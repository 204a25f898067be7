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
	return stripAt + d.stripSize()
}

// blocksOf returns the number of blocks of output channels that a chunk has.
func (d *dotConv) blocksOf(chunk int) int {
	return min(d.Blocks, geometry.CeilDiv(d.Channels, block)-chunk*d.Blocks)
}

// dotPart is a strip of a convolution by dot products.
type dotPart struct {
	*dotConv
	c                 *op.Call
	watch             op.Watch
	batch             int
	row, rows         int // of the result
	column, columns   int
	runs              []run
	zero              int64 // of the input
	x, y, strip, pack []byte
}

// run computes the pieces lo…hi-1: of each batch item the strips, row by row, and for each of these the chunks.
func (d *dotConv) run(c *op.Call, lo, hi int) {
	p := dotPart{dotConv: d, c: c, watch: c.Watch(), x: c.In[0].Bytes(), y: c.Out[0].Bytes(), strip: c.Scratch[stripAt:], pack: c.Packed[0]}
	if d.zero {
		p.zero = integerAt(c.In[3], 0)
	}
	for chunks := d.chunks(); lo < hi && !p.watch.Stops(0); {
		n := min(hi-lo, chunks-lo%chunks)
		p.locate(lo / chunks)
		if !d.Direct {
			p.copy()
		}
		for chunk := lo % chunks; chunk < lo%chunks+n && !p.watch.Stops(0); chunk++ {
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

// copy makes the strip: what the window meets, in the form in which routines read it.
func (p *dotPart) copy() {
	rows, columns, left := met(&p.Y, p.rows), met(&p.X, p.columns), p.column*p.X.Stride-p.X.Before
	from := min(max(-left, 0), columns) // the columns from…to-1 are within the input
	to := max(min(p.X.In-left, columns), from)
	for plane := range p.planes() {
		for r := range rows {
			if p.watch.Stops(columns) {
				return
			}
			dst := p.strip[(plane*p.StripRows+r)*p.StripCols*p.pixel():][:columns*p.pixel()]
			y := p.border.Index(p.row*p.Y.Stride-p.Y.Before+r, p.Y.In)
			if y < 0 {
				p.pad(dst)
				continue
			}
			if from < to {
				p.load(dst[from*p.pixel():to*p.pixel()], plane, y, left+from)
			}
			for j := 0; j < columns; j++ {
				if j == from {
					if j = to; j == columns {
						break
					}
				}
				at := dst[j*p.pixel():][:p.pixel()]
				if x := p.border.Index(left+j, p.X.In); x >= 0 {
					p.load(at, plane, y, x)
				} else {
					p.pad(at)
				}
			}
		}
	}
}

// pad sets bytes of the strip to the zero point.
func (p *dotPart) pad(dst []byte) {
	if b := byte(p.zero) ^ p.flip(); p.Size == 1 && b != 0 {
		for i := range dst {
			dst[i] = b
		}
		return
	}
	clear(dst)
}

// flip returns which bits of a byte change when signed bytes become unsigned ones, 128 greater.
func (p *dotPart) flip() byte {
	if p.signed {
		return 0x80
	}
	return 0
}

// load sets pixels of the strip to those of a plane of the input from a row and column on.
func (p *dotPart) load(dst []byte, plane, y, x int) {
	n, at := len(dst)/p.pixel(), y*p.X.In+x
	inPlane := p.Y.In * p.X.In
	if p.Plain {
		for channel := range p.In {
			at := at + (p.batch*p.In+channel)*inPlane
			switch to := dst[channel*p.Size:]; {
			case p.words:
				interleaveWords(to, tensor.Data[int16](p.c.In[0])[at:][:n], 0)
			case p.Size == 1:
				interleave(to, p.x[at:][:n], p.flip())
			case p.signed:
				interleaveWords(to, tensor.Data[int8](p.c.In[0])[at:][:n], int16(p.zero))
			default:
				interleaveWords(to, p.x[at:][:n], int16(p.zero))
			}
		}
		return
	}
	at += (p.batch*p.planes() + plane) * inPlane
	switch {
	case p.words:
		copy(dst, p.x[at*2*block:])
	case p.Size == 1 && !p.signed:
		copy(dst, p.x[at*block:])
	case p.Size == 1:
		flip(dst, p.x[at*block:])
	default:
		args := simd.WidenArgs{From: simd.At(p.x, at*block), To: simd.At(dst, 0), N: n, Zero: int16(p.zero)}
		if p.signed {
			args.Signed = 1
		}
		p.tier.Widen.Run(&args)
	}
}

// interleave sets every fourth byte.
func interleave(dst, x []byte, flip byte) {
	for i, v := range x {
		dst[4*i] = v ^ flip
	}
}

// interleaveWords sets every fourth word.
func interleaveWords[T int8 | uint8 | int16](dst []byte, x []T, zero int16) {
	for i, v := range x {
		binary.LittleEndian.PutUint16(dst[8*i:], uint16(int16(v)-zero))
	}
}

// flip copies bytes, eight at a time, with other signs.
func flip(dst, x []byte) {
	for ; len(dst) >= 8; dst, x = dst[8:], x[8:] {
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(x)^0x8080808080808080)
	}
}

// compute computes a chunk of the strip.
func (p *dotPart) compute(chunk int) {
	first, blocks := chunk*p.Blocks*block, p.blocksOf(chunk)
	p.begin(first, min(blocks*block, p.Channels-first))
	size := 4 * block // of a pixel of the result
	args := simd.DotsArgs{XPixel: p.X.Stride * p.pixel(), Offsets: simd.At(p.pack, 0), Steps: p.steps(),
		W: simd.At(p.pack, p.weightsAt()+chunk*p.chunkBytes()), Init: simd.At(p.c.Scratch, initAt)}
	if q := p.codes; q != nil {
		size = block
		args.Codes, args.Multiplier = 1, simd.At(p.c.Scratch, multiplierAt)
		args.Least, args.Most, args.Zero = q.least, q.most, q.zero
	}
	outPlane := p.Y.Out * p.X.Out
	args.OutBlock = outPlane * size
	x, row := simd.At(p.strip, p.start(chunk)*p.StripRows*p.StripCols*p.pixel()), p.Y.Stride*p.StripCols*p.pixel()
	if p.Direct {
		row = p.Y.Stride * p.X.In * block
		x = simd.At(p.x, (p.batch*p.planes()+p.start(chunk))*p.Y.In*p.X.In*block) + uintptr(p.row*row+p.column*args.XPixel)
	}
	y := simd.At(p.y, ((p.batch*geometry.CeilDiv(p.Channels, block)+chunk*p.Blocks)*outPlane+p.row*p.X.Out+p.column)*size)
	for range p.rows {
		for _, run := range p.runs {
			tile := p.tile(run.pixels, blocks)
			args.XTile, args.OutTile = run.pixels*args.XPixel, run.pixels*size
			most := max(dotsMost/(args.Steps*4*run.pixels*blocks), 1)
			for i := 0; i < run.tiles; i += most {
				args.Tiles = min(most, run.tiles-i)
				if p.watch.Stops(args.Tiles * args.Steps * run.pixels * blocks * dotsAtOnce) {
					return
				}
				at := run.first + i*run.pixels
				args.X, args.Out = x+uintptr(at*args.XPixel), y+uintptr(at*size)
				tile.Run(&args)
			}
		}
		x, y = x+uintptr(row), y+uintptr(p.X.Out*size)
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

// begin sets what the sums of some channels begin with, and their multipliers.
func (p *dotPart) begin(first, channels int) {
	init := unsafe.Slice((*int32)(unsafe.Pointer(&p.c.Scratch[initAt])), 2*block)
	excess := int32(0) // of what stands for an element of the input
	if p.Size == 1 {
		excess = int32(p.zero) + int32(p.flip())
	}
	for k := range channels {
		init[k] = -excess * int32(binary.LittleEndian.Uint32(p.pack[p.sumsAt()+4*(first+k):]))
	}
	if p.bias {
		bias := tensor.Data[int32](p.c.In[2])
		for k := range channels {
			init[k] += bias[(first+k)%len(bias)]
		}
	}
	if p.codes != nil {
		multipliers := unsafe.Slice((*float32)(unsafe.Pointer(&p.c.Scratch[multiplierAt])), 2*block)
		clear(multipliers) // no NaN for channels that there are not
		p.codes.load(multipliers[:channels], first)
	}
}
