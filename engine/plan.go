package engine

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Plan says where in the memory of a session each value lies. A session allocates one block, the arena, and working memory for workers.
type Plan struct {
	Arena int64 // bytes of the arena
	Peak  int64 // the most bytes in use at any one unit; no plan can do with less
	Sum   int64 // bytes that the buffers would take if none shared memory with another
	// Scratch is the bytes of working memory that each of Workers goroutines needs, whatever unit it computes.
	Scratch int64
	Workers int
	Folded  int64 // bytes of the constants that Compile computed, which all sessions share
	Packed  int64 // bytes of constants in the forms that kernels read, which all sessions share
	// Buffers lists what lies in the arena: inputs, states, then results in the order of the units.
	Buffers []Buffer
}

// Session returns the bytes that a session allocates.
func (p *Plan) Session() int64 { return limits.Add(p.Arena, clampMul(p.Scratch, p.Workers)) }

// Buffer is a range of the arena. Two buffers that are in use at the same unit do not overlap, unless one lies In the other.
type Buffer struct {
	Value  *graph.Value  // what it holds; nil for working memory
	Layout kernel.Layout // in which order its elements lie
	Use    Use
	Offset int64 // from the start of the arena; a multiple of 64 unless it lies in another value
	Size   int64
	// First and Last are the positions of the first and the last unit that use the buffer. Of what is kept after the run, Last is the number
	// of units.
	First, Last int
	// In is the value in whose memory this one lies: as a view of it, as a part of it that is computed in its place, or as the result of an
	// operator that overwrites its operand. Nil for a buffer of its own.
	In *graph.Value
}

// Use says what a buffer is for.
type Use uint8

// What buffers are used for.
const (
	UseInput  Use = iota + 1 // an input, kept between runs
	UseState                 // a state, kept between runs
	UseResult                // a result of a node
	UseCopy                  // a copy of an input, a constant or a state that is returned or becomes a state
	UseBlock                 // the memory of the graphs that a node owns
	UseShared                // working memory that the workers of a unit share
)

var useNames = [...]string{UseInput: "input", UseState: "state", UseResult: "result", UseCopy: "copy", UseBlock: "block", UseShared: "shared"}

// String returns "input", "state", "result", "copy", "block" or "shared".
func (u Use) String() string {
	if int(u) >= len(useNames) {
		return "unknown"
	}
	return useNames[u]
}

// layout is a plan together with what leads from values to buffers.
type layout struct {
	Plan
	at     map[slot]place       // where values in the arena lie; constants and captures are elsewhere
	blocks map[*Unit]int        // index of the buffer with the memory of a unit's blocks
	shared map[*part]int        // index of the buffer that a part's workers share
	copies map[*graph.Value]int // index of the buffer that takes a copy of the value at the end of a run
}

// place is a place in a buffer.
type place struct {
	buffer int
	offset int64
}

// planner makes a layout.
type planner struct {
	layout
	c     *code
	end   int // the number of units
	limit int64
	kept  map[*graph.Value]bool
}

// plan lays out the memory of a session, or of the evaluation of a block. share says whether results may overwrite operands. It fails with a
// *LimitError where more than limit bytes are needed.
func plan(c *code, kept map[*graph.Value]bool, share bool, limit int64) (*layout, error) {
	p := &planner{c: c, end: len(c.units), limit: limit, kept: kept, layout: layout{
		at: make(map[slot]place), blocks: make(map[*Unit]int), shared: make(map[*part]int), copies: make(map[*graph.Value]int),
	}}
	p.collect()
	if share {
		p.overwrite()
	}
	p.settle()
	if err := p.measure(); err != nil {
		return nil, err
	}
	p.place() // whether holes between the buffers exceed the limit, Compile looks
	return &p.layout, nil
}

// collect lists the buffers with their sizes and the ranges of units in which they are in use.
func (p *planner) collect() {
	g := p.c.graph
	for _, v := range g.Inputs[:len(g.Inputs)-p.c.captures] {
		p.hold(slot{value: v}, Buffer{Use: UseInput, Last: p.end})
	}
	for _, s := range g.States {
		p.hold(slot{value: s.Value}, Buffer{Use: UseState, Last: p.end})
	}
	for i, u := range p.c.units {
		for k := range u.parts {
			for _, s := range u.parts[k].out {
				if u.window(s) == nil {
					p.write(s, i)
				}
			}
			for _, s := range u.parts[k].in {
				if u.window(s) == nil {
					p.read(s, i)
				}
			}
			if part := &u.parts[k]; part.shared > 0 {
				p.shared[part] = p.add(Buffer{Use: UseShared, Size: part.shared, First: i, Last: i})
			}
		}
		if len(u.bodies) > 0 {
			var most int64
			for _, b := range u.bodies {
				most = max(most, b.layout.Arena)
			}
			p.blocks[u] = p.add(Buffer{Use: UseBlock, Size: most, First: i, Last: i})
		}
	}
	for v := range g.Values() {
		switch {
		case !p.kept[v]:
		case v.Producer != nil:
			p.read(slot{value: v}, p.end)
		default:
			p.copies[v] = p.add(Buffer{Value: v, Use: UseCopy, Size: v.Type.Bytes(), First: p.end, Last: p.end})
		}
	}
}

