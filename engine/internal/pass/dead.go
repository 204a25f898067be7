package pass

import (
	"slices"

	"github.com/concord-nn/concord/graph"
)

// RemoveDead removes the nodes on which no output and no state depends. Inputs and states stay, used or not.
func RemoveDead(g *graph.Graph) (*graph.Graph, error) {
	live, needed := g.Reachable(), make(map[*graph.Node]bool)
	for _, n := range g.Nodes {
		needed[n] = slices.ContainsFunc(n.Out, func(v *graph.Value) bool { return live[v] })
	}
	if len(needed) > 0 && allNeeded(g, needed) {
		return g, nil
	}
	return rewrite(g, RemoveDead, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		if !needed[n] {
			return make([]*graph.Value, len(n.Out)), nil // nobody asks for them
		}
		return r.Keep(in)
	})
}

func allNeeded(g *graph.Graph, needed map[*graph.Node]bool) bool {
	for _, n := range g.Nodes {
		if !needed[n] {
			return false
		}
	}
	return true
}
