package concord

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
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
	// Limits bound what the model may take. Memory, if it is not given, is three quarters of what the machine has left, where that is known.
	Limits engine.Limits
	// Threads is that of [engine.Options].
	Threads int
	// NoOptimize is that of [engine.Options].
	NoOptimize bool
}

// engine returns what concerns the engine. Limits of a CVM model that are not given are those of its standard.
func (m *Model) engine(o *Options) engine.Options {
	bounds := o.Limits
	if bounds.Memory == 0 {
		bounds.Memory = limits.Memory()
	}
	if m.cvm != nil {
		bounds = cvm.Limits(bounds)
	}
	return engine.Options{Limits: bounds, Threads: o.Threads, NoOptimize: o.NoOptimize}
}

// Program is a compiled model. Many goroutines may run it.
type Program = engine.Program

// Model is a loaded network: a function of the shapes of its inputs, see [model.Model].
type Model struct {
	*model.Model
	format string
	cvm    *cvm.Model // nil unless it is one
	close  func() error

	loader   Loader
	contents func(*digester) error // adds the files that it is made of; nil of one that nobody has loaded
}

// format is a kind of model that is read.
type format struct {
	name string
	is   func(s source, isDir bool) bool
	load func(s source, opts Loader) (*Model, error) // all but the format's name
}

// formats are tried in order.
var formats = []format{
	{"NNEF", either(nnef.Recognizes, nnef.RecognizesFS), loadNNEF},
	{"ONNX", func(s source, isDir bool) bool { return onnx.Recognizes(s.path, isDir) }, loadONNX},
	{"WebNN", either(session.Recognizes, session.RecognizesFS), loadWebNN},
	{"CVM", either(cvm.Recognizes, cvm.RecognizesFS), loadCVM},
}

// either recognizes a source by one of two functions.
func either(here func(path string, isDir bool) bool, in func(fsys fs.FS, name string, isDir bool) bool) func(s source, isDir bool) bool {
	return func(s source, isDir bool) bool {
		if s.fsys == nil {
			return here(s.path, isDir)
		}
		return in(s.fsys, s.path, isDir)
	}
}

// Open reads the model at a path: an NNEF folder, .tar, .tgz or graph file; an ONNX file; a recorded session of a WebNN builder, which is a .json file; or
// a CVM model, a folder or a graph in a .json file with its parameters beside it. Weights of an NNEF folder or an ONNX file are mapped into memory and
// read when they are used; the files must not change as long as somebody has the model or a program of it. [Loader] has options.
func Open(path string) (*Model, error) { return Loader{}.Open(path) }

// OpenFS is [Open] in a file system, as those of package embed. Files are read into memory.
func OpenFS(fsys fs.FS, name string) (*Model, error) { return Loader{}.OpenFS(fsys, name) }

// Loader says how a model is read. The zero value reads what the standard of its format allows.
type Loader struct {
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

// Open is the function [Open] with options.
func (l Loader) Open(path string) (*Model, error) { return l.open(source{path: path}) }

// OpenFS is the function [OpenFS] with options.
func (l Loader) OpenFS(fsys fs.FS, name string) (*Model, error) {
	if fsys == nil {
		return nil, fmt.Errorf("%s: the file system is nil", name)
	}
	return l.open(source{fsys: fsys, path: name})
}

// source is where a model stands: on the machine, or in a file system.
type source struct {
	fsys fs.FS // nil for the machine
	path string
}

func (s source) isDir() (bool, error) {
	info, err := read(s, os.Stat, fs.Stat)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, missing(s.path)
	case err != nil:
		return false, err
	}
	return info.IsDir(), nil
}

// read reads what stands at a source by one of two functions.
func read[T any](s source, open func(path string) (T, error), openFS func(fsys fs.FS, name string) (T, error)) (T, error) {
	if s.fsys == nil {
		return open(s.path)
	}
	return openFS(s.fsys, s.path)
}

func (l Loader) open(s source) (_ *Model, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	f, err := s.format()
	if err != nil {
		return nil, err
	}
	if len(l.Constants) > 0 && f.name != "ONNX" {
		return nil, fmt.Errorf("%s: inputs become constants in ONNX models only; this one is %s", s.path, f.name)
	}
	m, err := f.load(s, l)
	if err != nil {
		return nil, err
	}
	m.format, m.loader = f.name, l
	return m, nil
}

// FormatOf names the format that [Open] reads a path as, see [Model.Format].
func FormatOf(path string) (string, error) {
	f, err := source{path: path}.format()
	return f.name, err
}

