package main

import (
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/diff"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
)

// diffSide is one of the two models.
type diffSide struct {
	path   string
	file   *nnef.File // nil for models of other formats
	flat   *flat.Graph
	model  *nnef.Model
	graph  *graph.Graph // nil if it cannot be built
	why    error        // why not
	origin map[*graph.Node]*flat.Op
	cvm    *cvm.Model // nil for models of other formats
	files  io.Closer
}

// openSide reads a model. One that cannot be built, for want of its data or because it has custom operations, can still
// be compared by its document. With compat, a CVM model follows the deployed rules.
func (f *modelFlags) openSide(path string, opts nnef.Options) (*diffSide, error) {
	s := &diffSide{path: path, origin: make(map[*graph.Node]*flat.Op)}
	if !isNNEF(path) {
		m, err := f.loadSide(path)
		if err != nil {
			return nil, err
		}
		g, err := m.Graph(own(m.Inputs(), opts.Shapes))
		if err != nil {
			return nil, errors.Join(f.placed(path, err), m.Close())
		}
		s.graph, s.cvm, s.files = g, m.CVM(), m
		return s, nil
	}
	if len(opts.Shapes) > 0 {
		if m, err := (concord.Loader{Lenient: opts.Lenient}).Open(path); err == nil {
			opts.Shapes = own(m.Inputs(), opts.Shapes)
			_ = m.Close() // it has only been read
		}
	}
	var err error
	if s.file, err = nnef.Open(path, opts); err != nil {
		return nil, err
	}
	s.files = s.file
	if s.model, s.why = s.file.Model(); s.why == nil {
		s.graph, s.flat = s.model.Graph, s.model.Flat
		s.locate()
		return s, nil
	}
	if s.flat, err = s.file.Flatten(flat.User); err != nil {
		s.files.Close()
		return nil, blamed(err)
	}
	return s, nil
}

// loadSide reads a model that is no document. Of the inputs that are set it takes its own.
func (f *modelFlags) loadSide(path string) (*concord.Model, error) {
	constants, err := f.constants()
	if err != nil {
		return nil, err
	}
	opts := concord.Loader{Compat: f.compat}
	m, err := opts.Open(path)
	if err != nil || len(constants) == 0 || m.Format() != "ONNX" {
		return m, err
	}
	opts.Constants = make(model.Values)
	for _, in := range m.Inputs() {
		if x := constants[in.Name]; x != nil {
			opts.Constants[in.Name] = x
		}
	}
	if err := m.Close(); err != nil {
		return nil, err
	}
	return opts.Open(path)
}

// own picks of the shapes for two models those of inputs and symbols that one of them has.
func own(inputs []model.Input, given model.Shapes) model.Shapes {
	out := maps.Clone(given)
	maps.DeleteFunc(out, func(name string, _ tensor.Shape) bool {
		return !slices.ContainsFunc(inputs, func(in model.Input) bool {
			return in.Name == name || slices.ContainsFunc(in.Shape, func(d model.Dim) bool { return d.Symbol == name })
		})
	})
	return out
}

func (s *diffSide) hasVariables() bool {
	return slices.ContainsFunc(s.flat.Ops, func(o *flat.Op) bool { return o.Name() == "variable" })
}

// locate notes which operation of the document each node comes from.
func (s *diffSide) locate() {
	for _, o := range s.flat.Ops {
		for _, n := range s.model.Nodes(o) {
			s.origin[n] = o
		}
	}
}

// place says where the operation stands that a node comes from; it is empty if that is not known.
func (s *diffSide) place(n *graph.Node) string {
	if o := s.origin[n]; o != nil {
		return diff.Place(o)
	}
	return ""
}

// document returns the network that the document says, with its constants if stored is set, which asks for a model that
// could be built.
func (s *diffSide) document(stored bool) *diff.Network {
	if !stored {
		return diff.FromFlat(s.flat, nil)
	}
	contents := make(map[string]*tensor.Tensor)
	for b := range s.graph.Graphs() {
		for v := range b.Constants() {
			contents[v.Label] = v.Const
		}
	}
	for _, st := range s.graph.States {
		contents[st.Value.Label] = st.Init
	}
	return diff.FromFlat(s.flat, func(label string) *tensor.Tensor { return contents[label] })
}
