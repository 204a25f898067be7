package pass

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
)

// What Fold may spend. A node beyond these bounds stays and is computed by each run.
const (
	foldSmall      = limits.FoldNode       // bytes of results that may always come from one node
	foldGrowth     = limits.FoldGrowth     // larger results may have so many times the bytes of the operands: widened or dequantised weights
	foldTotal      = limits.FoldTotal      // all results together may have so many times the bytes of the graph's constants, and 1 MiB
	foldOperations = limits.FoldOperations // multiply-adds and other operations of all folded nodes together
)

// Fold evaluates the nodes whose operands are all constants. It leaves those whose results would take much more memory
// than their operands, such as the expansion of a constant to a large shape, and those that fail: a run may never come to them.
func Fold(g *graph.Graph) (*graph.Graph, error) {
	folder := op.NewFolder(op.Budget{Bytes: limits.Add(limits.FoldFree, limits.Times(g.ConstantBytes(), foldTotal)), Operations: foldOperations, Result: foldSmall, Growth: foldGrowth})
	var fold func(g *graph.Graph) (*graph.Graph, error)
	fold = func(g *graph.Graph) (*graph.Graph, error) {
		return rewrite(g, fold, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
			out := make([]*graph.Value, len(n.Out))
			for i, v := range n.Out {
				t, err := folder.Constant(v)
				if err != nil || t == nil {
					return r.Keep(in)
				}
				if out[i], err = r.Constant(v.Name, "", t); err != nil {
					return nil, err
				}
			}
			return out, nil
		})
	}
	return fold(g)
}
