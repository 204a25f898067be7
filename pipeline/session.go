package pipeline

import (
	"context"
	"errors"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// Session answers for inputs of the same shapes in the memory of one session of the model: of many inputs, one after another, or window by
// window. It must not be used by several goroutines at once. [NewSession] makes sessions.
type Session struct {
	job     job
	session *model.Session
}

// NewSession makes a session of one of a model, which [model.Programs.Session] makes, and of a manifest, nil for one that says nothing, which must not
// change any more. A manifest that does not fit the model is a [manifest.Errors].
func NewSession(s *model.Session, d *manifest.Manifest) (*Session, error) {
	if s == nil {
		return nil, errors.New("the session of the model is nil")
	}
	if d == nil {
		d = &manifest.Manifest{}
	}
	if err := d.Check(typesOf(s.Inputs()), typesOf(s.Outputs())); err != nil {
		return nil, err
	}
	return &Session{job{machine: (*sessionMachine)(s), manifest: d}, s}, nil
}

func typesOf(ports []engine.Port) []manifest.Type {
	out := make([]manifest.Type, len(ports))
	for i, p := range ports {
		out[i] = manifest.Type{Name: p.Name, DType: p.Type.DType, Shape: p.Type.Shape}
	}
	return out
}

// Run answers what the model says of inputs, as [Pipeline.Run] does. The tensors of an answer are those of the session, which its next run changes.
func (s *Session) Run(ctx context.Context, in Inputs) (*Answer, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	s.session.Reset()
	return s.job.all(ctx, s.ports(), in, s.names())
}

// Set sets the inputs of the session, of a sound the first window, and returns how many windows there are: one without a sound.
func (s *Session) Set(in Inputs) (windows int, err error) {
	if err := s.check(); err != nil {
		return 0, err
	}
	return s.job.prepare(s.ports(), in)
}

// Window sets the input that takes a sound to one of its windows. Without a sound it does nothing.
func (s *Session) Window(i int) error {
	if err := s.check(); err != nil {
		return err
	}
	return s.job.window(i)
}

// Step runs the model on a window of the inputs that [Session.Set] has set, notes what the answer needs of it, and makes the states of the next one of its outputs.
func (s *Session) Step(ctx context.Context, window int) error {
	if err := s.check(); err != nil {
		return err
	}
	return s.job.step(ctx, window)
}

// Answer says what the outputs of the session mean as they stand there.
func (s *Session) Answer() (*Answer, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return s.job.answer(s.names())
}

func (s *Session) check() error {
	if s == nil || s.session == nil {
		return errors.New("the session was not made by NewSession")
	}
	return nil
}

func (s *Session) names() []string {
	names := make([]string, len(s.session.Outputs()))
	for i, p := range s.session.Outputs() {
		names[i] = p.Name
	}
	return names
}

func (s *Session) ports() []port {
	var list []port
	for i, t := range typesOf(s.session.Inputs()) {
		list = append(list, port{Type: t, text: s.session.Inputs()[i].String()})
	}
	return list
}

// sessionMachine runs the session of a model.
type sessionMachine model.Session

func (m *sessionMachine) session() *model.Session { return (*model.Session)(m) }

func (m *sessionMachine) set(name string, t *tensor.Tensor) error {
	for i, p := range m.session().Inputs() {
		if p.Name == name {
			return m.session().SetInput(i, t)
		}
	}
	return &engine.InputError{Name: name}
}

func (m *sessionMachine) run(ctx context.Context) error { return m.session().Run(ctx) }

func (m *sessionMachine) outputs() model.Values {
	out := make(model.Values)
	for i, p := range m.session().Outputs() {
		out[p.Name] = m.session().Output(i)
	}
	return out
}
