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

// Sums of 64 bits are made of sums of 32 bits that cannot wrap: see dots_wide.go. A deconvolution is several convolutions, one for each remainder that
// indices of the result have when they are divided by the strides: a phase.

// dotRows returns the rows of a tier that has dot products: of bytes, if it has these, and of words.
func dotRows(t *simd.Tier) (rows []Kernel) {
	for _, of := range []struct {
		name  string
		bytes bool
		types op.Types
	}{{"dot products of bytes", true, bits8}, {"dot products of words", false, bits8 | op.TypeSet(tensor.Int16)}} {
		if len(t.DotTiles(of.bytes)) == 0 {
			continue
		}
		row := func(name string, prepare func(t *simd.Tier, r Region, bytes bool) *Plan) Kernel {
			return Kernel{Name: of.name, Op: name, In: []op.Types{of.types, of.types}, Prepare: func(r Region) *Plan { return prepare(t, r, of.bytes) }}
		}
		rows = append(rows, row("conv", convolveDots), row("deconv", convolveDots), row("matmul", multiplyDots), row("linear", multiplyDots))
	}
	return rows
}

// dotConv is a convolution by dot products. Its results lie in blocks of channels.
type dotConv struct {
	dotGeometry
	tier    *simd.Tier
	tiles   []simd.DotTile
	border  geometry.Border
	codes   *codes
	signed  bool // whether the elements of the input are; and
	bias    bool // whether there is one; and
	zero    int  // the operand that is the zero point of the input; 0 if there is none
	product bool // whether this is a product of matrices; and
	planar  bool // whether the left one is transposed

	steps                                 int        // of a tile
	sumsAt, endsAt, weightsAt, chunkBytes int        // in the packed form
	filter                                *dotFilter // that is packed by the first pieces; and
	packs                                 int        // so many
	packedAt                              int        // what packed constant this reads, or where it lies in the memory that all pieces have in common
	pieces                                int        // that compute
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
	Depth                bool // whether each channel stays by itself
	Swapped              bool // whether weights in depth have the second and third quarter of channels exchanged
	Rows, Columns        int  // of the result in a strip
	StripRows, StripCols int  // of the input, of which a strip is computed
	Blocks               int  // of output channels in a piece
	InBlocks             int  // of input channels that a piece meets
	Words, Wide          bool // whether elements of the input are words of 16 bits; and sums have 64
	Parts                int  // as which steps may come: weights of 16 bits in one, or the low and the high ones of their bits

	// Of the result: rows and columns of all phases, how far those of one are apart, and the first ones of this.
	Plane, Apart, Phase [2]int
}

// Limits of memory: of a strip, so that it stays in the second-level cache, and of the greatest one that is made.
const (
	stripBytes = 96 << 10
	stripMost  = 4 << 20
)

// stepsMost is the greatest number of steps of a tile whose sums have 32 bits, and stepsAtOnce about that of steps with a pixel and a block in a call of
// a routine, which take less than 100 µs.
const (
	stepsMost   = 2048
	stepsAtOnce = 1 << 15
)

// dotBytes is how many bytes of a pixel, or of neighbouring ones, a step of a routine reads.
const dotBytes = 16

// convolveDots returns the plan of a convolution or deconvolution, nil if it is not one for dot products.
func convolveDots(t *simd.Tier, r Region, bytes bool) *Plan {
	n := r.Root()
	a, up := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}, n.Op == "deconv"
	f := newDotFilter(n, 4)
	if a.out[0].Shape.Len() == 0 || f == nil {
		return nil
	}
	v := a.convolution(up)
	d := newDots(t, r, bytes, 1, 3)
	if d == nil || v.Rank > 2 || v.GroupIn == 0 || v.Taps == 0 {
		return nil
	}
	d.border, d.bias = v.Border, a.has(2)
	d.X, d.Y = *v.Last(), unmoved
	if v.Rank == 2 {
		d.Y = v.Dim[0]
	}
	d.Channels, d.GroupOut, d.In, d.GroupIn = v.Channels, v.GroupOut, a.in[0].Shape[1], v.GroupIn
	d.Plane, d.Apart = [2]int{d.Y.Out, d.X.Out}, [2]int{1, 1}
	f.channel, f.step = n.In[1].Type.Shape[1:].Len(), 1
	list, filters := dots{d}, []*dotFilter{f}
	if up {
		list, filters = d.phases(f)
	}
	p := list.plan(filters, a.in[0].Shape[0], r.Layouts[n.In[0]] == Blocked16)
	if p == nil {
		return nil
	}
	p.In, p.Out = make([]Layout, len(n.In)), []Layout{Blocked16}
	if !list[0].Plain && (v.InPlane > 1 || d.In%block > 0) {
		p.In[0] = Blocked16
	}
	if v.OutPlane == 1 && d.Channels%block == 0 {
		p.Out[0] = Plain
	}
	return p
}

