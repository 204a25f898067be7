package pipeline

import (
	"errors"
	"maps"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// Types returns the types of a model's inputs and outputs as far as they are known before a run, and its graph, for shapes that are given and
// those that a manifest, nil for none, settles. Of a model in parts, or one that leaves shapes open, there is no graph, and of outputs only the names are known.
func Types(m *concord.Model, d *manifest.Manifest, given model.Shapes) (inputs, outputs []manifest.Type, g *graph.Graph, err error) {
	if m == nil {
		return nil, nil, nil, errNoModel
	}
	shapes := Shapes(m.Inputs(), d)
	maps.Copy(shapes, given)
	for _, in := range m.Inputs() {
		inputs = append(inputs, typeOf(in, shapes))
	}
	g, err = m.Graph(shapes)
	switch {
	case errors.As(err, new(*model.OpenError)), errors.As(err, new(*model.PartsError)):
		return inputs, named(m, shapes), nil, nil
	case err != nil:
		return inputs, named(m, shapes), nil, err
	}
	for _, o := range g.Outputs {
		outputs = append(outputs, manifest.Type{Name: o.Name, DType: o.Value.Type.DType, Shape: o.Value.Type.Shape})
	}
	return inputs, outputs, g, nil
}

var errNoModel = errors.New("the model is nil")

// typeOf returns the type of an input as far as shapes say it.
func typeOf(in model.Input, shapes model.Shapes) manifest.Type {
	t := manifest.Type{Name: in.Name, DType: in.DType, Shape: shapes[in.Name]}
	if t.Shape == nil {
		t.Shape = make(tensor.Shape, len(in.Shape))
		for i, d := range in.Shape {
			if t.Shape[i] = d.Extent; d.Symbol != "" {
				t.Shape[i] = manifest.Unknown
			}
		}
	}
	return t
}

// named returns outputs of which only the names are known, for which a graph is asked where the model has none: any extents may be in it.
func named(m *concord.Model, shapes model.Shapes) []manifest.Type {
	names := m.Outputs()
	if names == nil {
		some := maps.Clone(shapes)
		for _, in := range m.Inputs() {
			for _, d := range in.Shape {
				if d.Symbol != "" && shapes[in.Name] == nil && shapes[d.Symbol] == nil {
					some[d.Symbol] = tensor.Shape{1}
				}
			}
		}
		if g, err := m.Graph(some); err == nil {
			for _, o := range g.Outputs {
				names = append(names, o.Name)
			}
		}
	}
	var outputs []manifest.Type
	for _, name := range names {
		outputs = append(outputs, manifest.Type{Name: name})
	}
	return outputs
}

// Check holds a manifest against a model, as far as that is known before a run: every mistake is told, as [manifest.Errors], also those with which the manifest was
// read. Another error says why the model has no graph for the given shapes.
func Check(m *concord.Model, d *manifest.Manifest, given model.Shapes) error {
	inputs, outputs, _, err := Types(m, d, given)
	if wrong := d.Check(inputs, outputs); m != nil && wrong != nil {
		return wrong
	}
	return err
}
