package kernel

import (
	"math"
	"unsafe"

	"github.com/concord-nn/concord/internal/simd"
)

// Sums of 64 bits of products of integers of 16 bits. Routines sum in 32 bits, which wraps, so that a sum is right if it fits into these. The weights tell
// which sums do, whatever the input is: the steps of a chunk are divided by ends between which the magnitudes of the weights of a channel add up to
// little enough. At an end, what has been summed goes into sums of 64 bits. Where weights are so great that ends were too many, they are taken apart into
// their low eight bits, with a sign, and their high ones, which are steps of their own.

// magnitudes returns how much the magnitudes of weights of a sum may add up to.
func (d *dotConv) magnitudes() int32 {
	if d.Words {
		return math.MaxInt32 / (1 << 15)
	}
	return math.MaxInt32 / (1<<8 - 1)
}

const (
	// wordsTogether is how many bits weights may have of which a step is never too much: four dwords of two.
	wordsTogether = 13
	// endSteps is the greatest number of steps between two ends, with which a call of a routine takes less than 100 µs, and endCost about how many
	// steps an end takes. Of weights of eight bits so many steps are never too much.
	endSteps, endCost, partSteps = 256, 3, 63
	// wideMost is the greatest number of pixels of which sums are in working memory.
	wideMost = 56
)

// endsLen is how many numbers the ends of a chunk have: how many there are, and these.
func (d *dotConv) endsLen() int {
	if d.Wide {
		return 1 + d.Parts*d.steps
	}
	return 0
}

// ends returns where the ends of a chunk are in a packed form.
func (d *dotConv) ends(pack []byte, chunk int) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(&pack[d.endsAt+4*chunk*d.endsLen()])), d.endsLen())
}

// end sets the ends of a chunk by its weights, of which each step has so many bytes, and takes these apart if that is better. It may be known
// that one end is enough.
func (d *dotConv) end(ends []int32, weights []byte, stepBytes int, one bool) {
	if one {
		ends[0], ends[1] = 1, int32(d.steps)
		return
	}
	w, n := unsafe.Slice((*int16)(unsafe.Pointer(&weights[0])), len(weights)/2), d.steps*stepBytes/2
	count := d.divideSteps(ends[1:1], w[:n], stepBytes/2, 0)
	if d.Parts == 1 || count > 0 && d.steps+endCost*count <= 2*(d.steps+endCost*(d.steps/partSteps+1)) {
		ends[0] = int32(count)
		return
	}
	high := w[n : 2*n]
	for i, v := range w[:n] {
		w[i] = int16(int8(v))
		high[i] = int16((int32(v) - int32(w[i])) >> 8)
	}
	count = d.divideSteps(ends[1:1], w[:n], stepBytes/2, 0)
	ends[0] = int32(count + d.divideSteps(ends[1+count:1+count], high, stepBytes/2, d.steps))
}

// divideSteps appends the ends of steps, counted from the first one, to ends and returns their number; 0 if a step by itself is too much.
func (d *dotConv) divideSteps(ends []int32, w []int16, step, first int) int {
	var sums, next [2 * block]int32 // of magnitudes for each channel
	most, lanes, from := d.magnitudes(), step/8, 0
	if d.Depth {
		lanes = block
	}
	for i := range d.steps {
		own := next[:lanes]
		clear(own)
		for part := w[i*step:][:step]; len(part) > 0; part = part[2*lanes:] {
			for k := range own {
				own[k] += abs(part[2*k]) + abs(part[2*k+1])
			}
		}
		over := i-from == endSteps
		for k, v := range own {
			if v > most {
				return 0
			}
			over = over || sums[k]+v > most
		}
		if over {
			ends, from = append(ends, int32(first+i)), i
			copy(sums[:], own)
			continue
		}
		for k, v := range own {
			sums[k] += v
		}
	}
	return len(append(ends, int32(first+d.steps)))
}

