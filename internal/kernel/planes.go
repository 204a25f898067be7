package kernel

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Windows that slide over planes of blocks of channels, where each channel stays by itself.

// planes is the geometry of a window that slides over the last one to three dimensions of a value in blocks of channels, or over those of the result.
type planes struct {
	items, channels, blocks int
	in, out                 int // pixels of a plane
	columnStep, divide      int // as the routine has them
	size                    int // bytes of an element
	taps                    int // positions of the window
	tiles                   [][]simd.WindowPart

	d, h, w       geometry.Slide // of the first lattice: layers, rows, columns
	lattices      []lattice
	pixels        int  // of a group
	all           bool // whether all positions of a window count
	copied        bool // whether the operand is a copy in the memory that all share
	width, height int  // of a tile
}

// lattice is pixels of the result in equal distances, whose windows slide over the operand: all of them, or those of a transposed convolution whose windows
// have the same elements of the filter. Distances are in bytes.
type lattice struct {
	d, h, w           geometry.Slide
	in, out, weights  int // the first pixels, and the first element of the filter
	inColumn, inRow   int // between neighbours
	outColumn, outRow int
}

// tileTaps bounds the windows' positions in a tile of pixels, which a call of a routine computes.
const tileTaps = 1 << 15

// tileBytes is about how many bytes the rows of a tile have that a line of windows meets: what the nearest cache holds, and room for results.
const tileBytes = 24 << 10

// mostParts bounds the parts of a plane's tiles, all of which a plan keeps.
const mostParts = 1 << 17

// slides returns the windows along layers, rows and columns, the last dimensions of these shapes, for the attributes of a window of a size over those
// from first on; false if there are more dimensions. Those that there are not are of one element.
func slides(a graph.Attrs, first int, in, out tensor.Shape, size []int) (d, h, w geometry.Slide, ok bool) {
	along := func(i int) geometry.Slide {
		return geometry.SlideOf(a, i-first, in[i], out[i], size[i-first])
	}
	switch len(in) {
	case 3:
		return geometry.Unmoved, geometry.Unmoved, along(2), true
	case 4:
		return geometry.Unmoved, along(2), along(3), true
	case 5:
		d, h, w = along(2), along(3), along(4)
		if h.Still() && w.Still() { // layers are rows
			w.In, w.Out = h.In*w.In, h.Out*w.Out
			return geometry.Unmoved, d, w, true
		}
		return d, h, w, true
	}
	return d, h, w, false
}

// newPlanes returns the geometry of windows that take groups of so many pixels. Sums that are divided are so by the positions inside of the
// operand, or, if all count, by all. It is nil where that is too much.
func newPlanes(in tensor.Shape, size int, d, h, w geometry.Slide, pixels int, all bool) *planes {
	pixel := block * size
	one := lattice{d: d, h: h, w: w, inColumn: pixel, inRow: w.In * pixel, outColumn: pixel, outRow: w.Out * pixel}
	return planesOf(in, size, d.Size*h.Size*w.Size, d.Out*h.Out*w.Out, []lattice{one}, pixels, all)
}

// planesOf is newPlanes for lattices, of which the first one has the most pixels, with so many positions of the window and pixels of a plane of the result.
func planesOf(in tensor.Shape, size, taps, out int, lattices []lattice, pixels int, all bool) *planes {
	d, h, w := lattices[0].d, lattices[0].h, lattices[0].w
	g := &planes{items: in[0], channels: in[1], blocks: geometry.CeilDiv(in[1], block), in: d.In * h.In * w.In, out: out,
		size: size, columnStep: w.Dilation * lattices[0].inColumn, taps: taps, lattices: lattices}
	if g.taps > tileTaps || g.in > maxPlane || g.out > maxPlane {
		return nil
	}
	width := min(w.Out, max(tileTaps/g.taps, pixels), max(tileBytes/(block*size*w.Stride*max(h.Span(), 1)*d.Size), 2*pixels))
	width = geometry.CeilDiv(w.Out, geometry.CeilDiv(w.Out, width)) // of tiles of equal size
	height := min(h.Out, max(tileTaps/(g.taps*width), 1))
	height = min(height, geometry.CeilDiv(h.Out, geometry.CeilDiv(convPieces, g.items*g.blocks)))
	g.d, g.h, g.w, g.pixels, g.all, g.width, g.height = d, h, w, pixels, all, width, height
	if g.tiles = g.tilesOf(0, h.Out, mostParts); g.tiles == nil {
		return nil
	}
	return g
}

