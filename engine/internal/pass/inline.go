package pass

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
)

// inlineBudget bounds what is evaluated to know conditions and numbers of turns, and what stands for parts that no turn yields.
var inlineBudget = op.Budget{Bytes: limits.FoldFree, Operations: limits.InlineOperations, Result: foldSmall}

// Inline puts the nodes of a block in place of a node that is known to evaluate it exactly once, and what it begins with in place of one that
// evaluates none: see [op.Def.Inline].
func Inline(g *graph.Graph) (*graph.Graph, error) {
	l := op.NewInliner(inlineBudget)
	var run func(g *graph.Graph) (*graph.Graph, error)
	run = func(g *graph.Graph) (*graph.Graph, error) {
		if !slices.ContainsFunc(g.Nodes, func(n *graph.Node) bool { return len(n.Blocks) > 0 }) { // Without this the graph would be made anew.
			return g, nil
		}
		return rewrite(g, run, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
			if out, err := l.Inline(r, n, in); out != nil || err != nil {
				return out, err
			}
			return r.Keep(in)
		})
	}
	return run(g)
}
