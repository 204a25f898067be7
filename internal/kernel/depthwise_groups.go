package kernel

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// groupRows are convolutions of groups of few channels, of which tiles would be computed for each group that ends inside of them. They are those of
// channels by themselves once each lane of a block has its own elements: the input is copied so that a pixel has as many vectors as a group has channels of
// it, and a window that many times as many columns.
func groupRows(t *simd.Tier) []Kernel {
	if !t.Depthwise.Exists() {
		return nil
	}
	return []Kernel{{Name: "lanes of groups", Op: "conv", In: []op.Types{float32s, float32s}, Prepare: func(r Region) *Plan { return lanesOfGroups(t, r) }}}
}

// Groups for which that takes less time than tiles: of few channels of the result, for each of which the input is copied, and together enough for vectors.
const (
	lanesOut  = 4
	lanesMet  = 4         // how often windows meet an element, about, for as many: narrow tiles have none of their lanes for nothing
	lanesMost = convBlock // channels of the input; of more, sums take the first ones of all of the window before
	lanesAll  = block / 2 // of the result, at least
)

func lanesOfGroups(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	a := application{n.Attrs, graph.TypesOf(n.In), graph.TypesOf(n.Out)}
	in, filter, out := a.in[0].Shape, a.in[1].Shape, a.out[0].Shape
	weights := n.In[1].Const
	if out.Len() == 0 || in.Len() == 0 || weights == nil || filter[1] < 2 || filter[1] > lanesMost || out[1] < lanesAll || a.String("border") != "constant" {
		return nil
	}
	l := &groupLanes{each: filter[1], out: out[1], groups: in[1] / filter[1], plane: in[2:].Len(), move: interleaverOf[uint32](simd.Common)}
	d, h, w, ok := slides(n.Attrs, 2, in, out, filter[2:])
	if !ok || w.Size > 1 && w.Dilation > 1 {
		return nil
	}
	if each := l.out / l.groups; each > lanesOut || each == lanesOut && filter[2:].Len()*out[2:].Len() < lanesMet*l.plane {
		return nil
	}
	w.Dilation = 1
	for _, x := range []*int{&w.In, &w.Size, &w.Stride, &w.Before} {
		*x *= l.each
	}
	g := newPlanes(tensor.Shape{in[0], out[1]}, 4, d, h, w, simd.DepthwisePixels, false)
	p := g.plan(t, &t.Depthwise, r, 2)
	if p == nil {
		return nil
	}
	var order []int
	taps := filter[2:].Len()
	for k := range taps {
		for i := range l.each {
			order = append(order, i*taps+k)
		}
	}
	p.Pack = []Pack{packChannels(weights, order)}
	g.copied, l.blocks, l.chunks = true, g.blocks, geometry.CeilDiv(l.plane, chunk)
	copies, run := in[0]*l.blocks*l.chunks, p.Run
	p.In[0], p.Rows = Plain, nil
	p.Shared = in[0] * l.blocks * g.in * blockBytes
	p.Rounds = []int{copies, p.Pieces}
	p.Pieces += copies
	p.Run = func(c *op.Call, lo, hi int) {
		for watch := c.Watch(); lo < min(hi, copies); lo++ {
			if watch.Stops(l.each * block * chunk) {
				return
			}
			l.copy(c, lo)
		}
		if lo < hi {
			run(c, lo-copies, hi-copies)
		}
	}
	return p
}

// groupLanes is a copy of an input whose channels are groups of each: (items, blocks of channels of the result, pixels, each, 16). A piece is a chunk of
// the pixels of a block.
type groupLanes struct {
	groups, each   int
	out            int // channels of the result
	plane          int // pixels
	blocks, chunks int
	move           interleaver[uint32]
}

// copy computes a piece.
func (l *groupLanes) copy(c *op.Call, piece int) {
	part, begin, end := piece/l.chunks, piece%l.chunks*l.plane/l.chunks, (piece%l.chunks+1)*l.plane/l.chunks
	item, first := part/l.blocks, part%l.blocks*block
	from, to := tensor.Words[uint32](c.In[0])[item*l.groups*l.each*l.plane:], elementsOfType[uint32](c.Shared)[(part*l.plane+begin)*l.each*block:]
	for i := range l.each {
		var begins [block]int
		for lane := range begins {
			group := min(first+lane, l.out-1) * l.groups / l.out
			begins[lane] = (group*l.each+i)*l.plane + begin
		}
		l.move.interleaveAt(to[i*block:], l.each*block, from, &begins, end-begin)
	}
}
