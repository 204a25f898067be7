package kernel

import (
	"math"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// poolingLines is pooling of few channels, in their plain layout: vectors are results beside each other in a row. The rows of the operand that a tile of results
// needs are copied first, with what lies outside, so that all windows are whole, and neighbours are met by neighbours: if windows move by more than one
// element, a row has a copy for each column of the window.
type poolingLines struct {
	routine *simd.Routine[simd.WindowArgs]
	h, w    geometry.Slide
	outside uint32 // which leaves a result as it is
	divide  int

	rows, columns int // of a tile of results
	across, down  int // tiles of a plane
	copies        int // of a row
	length        int // elements of a copy
	reach         int // rows that are copied
	vectors       int // elements of a row of results in working memory
	columnStep    int
	parts         [2][]simd.WindowPart // of the last tile of a plane, if it has fewer rows, and of the others
}

// The elements that are copied for a tile: about, and at most.
const (
	linesElements = 1 << 13
	linesMost     = 1 << 17
)

var onlyCanonical = []simd.TailStep{{Kind: simd.TailCanonical}, {Kind: simd.TailEnd}}

func poolLines(routine *simd.Routine[simd.WindowArgs], r Region, h, w geometry.Slide, divide bool) *Plan {
	n := r.Root()
	if len(r.Nodes) > 1 || h.Span() > linesMost || w.Span() > linesMost || h.Size*w.Size > tileTaps {
		return nil
	}
	g := &poolingLines{routine: routine, h: h, w: w, copies: 1, columnStep: w.Dilation, columns: min(w.Out, linesElements/32)}
	if n.Op == "max_pool" {
		g.outside = math.Float32bits(float32(math.Inf(-1)))
	}
	if divide {
		g.divide = 1
	}
	g.vectors = geometry.CeilDiv(g.columns, block) * block
	g.length = g.vectors + w.Span() - 1
	if w.Stride > 1 {
		g.copies, g.length, g.columnStep = w.Size, g.vectors, g.vectors
	}
	const group = simd.WindowPixels
	g.rows = min(h.Out, max((linesElements/(g.copies*g.length)-h.Span())/h.Stride/group, 1)*group)
	g.reach = h.Reach(g.rows)
	elements := g.reach * g.copies * g.length
	if elements > linesMost {
		return nil
	}
	g.across, g.down = geometry.CeilDiv(w.Out, g.columns), geometry.CeilDiv(h.Out, g.rows)
	g.parts = [2][]simd.WindowPart{g.windowParts(h.Out % g.rows), g.windowParts(g.rows)}
	in := n.In[0].Type.Shape
	return &Plan{Pieces: in[0] * in[1] * g.across * g.down, Scratch: 4 * (elements + g.rows*g.vectors), Run: g.run,
		Nanos: int64(n.Out[0].Type.Shape.Len()) * int64(4+h.Size*w.Size) / 4}
}

func (g *poolingLines) run(c *op.Call, lo, hi int) {
	x, y, watch := tensor.Words[uint32](c.In[0]), tensor.Words[uint32](c.Out[0]), c.Watch()
	memory := scratch[uint32](c)
	copied, results := memory[:g.reach*g.copies*g.length], memory[g.reach*g.copies*g.length:]
	for p := lo; p < hi; p++ {
		if watch.Stops(len(copied) + g.rows*g.columns*g.h.Size*g.w.Size) {
			return
		}
		plane, first, row := p/g.across/g.down, p%g.across*g.columns, p/g.across%g.down*g.rows
		columns, rows := min(g.columns, g.w.Out-first), min(g.rows, g.h.Out-row)
		from := x[plane*g.h.In*g.w.In:][:g.h.In*g.w.In]
		for i := range g.h.Reach(rows) {
			g.copyRow(copied[i*g.copies*g.length:][:g.copies*g.length], from, row*g.h.Stride-g.h.Before+i, first, columns)
		}
		parts := g.parts[rows/g.rows] // but for the last tile of a plane it has all
		g.routine.Run(&simd.WindowArgs{In: simd.At(copied, 0), Out: simd.At(results, 0), Width: 4 * g.vectors, Parts: simd.At(parts, 0), Count: len(parts),
			ColumnStep: 4 * g.columnStep, Divide: g.divide, Steps: simd.At(onlyCanonical, 0)})
		to := y[plane*g.h.Out*g.w.Out:]
		for i := range rows {
			copy(to[(row+i)*g.w.Out+first:][:columns], results[i*g.vectors:])
		}
	}
}

// copyRow sets the copies of a row of the operand, which may lie outside, for so many results from the first on.
func (g *poolingLines) copyRow(to, from []uint32, row, first, columns int) {
	n := columns + g.length - g.vectors
	for k := range g.copies {
		line := to[k*g.length:][:n]
		at, stride := first*g.w.Stride-g.w.Before+k*g.w.Dilation, g.w.Stride
		begin := min(max(geometry.CeilDiv(-at, stride), 0), n)
		end := max(min(geometry.CeilDiv(g.w.In-at, stride), n), begin)
		if row < 0 || row >= g.h.In {
			begin, end = n, n
		}
		repeat(line[:begin], g.outside)
		repeat(line[end:], g.outside)
		if line = line[begin:end]; len(line) == 0 {
			continue
		}
		source := from[row*g.w.In+at+begin*stride:]
		switch stride {
		case 1:
			copy(line, source)
		case 2: // with a distance that is known it takes half as long
			source = source[:2*len(line)-1]
			for i := range line {
				line[i] = source[2*i]
			}
		default:
			for i := range line {
				line[i] = source[i*stride]
			}
		}
	}
}

// windowParts returns the parts of so many rows of results.
func (g *poolingLines) windowParts(rows int) (list []simd.WindowPart) {
	row := g.copies * g.length
	part := simd.WindowPart{Rows: g.h.Size, Columns: g.w.Size, RowSkip: 4 * (g.h.Dilation*row - g.w.Size*g.columnStep), Layers: 1,
		InStep: 4 * g.h.Stride * row, OutStep: 4 * g.vectors, Lines: 1, Divisor: float32(g.h.Size * g.w.Size)}
	for rows > 0 {
		part.Pixels = min(rows, simd.WindowPixels)
		part.Groups = rows / part.Pixels
		part.InGroup, part.OutGroup = part.Pixels*part.InStep, part.Pixels*part.OutStep
		list = append(list, part)
		part.In += part.Groups * part.InGroup
		part.Out += part.Groups * part.OutGroup
		rows %= part.Pixels
	}
	return list
}
