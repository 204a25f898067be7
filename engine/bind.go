package engine

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// binder makes the tensors of a session and the steps that compute them.
type binder struct {
	program *Program
	session *Session
	arena   []byte
	tensors map[*graph.Value]*tensor.Tensor // in the arena
	copied  map[*graph.Value]*tensor.Tensor // copies made at the end of a run
	stop    func() bool                     // of the session's task
}

func (b *binder) bind() error {
	g, s := b.program.graph, b.session
	var err error
	if s.inputs, err = b.list(g.Inputs, 0); err != nil {
		return err
	}
	for i, n := range g.Nodes {
		if err := b.node(i, n); err != nil {
			return &NodeError{Node: n, Err: err}
		}
	}
	for _, o := range g.Outputs {
		t, err := b.kept(o.Value)
		if err != nil {
			return err
		}
		s.outputs = append(s.outputs, t)
	}
	for _, st := range g.States {
		value, err := b.tensor(st.Value)
		if err != nil {
			return err
		}
		s.states = append(s.states, state{value, st.Init})
		if st.Next == nil {
			continue
		}
		next, err := b.kept(st.Next)
		if err != nil {
			return err
		}
		s.updates = append(s.updates, move{value, next})
	}
	return nil
}

// node makes the step of node i, unless it is a view or has nothing to compute.
func (b *binder) node(i int, n *graph.Node) error {
	d, _ := op.Lookup(n.Op) // measure has found it
	in, err := b.list(n.In, len(d.In))
	if err != nil {
		return err
	}
	if b.program.layout.views[n] {
		b.tensors[n.Out[0]], err = in[0].Reshape(n.Out[0].Type.Shape...)
		return err
	}
	out, err := b.list(n.Out, 0)
	if err != nil {
		return err
	}
	st := step{node: n, call: op.Call{In: in, Out: out, Attrs: n.Attrs, Stop: b.stop}}
	if buffer, ok := b.program.layout.scratch[n]; ok {
		st.call.Scratch = b.memory(buffer)
	}
	var pieces int
	if st.kernel, pieces = kernelFor(d, &st.call); st.kernel == nil {
		return fmt.Errorf("there is no evaluation for %v", in[d.Ref.By])
	}
	if pieces > 0 {
		st.work = divide(pieces, b.program.cost.Nodes[i].Cost, b.program.pool.threads())
		b.session.steps = append(b.session.steps, st)
	}
	return nil
}

// list returns the tensors of values, and nil for absent ones, at least so many.
func (b *binder) list(values []*graph.Value, least int) ([]*tensor.Tensor, error) {
	out := make([]*tensor.Tensor, max(len(values), least))
	for i, v := range values {
		if v == nil {
			continue
		}
		var err error
		if out[i], err = b.tensor(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// tensor returns the tensor of a value: the constant itself, or one in the arena.
func (b *binder) tensor(v *graph.Value) (*tensor.Tensor, error) {
	if v.Const != nil {
		return v.Const, nil
	}
	if t := b.tensors[v]; t != nil {
		return t, nil
	}
	t, err := b.at(v, b.program.layout.root[v])
	b.tensors[v] = t
	return t, err
}

// kept returns the tensor that a run leaves a value in: for an input, a constant or a state a copy.
func (b *binder) kept(v *graph.Value) (*tensor.Tensor, error) {
	buffer, ok := b.program.layout.copies[v]
	if !ok {
		return b.tensor(v)
	}
	if t := b.copied[v]; t != nil {
		return t, nil
	}
	from, err := b.tensor(v)
	if err != nil {
		return nil, err
	}
	to, err := b.at(v, buffer)
	b.copied[v] = to
	b.session.copies = append(b.session.copies, move{to, from})
	return to, err
}

// at returns a tensor of v's type in the memory of a buffer.
func (b *binder) at(v *graph.Value, buffer int) (*tensor.Tensor, error) {
	return tensor.FromBytes(v.Type.DType, v.Type.Shape, b.memory(buffer))
}

func (b *binder) memory(buffer int) []byte {
	p := &b.program.layout.Buffers[buffer]
	return b.arena[p.Offset : p.Offset+p.Size : p.Offset+p.Size]
}
