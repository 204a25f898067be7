package diff_test

import (
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/diff"
	"github.com/concord-nn/concord/tensor"
)

// choice is a graph that applies one of two operators, with weights drawn from a seed, and in whose blocks values are called by a prefix.
func choice(t *testing.T, prefix, yes string, seed uint64) *graph.Graph {
	block := func(operator string) *graph.Graph {
		s := newScript(t)
		x := s.input(prefix+"x", 4)
		v, err := s.One("add", []*graph.Value{x, s.weights(prefix+"w", seed, 4)}, nil, "", prefix+"sum")
		return s.build(s.op(operator, nil, must(t, v, err)))
	}
	s := newScript(t)
	c, err := s.Input("c", graph.Type{DType: tensor.Bool, Shape: tensor.Shape{}})
	must(t, c, err)
	out, err := s.Add(graph.Node{Op: "if", In: []*graph.Value{c, s.input("x", 4)}, Blocks: []*graph.Graph{block(yes), block("neg")}})
	return s.build(must(t, out, err)...)
}

// TestBlocks compares what blocks do, whatever their values are called.
func TestBlocks(t *testing.T) {
	a := diff.FromGraph(choice(t, "a", "exp", 1), nil)
	if r := diff.Compare(a, diff.FromGraph(choice(t, "b", "exp", 1), nil)); !r.Equal() {
		t.Errorf("other names: %+v", r)
	}
	for name, g := range map[string]*graph.Graph{"another operator": choice(t, "a", "sin", 1), "other weights": choice(t, "a", "exp", 2)} {
		if r := diff.Compare(a, diff.FromGraph(g, nil)); r.Equal() {
			t.Errorf("%s in a block makes no difference", name)
		}
	}
	nested := func(yes string) *diff.Network {
		s := newScript(t)
		c, err := s.Input("c", graph.Type{DType: tensor.Bool, Shape: tensor.Shape{}})
		must(t, c, err)
		out, err := s.Add(graph.Node{Op: "if", In: []*graph.Value{c, c, s.input("x", 4)}, Blocks: []*graph.Graph{choice(t, "a", yes, 1), choice(t, "a", "neg", 1)}})
		return diff.FromGraph(s.build(must(t, out, err)...), nil)
	}
	r := diff.Compare(nested("exp"), nested("sin"))
	if len(r.Differences) != 1 || len(r.Differences[0].Changes) != 1 {
		t.Fatalf("a block of a block is changed: %+v", r)
	}
	if c := r.Differences[0].Changes[0]; !strings.HasPrefix(c.A, "a graph of 5 operators, ") || !strings.HasPrefix(c.B, "a graph of 5 operators, ") || c.A == c.B {
		t.Errorf("a block of a block is changed: %+v", c)
	}
}
