package engine

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// blocks evaluates the graphs that a node owns, one at a time. It implements [op.BlockRunner].
type blocks struct {
	session *Session
	frames  []*frame
	control func(*op.Call, op.BlockRunner) error
	node    *graph.Node
}

// blocks binds the blocks of a unit's node. They lie in the same memory, as only one is under way.
func (b *binder) blocks(u *Unit, c *op.Call) (*blocks, error) {
	s, err := op.Of(u.first())
	if err != nil {
		return nil, err
	}
	made := &blocks{session: b.session, control: s.Def.Control, node: u.first()}
	l := b.frame.code.layout
	arena := b.at(l.blocks[u], 0, l.Buffers[l.blocks[u]].Size)
	for i, body := range u.bodies {
		_, operand, n := s.Def.Captures(s, i)
		f, err := bind(b.session, body, arena, c.In[operand:operand+n])
		if err != nil {
			return nil, err
		}
		made.frames = append(made.frames, f)
	}
	return made, nil
}

// In implements [op.BlockRunner].
func (b *blocks) In(block, i int) *tensor.Tensor { return b.frames[block].inputs[i] }

// Out implements [op.BlockRunner].
func (b *blocks) Out(block, i int) *tensor.Tensor { return b.frames[block].outputs[i] }

// Run implements [op.BlockRunner].
func (b *blocks) Run(block int) error {
	if err := b.charge(b.frames[block].code); err != nil {
		return err
	}
	origin := b.session.program.origin
	if origin.Inlined[b.node] {
		return b.session.compute(b.frames[block]) // an observer knows the block only that it stood in
	}
	given := b.node
	if from := origin.Nodes[b.node]; from != nil {
		given = from
	}
	return b.session.evaluate(b.frames[block], given.Blocks[block])
}

// charge counts the operations of one evaluation of a block, since Compile does not know the turns of every loop.
func (b *blocks) charge(c *code) error {
	s := b.session
	s.operations = limits.Add(s.operations, limits.Add(c.plain, 1))
	if most := s.program.limits.Operations; s.operations > most {
		return &LimitError{What: "operations", Need: s.operations, Allowed: most, Node: nameOf(b.node)}
	}
	return nil
}
