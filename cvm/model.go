package cvm

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/place"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Model is an admitted model that can be run by any number of goroutines. [Load] and [Open] make models. A nil *Model, and the zero Model,
// are none: Run and Encoded are errors, Admission and Graph are nil, and Close does nothing.
type Model struct {
	admitted *admitted

	// What is made of the network once, and only if it is asked for.
	graph   func() (*graph.Graph, error)
	program func() (*engine.Program, error)
	encoder func() (*graph.Graph, error)

	compiles, closed atomic.Bool

	sessions sync.Pool // of *engine.Session
	// only has the one session of a model that keeps states from run to run: runs take turns. nil for other models.
	only chan *engine.Session
}

// Load admits a model and makes it ready to run. Errors are *Error.
func Load(f Files, opts Options) (*Model, error) {
	if f.Params == nil {
		f.Params = []byte{} // which is refused, as a model cannot run without
	}
	a, err := admit(f, opts)
	if err != nil {
		return nil, err
	}
	m := &Model{admitted: a}
	m.graph = sync.OnceValues(func() (*graph.Graph, error) { return a.lower(form{}) })
	m.encoder = sync.OnceValues(a.net.encoder)
	m.program = sync.OnceValues(func() (*engine.Program, error) { return m.compile(opts.Engine) })
	if opts.Lazy {
		_, err = m.graph()
	} else {
		_, err = m.program()
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// compile makes the program that Run runs.
func (m *Model) compile(opts engine.Options) (*engine.Program, error) {
	m.compiles.Store(true)
	p, err := m.admitted.compile(opts)
	if err != nil {
		return nil, err
	}
	if len(p.Graph().States) > 0 {
		s, err := p.NewSession()
		if err != nil {
			p.Close()
			return nil, wrapped(err, fault.Limits, uncompiled)
		}
		m.only = make(chan *engine.Session, 1)
		m.only <- s
	}
	if m.closed.Load() {
		p.EndWorkers()
	}
	return p, nil
}

// Open is Load for files: path is a folder with a graph and a parameter file, or the graph file, whose parameter file lies beside it.
func Open(path string, opts Options) (*Model, error) { return open(place.Host, path, opts) }

// OpenFS is [Open] in a file system.
func OpenFS(fsys fs.FS, path string, opts Options) (*Model, error) {
	return open(place.In(fsys), path, opts)
}

func open(files place.Files, path string, opts Options) (*Model, error) {
	f, err := read(files, path)
	if err != nil {
		e := wrapped(err, fault.Text, "the model cannot be read")
		e.File = cmp.Or(e.File, path)
		return nil, e
	}
	if f.Params == nil {
		e := fault.Runtimef(fault.Params, "there is no parameter file beside the graph")
		e.File, e.Offset = f.SymbolPath, -1
		e.Want = "one of its name with .params, params.bin, params, or the only .params of the folder"
		return nil, e
	}
	return Load(f, opts)
}

// Admission returns what was admitted. It compiles a model of [Options.Lazy], of which Memory is 0 if that fails.
func (m *Model) Admission() *Admission {
	if m.check() != nil {
		return nil
	}
	_, _ = m.program()
	return m.admitted.Admission
}

// InputPrecision returns the precision of the input; 0 for no model.
func (m *Model) InputPrecision() int {
	if m.check() != nil {
		return 0
	}
	return m.admitted.Tensors[m.admitted.Input].Precision
}

// Graph returns the network on the operators of package op: one input, data, of type int8 or int32 by its precision, and one int32
// output for each head, named after its node. Storages that a compatible model shares are its states.
func (m *Model) Graph() *graph.Graph {
	if m.check() != nil {
		return nil
	}
	g, _ := m.graph() // of which nothing can fail that has not when it was loaded
	return g
}

// Encode gives the outputs that a run of [Model.Graph] has, in its order, the form in which Run returns them. It fails where every run does.
// Errors are *Error.
func (m *Model) Encode(outputs []*tensor.Tensor) ([]byte, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if err := m.admitted.net.refusal(); err != nil {
		return nil, err
	}
	g, err := m.encoder()
	if err != nil {
		return nil, wrapped(err, fault.Limits, uncompiled)
	}
	if len(outputs) != len(g.Inputs) {
		return nil, fault.Logicf(fault.Run, "there are %d outputs", len(outputs)).With("", strconv.Itoa(len(g.Inputs)))
	}
	out, err := op.NewInterpreter(g).Run(context.Background(), outputs)
	if err != nil {
		return nil, runFault(err)
	}
	return m.bytes(out[0]), nil
}

// bytes returns those of the encoded output. Of outputs of several batches that are joined, the length that the original reports covers the
// first only.
func (m *Model) bytes(t *tensor.Tensor) []byte {
	return tensor.AppendRaw(nil, t)[:m.admitted.OutputLength]
}

// Run infers on the bytes of an input, little-endian, and returns the bytes of the output, post-processed. Values beyond the input's
// precision are clamped. Errors are *Error; that of a context that is done wraps its error. Any number of goroutines may call it at the
// same time; where the storage plan makes a run depend on the one before, they take turns. Outputs that cannot be joined, though they must,
// are a Logic error.
func (m *Model) Run(ctx context.Context, input []byte) ([]byte, error) {
	if ctx == nil {
		return nil, fault.Runtimef(fault.Run, "the context is nil")
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.closed.Load() {
		return nil, wrapped(mapfile.ErrClosed, fault.Run, "the model cannot be run")
	}
	if want := m.admitted.InputLength; int64(len(input)) != want {
		return nil, fault.Logicf(fault.Input, "the input has %d bytes", len(input)).With("", strconv.FormatInt(want, 10))
	}
	if err := m.admitted.net.refusal(); err != nil {
		return nil, err
	}
	p, err := m.program()
	if err != nil {
		return nil, err
	}
	s, err := m.session(ctx, p)
	if err != nil {
		return nil, runFault(err)
	}
	defer m.release(s)
	if err := decodeInput(s.Input(0), input); err != nil {
		return nil, runFault(err)
	}
	if err := s.Run(ctx); err != nil {
		return nil, runFault(err)
	}
	return m.bytes(s.Output(0)), nil
}

// check refuses a model that was never loaded.
func (m *Model) check() error {
	if m == nil || m.admitted == nil {
		return fault.Runtimef(fault.Run, "the model is nil; it must be loaded")
	}
	return nil
}

// session takes a session, for release to give back.
func (m *Model) session(ctx context.Context, p *engine.Program) (*engine.Session, error) {
	if m.only != nil {
		select {
		case s := <-m.only:
			return s, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if s, ok := m.sessions.Get().(*engine.Session); ok {
		return s, nil
	}
	return p.NewSession()
}

func (m *Model) release(s *engine.Session) {
	if m.only != nil {
		m.only <- s
		return
	}
	m.sessions.Put(s)
}

// Close ends the model for new work: [Model.Run] is an error afterwards that wraps fs.ErrClosed. Runs under way end as they would have, on their
// callers' goroutines alone. What is known of the model stays, and so do the form of outputs that [Model.Encode] gives, and the graph. It may be
// called at any time, by any goroutine, and more than once.
func (m *Model) Close() {
	if m.check() != nil {
		return
	}
	m.closed.Store(true)
	if m.compiles.Load() { // what is compiled later has its workers ended at once
		if p, err := m.program(); err == nil {
			p.EndWorkers() // and no more, as a run under way may not have its session yet
		}
	}
}

// runFault is the error of a run that fails though its input is right: a resource that runs out.
func runFault(err error) error {
	e := wrapped(err, fault.Run, "the run fails")
	if node, ok := errors.AsType[*engine.NodeError](err); ok {
		e.Name = node.Node.Label
	}
	return e
}
