package export

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Options says how a graph is exported.
type Options struct {
	// Foreign, if not nil, is told of each node that only Concord runs, as no function says it to other runtimes.
	Foreign func(Refusal)
}

// Refusal is one part of a graph that cannot be expressed.
type Refusal = kit.Refusal

// Error lists all parts of a graph that cannot be expressed in ONNX.
type Error = kit.Error

// New exports a graph. The tensors of the model share the memory of constants. An *[Error] lists all that cannot be expressed.
func New(g *graph.Graph, opts Options) (_ *proto.Model, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	w, err := kit.Start(g, "ONNX", "ONNX keeps no values between runs; make the state an input and its next value an output")
	if err != nil {
		return nil, err
	}
	e := &exporter{Walk: w, opts: opts, rows: table, functions: make(map[string]said), overloads: make(map[string]int), elements: make(map[string]*tensor.Tensor)}
	s := newScope(e)
	m := &proto.Model{ProducerName: "Concord", Graph: &proto.Graph{Name: g.Name}}
	m.Graph.Input = e.inputs(s, g)
	wishes := e.reserve(s, g)
	s.live = w.Live
	for n := range w.Nodes() {
		if why := s.attempt(n, wishes); why != "" {
			e.Refused.Add(n.Op, n.Label, n.Out[0].Name, why)
		}
	}
	m.Graph.Output = e.outputs(s, g.Outputs)
	if err := w.Err(); err != nil {
		return nil, err
	}
	s.tidy()
	m.Graph.Node, m.Graph.Initializer, m.Graph.ValueInfo = s.nodes, s.stored, s.infos
	v := version(e.types, e.least)
	m.IRVersion, m.OpsetImport, m.Functions = int64(v.IR), imports(v), e.made
	if e.own {
		m.OpsetImport = imports(v, onnx.OwnDomain)
	}
	for _, f := range m.Functions {
		f.OpsetImport = imports(v)
	}
	return m, nil
}

// beforehand bounds what is evaluated while a graph is exported.
var beforehand = op.Budget{Bytes: limits.FoldFree, Operations: limits.FoldOperations, Result: limits.FoldFree}

// exporter makes the model of one graph.
type exporter struct {
	*kit.Walk
	opts      Options
	rows      *kit.Table[row] // the table, to which the functions of its own rows could not refer
	types     op.Types        // the element types of all values
	least     Version         // that operators need
	own       bool            // whether there is a node of the domain of Concord
	made      []*proto.Function
	functions map[string]said           // by what they depend on
	overloads map[string]int            // how many there are of an operator
	coded     map[*graph.Value]bool     // results that have been made of codes, as far as that was asked for
	elements  map[string]*tensor.Tensor // of constants of the graph
}

// inputs declares the inputs of the model, all of them.
func (e *exporter) inputs(s *scope, g *graph.Graph) []*proto.ValueInfo {
	var out []*proto.ValueInfo
	for _, v := range g.Inputs {
		if v.Name == "" {
			e.Refused.Add("input", "", v.Name, "the name of the input is empty")
		}
		s.taken.Add(v.Name)
		s.names[v] = v.Name
		out = append(out, e.info(v.Name, v.Type))
	}
	return out
}

// reserve keeps the names of outputs for them, and returns those that results of nodes get.
func (e *exporter) reserve(s *scope, g *graph.Graph) map[*graph.Value]string {
	wishes := make(map[*graph.Value]string)
	for _, o := range g.Outputs {
		switch v := g.Input(o.Name); {
		case o.Name == "":
			e.Refused.Add("output", "", o.Value.Name, "the name of the output is empty")
			continue
		case v != nil && v != o.Value:
			e.Refused.Add("output", "", o.Name, "an input has the name of the output; in ONNX they would be the same value")
			continue
		}
		s.taken.Add(o.Name)
		if o.Value.Producer != nil && wishes[o.Value] == "" {
			wishes[o.Value] = o.Name
		}
	}
	return wishes
}

// outputs declares outputs of a graph, and copies those that are not results of its nodes, or are already outputs.
func (e *exporter) outputs(s *scope, list []graph.Output) []*proto.ValueInfo {
	var out []*proto.ValueInfo
	for _, o := range list {
		x := s.value(o.Value)
		if x.name != o.Name {
			s.add("Identity", "", nil, []val{x}, []string{o.Name})
		}
		out = append(out, e.info(o.Name, o.Value.Type))
	}
	return out
}

// info declares a value.
func (e *exporter) info(name string, t graph.Type) *proto.ValueInfo {
	e.types |= op.TypeSet(t.DType)
	return proto.NewValueInfo(name, proto.DataTypeOf(t.DType), proto.NewShape(t.Shape))
}