// unmoved is a dimension that there is not.
var unmoved = geometry.Slide{In: 1, Out: 1, Size: 1, Stride: 1, Dilation: 1}

// newDots returns what a convolution or product by dot products of bytes, or of words, begins with: the way of its elements and sums, with channels of the result along an axis and an
// operand for the zero point of the input. It returns nil if that cannot be.
func newDots(t *simd.Tier, r Region, bytes bool, axis, zero int) *dotConv {
	n, codes := r.Root(), codesOf(r, axis)
	in := n.In[0].Type.DType
	d := &dotConv{tier: t, tiles: t.DotTiles(bytes), border: geometry.BorderIgnore, codes: codes, signed: in.IsSigned()}
	if len(n.In) > zero && n.In[zero] != nil {
		d.zero = zero
	}
	d.Size, d.Parts, d.Words, d.Wide = 2, 1, in.Size() == 2, n.Out[0].Type.DType == tensor.Int64
	if bytes {
		d.Size = 1
	}
	if d.Wide && d.Size == 1 || d.Words && d.zero > 0 || len(r.Nodes) > 1 && codes == nil {
		return nil
	}
	return d
}

// linearRows is the least number of rows of the input of a linear layer with known weights that make one a product; fewer are dot products of rows.
const linearRows = 4

// multiplyDots returns the plan of a product with one matrix on the right, nil if it is not one for dot products: a convolution of rows as pixels,
// whose channels are columns. Of a transposed matrix on the left the rows lie as planes.
func multiplyDots(t *simd.Tier, r Region, bytes bool) *Plan {
	n := r.Root()
	a, zero, linear := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}, 2, n.Op == "linear"
	if linear {
		zero = len(n.In)
	}
	g, f, right := a.product(), newDotFilter(n, 3), a.in[1].Shape
	if a.out[0].Shape.Len() == 0 || g.K == 0 || g.AK != 1 && a.in[0].Shape.Len() != g.M*g.K || right.Len() != g.K*g.N || f == nil ||
		!linear && (!a.zerosAlong(3, 1) || a.has(2) && a.in[2].Shape.Len() != 1) || len(f.zeros) > 1 && len(f.zeros) != g.N ||
		linear && (g.M < linearRows || f.elements == nil) {
		return nil
	}
	d := newDots(t, r, bytes, -1, zero)
	if d == nil || d.codes != nil && d.codes.args.Form == 1 {
		return nil
	}
	f.channel, f.step = g.BCol, g.BK
	d.product, d.planar, d.bias = true, g.AK != 1, linear && a.has(2)
	d.X, d.Y = unmoved, unmoved
	d.X.In = a.out[0].Shape.Len() / g.N
	d.X.Out = d.X.In
	d.Channels, d.GroupOut, d.In, d.GroupIn = g.N, g.N, g.K, g.K
	return dots{d}.plan([]*dotFilter{f}, 1, true)
}

// phases returns the convolutions that a deconvolution consists of, and their filters; none if they are not such or too many.
func (d *dotConv) phases(f *dotFilter) (list dots, filters []*dotFilter) {
	const most = 16
	x, y := d.X, d.Y
	if x.Dilation != 1 || y.Dilation != 1 || x.Stride > most/y.Stride || d.codes != nil && d.codes.args.Form == 1 {
		return nil, nil
	}
	d.Apart = [2]int{y.Stride, x.Stride}
	f.outs = d.GroupOut
	for i := range y.Stride {
		for j := range x.Stride {
			d, f := *d, *f
			d.Phase = [2]int{i, j}
			d.Y, f.y = phase(y, i)
			d.X, f.x = phase(x, j)
			if d.Y.Out > 0 && d.X.Out > 0 {
				list, filters = append(list, &d), append(filters, &f)
			}
		}
	}
	return list, filters
}

