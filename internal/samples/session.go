package samples

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// Batch makes the sessions of a model for different numbers of samples of the same shapes. Any number of goroutines may use it.
type Batch struct {
	model    *model.Model
	programs *model.Programs
	given    model.Shapes
	one      *engine.Program // of one sample
	shared   []string
}

// New compiles the model for one sample. The given shapes are those of one sample, or of any number, and need not be complete; the programs are
// those of the model. It fails if nothing counts the samples, see [CountOf], or the network can have one only; if it runs in parts; if it keeps a state;
// and as [Batch.Session] does.
func New(m *model.Model, programs *model.Programs, given model.Shapes) (*Batch, error) {
	shapes, err := Shapes(m.Inputs(), given, 1)
	if err != nil {
		return nil, err
	}
	one, err := programs.For(shapes)
	if parts := (*model.PartsError)(nil); errors.As(err, &parts) {
		return nil, errors.New("the model runs in parts, which depend on the elements of its inputs")
	}
	if err != nil {
		return nil, err
	}
	if states := one.Graph().States; len(states) > 0 {
		return nil, fmt.Errorf("the model keeps a state (%s); each of its runs needs the one before", states[0].Value.Name)
	}
	b := &Batch{model: m, programs: programs, given: shapes, one: one}
	if err := b.split(); err != nil {
		return nil, err
	}
	if err := b.prove(2); err != nil {
		return nil, err
	}
	return b, nil
}

// prove shows that samples are in a run of n as they are alone. The graph is made, but not compiled.
func (b *Batch) prove(n int) error {
	if n == 1 {
		return nil
	}
	shapes, err := Shapes(b.model.Inputs(), b.given, n)
	if err != nil {
		return err
	}
	all, err := b.model.Graph(shapes)
	if err != nil {
		return err
	}
	one, err := b.model.Graph(b.given) // not the program's, in which passes have changed what was written
	if err != nil {
		return err
	}
	if len(one.Outputs) != len(all.Outputs) || len(one.Inputs) != len(all.Inputs) {
		return errors.New("the model has other inputs or outputs for several samples")
	}
	for i, in := range all.Inputs {
		if in.Name != one.Inputs[i].Name {
			return errors.New("the model has other inputs for several samples")
		}
	}
	for i, o := range all.Outputs {
		t, u := one.Outputs[i].Value.Type, o.Value.Type
		if !stacks(t, u, n) {
			return fmt.Errorf("the output %s is %v for one sample and %v for %d; samples cannot be told apart in it", o.Name, t, u, n)
		}
	}
	return prove(one, all, n)
}

// split finds out which inputs have samples.
func (b *Batch) split() error {
	shapes, err := Shapes(b.model.Inputs(), b.given, 2)
	if err == nil {
		shapes, err = b.model.Complete(shapes)
	}
	if err != nil {
		return err
	}
	for _, p := range b.one.Inputs() {
		if !stacks(p.Type, graph.Type{DType: p.Type.DType, Shape: shapes[p.Name]}, 2) {
			b.shared = append(b.shared, p.Name)
		}
	}
	return nil
}

// Inputs returns the tensors that one sample takes. Their order is that of [engine.Program.Inputs].
func (b *Batch) Inputs() []engine.Port { return b.one.Inputs() }

// Outputs returns the tensors that one sample yields.
func (b *Batch) Outputs() []engine.Port { return b.one.Outputs() }

// Shared returns the names of inputs that have no samples, which must be the same for all of a run.
func (b *Batch) Shared() []string { return b.shared }

// Session returns a session for n samples, 1 or more. It fails if samples cannot be told apart in an output, and if it is not
// known that they have the bits that they have alone: a *[MixedError].
func (b *Batch) Session(n int) (*Session, error) {
	shapes, err := Shapes(b.model.Inputs(), b.given, n)
	if err != nil {
		return nil, err
	}
	if err := b.prove(n); err != nil {
		return nil, err
	}
	program, err := b.programs.For(shapes)
	if err != nil {
		return nil, err
	}
	s, err := program.NewSession()
	if err != nil {
		return nil, err
	}
	return &Session{s, b, n}, nil
}

// stacks reports whether a tensor has n samples of another one's type.
func stacks(one, all graph.Type, n int) bool {
	return len(one.Shape) > 0 && len(all.Shape) > 0 && one.DType == all.DType && one.Shape[0] == 1 && all.Shape[0] == n && one.Shape[1:].Equal(all.Shape[1:]) &&
		all.Bytes() == int64(n)*one.Bytes()
}

// Session computes samples together. It serves one goroutine at a time.
type Session struct {
	*engine.Session
	batch   *Batch
	samples int
}

// Samples returns how many samples a run computes.
func (s *Session) Samples() int { return s.samples }

// Stacks reports whether input i has samples.
func (s *Session) Stacks(i int) bool {
	return !slices.Contains(s.batch.shared, s.batch.Inputs()[i].Name)
}

// Put makes the samples of a tensor, one or more, those from k on of input i, which must have room for them. An input that has no samples must be
// the same for all of a run; sample 0 decides.
func (s *Session) Put(i, k int, x *tensor.Tensor) error {
	one, to := &s.batch.Inputs()[i], s.Input(i)
	if !s.Stacks(i) {
		if k > 0 && graph.TypeOf(x).Equal(one.Type) && !bytes.Equal(to.Bytes(), x.Contiguous().Bytes()) {
			return &SharedError{*one}
		}
		return s.SetInput(i, x)
	}
	n := 0
	if x != nil && len(x.Shape()) > 0 {
		n = x.Shape()[0]
	}
	if k < 0 || n < 1 || n > s.samples-k || !stacks(one.Type, graph.TypeOf(x), n) {
		return &engine.InputError{Name: one.Name, Got: x.Describe(), Want: one.Type.String()}
	}
	copy(s.rows(to, k, n), x.Contiguous().Bytes())
	return nil
}

// Take copies samples from k on of output i, as many as the tensor has room for.
func (s *Session) Take(i, k int, to *tensor.Tensor) error {
	n := 0
	if to != nil && len(to.Shape()) > 0 {
		n = to.Shape()[0]
	}
	one := &s.batch.Outputs()[i]
	if k < 0 || n < 1 || n > s.samples-k || !stacks(one.Type, graph.TypeOf(to), n) || !to.IsContiguous() {
		return fmt.Errorf("output %v: %d samples from %d on are not what a tensor %v has room for", one, s.samples, k, to.Describe())
	}
	copy(to.Bytes(), s.rows(s.Output(i), k, n))
	return nil
}

// rows returns the bytes of n samples from k on.
func (s *Session) rows(t *tensor.Tensor, k, n int) []byte {
	size := len(t.Bytes()) / s.samples
	return t.Bytes()[k*size : (k+n)*size]
}

// SharedError says that an input without samples would have to be another one for each.
type SharedError struct {
	Input engine.Port
}

// Error names the input.
func (e *SharedError) Error() string {
	if e == nil {
		e = new(SharedError)
	}
	return fmt.Sprintf("the input %v has no extent for samples, and would be another one for each", e.Input)
}
