package pass

import (
	"fmt"
	"strings"

	"github.com/concord-nn/concord/graph"
)

// Share computes what several nodes with the same operator, operands and attributes yield only once.
func Share(g *graph.Graph) (*graph.Graph, error) {
	done := make(map[string][]*graph.Value)
	return rewrite(g, Share, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		if len(n.Blocks) > 0 {
			return r.Keep(in) // to tell whether blocks are equal would take more than sharing them saves
		}
		key := application(n, in)
		if out, ok := done[key]; ok {
			return out, nil
		}
		out, err := r.Keep(in)
		done[key] = out
		return out, err
	})
}

// application writes down operator, attributes and operands, so that equal texts mean equal results. Operands are
// identified by their names, which are unique in the new graph.
func application(n *graph.Node, in []*graph.Value) string {
	var b strings.Builder
	b.WriteString(n.Op)
	for _, v := range in {
		b.WriteByte(' ')
		if v != nil {
			b.WriteString(v.Name)
		}
	}
	for _, a := range n.Attrs {
		fmt.Fprintf(&b, " %s=%#v", a.Name, a.Value)
	}
	return b.String()
}
