package engine

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// aliases says which values lie in the memory of others: results of views in that of their operand, and operands of a concatenation in
// that of its result.
type aliases struct {
	of   map[*graph.Value]alias
	free map[*graph.Node]bool // nodes that need no evaluation, as all of their results are there without one
	// layouts has the layouts other than plain ones that values are computed in.
	layouts map[*graph.Value]kernel.Layout
}

// alias is a place in another value's memory.
type alias struct {
	value  *graph.Value
	offset int64 // in bytes
	blocks bool  // whether it is the same place where both lie in blocks of channels
}

// root returns the slot that owns the memory of another one, and where that lies in it.
func (a *aliases) root(s slot) (slot, int64) {
	var offset int64
	for {
		next, ok := a.of[s.value]
		if !ok || s.layout != kernel.Plain && !a.inBlocks(s.value) {
			return s, offset
		}
		s.value, offset = next.value, offset+next.offset
	}
}

// inBlocks reports whether v and the value in whose memory it lies are both in blocks of channels, and v in the same place there.
func (a *aliases) inBlocks(v *graph.Value) bool {
	to := a.of[v]
	return to.blocks && a.layouts[v] == kernel.Blocked16 && a.layouts[to.value] == kernel.Blocked16
}

// sameInBlocks reports whether a part of a value begins in blocks of channels where it begins in row-major order, and has the same bytes.
func sameInBlocks(part, whole *graph.Value, offset int64) bool {
	p, w := part.Type, whole.Type
	if !kernel.Blockable(p) || !kernel.Blockable(w) || p.Shape.Rank() != w.Shape.Rank() || w.Shape[0] != 1 || !slices.Equal(p.Shape[2:], w.Shape[2:]) {
		return false
	}
	full := kernel.Blocked16.Bytes(p) == p.Bytes()
	return full && offset%kernel.Blocked16.Bytes(op.Type{DType: p.DType, Shape: append(tensor.Shape{1, 1}, p.Shape[2:]...)}) == 0
}

// follow notes, for a node that needs no evaluation, the layout of its results: that of the value in which they lie, or of the operands that lie in
// them.
func (a *aliases) follow(n *graph.Node) {
	blocks := func(v *graph.Value) bool { return a.layouts[v] == kernel.Blocked16 && a.of[v].blocks }
	if op.Joins(n) != nil && a.of[n.Out[0]].value != n.In[0] {
		for _, v := range n.In {
			if !blocks(v) || a.of[v].value != n.Out[0] {
				return
			}
		}
		a.layouts[n.Out[0]] = kernel.Blocked16
		return
	}
	for _, v := range n.Out {
		if to := a.of[v]; to.blocks && a.layouts[to.value] == kernel.Blocked16 {
			a.layouts[v] = kernel.Blocked16
		}
	}
}

// findAliases finds the aliases of a graph. A value that is kept after a run never lies in an input, constant, capture or state: it must not change
// when those do, nor let a caller change them.
func findAliases(g *graph.Graph, kept map[*graph.Value]bool, share bool) *aliases {
	a := &aliases{make(map[*graph.Value]alias), make(map[*graph.Node]bool), make(map[*graph.Value]kernel.Layout)}
	if !share {
		return a
	}
	for _, n := range g.Nodes {
		a.view(n, kept)
	}
	for _, n := range slices.Backward(g.Nodes) { // so that a part of a part finds its place
		a.join(n)
	}
	return a
}

// view lets the results of a view lie in its operand.
func (a *aliases) view(n *graph.Node, kept map[*graph.Value]bool) {
	offsets := op.Views(n)
	if offsets == nil {
		return
	}
	root := a.rootOf(n.In[0])
	if root.Producer == nil && slices.ContainsFunc(n.Out, func(v *graph.Value) bool { return kept[v] }) {
		return
	}
	places := make([]int64, len(offsets))
	for i, at := range offsets {
		var ok bool
		if places[i], ok = bytesBefore(n.Out[i], at); !ok { // Without this a part within a byte would be at its beginning; none is a view so far.
			return
		}
	}
	for i, v := range n.Out {
		a.of[v] = alias{n.In[0], places[i], sameInBlocks(v, n.In[0], places[i])}
	}
	a.free[n] = true
}

// rootOf returns the value that owns the memory of v in row-major order.
func (a *aliases) rootOf(v *graph.Value) *graph.Value {
	root, _ := a.root(slot{value: v})
	return root.value
}

// join lets those operands of a concatenation lie in its result that are results of nodes and own their memory. If all do, nothing is left to
// evaluate; otherwise the kernel skips those that lie in their places already. Elements smaller than a byte are left alone.
func (a *aliases) join(n *graph.Node) {
	offsets, whole := op.Joins(n), n.Out[0].Type
	if offsets == nil || a.free[n] || whole.DType.IsPacked() || whole.Bytes() == 0 { // nothing lies in what has no memory
		return
	}
	placed := 0
	for i, v := range n.In {
		place := int64(offsets[i]) * int64(v.Type.DType.Size())
		at, offset := a.root(slot{value: v})
		root := at.value
		if root.Producer == nil || offset != 0 || root.Type.Bytes() != v.Type.Bytes() || root == n.Out[0] {
			continue
		}
		placed++
		if root.Type.Bytes() > 0 {
			a.of[root] = alias{n.Out[0], place, root == v && sameInBlocks(v, n.Out[0], place)}
		}
	}
	a.free[n] = placed == len(n.In)
}

// bytesBefore returns where element i of a value of v's element type lies; false if it is not the first of its byte.
func bytesBefore(v *graph.Value, i int) (int64, bool) {
	bits := int64(i) * int64(v.Type.DType.Bits())
	return bits / 8, bits%8 == 0
}
