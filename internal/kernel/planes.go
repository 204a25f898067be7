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

// planes is the geometry of a window that slides over the last one or two dimensions of a value in blocks of channels.
type planes struct {
	items, channels, blocks int
	in, out                 int // pixels of a plane
	columnStep, divide      int // as the routine has them
	size                    int // bytes of an element
	taps                    int // positions of the window
	tiles                   [][]simd.WindowPart
}

// tileTaps bounds the windows' positions in a tile of pixels, which a call of a routine computes.
const tileTaps = 1 << 15

// tileBytes is about how many bytes the rows of a tile have that a line of windows meets: what the nearest cache holds, and room for results.
const tileBytes = 24 << 10

// slide is a window along one dimension.
type slide struct{ in, out, size, stride, dilation, before int }

// slides returns the windows along the last two dimensions of these shapes, of which the first may be of one element, for the attributes of a
// window over the last dimensions; false if there are more.
func slides(a graph.Attrs, in, out, size tensor.Shape) (h, w slide, ok bool) {
	padding, stride, dilation := a.Ints("padding"), a.Ints("stride"), a.Ints("dilation")
	along := func(i int) slide {
		s := slide{in: in[2+i], out: out[2+i], size: size[i], stride: 1, dilation: 1, before: padding[2*i]}
		if len(stride) > 0 {
			s.stride = stride[i]
		}
		if len(dilation) > 0 {
			s.dilation = dilation[i]
		}
		return s
	}
	switch len(size) {
	case 1:
		return slide{1, 1, 1, 1, 1, 0}, along(0), true
	case 2:
		return along(0), along(1), true
	}
	return h, w, false
}

// span is results that stand beside each other, with the positions of the window, up to end, that are inside of the operand.
type stretch struct{ first, n, begin, end int }

// span returns how many elements there are from the first one of a window to the last.
func (s *slide) span() int { return (s.size-1)*s.dilation + 1 }

// stretches divides the results from…to-1 into those of equal positions.
func (s *slide) stretches(from, to int) (list []stretch) {
	for o := from; o < to; o++ {
		start := s.before - o*s.stride
		begin := max(geometry.CeilDiv(start, s.dilation), 0)
		end := max(min(geometry.FloorDiv(start+s.in-1, s.dilation)+1, s.size), begin)
		if begin == end {
			begin, end = 0, 0
		}
		if n := len(list); n > 0 && list[n-1].begin == begin && list[n-1].end == end {
			list[n-1].n++
		} else {
			list = append(list, stretch{o, 1, begin, end})
		}
	}
	return list
}

// newPlanes returns the geometry of windows that take groups of so many pixels. With divide, sums are divided by the positions inside of the
// operand, or, if all count, by all. It is nil where that is too much.
func newPlanes(in tensor.Shape, size int, h, w slide, pixels int, all bool) *planes {
	g := &planes{items: in[0], channels: in[1], blocks: geometry.CeilDiv(in[1], block), in: h.in * w.in, out: h.out * w.out,
		size: size, columnStep: w.dilation * block * size, taps: h.size * w.size}
	if g.taps > tileTaps || g.in > maxPlane || g.out > maxPlane {
		return nil
	}
	width := min(w.out, max(tileTaps/g.taps, pixels), max(tileBytes/(block*size*w.stride*h.span()), 2*pixels))
	width = geometry.CeilDiv(w.out, geometry.CeilDiv(w.out, width)) // of tiles of equal size
	height := min(h.out, max(tileTaps/(g.taps*width), 1))
	for y := 0; y < h.out; y += height {
		for x := 0; x < w.out; x += width {
			var tile []simd.WindowPart
			for _, rows := range h.stretches(y, min(y+height, h.out)) {
				for _, columns := range w.stretches(x, min(x+width, w.out)) {
					tile = append(tile, parts(&h, &w, rows, columns, block*size, pixels, all)...)
				}
			}
			g.tiles = append(g.tiles, tile)
		}
	}
	return g
}

// blockBytes is the size of a pixel in a block of float32.
const blockBytes = 4 * block