// phase returns how a window slides over the operand of a deconvolution for the results p, p + stride, and so on, and which of its positions the
// elements of that window are.
func phase(s geometry.Slide, p int) (geometry.Slide, upTaps) {
	before := geometry.FloorDiv(p+s.Before, s.Stride)
	k := p + s.Before - before*s.Stride // the first position that meets an element; the others lie strides apart
	n := max(geometry.CeilDiv(s.Size-k, s.Stride), 1)
	taps := upTaps{n: n, last: k, step: s.Stride, size: s.Size}
	return geometry.Slide{In: s.In, Out: geometry.CeilDiv(s.Out-p, s.Stride), Size: n, Stride: 1, Dilation: 1, Before: n - 1 - before}, taps
}

// plan returns the plan of convolutions of the items of a batch, without layouts, or nil if one of them cannot be.
func (l dots) plan(filters []*dotFilter, batch int, blocked bool) *Plan {
	p, packs, pieces := &Plan{Run: l.run}, 0, 0
	for i, d := range l {
		f := filters[i]
		if d.Words && !f.within(wordsTogether) {
			d.Parts = 2
		}
		if !f.within(8*d.Size) || !d.divide(blocked) || d.steps > stepsMost && !d.Wide {
			return nil
		}
		d.pieces = batch * d.strips() * d.chunks()
		p.Scratch = max(p.Scratch, d.scratch())
		if size := d.weightsAt + d.chunks()*d.chunkBytes; f.elements != nil {
			d.packedAt = len(p.Pack)
			p.Pack = append(p.Pack, Pack{From: f.elements, Form: fmt.Sprintf("dots %+v by %+v", d.dotGeometry, f.dotOrder), Size: size,
				Fill: func(dst []byte, i, n int) { d.fill(dst, f, i, n) }})
		} else {
			d.filter, d.packs, d.packedAt = f, d.chunks(), p.Shared
			p.Shared += (size + 63) &^ 63
			p.Scratch = max(p.Scratch, stripAt+2*d.bufferLen())
		}
		packs, pieces = packs+d.packs, pieces+d.pieces
		p.Nanos += int64(batch) * int64(d.Y.Out) * int64(d.X.Out) * int64(d.Channels) * int64(d.steps) * dotBytes / int64(d.Size) / 100
	}
	if p.Pieces = packs + pieces; pieces == 0 {
		return nil
	}
	if packs > 0 {
		p.Rounds = []int{packs, pieces}
	}
	return p
}

// divide chooses in which form the input is read and how the result is divided. It returns false if a strip would take too much memory,
// or there are no routines.
func (d *dotConv) divide(blocked bool) bool {
	d.Blocks = d.tiles[0].Blocks
	if d.GroupIn != d.In {
		d.Blocks = 1 // which meets few of the input's channels
	}
	d.Plain = !blocked && d.In <= 4
	inside := (d.X.Out-1)*d.X.Stride < d.X.In && (d.Y.Out-1)*d.Y.Stride < d.Y.In && d.X.Before == 0 && d.Y.Before == 0
	if d.Depth = d.GroupIn == 1 && d.GroupOut == 1 && !d.Plain && !d.product; d.Depth {
		if d.tiles, d.Swapped = d.tier.DepthTiles(d.Size == 1), d.tier.Lanes == 8; len(d.tiles) == 0 {
			return false
		}
	}
	d.Direct = !d.Depth && !d.product && d.Size == 1 && !d.signed && !d.Plain && d.X.Size*d.Y.Size == 1 && inside
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
// steps, the sums of weights for output channels, and for each chunk, if sums are wide, their ends, and the weights.
func (d *dotConv) lay() {
	d.steps = d.InBlocks * d.Y.Size * geometry.CeilDiv(d.X.Size, d.together())
	if !d.Plain && !d.Depth {
		d.steps *= d.Size
	}
	d.chunkBytes = d.Parts * d.steps * d.stepBytes(d.Blocks)
	d.sumsAt = 8 * d.steps
	d.endsAt = d.sumsAt + 4*block*d.Blocks*d.chunks()
	d.weightsAt = (d.endsAt + 4*d.endsLen()*d.chunks() + 63) &^ 63
}

// stepBytes returns the bytes of weights of a step for so many blocks.
func (d *dotConv) stepBytes(blocks int) int {
	if d.Depth {
		return 64
	}
	return 4 * 64 * blocks
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