// tilesOf divides some rows of each layer of the result into tiles. It returns nil if these have more parts than most.
func (g *planes) tilesOf(first, end, most int) (tiles [][]simd.WindowPart) {
	for z := range g.d.Out {
		for y := first; y < end; y += g.height {
			for x := 0; x < g.w.Out; x += g.width {
				var tile []simd.WindowPart
				for i := range g.lattices {
					p := &g.lattices[i]
					for _, rows := range p.h.Stretches(y, min(y+g.height, end, p.h.Out)) {
						for _, columns := range p.w.Stretches(x, min(x+g.width, p.w.Out)) {
							tile = append(tile, g.parts(p, z, rows, columns)...)
						}
					}
				}
				if most -= len(tile); most < 0 {
					return nil
				}
				tiles = append(tiles, tile)
			}
		}
	}
	return tiles
}

// blockBytes is the size of a pixel in a block of float32.
const blockBytes = 4 * block

// maxPlane is the greatest number of pixels of a plane, of which distances in bytes are within an int.
const maxPlane = math.MaxInt >> 8

// parts returns the rectangle of some rows and columns of a layer of a lattice, as parts with groups of equal size.
func (g *planes) parts(f *lattice, layer int, rows, columns geometry.Stretch) []simd.WindowPart {
	d, h, w, pixels := &f.d, &f.h, &f.w, g.pixels
	begin, end := d.Inside(layer)
	kd, kh, kw := end-begin, rows.End-rows.Begin, columns.End-columns.Begin
	if kd == 0 || kh == 0 || kw == 0 {
		kd, kh, kw = 1, 0, 0
	}
	row := h.Dilation * f.inRow // of the window
	p := simd.WindowPart{Rows: kh, Columns: kw, RowSkip: row - kw*w.Dilation*f.inColumn, WeightsSkip: (w.Size - kw) * blockBytes,
		Layers: kd, LayerSkip: d.Dilation*h.In*f.inRow - kh*row, LayerWeightsSkip: (h.Size - kh) * w.Size * blockBytes,
		Lines: rows.N, InLine: h.Stride * f.inRow, OutLine: f.outRow,
		InStep: w.Stride * f.inColumn, OutStep: f.outColumn, Divisor: float32(max(kd*kh*kw, 1))}
	if g.all {
		p.Divisor = float32(g.taps)
	}
	z, y, x := layer*d.Stride-d.Before+begin*d.Dilation, rows.First*h.Stride-h.Before+rows.Begin*h.Dilation, columns.First*w.Stride-w.Before+columns.Begin*w.Dilation
	if kh > 0 {
		p.In = f.in + (z*h.In+y)*f.inRow + x*f.inColumn
		p.Weights = f.weights + ((begin*h.Size+rows.Begin)*w.Size+columns.Begin)*blockBytes
	}
	p.Out = f.out + (layer*h.Out+rows.First)*f.outRow + columns.First*f.outColumn
	n := columns.N
	if n < rows.N && n < pixels/2 { // groups go down a column
		n, p.Lines = p.Lines, n
		p.InStep, p.InLine, p.OutStep, p.OutLine = p.InLine, p.InStep, p.OutLine, p.OutStep
	}
	groups := geometry.CeilDiv(n, pixels)
	small := n / groups
	var list []simd.WindowPart
	for _, of := range [2][2]int{{small + 1, n - small*groups}, {small, groups - (n - small*groups)}} {
		if of[1] > 0 {
			p.Pixels, p.Groups = of[0], of[1]
			p.InGroup, p.OutGroup = p.Pixels*p.InStep, p.Pixels*p.OutStep
			list = append(list, p)
			p.In += p.Groups * p.InGroup
			p.Out += p.Groups * p.OutGroup
		}
	}
	return list
}

