package cvm

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"sync"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/place"
	"github.com/concord-nn/concord/tensor"
)

// Model is an admitted model that can be run by any number of goroutines. [Load] and [Open] make models. A nil *Model, and the zero Model,
// are none: Run and Encoded are errors, Admission and Graph are nil, and Close does nothing.
type Model struct {
	admission *Admission
	graph     *graph.Graph
	program   *engine.Program
	refusal   *fault.Error // why every run fails; nil for most models
	admitted  *admitted    // of which Encoded makes a graph

	sessions sync.Pool // of *engine.Session
	// only has the one session of a model that keeps states from run to run: runs take turns. nil for other models.
	only chan *engine.Session
}

// Load admits a model and makes it ready to run. Errors are *Error.
func Load(f Files, opts Options) (*Model, error) {
	if f.Params == nil {
		f.Params = []byte{} // which is refused, as a model cannot run without
	}
	m, err := newModel(f, opts)
	if err != nil {
		return nil, f.located(err)
	}
	return m, nil
}

func newModel(f Files, opts Options) (*Model, error) {
	a, err := admit(f, opts)
	if err != nil {
		return nil, err
	}
	m := &Model{admission: a.Admission, refusal: a.net.refusal(), admitted: a}
	if m.graph, err = a.net.lower(a.consts, form{}); err != nil {
		return nil, engineFault(err)
	}
	if m.program, err = a.compile(opts.Engine); err != nil {
		return nil, err
	}
	if len(m.program.Graph().States) > 0 {
		s, err := m.program.NewSession()
		if err != nil {
			m.Close()
			return nil, engineFault(err)
		}
		m.only = make(chan *engine.Session, 1)
		m.only <- s
	}
	return m, nil
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
		return nil, fileFault(err, path)
	}
	if f.Params == nil {
		e := fault.Runtimef(fault.Params, "there is no parameter file beside the graph")
		e.File, e.Offset = f.SymbolPath, -1
		e.Want = "one of its name with .params, params.bin, params, or the only .params of the folder"
		return nil, e
	}
	return Load(f, opts)
}

// Admission returns what was admitted.
func (m *Model) Admission() *Admission {
	if m == nil {
		return nil
	}
	return m.admission
}

// Graph returns the network on the operators of package op: one input, data, of type int8 or int32 by its precision, and one int32
// output for each head, named after its node. Storages that a compatible model shares are its states.
func (m *Model) Graph() *graph.Graph {
	if m == nil {
		return nil
	}
	return m.graph
}

// Encoded returns the network as Run runs it: its one output, "output", has the elements of the encoded bytes, of type int8 or int32. It
// fails, as every run does, if the outputs cannot be joined. Errors are *Error.
func (m *Model) Encoded() (*graph.Graph, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.refusal != nil {
		e := *m.refusal
		return nil, &e
	}
	g, err := m.admitted.net.lower(m.admitted.consts, form{encode: true})
	if err != nil {
		return nil, engineFault(err)
	}
	return g, nil
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
	if want := m.admission.InputLength; int64(len(input)) != want {
		e := fault.Logicf(fault.Input, "the input has %d bytes", len(input))
		e.Want = strconv.FormatInt(want, 10)
		return nil, e
	}
	if m.refusal != nil {
		e := *m.refusal
		return nil, &e
	}
	s, err := m.session(ctx)
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
	// Of outputs of several batches that are joined, the length that the original reports covers the first only.
	return tensor.AppendRaw(nil, s.Output(0))[:m.admission.OutputLength], nil
}

// check refuses a model that was never loaded.
func (m *Model) check() error {
	if m == nil || m.program == nil {
		return fault.Runtimef(fault.Run, "the model is nil; it must be loaded")
	}
	return nil
}

// session takes a session, for release to give back.
func (m *Model) session(ctx context.Context) (*engine.Session, error) {
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
	return m.program.NewSession()
}

func (m *Model) release(s *engine.Session) {
	if m.only != nil {
		m.only <- s
		return
	}
	m.sessions.Put(s)
}

// Close ends the model's worker goroutines. It may be called at any time and more than once: runs under way, and runs that follow,
// compute on their callers' goroutines alone, with the same results.
func (m *Model) Close() {
	if m.check() == nil {
		m.program.Close()
	}
}

// runFault is the error of a run that fails though its input is right: a resource that runs out.
func runFault(err error) error {
	e := fault.Runtimef(fault.Run, "the run fails")
	e.Err = err
	if node, ok := errors.AsType[*engine.NodeError](err); ok {
		e.Name = node.Node.Label
	}
	return e
}
