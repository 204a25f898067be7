package diff_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/diff"
	"github.com/concord-nn/concord/internal/evaluate"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// random gives the inputs of a graph.
func random(g *graph.Graph) func(int) ([]*tensor.Tensor, error) {
	return func(step int) ([]*tensor.Tensor, error) {
		rng := op.NewRand(uint64(step+1), 1)
		var in []*tensor.Tensor
		for _, v := range g.Inputs {
			shape := v.Type.Shape
			in = append(in, rng.Uniform(v.Type.DType, shape, -1, 1))
		}
		return in, nil
	}
}

func run(t *testing.T, a, b diff.Subject, opts diff.RunOptions) *diff.Divergence {
	t.Helper()
	if opts.Inputs == nil {
		opts.Inputs = random(a.Graph)
	}
	d, err := diff.Run(t.Context(), a, b, opts)
	return must(t, d, err)
}

// TestEngines holds all engines to the same bits for every value.
func TestEngines(t *testing.T) {
	g := chain{blocks: 5}.graph(t)
	for i := range evaluate.Engines {
		d := run(t, diff.Subject{Graph: g}, diff.Subject{Graph: g, Engine: &evaluate.Engines[i]}, diff.RunOptions{})
		if !d.Agrees() || d.First != nil || len(d.Rows) != len(g.Nodes) {
			t.Errorf("%s: %+v", evaluate.Engines[i].Name, d)
		}
	}
}

func TestFirstDivergence(t *testing.T) {
	a := chain{blocks: 6}.graph(t)
	b := chain{blocks: 6, attrs: func(i int) graph.Attrs {
		return graph.Attrs{{Name: "alpha", Value: []float64{1, 0.5}[i/3]}}
	}}.graph(t)
	d := run(t, diff.Subject{Graph: a}, diff.Subject{Graph: b}, diff.RunOptions{})
	if d.Agrees() || d.First == nil || d.First.Row.Value != "elu4" || len(d.Rows) != len(a.Nodes) {
		t.Fatalf("%+v", d.First)
	}
	if d.First.Attributes[0] != (diff.Change{"alpha", "1.0", "0.5"}) || d.First.Operands[0].State != "equal" {
		t.Errorf("%+v", d.First)
	}
	if d := run(t, diff.Subject{Graph: a}, diff.Subject{Graph: b}, diff.RunOptions{Tolerance: diff.Tolerance{Abs: 100}}); !d.Agrees() || d.First != nil {
		t.Errorf("the tolerance is not kept: %+v", d.First)
	}
}

// TestInsertedRuns compares what corresponds although an operator is inserted that changes nothing.
func TestInsertedRuns(t *testing.T) {
	a := chain{blocks: 6}.graph(t)
	b := chain{blocks: 6, before: func(s *script, i int, x *graph.Value) *graph.Value {
		if i == 3 {
			return s.op("neg", nil, s.op("neg", nil, x))
		}
		return x
	}}.graph(t)
	d := run(t, diff.Subject{Graph: a}, diff.Subject{Graph: b}, diff.RunOptions{})
	if !d.Agrees() || d.First != nil || d.Alone != [2]int{0, 2} || len(d.Rows) != len(a.Nodes) {
		t.Errorf("%+v", d)
	}
}

// TestStates runs several steps of a counter: the two part when the constants added up differ enough.
func TestStates(t *testing.T) {
	build := func(rate float32) *graph.Graph {
		s := newScript(t)
		x := s.input("x", 1)
		init, _ := tensor.FromSlice([]float32{0}, 1)
		sum, err := s.State("sum", "sum", init)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := tensor.FromSlice([]float32{rate}, 1)
		k, err := s.Constant("rate", "", c)
		if err != nil {
			t.Fatal(err)
		}
		next := s.op("add", nil, sum, s.op("add", nil, s.op("abs", nil, x), k))
		if err := s.Update(sum, next); err != nil {
			t.Fatal(err)
		}
		return s.build(next)
	}
	a, b := diff.Subject{Graph: build(1)}, diff.Subject{Graph: build(1.125)}
	for i := range evaluate.Engines {
		b.Engine = &evaluate.Engines[i]
		d := run(t, a, b, diff.RunOptions{Steps: 4, Tolerance: diff.Tolerance{Abs: 0.3}})
		if d.Agrees() || d.First.Row.Step != 3 || d.First.Row.Value != "add2" {
			t.Errorf("%s: %+v", evaluate.Engines[i].Name, d.First)
		}
	}
}

