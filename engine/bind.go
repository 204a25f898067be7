package engine

import (
	"fmt"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// frame is code with memory to evaluate it in: a session's, or that of a block of one of its nodes.
type frame struct {
	code     *code
	steps    []step
	inputs   []*tensor.Tensor // without captures
	outputs  []*tensor.Tensor
	copies   []move // at the end of a run, before updates
	updates  []move // from the new contents to the states
	states   []state
	captures []*tensor.Tensor // the last inputs
}

// step is a unit with memory.
type step struct {
	*Unit
	work
	calls  [][]op.Call // by worker and part
	blocks *blocks     // of a node that owns graphs

	wakes   bool          // whether there is enough to do, in this step and those behind it, to wake workers for it
	fastest time.Duration // that workers and session ever took
}

// wakeTime is how many nanoseconds of work for several goroutines must be ahead for sleeping workers to be woken: waking one costs the goroutine that
// does it 10 µs, and the worker starts much later.
const wakeTime = 100_000

// wakes marks the steps that workers are woken for: those from which on there is enough to do until they would fall asleep again.
func wakes(steps []step) {
	var ahead int64
	for i := len(steps) - 1; i >= 0; i-- {
		st := &steps[i]
		switch {
		case st.workers > 1: // Without this no worker would be woken.
			ahead = min(ahead+st.time, wakeTime)
		case st.time > int64(spinTime): // Without this workers would be woken too early.
			ahead = 0
		}
		st.wakes = ahead >= wakeTime
	}
}

type move struct{ to, from *tensor.Tensor }

type state struct{ value, init *tensor.Tensor }

// binder makes a frame.
type binder struct {
	session *Session
	frame   *frame
	arena   []byte
	tensors map[slot]*tensor.Tensor
	copied  map[*graph.Value]*tensor.Tensor // copies made at the end of a run
}

// bind makes the frame of code in the arena. Captures are the tensors of its last inputs.
func bind(s *Session, c *code, arena []byte, captures []*tensor.Tensor) (*frame, error) {
	b := &binder{session: s, frame: &frame{code: c, captures: captures}, arena: arena,
		tensors: make(map[slot]*tensor.Tensor), copied: make(map[*graph.Value]*tensor.Tensor)}
	own := len(c.graph.Inputs) - c.captures
	for i, t := range captures {
		b.tensors[slot{value: c.graph.Inputs[own+i]}] = t
	}
	for _, v := range c.graph.Inputs[:own] {
		t, err := b.tensor(slot{value: v})
		if err != nil {
			return nil, err
		}
		b.frame.inputs = append(b.frame.inputs, t)
	}
	for _, u := range c.units {
		if err := b.unit(u); err != nil {
			return nil, &NodeError{Node: u.first(), Err: err}
		}
	}
	wakes(b.frame.steps)
	if err := b.ends(c.graph); err != nil {
		return nil, err
	}
	return b.frame, nil
}

// ends binds what stands at the end of a run.
func (b *binder) ends(g *graph.Graph) error {
	for _, o := range g.Outputs {
		t, err := b.kept(o.Value)
		if err != nil {
			return err
		}
		b.frame.outputs = append(b.frame.outputs, t)
	}
	for _, st := range g.States {
		value, err := b.tensor(slot{value: st.Value})
		if err != nil {
			return err
		}
		b.frame.states = append(b.frame.states, state{value, st.Init})
		if st.Next == nil {
			continue
		}
		next, err := b.kept(st.Next)
		if err != nil {
			return err
		}
		b.frame.updates = append(b.frame.updates, move{value, next})
	}
	return nil
}

// unit binds a unit, unless it has nothing to compute.
func (b *binder) unit(u *Unit) error {
	if u.Pieces == 0 { // Without this a step would have nothing to do.
		return nil
	}
	st := step{Unit: u, work: u.work, calls: make([][]op.Call, u.workers)}
	for w := range st.calls {
		st.calls[w] = make([]op.Call, len(u.parts))
	}
	offset := int(u.windowed())
	for i := range u.parts {
		c, err := b.call(u, &u.parts[i])
		if err != nil {
			return err
		}
		size := int(u.parts[i].scratch)
		for w := range st.calls {
			if size > 0 {
				c.Scratch = b.session.scratch[w][offset:][:size:size]
			}
			st.calls[w][i] = c
		}
		offset += int(aligned(int64(size)))
	}
	if u.strips != nil {
		for w, calls := range st.calls {
			if err := b.windows(u, calls, b.session.scratch[w]); err != nil {
				return err
			}
		}
	}
	if len(u.bodies) > 0 {
		var err error
		if st.blocks, err = b.blocks(u, &st.calls[0][0]); err != nil {
			return err
		}
	}
	b.frame.steps = append(b.frame.steps, st)
	return nil
}

// call returns the call of a part, without scratch memory.
func (b *binder) call(u *Unit, p *part) (op.Call, error) {
	c, least := op.Call{Stop: b.session.stop}, 0
	if len(p.nodes) == 1 {
		d, _ := op.Lookup(p.nodes[0].Op) // the builder has found it
		c.Attrs, least = p.nodes[0].Attrs, len(d.In)
	}
	var err error
	if c.In, err = b.list(u, p.in, least); err != nil {
		return c, err
	}
	if c.Out, err = b.list(u, p.out, 0); err != nil {
		return c, err
	}
	if p.shared > 0 {
		c.Shared = b.at(b.frame.code.layout.shared[p], 0, p.shared)
	}
	for _, i := range p.packs {
		c.Packed = append(c.Packed, b.session.program.packs.list[i].data)
	}
	return c, nil
}

// windows gives the calls of a worker the windows in which a part leaves rows for the next one.
func (b *binder) windows(u *Unit, calls []op.Call, scratch []byte) error {
	for i := range u.strips.windows {
		w := &u.strips.windows[i]
		t, err := tensor.FromBytes(w.DType, w.Shape, scratch[:w.size:w.size])
		if err != nil {
			return err
		}
		calls[i].Out = []*tensor.Tensor{t}
		calls[i+1].In = append([]*tensor.Tensor{t}, calls[i+1].In[1:]...)
		scratch = scratch[aligned(w.size):]
	}
	return nil
}

// list returns the tensors of slots, and nil for absent ones and for windows, at least so many.
func (b *binder) list(u *Unit, slots []slot, least int) ([]*tensor.Tensor, error) {
	out := make([]*tensor.Tensor, max(len(slots), least))
	for i, s := range slots {
		if s.value == nil || u.window(s) != nil {
			continue
		}
		var err error
		if out[i], err = b.tensor(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// tensor returns the tensor of a value: a constant or capture itself or a part of it, or one in the arena.
func (b *binder) tensor(s slot) (*tensor.Tensor, error) {
	if t := b.tensors[s]; t != nil {
		return t, nil
	}
	t, err := b.make(s)
	b.tensors[s] = t
	return t, err
}

func (b *binder) make(s slot) (*tensor.Tensor, error) {
	v := s.value
	if v.Const != nil && s.layout == kernel.Plain {
		return v.Const, nil
	}
	shape, size := s.layout.Shape(v.Type.Shape), s.layout.Bytes(v.Type)
	if at, ok := b.frame.code.layout.at[s]; ok {
		return tensor.FromBytes(v.Type.DType, shape, b.at(at.buffer, at.offset, size))
	}
	root, offset := b.frame.code.aliases.root(s)
	if root == s { // Without this a mistake of the planner would be a recursion without end.
		return nil, fmt.Errorf("value %s has no place in layout %v", v.Name, s.layout)
	}
	t, err := b.tensor(root)
	if err != nil {
		return nil, err
	}
	return tensor.FromBytes(v.Type.DType, shape, t.Bytes()[offset:][:size:size])
}

// kept returns the tensor that a run leaves a value in: for an input, a constant or a state a copy.
func (b *binder) kept(v *graph.Value) (*tensor.Tensor, error) {
	buffer, ok := b.frame.code.layout.copies[v]
	if !ok {
		return b.tensor(slot{value: v})
	}
	if t := b.copied[v]; t != nil { // Without this it would be copied twice, to the same place.
		return t, nil
	}
	from, err := b.tensor(slot{value: v})
	if err != nil {
		return nil, err
	}
	to, err := tensor.FromBytes(v.Type.DType, v.Type.Shape, b.at(buffer, 0, v.Type.Bytes()))
	b.copied[v] = to
	b.frame.copies = append(b.frame.copies, move{to, from})
	return to, err
}

// at returns memory in a buffer.
func (b *binder) at(buffer int, offset, size int64) []byte {
	first := b.frame.code.layout.Buffers[buffer].Offset + offset
	return b.arena[first : first+size : first+size]
}
