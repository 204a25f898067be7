package kernel

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Convolution of integers of 8 and 16 bits by dot products of dwords: of four bytes, where the processor has them, else of two words of 16
// bits. Some positions of the result, a strip, in one or two blocks of output channels are a piece. What a strip meets is copied first, in the
// form in which the routines read it, with what stands for the padding around it; a window of one position on unsigned bytes reads the input
// itself. Sums of integers do not depend on their order, so this gives what the reference gives.
//
// A filter that is not a constant is packed first, by pieces of their own. Where dwords are bytes, those of the input are taken as unsigned, 128 too great if they are signed; this and the
// zero point is made good by the sum of the filter's elements for an output channel.

// dotRows returns the rows of a tier that has dot products.
func dotRows(t *simd.Tier) []Kernel {
	prepare := func(r Region) *Plan { return convolveDots(t, r) }
	if t.DotBytes() {
		return []Kernel{{Name: "dot products of bytes", Op: "conv", In: []op.Types{bits8, bits8}, Prepare: prepare}}
	}
	shorts := bits8 | op.TypeSet(tensor.Int16)
	return []Kernel{{Name: "dot products of words", Op: "conv", In: []op.Types{shorts, shorts}, Prepare: prepare}}
}

// dotConv is a convolution by dot products. Its results lie in blocks of channels.
type dotConv struct {
	dotGeometry
	tier   *simd.Tier
	tiles  []simd.DotTile
	border geometry.Border
	codes  *codes
	signed bool // whether the elements of the input are; and
	words  bool // whether they are words of 16 bits
	bias   bool // whether there is one; and
	zero   bool // whether the input has a zero point

	steps                         int        // of a tile
	sumsAt, weightsAt, chunkBytes int        // in the packed form
	filter                        *dotFilter // that is packed by the first pieces; and
	packs                         int        // so many
	columns                       [2][]run   // how tiles cover the columns of a strip, and of the last one in a row
}

// dotGeometry is what the packed form of a filter depends on.
type dotGeometry struct {
	X, Y                 geometry.Slide
	Channels, GroupOut   int // of the result; of a group of it
	In, GroupIn          int // of the input
	Size                 int // of an element as routines read it, in bytes
	Direct, Plain        bool
	Depth                bool // whether each channel stays by itself
	Swapped              bool // whether weights in depth have the second and third quarter of channels exchanged
	Rows, Columns        int  // of the result in a strip
	StripRows, StripCols int  // of the input, of which a strip is computed
	Blocks               int  // of output channels in a piece
	InBlocks             int  // of input channels that a piece meets
}

// Limits of memory: of a strip, so that it stays in the second-level cache, and of the greatest one that is made.
const (
	stripBytes = 96 << 10
	stripMost  = 4 << 20
)

// stepsMost is the greatest number of steps of a tile, and stepsAtOnce about that of steps with a pixel and a block in a call of a routine, which
// take less than 100 µs.
const (
	stepsMost   = 2048
	stepsAtOnce = 1 << 15
)

// dotBytes is how many bytes of a pixel, or of neighbouring ones, a step of a routine reads.
const dotBytes = 16

