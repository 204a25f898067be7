package engine

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Plan says where in the memory of a session each value lies. A session allocates one block, the arena.
type Plan struct {
	Arena  int64 // bytes of the arena
	Peak   int64 // the most bytes in use at any one node; no plan can do with less
	Sum    int64 // bytes that the buffers would take if none shared memory with another
	Folded int64 // bytes of the constants that Compile computed, which all sessions share
	// Buffers lists what lies in the arena: inputs, states, then results and scratch memory in the order of the nodes.
	Buffers []Buffer
}

// Buffer is a piece of the arena. Buffers whose ranges of nodes intersect do not overlap, views aside.
type Buffer struct {
	Value  *graph.Value // what it holds; nil for scratch memory
	Use    Use
	Offset int64 // from the start of the arena; a multiple of 64
	Size   int64
	// First and Last are the positions of the first node in whose evaluation the buffer is in use and of the last, in
	// the program's graph. What is kept after the run has the number of nodes as Last.
	First, Last int
	// ViewOf is the value in whose memory this one lies, as a view or as the result of an operator that works in place; nil for a
	// buffer of its own.
	ViewOf *graph.Value
}

// Use says what a buffer is for.
type Use uint8

// What buffers are used for.
const (
	UseInput   Use = iota + 1 // an input, kept between runs
	UseState                  // a state, kept between runs
	UseResult                 // a result of a node
	UseScratch                // working memory of a node
	UseCopy                   // a copy of an input, a constant or a state that is returned or becomes a state
)

var useNames = [...]string{UseInput: "input", UseState: "state", UseResult: "result", UseScratch: "scratch", UseCopy: "copy"}

// String returns "input", "state", "result", "scratch" or "copy".
func (u Use) String() string {
	if int(u) >= len(useNames) {
		return "unknown"
	}
	return useNames[u]
}

// layout is a plan together with what leads from values to buffers.
type layout struct {
	Plan
	root    map[*graph.Value]int // index of the buffer whose memory a value has; constants have none
	scratch map[*graph.Node]int  // index of the buffer with a node's working memory
	copies  map[*graph.Value]int // index of the buffer that takes a copy of the value at the end of a run
	views   map[*graph.Node]bool // nodes that need not run, as their result is a view of their operand
}

// planner makes a layout.
type planner struct {
	layout
	g     *graph.Graph
	end   int // the number of nodes
	limit int64
}

// plan lays out the memory of a session. scratch has the bytes of working memory of each node, by position; share says
// whether views may share memory. It fails with a *LimitError where more than limit bytes are needed.
func plan(g *graph.Graph, scratch []int64, share bool, limit int64) (*layout, error) {
	p := &planner{g: g, end: len(g.Nodes), limit: limit, layout: layout{
		root: make(map[*graph.Value]int), scratch: make(map[*graph.Node]int),
		copies: make(map[*graph.Value]int), views: make(map[*graph.Node]bool),
	}}
	p.collect(scratch, share)
	if share {
		p.overwrite()
	}
	if err := p.measure(); err != nil {
		return nil, err
	}
	p.place()
	if p.Arena > limit {
		return nil, &LimitError{What: "memory", Need: p.Arena, Allowed: limit}
	}
	return &p.layout, nil
}

// collect lists the buffers with their sizes and the ranges of nodes in which they are in use.
func (p *planner) collect(scratch []int64, share bool) {
	for _, v := range p.g.Inputs {
		p.root[v] = p.add(Buffer{Value: v, Use: UseInput, Size: bytes(v), Last: p.end})
	}
	for _, s := range p.g.States {
		p.root[s.Value] = p.add(Buffer{Value: s.Value, Use: UseState, Size: bytes(s.Value), Last: p.end})
	}
	kept := make(map[*graph.Value]bool) // returned, or to become a state
	for _, o := range p.g.Outputs {
		kept[o.Value] = true
	}
	for _, s := range p.g.States {
		if s.Next != nil {
			kept[s.Next] = true
		}
	}
	for i, n := range p.g.Nodes {
		for _, v := range n.In {
			p.extend(v, i)
		}
		if share && p.viewable(n, kept) {
			v := n.Out[0]
			p.views[n] = true
			root, inArena := p.root[n.In[0]]
			if inArena {
				p.root[v] = root
				p.Buffers = append(p.Buffers, Buffer{Value: v, Use: UseResult, Size: bytes(v), First: i, Last: i, ViewOf: p.Buffers[root].Value})
			}
			continue
		}
		for _, v := range n.Out {
			p.root[v] = p.add(Buffer{Value: v, Use: UseResult, Size: bytes(v), First: i, Last: i})
		}
		if scratch[i] > 0 {
			p.scratch[n] = p.add(Buffer{Use: UseScratch, Size: scratch[i], First: i, Last: i})
		}
	}
	for v := range p.g.Values() {
		switch {
		case !kept[v]:
		case v.Producer != nil:
			p.extend(v, p.end)
		default:
			p.copies[v] = p.add(Buffer{Value: v, Use: UseCopy, Size: bytes(v), First: p.end, Last: p.end})
		}
	}
}

