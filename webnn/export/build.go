package export

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Options says how a graph is exported.
type Options struct {
	// Approximate, if not nil, is told of each node whose results may differ from those of the graph.
	Approximate func(Approximation)

	// names is told how the results of the calls should be called, call by call.
	names func(results ...string)
}

// Approximation is a node that is expressed by others whose results may differ from its own.
type Approximation = kit.Approximation

// Refusal is one part of a graph that cannot be expressed.
type Refusal = kit.Refusal

// Error lists all parts of a graph that cannot be expressed in WebNN.
type Error = kit.Error

// Build makes the calls on a builder that build g, and returns the operands of its outputs. The builder must be new; after an error it holds part of the
// graph and is to be dropped.
//
// An *[Error] lists all that cannot be expressed.
func Build(b *webnn.GraphBuilder, g *graph.Graph, opts Options) (_ webnn.NamedOperands, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	w, err := kit.Start(g, "WebNN", "WebNN keeps no values between runs; make the state an input and its next value an output")
	if err != nil {
		return nil, err
	}
	e := &exporter{b: b, opts: opts, constants: make(map[string]*webnn.Operand), contents: make(map[*webnn.Operand]content)}
	e.Exporter = &kit.Exporter[*webnn.Operand]{Walk: w, Values: make(map[*graph.Value]*webnn.Operand), Emit: e.emit, Stub: e.stub,
		Approximate: opts.Approximate,
		Constant:    func(v *graph.Value) (*webnn.Operand, error) { return e.constant(v.Name, v.Const) }}
	for _, v := range g.Inputs {
		if w.Live[v] {
			e.input(v)
		}
	}
	e.All(nil)
	outputs := e.outputs()
	return outputs, w.Err()
}

// exporter makes the calls for one graph.
type exporter struct {
	*kit.Exporter[*webnn.Operand]
	b         *webnn.GraphBuilder
	opts      Options
	constants map[string]*webnn.Operand  // by type, shape and the hash of the bytes
	contents  map[*webnn.Operand]content // of constants
	stubs     int                        // operands that stand for results of refused nodes
}

// content is what a constant holds, and how it is called.
type content struct {
	name string
	data *tensor.Tensor
}

// dataType returns the type that values of type d have in WebNN.
func dataType(d tensor.DType) tensor.DType {
	if d == tensor.Bool {
		return tensor.Uint8
	}
	return d
}

// misfit says why no operand can have the type, or returns nil.
func misfit(t graph.Type) error {
	switch {
	case !slices.Contains(webnn.DataTypes, dataType(t.DType)):
		return fmt.Errorf("the element type %v does not exist in WebNN", t.DType)
	case len(t.Shape) > webnn.MaxRank:
		return fmt.Errorf("the rank of shape %v is more than %d", t.Shape, webnn.MaxRank)
	case slices.Contains(t.Shape, 0):
		return fmt.Errorf("shape %v has no elements, which WebNN does not allow", t.Shape)
	}
	return nil
}

// descriptor returns the descriptor of an operand of that type.
func descriptor(t graph.Type) webnn.OperandDescriptor {
	return webnn.OperandDescriptor{DataType: dataType(t.DType), Shape: t.Shape}
}

// named announces the names of the results of the next call.
func (e *exporter) named(names ...string) {
	if e.opts.names != nil {
		e.opts.names(names...)
	}
}

func (e *exporter) input(v *graph.Value) {
	err := misfit(v.Type)
	if err == nil {
		e.named(v.Name)
		e.Values[v], err = e.b.Input(v.Name, descriptor(v.Type))
	}
	if err != nil {
		e.Refused.Add("input", "", v.Name, err.Error())
		delete(e.Values, v)
		e.stub(v)
	}
}

// stub lets an input stand for a value that cannot be had.
func (e *exporter) stub(v *graph.Value) {
	if misfit(v.Type) != nil {
		return
	}
	e.stubs++
	e.named(v.Name)
	if o, err := e.b.Input(fmt.Sprintf("\x00%d", e.stubs), descriptor(v.Type)); err == nil {
		e.Values[v] = o
	}
}

// constant returns the operand of a constant, one for all that are equal.
func (e *exporter) constant(name string, t *tensor.Tensor) (*webnn.Operand, error) {
	if err := misfit(graph.TypeOf(t)); err != nil {
		return nil, err
	}
	d := dataType(t.DType())
	key := fmt.Sprintf("%v%v%x", d, t.Shape(), sha256.Sum256(t.Bytes()))
	if o := e.constants[key]; o != nil {
		return o, nil
	}
	shared, err := t.Reinterpret(d)
	if err != nil {
		return nil, err
	}
	e.named(name)
	o, err := e.b.SharedConstant(shared)
	if err == nil {
		e.constants[key], e.contents[o] = o, content{name, t}
	}
	return o, err
}

// emit makes the calls for a node with these operands.
func (e *exporter) emit(n *graph.Node, in []*webnn.Operand) []*webnn.Operand {
	for _, v := range n.Out {
		if err := misfit(v.Type); err != nil {
			kit.Refuse("the result %s: %v", v.Name, err)
		}
	}
	out := table.Of(n.Op).emit(&emission{exporter: e, Node: kit.NodeOf(n), in: in})
	for i := range out {
		want := descriptor(n.Out[i].Type)
		if out[i].DataType() != want.DataType || !slices.Equal(out[i].Shape(), want.Shape) {
			kit.Refuse("the result %s would be %v%v in place of %v", n.Out[i].Name, out[i].DataType(), out[i].Shape(), n.Out[i].Type)
		}
	}
	return out
}

// outputs names the results. An output that is an input or a constant becomes a copy.
func (e *exporter) outputs() webnn.NamedOperands {
	outputs := make(webnn.NamedOperands)
	for _, o := range e.Graph.Outputs {
		x, ok := e.Operand(o.Value)
		switch _, constant := e.contents[x]; {
		case o.Name == "":
			e.Refused.Add("output", "", o.Value.Name, "the name of the output is empty")
			continue
		case !ok:
			continue // what yields it has been refused
		case constant || slices.ContainsFunc(e.Graph.Inputs, func(v *graph.Value) bool { return e.Values[v] == x }):
			e.named(o.Name)
			y, err := e.b.Call("identity", []any{x}, nil)
			if err != nil {
				e.Refused.Add("output", "", o.Name, err.Error())
				continue
			}
			x = y[0]
		}
		outputs[o.Name] = x
	}
	return outputs
}