// hold adds the buffer of a value that owns its memory.
func (p *planner) hold(s slot, b Buffer) {
	b.Value, b.Layout, b.Size = s.value, s.layout, s.layout.Bytes(s.value.Type)
	p.at[s] = place{buffer: p.add(b)}
}

// write notes that unit i computes a value, which may lie in another one.
func (p *planner) write(s slot, i int) {
	root, _ := p.c.aliases.root(s)
	at, ok := p.at[root]
	if !ok {
		p.hold(root, Buffer{Use: UseResult, First: i, Last: i})
		return
	}
	b := &p.Buffers[at.buffer]
	b.First, b.Last = min(b.First, i), max(b.Last, i)
}

// read notes that unit i reads a value.
func (p *planner) read(s slot, i int) {
	root, _ := p.c.aliases.root(s)
	if at, ok := p.at[root]; ok {
		b := &p.Buffers[at.buffer]
		b.Last = max(b.Last, i)
	}
}

// overwrite gives results the memory of operands that nothing reads afterwards, where the operator works in place.
func (p *planner) overwrite() {
	for i, u := range p.c.units {
		for k := range u.parts {
			if len(u.parts[k].out) == 1 && len(u.parts[k].nodes) == 1 {
				p.overwriteIn(u, k, i)
			}
		}
	}
}

// overwriteIn does so for part k of unit i.
func (p *planner) overwriteIn(u *Unit, k, i int) {
	part := &u.parts[k]
	result := part.out[0]
	own, known := p.at[result]
	if !known || own.offset != 0 || p.Buffers[own.buffer].Value != result.value {
		return
	}
	for j, s := range part.in {
		if s.value == nil || !part.elementwise(j) || s.layout != result.layout || !s.value.Type.Equal(result.value.Type) {
			continue
		}
		root, offset := p.c.aliases.root(s)
		at, inArena := p.at[root]
		b := &p.Buffers[at.buffer]
		if !inArena || b.Use != UseResult || b.Last != i || b.First == i && !u.computes(s, k) || p.touches(u, place{at.buffer, at.offset + offset}, k, s) {
			continue
		}
		p.Buffers[own.buffer].In = b.Value
		b.Last = p.Buffers[own.buffer].Last
		p.at[result] = place{at.buffer, at.offset + offset}
		return
	}
}

// computes reports whether a part before k computes the value.
func (u *Unit) computes(s slot, k int) bool {
	for i := range u.parts[:k] {
		if slices.Contains(u.parts[i].out, s) {
			return true
		}
	}
	return false
}

// touches reports whether the evaluation of a unit forbids part k to overwrite s, which lies at a place: whether it reads or writes the buffer
// elsewhere than element by element at that place, or reads it later than part k does.
func (p *planner) touches(u *Unit, at place, k int, s slot) bool {
	in := func(t slot) (place, bool) {
		root, offset := p.c.aliases.root(t)
		where, ok := p.at[root]
		where.offset += offset
		return where, ok && where.buffer == at.buffer
	}
	for i := range u.parts {
		part := &u.parts[i]
		for j, t := range part.in {
			where, same := in(t)
			aligned := where == at && t.value != nil && t.value.Type.Equal(s.value.Type) && part.elementwise(j)
			if same && (i > k || i == k && t != s || !aligned) {
				return true
			}
		}
		for _, t := range part.out {
			// Without this nothing changes so far: a buffer in which another part leaves a result is in use after the unit.
			if where, same := in(t); same && i != k && (i > k || where != at || !t.value.Type.Equal(s.value.Type)) {
				return true
			}
		}
	}
	return false
}

// elementwise reports whether a part uses operand i element by element, and nothing of it after the element of the result is written.
func (p *part) elementwise(i int) bool {
	if len(p.nodes) != 1 { // Without this the first of several nodes would stand for all.
		return false
	}
	d, ok := op.Lookup(p.nodes[0].Op)
	return ok && d.InPlace(i)
}

// settle lists what lies in the memory of other values.
func (p *planner) settle() {
	g := p.c.graph
	position := make(map[*graph.Node]int)
	for i, u := range p.c.units {
		for k := range u.parts {
			for _, n := range u.parts[k].nodes {
				position[n] = i
			}
		}
	}
	for v := range g.Values() {
		if _, aliased := p.c.aliases.of[v]; !aliased { // Without this it takes longer: each value is its own root.
			continue
		}
		for _, s := range []slot{{value: v}, {v, kernel.Blocked16}} {
			root, offset := p.c.aliases.root(s)
			at, ok := p.at[root]
			if !ok || root == s {
				continue // in a constant or a capture, or not in this layout
			}
			at.offset += offset
			p.at[s] = at
			i, ran := position[v.Producer]
			if !ran { // Without this the plan would say that it is there from the beginning.
				i = p.Buffers[at.buffer].First
			}
			p.Buffers = append(p.Buffers, Buffer{Value: v, Layout: s.layout, Use: UseResult, Size: s.layout.Bytes(v.Type), First: i, Last: i, In: p.Buffers[at.buffer].Value})
		}
	}
}

