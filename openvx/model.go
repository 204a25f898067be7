package openvx

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	gm "github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// model is an imported kernel. Its parameters are the graph's inputs and then its outputs. ImportKernel says in which
// order elements and extents are.
type model struct {
	graph *graph.Graph
}

// ImportKernel makes a kernel of a model (vxImportKernelFromURL). Options.Importers has a function for each kind; kind "nnef" with the
// model's directory is what the standard knows. The kernel's parameters are the model's inputs and then its outputs, all required
// tensors; [Parameter.Name] and [Parameter.MetaFormat] tell what they are: extents as the model lists them, from the outermost on, integers
// of 64 bits as INT32, and a scalar as a tensor of one element. The kernel is not found by name or number; it lives as long as it is
// used.
//
// A tensor is a parameter's if its extents are those of the meta format, in that order or in the reverse order. Either way its elements,
// counted with dimension 0 fastest, are those of the model in row-major order: with the extents reversed, which is how OpenVX lists
// extents elsewhere, layers can be connected to it.
//
// An unknown kind is ErrorNotSupported, a model that cannot be loaded ErrorInvalidParameters, one with inputs or outputs that cannot be
// tensors ErrorNotSupported.
func (c *Context) ImportKernel(kind, url string) (*Kernel, error) {
	return create(c, ".ImportKernel", func() *Kernel {
		load := c.opts.Importers[kind]
		if load == nil {
			refuse(ErrorNotSupported, "there is no importer of models of type %q", kind)
		}
		var g *graph.Graph
		err := c.unlocked(func() (err error) {
			g, err = load.try(url)
			return err
		})
		if open := (*gm.OpenError)(nil); errors.As(err, &open) {
			because(err, ErrorNotSupported, "the model has extents that are not numbers")
		}
		because(err, ErrorInvalidParameters, "the model %q cannot be loaded", url)
		c.object.check() // which may have ended meanwhile
		return c.newModel(path.Base(url), g)
	})
}

// try makes an error of a panic.
func (load Importer) try(url string) (g *graph.Graph, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the importer panicked: %v", p)
		}
	}()
	return load(url)
}

// newModel makes a kernel of a graph.
func (c *Context) newModel(name string, g *graph.Graph) *Kernel {
	if g == nil {
		refuse(ErrorInvalidParameters, "the importer has made no graph of %q", name)
	}
	if n := len(g.Inputs) + len(g.Outputs); n > MaxKernelParameters {
		refuse(ErrorNotSupported, "the model has %d inputs and outputs: at most %d are possible", n, MaxKernelParameters)
	}
	k := &Kernel{kernelName: truncate(name, MaxKernelName), model: &model{g}, finalized: true}
	var formats []format
	add := func(name string, d Direction, v *graph.Value) {
		f := modelFormat(v.Type)
		because(try(func() { c.checkFormat(f, false) }), ErrorNotSupported, "%q of the model cannot be a tensor", name)
		formats = append(formats, f)
		k.params = append(k.params, param{name: name, dir: d, kind: TypeTensor, state: ParameterStateRequired})
	}
	for _, v := range g.Inputs {
		add(v.Name, Input, v)
	}
	for _, o := range g.Outputs {
		add(o.Name, Output, o.Value)
	}
	c.register(&k.object, k, TypeKernel)
	for i, f := range formats {
		k.params[i].meta = c.newMeta(TypeTensor)
		k.params[i].meta.format = f
	}
	return k
}

// modelFormat returns the format of the tensors for values of a model.
func modelFormat(t graph.Type) format {
	shape := t.Shape
	if len(shape) == 0 {
		shape = []int{1}
	}
	return format{dtype: modelType(t.DType), dims: slices.Clone(shape)}
}

// modelType returns the type that elements of a model have in tensors: INT32 for all wide integers, FLOAT32 for all numbers that are no
// integers.
func modelType(d tensor.DType) Type {
	switch {
	case d == tensor.Bool:
		return TypeBool
	case d.IsFloat():
		return TypeFloat32
	case d.IsInteger() && d.Size() > 4:
		return TypeInt32
	}
	for kind, n := range numberTypes {
		if n.element == d && kind != TypeBool { // which is like INT32 in memory
			return kind
		}
	}
	return TypeInvalid
}

// infer checks operands, and completes results, in either order of their extents.
func (m *model) infer(c *call, params []param) error {
	for i, p := range params {
		o, f := &c.operands[i], p.meta.format
		made, wrong := o.completed(f)
		if wrong == ErrorInvalidDimension {
			made, wrong = o.completed(format{f.dtype, f.fixed, reversed(f.dims)})
		}
		switch wrong {
		case Success:
			o.format = made
		case ErrorInvalidDimension:
			return failed(wrong, "parameter %s has the extents %v; they must be %v, in the order of the model, or in the reverse order",
				p.name, o.dims, f.dims)
		default:
			return failed(ErrorInvalidFormat, "parameter %s is of %v; it must be %v", p.name, o.format, f)
		}
	}
	return nil
}

// lower adds the nodes of the model.
func (m *model) lower(c *call, params []param, b *graph.Builder, label string, values []*graph.Value) ([]*graph.Value, error) {
	l := &lowering{Emitter: emit.Emitter{Target: b, Label: label}, call: c}
	in := make([]*graph.Value, len(m.graph.Inputs))
	for i, v := range m.graph.Inputs {
		in[i] = l.as(values[i], v.Type)
	}
	if l.Err != nil {
		return nil, l.Err
	}
	out, err := b.Inline(m.graph, in)
	if err != nil {
		return nil, err
	}
	results := make([]*graph.Value, len(params))
	for i, v := range out {
		k := len(in) + i
		results[k] = l.as(v, valueType(c.operands[k].format))
	}
	return results, l.Err
}

// as converts a value to another type with as many elements.
func (l *lowering) as(v *graph.Value, t graph.Type) *graph.Value {
	return l.Reshape(l.Cast(v, t.DType), t.Shape...)
}
