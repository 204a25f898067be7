package graph

import "slices"

// Reachable returns the values on which outputs and the next contents of states depend, these included.
func (g *Graph) Reachable() map[*Value]bool {
	live := make(map[*Value]bool, 2*len(g.Nodes))
	for _, o := range g.Outputs {
		live[o.Value] = true
	}
	for _, s := range g.States {
		if s.Next != nil {
			live[s.Next] = true
		}
	}
	for _, n := range slices.Backward(g.Nodes) {
		if !slices.ContainsFunc(n.Out, func(v *Value) bool { return live[v] }) {
			continue
		}
		for _, v := range n.In {
			if v != nil {
				live[v] = true
			}
		}
	}
	return live
}
