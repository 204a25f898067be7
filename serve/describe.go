package serve

import (
	"errors"
	"fmt"
	"maps"
	"unicode/utf8"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// description says what a model takes and yields.
type description struct {
	inputs, outputs []port       // outputs that only a run shows have no type before it
	sample          model.Shapes // of all inputs, that the model can have; nil if none are known
	guessed         bool         // extents of the sample are numbers that nothing says
	inParts         bool         // the model has no single graph
	stateful        bool         // the model keeps a state from one request of a sequence to the next
	carries         bool         // in its graph, where nobody can give it
}

// port is an input or an output.
type port struct {
	name     string
	dtype    tensor.DType
	shape    []int64 // -1 for an extent that is open
	optional bool    // it may be left out
}

// describe finds out what a model is. Extents of outputs are open if they follow from open extents of inputs.
func describe(m *concord.Model, d *manifest.Manifest) (*description, error) {
	out := &description{}
	for _, in := range m.Inputs() {
		if in.Sequence {
			return nil, fmt.Errorf("input %q is a sequence of tensors, for which the protocol has no form", in.Name)
		}
		p := port{name: in.Name, dtype: in.DType, shape: make([]int64, len(in.Shape)), optional: in.Optional}
		for i, dim := range in.Shape {
			if p.shape[i] = int64(dim.Extent); dim.Symbol != "" {
				p.shape[i] = -1
			}
		}
		if in.Unranked {
			p.shape = open(1)
		}
		out.inputs = append(out.inputs, p)
	}
	g, err := out.first(m, d)
	if err != nil {
		return nil, err
	}
	if out.inParts {
		for _, name := range m.Outputs() {
			out.outputs = append(out.outputs, port{name: name, shape: open(1)})
		}
	}
	if g != nil {
		out.carries = len(g.States) > 0
		out.stateful = out.carries
		out.follow(m, g)
	}
	for _, p := range out.inputs {
		if d != nil {
			_, keeps := d.Input(p.name).(*manifest.State)
			out.stateful = out.stateful || keeps
		}
	}
	return out, errors.Join(refused("input", out.inputs), refused("output", out.outputs))
}

// open is a shape of which only the rank is known.
func open(rank int) []int64 {
	shape := make([]int64, rank)
	for i := range shape {
		shape[i] = -1
	}
	return shape
}

// refused is the error of ports that the protocol cannot say.
func refused(what string, ports []port) error {
	for _, p := range ports {
		if !utf8.ValidString(p.name) {
			return fmt.Errorf("%s %q has a name that is not UTF-8, as texts of the protocol are", what, p.name)
		}
		if p.dtype != tensor.Invalid && oip.Datatype(p.dtype) == "" {
			return fmt.Errorf("%s %q is of type %v, for which the protocol has no name", what, p.name, p.dtype)
		}
	}
	return nil
}

// tried are numbers for extents that nothing says, in the order in which they are tried: many networks need a picture of some size.
var tried = []int{1, 2, 16, 32, 64, 128, 224, 256, 512}

// first makes the graph for some shapes that the model can have. There is none if the model has no single graph, or if its shapes cannot be guessed.
func (d *description) first(m *concord.Model, about *manifest.Manifest) (*graph.Graph, error) {
	given := make(model.Shapes)
	if about != nil {
		given = pipeline.Shapes(m.Inputs(), about)
	}
	var last error
	for _, n := range tried {
		shapes := d.guess(m, given, n)
		if shapes == nil {
			return nil, nil
		}
		g, err := m.Graph(shapes)
		d.inParts = errors.As(err, new(*model.PartsError))
		if err == nil || d.inParts {
			d.sample = shapes
			return g, nil
		}
		if last == nil {
			last = err
		}
		if len(symbols(m, given)) == 0 { // it is not the numbers
			break
		}
	}
	return nil, last
}

// guess returns the shapes of all inputs with a number in the place of symbols that nothing says, and 1 in the place of one that counts samples; nil
// if a whole shape is open. Symbols are not given by their names, which inputs may have as well.
func (d *description) guess(m *concord.Model, given model.Shapes, n int) model.Shapes {
	numbers := make(map[string]int)
	for symbol, first := range symbols(m, given) {
		if numbers[symbol] = 1; !first {
			numbers[symbol], d.guessed = n, true
		}
	}
	for _, in := range m.Inputs() {
		for i, extent := range given[in.Name] {
			numbers[in.Shape[i].Symbol] = extent
		}
	}
	shapes := maps.Clone(given)
	for _, in := range m.Inputs() {
		if given[in.Name] != nil || in.Unranked || in.Optional {
			continue
		}
		shape := make(tensor.Shape, len(in.Shape))
		for i, dim := range in.Shape {
			if shape[i] = dim.Extent; dim.Symbol != "" {
				shape[i] = numbers[dim.Symbol]
			}
		}
		shapes[in.Name] = shape
	}
	all, err := m.Complete(shapes)
	if err != nil {
		return nil
	}
	return all
}

// symbols returns the symbols of inputs that are not given, and whether one is a first extent.
func symbols(m *concord.Model, given model.Shapes) map[string]bool {
	list := make(map[string]bool)
	for _, in := range m.Inputs() {
		for i, dim := range in.Shape {
			if dim.Symbol != "" && given[in.Name] == nil {
				list[dim.Symbol] = list[dim.Symbol] || i == 0 && len(in.Shape) > 1
			}
		}
	}
	for _, in := range m.Inputs() {
		for _, dim := range in.Shape {
			if given[in.Name] != nil {
				delete(list, dim.Symbol)
			}
		}
	}
	return list
}

// follow notes the outputs of a graph. To see which of their extents follow from open ones, it changes these one by one.
func (d *description) follow(m *concord.Model, g *graph.Graph) {
	for _, o := range g.Outputs {
		p := port{name: o.Name, dtype: o.Value.Type.DType, shape: []int64{}} // no list of none is null in JSON
		for _, extent := range o.Value.Type.Shape {
			p.shape = append(p.shape, int64(extent))
		}
		d.outputs = append(d.outputs, p)
	}
	for symbol := range symbols(m, nil) {
		for _, other := range []func(n int) int{func(n int) int { return n + 1 }, func(n int) int { return 2 * n }, func(n int) int { return n + 32 }} {
			if g, err := m.Graph(d.changed(m, symbol, other)); err == nil && len(g.Outputs) == len(d.outputs) {
				d.compare(g)
				break
			}
		}
	}
}

// changed returns the shapes of the sample with another number for a symbol.
func (d *description) changed(m *concord.Model, symbol string, other func(n int) int) model.Shapes {
	shapes := make(model.Shapes)
	for _, in := range m.Inputs() {
		if d.sample[in.Name] == nil {
			continue
		}
		shape := d.sample[in.Name].Clone()
		for i, dim := range in.Shape {
			if dim.Symbol == symbol {
				shape[i] = other(shape[i])
			}
		}
		shapes[in.Name] = shape
	}
	return shapes
}

// compare opens the extents of outputs that are others in another graph of the model.
func (d *description) compare(g *graph.Graph) {
	for i, o := range g.Outputs {
		p := &d.outputs[i]
		if len(p.shape) != len(o.Value.Type.Shape) {
			p.shape = open(1)
			continue
		}
		for k, extent := range o.Value.Type.Shape {
			if p.shape[k] != int64(extent) {
				p.shape[k] = -1
			}
		}
	}
}

func metadataOf(ports []port) []oip.TensorMetadata {
	list := make([]oip.TensorMetadata, 0, len(ports))
	for _, p := range ports {
		if p.dtype != tensor.Invalid {
			list = append(list, oip.TensorMetadata{Name: p.name, Datatype: oip.Datatype(p.dtype), Shape: p.shape})
		}
	}
	return list
}

func typesOf(ports []port) []manifest.Type {
	list := make([]manifest.Type, len(ports))
	for i, p := range ports {
		list[i] = manifest.Type{Name: p.name, DType: p.dtype, Shape: make(tensor.Shape, len(p.shape))}
		for k, extent := range p.shape {
			list[i].Shape[k] = int(extent) // -1 is manifest.Unknown
		}
	}
	return list
}
