package concord

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/session"
)

// Options say how a model is compiled. The zero Options are right for models whose shapes are fixed.
type Options struct {
	// Shapes gives inputs shapes, by their names. Every extent that the model leaves open must be given, by one of the inputs that
	// share it; a fixed shape may be replaced by another that the network can have. See [model.Model.Graph].
	Shapes map[string]tensor.Shape
	// Limits bound what the model may take.
	Limits engine.Limits
	// Threads is that of [engine.Options].
	Threads int
	// NoOptimize is that of [engine.Options].
	NoOptimize bool
}

// engine returns what concerns the engine.
func (o *Options) engine() engine.Options {
	return engine.Options{Limits: o.Limits, Threads: o.Threads, NoOptimize: o.NoOptimize}
}

// Program is a compiled model. Many goroutines may run it.
type Program = engine.Program

// Model is a loaded network: a function of the shapes of its inputs, see [model.Model].
type Model struct {
	*model.Model
	format string
	cvm    *cvm.Model // nil unless it is one
	close  func() error
}

// format is a kind of model that Load reads.
type format struct {
	name  string
	match func(path string, isDir bool) bool
	load  func(path string, opts LoadOptions) (*Model, error) // all but the format's name
}

// formats are tried in order.
var formats = []format{
	{"NNEF", nnef.Recognizes, loadNNEF},
	{"ONNX", onnx.Recognizes, loadONNX},
	{"WebNN", session.Recognizes, loadWebNN},
	{"CVM", cvm.Recognizes, loadCVM},
}

// Load reads the model at a path: an NNEF folder, .tar, .tgz or graph file; an ONNX file; a recorded session of a WebNN builder, which is a
// .json file; or a CVM model, a folder or a graph in a .json file with its parameters beside it. Weights of an NNEF folder or an ONNX file are mapped into memory and read when they are used; the files must not change
// as long as somebody has the model or a program of it.
func Load(path string) (*Model, error) { return LoadWith(path, LoadOptions{}) }

// LoadOptions say how a model is read. The zero value reads what the standard of its format allows.
type LoadOptions struct {
	// Lenient accepts NNEF documents that use constructs of the other dialect, or fragments and expressions that no
	// extension enables.
	Lenient bool

	// Compat reads and runs CVM models by the deployed rules, see [cvm.Options].
	Compat bool

	// Threads is that of [Options] for [cvm.Model.Run] on a CVM model.
	Threads int

	// Constants are inputs of an ONNX model that become constants; see [onnx.File.Set]. Models of other formats take none.
	Constants model.Values
}

// LoadWith is [Load] with options.
func LoadWith(path string, opts LoadOptions) (_ *Model, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(path)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range formats {
		if !f.match(path, info.IsDir()) {
			continue
		}
		if len(opts.Constants) > 0 && f.name != "ONNX" {
			return nil, fmt.Errorf("%s: inputs become constants in ONNX models only; this one is %s", path, f.name)
		}
		m, err := f.load(path, opts)
		if err != nil {
			return nil, err
		}
		m.format = f.name
		return m, nil
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s: the folder holds no model; that of an NNEF model has a file graph.nnef, that of a CVM model a graph in a .json with its parameters", path)
	}
	return nil, fmt.Errorf("%s: the format of the model is not known; it must be an NNEF folder, .nnef, .tar, .tgz or .tar.gz, an .onnx, a WebNN session in a .json, or a CVM model, a folder or a .json", path)
}

// missing is the path of a model that does not exist.
type missing string

func (path missing) Error() string { return string(path) + ": there is no such file or folder" }
func (missing) Unwrap() error      { return fs.ErrNotExist }

func loadNNEF(path string, opts LoadOptions) (*Model, error) {
	f, err := nnef.Open(path, nnef.Options{Lenient: opts.Lenient})
	if err != nil {
		return nil, err
	}
	m, err := f.Network()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Model{Model: m, close: f.Close}, nil
}

func loadONNX(path string, opts LoadOptions) (*Model, error) {
	f, err := onnx.Open(path)
	if err != nil {
		return nil, err
	}
	if err := f.Set(opts.Constants); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	m, err := f.Network()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Model{Model: m, close: f.Close}, nil
}

// loadWebNN reads a session.
func loadWebNN(path string, _ LoadOptions) (*Model, error) {
	s, err := session.Load(path, nil)
	if err != nil {
		return nil, err
	}
	own := s.Network()
	m := model.New(own.Inputs(), func(shapes model.Shapes) (*graph.Graph, error) {
		g, err := own.Graph(shapes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return g, nil
	})
	return &Model{Model: m, close: func() error { return nil }}, nil
}

// loadCVM reads a CVM model. Its shapes are part of what was admitted.
func loadCVM(path string, opts LoadOptions) (*Model, error) {
	m, err := cvm.Open(path, cvm.Options{Compat: opts.Compat, Engine: engine.Options{Threads: opts.Threads}})
	if err != nil {
		return nil, err
	}
	return &Model{Model: model.Of(m.Graph()), cvm: m, close: func() error { m.Close(); return nil }}, nil
}

// Format names the format that the model was stored in: "NNEF", "ONNX", "WebNN" or "CVM".
func (m *Model) Format() string { return m.format }

// CVM returns the model as package cvm has it: what was admitted, and inference on bytes. It is nil for models of other formats.
func (m *Model) CVM() *cvm.Model { return m.cvm }

// Compile makes a program of the model. [Model.Programs] makes one for each set of shapes.
func (m *Model) Compile(opts Options) (*Program, error) {
	g, err := m.Graph(opts.Shapes)
	if err != nil {
		return nil, err
	}
	return engine.Compile(g, opts.engine())
}

// Programs returns the programs of the model for any shapes, of which it keeps those that were used last. Shapes of the options count
// for nothing. After the model is closed, those of shapes that were used before run still.
func (m *Model) Programs(opts Options) *model.Programs {
	return model.NewPrograms(m.Model, opts.engine(), 0)
}

// Close ends the making of graphs and programs: [Model.Compile] and [Model.Graph] are an error afterwards, fs.ErrClosed. Programs that were made run
// on, and keep of the files what they read; the memory goes when nobody has them. It may be called at any time, by any goroutine, and twice.
func (m *Model) Close() error {
	m.Model.Close()
	return m.close()
}
