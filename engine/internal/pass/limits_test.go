package pass

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestFoldLimits folds nodes that take all that they may, and leaves those that take one more.
func TestFoldLimits(t *testing.T) {
	const quarter = limits.FoldFree / 4
	bytes := func(n net, k int) *graph.Value { return n.constant(tensor.Uint8, make([]float32, k), k) }
	for name, c := range map[string]struct {
		most  int
		build func(n net, k int)
	}{
		"one node": {limits.FoldNode, func(n net, k int) {
			n.output("y", n.op("expand", ints("shape", k), bytes(n, 1)))
		}},
		"growth": {limits.FoldGrowth, func(n net, k int) {
			n.output("y", n.op("tile", ints("repeats", k), bytes(n, 2*limits.FoldNode)))
		}},
		// Three nodes take what is free and eight times a constant; another constant of a byte leaves eight bytes.
		"all nodes": {limits.FoldTotal, func(n net, k int) {
			c := bytes(n, quarter)
			for _, name := range []string{"a", "b", "c"} {
				n.output(name, n.op("tile", ints("repeats", 4), c))
			}
			n.output("y", n.op("expand", ints("shape", k), bytes(n, 1)))
		}},
	} {
		for _, k := range []int{c.most, c.most + 1} {
			n := net{t, graph.NewBuilder(op.Rules, "fold")}
			c.build(n, k)
			g, err := n.Build()
			if err != nil {
				t.Fatal(err)
			}
			if g, err = Fold(g); err != nil || len(g.Nodes) != k-c.most {
				t.Errorf("%s: with %d %d nodes are left, %v", name, k, len(g.Nodes), err)
			}
		}
	}
	// The products of large matrices. What is allowed is not computed here: that takes seconds.
	product := func(rows int) *graph.Graph {
		n := net{t, graph.NewBuilder(op.Rules, "fold")}
		const k = 1 << 10
		n.output("y", n.op("matmul", nil, n.constant(tensor.Float32, make([]float32, rows*k), rows, k), n.constant(tensor.Float32, make([]float32, k*k), k, k)))
		g, err := n.Build()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	at, beyond := product(limits.FoldOperations>>20), product(limits.FoldOperations>>20+1)
	budget := folding{bytes: 1 << 40, operations: limits.FoldOperations}
	if !budget.allows(at.Nodes[0]) || budget.operations != 0 || budget.allows(at.Nodes[0]) {
		t.Errorf("%d operations are left", budget.operations)
	}
	if g, err := Fold(beyond); err != nil || len(g.Nodes) != 1 {
		t.Errorf("too large a product is folded, %v", err)
	}
}
