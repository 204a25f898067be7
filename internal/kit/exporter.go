package kit

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
)

// Approximation is a node that is expressed by others whose results may differ from its own.
type Approximation struct {
	Op        string
	Label     string  // may be empty
	Value     string  // the name of the first result
	Tolerance float64 // the greatest difference, relative to max(1, |result|)
}

// Exporter makes what stands for the values of a graph, of type V, node by node.
type Exporter[V any] struct {
	*Walk
	Values map[*graph.Value]V
	// Constant makes what stands for a constant.
	Constant func(v *graph.Value) (V, error)
	// Emit makes what a node becomes by the table, and returns what stands for its results; nil if the table does not say it directly, or not
	// so. It refuses what cannot be said at all.
	Emit func(n *graph.Node, in []V) []V
	// Stub makes something that stands for a value that has been refused, so that the nodes that read it are examined too. It may be nil.
	Stub func(v *graph.Value)
	// Unread reports whether a row reads operand i of a node itself, so that nothing stands for it. It may be nil.
	Unread func(n *graph.Node, i int) bool
	// Approximate, if not nil, is told of each node whose results may differ from those of the graph.
	Approximate func(Approximation)

	near  float64 // how far the results of the node that is exported may be off
	depth int     // of bodies
}

// maxDepth bounds bodies within bodies, which are a few in fact.
const maxDepth = 16

// Operand returns what stands for a value; false if an earlier refusal is the reason that there is nothing.
func (e *Exporter[V]) Operand(v *graph.Value) (V, bool) {
	x, ok := e.Values[v]
	if ok || v.Const == nil {
		return x, ok
	}
	x, err := e.Constant(v)
	if err == nil {
		e.Values[v] = x
		return x, true
	}
	e.Refused.Add("constant", v.Label, v.Name, err.Error())
	e.stub(v)
	x, ok = e.Values[v]
	return x, ok
}

func (e *Exporter[V]) stub(v *graph.Value) {
	if e.Stub != nil {
		e.Stub(v)
	}
}

// All exports the nodes that outputs depend on. done, if not nil, is told of each that has been exported.
func (e *Exporter[V]) All(done func(n *graph.Node)) {
	for n := range e.Nodes() {
		in, ok := e.operands(n)
		if !ok {
			continue // what yields one has been refused
		}
		e.near, e.depth = 0, 0
		if why := Try(func() { e.results(n, in) }); why != "" {
			e.Refused.Add(n.Op, n.Label, n.Out[0].Name, why)
			for _, v := range n.Out {
				e.stub(v)
			}
			continue
		}
		if e.near > 0 && e.Approximate != nil {
			e.Approximate(Approximation{n.Op, n.Label, n.Out[0].Name, e.near})
		}
		if done != nil {
			done(n)
		}
	}
}

// operands returns what stands for the operands of a node; the zero V for one that is absent or not read.
func (e *Exporter[V]) operands(n *graph.Node) ([]V, bool) {
	in := make([]V, len(n.In))
	for i, v := range n.In {
		if v == nil || e.Unread != nil && e.Unread(n, i) {
			continue
		}
		var ok bool
		if in[i], ok = e.Operand(v); !ok {
			return nil, false
		}
	}
	return in, true
}

// Near notes that the results may differ from those of the operator so far, relative to max(1, |result|).
func (e *Exporter[V]) Near(tolerance float64) { e.near = max(e.near, tolerance) }

// results exports a node: by the table, or else in simpler operators.
func (e *Exporter[V]) results(n *graph.Node, in []V) {
	out := e.Emit(n, in)
	if out == nil {
		out = e.expanded(n, in)
	}
	for i, v := range n.Out {
		e.Values[v] = out[i]
	}
}

func (e *Exporter[V]) expanded(n *graph.Node, in []V) []V {
	x := Simpler(n)
	for i, o := range x.Outputs { // what stands for a result has its name
		if o.Value.Producer != nil {
			o.Value.Name = n.Out[i].Name
		}
	}
	for i, v := range x.Args {
		if v != nil && (e.Unread == nil || !e.Unread(n, i)) {
			e.Values[v] = in[i]
		}
	}
	if e.depth++; e.depth > maxDepth {
		Refuse("its body is nested too deep")
	}
	for _, inner := range x.Nodes {
		before := len(e.Refused)
		operands, ok := e.operands(inner)
		if len(e.Refused) > before || !ok {
			why := "a part of it cannot be expressed"
			if len(e.Refused) > before {
				why = e.Refused[before].Reason
			}
			e.Refused = e.Refused[:before]
			Refuse("its body: a constant: %s", why)
		}
		renamed := *inner
		renamed.Label = n.Label
		if why := Try(func() { e.results(&renamed, operands) }); why != "" {
			Refuse("its body: %s: %s", inner.Op, why)
		}
	}
	e.depth--
	e.Near(x.Tolerance)
	out := make([]V, len(x.Outputs))
	for i, o := range x.Outputs {
		v, ok := e.Operand(o.Value)
		if !ok {
			Refuse("its body has no result %s", o.Name)
		}
		out[i] = v
	}
	return out
}

// Simpler returns what stands for a node in simpler operators, by what its definition knows of them.
func Simpler(n *graph.Node) *op.Expanded {
	d, _ := op.Lookup(n.Op)
	x, err := d.Expanded(n.In, n.Attrs)
	switch {
	case err == nil:
		return x
	case d.Body == "":
		Refuse("%v", err)
	}
	x = &op.Expanded{Graph: Must(nnef.ExpandBody(d, graph.TypesOf(n.In), n.Attrs)), Tolerance: d.BodyTol, Args: make([]*graph.Value, len(n.In))}
	next := 0
	for i, v := range n.In {
		if v != nil {
			x.Args[i], next = x.Inputs[next], next+1
		}
	}
	return x
}
