package kit

import (
	"iter"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Walk is the way of an exporter through a graph.
type Walk struct {
	Graph   *graph.Graph
	Live    map[*graph.Value]bool // what outputs depend on
	Refused List

	standard string
}

// Start verifies a graph. States that count are refused, with the reason given.
func Start(g *graph.Graph, standard, states string) (*Walk, error) {
	if err := graph.Verify(g, op.Rules); err != nil {
		return nil, err
	}
	w := &Walk{Graph: g, Live: g.Reachable(), standard: standard}
	for _, s := range g.States {
		if w.Live[s.Value] || s.Next != nil {
			w.Refused.Add("state", "", s.Value.Name, states)
		}
	}
	return w, nil
}

// Nodes yields the nodes that outputs depend on, in their order.
func (w *Walk) Nodes() iter.Seq[*graph.Node] { return Reached(w.Graph, w.Live) }

// Reached yields the nodes of a graph of which a result is live.
func Reached(g *graph.Graph, live map[*graph.Value]bool) iter.Seq[*graph.Node] {
	return func(yield func(*graph.Node) bool) {
		for _, n := range g.Nodes {
			if slices.ContainsFunc(n.Out, func(v *graph.Value) bool { return live[v] }) && !yield(n) {
				return
			}
		}
	}
}

// Err returns an [Error] of all refusals, nil if there are none.
func (w *Walk) Err() error { return w.Refused.Err(w.standard, w.Graph.Name) }

// Node is a node while it is exported: what the row of its operator asks for.
type Node struct {
	*graph.Node
	Def *op.Def
}

// NodeOf returns a node with its definition, which the verified graph has.
func NodeOf(n *graph.Node) Node {
	d, _ := op.Lookup(n.Op)
	return Node{n, d}
}

// Int returns an attribute, as the others do for other kinds.
func (n *Node) Int(name string) int { return n.Attrs.Int(name) }

// Ints returns a list of integers.
func (n *Node) Ints(name string) []int { return n.Attrs.Ints(name) }

// Float returns a number.
func (n *Node) Float(name string) float64 { return n.Attrs.Float(name) }

// Bool returns a truth.
func (n *Node) Bool(name string) bool { return n.Attrs.Bool(name) }

// Str returns a text.
func (n *Node) Str(name string) string { return n.Attrs.String(name) }

// Operand returns operand i, nil if it is absent.
func (n *Node) Operand(i int) *graph.Value {
	if i < len(n.In) {
		return n.In[i]
	}
	return nil
}

// Has reports whether operand i is given.
func (n *Node) Has(i int) bool { return n.Operand(i) != nil }

// Known returns the elements of operand i if it is a constant, and else nil.
func (n *Node) Known(i int) *tensor.Tensor {
	if v := n.Operand(i); v != nil {
		return v.Const
	}
	return nil
}

// Groups is [op.Groups].
func (n *Node) Groups(channels int) int { return op.Groups(n.Attrs, channels) }

// Eval evaluates an operator while a graph is exported, within a budget: what it says about indices and weights need not be said again.
func Eval(budget op.Budget, name string, attrs graph.Attrs, in ...*tensor.Tensor) *tensor.Tensor {
	d, ok := op.Lookup(name)
	if !ok {
		Refuse("there is no operator %s", name)
	}
	return Must(budget.Eval(d, in, attrs))[0]
}
