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
	// Loops that take no turn cost what they may cost: one operation in each, and what decides about one of them as much.
	idle := func(most int) *graph.Graph {
		n := net{t, graph.NewBuilder(op.Rules, "fold")}
		body := n.block("body", []graph.Type{{DType: tensor.Int64}}, func(b net, _ []*graph.Value) []*graph.Value {
			return []*graph.Value{b.constant(tensor.Bool, []float32{1})}
		})
		trips := n.owner("loop", graph.AttrsOf("carried", 0, "most", most), []*graph.Graph{body}, n.constant(tensor.Int64, []float32{0}))[0]
		n.output("y", n.owner("loop", graph.AttrsOf("carried", 0, "most", 1), []*graph.Graph{body}, trips, n.op("eq", nil, trips, n.input("x", tensor.Int64)))[0])
		g, err := n.Build()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	for most, nodes := range map[int]int{limits.FoldOperations: 2, limits.FoldOperations + 1: 3} {
		if g, err := Fold(idle(most)); err != nil || len(g.Nodes) != nodes {
			t.Errorf("with %d operations %d nodes are left, %v", most, len(g.Nodes), err)
		}
	}
	for most, known := range map[int]bool{limits.InlineOperations: true, limits.InlineOperations + 1: false} {
		g := idle(most)
		if got, err := op.NewFolder(inlineBudget).Constant(g.Nodes[0].Out[0]); (got != nil) != known || (err == nil) != known {
			t.Errorf("with %d operations the number of turns is %v, %v", most, got, err)
		}
	}
}