// overwrite gives results the memory of operands that nothing reads afterwards, where the operator works in place.
func (p *planner) overwrite() {
	moved := make(map[int]int) // from the buffer that a result would have to that of the operand
	at := func(v *graph.Value) (buffer int, inArena bool) {
		if v == nil {
			return 0, false
		}
		buffer, inArena = p.root[v]
		if to, ok := moved[buffer]; ok {
			buffer = to
		}
		return buffer, inArena
	}
	for i, n := range p.g.Nodes {
		d, ok := op.Lookup(n.Op)
		if !ok || len(n.Out) != 1 || p.views[n] {
			continue
		}
		result := p.root[n.Out[0]]
		for k, v := range n.In {
			operand, inArena := at(v)
			if !inArena || !d.InPlace(k) || p.Buffers[operand].Use != UseResult || p.Buffers[operand].Last != i || !v.Type.Equal(n.Out[0].Type) {
				continue
			}
			if slices.ContainsFunc(n.In, func(w *graph.Value) bool { // which may be read elsewhere than where it is written
				other, inArena := at(w)
				return w != v && inArena && other == operand
			}) {
				continue
			}
			moved[result] = operand
			p.Buffers[result].ViewOf = p.Buffers[operand].Value
			p.Buffers[operand].Last = p.Buffers[result].Last
			break
		}
	}
	for v, buffer := range p.root {
		if to, ok := moved[buffer]; ok {
			p.root[v] = to
		}
	}
}

// viewable reports whether the result of n may be a view of its operand. What a run returns, and what becomes a state,
// has memory that no input, constant or state shares: it must neither change when those do nor give access to them.
func (p *planner) viewable(n *graph.Node, kept map[*graph.Value]bool) bool {
	if !op.Reshapes(n) {
		return false
	}
	root, inArena := p.root[n.In[0]]
	return !kept[n.Out[0]] || inArena && p.Buffers[root].Use == UseResult
}

func (p *planner) add(b Buffer) int {
	p.Buffers = append(p.Buffers, b)
	return len(p.Buffers) - 1
}

// extend notes that node i reads v.
func (p *planner) extend(v *graph.Value, i int) {
	if root, ok := p.root[v]; ok {
		b := &p.Buffers[root]
		b.Last = max(b.Last, i)
	}
}

// measure computes Sum and Peak and refuses what exceeds the limit in any plan.
func (p *planner) measure() error {
	change := make([]int64, p.end+2) // of the bytes in use, from one node to the next
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.ViewOf != nil {
			continue
		}
		if b.Size < 0 || b.Size > p.limit {
			need := b.Size
			if need < 0 {
				need = math.MaxInt64
			}
			return &LimitError{What: "memory", Need: need, Allowed: p.limit, Node: p.node(i)}
		}
		size := aligned(b.Size)
		if p.Sum = p.Sum + size; p.Sum < 0 {
			p.Sum = math.MaxInt64 / 2
		}
		change[b.First] = clampAdd(change[b.First], size)
		change[b.Last+1] = clampAdd(change[b.Last+1], -size)
	}
	var live int64
	for i, c := range change {
		live += c
		if p.Peak = max(p.Peak, live); live > p.limit {
			node := ""
			if i < p.end {
				node = place(p.g.Nodes[i])
			}
			return &LimitError{What: "memory", Need: live, Allowed: p.limit, Node: node}
		}
	}
	return nil
}