func abs(v int16) int32 {
	sign := int32(v) >> 31
	return int32(v) ^ sign - sign
}

// The working memory of sums of 64 bits, behind the strip: what they begin with for the channels of a chunk, parts of 32 bits, and the sums of two
// blocks of pixels.
func (d *dotConv) wideAt() (begin, parts, sums, end int) {
	begin = d.partAt()
	parts = begin + 2*block*8
	sums = parts + 2*wideMost*block*4
	return begin, parts, sums, sums + 2*wideMost*block*8
}

// computeWide computes the tiles of a run in all rows of a strip, which begins at an address.
func (p *dotPart) computeWide(x uintptr, run run, chunk int, to target) {
	args, tile, tiles, w := &p.args, p.tile(run.pixels, p.blocksOf(chunk)), max(wideMost/run.pixels, 1), p.args.W
	args.XTile, args.Form = run.pixels*args.XPixel, 0
	for r := range p.rows {
		for i := 0; i < run.tiles; i += tiles {
			at := run.first + i*run.pixels
			args.Tiles = min(tiles, run.tiles-i)
			if !p.computeSums(x+uintptr(r*args.XRow+at*args.XPixel), w, tile, chunk, to.of(r, at)) {
				return
			}
		}
	}
	args.W = w
}

// computeSums computes neighbouring tiles of a strip and weights at addresses. It returns false if the evaluation ends early.
func (p *dotPart) computeSums(x, w uintptr, tile *simd.DotTile, chunk int, to target) bool {
	_, parts, _, _ := p.wideAt()
	args := &p.args
	n, from, stepBytes := args.Tiles*tile.Pixels, 0, p.stepBytes(tile.Blocks)
	args.OutPixel, args.OutTile, args.OutBlock = 4*block, tile.Pixels*4*block, n*4*block
	ends := p.ends(p.matrix, chunk)
	for i, end := range ends[1:][:ends[0]] {
		args.Offsets, args.Steps, args.W = simd.At(p.matrix, 8*(from%p.steps)), int(end)-from, w+uintptr(from*stepBytes)
		if p.watch.Stops(n * args.Steps * tile.Blocks * dotsAtOnce) {
			return false
		}
		args.X, args.Out, args.Rows = x, simd.At(p.c.Scratch, parts), 1
		tile.Run(args)
		for b := range tile.Blocks {
			sums := simd.SumsArgs{Size: 8}
			last := i == int(ends[0])-1
			if last && p.codes != nil {
				sums = p.codes.sums
			}
			sums.N, sums.Factor = n, 1<<(from/p.steps*8)
			p.addSums(&sums, b, i == 0, last, min(block, p.Channels-(chunk*p.Blocks+b)*block), to)
		}
		from = int(end)
	}
	return true
}

// addSums adds what has been summed up to an end, which may be the first or the last one, to the sums of a block, which has so many channels. Behind the
// last end they go to the target; those of a product by way of the working memory if channels are missing.
func (p *dotPart) addSums(args *simd.SumsArgs, b int, first, last bool, channels int, to target) {
	begin, parts, wide, _ := p.wideAt()
	begin, parts, wide = begin+b*8*block, parts+b*args.N*4*block, wide+b*args.N*8*block
	part := p.product && channels < block
	args.Part, args.Sums, args.SumsStep = simd.At(p.c.Scratch, parts), simd.At(p.c.Scratch, wide), 8*block
	args.Out, args.OutStep = args.Sums, args.SumsStep
	if first {
		args.Sums, args.SumsStep = simd.At(p.c.Scratch, begin), 0
	}
	if last && !part {
		args.Out, args.OutStep = to.at+uintptr(b*to.block), to.pixel
	}
	p.tier.AddSums.Run(args)
	for i := 0; last && part && i < args.N; i++ {
		copy(p.y[to.offset+b*to.block+i*to.pixel:][:channels*p.size], p.c.Scratch[wide+i*8*block:])
	}
}
