package cvm

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/graph"
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
	value := func(shape ...int) *graph.Value {
		return &graph.Value{Type: graph.Type{DType: tensor.Int32, Shape: shape}}
	}
	attrs := graph.Attrs{{Name: "groups", Value: 1}, {Name: "dtype", Value: tensor.Int32}}
	for _, test := range []struct {
		in, filter, out *graph.Value
		want            int64
	}{
		{value(1, 3, 4, 5), value(2, 3, 1, 1), value(1, 2, 4, 5), 3*2*20*w.perOp + 40*w.perElement + w.perNode},
		{value(1, 3, 4, 5), value(2, math.MaxInt/4, math.MaxInt/8, 1), value(1, 2, 4, 5), math.MaxInt64},
	} {
		n := &graph.Node{Op: "conv", In: []*graph.Value{test.in, test.filter}, Out: []*graph.Value{test.out}, Attrs: attrs}
		if got := costOf(n); got != test.want {
			t.Errorf("%v, %v: the cost is %d, want %d", test.in.Type, test.filter.Type, got, test.want)
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
