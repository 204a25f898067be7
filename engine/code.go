package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
)

// code is a graph that is ready to be evaluated: that of a program, or a block of one of its nodes.
type code struct {
	graph    *graph.Graph
	captures int // the last inputs, which lie where the operands of the node lie that owns the block
	units    []*Unit
	aliases  *aliases
	layout   *layout
	cost     op.Cost
	plain    int64 // the operations of one evaluation, but for those of the blocks of its nodes
}

// assembler makes code. What it makes shares its packed constants.
type assembler struct {
	opts    Options
	limits  Limits
	memory  int64 // that is left
	packs   packs
	scratch int64 // the most working memory that a worker needs for any unit
	workers int   // the most that need it at the same time
}

// assemble makes the code of a graph whose last inputs are captures.
func (a *assembler) assemble(g *graph.Graph, captures int) (*code, error) {
	kept := make(map[*graph.Value]bool)
	for _, v := range g.Roots() {
		kept[v] = true
		a.packs.keep(v)
	}
	share := !a.opts.NoOptimize
	c := &code{graph: g, captures: captures, aliases: findAliases(g, kept, share)}
	for _, to := range c.aliases.of {
		a.packs.keep(to.value)
	}
	b := builder{g: g, assembler: a, aliases: c.aliases}
	var err error
	if c.units, err = b.units(); err != nil {
		return nil, err
	}
	for _, u := range c.units {
		if bytes := u.scratch(); bytes > 0 {
			a.scratch, a.workers = max(a.scratch, bytes), max(a.workers, u.workers)
			if need := clampMul(a.scratch, a.workers); need > a.memory {
				return nil, &LimitError{What: "memory", Need: need, Allowed: a.memory, Node: nameOf(u.first())}
			}
		}
	}
	convert(c, a.opts.Threads, kept)
	if c.layout, err = plan(c, kept, share, a.memory); err != nil {
		return nil, err
	}
	for _, u := range c.units {
		c.cost = c.cost.Plus(u.Cost)
		if u.bodies == nil {
			c.plain = limits.Add(c.plain, limits.Add(u.Cost.MACs, u.Cost.Ops))
		}
		if need := limits.Add(c.cost.MACs, c.cost.Ops); need > a.limits.Operations {
			return nil, &LimitError{What: "operations", Need: need, Allowed: a.limits.Operations, Node: nameOf(u.first())}
		}
	}
	return c, nil
}

// bodies makes the code of the blocks of a unit's node, and completes the unit with it.
func (a *assembler) bodies(u *Unit, s *op.Sig) error {
	for i, b := range s.Blocks {
		_, _, captures := s.Def.Captures(s, i)
		c, err := a.assemble(b, captures)
		if err != nil {
			return fmt.Errorf("block %s: %w", s.Def.Blocks[i].Name, err)
		}
		u.bodies, u.Blocks = append(u.bodies, c), append(u.Blocks, c.units)
	}
	return nil
}

// convert puts units between those that yield values in a layout and those that read them in another.
func convert(c *code, threads int, kept map[*graph.Value]bool) {
	plain := make(map[*graph.Value]bool) // values that must be there in row-major order
	for v := range kept {
		plain[v] = true
	}
	for v, to := range c.aliases.of {
		if !c.aliases.inBlocks(v) {
			plain[v], plain[to.value] = true, true
		}
	}
	have := make(map[slot]bool)
	yields := c.aliases.layouts
	var units []*Unit
	bring := func(s slot, n *graph.Node) {
		if s.value == nil || s.layout == yields[s.value] || have[s] {
			return
		}
		p := kernel.Convert(s.value.Type, yields[s.value], s.layout)
		if p == nil { // Without this a layout that nothing makes would be a panic, not the binder's error.
			return
		}
		have[s] = true
		u := &Unit{Nodes: []*graph.Node{n}, Kernel: p.Kernel, Pieces: p.Pieces, Cost: op.Cost{Read: s.value.Type.Bytes(), Written: s.layout.Bytes(s.value.Type)}}
		u.parts = []part{{run: p.Run, each: 1, in: []slot{{s.value, yields[s.value]}}, out: []slot{s}}}
		u.work = divide(u.Pieces, cmp.Or(min(p.Nanos, longest), timeOf(u.Cost)), threads)
		units = append(units, u)
	}
	// Results of nodes without an evaluation are there as soon as the last of their operands is.
	waits, readers := make(map[*graph.Node]int), make(map[*graph.Value][]*graph.Node)
	var yielded func(n *graph.Node)
	yielded = func(n *graph.Node) {
		for _, v := range n.Out {
			if plain[v] {
				bring(slot{value: v}, n)
			}
			for _, r := range readers[v] {
				if waits[r]--; waits[r] == 0 {
					yielded(r)
				}
			}
		}
	}
	for _, n := range c.graph.Nodes {
		if !c.aliases.free[n] {
			continue
		}
		for _, v := range n.In {
			if v != nil && v.Producer != nil {
				waits[n]++
				readers[v] = append(readers[v], n)
			}
		}
	}
	for _, n := range c.graph.Nodes {
		// Without this what follows from inputs alone would never be there; none of it is in blocks yet.
		if c.aliases.free[n] && !slices.ContainsFunc(n.In, func(v *graph.Value) bool { return v != nil && v.Producer != nil }) {
			yielded(n)
		}
	}
	for _, u := range c.units {
		for i := range u.parts {
			for _, s := range u.parts[i].in {
				bring(s, u.first())
			}
		}
		units = append(units, u)
		yielded(u.last())
	}
	c.units = units
}
