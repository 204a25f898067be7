package kernel

import (
	"slices"
	"sort"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Convolutions and products of integers of 8 and 16 bits by dot products of dwords: of four bytes, where the processor has them and the operands are such,
// or of two pairs of bytes (dots_pairs.go), else of two words of 16 bits. Some positions of the result, a strip, in one or two blocks of output channels
// are a piece. What a strip meets is copied first, in the form in which the routines read it, with what stands for the padding around it; a window of one
// position on unsigned bytes reads the input itself. Sums of integers do not depend on their order, so this gives what the reference gives.
//
// A filter that is not a constant is packed first, by pieces of their own. Where dwords are bytes, those of the input are taken as unsigned, 128 too great
// if they are signed; this and the zero point is made good by the sum of the filter's elements for an output channel.
//
// Sums of 64 bits are made of sums of 32 bits that cannot wrap: see dots_wide.go. A deconvolution is several convolutions, one for each remainder that
// indices of the result have when they are divided by the strides: a phase.

// dotForm is what dwords are.
type dotForm struct {
	name  string
	size  int // of an element, in bytes
	pairs bool
	tiles []simd.DotTile
	depth []simd.DotTile // those in which each channel has dwords of its own
}

// dotRows returns the rows of a tier that has dot products: of bytes or of pairs of them, if it has these, and of words.
func dotRows(t *simd.Tier) (rows []Kernel) {
	for _, form := range []dotForm{
		{"dot products of bytes", 1, false, t.DotsBytes, t.DepthDotsBytes},
		{"dot products of pairs of bytes", 1, true, t.PairDots, nil},
		{"dot products of words", 2, false, t.Dots, t.DepthDots},
	} {
		if len(form.tiles) == 0 {
			continue
		}
		types := bits8
		if form.size == 2 {
			types |= op.TypeSet(tensor.Int16)
		}
		row := func(name string, prepare func(t *simd.Tier, r Region, form *dotForm) *Plan) Kernel {
			return Kernel{Name: form.name, Op: name, In: []op.Types{types, types}, Prepare: func(r Region) *Plan { return prepare(t, r, &form) }}
		}
		rows = append(rows, row("conv", convolveDots), row("deconv", convolveDots), row("matmul", multiplyDots), row("linear", multiplyDots))
	}
	return rows
}

// dotConv is a convolution by dot products. Its results lie in blocks of channels.
type dotConv struct {
	dotGeometry
	tier    *simd.Tier
	form    *dotForm
	tiles   []simd.DotTile
	border  geometry.Border
	codes   *codes
	signed  bool // whether the elements of the input are; and
	bias    int  // the operand that is added to the sums of channels; and
	zero    int  // the operand that is the zero point of the input; 0 if there is none
	product bool // whether this is a product of matrices; and
	planar  bool // whether the left one is transposed
	factors *geometry.Product

	steps                                 int        // of a tile
	sumsAt, endsAt, weightsAt, chunkBytes int        // in the packed form
	filter                                *dotFilter // that is packed by the first pieces; and
	packs                                 int        // so many
	packedAt                              int        // what packed constant this reads, or where it lies in the memory that all pieces have in common; and
	packedApart                           int        // how many bytes apart those of several matrices lie
	across, down, chunks                  int        // how many strips a row and a column of the result have, and pieces a strip
	pieces                                int        // that compute
	paddingAt                             int        // where a strip has a row of a channel of padding
	columns                               [2][]run   // how tiles cover the columns of a strip, and of the last one in a row
}

// dots are the phases of a deconvolution, or one convolution.
type dots []*dotConv

// dotGeometry is what the packed form of a filter depends on.
type dotGeometry struct {
	X, Y                 geometry.Slide
	Channels, GroupOut   int // of the result; of a group of it
	In, GroupIn          int // of the input
	Size                 int // of an element as routines read it, in bytes
	Direct, Plain        bool
	Lanes, Under         int  // channels that a pixel of a strip has, and of so many rows of the window, one below the other
	Pairs, Narrow        bool // whether dwords are two pairs of bytes; and there are at most eight channels
	Depth                bool // whether each channel stays by itself
	Every                int  // the distance of the pixels that begin pairs, of words in depth; else 1
	Rows, Columns        int  // of the result in a strip
	StripRows, StripCols int  // of the input, of which a strip is computed
	Blocks               int  // of output channels in a piece
	InBlocks             int  // of input channels that a piece meets
	Words, Wide          bool // whether elements of the input are words of 16 bits; and sums have 64
	Parts                int  // as which steps may come: weights of 16 bits in one, or the low and the high ones of their bits
	Matrices             int  // on the right of a product; else 1

	// Of the result: rows and columns of all phases, how far those of one are apart, and the first ones of this.
	Plane, Apart, Phase [2]int
}

// Limits of memory: of a strip that is not worth dividing between goroutines, of one that stays in the second-level cache, and of the greatest one
// that is made.
const (
	stripSmall = 2 << 10
	stripBytes = 96 << 10
	stripMost  = 4 << 20
)

// packedMost is how many bytes several matrices may take when they are packed, which small ones take many times more of than before.
const packedMost = 64 << 20

// stepsMost is the greatest number of steps of a tile whose sums have 32 bits, and stepsAtOnce about that of steps with a pixel and a block in a call of
// a routine, which take less than 100 µs.
const (
	stepsMost   = 2048
	stepsAtOnce = 1 << 15
)

// dotBytes is how many bytes of a pixel, or of neighbouring ones, a step of a routine reads.
const dotBytes = 16

// divide chooses in which form the input is read and how the result is divided. It returns false if a strip would take too much memory,
// or there are no routines.
func (d *dotConv) divide(blocked bool) bool {
	d.Blocks = d.tiles[0].Blocks
	if d.GroupIn != d.In {
		d.Blocks = 1 // which meets few of the input's channels
	}
	d.chunks = geometry.CeilDiv(d.Channels, d.Blocks*block)
	d.Plain = !blocked && d.In <= 4
	inside := (d.X.Out-1)*d.X.Stride < d.X.In && (d.Y.Out-1)*d.Y.Stride < d.Y.In && d.X.Before == 0 && d.Y.Before == 0
	if d.Depth = d.GroupIn == 1 && d.GroupOut == 1 && !d.Plain && !d.product; d.Depth {
		if len(d.form.depth) == 0 {
			return false
		}
		d.tiles = d.form.depth
	}
	if d.Narrow = d.Pairs && d.Channels <= block/2; d.Narrow {
		d.tiles = d.tier.NarrowPairDots
	}
	d.Direct = !d.Depth && !d.product && d.Size == 1 && !d.signed && !d.Plain && d.X.Size*d.Y.Size == 1 && inside
	d.Lanes, d.Under, d.Every = block, 1, 1
	switch {
	case d.paired():
		d.Lanes = 2 * block
		if d.X.Stride%2 == 0 && d.X.Dilation == 1 {
			d.Every = 2
		}
	case d.Plain && d.GroupIn == d.In:
		d.Lanes, d.Under = 4, min(4/d.In, d.Y.Size)
	case d.Plain:
		d.Lanes = 4
	case d.In <= 8 && d.GroupIn == d.In && !d.Depth && !d.product && !d.Direct && !d.Words && d.border == geometry.BorderIgnore:
		d.Lanes = 8
	}
	for i := range d.chunks {
		first, last := d.meets(i)
		d.InBlocks = max(d.InBlocks, last-first+1)
	}
	const least = 4 * 14 // columns
	d.Rows, d.Columns = 1, d.X.Out
	for d.Columns > least && d.stripSize() > stripBytes {
		d.Columns = geometry.CeilDiv(geometry.CeilDiv(d.Columns, 2), least) * least
	}
	if d.Columns >= d.X.Out {
		d.Columns = d.X.Out
		for d.Rows < d.Y.Out && d.stripSize() <= stripBytes {
			d.Rows++
		}
		if d.stripSize() > stripSmall {
			d.Rows = geometry.CeilDiv(d.Y.Out, geometry.CeilDiv(d.Y.Out, max(d.Rows-1, 1)))
		}
	}
	d.across, d.down = geometry.CeilDiv(d.X.Out, d.Columns), geometry.CeilDiv(d.Y.Out, d.Rows)
	d.lay()
	size := d.stripSize()
	d.paddingAt = size - d.paddingSize()
	d.StripRows, d.StripCols = d.metRows(d.Rows), d.metColumns(d.Columns)
	d.columns = [2][]run{d.cover(d.Columns), d.cover(d.X.Out - (d.across-1)*d.Columns)}
	return size <= stripMost || d.Direct
}

// metColumns returns how many pixels of a row of the strip, or pairs, n columns of the result meet.
func (d *dotConv) metColumns(n int) int { return geometry.CeilDiv(d.X.Reach(n), d.Every) }

// paired reports whether the strip is made of pairs of neighbouring pixels, each of which is one of 32 words.
func (d *dotConv) paired() bool { return d.Depth && d.Size == 2 }

// metRows returns how many rows of the strip n rows of the result meet.
func (d *dotConv) metRows(n int) int {
	window := d.Y
	window.Size, window.Dilation = geometry.CeilDiv(d.Y.Size, d.Under), d.Y.Dilation*d.Under
	return window.Reach(n)
}

// pixel returns the bytes of a pixel that lie together in a strip.
func (d *dotConv) pixel() int { return d.Lanes * d.Size }

// planes returns how many blocks of channels the input has.
func (d *dotConv) planes() int {
	if d.Plain {
		return 1
	}
	return geometry.CeilDiv(d.In, block)
}

// stripSize returns the bytes of a strip, with those that a step reads behind it, and a row of a channel of padding.
func (d *dotConv) stripSize() int {
	return d.planesRead()*d.metRows(d.Rows)*d.metColumns(d.Columns)*d.pixel() + 4*dotBytes + d.paddingSize()
}

func (d *dotConv) paddingSize() int {
	if d.Plain {
		return d.X.Reach(d.Columns)
	}
	return 0
}

// own reports whether each chunk reads blocks of its own, and planesRead returns how many blocks of channels a strip has.
func (d *dotConv) own() bool { return d.GroupIn != d.In && !d.Plain }

func (d *dotConv) planesRead() int {
	if d.own() {
		return d.InBlocks
	}
	return d.planes()
}

// meets returns the first and the last block of input channels that a chunk meets.
func (d *dotConv) meets(chunk int) (first, last int) {
	if d.Plain {
		return 0, 0
	}
	from, to := chunk*d.Blocks*block, min((chunk+1)*d.Blocks*block, d.Channels)
	return from / d.GroupOut * d.GroupIn / block, (((to-1)/d.GroupOut+1)*d.GroupIn - 1) / block
}

// start returns the first block of input channels that a chunk reads.
func (d *dotConv) start(chunk int) int {
	first, _ := d.meets(chunk)
	return min(first, d.planes()-d.InBlocks)
}

// together returns how many window positions in a row a step has.
func (d *dotConv) together() int {
	switch {
	case d.X.Dilation != 1:
		return 1
	case d.Depth:
		return 4 / d.Size
	}
	return max(dotBytes/d.pixel(), 1)
}

// parts returns how many steps the channels of a pixel are.
func (d *dotConv) parts() int {
	if d.Depth {
		return 1
	}
	return max(d.pixel()/dotBytes, 1)
}

// lay sets what follows from the rest of the geometry: the number of steps, and where the parts of the packed form lie. These are the offsets of
// steps, the sums of weights for output channels, and for each chunk, if sums are wide, their ends, and the weights. Of pairs each chunk has offsets of
// its own.
func (d *dotConv) lay() {
	d.steps = d.InBlocks * geometry.CeilDiv(d.Y.Size, d.Under) * geometry.CeilDiv(d.X.Size, d.together()) * d.parts()
	d.chunkBytes = d.Parts * d.steps * d.stepBytes(d.Blocks)
	if d.sumsAt = 8 * d.steps; d.Pairs {
		d.sumsAt, d.chunkBytes = 0, d.pairsSize()
	}
	d.endsAt = d.sumsAt + 4*block*d.Blocks*d.chunks
	d.weightsAt = (d.endsAt + 4*d.endsLen()*d.chunks + 63) &^ 63
}

// stepBytes returns the bytes of weights of a step for so many blocks.
func (d *dotConv) stepBytes(blocks int) int {
	if d.Depth {
		return 64
	}
	return 4 * 64 * blocks
}

// dword is where a dword of a step stands: the window position, of which the column may be behind the last one, and the input channels; those of the
// next row follow behind the last one where a pixel has several.
type dword struct{ y, x, channel int }

// eachStep calls yield with the number of each step, where in the strip of a chunk it reads, and what its dwords are, whose channels count from
// the first one of the chunk's blocks.
func (d *dotConv) eachStep(yield func(step, offset int, dwords [4]dword)) {
	row := d.StripCols * d.pixel()
	plane, pixel := d.StripRows*row, d.pixel()
	if d.Direct {
		plane = d.Y.In * d.X.In * pixel
	}
	step := 0
	for i := range d.InBlocks {
		for y := 0; y < d.Y.Size; y += d.Under {
			for x := 0; x < d.X.Size; x += d.together() {
				for part := range d.parts() {
					var dwords [4]dword
					for g := range dwords {
						at := part*dotBytes + 4*g // bytes from where the first step of the pixel reads
						if dwords[g] = (dword{y, x + at/pixel, i*block + at%pixel/d.Size}); d.together() == 1 && at >= pixel {
							dwords[g].x = d.X.Size // nothing
						}
					}
					yield(step, i*plane+y*d.Y.Dilation*row+x*d.X.Dilation/d.Every*pixel+part*dotBytes, dwords)
					step++
				}
			}
		}
	}
}

// run is tiles of so many pixels each, from a column on.
type run struct{ first, pixels, tiles int }

// cover returns tiles that cover n columns, in as little time as they can. Some of the columns may be in two of them.
func (d *dotConv) cover(n int) (runs []run) {
	// A step of a tile takes about as many cycles as it has vectors, but not less than a dot product; and its sums are begun and stored.
	const least, more = 5, 2
	vectors := d.Blocks * block / d.tier.Lanes // of a pixel
	if d.Narrow {
		vectors = 1
	}
	const most = 64 // columns that are looked at; all others have the largest tiles
	sizes := slices.Repeat([]int{d.tiles[0].Pixels}, max(n-most, 0)/d.tiles[0].Pixels)
	rest := n - len(sizes)*d.tiles[0].Pixels
	type part struct{ time, size int } // of the tiles of so many columns: the last one's size
	best := make([]part, rest+1)
	for at := 1; at <= rest; at++ {
		for i := range d.tiles {
			t := &d.tiles[i]
			if time := best[max(at-t.Pixels, 0)].time + max(t.Pixels*vectors, least) + more; t.Blocks == 1 && t.Pixels <= n && (best[at].size == 0 || time < best[at].time) {
				best[at] = part{time, t.Pixels}
			}
		}
	}
	for at := rest; at > 0; at -= best[at].size {
		sizes = append(sizes, best[at].size)
	}
	sort.Ints(sizes)
	slices.Reverse(sizes)
	at := 0
	for i, size := range sizes {
		first := at
		if i == len(sizes)-1 {
			first = n - size
		}
		if last := len(runs) - 1; last >= 0 && runs[last].pixels == size && first == at {
			runs[last].tiles++
		} else {
			runs = append(runs, run{first, size, 1})
		}
		at = first + size
	}
	return runs
}
