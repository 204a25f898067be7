package pass

import "github.com/concord-nn/concord/graph"

// RemoveDead removes the nodes on which no output and no state depends. Inputs and states stay, used or not.
func RemoveDead(g *graph.Graph) (*graph.Graph, error) {
	live := make(map[*graph.Value]bool)
	for _, o := range g.Outputs {
		live[o.Value] = true
	}
	for _, s := range g.States {
		if s.Next != nil {
			live[s.Next] = true
		}
	}
	needed := make(map[*graph.Node]bool)
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		n := g.Nodes[i]
		for _, v := range n.Out {
			needed[n] = needed[n] || live[v]
		}
		if needed[n] {
			for _, v := range n.In {
				live[v] = true
			}
		}
	}
	if len(needed) > 0 && allNeeded(g, needed) {
		return g, nil
	}
	return rewrite(g, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
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
