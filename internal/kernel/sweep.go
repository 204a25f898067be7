package kernel

import (
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
)

// Windows that slide over whole rows of results.

// span is a run of results of one row at one window position: result out + j·outStep of the row meets the operand's
// element in + j·inStep, for j < n. If outside is set it meets the zero of a constant border.
type span struct {
	out, outStep int
	in, inStep   int
	n            int
	outside      bool
}

// spans calls f for the runs that make up the row of results at index o, at window position k. Results that nothing
// meets, as with the border ignore, are in none of them.
func spans(g *geometry.Sliding, o, k *geometry.Position, f func(span)) {
	base := g.Offset(o, k, g.Rank-1)
	d, kd := g.Last(), k[g.Rank-1]
	// Step j of the row is a result in a down operation and an operand element in an up operation. Both sides are
	// linear in j; from…to-1 are in the result, lo…hi-1 of them in the operand too.
	s := span{outStep: 1, inStep: 1}
	var from, to, lo, hi int
	if shift := kd*d.Dilation - d.Before; d.Up {
		s.out, s.outStep = shift, d.Stride
		from, to = geometry.CeilDiv(-shift, d.Stride), geometry.CeilDiv(d.Out-shift, d.Stride)
		lo = min(max(0, from), to)
		hi = min(max(d.In, lo), to)
	} else {
		s.in, s.inStep = shift, d.Stride
		to = d.Out
		lo = min(max(geometry.CeilDiv(-shift, d.Stride), 0), to)
		hi = min(max(geometry.CeilDiv(d.In-shift, d.Stride), lo), to)
	}
	if base < 0 {
		lo, hi = to, to
	}
	if lo < hi {
		f(span{out: s.out + lo*s.outStep, outStep: s.outStep, in: base + s.in + lo*s.inStep, inStep: s.inStep, n: hi - lo})
	}
	for _, edge := range [2][2]int{{from, lo}, {hi, to}} {
		n := edge[1] - edge[0]
		switch {
		case n <= 0 || g.Border == geometry.BorderIgnore:
		case base < 0 || g.Border == geometry.BorderConstant || d.In == 0:
			if g.Border == geometry.BorderConstant {
				f(span{out: s.out + edge[0]*s.outStep, outStep: s.outStep, n: n, outside: true})
			}
		default:
			for j := edge[0]; j < edge[1]; j++ {
				i := g.Border.Index(s.in+j*s.inStep, d.In)
				f(span{out: s.out + j*s.outStep, in: base + i, n: 1})
			}
		}
	}
}

// sweep calls f with each of the rows lo…hi-1 of results, and at every window position that meets something, in row-major
// order, with the runs of which the row then consists. It ends early if the evaluation should.
func sweep(c *op.Call, g *geometry.Sliding, lo, hi int, f func(row int, s span)) {
	watch, width := c.Watch(), g.Last().Out
	o := g.Row(lo)
	for row := lo; row < hi; row++ {
		for k, more := g.FirstMet(&o, g.Rank, width); more; more = g.NextMet(&k, &o, g.Rank, width) {
			if watch.Stops(width) {
				return
			}
			spans(g, &o, &k, func(s span) { f(row, s) })
		}
		g.NextRow(&o)
	}
}

// inRuns reports whether a window has runs of elements along the last dimension, and nothing else.
func inRuns(g *geometry.Sliding) bool {
	return g.Border == geometry.BorderIgnore && !g.Last().Up && g.Last().Dilation == 1
}

// eachRun calls f with the elements from…to-1 of each run in the window of each of n results, in row-major order of the window. They are
// those from the first on in the row at o. It ends early if the evaluation should.
func eachRun(g *geometry.Sliding, o *geometry.Position, first, n int, watch *op.Watch, f func(i, from, to int)) {
	last, outer := g.Last(), g.Rank-1
	for k, more := g.FirstMet(o, outer, 1); more; more = g.NextMet(&k, o, outer, 1) {
		row, at := g.Offset(o, &k, outer), first*last.Stride-last.Before
		for i := range n {
			if watch.Stops(last.Size) {
				return
			}
			f(i, row+min(max(at, 0), last.In), row+max(min(at+last.Size, last.In), 0))
			at += last.Stride
		}
	}
}

// countedRow returns how many operand elements the window positions reach along all dimensions but the last.
func countedRow(g *geometry.Sliding, o *geometry.Position) int {
	n := 1
	for d := range g.Rank - 1 {
		n *= g.Counted(d, o[d])
	}
	return n
}