// format returns the first format that looks like that of a source.
func (s source) format() (format, error) {
	isDir, err := s.isDir()
	if err != nil {
		return format{}, err
	}
	for _, f := range formats {
		if f.is(s, isDir) {
			return f, nil
		}
	}
	if isDir {
		return format{}, fmt.Errorf("%s: the folder holds no model; that of an NNEF model has a file graph.nnef, that of a CVM model a graph in a .json with its parameters", s.path)
	}
	return format{}, fmt.Errorf("%s: the format of the model is not known; it must be an NNEF folder, .nnef, .tar, .tgz or .tar.gz, an .onnx, a WebNN session in a .json, or a CVM model, a folder or a .json", s.path)
}

// missing is the path of a model that does not exist.
type missing string

func (path missing) Error() string { return string(path) + ": there is no such file or folder" }
func (missing) Unwrap() error      { return fs.ErrNotExist }

func loadNNEF(s source, l Loader) (*Model, error) {
	opts := nnef.Options{Lenient: l.Lenient}
	f, err := read(s, func(path string) (*nnef.File, error) { return nnef.Open(path, opts) },
		func(fsys fs.FS, name string) (*nnef.File, error) { return nnef.OpenFS(fsys, name, opts) })
	if err != nil {
		return nil, err
	}
	m, err := f.Network()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Model{Model: m, close: f.Close, contents: func(d *digester) error { return f.Contents(d.visit) }}, nil
}

func loadONNX(s source, l Loader) (*Model, error) {
	f, err := read(s, onnx.Open, onnx.OpenFS)
	if err != nil {
		return nil, err
	}
	if err := f.Set(l.Constants); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	m, err := f.Network()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	contents := func(d *digester) error {
		if err := d.file(s, "", s.path); err != nil {
			return err
		}
		return f.Contents(d.visit)
	}
	return &Model{Model: m, close: f.Close, contents: contents}, nil
}

// loadWebNN reads a session.
func loadWebNN(s source, _ Loader) (*Model, error) {
	recorded, err := read(s, func(path string) (*session.Session, error) { return session.Load(path, nil) },
		func(fsys fs.FS, name string) (*session.Session, error) { return session.LoadFS(fsys, name, nil) })
	if err != nil {
		return nil, err
	}
	own := recorded.Network()
	m := model.New(own.Inputs(), func(shapes model.Shapes) (*graph.Graph, error) {
		g, err := own.Graph(shapes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
		return g, nil
	})
	contents := func(d *digester) error { return d.sessionFiles(s, recorded.Weights) }
	return &Model{Model: m, close: func() error { return nil }, contents: contents}, nil
}

// loadCVM reads a CVM model. Its shapes are part of what was admitted.
func loadCVM(s source, l Loader) (*Model, error) {
	opts := cvm.Options{Compat: l.Compat, Engine: engine.Options{Threads: l.Threads}, Lazy: true}
	m, err := read(s, func(path string) (*cvm.Model, error) { return cvm.Open(path, opts) },
		func(fsys fs.FS, name string) (*cvm.Model, error) { return cvm.OpenFS(fsys, name, opts) })
	if err != nil {
		return nil, err
	}
	return &Model{Model: model.Of(m.Graph()), cvm: m, close: func() error { m.Close(); return nil }, contents: func(d *digester) error { return d.cvmFiles(s) }}, nil
}

// Format names the format that the model was stored in: "NNEF", "ONNX", "WebNN" or "CVM".
func (m *Model) Format() string { return m.format }

// CVM returns the model as package cvm has it: what was admitted, and inference on bytes. It is nil for models of other formats.
func (m *Model) CVM() *cvm.Model { return m.cvm }

// Compile makes a program of the model. [Model.Programs] makes one for each set of shapes.
func (m *Model) Compile(opts Options) (*Program, error) {
	m = cmp.Or(m, new(Model))
	g, err := m.Graph(opts.Shapes)
	if err != nil {
		return nil, err
	}
	return engine.Compile(g, m.engine(&opts))
}

// Programs returns the programs of the model for any shapes, of which it keeps those that were used last. Shapes of the options count
// for nothing. After the model is closed, those of shapes that were used before run still.
func (m *Model) Programs(opts Options) *model.Programs {
	m = cmp.Or(m, new(Model))
	return model.NewPrograms(m.Model, m.engine(&opts), 0)
}

// Close ends the making of graphs and programs: [Model.Compile] and [Model.Graph] are an error afterwards, fs.ErrClosed. Programs that were made run
// on, and keep of the files what they read; the memory goes when nobody has them. It may be called at any time, by any goroutine, and twice.
func (m *Model) Close() error {
	m = cmp.Or(m, new(Model))
	m.Model.Close()
	if m.close == nil { // nobody has loaded it
		return nil
	}
	return m.close()
}