func TestRunRejects(t *testing.T) {
	a := chain{blocks: 1}.graph(t)
	s := newScript(t)
	b := s.build(s.op("relu", nil, s.input("x", 3)))
	if _, err := diff.Run(t.Context(), diff.Subject{Graph: a}, diff.Subject{Graph: b}, diff.RunOptions{Inputs: random(a)}); err == nil ||
		err.Error() != "input x is float32[2,8] in A and float32[3] in B; to run on the same inputs they must be alike" {
		t.Error(err)
	}
	s = newScript(t)
	c := s.build(s.op("add", nil, s.input("x", 2, 8), s.input("z", 2, 8)))
	if _, err := diff.Run(t.Context(), diff.Subject{Graph: a}, diff.Subject{Graph: c}, diff.RunOptions{Inputs: random(a)}); err == nil {
		t.Error("an input that A lacks is accepted")
	}
	if _, err := diff.Run(t.Context(), diff.Subject{Graph: a}, diff.Subject{Graph: a}, diff.RunOptions{}); err == nil {
		t.Error("a run without inputs is accepted")
	}
	for _, list := range [][]*tensor.Tensor{nil, {nil}, {tensor.Scalar[float32](1)}} {
		opts := diff.RunOptions{Inputs: func(int) ([]*tensor.Tensor, error) { return list, nil }}
		if _, err := diff.Run(t.Context(), diff.Subject{Graph: a}, diff.Subject{Graph: a}, opts); err == nil {
			t.Errorf("the inputs %v are accepted", list)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := diff.Run(ctx, diff.Subject{Graph: a}, diff.Subject{Graph: a}, diff.RunOptions{Inputs: random(a)}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gives %v", err)
	}
	for i := range evaluate.Engines { // before anything is made
		s := diff.Subject{Graph: a, Engine: &evaluate.Engines[i]}
		_, err := diff.Run(t.Context(), s, s, diff.RunOptions{Limits: engine.Limits{Memory: 2*2*64 - 1}, Inputs: func(int) ([]*tensor.Tensor, error) {
			t.Error("inputs are asked for that are more than may be held")
			return nil, nil
		}})
		if limit := (*engine.LimitError)(nil); !errors.As(err, &limit) || limit.What != "memory" {
			t.Errorf("%s: %v", evaluate.Engines[i].Name, err)
		}
	}
}

func TestMeasure(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	one, next := float32(1), math.Nextafter32(1, 2)
	for _, tt := range []struct {
		a, b           []float32
		tol            diff.Tolerance
		differ, beyond int
		ulp            uint64
		worst          []int
	}{
		{[]float32{1, 2}, []float32{1, 2}, diff.Tolerance{}, 0, 0, 0, nil},
		{[]float32{0, one}, []float32{0, next}, diff.Tolerance{}, 1, 1, 1, []int{1}},
		{[]float32{0, one}, []float32{0, next}, diff.Tolerance{Rel: 1e-6}, 1, 0, 1, []int{1}},
		{[]float32{0}, []float32{float32(math.Copysign(0, -1))}, diff.Tolerance{}, 1, 1, 0, []int{0}},
		{[]float32{nan, 5}, []float32{nan, 7}, diff.Tolerance{Abs: 2}, 1, 0, 0x200000 + 0x200000, []int{1}},
		{[]float32{9, nan}, []float32{1, 1}, diff.Tolerance{Abs: 10}, 2, 1, 0x41100000 - 0x3F800000, []int{1}},
		{[]float32{inf}, []float32{1}, diff.Tolerance{Rel: 1}, 1, 1, 0x7F800000 - 0x3F800000, []int{0}},
	} {
		a, err := tensor.FromSlice(tt.a, len(tt.a))
		if err != nil {
			t.Fatal(err)
		}
		b, err := tensor.FromSlice(tt.b, len(tt.b))
		if err != nil {
			t.Fatal(err)
		}
		d, err := diff.Measure(a, b, tt.tol)
		if err != nil {
			t.Fatal(err)
		}
		var at []int
		if d.Worst != nil {
			at = d.Worst.At
		}
		if d.Differ != tt.differ || d.Beyond != tt.beyond || !slices.Equal(at, tt.worst) {
			t.Errorf("%v and %v: %+v, worst %v", tt.a, tt.b, d, at)
		}
		if d.MaxULP != tt.ulp {
			t.Errorf("%v and %v: %d ULP; want %d", tt.a, tt.b, d.MaxULP, tt.ulp)
		}
	}
}

// TestMeasureTypes measures every element type against a changed copy.
func TestMeasureTypes(t *testing.T) {
	for _, dt := range tensor.DTypes() {
		a := op.NewRand(1, 1).Uniform(dt, tensor.Shape{3, 5}, 0, 2)
		if d, err := diff.Measure(a, a.Clone(), diff.Tolerance{}); err != nil || d.Differ != 0 {
			t.Errorf("%v: %+v, %v", dt, d, err)
		}
		bytes := slices.Clone(tensor.Raw(a))
		at := 7 * dt.Bits()
		bytes[at/8] ^= 1 << (at % 8)
		b, err := tensor.FromRaw(dt, a.Shape(), bytes)
		if err != nil {
			t.Fatal(err)
		}
		d, err := diff.Measure(a, b, diff.Tolerance{})
		if err != nil || d.Differ != 1 || d.Beyond != 1 || d.MaxULP != 1 || !slices.Equal(d.Worst.At, []int{1, 2}) || d.Worst.A == d.Worst.B {
			t.Errorf("%v: %+v, %+v, %v", dt, d, d.Worst, err)
		}
	}
	a := op.NewRand(1, 1).Uniform(tensor.Float32, tensor.Shape{2}, 0, 1)
	b := op.NewRand(1, 1).Uniform(tensor.Float32, tensor.Shape{3}, 0, 1)
	if _, err := diff.Measure(a, b, diff.Tolerance{}); err == nil {
		t.Error("tensors of different shapes are measured")
	}
}
