package nnef

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/symbol"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// Network returns the model that the document describes, as a function of the shapes of its inputs. Extents that the document leaves open
// are symbols of the inputs: under their own names where the document has one, and else, in the provisional dialect by 0 and where an
// extent is an expression of symbols, under the name of the input and the number of the dimension. An error in the document is a
// [syntax.Diagnostics]; so is one that making a graph shows.
func (f *File) Network() (_ *model.Model, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if err := f.making(); err != nil {
		return nil, err
	}
	symbolic := f.symbolic()
	if err := f.static().Err(); err != nil && (!symbolic || !unknown(err)) {
		return nil, err
	}
	fg, err := f.flatten(flat.User, true, newInferrer(f))
	if err != nil && (!symbolic || !unknown(err)) {
		return nil, err
	}
	var inputs []model.Input
	if err == nil {
		for _, t := range fg.Inputs {
			shape, _ := t.Producer.Arg("shape").(eval.Array)
			inputs = append(inputs, f.declared(t.Name, t.Type, shape))
		}
	} else {
		inputs = f.stated()
	}
	declared := make(model.Shapes)
	for _, in := range inputs {
		if shape, ok := in.Shape.Extents(); ok { // Without this the document would be evaluated again.
			declared[in.Name] = shape
		}
	}
	return model.New(inputs, func(shapes model.Shapes) (*graph.Graph, error) {
		if f.closed.Load() {
			return nil, mapfile.ErrClosed
		}
		var m *Model
		var err error
		if maps.EqualFunc(shapes, declared, tensor.Shape.Equal) { // Without this the document would be evaluated again.
			m, err = f.model(fg)
		} else {
			m, err = f.with(shapes).Model()
		}
		if err != nil {
			return nil, f.unless(err)
		}
		return m.Graph, nil
	}), nil
}

// unknown reports whether an error in a document may vanish when symbols have values.
func unknown(err error) bool {
	return slices.ContainsFunc(diagnostics(err), func(d syntax.Diagnostic) bool { return d.Code == eval.CodeUnknown })
}

// symbolic reports whether the document has symbols without values.
func (f *File) symbolic() bool {
	for _, v := range f.statements().symbols {
		if _, open := v.(eval.Symbol); open {
			return true
		}
	}
	return false
}

// stated returns the inputs as the text alone declares them, which cannot be evaluated before symbols have values.
func (f *File) stated() []model.Input {
	byName := make(map[string]model.Input)
	for id, c := range symbol.Externals(f.Document) {
		var shape eval.Array
		for _, a := range c.Args {
			if list, ok := a.Value.(*syntax.Array); ok {
				for _, x := range list.Items {
					shape = append(shape, f.extent(x))
				}
			}
		}
		byName[id.Name] = f.declared(id.Name, cmp.Or(c.Type, syntax.Scalar), shape)
	}
	var inputs []model.Input
	for _, p := range f.Document.Graph.Params {
		if in, ok := byName[p.Name]; ok {
			inputs = append(inputs, in)
		}
	}
	return inputs
}

// extent returns an extent as the text gives it: a number, a symbol or, for expressions of symbols, nil.
func (f *File) extent(x syntax.Expr) eval.Value {
	if id, ok := x.(*syntax.Ident); ok {
		return f.statements().symbols[id.Name]
	}
	if n, ok := symbol.Extent(f.Document, x); ok {
		return n
	}
	return nil
}

// declared returns an input as the document declares it.
func (f *File) declared(id string, item syntax.Primitive, shape eval.Array) model.Input {
	s := f.statements()
	in := model.Input{Name: id, DType: element.Natural(item)}
	if d, ok := s.types[id]; ok {
		in.DType = d
	}
	if public, ok := s.names[id]; ok {
		in.Name = public
	}
	for i, x := range shape {
		d := model.Dim{Symbol: fmt.Sprintf("%s.%d", id, i)}
		switch x := x.(type) {
		case int64:
			if x > 0 || s.operators || x == 0 && f.Document.Tract {
				d = model.Dim{Extent: int(min(x, math.MaxInt))} // one that is too large is refused when a graph is made
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
	other := &File{Document: f.Document, Quantization: f.Quantization, opts: f.opts, source: f.source, checked: f.checked}
	if len(f.statements().symbols) == 0 { // Without this they would be read again.
		other.extensions = f.extensions // the shapes make no difference there
	}
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
