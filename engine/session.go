package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
)

// Session runs a program in memory of its own, and keeps the program's states from one run to the next. Running
// allocates nothing. A session serves one goroutine at a time; its tensors must not be touched during a run.
type Session struct {
	program *Program
	scratch [][]byte // by worker
	arena   []byte
	frame   *frame
	task    task
	stop    func() bool // of the task, for kernels
	busy    atomic.Bool
	watch   *watch // nil unless somebody observes nodes

	unit func(u *Unit, began time.Time, took time.Duration) // [Observer.Unit]

	operations int64 // of the run so far, with those to come that no block has
	lost       error // why states could not be reset
}

// NewSession allocates a session: as many bytes as [Plan.Session] says. Its inputs are zeros.
func (p *Program) NewSession() (s *Session, err error) {
	if p == nil || p.code == nil {
		return nil, errNoProgram
	}
	if p.closed.Load() {
		return nil, errClosed
	}
	defer guard("the making of a session", mapfile.Watch(), &err)
	if err := p.packs.fill(); err != nil {
		return nil, err
	}
	if need := p.layout.Session(); !limits.Fits(need) {
		left, _ := limits.Free()
		return nil, &LimitError{What: "memory", Need: need, Allowed: left}
	}
	s = &Session{program: p}
	s.stop = s.task.ended
	for range p.layout.Workers {
		s.scratch = append(s.scratch, tensor.AlignedBytes(int(p.layout.Scratch)))
	}
	s.arena = tensor.AlignedBytes(int(p.layout.Arena))
	if s.frame, err = bind(s, p.code, s.arena, nil); err != nil {
		return nil, err
	}
	s.Reset()
	return s, nil
}

// errNoProgram is what there is to say of a Program that [Compile] has not made.
var errNoProgram = errors.New("there is no program: it is nil or the zero Program; Compile makes one")

// errNoSession is what there is to say of a Session that [Program.NewSession] has not made.
var errNoSession = errors.New("there is no session: it is nil or the zero Session")

// Program returns what the session runs.
func (s *Session) Program() *Program { return s.program }

// Input returns the tensor that input i of [Program.Inputs] is read from, for the caller to fill; nil if there is no such
// input. It keeps its elements between runs.
func (s *Session) Input(i int) *tensor.Tensor {
	if s.frame == nil {
		return nil
	}
	return at(s.frame.inputs, i)
}

// Output returns the tensor with output i of [Program.Outputs]; nil if there is no such output. Its elements are those of
// the last run until the next one starts. The caller must not change them, as two outputs may be one tensor.
func (s *Session) Output(i int) *tensor.Tensor {
	if s.frame == nil {
		return nil
	}
	return at(s.frame.outputs, i)
}

func at(list []*tensor.Tensor, i int) *tensor.Tensor {
	if i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// SetInput copies t, which may be a strided view, into input i. A tensor of another type is an *InputError.
func (s *Session) SetInput(i int, t *tensor.Tensor) error {
	if s == nil || s.program == nil {
		return errNoSession
	}
	in := s.Input(i)
	if in == nil {
		return fmt.Errorf("there is no input %d; the program has %d", i, len(s.frame.inputs))
	}
	port := &s.program.inputs[i]
	switch {
	case t == nil:
		return &InputError{Name: port.Name, Want: port.Type.String()}
	case t.DType() != port.Type.DType || !t.Shape().Equal(port.Type.Shape):
		return &InputError{Name: port.Name, Got: t.Describe(), Want: port.Type.String()}
	}
	return in.CopyFrom(t)
}

// Reset gives every state the content it had before the first run. If that lies in a file that cannot be read, the next run is an error.
func (s *Session) Reset() {
	if s.frame == nil {
		return
	}
	s.lost = nil
	defer mapfile.Recover(mapfile.Watch(), &s.lost)
	for _, st := range s.frame.states {
		copyElements(st.value, st.init)
	}
}

// Run evaluates the program on the inputs as they are. It stops between portions of work, of about a millisecond each,
// when ctx is done, with an error that wraps ctx.Err(), and when the time limit has passed, or that of operations
// in loops of which only the run knows how many turns they take, with a *LimitError. A failure in a node is a *NodeError. After an error the
// outputs are undefined and the states are what they were.
func (s *Session) Run(ctx context.Context) (err error) {
	defer runtime.KeepAlive(s) // which has the files that constants lie in
	if ctx == nil {
		return errors.New("run: the context is nil")
	}
	if s == nil || s.program == nil {
		return errNoSession
	}
	if !s.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	defer s.busy.Store(false)
	defer mapfile.Recover(mapfile.Watch(), &err)
	if s.lost != nil {
		return s.lost
	}
	t := &s.task
	t.begin(ctx, s.program.limits.Time)
	defer t.end()
	if s.watch != nil {
		s.watch.begin()
	}
	s.operations = s.frame.code.plain
	if err := s.evaluate(s.frame, s.program.given); err != nil {
		return err
	}
	for _, m := range s.frame.updates {
		copyElements(m.to, m.from)
	}
	return nil
}

// evaluate runs the units of a frame, and leaves its outputs where they are kept. Its code was made of the given graph.
func (s *Session) evaluate(f *frame, given *graph.Graph) error {
	if s.watch != nil {
		return s.watch.evaluate(s, f, given)
	}
	return s.compute(f)
}

// compute is evaluate where nobody observes nodes.
func (s *Session) compute(f *frame) error {
	if err := s.steps(f.steps); err != nil {
		return err
	}
	for _, m := range f.copies {
		copyElements(m.to, m.from)
	}
	return nil
}

// copyElements copies between contiguous tensors of one type.
func copyElements(to, from *tensor.Tensor) { copy(to.Bytes(), from.Bytes()) }
