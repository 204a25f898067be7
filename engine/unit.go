package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Unit is what a program evaluates at once: a node, or a node with those behind it that work on its result element by element.
type Unit struct {
	Nodes  []*graph.Node // in their order, of the program's graph or of a block; for a change of layout the node that needs it
	Kernel string        // what evaluates the first node, and those behind it that it takes: "reference", or a kernel with its tier
	Cost   op.Cost       // of one evaluation
	Pieces int           // into which an evaluation is divided among workers
	Packed int64         // bytes of constants in the forms that its kernels read
	Blocks [][]*Unit     // of a node that owns graphs, the units of each; nil for others

	parts  []part
	time   int64   // of one evaluation on one goroutine, in nanoseconds, about
	rounds []int   // numbers of pieces that are computed one after the other, nil for all at once
	bodies []*code // of the blocks
	strips *strips // how parts are evaluated that pass only some rows to the next one; nil for others
	work
}

// part is one or several nodes of a unit that one kernel evaluates. The parts of a unit are evaluated one after another for a range of
// pieces before the next range, while the elements are near.
type part struct {
	nodes   []*graph.Node // none for a change of layout
	run     op.Kernel
	code    any // in place of run, of kernels for other machines
	in, out []slot
	packs   []int        // positions of packed constants in the program
	scratch int64        // bytes for each worker
	shared  int64        // bytes for all workers
	first   int          // the unit's piece that is the first of its own in rounds before the last one,
	before  int          // and how many it has there
	each    int          // how many of its own pieces make one of the unit's in the last round
	rows    *kernel.Rows // [kernel.Plan.Rows]
}

// slot is a value in a layout. A value may be there in several layouts.
type slot struct {
	value  *graph.Value // nil for an absent operand
	layout kernel.Layout
}

// reference is what Unit.Kernel says of nodes that their references evaluate.
const reference = "reference"

// Traffic returns the bytes that one evaluation takes from other units, constants included, and those that it leaves for others: without
// what only passes between its own nodes.
func (u *Unit) Traffic() (read, written int64) {
	own := make(map[slot]bool)
	for i := range u.parts {
		for _, s := range u.parts[i].in {
			if s.value != nil && !own[s] {
				read = limits.Add(read, s.layout.Bytes(s.value.Type))
			}
		}
		for _, s := range u.parts[i].out {
			own[s] = true
		}
	}
	if len(u.parts) == 0 {
		return 0, 0 // the zero Unit
	}
	for _, s := range u.parts[len(u.parts)-1].out {
		if s.value != nil {
			written = limits.Add(written, s.layout.Bytes(s.value.Type))
		}
	}
	return read, written
}

// DType returns the element type of the first operand of the first node, which says what its multiply-adds are made of; float32 if there is none.
func (u *Unit) DType() tensor.DType {
	if len(u.Nodes) == 0 {
		return tensor.Float32
	}
	if in := u.first().In; len(in) > 0 && in[0] != nil {
		return in[0].Type.DType
	}
	return tensor.Float32
}

// Converts reports whether the unit only brings a value into the layout in which its node needs it.
func (u *Unit) Converts() bool { return len(u.parts) > 0 && len(u.parts[0].nodes) == 0 }

// first and last return where the unit's nodes begin and end.
func (u *Unit) first() *graph.Node { return u.Nodes[0] }
func (u *Unit) last() *graph.Node  { return u.Nodes[len(u.Nodes)-1] }

// scratch returns the bytes of working memory that each worker needs, for each part behind the other.
func (u *Unit) scratch() int64 {
	sum := u.windowed()
	for i := range u.parts {
		sum += aligned(u.parts[i].scratch)
	}
	return sum
}

// builder makes the units of a graph.
type builder struct {
	*assembler
	g       *graph.Graph
	aliases *aliases

	uses    map[*graph.Value]int         // how often values are read, by nodes and as roots
	sources map[*graph.Value]*graph.Node // nodes to be evaluated with or right before those that read their results
}

