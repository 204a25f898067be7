package kernel

import (
	"slices"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
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

// FewChannels is up to how many channels a value is better read as it is: in blocks most lanes would be computed for nobody.
const FewChannels = 4

// Blockable reports whether values of a type may lie in blocks of channels.
func Blockable(t op.Type) bool { return t.Shape.Rank() >= 2 && t.Shape.Len() > 0 && t.DType.Size() > 0 }

// Convert returns the plan that brings a value of a type from one layout, operand 0, to another. It may write anything into what fills the
// last block.
func Convert(t op.Type, from, to Layout) *Plan {
	if simd.Common.Has() {
		return convert(simd.Common, t, from, to)
	}
	return convert(nil, t, from, to)
}

// convert is [Convert] by the routines of a tier, or in Go if it is nil.
func convert(tier *simd.Tier, t op.Type, from, to Layout) *Plan {
	if from == to || !Blockable(t) {
		return nil
	}
	name := portable.Name
	if tier != nil {
		name = tier.Name
	}
	p := &Plan{Kernel: name + " " + from.String() + " to " + to.String(), In: []Layout{from}, Out: []Layout{to}}
	inner := t.Shape[2:].Len()
	g := &blocking{t.Shape[1], blocked(t.Shape)[1], inner, geometry.CeilDiv(inner, chunk)}
	p.Pieces = t.Shape[0] * g.blocks * g.chunks
	switch into := to == Blocked16; t.DType.Size() {
	case 1:
		p.Run = convertWords(g, interleaverOf[uint8](tier), into)
	case 2:
		p.Run = convertWords(g, interleaverOf[uint16](tier), into)
	case 4:
		p.Run = convertWords(g, interleaverOf[uint32](tier), into)
	case 8:
		p.Run = convertWords(g, interleaverOf[uint64](tier), into)
	default:
		return nil
	}
	return p
}

// chunk is about how many positions of a block of channels are converted at a time.
const chunk = 512

// blocking is the geometry of a change of layout. A piece is a chunk of the positions of a block of channels.
type blocking struct{ channels, blocks, inner, chunks int }

// convertWords returns the kernel that brings words into blocks, or back.
//
//go:noinline // tables of kernels would hold it more than once
func convertWords[W word](g *blocking, move interleaver[W], into bool) op.Kernel {
	return func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Words[W](c.In[0]), tensor.Words[W](c.Out[0]), c.Watch()
		for p := lo; p < hi; p++ {
			part, begin, end := p/g.chunks, p%g.chunks*g.inner/g.chunks, (p%g.chunks+1)*g.inner/g.chunks
			if watch.Stops(block * (end - begin)) {
				return
			}
			first := part % g.blocks * block
			plain, blocks := (part/g.blocks*g.channels+first)*g.inner+begin, (part*g.inner+begin)*block
			if n := min(block, g.channels-first); into {
				move.interleave(y[blocks:], block, x[plain:], g.inner, n, end-begin)
			} else {
				move.deinterleave(y[plain:], g.inner, n, x[blocks:], block, end-begin)
			}
		}
	}
}
