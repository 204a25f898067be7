package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Session runs a program in memory of its own, and keeps the program's states from one run to the next. Running
// allocates nothing. A session serves one goroutine at a time; its tensors must not be touched during a run.
type Session struct {
	program *Program
	inputs  []*tensor.Tensor
	outputs []*tensor.Tensor
	steps   []step
	copies  []move  // at the end of a run, before updates
	updates []move  // from the new contents to the states
	states  []state // for Reset
	task    task
	busy    atomic.Bool
	trace   func(n *graph.Node, took time.Duration)
}

// step is the evaluation of one node.
type step struct {
	node   *graph.Node
	call   op.Call
	kernel op.Kernel
	work
}

type move struct{ to, from *tensor.Tensor }

type state struct{ value, init *tensor.Tensor }

// NewSession allocates a session: as many bytes as [Plan] says. Its inputs are zeros.
func (p *Program) NewSession() (s *Session, err error) {
	defer guard("the making of a session", &err)
	b := binder{
		program: p,
		session: &Session{program: p},
		arena:   tensor.AlignedBytes(int(p.layout.Arena)),
		tensors: make(map[*graph.Value]*tensor.Tensor),
		copied:  make(map[*graph.Value]*tensor.Tensor),
	}
	b.stop = b.session.task.ended
	if err := b.bind(); err != nil {
		return nil, err
	}
	b.session.Reset()
	return b.session, nil
}

// Input returns the tensor that input i of [Program.Inputs] is read from, for the caller to fill; nil if there is no such
// input. It keeps its elements between runs.
func (s *Session) Input(i int) *tensor.Tensor { return at(s.inputs, i) }

// Output returns the tensor with output i of [Program.Outputs]; nil if there is no such output. Its elements are those of
// the last run until the next one starts. The caller must not change them, as two outputs may be one tensor.
func (s *Session) Output(i int) *tensor.Tensor { return at(s.outputs, i) }

func at(list []*tensor.Tensor, i int) *tensor.Tensor {
	if i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// SetInput copies t, which may be a strided view, into input i. A tensor of another type is an *InputError.
func (s *Session) SetInput(i int, t *tensor.Tensor) error {
	in := s.Input(i)
	if in == nil {
		return fmt.Errorf("there is no input %d; the program has %d", i, len(s.inputs))
	}
	port := &s.program.inputs[i]
	switch {
	case t == nil:
		return &InputError{Name: port.Name, Want: port.Type.String()}
	case t.DType() != port.Type.DType || !t.Shape().Equal(port.Type.Shape):
		return &InputError{Name: port.Name, Got: t.String(), Want: port.Type.String()}
	}
	return in.CopyFrom(t)
}

// Reset gives every state the content it had before the first run.
func (s *Session) Reset() {
	for _, st := range s.states {
		copyElements(st.value, st.init)
	}
}

// SetTrace makes every run call f after each node with the time that it took; nil ends that. Nodes that cost nothing,
// such as views, are not reported. It must not be called during a run.
func (s *Session) SetTrace(f func(n *graph.Node, took time.Duration)) { s.trace = f }

// Run evaluates the program on the inputs as they are. It stops between portions of work, of about a millisecond each,
// when ctx is done, with an error that wraps ctx.Err(), and when the time limit has passed, with a *LimitError. A failure
// in a node is a *NodeError. After an error the outputs are undefined and the states are what they were.
func (s *Session) Run(ctx context.Context) error {
	if ctx == nil {
		return errors.New("run: the context is nil")
	}
	if !s.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	defer s.busy.Store(false)
	t := &s.task
	t.begin(ctx, s.program.limits.Time)
	defer t.end()
	for i := range s.steps {
		st := &s.steps[i]
		var started time.Time
		if s.trace != nil {
			started = time.Now()
		}
		if err := t.run(s.program.pool, st); err != nil {
			return err
		}
		if s.trace != nil {
			s.trace(st.node, time.Since(started))
		}
	}
	for _, m := range s.copies {
		copyElements(m.to, m.from)
	}
	for _, m := range s.updates {
		copyElements(m.to, m.from)
	}
	return nil
}

// copyElements copies between contiguous tensors of one type.
func copyElements(to, from *tensor.Tensor) { copy(to.Bytes(), from.Bytes()) }
