package model

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/tensor"
)

// Session runs a model again and again on inputs of the same shapes, whether it has a single graph or is made in parts. It must not be used
// by several goroutines at once.
type Session struct {
	whole   *engine.Session // of a model with a single graph; else nil
	inputs  []engine.Port
	outputs []engine.Port

	programs *Programs
	first    *entry
	values   Values                              // of the inputs, in parts
	sessions map[*engine.Program]*engine.Session // of the parts that were run
	bytes    int64                               // that they take
	observer *engine.Observer
	results  []*tensor.Tensor
}

// Session makes a session for inputs of the given shapes; see [Model.Graph].
func (p *Programs) Session(given Shapes) (*Session, error) {
	if p == nil {
		return nil, errNone
	}
	shapes, err := p.model.Complete(given)
	if err != nil {
		return nil, err
	}
	e, err := p.start(shapes)
	if err != nil {
		return nil, err
	}
	if e.part.Rest == nil && e.program != nil {
		whole, err := e.program.NewSession()
		if err != nil {
			return nil, err
		}
		return &Session{whole: whole, inputs: e.program.Inputs(), outputs: e.program.Outputs()}, nil
	}
	s := &Session{programs: p, first: e, values: make(Values), sessions: make(map[*engine.Program]*engine.Session)}
	for _, name := range naming.Sorted(shapes) {
		t := graph.Type{DType: p.model.input(name).DType, Shape: shapes[name]}
		s.inputs = append(s.inputs, engine.Port{Name: name, Type: t})
		if s.values[name], err = tensor.New(t.DType, t.Shape); err != nil {
			return nil, err
		}
	}
	for _, name := range p.model.outputs {
		s.outputs = append(s.outputs, engine.Port{Name: name})
	}
	slices.SortStableFunc(s.inputs, func(a, b engine.Port) int { return p.model.position(a.Name) - p.model.position(b.Name) })
	return s, nil
}

// Inputs returns the tensors that the session takes, in the order of the model's inputs.
func (s *Session) Inputs() []engine.Port { return s.inputs }

// Outputs returns the tensors that the session yields. Those of a model in parts have a type only when it has run.
func (s *Session) Outputs() []engine.Port { return s.outputs }

// InParts reports whether the model has no single graph.
func (s *Session) InParts() bool { return s.whole == nil }

// Ran returns the programs that the session has run and keeps: the model's, or those of its parts in no order.
func (s *Session) Ran() []*engine.Program {
	if s.whole != nil {
		return []*engine.Program{s.whole.Program()}
	}
	return slices.Collect(maps.Keys(s.sessions))
}

// Input is [engine.Session.Input].
func (s *Session) Input(i int) *tensor.Tensor {
	if s.whole != nil {
		return s.whole.Input(i)
	}
	if i < 0 || i >= len(s.inputs) {
		return nil
	}
	return s.values[s.inputs[i].Name]
}

// SetInput is [engine.Session.SetInput].
func (s *Session) SetInput(i int, t *tensor.Tensor) error {
	if s == nil {
		return errNone
	}
	if s.whole != nil {
		return s.whole.SetInput(i, t)
	}
	in := s.Input(i)
	switch {
	case in == nil:
		return fmt.Errorf("there is no input %d; there are %d", i, len(s.inputs))
	case t == nil || t.DType() != in.DType() || !t.Shape().Equal(in.Shape()):
		return &engine.InputError{Name: s.inputs[i].Name, Got: t.Describe(), Want: s.inputs[i].Type.String()}
	}
	return in.CopyFrom(t)
}

// Output is [engine.Session.Output].
func (s *Session) Output(i int) *tensor.Tensor {
	if s.whole != nil {
		return s.whole.Output(i)
	}
	if i < 0 || i >= len(s.results) {
		return nil
	}
	return s.results[i]
}

// Reset is [engine.Session.Reset]. Models in parts have no states.
func (s *Session) Reset() {
	if s.whole != nil {
		s.whole.Reset()
	}
}

// Observe is [engine.Session.Observe].
func (s *Session) Observe(o *engine.Observer) {
	s.observer = o
	if s.whole != nil {
		s.whole.Observe(o)
	}
	for _, part := range s.sessions {
		part.Observe(o)
	}
}

// Run is [engine.Session.Run].
func (s *Session) Run(ctx context.Context) error {
	if s == nil {
		return errNone
	}
	if s.whole != nil {
		return s.whole.Run(ctx)
	}
	if s.programs == nil {
		return errNone
	}
	out, err := s.programs.follow(ctx, s.first, s.values, s.part)
	if err != nil {
		return err
	}
	s.outputs, s.results = nil, nil
	for _, name := range s.programs.model.ordered(out) {
		s.outputs = append(s.outputs, engine.Port{Name: name, Type: graph.TypeOf(out[name])})
		s.results = append(s.results, out[name])
	}
	return nil
}

// ordered returns the names of outputs in the order of the model.
func (m *Model) ordered(out Values) []string {
	var names []string
	for _, name := range m.outputs {
		if out[name] != nil {
			names = append(names, name)
		}
		for i := 0; out[Element(name, i)] != nil; i++ {
			names = append(names, Element(name, i))
		}
	}
	return names
}

// part runs the program of a part in a session that is kept for the next time.
func (s *Session) part(ctx context.Context, p *engine.Program, values Values) (Values, error) {
	own := s.sessions[p]
	if own == nil {
		var err error
		if own, err = p.NewSession(); err != nil {
			return nil, err
		}
		plan := p.Plan()
		if s.bytes = limits.Add(s.bytes, plan.Session()); s.bytes > s.programs.rest.bytes || len(s.sessions) >= s.programs.rest.keep {
			clear(s.sessions) // of loops with ever new parts
			s.bytes = plan.Session()
		}
		own.Observe(s.observer)
		s.sessions[p] = own
	}
	for i, port := range p.Inputs() {
		if err := own.SetInput(i, values[port.Name]); err != nil {
			return nil, err
		}
	}
	if err := own.Run(ctx); err != nil {
		return nil, err
	}
	out := make(Values)
	for i, port := range p.Outputs() {
		t, err := own.Output(i).Copy() // the session may run again before the values are read
		if err != nil {
			return nil, err
		}
		out[port.Name] = t
	}
	return out, nil
}
