package concord

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/session"
)

// Options says how a model is compiled: input shapes, threads and limits.
type Options = engine.Options

// Program is a compiled model. Many goroutines may run it.
type Program = engine.Program

// Model is a loaded network.
type Model struct {
	format string
	graph  *graph.Graph
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
	{"WebNN", session.Recognizes, loadWebNN},
	{"CVM", cvm.Recognizes, loadCVM},
}

// Load reads the model at a path: an NNEF folder, .tar, .tgz or graph file; a recorded session of a WebNN builder, which is a
// .json file; or a CVM model, a folder or a graph in a .json file with its parameters beside it. Weights of an NNEF folder are mapped into memory and read when they are used; the files must not change until
// Close.
func Load(path string) (*Model, error) { return LoadWith(path, LoadOptions{}) }

// LoadOptions say how a model is read. The zero value reads what the standard of its format allows.
type LoadOptions struct {
	// Lenient accepts NNEF documents that use constructs of the other dialect, or fragments and expressions that no
	// extension enables.
	Lenient bool

	// Shapes replaces the shapes that the model gives its inputs, by their names. Shapes that depend on them are inferred
	// anew. Models that leave shapes open until they are compiled take them in [Options], too. A CVM model fixes its shapes.
	Shapes map[string]tensor.Shape

	// Compat reads and runs CVM models by the deployed rules, see [cvm.Options].
	Compat bool

	// Threads is that of [Options] for [cvm.Model.Run] on a CVM model.
	Threads int
}

// LoadWith is [Load] with options.
func LoadWith(path string, opts LoadOptions) (*Model, error) {
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
	return nil, fmt.Errorf("%s: the format of the model is not known; it must be an NNEF folder, .nnef, .tar, .tgz or .tar.gz, a WebNN session in a .json, or a CVM model, a folder or a .json", path)
}

// missing is the path of a model that does not exist.
type missing string

func (path missing) Error() string { return string(path) + ": there is no such file or folder" }
func (missing) Unwrap() error      { return fs.ErrNotExist }

func loadNNEF(path string, opts LoadOptions) (*Model, error) {
	m, err := nnef.Load(path, nnef.Options{Lenient: opts.Lenient, Shapes: opts.Shapes})
	if err != nil {
		return nil, err
	}
	return &Model{graph: m.Graph, close: m.Close}, nil
}

// loadWebNN reads a session. Its calls are made with the shapes that the options give the inputs.
func loadWebNN(path string, opts LoadOptions) (*Model, error) {
	s, err := session.Load(path, nil)
	if err != nil {
		return nil, err
	}
	for name, shape := range opts.Shapes {
		if err := s.SetShape(name, shape); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	g, err := s.Graph(nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Model{graph: g, close: func() error { return nil }}, nil
}

// loadCVM reads a CVM model. Its shapes are part of what was admitted.
func loadCVM(path string, opts LoadOptions) (*Model, error) {
	m, err := cvm.Open(path, cvm.Options{Compat: opts.Compat, Engine: Options{Threads: opts.Threads}})
	if err != nil {
		return nil, err
	}
	for name, shape := range opts.Shapes {
		v := m.Graph().Input(name)
		if v == nil {
			err = fmt.Errorf("%s: there is no input %q; it is data", path, name)
		} else if own, _ := v.Type.Shape.Extents(); !shape.Equal(own) {
			err = fmt.Errorf("%s: the shape of %s is %v; a CVM model fixes it", path, name, own)
		}
		if err != nil {
			m.Close()
			return nil, err
		}
	}
	return &Model{graph: m.Graph(), cvm: m, close: func() error { m.Close(); return nil }}, nil
}

// Format names the format that the model was stored in: "NNEF", "WebNN" or "CVM".
func (m *Model) Format() string { return m.format }

// Graph returns the network. It must not be changed.
func (m *Model) Graph() *graph.Graph { return m.graph }

// CVM returns the model as package cvm has it: what was admitted, and inference on bytes. It is nil for models of other formats.
func (m *Model) CVM() *cvm.Model { return m.cvm }

// Compile makes a program of the model.
func (m *Model) Compile(opts Options) (*Program, error) { return engine.Compile(m.graph, opts) }

// Close releases the files of the model. Neither its graph nor its programs may be used afterwards.
func (m *Model) Close() error { return m.close() }
