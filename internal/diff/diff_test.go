package diff_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/diff"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// script builds graphs for tests.
type script struct {
	t testing.TB
	*graph.Builder
}

func newScript(t testing.TB) *script {
	return &script{t, graph.NewBuilder(op.Rules, "net")}
}

func must[T any](t testing.TB, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (s *script) input(name string, shape ...int) *graph.Value {
	s.t.Helper()
	v, err := s.Input(name, graph.Type{DType: tensor.Float32, Shape: shape})
	return must(s.t, v, err)
}

func (s *script) weights(name string, seed uint64, shape ...int) *graph.Value {
	s.t.Helper()
	v, err := s.Constant(name, name, op.NewRand(seed, 1).Uniform(tensor.Float32, shape, -1, 1))
	return must(s.t, v, err)
}

func (s *script) op(name string, attrs graph.Attrs, in ...*graph.Value) *graph.Value {
	s.t.Helper()
	v, err := s.One(name, in, attrs, "")
	return must(s.t, v, err)
}

func (s *script) build(outputs ...*graph.Value) *graph.Graph {
	s.t.Helper()
	for i, v := range outputs {
		if err := s.Output(fmt.Sprintf("y%d", i), v); err != nil {
			s.t.Fatal(err)
		}
	}
	g, err := s.Build()
	return must(s.t, g, err)
}

// chain builds a residual network of n blocks. change may alter it: it is called before each block.
type chain struct {
	blocks  int
	same    bool                                                // whether all blocks have equal weights
	before  func(s *script, i int, x *graph.Value) *graph.Value // may insert something
	attrs   func(i int) graph.Attrs                             // of the block's elu
	weights func(i int) (seed uint64)                           //
	instead func(s *script, i int, x *graph.Value) *graph.Value // the block's activation
	skip    func(i int) bool                                    // leaves the block out
	names   string                                              // a prefix of the names
}

func (c chain) graph(t testing.TB) *graph.Graph {
	s := newScript(t)
	x := s.input("x", 2, 8)
	for i := range c.blocks {
		if c.skip != nil && c.skip(i) {
			continue
		}
		if c.before != nil {
			x = c.before(s, i, x)
		}
		seed := uint64(i + 1)
		if c.same {
			seed = 1
		}
		if c.weights != nil {
			seed = c.weights(i)
		}
		h := s.op("matmul", nil, x, s.weights(fmt.Sprintf("%sw%d", c.names, i), seed, 8, 8))
		alpha := graph.Attrs{{Name: "alpha", Value: 1.0}}
		if c.attrs != nil {
			alpha = c.attrs(i)
		}
		if c.instead != nil {
			h = c.instead(s, i, h)
		} else {
			h = s.op("elu", alpha, h)
		}
		x = s.op("add", nil, x, h)
	}
	return s.build(s.op("softmax", nil, x))
}

func compare(a, b *graph.Graph) *diff.Report {
	return diff.Compare(diff.FromGraph(a, nil), diff.FromGraph(b, nil))
}

func kinds(r *diff.Report) string {
	var out []string
	for _, d := range r.Differences {
		if !d.Follows {
			out = append(out, string(d.Kind))
		}
	}
	return strings.Join(out, " ")
}

func TestCompare(t *testing.T) {
	alpha := func(changed ...int) func(i int) graph.Attrs {
		return func(i int) graph.Attrs {
			a := 1.0
			for _, c := range changed {
				if c == i {
					a = 0.5
				}
			}
			return graph.Attrs{{Name: "alpha", Value: a}}
		}
	}
	insert := func(name string, at ...int) func(s *script, i int, x *graph.Value) *graph.Value {
		return func(s *script, i int, x *graph.Value) *graph.Value {
			for _, k := range at {
				if k == i {
					x = s.op(name, nil, x)
				}
			}
			return x
		}
	}
	base := chain{blocks: 12}
	for _, tt := range []struct {
		name string
		a, b chain
		want string
	}{
		{"equal", base, base, ""},
		{"other names", base, chain{blocks: 12, names: "other"}, ""},
		{"one attribute", base, chain{blocks: 12, attrs: alpha(5)}, "changed"},
		{"two attributes", base, chain{blocks: 12, attrs: alpha(2, 9)}, "changed changed"},
		{"first and last attribute", base, chain{blocks: 12, attrs: alpha(0, 11)}, "changed changed"},
		{"one inserted", base, chain{blocks: 12, before: insert("relu", 6)}, "added"},
		{"one removed", chain{blocks: 12, before: insert("relu", 6)}, base, "removed"},
		{"inserted first", base, chain{blocks: 12, before: insert("relu", 0)}, "added"},
		{"inserted between changes", base, chain{blocks: 12, attrs: alpha(2, 9), before: insert("tanh", 4, 6)},
			"changed added added changed"},
		{"copies do not count", base, chain{blocks: 12, before: insert("copy", 0, 3, 11)}, ""},
		{"other weights", base, chain{blocks: 12, weights: func(i int) uint64 { return uint64(i/6*100 + i + 1) }},
			"constant constant constant constant constant constant"},
		{"a block less", base, chain{blocks: 12, skip: func(i int) bool { return i == 5 }}, "removed removed removed"},
		{"a block less of equal ones", chain{blocks: 12, same: true}, chain{blocks: 11, same: true}, "removed removed removed"},
		{"replaced", base, chain{blocks: 12, instead: func(s *script, i int, x *graph.Value) *graph.Value {
			if i == 7 {
				return s.op("relu", nil, x)
			}
			return s.op("elu", graph.Attrs{{Name: "alpha", Value: 1.0}}, x)
		}}, "replaced"},
	} {
		a, b := tt.a.graph(t), tt.b.graph(t)
		r := compare(a, b)
		if got := kinds(r); got != tt.want {
			var text strings.Builder
			r.Write(&text, 0)
			t.Errorf("%s: the differences are %q; want %q\n%s", tt.name, got, tt.want, text.String())
		}
		if back := compare(b, a); back.Count() != r.Count() {
			t.Errorf("%s: %d differences, but %d the other way round", tt.name, r.Count(), back.Count())
		}
	}
}

// TestOrder compares graphs whose independent operators stand in another order.
func TestOrder(t *testing.T) {
	build := func(order []int) *graph.Graph {
		s := newScript(t)
		x := s.input("x", 4)
		branch := make([]*graph.Value, 4)
		for _, i := range order {
			h := s.op([]string{"relu", "tanh", "sigmoid", "exp"}[i], nil, x)
			branch[i] = s.op("abs", nil, s.op("abs", nil, h))
		}
		return s.build(s.op("add", nil, s.op("sub", nil, branch[0], branch[1]), s.op("sub", nil, branch[2], branch[3])))
	}
	if r := compare(build([]int{0, 1, 2, 3}), build([]int{3, 1, 0, 2})); !r.Equal() {
		t.Errorf("the order of independent operators is a difference: %v", r.Differences)
	}
}

// TestEquivalent has operators that are alike on each side, one more in B, and used by different readers.
func TestEquivalent(t *testing.T) {
	build := func(shared bool) *graph.Graph {
		s := newScript(t)
		x := s.input("x", 4)
		h := s.op("relu", nil, x)
		k := h
		if !shared {
			k = s.op("relu", nil, x)
		}
		return s.build(s.op("tanh", nil, h), s.op("exp", nil, k))
	}
	if r := compare(build(true), build(false)); kinds(r) != "added" {
		t.Errorf("the differences are %v", r.Differences)
	}
	if r := compare(build(false), build(false)); !r.Equal() {
		t.Errorf("the differences are %v", r.Differences)
	}
}

func TestPorts(t *testing.T) {
	build := func(name string, shape []int, outputs int) *graph.Graph {
		s := newScript(t)
		x := s.input(name, shape...)
		y := []*graph.Value{s.op("relu", nil, x), s.op("tanh", nil, x)}
		return s.build(y[:outputs]...)
	}
	for _, tt := range []struct {
		name string
		b    *graph.Graph
		want string
	}{
		{"renamed", build("z", []int{2}, 2), "~ input  x\n    name: x → z"},
		{"other shape", build("x", []int{3}, 2), "~ input  x\n    type: float32[2] → float32[3]"},
		{"output gone", build("x", []int{2}, 1), "- output only in A:  y1: float32[2]"},
	} {
		r := compare(build("x", []int{2}, 2), tt.b)
		if r.Count() != 1 && tt.name != "output gone" || len(r.Differences) == 0 {
			t.Errorf("%s: %d differences: %v", tt.name, r.Count(), r.Differences)
			continue
		}
		found := false
		for _, d := range r.Differences {
			found = found || d.String() == tt.want
		}
		if !found {
			t.Errorf("%s: %v", tt.name, r.Differences)
		}
	}
}

// TestAttributes changes each attribute of a random operator of a large graph: each change is exactly one difference.
func TestAttributes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	base := chain{blocks: 40, same: true}.graph(t)
	for range 20 {
		target := base.Nodes[rng.IntN(len(base.Nodes))]
		if target.Op != "elu" {
			continue
		}
		changed, err := graph.Rewrite(base, op.Rules, nil, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
			if n != target {
				return r.Keep(in)
			}
			return r.Node(n.Op, in, n.Attrs.With("alpha", 0.25), "")
		})
		if err != nil {
			t.Fatal(err)
		}
		r := compare(base, changed)
		if r.Count() != 1 || r.Differences[0].Kind != diff.Changed || len(r.Differences[0].Changes) != 1 ||
			r.Differences[0].A.Name != target.Out[0].Name {
			t.Errorf("%s: %v", target.Out[0].Name, r.Differences)
		}
	}
}

