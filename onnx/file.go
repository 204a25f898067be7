package onnx

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// The versions that are read.
const (
	leastIR, mostIR       = 3, 14
	leastOpset, mostOpset = 1, 28
)

// File is an ONNX model that was read. It may be used by several goroutines at once.
type File struct {
	Model *proto.Model

	path      string
	files     proto.Files // those beside the model; nil for a model in memory
	networks  networks
	functions map[functionKey]*function
	main      *network
	opsets    map[string]int
	inputs    []model.Input
	outputs   []string
	named     map[string]bool // inputs and outputs
	close     func() error    // nil for a model in memory

	closed atomic.Bool

	mu      sync.Mutex
	tensors map[*proto.Tensor]*tensor.Tensor
	filled  map[*proto.SparseTensor]*tensor.Tensor
	zeros   int64 // bytes of filled
}

// Recognizes reports whether a path looks like that of an ONNX model.
func Recognizes(path string, isDir bool) bool { return !isDir && strings.HasSuffix(path, ".onnx") }

// Open reads the model in a file, which is mapped into memory; so are files beside it that hold tensors. The files must not change until
// nobody has the model and what was made of it any more.
func Open(path string) (*File, error) {
	return open(path, func() (*proto.File, error) { return proto.Open(path) })
}

// OpenFS is [Open] in a file system. Files are read into memory.
func OpenFS(fsys fs.FS, name string) (*File, error) {
	return open(name, func() (*proto.File, error) { return proto.OpenFS(fsys, name) })
}

func open(path string, read func() (*proto.File, error)) (_ *File, err error) {
	defer guard(path, "the reading of the file", mapfile.Watch(), &err)
	p, err := read()
	if err != nil {
		return nil, err
	}
	f, err := prepare(path, p.Files, p.Model)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	f.close = p.Close
	return f, nil
}

// New returns the model that a message describes. Its tensors must not be in other files.
func New(m *proto.Model) (*File, error) { return prepare("", nil, m) }

// errNoFile is what there is to say of a File that nobody has opened.
var errNoFile = errors.New("there is no model: the File is nil or the zero File; Open makes one")

// Close ends the making of networks and graphs: it is an error afterwards, fs.ErrClosed. Graphs that were made stay; they keep of the files what
// they have in memory. It may be called at any time, and twice.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	f.closed.Store(true)
	if f.close == nil {
		return nil
	}
	return f.close()
}

// prepare checks what can be checked without looking at operators.
func prepare(path string, files proto.Files, m *proto.Model) (_ *File, err error) {
	defer guard(path, "the reading of the model", mapfile.Watch(), &err)
	f := &File{Model: m, path: path, files: files, networks: make(networks), functions: make(map[functionKey]*function),
		tensors: make(map[*proto.Tensor]*tensor.Tensor), filled: make(map[*proto.SparseTensor]*tensor.Tensor)}
	for _, step := range []func() error{f.versions, f.prepareFunctions, f.prepareMain} {
		if err := step(); err != nil {
			var e *Error
			if errors.As(err, &e) {
				e.File = path
				return nil, e
			}
			return nil, &Error{File: path, Msg: err.Error(), Err: err}
		}
	}
	return f, nil
}

// versions checks the versions of the format and of the operators.
func (f *File) versions() (err error) {
	m := f.Model
	switch v := m.IRVersion; {
	case m.Graph == nil:
		return &Error{Msg: "the file holds no graph; it is no ONNX model"}
	case v < leastIR || v > mostIR:
		return &Error{Msg: fmt.Sprintf("IR version %d is not supported; it must be from %d to %d", v, leastIR, mostIR)}
	}
	f.opsets, err = opsets(m.OpsetImport)
	return err
}

// imports says which versions of operators a function or the graph of a model imports, by domain.
type imports struct {
	own, model map[string]int // those of the model count where the function says nothing
}

// version returns the version of the operators of a domain, and whether there is one.
func (i imports) version(of string) (int, bool) {
	v, ok := i.own[domain(of)]
	if !ok {
		v, ok = i.model[domain(of)]
	}
	return v, ok
}

// opsets returns the versions of operators that are imported, by domain.
func opsets(imports []*proto.OperatorSet) (map[string]int, error) {
	out := make(map[string]int)
	for _, s := range imports {
		d := domain(s.Domain)
		if d == "" && (s.Version < leastOpset || s.Version > mostOpset) {
			return nil, &Error{Msg: fmt.Sprintf("opset %d is not supported; it must be from %d to %d", s.Version, leastOpset, mostOpset)}
		}
		if s.Version < 1 || s.Version > 1<<30 {
			return nil, &Error{Msg: fmt.Sprintf("version %d of the operators of domain %q is not possible", s.Version, d)}
		}
		out[d] = max(out[d], int(s.Version))
	}
	return out, nil
}

