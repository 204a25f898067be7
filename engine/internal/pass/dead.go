package pass

import (
	"slices"

	"github.com/concord-nn/concord/graph"
)

// RemoveDead removes the nodes on which no output and no state depends, in blocks, too. Inputs and states stay, used or not.
func RemoveDead(g *graph.Graph) (*graph.Graph, error) {
	if !hasDead(g) { // Without this the graph would be made anew.
		return g, nil
	}
	live := g.Reachable()
	return rewrite(g, RemoveDead, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		if dead(n, live) {
			return make([]*graph.Value, len(n.Out)), nil // nobody asks for them
		}
		return r.Keep(in)
	})
}

// dead reports whether none of a node's results is in use.
func dead(n *graph.Node, live map[*graph.Value]bool) bool {
	return !slices.ContainsFunc(n.Out, func(v *graph.Value) bool { return live[v] })
}

// hasDead reports whether a graph or one of its blocks has dead nodes.
func hasDead(g *graph.Graph) bool {
	live := g.Reachable()
	return slices.ContainsFunc(g.Nodes, func(n *graph.Node) bool { return dead(n, live) || slices.ContainsFunc(n.Blocks, hasDead) })
}