// convolveDots returns the plan of a convolution, nil if it is not one for dot products.
func convolveDots(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	f, codes := dotFilterOf(n), codesOf(r, 1)
	if a.out[0].Shape.Len() == 0 || a.wide() || f == nil || len(r.Nodes) > 1 && codes == nil {
		return nil
	}
	v := a.convolution(false)
	d := &dotConv{tier: t, tiles: t.DotTiles(), border: v.Border, codes: codes, signed: a.in[0].DType.IsSigned(), words: a.in[0].DType.Size() == 2, bias: a.has(2), zero: a.has(3)}
	if v.Rank > 2 || v.GroupIn == 0 || v.Taps == 0 || d.words && d.zero {
		return nil
	}
	d.dotGeometry = dotGeometry{X: *v.Last(), Y: geometry.Slide{In: 1, Out: 1, Size: 1, Stride: 1, Dilation: 1},
		Channels: v.Channels, GroupOut: v.GroupOut, In: a.in[0].Shape[1], GroupIn: v.GroupIn, Size: 2}
	if v.Rank == 2 {
		d.Y = v.Dim[0]
	}
	if t.DotBytes() {
		d.Size = 1
	}
	if !f.within(8*d.Size) || !d.divide(r.Layouts[n.In[0]] == Blocked16) || d.steps > stepsMost {
		return nil
	}
	p := &Plan{In: make([]Layout, len(n.In)), Out: []Layout{Blocked16}, Scratch: d.scratch(), Pieces: a.in[0].Shape[0] * d.strips() * d.chunks(), Run: d.run}
	if !d.Plain && (v.InPlane > 1 || d.In%block > 0) {
		p.In[0] = Blocked16
	}
	if v.OutPlane == 1 && d.Channels%block == 0 {
		p.Out[0] = Plain
	}
	if size := d.weightsAt + d.chunks()*d.chunkBytes; f.elements != nil {
		p.Pack = []Pack{{From: f.elements, Form: fmt.Sprintf("dots %+v less %v", d.dotGeometry, f.zeros), Size: size,
			Fill: func(dst []byte, i, n int) { d.fill(dst, f, i, n) }}}
	} else {
		d.filter, d.packs = f, d.chunks()
		p.Shared, p.Rounds = size, []int{d.packs, p.Pieces}
		p.Pieces += d.packs
		p.Scratch = max(p.Scratch, stripAt+2*d.bufferLen())
	}
	p.Nanos = int64(a.out[0].Shape.Len()) * int64(d.steps) * dotBytes / int64(d.Size) / 100
	return p
}

// divide chooses in which form the input is read and how the result is divided. It returns false if a strip would take too much memory.
func (d *dotConv) divide(blocked bool) bool {
	d.Blocks = d.tiles[0].Blocks
	if d.GroupIn != d.In {
		d.Blocks = 1 // which meets few of the input's channels
	}
	d.Plain = !blocked && d.In <= 4
	inside := (d.X.Out-1)*d.X.Stride < d.X.In && (d.Y.Out-1)*d.Y.Stride < d.Y.In && d.X.Before == 0 && d.Y.Before == 0
	if d.Depth = d.GroupIn == 1 && d.GroupOut == 1 && !d.Plain; d.Depth {
		d.tiles, d.Swapped = d.tier.DepthTiles(), d.tier.Lanes == 8
	}
	d.Direct = !d.Depth && d.Size == 1 && !d.signed && !d.Plain && d.X.Size*d.Y.Size == 1 && inside
	for i := range d.chunks() {
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
		d.Rows = geometry.CeilDiv(d.Y.Out, geometry.CeilDiv(d.Y.Out, max(d.Rows-1, 1)))
	}
	d.lay()
	size := d.stripSize()
	d.StripRows, d.StripCols = met(&d.Y, d.Rows), met(&d.X, d.Columns)
	d.columns = [2][]run{d.cover(d.Columns), d.cover(d.X.Out - (d.across()-1)*d.Columns)}
	return size <= stripMost || d.Direct
}

// met returns how many elements, padding too, n neighbours meet along a dimension.
func met(s *geometry.Slide, n int) int { return (n-1)*s.Stride + (s.Size-1)*s.Dilation + 1 }

// pixel returns the bytes of a pixel that lie together in a strip.
func (d *dotConv) pixel() int {
	if d.Plain {
		return 4 * d.Size
	}
	return block * d.Size
}

// planes returns how many blocks of channels the input has.
func (d *dotConv) planes() int {
	if d.Plain {
		return 1
	}
	return geometry.CeilDiv(d.In, block)
}

// stripSize returns the bytes of a strip, with those that a step reads behind it.
func (d *dotConv) stripSize() int {
	return d.planesRead()*met(&d.Y, d.Rows)*met(&d.X, d.Columns)*d.pixel() + 4*dotBytes
}