// prepareFunctions prepares the functions of the model.
func (f *File) prepareFunctions() error {
	for _, p := range f.Model.Functions {
		if f.owns(p.Domain, p.Name) != nil {
			continue // it is for other readers
		}
		key := functionKey{domain(p.Domain), p.Name, p.Overload}
		if f.functions[key] != nil {
			return &Error{Msg: fmt.Sprintf("the function %s is defined twice", fullName(p.Domain, p.Name))}
		}
		net, err := f.networks.function(p)
		if err != nil {
			return err
		}
		if len(net.free) > 0 {
			return &Error{Msg: fmt.Sprintf("the function %s reads the value %q, but nothing in it yields it", p.Name, net.free[0])}
		}
		own, err := opsets(p.OpsetImport)
		if err != nil {
			return err
		}
		f.functions[key] = &function{p, net, imports{own, f.opsets}}
	}
	return f.acyclic()
}

// prepareMain prepares the graph of the model and reads what it declares.
func (f *File) prepareMain() (err error) {
	g := f.Model.Graph
	if f.main, err = f.networks.graph(g, 0); err != nil {
		return err
	}
	if len(f.main.free) > 0 {
		return &Error{Msg: fmt.Sprintf("the value %q is read, but nothing yields it", f.main.free[0])}
	}
	for _, v := range g.Input {
		if f.main.has(v.Name) {
			continue
		}
		in, err := declared(v)
		if err != nil {
			return err
		}
		f.inputs = append(f.inputs, in)
	}
	f.named = make(map[string]bool)
	for _, name := range f.main.outputs {
		if f.named[name] {
			return &Error{Operand: name, Msg: "the output is named twice"}
		}
		f.outputs, f.named[name] = append(f.outputs, name), true
	}
	for _, name := range f.main.inputs {
		f.named[name] = true
	}
	if len(f.outputs) == 0 {
		return &Error{Msg: "the model has no outputs"}
	}
	return nil
}

// declared returns an input as the model declares it. Extents that are not numbers are symbols, under their own name or else under that of
// the input and the number of the dimension.
func declared(v *proto.ValueInfo) (model.Input, error) {
	in := model.Input{Name: v.Name}
	if v.Name == "" {
		return in, &Error{Msg: "an input has no name"}
	}
	t := v.Type
	if t != nil && t.Optional != nil {
		t, in.Optional = t.Optional.ElemType, true
	}
	if t != nil && t.Sequence != nil {
		t, in.Sequence = t.Sequence.ElemType, true
	}
	switch {
	case t == nil:
		return in, &Error{Operand: v.Name, Msg: "the input has no type"}
	case t.Tensor == nil:
		return in, &Error{Operand: v.Name, Msg: "the input is neither a tensor nor a sequence of tensors; maps and sparse tensors are not supported"}
	}
	d, err := t.Tensor.ElemType.DType()
	if t.Tensor.ElemType == proto.String {
		return in, &Error{Operand: v.Name, Msg: err.Error(), Err: ErrScope}
	}
	if err != nil {
		return in, &Error{Operand: v.Name, Msg: err.Error(), Err: err}
	}
	in.DType = d
	if t.Tensor.Shape == nil {
		in.Unranked = true
		return in, nil
	}
	var fixed tensor.Shape
	for i, d := range t.Tensor.Shape.Dim {
		switch {
		case d.Known && d.Value >= 0 && d.Value <= tensor.MaxElements:
			in.Shape, fixed = append(in.Shape, model.Dim{Extent: int(d.Value)}), append(fixed, int(d.Value))
		case d.Known && d.Value >= 0:
			return in, &Error{Operand: v.Name, Msg: fmt.Sprintf("dimension %d has the extent %d, which no tensor has", i, d.Value)}
		case d.Param != "" && d.Param != "?": // by which ONNX's text form means any extent
			in.Shape = append(in.Shape, model.Dim{Symbol: d.Param})
		default:
			in.Shape = append(in.Shape, model.Dim{Symbol: fmt.Sprintf("%s.%d", v.Name, i)})
		}
	}
	if err := fixed.Check(); err != nil || len(in.Shape) > tensor.MaxRank {
		return in, &Error{Operand: v.Name, Msg: fmt.Sprintf("no tensor has the shape %v: it may have %d dimensions and %d elements", in.Shape, tensor.MaxRank, tensor.MaxElements)}
	}
	return in, nil
}

// Network returns the model as a function of the shapes of its inputs.
func (f *File) Network() (*model.Model, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	return model.InParts(f.inputs, f.outputs, f.first), nil
}

// tensor returns the tensor of a message.
func (f *File) tensor(t *proto.Tensor) (*tensor.Tensor, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if v := f.tensors[t]; v != nil {
		return v, nil
	}
	v, err := t.Value(f.files)
	if err == nil {
		f.tensors[t] = v
	}
	return v, err
}

// stored returns a tensor that a network stores.
func (f *File) stored(net *network, name string) (*tensor.Tensor, error) {
	if t := net.stored[name]; t != nil {
		return f.tensor(t)
	}
	return f.dense(net.sparse[name])
}

// dense returns a sparse tensor with its zeros, of which all together are bounded, too.
func (f *File) dense(s *proto.SparseTensor) (*tensor.Tensor, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if v := f.filled[s]; v != nil {
		return v, nil
	}
	if f.zeros > limits.ONNXSparse {
		return nil, fmt.Errorf("the sparse tensors of the model take more than %d bytes with their zeros: %w", limits.ONNXSparse, ErrLimit)
	}
	v, err := s.Value(f.files)
	if err == nil {
		f.filled[s] = v
		f.zeros += int64(v.DType().Bytes(v.Len()))
	}
	return v, err
}