// TestLarge compares graphs of many operators with changes in many places.
func TestLarge(t *testing.T) {
	a := chain{blocks: 1000, same: true}.graph(t)
	b := chain{blocks: 1000, same: true, before: func(s *script, i int, x *graph.Value) *graph.Value {
		if i%100 == 50 {
			x = s.op("tanh", nil, x)
		}
		return x
	}}.graph(t)
	if r := compare(a, b); r.Count() != 10 {
		t.Errorf("%d differences; want 10", r.Count())
	}
}

// TestRandom changes random graphs in one place each: that is one difference, both ways.
func TestRandom(t *testing.T) {
	unary := []string{"relu", "tanh", "abs", "neg", "sigmoid", "exp"}
	for seed := range uint64(testdata.Cases(60, 300)) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := newScript(t)
		values := []*graph.Value{s.input("x", 2, 2), s.input("z", 2, 2)}
		for range 5 + rng.IntN(60) {
			recent := values[max(0, len(values)-6):]
			x, y := recent[rng.IntN(len(recent))], values[rng.IntN(len(values))]
			switch rng.IntN(3) {
			case 0:
				values = append(values, s.op(unary[rng.IntN(len(unary))], nil, x))
			case 1:
				values = append(values, s.op([]string{"add", "mul", "sub"}[rng.IntN(3)], nil, x, y))
			case 2:
				values = append(values, s.op("elu", graph.Attrs{{Name: "alpha", Value: float64(rng.IntN(3))}}, x))
			}
		}
		a := s.build(values[len(values)-1], values[len(values)-2])
		target, change := a.Nodes[rng.IntN(len(a.Nodes))], rng.IntN(3)
		if change == 2 && target.Op != "elu" {
			change = 0
		}
		b, err := graph.Rewrite(a, op.Rules, nil, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
			switch {
			case n != target:
				return r.Keep(in)
			case change == 0: // every reader reads the inserted operator
				out, err := r.Keep(in)
				if err != nil {
					return nil, err
				}
				return r.Node("ceil", out, nil, "")
			case change == 1: // one operand only
				out, err := r.Node("floor", in[:1], nil, "")
				if err != nil {
					return nil, err
				}
				return r.Keep(append(out, in[1:]...))
			}
			return r.Node(n.Op, in, n.Attrs.With("alpha", 7.0), "")
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range []*diff.Report{compare(a, b), compare(b, a)} {
			if want := []string{"added", "added", "changed", "removed", "removed", "changed"}[3*i+change]; kinds(r) != want {
				var text strings.Builder
				r.Write(&text, 0)
				t.Errorf("seed %d: the differences are %q; want %q\n%s", seed, kinds(r), want, text.String())
			}
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	x := chain{blocks: 3333}.graph(b)
	y := chain{blocks: 3333, before: func(s *script, i int, x *graph.Value) *graph.Value {
		if i%100 == 50 {
			x = s.op("tanh", nil, x)
		}
		return x
	}}.graph(b)
	p, q := diff.FromGraph(x, nil), diff.FromGraph(y, nil)
	var r *diff.Report
	for b.Loop() {
		if r = diff.Compare(p, q); r.Count() != 34 && r.Count() != 33 {
			b.Fatal(r.Count())
		}
	}
	b.ReportMetric(float64(r.Operators[0]+r.Operators[1]), "operators")
}