// plan returns the plan of a region whose first node a routine computes, before the tail, with an operand that is a bias. A piece is a tile of pixels
// of a block of channels; those of the same pixels are neighbours. If the plan has packed weights, they are blocks of one vector for each position of
// the window. It is nil if the routine cannot do it.
func (g *planes) plan(t *simd.Tier, routine *simd.Routine[simd.WindowArgs], r Region, bias int) *Plan {
	if g == nil {
		return nil
	}
	tail, ok := tailOf(r, 1, bias)
	if !ok {
		return nil
	}
	w := &windows{g, routine, t.Lanes, tail, tail.readyBlocks()}
	p := g.by(w, r)
	for _, i := range tail.tensors {
		p.In[i] = Blocked16
	}
	p.Scratch = tail.size(block)
	if g.lattices[0].outRow > 0 && len(r.Root().Out[0].Type.Shape) == 4 { // and not from the last row to the first one
		p.Rows = &Rows{g.h.Out, needs(g.h.In, g.h.Stride, g.h.Before, g.h.Span()), w.cut, len(tail.tensors) > 0}
	}
	return p
}

// by returns the plan of a region by what computes its windows.
func (g *planes) by(w *windows, r Region) *Plan {
	p := &Plan{In: make([]Layout, len(r.Operands())), Out: []Layout{Blocked16}, Pieces: g.items * g.blocks * len(g.tiles), Run: w.run}
	p.In[0] = Blocked16
	p.Nanos = int64(g.items*g.blocks*g.out*(g.taps+4)*g.size) / 8
	return p
}

// windows computes windows by a routine whose vectors have so many lanes, with a tail or, of integers, without one.
type windows struct {
	*planes
	routine *simd.Routine[simd.WindowArgs]
	lanes   int
	tail    *tail
	ready   [][]byte // [tail.readyBlocks]
}

// run computes pieces.
func (g *windows) run(c *op.Call, lo, hi int) {
	input := c.In[0].Bytes()
	if g.copied {
		input = c.Shared
	}
	x, y, watch, tiles := simd.At(input, 0), simd.At(c.Out[0].Bytes(), 0), c.Watch(), len(g.tiles)
	for p := lo; p < hi; p++ {
		if watch.Stops(g.out / tiles * g.taps) {
			return
		}
		item, tile, b := p/g.blocks/tiles, p/g.blocks%tiles, p%g.blocks
		plane := item*g.blocks + b
		g.tile(c, x+uintptr(plane*g.in*block*g.size), y+uintptr(plane*g.out*block*g.size), b*block, g.tiles[tile])
	}
}

// tile computes a tile of the block of channels that begins with one, whose planes lie at addresses.
func (g *windows) tile(c *op.Call, x, y uintptr, first int, tile []simd.WindowPart) {
	args := simd.WindowArgs{In: x, Out: y, Width: geometry.CeilDiv(min(block, g.channels-first), g.lanes) * g.lanes * g.size,
		Parts: simd.At(tile, 0), Count: len(tile), ColumnStep: g.columnStep, Divide: g.divide}
	if g.tail != nil {
		var ready []byte
		if g.ready != nil {
			ready = g.ready[first/block]
		}
		args.Steps = g.tail.at(c, ready, first, block)
	}
	if len(c.Packed) > 0 {
		args.Weights = simd.At(c.Packed[0], first*g.taps*4)
	}
	g.routine.Run(&args)
}

// cut returns what computes ranges of rows.
func (g *windows) cut(cuts Cuts) op.Kernel {
	tiles := make([][][]simd.WindowPart, len(cuts.Ranges))
	for i, r := range cuts.Ranges {
		tiles[i] = g.tilesOf(r.First, r.End, math.MaxInt)
	}
	inRow, outRow := g.w.In*block*g.size, g.w.Out*block*g.size
	inPlane, inItem := held(cuts.In, g.h.In, inRow, g.blocks)
	outPlane, outItem := held(cuts.Out, g.h.Out, outRow, g.blocks)
	return func(c *op.Call, lo, hi int) {
		x, y, watch := simd.At(c.In[0].Bytes(), 0), simd.At(c.Out[0].Bytes(), 0), c.Watch()
		for ; lo < hi; lo++ {
			item, k := lo/len(tiles), lo%len(tiles)
			r := &cuts.Ranges[k]
			for b := range g.blocks {
				from, to := x+uintptr(item*inItem+b*inPlane-r.In*inRow), y+uintptr(item*outItem+b*outPlane-r.Out*outRow)
				for _, tile := range tiles[k] {
					if watch.Stops(g.width * min(g.height, r.End-r.First) * g.taps) {
						return
					}
					g.tile(c, from, to, b*block, tile)
				}
			}
		}
	}
}
