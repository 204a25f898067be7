package pass

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
)

// Canonicalise replaces nodes by what their operators say is simpler, see [op.Def.Simplify]: it removes those that return an operand unchanged and those
// that put the slices of one together again, joins chains of reshapes and of transposes into one, turns transposes that move no element into reshapes,
// which cost nothing, and makes silu of x · sigmoid(x). It keeps every bit. Nodes that it passes over are left for [RemoveDead].
func Canonicalise(g *graph.Graph) (*graph.Graph, error) {
	return rewrite(g, Canonicalise, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		// The operands are values of the new graph, the results, of which only the types are of interest, those of the old one.
		a := &graph.Node{Op: n.Op, In: in, Out: n.Out, Attrs: n.Attrs, Blocks: n.Blocks, Label: n.Label}
		same, simpler := op.Simplify(a)
		if same == nil && simpler == nil { // Without this the node would be made anew.
			return r.Keep(in)
		}
		for same == nil && simpler != nil {
			a = simpler
			same, simpler = op.Simplify(a)
		}
		if same != nil {
			return []*graph.Value{same}, nil
		}
		names := make([]string, len(n.Out))
		for i, v := range n.Out {
			names[i] = v.Name
		}
		return r.Add(*a, names...)
	})
}