func (p *planner) add(b Buffer) int {
	p.Buffers = append(p.Buffers, b)
	return len(p.Buffers) - 1
}

// measure computes Sum and Peak and refuses what exceeds the limit in any plan.
func (p *planner) measure() error {
	change := make([]int64, p.end+2) // of the bytes in use, from one unit to the next
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.In != nil {
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
				node = nameOf(p.c.units[i].first())
			}
			return &LimitError{What: "memory", Need: live, Allowed: p.limit, Node: node}
		}
	}
	return nil
}

// place gives each buffer its offset. What is kept between runs comes first.
func (p *planner) place() {
	var order []int
	for i, b := range p.Buffers {
		switch {
		case b.In != nil || b.Size == 0:
		case b.Use == UseInput || b.Use == UseState: // Without this they would lie between the others.
			p.Buffers[i].Offset = p.Arena
			p.Arena += aligned(b.Size)
		default:
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &p.Buffers[i], &p.Buffers[j]
		return cmp.Or(cmp.Compare(b.Size, a.Size), cmp.Compare(b.Last-b.First, a.Last-a.First))
	})
	base := p.Arena
	if p.Arena = p.arrange(order, base, false); len(order) <= latestMost {
		if end := p.arrange(order, base, true); end > p.Arena {
			p.arrange(order, base, false)
		} else {
			p.Arena = end
		}
	}
	for i, b := range p.Buffers {
		if b.In != nil {
			at := p.at[slot{b.Value, b.Layout}]
			p.Buffers[i].Offset = p.Buffers[at.buffer].Offset + at.offset
		}
	}
}

// latestMost is how many buffers are arranged once more, to lie where the last one was.
const latestMost = 1 << 12

// arrange gives buffers offsets from a base on and returns where they end. Each, the largest first, takes the smallest gap that is free during its whole
// range, or else lies above everything in its range. If latest, it takes the place of the last buffer of its size before it, if that is free: what lies
// there is still in a cache. And where two large results follow a small one in turns, as in networks of depthwise convolutions, the second one does not
// take the place of the second one before it, whose lines all processors have read: they would have to give them up first.
func (p *planner) arrange(order []int, base int64, latest bool) (end int64) {
	var placed []*Buffer // by offset
	use, ended := newOccupancy(p.Buffers, p.end), make(map[int64][]*Buffer)
	end = base
	for _, i := range order {
		b := &p.Buffers[i]
		size := aligned(b.Size)
		best, bestGap, free := int64(-1), int64(math.MaxInt64), base
		others, few := use.during(b.First, b.Last, len(placed)/32)
		if !few {
			others = placed
		}
		var before *Buffer // of the same size
		same := ended[size]
		if n, _ := slices.BinarySearchFunc(same, b.First, func(o *Buffer, at int) int { return cmp.Compare(o.Last, at) }); n > 0 && latest {
			before = same[n-1]
		}
		for _, o := range others {
			if o.Last < b.First || o.First > b.Last {
				continue
			}
			if before != nil && o.Offset < before.Offset+size && before.Offset < o.Offset+aligned(o.Size) {
				before = nil
			}
			if gap := o.Offset - free; gap >= size && gap < bestGap {
				best, bestGap = free, gap
			}
			free = max(free, o.Offset+aligned(o.Size))
		}
		switch {
		case before != nil:
			best = before.Offset
		case best < 0:
			best = free
		}
		b.Offset = best
		end = max(end, best+size)
		at, _ := slices.BinarySearchFunc(placed, b, byOffset)
		placed = slices.Insert(placed, at, b)
		at, _ = slices.BinarySearchFunc(same, b, func(x, y *Buffer) int { return cmp.Compare(x.Last, y.Last) })
		ended[size] = slices.Insert(same, at, b)
		use.add(i, 1, 0, p.end)
	}
	return end
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
	if b := p.Buffers[buffer]; b.First < p.end && b.Use != UseInput && b.Use != UseState {
		return nameOf(p.c.units[b.First].first())
	}
	return ""
}

// aligned rounds a size up to the alignment of buffers.
func aligned(n int64) int64 { return (n + tensor.Alignment - 1) &^ (tensor.Alignment - 1) }

// clampAdd adds within a quarter of the range of int64, so that a sum of few results cannot overflow.
func clampAdd(a, b int64) int64 { return max(-noLimit, min(noLimit, a+b)) }

// clampMul multiplies sizes of memory within the same range.
func clampMul(a int64, n int) int64 {
	if n > 0 && a > noLimit/int64(n) {
		return noLimit
	}
	return a * int64(n)
}
