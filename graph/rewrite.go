package graph

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
)

var errNoNode = errors.New("no node is being rewritten: it is the zero Rewriter, or it is used after Rewrite")

// Rewriter makes the new graph of a [Rewrite].
type Rewriter struct {
	*Builder
	node    *Node
	rewrite func(r *Rewriter, n *Node, in []*Value) ([]*Value, error)
	inlined []*Node
}

// Keep copies the node that is being rewritten, with the given operands, and returns the results of the copy. Their types are inferred
// anew only if those of the operands have changed.
func (r *Rewriter) Keep(in []*Value) ([]*Value, error) {
	if r == nil || r.node == nil {
		return nil, errNoNode
	}
	for i, v := range r.node.In {
		if v != nil && !v.Type.Equal(in[i].Type) {
			names := make([]string, len(r.node.Out))
			for i, v := range r.node.Out {
				names[i] = v.Name
			}
			return r.Add(Node{Op: r.node.Op, In: in, Attrs: r.node.Attrs, Blocks: r.node.Blocks, Label: r.node.Label}, names...)
		}
	}
	return r.keep(r.node, in), nil
}

// Inline puts the nodes of a block in place of the node that is being rewritten, each rewritten itself, and returns the values that stand
// for the outputs of the block. The values in take the place of its inputs.
func (r *Rewriter) Inline(block *Graph, in []*Value) ([]*Value, error) {
	if r == nil || r.node == nil {
		return nil, errNoNode
	}
	node, first := r.node, len(r.graph.Nodes)
	out, err := r.inline(block, in, func(n *Node, operands []*Value) ([]*Value, error) {
		r.node = n
		return r.rewrite(r, n, operands)
	})
	r.node = node
	r.inlined = append(r.inlined, r.graph.Nodes[first:]...)
	return out, err
}

// Origin leads from a graph to what [Rewrite] has made of it.
type Origin struct {
	Values map[*Value]*Value // the values that stand for those of the old graph, as far as there are any
	Nodes  map[*Node]*Node   // by node of the new graph, the one for which it was made
	// Inlined has the nodes of the new graph that stood in a block of the node for which they were made.
	Inlined map[*Node]bool
}

// newOrigin returns an empty origin with room for that of a graph of so many nodes.
func newOrigin(nodes int) *Origin {
	return &Origin{make(map[*Value]*Value, 2*nodes), make(map[*Node]*Node, nodes), make(map[*Node]bool)}
}

// Origin returns what leads to g from the graph that it was made of, nil if it was not made by [Rewrite]. It includes blocks.
func (g *Graph) Origin() *Origin { return g.origin }

// Then returns what leads to the graph that next leads to.
func (o *Origin) Then(next *Origin) *Origin {
	o, next = cmp.Or(o, new(Origin)), cmp.Or(next, new(Origin))
	joined := newOrigin(len(next.Nodes))
	for old, v := range o.Values {
		if to := next.Values[v]; to != nil {
			joined.Values[old] = to
		}
	}
	for n, from := range next.Nodes {
		if old := o.Nodes[from]; old != nil {
			joined.Nodes[n] = old
		}
		if next.Inlined[n] || o.Inlined[from] {
			joined.Inlined[n] = true
		}
	}
	return joined
}

// Rewrite makes a new graph from g. For each node in order it calls f with the node and its operands in the new graph; f
// returns the values that stand for the node's results there: those of r.Keep(in), or of other nodes that it adds, or
// values that exist already. Inputs keep their order, names and types. Constants and states are carried over when they are first
// used. Where a node has blocks, f gets it with what the function block, which may be nil, makes of each.
func Rewrite(g *Graph, rules Rules, block func(*Graph) (*Graph, error), f func(r *Rewriter, n *Node, in []*Value) ([]*Value, error)) (*Graph, error) {
	if err := g.Complete(); err != nil {
		return nil, err
	}
	r := &Rewriter{Builder: newBuilder(rules, g.Name, len(g.Nodes)), rewrite: f}
	origin := newOrigin(len(g.Nodes))
	for _, v := range g.Inputs {
		nv, err := r.Input(v.Name, v.Type)
		if err != nil {
			return nil, err
		}
		nv.Label = v.Label
		origin.Values[v] = nv
	}
	t := translation{r.Builder, g, origin.Values}
	outputs, err := t.apply(func(n *Node, in []*Value) ([]*Value, error) {
		var err error
		if r.node, err = rewriteBlocks(n, block, origin); err != nil {
			return nil, err
		}
		first := len(r.graph.Nodes)
		out, err := f(r, r.node, in)
		if err == nil && len(out) != len(n.Out) {
			err = fmt.Errorf("rewriting %s yields %d values for %d results", n.Op, len(out), len(n.Out))
		}
		for _, made := range r.graph.Nodes[first:] {
			origin.Nodes[made] = n
		}
		return out, err
	})
	if err != nil {
		return nil, err
	}
	for _, n := range r.inlined {
		origin.Inlined[n] = true
	}
	for i, o := range g.Outputs {
		if err := r.Output(o.Name, outputs[i]); err != nil {
			return nil, err
		}
	}
	made, err := r.Build()
	if err == nil {
		made.origin = origin
	}
	return made, err
}

// rewriteBlocks returns n with its blocks rewritten.
func rewriteBlocks(n *Node, block func(*Graph) (*Graph, error), origin *Origin) (*Node, error) {
	if len(n.Blocks) == 0 || block == nil {
		return n, nil
	}
	with := *n
	with.Blocks = make([]*Graph, len(n.Blocks))
	for i, b := range n.Blocks {
		nb, err := block(b)
		if err != nil {
			return nil, fmt.Errorf("block %s: %w", b.Name, err)
		}
		if with.Blocks[i] = nb; nb != b {
			maps.Copy(origin.Values, nb.origin.Values)
			maps.Copy(origin.Nodes, nb.origin.Nodes)
			maps.Copy(origin.Inlined, nb.origin.Inlined)
		} else {
			origin.same(b)
		}
	}
	return &with, nil
}

// same notes that a graph stands for itself.
func (o *Origin) same(g *Graph) {
	for v := range g.Values() {
		o.Values[v] = v
	}
	for _, n := range g.Nodes {
		o.Nodes[n] = n
		for _, b := range n.Blocks {
			o.same(b)
		}
	}
}

// Identity returns what leads from g to itself.
func Identity(g *Graph) *Origin {
	if g.Complete() != nil {
		return newOrigin(0)
	}
	o := newOrigin(len(g.Nodes))
	o.same(g)
	return o
}
