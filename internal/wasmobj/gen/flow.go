package main

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// flow is a function's control flow as nested blocks and loops: N. Ramsey, Beyond Relooper, ICFP 2022.
type flow struct {
	order    map[*ssa.BasicBlock]int // the reverse postorder
	children map[*ssa.BasicBlock][]*ssa.BasicBlock
	loop     map[*ssa.BasicBlock]bool // a branch goes back to it
	merge    map[*ssa.BasicBlock]bool // several branches go forward to it
	open     []label
}

// label is what a branch may leave or repeat.
type label struct {
	block *ssa.BasicBlock
	loop  bool
}

func newFlow(f *ssa.Function) *flow {
	w := &flow{order: make(map[*ssa.BasicBlock]int), children: make(map[*ssa.BasicBlock][]*ssa.BasicBlock), loop: make(map[*ssa.BasicBlock]bool), merge: make(map[*ssa.BasicBlock]bool)}
	var post []*ssa.BasicBlock
	seen := make(map[*ssa.BasicBlock]bool)
	var walk func(b *ssa.BasicBlock)
	walk = func(b *ssa.BasicBlock) {
		seen[b] = true
		for _, s := range b.Succs {
			if !seen[s] {
				walk(s)
			}
		}
		post = append(post, b)
	}
	walk(f.Blocks[0])
	for i, b := range post {
		w.order[b] = len(post) - 1 - i
	}
	for _, b := range post {
		forward := 0
		for _, p := range b.Preds {
			if _, reached := w.order[p]; !reached {
				continue
			}
			if w.order[p] < w.order[b] {
				forward++
			} else {
				if !b.Dominates(p) {
					fail("control flow that is not reducible")
				}
				w.loop[b] = true
			}
		}
		w.merge[b] = forward > 1
		if d := b.Idom(); d != nil {
			w.children[d] = append(w.children[d], b)
		}
	}
	return w
}

// joins returns the blocks that b dominates immediately and that several branches reach, the last in order first.
func (w *flow) joins(b *ssa.BasicBlock) []*ssa.BasicBlock {
	var list []*ssa.BasicBlock
	for _, c := range w.children[b] {
		if w.merge[c] {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(x, y *ssa.BasicBlock) int { return w.order[y] - w.order[x] })
	return list
}

// depth returns how many labels lie between here and the one of a block.
func (w *flow) depth(b *ssa.BasicBlock, loop bool) uint64 {
	for i := len(w.open) - 1; i >= 0; i-- {
		if w.open[i] == (label{b, loop}) {
			return uint64(len(w.open) - 1 - i)
		}
	}
	fail("a branch to nowhere")
	return 0
}

func (c *compiler) tree(b *ssa.BasicBlock) {
	w := c.flow
	if w.loop[b] {
		c.code.Op(opLoop, noResult)
		w.open = append(w.open, label{b, true})
	}
	c.within(b, w.joins(b))
	if w.loop[b] {
		c.close()
	}
}

func (c *compiler) close() {
	c.code.Op(opEnd)
	c.flow.open = c.flow.open[:len(c.flow.open)-1]
	c.last = nil
}

// within writes a block, and behind it those that it dominates and that are joined.
func (c *compiler) within(b *ssa.BasicBlock, joins []*ssa.BasicBlock) {
	if len(joins) == 0 {
		c.block(b)
		return
	}
	c.code.Op(opBlock, noResult)
	c.flow.open = append(c.flow.open, label{joins[0], false})
	c.within(b, joins[1:])
	c.close()
	c.tree(joins[0])
}

// branch goes on at a successor.
func (c *compiler) branch(from, to *ssa.BasicBlock) {
	c.phis(from, to)
	switch w := c.flow; {
	case w.order[to] <= w.order[from]:
		c.code.Uint(opBranch, w.depth(to, true))
	case w.merge[to]:
		c.code.Uint(opBranch, w.depth(to, false))
	default:
		c.tree(to)
	}
}
