package nnef

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// ExpandBody returns the graph that the body of d stands for, applied to operands of the given types, the zero type
// where one is absent. Its inputs are named after the operands (those of a variadic operand after it and their number,
// from 0) and its outputs after the results, likewise. It fails if d has no body or does not take the operands.
//
// Where d computes 16-bit floats in float32, so does the graph, and converts operands and results.
func ExpandBody(d *op.Def, in []op.Type, attrs graph.Attrs) (*graph.Graph, error) {
	if d == nil {
		return nil, errors.New("there is no operator: the definition is nil")
	}
	b := graph.NewBuilder(op.Rules, d.Name)
	values := make([]*graph.Value, len(in))
	for i, t := range in {
		if t.DType == tensor.Invalid {
			continue
		}
		o := &d.In[min(i, len(d.In)-1)]
		name := o.Name
		if o.Variadic {
			name = fmt.Sprintf("%s%d", o.Name, i-len(d.In)+1)
		}
		v, err := b.Input(name, t)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	out, err := expand(newSink(b, eval.Limits{}), d, values, attrs)
	if err != nil {
		return nil, err
	}
	for i, v := range out {
		r := &d.Out[min(i, len(d.Out)-1)]
		name := r.Name
		if r.Variadic {
			name = fmt.Sprintf("%s%d", r.Name, i-len(d.Out)+1)
		}
		if err := b.Output(name, v); err != nil {
			return nil, err
		}
	}
	return b.Build()
}

// ExpandGraph returns g with every node whose operator has a body and is chosen replaced by that body, those of the bodies included.
// The shapes of all values must be known.
func ExpandGraph(g *graph.Graph, choose func(d *op.Def) bool) (*graph.Graph, error) {
	return graph.Rewrite(g, op.Rules, nil, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		d, ok := op.Lookup(n.Op)
		if !ok || d.Body == "" || !choose(d) {
			return r.Keep(in)
		}
		body, err := ExpandBody(d, graph.TypesOf(in), n.Attrs)
		if err != nil {
			return nil, err
		}
		return r.Inline(body, slices.DeleteFunc(slices.Clone(in), func(v *graph.Value) bool { return v == nil }))
	})
}

// expand adds the body of d for operands and attributes, and returns its results.
func expand(s *sink, d *op.Def, in []*graph.Value, attrs graph.Attrs) ([]*graph.Value, error) {
	o, err := bodyOf(d)
	if err != nil {
		return nil, err
	}
	full, types, err := op.Rules.Infer(d.Name, graph.TypesOf(in), attrs, nil)
	if err != nil {
		return nil, err
	}
	o.Scope = newCanonical(s)
	wide := slices.ContainsFunc(in, func(v *graph.Value) bool { return v != nil && d.Widens(v.Type.DType) })
	args, err := bodyOperands(s, d, in)
	if err != nil {
		return nil, err
	}
	for i, a := range full {
		args = append(args, attrValue(a.Value, d.Attrs[i].Pairs))
	}
	out, err := eval.New(s.limits).Expand(o, args, nil)
	if err != nil {
		return nil, fmt.Errorf("the body of %s: %w", d.Name, err)
	}
	values, err := bodyResults(d, out)
	if err != nil {
		return nil, err
	}
	if len(values) != len(types) {
		return nil, fmt.Errorf("the body of %s yields %d results; there must be %d", d.Name, len(values), len(types))
	}
	for i, v := range values {
		if wide && types[i].DType.IsHalf() && v.Type.DType == tensor.Float32 {
			if v, err = s.cast(v, types[i].DType); err != nil {
				return nil, err
			}
			values[i] = v
		}
		if v.Type.String() != types[i].String() {
			return nil, fmt.Errorf("the body of %s yields %v; the operator yields %v", d.Name, v.Type, types[i])
		}
	}
	return values, nil
}

// bodyOperands returns operands as arguments of a body, one for each operand that d declares, with those that d widens
// cast to float32.
func bodyOperands(s *sink, d *op.Def, in []*graph.Value) ([]eval.Value, error) {
	list := make(eval.Array, max(len(in), len(d.In)))
	for i := range list {
		if i >= len(in) || in[i] == nil {
			list[i] = eval.Absent{}
			continue
		}
		v := in[i]
		if d.Widens(v.Type.DType) {
			var err error
			if v, err = s.cast(v, tensor.Float32); err != nil {
				return nil, err
			}
		}
		list[i] = element.Of(v)
	}
	if n := len(d.In) - 1; n >= 0 && d.In[n].Variadic {
		return append(list[:n:n], list[n:]), nil
	}
	return list, nil
}

// bodyResults returns what a body yields as values, those of arrays one by one.
func bodyResults(d *op.Def, out []eval.Value) ([]*graph.Value, error) {
	var values []*graph.Value
	for _, v := range eval.Singles(out) {
		value, ok := v.(element.Operand)
		if !ok {
			return nil, fmt.Errorf("the body of %s yields %s", d.Name, eval.Text(v))
		}
		values = append(values, value.V)
	}
	return values, nil
}

// cast adds a conversion of a value to another element type.
func (s *sink) cast(v *graph.Value, d tensor.DType) (*graph.Value, error) {
	out, err := s.Add(graph.Node{Op: "cast", In: []*graph.Value{v}, Attrs: graph.Attrs{attr("dtype", d)}}, nil)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// bodies holds the parsed bodies of operators.
var bodies sync.Map // of *body by *op.Def

type body struct {
	list []syntax.Assignment
	src  *syntax.Source
	err  error
}

// bodyOf returns an operator as an operation with its body.
func bodyOf(d *op.Def) (*eval.Operation, error) {
	if d.Body == "" {
		return nil, fmt.Errorf("the operator %s has no body: it is primitive", d.Name)
	}
	known, ok := bodies.Load(d)
	if !ok {
		b := &body{src: syntax.NewSource(d.Name, d.Body)}
		b.list, b.err = syntax.ParseBody(d.Name, d.Body)
		known, _ = bodies.LoadOrStore(d, b)
	}
	b := known.(*body)
	if b.err != nil {
		return nil, b.err
	}
	o := declaration(d)
	o.Body, o.Source = b.list, b.src
	return o, nil
}
