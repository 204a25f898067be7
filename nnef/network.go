package nnef

import (
	"fmt"
	"maps"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef/eval"
	"github.com/concord-nn/concord/nnef/flat"
	"github.com/concord-nn/concord/tensor"
)

// Network returns the model that the document describes, as a function of the shapes of its inputs. Extents that the document leaves open,
// by a symbol or in the provisional dialect by 0, are symbols of the inputs. An error in the document is a [syntax.Diagnostics]; so is
// one that making a graph shows.
func (f *File) Network() (*model.Model, error) {
	if err := f.static().Err(); err != nil {
		return nil, err
	}
	fg, err := f.flatten(flat.User, true, newInferrer(f))
	if err != nil {
		return nil, err
	}
	declared := make(model.Shapes)
	inputs := make([]model.Input, len(fg.Inputs))
	for i, t := range fg.Inputs {
		inputs[i] = f.declared(t)
		if shape, ok := inputs[i].Shape.Extents(); ok {
			declared[inputs[i].Name] = shape
		}
	}
	return model.New(inputs, func(shapes model.Shapes) (*graph.Graph, error) {
		same := maps.EqualFunc(shapes, declared, tensor.Shape.Equal)
		var m *Model
		var err error
		if same {
			m, err = f.model(fg)
		} else {
			m, err = f.with(shapes).Model()
		}
		if err != nil {
			return nil, err
		}
		return m.Graph, nil
	}), nil
}

// declared returns an input as the document declares it.
func (f *File) declared(t *flat.Tensor) model.Input {
	s, id := f.statements(), t.Name
	in := model.Input{Name: id, DType: natural(t.Type)}
	if d, ok := s.types[id]; ok {
		in.DType = d
	}
	if public, ok := s.names[id]; ok {
		in.Name = public
	}
	list, _ := t.Producer.Arg("shape").(eval.Array)
	for i, x := range list {
		d := model.Dim{Symbol: fmt.Sprintf("%s.%d", id, i)}
		switch x := x.(type) {
		case int:
			if x > 0 || s.operators {
				d = model.Dim{Extent: x}
			}
		case eval.Symbol:
			d.Symbol = string(x)
		}
		in.Shape = append(in.Shape, d)
	}
	return in
}

// with returns the same file for inputs of other shapes.
func (f *File) with(shapes model.Shapes) *File {
	other := &File{Document: f.Document, Quantization: f.Quantization, opts: f.opts, source: f.source}
	other.opts.Shapes = make(model.Shapes, len(shapes))
	ids := make(map[string]string)
	for id, public := range f.statements().names {
		ids[public] = id
	}
	for name, shape := range shapes {
		if id, ok := ids[name]; ok {
			name = id
		}
		other.opts.Shapes[name] = shape
	}
	return other
}
