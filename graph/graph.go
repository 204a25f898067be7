package graph

import (
	"iter"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Graph is a computation: named inputs, nodes in topological order, named outputs, and states kept between runs.
// A finished graph is not changed any more and may be shared by goroutines.
type Graph struct {
	Name    string
	Inputs  []*Value
	Outputs []Output
	States  []*State
	Nodes   []*Node

	origin *Origin // of a graph that Rewrite has made
}

// Value is what an edge carries: the result of a node, a graph input, a constant or a state.
type Value struct {
	Name     string         // unique in its graph; an identifier
	Type     Type           //
	Producer *Node          // the node that yields the value; nil for inputs, constants and states
	Const    *tensor.Tensor // the elements of a constant, possibly memory-mapped; nil for other values
	Label    string         // where a constant or state was stored in the model's files; may be empty
}

// Node applies the operator Op to values.
type Node struct {
	Op    string
	In    []*Value // in the order of the operator's operands; nil where an optional operand is absent
	Out   []*Value
	Attrs Attrs
	// Blocks are graphs that the operator evaluates, such as the two branches of an if. A block reads nothing but its own inputs, which
	// the operator gives it: values of the graph around it are operands of the node. Blocks have no states.
	Blocks []*Graph
	Label  string // the caller's own name for the node, shown in diagnostics; may be empty
}

// Output is a value that a run returns under a name.
type Output struct {
	Name  string
	Value *Value
}

// State is a value that persists between the runs of one session. During a run Value shows what the last run left.
type State struct {
	Value *Value
	Init  *tensor.Tensor // the elements before the first run
	Next  *Value         // the elements after a run; nil if no run changes them
}

// Input returns the input of that name, or nil.
func (g *Graph) Input(name string) *Value {
	for _, v := range g.Inputs {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Output returns the output value of that name, or nil.
func (g *Graph) Output(name string) *Value {
	for _, o := range g.Outputs {
		if o.Name == name {
			return o.Value
		}
	}
	return nil
}

// Values yields every value of the graph once: inputs, states, then constants and results in the order of the nodes
// that first mention them, then constants that are only outputs or next states.
func (g *Graph) Values() iter.Seq[*Value] {
	return func(yield func(*Value) bool) {
		seen := make(map[*Value]bool)
		visit := func(v *Value) bool {
			if v == nil || seen[v] {
				return true
			}
			seen[v] = true
			return yield(v)
		}
		for _, v := range g.Inputs {
			if !visit(v) {
				return
			}
		}
		for _, s := range g.States {
			if !visit(s.Value) {
				return
			}
		}
		for _, n := range g.Nodes {
			for _, v := range n.In {
				if !visit(v) {
					return
				}
			}
			for _, v := range n.Out {
				if !visit(v) {
					return
				}
			}
		}
		for _, v := range g.Roots() {
			if !visit(v) {
				return
			}
		}
	}
}

// Constants yields every constant of the graph once, in the order of Values. Those of blocks are not among them: see [Graph.Graphs].
func (g *Graph) Constants() iter.Seq[*Value] {
	return func(yield func(*Value) bool) {
		for v := range g.Values() {
			if v.Const != nil && !yield(v) {
				return
			}
		}
	}
}

// ConstantBytes returns the size of all constants of the graph and its blocks.
func (g *Graph) ConstantBytes() (sum int64) {
	for b := range g.Graphs() {
		for v := range b.Constants() {
			sum = limits.Add(sum, v.Type.Bytes())
		}
	}
	return sum
}

// Roots returns the values that a run must compute: the outputs and the next contents of states.
func (g *Graph) Roots() []*Value {
	var out []*Value
	for _, o := range g.Outputs {
		out = append(out, o.Value)
	}
	for _, s := range g.States {
		if s.Next != nil {
			out = append(out, s.Next)
		}
	}
	return out
}

// Uses returns, for each value, the nodes that read it, each as often as it does.
func (g *Graph) Uses() map[*Value][]*Node {
	uses := make(map[*Value][]*Node)
	for _, n := range g.Nodes {
		for _, v := range n.In {
			if v != nil {
				uses[v] = append(uses[v], n)
			}
		}
	}
	return uses
}

// Graphs yields the graph and then the blocks of its nodes, each with those in it.
func (g *Graph) Graphs() iter.Seq[*Graph] {
	return func(yield func(*Graph) bool) { g.graphs(yield) }
}

func (g *Graph) graphs(yield func(*Graph) bool) bool {
	if !yield(g) {
		return false
	}
	for _, n := range g.Nodes {
		for _, b := range n.Blocks {
			if !b.graphs(yield) {
				return false
			}
		}
	}
	return true
}

// Size returns the number of nodes, those of blocks included.
func (g *Graph) Size() int {
	n := 0
	for b := range g.Graphs() {
		n += len(b.Nodes)
	}
	return n
}
