package pass

import (
	"fmt"
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// What Fold may spend. A node beyond these bounds stays and is computed by each run.
const (
	foldSmall      = limits.FoldNode       // bytes of results that may always come from one node
	foldGrowth     = limits.FoldGrowth     // larger results may have so many times the bytes of the operands: widened or dequantised weights
	foldTotal      = limits.FoldTotal      // all results together may have so many times the bytes of the graph's constants, and 1 MiB
	foldOperations = limits.FoldOperations // multiply-adds and other operations of all folded nodes together
)

// Fold evaluates the nodes whose operands are all constants. It leaves those whose results would take much more memory
// than their operands, such as the expansion of a constant to a large shape.
func Fold(g *graph.Graph) (*graph.Graph, error) {
	budget := folding{bytes: limits.FoldFree, operations: foldOperations}
	for v := range g.Constants() {
		budget.bytes = Add(budget.bytes, foldTotal*size(v))
	}
	return rewrite(g, Fold, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		d, ok := op.Lookup(n.Op)
		if !ok {
			return nil, fmt.Errorf("there is no operator %q", n.Op)
		}
		operands, ok := constants(in)
		if !ok {
			return r.Keep(in)
		}
		var results []*tensor.Tensor
		var err error
		switch {
		case op.Reshapes(n):
			var view *tensor.Tensor
			view, err = operands[0].Reshape(n.Out[0].Type.Shape...)
			results = []*tensor.Tensor{view}
		case budget.allows(n):
			results, err = op.Eval(d, operands, n.Attrs, n.Blocks...)
		default:
			return r.Keep(in)
		}
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", n.Op, n.Out[0].Name, err)
		}
		out := make([]*graph.Value, len(results))
		for i, t := range results {
			if out[i], err = r.Constant(n.Out[i].Name, "", t); err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

// constants returns the tensors of values that are all constants or absent, and false if one is neither.
func constants(in []*graph.Value) ([]*tensor.Tensor, bool) {
	out := make([]*tensor.Tensor, len(in))
	for i, v := range in {
		if v == nil {
			continue
		}
		if v.Const == nil {
			return nil, false
		}
		out[i] = v.Const
	}
	return out, true
}

// folding is what remains of the budget.
type folding struct{ bytes, operations int64 }

// allows reports whether n may be folded, and takes its share of the budget if so.
func (f *folding) allows(n *graph.Node) bool {
	cost, scratch, err := op.NodeCost(n)
	if err != nil {
		return false
	}
	memory, operations := Add(cost.Written, scratch), Add(cost.MACs, cost.Ops)
	if memory > max(foldSmall, foldGrowth*cost.Read) || memory > f.bytes || operations > f.operations {
		return false
	}
	f.bytes -= memory
	f.operations -= operations
	return true
}

func size(v *graph.Value) int64 { return v.Type.Bytes() }

// Add returns a + b for counts, and the greatest int64 if that is beyond its range.
func Add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