// own reports whether each chunk reads blocks of its own, and planesRead returns how many blocks of channels a strip has.
func (d *dotConv) own() bool { return d.GroupIn != d.In && !d.Plain }

func (d *dotConv) planesRead() int {
	if d.own() {
		return d.InBlocks
	}
	return d.planes()
}

// across and down return the number of strips in a row and in a column of the result, strips that in a plane, and chunks the number of pieces
// that a strip has.
func (d *dotConv) across() int { return geometry.CeilDiv(d.X.Out, d.Columns) }
func (d *dotConv) down() int   { return geometry.CeilDiv(d.Y.Out, d.Rows) }
func (d *dotConv) strips() int { return d.across() * d.down() }
func (d *dotConv) chunks() int { return geometry.CeilDiv(d.Channels, d.Blocks*block) }

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
	case d.Plain:
		return dotBytes / d.pixel()
	case d.Depth:
		return 4 / d.Size
	}
	return 1
}

// lay sets what follows from the rest of the geometry: the number of steps, and where the parts of the packed form lie. These are the offsets of
// steps, the sums of weights for output channels, and for each chunk the weights.
func (d *dotConv) lay() {
	d.steps = d.InBlocks * d.Y.Size * geometry.CeilDiv(d.X.Size, d.together())
	if !d.Plain && !d.Depth {
		d.steps *= d.Size
	}
	if d.chunkBytes = d.steps * 64; !d.Depth {
		d.chunkBytes *= 4 * d.Blocks
	}
	d.sumsAt = 8 * d.steps
	d.weightsAt = (d.sumsAt + 4*block*d.Blocks*d.chunks() + 63) &^ 63
}

// dword is where a dword of a step stands: the window position, of which the column may be behind the last one, and the input channels.
type dword struct{ y, x, channel int }

// eachStep calls yield with the number of each step, where in the strip of a chunk it reads, and what its dwords are, whose channels count from
// the first one of the chunk's blocks.
func (d *dotConv) eachStep(yield func(step, offset int, dwords [4]dword)) {
	row := d.StripCols * d.pixel()
	plane, pixel := d.StripRows*row, d.pixel()
	halves, each := d.Size, 4/d.Size // channels in a dword
	if d.Plain || d.Depth {
		halves = 1
	}
	if d.Direct {
		plane = d.Y.In * d.X.In * pixel
	}
	step := 0
	for i := range d.InBlocks {
		for y := range d.Y.Size {
			for x := 0; x < d.X.Size; x += d.together() {
				for half := range halves {
					var dwords [4]dword
					for g := range dwords {
						at := 4 * g // bytes from where the step reads
						dwords[g] = dword{y, x, i*block + half*block/halves + g*each}
						if d.Plain {
							dwords[g] = dword{y, x + at/pixel, at % pixel / d.Size}
						}
						if d.Plain && d.together() == 1 && at >= pixel {
							dwords[g].x = d.X.Size // nothing
						}
					}
					yield(step, i*plane+y*d.Y.Dilation*row+x*d.X.Dilation*pixel+half*dotBytes, dwords)
					step++
				}
			}
		}
	}
}

// run is tiles of so many pixels each, from a column on.
type run struct{ first, pixels, tiles int }

// cover returns tiles that cover n columns. Some of the columns may be in two of them.
func (d *dotConv) cover(n int) (runs []run) {
	var sizes []int // of tiles, descending
	for i := range d.tiles {
		if t := &d.tiles[i]; t.Blocks == 1 {
			sizes = append(sizes, t.Pixels)
		}
	}
	for at := 0; at < n; {
		next := run{at, sizes[0], (n - at) / sizes[0]}
		if next.tiles == 0 {
			next.tiles = 1
			for _, size := range sizes {
				if next.pixels = size; size <= n && size <= n-at {
					break
				}
			}
			for _, size := range sizes {
				if size <= n && size >= n-at {
					next.first, next.pixels = n-size, size
				}
			}
		}
		runs = append(runs, next)
		at = next.first + next.tiles*next.pixels
	}
	return runs
}
