package cvm

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestCost holds the cost of a node against the weights of its operator.
func TestCost(t *testing.T) {
	for operator, w := range costWeights {
		if w.perOp < 0 || w.perElement < 0 || w.perNode < 0 || w == (weight{}) {
			t.Errorf("%q has the weight %+v", operator, w)
		}
	}
	w, ok := costWeights["conv"]
	if !ok {
		w = costWeights[""]
	}
	out := []*graph.Value{{Type: graph.Type{DType: tensor.Int32, Shape: tensor.Shape{2, 5}}}}
	for _, test := range []struct {
		cost op.Cost
		want int64
	}{
		{op.Cost{}, 0}, // a view
		{op.Cost{Work: op.Work{MACs: 90, Ops: 10}, Written: 40}, 100*w.perOp + 10*w.perElement + w.perNode},
		{op.Cost{Work: op.Work{MACs: math.MaxInt64, Ops: math.MaxInt64}, Written: 40}, math.MaxInt64},
	} {
		if got := costOf(engine.NodeCost{Node: &graph.Node{Op: "conv", Out: out}, Cost: test.cost}); got != test.want {
			t.Errorf("%+v costs %d, want %d", test.cost, got, test.want)
		}
	}
}

// TestCostFollowsWork doubles a convolution's channels and expects more cost, on its node.
func TestCostFollowsWork(t *testing.T) {
	cost := func(channels string, n int) int64 {
		s := newSketch()
		data, w := s.variable("data", 8, 1, 8, 32, 32), s.variable("w", 8, n, 8, 3, 3)
		conv := s.apply("conv2d", `{"channels":"`+channels+`","kernel_size":"(3,3)","use_bias":"0"}`, tensor.Shape{1, n, 30, 30}, data, w)
		a, err := Admit(Files{Symbol: s.head(conv).text(t)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkSums(t, a)
		return a.Nodes[conv].Cost
	}
	if a, b := cost("16", 16), cost("32", 32); a <= 0 || b <= a {
		t.Errorf("16 channels cost %d, 32 cost %d", a, b)
	}
}