// maxPlane is the greatest number of pixels of a plane, of which distances in bytes are within an int.
const maxPlane = math.MaxInt >> 8

// parts returns the rectangle of some rows and columns of results, as parts with groups of equal size. A pixel has so many bytes.
func parts(h, w *slide, rows, columns stretch, pixel, pixels int, all bool) []simd.WindowPart {
	kh, kw := rows.end-rows.begin, columns.end-columns.begin
	if kh == 0 || kw == 0 {
		kh, kw = 0, 0
	}
	row := w.in * h.dilation * pixel // of the window
	p := simd.WindowPart{Rows: kh, Columns: kw, RowSkip: row - kw*w.dilation*pixel, WeightsSkip: (w.size - kw) * blockBytes,
		Lines: rows.n, InLine: h.stride * w.in * pixel, OutLine: w.out * pixel,
		InStep: w.stride * pixel, OutStep: pixel, Divisor: float32(max(kh*kw, 1))}
	if all {
		p.Divisor = float32(h.size * w.size)
	}
	y, x := rows.first*h.stride-h.before+rows.begin*h.dilation, columns.first*w.stride-w.before+columns.begin*w.dilation
	if kh > 0 {
		p.In = (y*w.in + x) * pixel
		p.Weights = (rows.begin*w.size + columns.begin) * blockBytes
	}
	p.Out = (rows.first*w.out + columns.first) * pixel
	n := columns.n
	if n < rows.n && n < pixels/2 { // groups go down a column
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
// of a block of channels. If the plan has packed weights, they are blocks of one vector for each position of the window. It is nil if the
// routine cannot do it.
func (g *planes) plan(t *simd.Tier, routine *simd.Routine[simd.WindowArgs], r Region, bias int) *Plan {
	if g == nil {
		return nil
	}
	tail, ok := tailOf(r, 1, bias)
	if !ok {
		return nil
	}
	p := g.bare(r)
	for _, i := range tail.tensors {
		p.In[i] = Blocked16
	}
	p.Scratch = tail.size(t.Lanes)
	p.Run = func(c *op.Call, lo, hi int) {
		g.run(c, lo, hi, t.Lanes, routine, func(channel int) (steps, weights uintptr) {
			if len(c.Packed) > 0 {
				weights = simd.At(c.Packed[0], (channel/block*g.taps*block+channel%block)*4)
			}
			return tail.set(c, c.Scratch, channel, t.Lanes), weights
		})
	}
	return p
}

// bare returns the plan of a region with everything but what computes it.
func (g *planes) bare(r Region) *Plan {
	p := &Plan{In: make([]Layout, len(r.Operands())), Out: []Layout{Blocked16}, Pieces: g.items * g.blocks * len(g.tiles)}
	p.In[0] = Blocked16
	p.Nanos = int64(g.items*g.blocks*g.out*(g.taps+4)*g.size) / 8
	return p
}

// run computes pieces by a routine whose vectors have so many lanes. Of the vector at a channel another function says the steps and
// the weights.
func (g *planes) run(c *op.Call, lo, hi, lanes int, routine *simd.Routine[simd.WindowArgs], of func(channel int) (steps, weights uintptr)) {
	x, y, watch, tiles := c.In[0].Bytes(), c.Out[0].Bytes(), c.Watch(), len(g.tiles)
	for p := lo; p < hi; p++ {
		if watch.Stops(g.out / tiles * g.taps) {
			return
		}
		plane, tile := p/tiles, g.tiles[p%tiles]
		first := plane % g.blocks * block
		for lane := 0; lane < min(block, g.channels-first); lane += lanes {
			args := simd.WindowArgs{In: simd.At(x, (plane*g.in*block+lane)*g.size), Out: simd.At(y, (plane*g.out*block+lane)*g.size),
				Parts: simd.At(tile, 0), Count: len(tile), ColumnStep: g.columnStep, Divide: g.divide}
			args.Steps, args.Weights = of(first + lane)
			routine.Run(&args)
		}
	}
}
