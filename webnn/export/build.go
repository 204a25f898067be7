package export

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit/refusal"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Options says how a graph is exported.
type Options struct {
	// Expand returns the graph that the body of an operator stands for, applied to operands of these types (the zero type
	// where one is absent): nnef.ExpandBody. Without it, operators that are expressed by a body are refused.
	Expand func(d *op.Def, in []op.Type, attrs graph.Attrs) (*graph.Graph, error)

	// Approximate, if not nil, is told of each node whose results may differ from those of the graph.
	Approximate func(Approximation)

	// names is told how the results of the calls should be called, call by call.
	names func(results ...string)
}

// Approximation is a node that is expressed by others whose results may differ from its own.
type Approximation struct {
	Op        string
	Label     string  // may be empty
	Value     string  // the name of the first result
	Tolerance float64 // the greatest difference, relative to max(1, |result|)
}

// Build makes the calls on a builder that build g, and returns the operands of its outputs. The builder must be new; after an error it holds part of the graph and is to be dropped.
//
// An *[Error] lists all that cannot be expressed.
func Build(b *webnn.GraphBuilder, g *graph.Graph, opts Options) (_ webnn.NamedOperands, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	if err := graph.Verify(g, op.Rules); err != nil {
		return nil, err
	}
	e := &exporter{b: b, opts: opts, operands: make(map[*graph.Value]*webnn.Operand), constants: make(map[string]*webnn.Operand),
		contents: make(map[*webnn.Operand]content), rows: rowOf}
	live := g.Reachable()
	for _, s := range g.States {
		if live[s.Value] || s.Next != nil {
			e.refused.Add("state", "", s.Value.Name, "WebNN keeps no values between runs; make the state an input and its next value an output")
		}
	}
	for _, v := range g.Inputs {
		if live[v] {
			e.input(v)
		}
	}
	for _, n := range g.Nodes {
		if slices.ContainsFunc(n.Out, func(v *graph.Value) bool { return live[v] }) {
			e.node(n)
		}
	}
	outputs := e.outputs(g)
	if err := e.refused.Err("WebNN", g.Name); err != nil {
		return nil, err
	}
	return outputs, nil
}

// exporter makes the calls for one graph.
type exporter struct {
	b         *webnn.GraphBuilder
	opts      Options
	operands  map[*graph.Value]*webnn.Operand
	constants map[string]*webnn.Operand  // by type, shape and the hash of the bytes
	contents  map[*webnn.Operand]content // of constants
	refused   refusal.List
	stubs     int             // operands that stand for results of refused nodes
	rows      map[string]*row // rowOf, to which the functions of its own rows could not refer
	near      float64         // how far the results of the current node may be off
}

// content is what a constant holds, and how it is called.
type content struct {
	name string
	data *tensor.Tensor
}

// dataType returns the type that values of type d have in WebNN.
func dataType(d tensor.DType) (tensor.DType, bool) {
	if d == tensor.Bool {
		d = tensor.Uint8
	}
	return d, slices.Contains(webnn.DataTypes, d)
}

// misfit says why no operand can have the type, or returns "".
func misfit(t graph.Type) string {
	shape := t.Shape
	if _, ok := dataType(t.DType); !ok {
		return fmt.Sprintf("the element type %v does not exist in WebNN", t.DType)
	}
	if len(shape) > webnn.MaxRank {
		return fmt.Sprintf("the rank of shape %v is more than %d", shape, webnn.MaxRank)
	}
	if slices.Contains(shape, 0) {
		return fmt.Sprintf("shape %v has no elements, which WebNN does not allow", shape)
	}
	return ""
}

// descriptor returns the descriptor of an operand of that type.
func descriptor(t graph.Type) webnn.OperandDescriptor {
	shape := t.Shape
	d, _ := dataType(t.DType)
	return webnn.OperandDescriptor{DataType: d, Shape: shape}
}

// named announces the names of the results of the next call.
func (e *exporter) named(names ...string) {
	if e.opts.names != nil {
		e.opts.names(names...)
	}
}

func (e *exporter) input(v *graph.Value) {
	if why := misfit(v.Type); why != "" {
		e.refused.Add("input", "", v.Name, why)
		e.stub(v)
		return
	}
	e.named(v.Name)
	o, err := e.b.Input(v.Name, descriptor(v.Type))
	if err != nil {
		e.refused.Add("input", "", v.Name, err.Error())
		return
	}
	e.operands[v] = o
}

// stub lets an input stand for a value that cannot be had, so that the nodes that use it are examined too.
func (e *exporter) stub(v *graph.Value) {
	if misfit(v.Type) != "" {
		return
	}
	e.stubs++
	e.named(v.Name)
	if o, err := e.b.Input(fmt.Sprintf("\x00%d", e.stubs), descriptor(v.Type)); err == nil {
		e.operands[v] = o
	}
}

