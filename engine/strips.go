package engine

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
)

// strips is how the parts of a unit are evaluated strip by strip: each part but the last leaves its result in a window, which holds some rows.
type strips struct {
	*kernel.Strips
	windows []window
}

// window is working memory of a worker for some rows of a value.
type window struct {
	slot    slot
	op.Type // of a tensor in blocks
	size    int64
}

// window returns the window that a slot is, or nil if it lies elsewhere.
func (u *Unit) window(s slot) *window {
	if u.strips == nil {
		return nil
	}
	for i := range u.strips.windows {
		if u.strips.windows[i].slot == s {
			return &u.strips.windows[i]
		}
	}
	return nil
}

// stripValue is from how many bytes of a value between two units on strips are worth it: what the second-level cache does not keep. A variable, for tests.
var stripValue int64 = 1 << 20

const (
	stripWindows = 512 << 10 // bytes of all windows
	stripWeights = 96 << 10  // bytes of the weights of all units, which each strip reads again
	stripBands   = 2         // of strips for each worker, so that one may be late
)

// windowed returns how many bytes of working memory a worker needs for windows.
func (u *Unit) windowed() (sum int64) {
	if u.strips != nil {
		for i := range u.strips.windows {
			sum += aligned(u.strips.windows[i].size)
		}
	}
	return sum
}

// inStrips puts units together that pass a large value from one to the next, and nothing else, where their kernels can compute rows alone.
func (b *builder) inStrips(units []*Unit) (out []*Unit) {
	for len(units) > 0 {
		u, n := units[0], 1
		for k := 2; k <= len(units) && b.passes(units[k-2], units[k-1]); k++ {
			if joined := b.joined(units[:k]); joined != nil {
				u, n = joined, k
			}
		}
		out, units = append(out, u), units[n:]
	}
	return out
}

// passes reports whether a unit reads, as operand 0, the large result of the one before it, which nothing else reads, and whether both can compute
// rows alone.
func (b *builder) passes(from, to *Unit) bool {
	// Without this what other parts do would be lost; no unit that computes rows has any.
	if len(from.parts) != 1 || len(to.parts) != 1 {
		return false
	}
	p, q := &from.parts[0], &to.parts[0]
	if p.rows == nil || q.rows == nil || p.rows.Adds {
		return false
	}
	s := p.out[0]
	_, aliased := b.aliases.of[s.value]
	return !aliased && q.in[0] == s && s.layout == kernel.Blocked16 && b.uses[s.value] == 1 && s.layout.Bytes(s.value.Type) >= stripValue
}

// joined returns units as one, or nil if there are too many weights, or windows cannot hold what passes between them.
func (b *builder) joined(units []*Unit) *Unit {
	u := &Unit{}
	var rows []*kernel.Rows
	var values []op.Type
	for _, from := range units {
		p := from.parts[0]
		rows, values = append(rows, p.rows), append(values, p.out[0].value.Type)
		p.shared = 0
		u.Nodes, u.parts = append(u.Nodes, from.Nodes...), append(u.parts, p)
		u.Cost, u.time, u.Packed = u.Cost.Plus(from.Cost), u.time+from.time, u.Packed+from.Packed
	}
	if u.Packed > stripWeights {
		return nil
	}
	values = values[:len(values)-1]
	bands := 1
	if b.opts.Threads > 1 {
		bands = geometry.CeilDiv(stripBands*b.opts.Threads, values[0].Shape[0])
	}
	s := kernel.NewStrips(rows, values, bands, stripWindows)
	if s == nil {
		return nil
	}
	u.strips = &strips{Strips: s}
	for i, v := range values {
		shape := slices.Clone(kernel.Blocked16.Shape(v.Shape))
		shape[0], shape[2] = 1, s.Windows[i]
		t := op.Type{DType: v.DType, Shape: shape}
		u.strips.windows = append(u.strips.windows, window{u.parts[i].out[0], t, t.Bytes()})
	}
	tier, _, _ := strings.Cut(units[0].Kernel, " ")
	u.Kernel, u.Pieces = tier+" strips", s.Pieces
	u.work = divide(u.Pieces, u.time, b.opts.Threads)
	return u
}
