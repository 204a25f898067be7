package kernel

import (
	"slices"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Layout says in which order the elements of a value lie in memory. The bits of a result never depend on it.
type Layout uint8

// The layouts.
const (
	// Plain is row-major order: what references read and write, and what inputs and outputs of programs have.
	Plain Layout = iota
	// Blocked16 has channels, which are dimension 1 of at least two, in blocks of sixteen that lie together: (B, C, X…) lies as
	// (B, ⌈C/16⌉, X…, 16). What fills the last block may be anything.
	Blocked16
)

// block is the number of channels in a block.
const block = 16

// String returns "plain" or "blocked16".
func (l Layout) String() string {
	if l == Blocked16 {
		return "blocked16"
	}
	return "plain"
}

// Bytes returns the size of a value of a type in the layout.
func (l Layout) Bytes(t op.Type) int64 {
	if l == Blocked16 {
		t.Shape = blocked(t.Shape)
	}
	return t.Bytes()
}

// Shape returns the shape of the tensor that a kernel is given for a value of the shape s.
func (l Layout) Shape(s tensor.Shape) tensor.Shape {
	if l == Blocked16 {
		return blocked(s)
	}
	return s
}

// blocked returns the shape in which the elements of s lie.
func blocked(s tensor.Shape) tensor.Shape {
	out := append(slices.Clone(s), block)
	out[1] = (s[1] + block - 1) / block
	return out
}

// Blockable reports whether values of a type may lie in blocks of channels.
func Blockable(t op.Type) bool { return t.Shape.Rank() >= 2 && t.Shape.Len() > 0 && t.DType.Size() > 0 }

// Convert returns the plan that brings a value of a type from one layout, operand 0, to another.
func Convert(t op.Type, from, to Layout) *Plan {
	if from == to || !Blockable(t) {
		return nil
	}
	p := &Plan{Kernel: "portable " + from.String() + " to " + to.String(), In: []Layout{from}, Out: []Layout{to}}
	g := blocking{channels: t.Shape[1], blocks: blocked(t.Shape)[1], inner: t.Shape[2:].Len(), size: t.DType.Size()}
	p.Pieces = t.Shape[0] * g.blocks
	p.Run = g.unblock
	if to == Blocked16 {
		p.Run = g.block
	}
	return p
}

// blocking is the geometry of a change of layout. A block of channels is a piece.
type blocking struct{ channels, blocks, inner, size int }

// each calls f with the positions of each element of the pieces lo…hi-1: in plain order, -1 for what fills a block, and in blocks.
func (g *blocking) each(c *op.Call, lo, hi int, f func(plain, blocked int)) {
	watch := c.Watch()
	for i := lo; i < hi; i++ {
		item, first := i/g.blocks, i%g.blocks*block
		for x := range g.inner {
			if watch.Stops(block) {
				return
			}
			for k := range block {
				plain := -1
				if first+k < g.channels {
					plain = ((item*g.channels+first+k)*g.inner + x) * g.size
				}
				f(plain, ((i*g.inner+x)*block+k)*g.size)
			}
		}
	}
}

func (g *blocking) block(c *op.Call, lo, hi int) {
	from, to := c.In[0].Bytes(), c.Out[0].Bytes()
	g.each(c, lo, hi, func(plain, blocked int) {
		if plain < 0 {
			clear(to[blocked:][:g.size])
			return
		}
		copy(to[blocked:][:g.size], from[plain:])
	})
}

func (g *blocking) unblock(c *op.Call, lo, hi int) {
	from, to := c.In[0].Bytes(), c.Out[0].Bytes()
	g.each(c, lo, hi, func(plain, blocked int) {
		if plain >= 0 {
			copy(to[plain:][:g.size], from[blocked:][:g.size])
		}
	})
}