// constant returns the operand of a constant, one for all that are equal.
func (e *exporter) constant(name string, t *tensor.Tensor) (*webnn.Operand, error) {
	d := webnn.OperandDescriptor{Shape: t.Shape()}
	var ok bool
	if d.DataType, ok = dataType(t.DType()); !ok {
		return nil, fmt.Errorf("the element type %v does not exist in WebNN", t.DType())
	}
	key := fmt.Sprintf("%v%v%x", d.DataType, d.Shape, sha256.Sum256(t.Bytes()))
	if o := e.constants[key]; o != nil {
		return o, nil
	}
	e.named(name)
	o, err := e.b.Constant(d, tensor.Raw(t))
	if err == nil {
		e.constants[key], e.contents[o] = o, content{name, t}
	}
	return o, err
}

// operand returns the operand of a value; nil if an earlier refusal is the reason that there is none.
func (e *exporter) operand(v *graph.Value) *webnn.Operand {
	if o := e.operands[v]; o != nil || v.Const == nil {
		return o
	}
	why := misfit(v.Type)
	if why == "" {
		o, err := e.constant(v.Name, v.Const)
		if err == nil {
			e.operands[v] = o
			return o
		}
		why = err.Error()
	}
	e.refused.Add("constant", v.Label, v.Name, why)
	e.stub(v)
	return e.operands[v]
}

// node makes the calls for one node.
func (e *exporter) node(n *graph.Node) {
	in := make([]*webnn.Operand, len(n.In))
	for i, v := range n.In {
		if v == nil {
			continue
		}
		if in[i] = e.operand(v); in[i] == nil {
			return // what yields it has been refused
		}
	}
	e.near = 0
	out, why := e.emit(n, in)
	if e.near > 0 && why == "" && e.opts.Approximate != nil {
		e.opts.Approximate(Approximation{n.Op, n.Label, n.Out[0].Name, e.near})
	}
	if why != "" {
		e.refused.Add(n.Op, n.Label, n.Out[0].Name, why)
		for _, v := range n.Out {
			e.stub(v)
		}
		return
	}
	for i, v := range n.Out {
		e.operands[v] = out[i]
	}
}

// emit makes the calls for a node with these operands. It returns the reason if it cannot.
func (e *exporter) emit(n *graph.Node, in []*webnn.Operand) (out []*webnn.Operand, why string) {
	defer refusal.Caught(&why)
	for _, v := range n.Out {
		if why := misfit(v.Type); why != "" {
			return nil, fmt.Sprintf("the result %s: %s", v.Name, why)
		}
	}
	d, ok := op.Lookup(n.Op)
	if !ok {
		return nil, "there is no such operator"
	}
	if op.HasZeroPoints(n) {
		return nil, "its factors have zero points; subtract them before"
	}
	c := &call{e: e, n: n, d: d, in: in, row: e.rows[n.Op]}
	out = c.row.emit(c)
	for i, v := range n.Out {
		want := descriptor(v.Type)
		if out[i].DataType() != want.DataType || !slices.Equal(out[i].Shape(), want.Shape) {
			return nil, fmt.Sprintf("the result %s would be %v%v in place of %v", v.Name, out[i].DataType(), out[i].Shape(), v.Type)
		}
	}
	return out, ""
}

// outputs names the results. An output that is an input, a constant or the same value as another one becomes a copy.
func (e *exporter) outputs(g *graph.Graph) webnn.NamedOperands {
	outputs := make(webnn.NamedOperands)
	results := make(map[*webnn.Operand]bool)
	for _, n := range g.Nodes {
		for _, v := range n.Out {
			if o := e.operands[v]; o != nil && !slices.ContainsFunc(n.In, func(x *graph.Value) bool { return x != nil && e.operands[x] == o }) {
				results[o] = true
			}
		}
	}
	for _, c := range e.constants {
		delete(results, c)
	}
	for _, v := range g.Inputs {
		delete(results, e.operands[v])
	}
	for _, o := range g.Outputs {
		x := e.operand(o.Value)
		switch {
		case o.Name == "":
			e.refused.Add("output", "", o.Value.Name, "the name of the output is empty")
			continue
		case x == nil:
			continue // what yields it has been refused
		case !results[x]:
			e.named(o.Name)
			y, err := e.b.Call("identity", []any{x}, nil)
			if err != nil {
				e.refused.Add("output", "", o.Name, err.Error())
				continue
			}
			x = y[0]
		}
		outputs[o.Name] = x
	}
	return outputs
}