// place gives each buffer its offset. What is kept between runs comes first. Of the others the largest are placed
// first, each into the smallest gap that is free during its whole range, or else above everything in its range.
func (p *planner) place() {
	var order []int
	for i, b := range p.Buffers {
		switch {
		case b.ViewOf != nil || b.Size == 0:
		case b.Use == UseInput || b.Use == UseState:
			p.Buffers[i].Offset = p.Arena
			p.Arena += aligned(b.Size)
		default:
			order = append(order, i)
		}
	}
	base := p.Arena
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &p.Buffers[i], &p.Buffers[j]
		return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(b.Last-b.First, a.Last-a.First))
	})
	var placed []*Buffer // by offset
	use := newOccupancy(p.Buffers, p.end)
	for _, i := range order {
		b := &p.Buffers[i]
		size := aligned(b.Size)
		best, bestGap, free := int64(-1), int64(math.MaxInt64), base
		others, few := use.during(b.First, b.Last, len(placed)/32)
		if !few {
			others = placed
		}
		for _, o := range others {
			if o.Last < b.First || o.First > b.Last {
				continue
			}
			if gap := o.Offset - free; gap >= size && gap < bestGap {
				best, bestGap = free, gap
			}
			free = max(free, o.Offset+aligned(o.Size))
		}
		if best < 0 {
			best = free
		}
		b.Offset = best
		p.Arena = max(p.Arena, best+size)
		at, _ := slices.BinarySearchFunc(placed, b, byOffset)
		placed = slices.Insert(placed, at, b)
		use.add(i, 1, 0, p.end)
	}
	for i, b := range p.Buffers {
		if b.ViewOf != nil {
			p.Buffers[i].Offset = p.Buffers[p.root[b.Value]].Offset
		}
	}
}

func byOffset(x, y *Buffer) int { return cmp.Compare(x.Offset, y.Offset) }

// occupancy finds buffers by the nodes at which they are in use. It is a binary tree over the nodes, in which a buffer lies at the
// subtrees that make up its range.
type occupancy struct {
	buffers []Buffer
	end     int
	at      [][]int // by subtree, of which k has the parts 2k and 2k+1: buffers that are in use all over it
	any     []bool  // by subtree: whether there is a buffer in any part of it
	seen    []int   // by buffer: the last query that has found it
	query   int
}

func newOccupancy(buffers []Buffer, end int) *occupancy {
	subtrees := 2 << bits.Len(uint(end))
	return &occupancy{buffers: buffers, end: end, at: make([][]int, subtrees), any: make([]bool, subtrees), seen: make([]int, len(buffers))}
}

// add enters buffer i into subtree k, which has the nodes from lo to hi.
func (o *occupancy) add(i, k, lo, hi int) {
	o.any[k] = true
	b, middle := &o.buffers[i], (lo+hi)/2
	if b.First <= lo && hi <= b.Last {
		o.at[k] = append(o.at[k], i)
		return
	}
	if b.First <= middle {
		o.add(i, 2*k, lo, middle)
	}
	if b.Last > middle {
		o.add(i, 2*k+1, middle+1, hi)
	}
}

// during returns the buffers in use at any of the nodes from first to last, by offset; false if there are more than most, as going
// through all buffers is faster then than putting these in order.
func (o *occupancy) during(first, last, most int) ([]*Buffer, bool) {
	o.query++
	var found []*Buffer
	var find func(k, lo, hi int) bool
	find = func(k, lo, hi int) bool {
		if !o.any[k] || last < lo || hi < first {
			return true
		}
		for _, i := range o.at[k] {
			if o.seen[i] == o.query {
				continue
			}
			if o.seen[i] = o.query; len(found) == most {
				return false
			}
			found = append(found, &o.buffers[i])
		}
		middle := (lo + hi) / 2
		return lo == hi || find(2*k, lo, middle) && find(2*k+1, middle+1, hi)
	}
	if !find(1, 0, o.end) {
		return nil, false
	}
	slices.SortFunc(found, byOffset)
	return found, true
}

// node names the node for which a buffer exists; empty for inputs, states and copies.
func (p *planner) node(buffer int) string {
	if b := p.Buffers[buffer]; b.Use == UseResult || b.Use == UseScratch {
		return place(p.g.Nodes[b.First])
	}
	return ""
}

// aligned rounds a size up to the alignment of buffers.
func aligned(n int64) int64 { return (n + tensor.Alignment - 1) &^ (tensor.Alignment - 1) }

// clampAdd adds within a quarter of the range of int64, so that a sum of few results cannot overflow.
func clampAdd(a, b int64) int64 { return max(-noLimit, min(noLimit, a+b)) }

func bytes(v *graph.Value) int64 { return v.Type.Bytes() }
