package graph

import (
	"fmt"

	"github.com/concord-nn/concord/tensor"
)

// Rewriter makes the new graph of a [Rewrite].
type Rewriter struct {
	*Builder
	node *Node
}

// Keep copies the node that is being rewritten, with the given operands, and returns the results of the copy.
func (r *Rewriter) Keep(in []*Value) ([]*Value, error) {
	names := make([]string, len(r.node.Out))
	for i, v := range r.node.Out {
		names[i] = v.Name
	}
	return r.Node(r.node.Op, in, r.node.Attrs, r.node.Label, names...)
}

// Rewrite makes a new graph from g. For each node in order it calls f with the node and its operands in the new graph; f
// returns the values that stand for the node's results there: those of r.Keep(in), or of other nodes that it adds, or
// values that exist already. Types are inferred anew. Inputs keep their order, names and types unless retype, which may
// be nil, gives another type. Constants and states are carried over when they are first used.
func Rewrite(g *Graph, rules Rules, retype func(*Value) Type, f func(r *Rewriter, n *Node, in []*Value) ([]*Value, error)) (*Graph, error) {
	r := &Rewriter{Builder: NewBuilder(rules, g.Name)}
	news := make(map[*Value]*Value)
	for _, v := range g.Inputs {
		t := v.Type
		if retype != nil {
			t = retype(v)
		}
		nv, err := r.Input(v.Name, t)
		if err != nil {
			return nil, err
		}
		nv.Label = v.Label
		news[v] = nv
	}
	for _, s := range g.States {
		nv, err := r.State(s.Value.Name, s.Value.Label, s.Init)
		if err != nil {
			return nil, err
		}
		news[s.Value] = nv
	}
	lookup := func(v *Value) (*Value, error) {
		if v == nil {
			return nil, nil
		}
		if nv, ok := news[v]; ok {
			return nv, nil
		}
		if v.Const == nil {
			return nil, fmt.Errorf("value %s is used before it is computed", v.Name)
		}
		nv, err := r.Constant(v.Name, v.Label, v.Const)
		news[v] = nv
		return nv, err
	}
	for _, n := range g.Nodes {
		in := make([]*Value, len(n.In))
		for i, v := range n.In {
			nv, err := lookup(v)
			if err != nil {
				return nil, err
			}
			in[i] = nv
		}
		r.node = n
		out, err := f(r, n, in)
		if err != nil {
			return nil, err
		}
		if len(out) != len(n.Out) {
			return nil, fmt.Errorf("rewriting %s yields %d values for %d results", n.Op, len(out), len(n.Out))
		}
		for i, v := range n.Out {
			news[v] = out[i]
		}
	}
	for _, o := range g.Outputs {
		nv, err := lookup(o.Value)
		if err != nil {
			return nil, err
		}
		if err := r.Output(o.Name, nv); err != nil {
			return nil, err
		}
	}
	for _, s := range g.States {
		if s.Next == nil {
			continue
		}
		nv, err := lookup(s.Next)
		if err != nil {
			return nil, err
		}
		if err := r.Update(news[s.Value], nv); err != nil {
			return nil, err
		}
	}
	return r.Build()
}

// Specialize returns g with the symbols bound to numbers and every type inferred. Inputs named in shapes take those
// shapes, which bind the symbols of their declarations; an input with a fixed shape may be given another one. Every
// symbol must be bound in the end, and alike wherever it stands.
func Specialize(g *Graph, rules Rules, shapes map[string]tensor.Shape) (*Graph, error) {
	symbols, err := bindSymbols(g, shapes)
	if err != nil {
		return nil, err
	}
	if len(shapes) == 0 && len(symbols) == 0 && g.IsConcrete() {
		return g, nil
	}
	for _, v := range g.Inputs {
		for _, d := range v.Type.Shape {
			if _, ok := symbols[d.Symbol]; d.Symbol != "" && !ok && shapes[v.Name] == nil {
				return nil, fmt.Errorf("input %s is %v: the extent %s must be given a number", v.Name, v.Type, d.Symbol)
			}
		}
	}
	retype := func(v *Value) Type {
		if s, ok := shapes[v.Name]; ok {
			return Type{v.Type.DType, Fixed(s)}
		}
		t := Type{v.Type.DType, make(Shape, len(v.Type.Shape))}
		for i, d := range v.Type.Shape {
			if d.Symbol != "" {
				d = Dim{Extent: symbols[d.Symbol]}
			}
			t.Shape[i] = d
		}
		return t
	}
	return Rewrite(g, rules, retype, func(r *Rewriter, n *Node, in []*Value) ([]*Value, error) {
		out, err := r.Keep(in)
		if err != nil && len(n.Out) > 0 {
			err = fmt.Errorf("node %s: %w", n.Out[0].Name, err)
		}
		return out, err
	})
}

func bindSymbols(g *Graph, shapes map[string]tensor.Shape) (map[string]int, error) {
	symbols := make(map[string]int)
	for name, shape := range shapes {
		v := g.Input(name)
		if v == nil {
			return nil, fmt.Errorf("the graph has no input %q", name)
		}
		if len(shape) != len(v.Type.Shape) {
			return nil, fmt.Errorf("input %s is %v; shape %v has another rank", name, v.Type, shape)
		}
	}
	for _, v := range g.Inputs {
		shape, ok := shapes[v.Name]
		if !ok {
			continue
		}
		for i, d := range v.Type.Shape {
			if d.Symbol == "" {
				continue
			}
			if old, ok := symbols[d.Symbol]; ok && old != shape[i] {
				return nil, fmt.Errorf("input %s is %v; shape %v binds %s to %d, but it is %d elsewhere",
					v.Name, v.Type, shape, d.Symbol, shape[i], old)
			}
			symbols[d.Symbol] = shape[i]
		}
	}
	return symbols, nil
}