// units returns the units of the nodes that need an evaluation, in an order in which operands come before their readers.
func (b *builder) units() ([]*Unit, error) {
	b.uses, b.sources = make(map[*graph.Value]int), make(map[*graph.Value]*graph.Node)
	readers := b.g.Uses()
	for v, list := range readers {
		b.uses[v] = len(list)
	}
	for _, v := range b.g.Roots() {
		b.uses[v]++
	}
	var units []*Unit
	var chain []*graph.Node
	flush := func() error {
		made, err := b.prepare(chain)
		units, chain = append(units, made...), nil
		return err
	}
	for _, n := range b.g.Nodes {
		if b.isSource(n, readers) {
			b.sources[n.Out[0]] = n
			continue
		}
		if b.aliases.free[n] {
			if slices.ContainsFunc(n.In, func(v *graph.Value) bool { return v != nil && slices.Contains(chain, v.Producer) }) {
				if err := flush(); err != nil {
					return nil, err
				}
			}
			b.aliases.follow(n)
			continue
		}
		if len(chain) > 0 && !b.follows(n, chain) {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		chain = append(chain, n)
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return b.inStrips(units), nil
}

// isSource reports whether a node makes numbers of bytes that only one node reads, which has a kernel that may read the bytes itself.
func (b *builder) isSource(n *graph.Node, readers map[*graph.Value][]*graph.Node) bool {
	reader := func(v *graph.Value) *graph.Node {
		if b.uses[v] != 1 || len(readers[v]) != 1 {
			return nil
		}
		return readers[v][0]
	}
	return !b.opts.NoOptimize && len(n.Out) == 1 && kernel.IsSource(n, reader, func(v *graph.Value) bool { return b.sources[v] != nil })
}

// sourcesOf returns the sources whose results some nodes read, behind those that they read themselves.
func (b *builder) sourcesOf(nodes []*graph.Node) (sources []*graph.Node) {
	for _, n := range nodes {
		for _, v := range n.In {
			if s := b.sources[v]; s != nil {
				sources = append(append(sources, b.sourcesOf([]*graph.Node{s})...), s)
			}
		}
	}
	return sources
}

// region returns the region of nodes with their sources.
func (b *builder) region(nodes []*graph.Node) kernel.Region {
	sources := b.sourcesOf(nodes)
	return kernel.Region{Nodes: slices.Concat(sources, nodes), Sources: len(sources), Layouts: b.aliases.layouts}
}

// drop forgets sources.
func (b *builder) drop(sources []*graph.Node) {
	for _, n := range sources {
		delete(b.sources, n.Out[0])
	}
}

// evaluateSources returns units for those sources of a chain that no kernel takes with the beginning of the part of the chain that reads them: of several
// nodes that read some, for those of the last one first.
func (b *builder) evaluateSources(nodes []*graph.Node) (units []*Unit, err error) {
	for len(nodes) > 0 {
		most := elementwise(nodes)
		sources := b.sourcesOf(nodes[:most])
		taken := len(sources) == 0
		for n := most; n > 0 && !taken; n-- {
			r := b.region(nodes[:n])
			taken = r.Sources == len(sources) && kernel.For(b.opts.Tiers, r) != nil
		}
		if taken {
			nodes = nodes[most:]
			continue
		}
		sources = nil
		for n := most - 1; len(sources) == 0; n-- {
			sources = b.sourcesOf(nodes[n : n+1])
		}
		b.drop(sources)
		for _, n := range sources {
			if b.aliases.free[n] {
				b.aliases.follow(n)
				continue
			}
			made, err := b.prepare([]*graph.Node{n})
			if err != nil {
				return nil, err
			}
			units = append(units, made...)
		}
	}
	return units, nil
}

// unitNodes is the greatest number of nodes in a unit: enough for what networks have in a row, and few enough to compare them all.
const unitNodes = 16

// follows reports whether a node may be evaluated together with those right in front of it: whether it alone reads the result of the last one, and
// is element-wise. The weights of attention also are normalized, and used, while they are near, if plans say that they can; other operators that
// work in rows would keep more memory alive than that is worth.
func (b *builder) follows(n *graph.Node, chain []*graph.Node) bool {
	last := chain[len(chain)-1]
	if b.opts.NoOptimize || len(chain) == unitNodes || len(n.Out) != 1 || len(last.Out) != 1 || len(last.Blocks) > 0 || b.uses[last.Out[0]] != 1 {
		return false
	}
	i := slices.Index(n.In, last.Out[0])
	if isElementwise(n) {
		d, _ := op.Lookup(n.Op)
		return i >= 0 && d.InPlace(i) && last.Out[0].Type.Shape.Equal(n.Out[0].Type.Shape)
	}
	return i == 0 && has(n, op.Weights) != has(last, op.Weights)
}

// has reports whether a node's operator has traits.
func has(n *graph.Node, t op.Traits) bool {
	d, ok := op.Lookup(n.Op)
	return ok && d.Traits.Has(t)
}

func isElementwise(n *graph.Node) bool { return has(n, op.Elementwise) }

// elementwise returns how many of the nodes are a first one with a tail of element-wise ones.
func elementwise(nodes []*graph.Node) int {
	n := 1
	for n < len(nodes) && isElementwise(nodes[n]) {
		n++
	}
	return n
}

// prepare makes a unit of nodes, of which each but the first reads the result of the one before it; or several, where the kernel of the
// first ones does not yield its result in order, or the next one could not overwrite it.
func (b *builder) prepare(nodes []*graph.Node) ([]*Unit, error) {
	units, err := b.evaluateSources(nodes)
	if err != nil {
		return nil, err
	}
	for len(nodes) > 0 {
		u, last := &Unit{}, 0 // pieces of the last round
		for len(nodes) > 0 {
			plan, taken, err := b.plan(nodes)
			if err != nil {
				return nil, err
			}
			own := lastRound(plan)
			even := plan.Even && own > 0 && len(plan.Rounds) <= 2
			switch {
			case len(u.parts) == 0:
				u.Kernel, u.rounds, last = plan.Kernel, slices.Clone(plan.Rounds), own
			case !even || !b.joins(plan, nodes, u.last().Out[0]):
				taken = 0 // in a unit of its own, that does not hold on to the operands of this one while it needs other memory
			default:
				last = gcd(last, own)
				if before := plan.Pieces - own; before > 0 { // what it prepares needs no other part
					if u.rounds == nil {
						u.rounds = []int{0, 0}
					}
					u.rounds[0] += before
				}
			}
			if taken == 0 {
				break
			}
			sources := b.sourcesOf(nodes[:taken])
			if err := b.add(u, slices.Concat(sources, nodes[:taken]), plan); err != nil {
				return nil, err
			}
			b.drop(sources)
			if nodes = nodes[taken:]; !even {
				break
			}
		}
		if s, err := op.Of(u.first()); err == nil && s.Def.Control != nil {
			if err := b.bodies(u, s); err != nil {
				return nil, err
			}
		}
		u.divide(last)
		if u.work = divide(u.Pieces, u.time, b.opts.Threads); u.rounds != nil && u.workers > 1 { // Without this pieces would be put together that the kernel has made of the right size.
			u.least, u.most = 1, 1 // the kernel makes pieces that are worth it
		}
		units = append(units, u)
	}
	return units, nil
}

// lastRound returns how many pieces the last round of a plan has.
func lastRound(p *kernel.Plan) int {
	if p.Rounds == nil {
		return p.Pieces
	}
	return p.Rounds[len(p.Rounds)-1]
}

// divide numbers the pieces of a unit's parts, of which the last round has so many.
func (u *Unit) divide(last int) {
	u.Pieces = last
	for i := range u.parts {
		p := &u.parts[i]
		p.first, p.each = u.Pieces-last, p.each/max(last, 1)
		u.Pieces += p.before
	}
	if u.rounds != nil {
		u.rounds[len(u.rounds)-1] = last
	}
}

// joins reports whether a plan for nodes takes a value, which is computed in the same unit, piece by piece, in the layout that it has, and yields
// its result in the same.
func (b *builder) joins(plan *kernel.Plan, nodes []*graph.Node, v *graph.Value) bool {
	if !plan.Streams && (!isElementwise(nodes[0]) || !v.Type.Equal(nodes[0].Out[0].Type)) {
		return false
	}
	layout := func(list []kernel.Layout, i int) kernel.Layout {
		if i < len(list) { // Without this nothing would be joined that works on blocks.
			return list[i]
		}
		return kernel.Plain
	}
	for i, in := range nodes[0].In {
		if in == v && layout(plan.In, i) != b.aliases.layouts[v] { // Without this a part would be given a layout that it does not take; no plan is so.
			return false
		}
	}
	return layout(plan.Out, 0) == b.aliases.layouts[v]
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// plan returns how the first nodes are evaluated, and how many the plan takes. A kernel may take several, a reference takes one.
func (b *builder) plan(nodes []*graph.Node) (*kernel.Plan, int, error) {
	if !b.opts.NoOptimize {
		for n := elementwise(nodes); n > 0 && b.fit(nodes[:n]); n-- {
			if p := kernel.For(b.opts.Tiers, b.region(nodes[:n])); p != nil {
				return p, n, nil
			}
		}
	}
	s, err := op.Of(nodes[0])
	if err != nil {
		return nil, 0, &NodeError{Node: nodes[0], Err: err}
	}
	d, out := s.Def, graph.TypesOf(nodes[0].Out)
	p := &kernel.Plan{Kernel: reference, Pieces: d.Pieces(s, out), Even: d.Ref.PerElement && len(out) == 1 && !out[0].DType.IsPacked()}
	if d.Ref.Scratch != nil {
		p.Scratch = d.Ref.Scratch(s, out)
	}
	if d.Control != nil {
		p.Pieces = 1 // which evaluates the blocks
		return p, 1, nil
	}
	if p.Run = d.Kernel(s); p.Run == nil { // Without this a definition without a reference would be a panic of a run.
		return nil, 0, &NodeError{Node: nodes[0], Err: fmt.Errorf("there is no evaluation for operand %s of type %v", d.In[d.Ref.By].Name, s.In[d.Ref.By].DType)}
	}
	return p, 1, nil
}

// fit reports whether no operand or result of nodes takes more memory than there is. What a kernel prepares is in proportion to them, and must not be asked for
// before the plan of the memory refuses them.
func (b *builder) fit(nodes []*graph.Node) bool {
	large := func(v *graph.Value) bool { return v != nil && v.Const == nil && v.Type.Bytes() > b.memory }
	return !slices.ContainsFunc(nodes, func(n *graph.Node) bool { return slices.ContainsFunc(n.In, large) || slices.ContainsFunc(n.Out, large) })
}

// add puts a part behind those of a unit.
func (b *builder) add(u *Unit, nodes []*graph.Node, plan *kernel.Plan) error {
	p := part{nodes: nodes, run: plan.Run, code: plan.Code,
		scratch: int64(plan.Scratch), shared: int64(plan.Shared), before: plan.Pieces - lastRound(plan), each: lastRound(plan), rows: plan.Rows}
	for _, v := range (kernel.Region{Nodes: nodes}).Operands() {
		p.in = append(p.in, slot{value: v})
	}
	var cost op.Cost
	for _, n := range nodes {
		c, err := op.NodeCost(n)
		if err != nil {
			return &NodeError{Node: n, Err: err}
		}
		cost = cost.Plus(c)
	}
	u.Cost = u.Cost.Plus(cost)
	u.time += cmp.Or(min(plan.Nanos, longest), timeOf(cost))
	for _, v := range nodes[len(nodes)-1].Out {
		p.out = append(p.out, slot{value: v})
	}
	b.packs.note(nodes, plan)
	for i := range plan.Pack {
		p.packs = append(p.packs, b.packs.add(&plan.Pack[i], plan.Kernel))
		u.Packed += int64(plan.Pack[i].Size)
	}
	for i, l := range plan.In {
		p.in[i].layout = l
	}
	for i, l := range plan.Out {
		if p.out[i].layout = l; l != kernel.Plain {
			b.aliases.layouts[p.out[i].value] = l
		}
	}
	u.Nodes, u.parts = append(u.Nodes, nodes...), append(u.parts, p)
	return nil
}
