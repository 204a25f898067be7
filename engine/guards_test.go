package engine

import (
	"errors"
	"math"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestScratchMemory counts what workers need beside the arena against the memory limit.
func TestScratchMemory(t *testing.T) {
	n := newNet(t)
	n.output("y", n.op("det", nil, n.input("x", tensor.Float32, 6, 32, 32)))
	g, err := n.Build()
	ok(t, g, err)
	p, err := Compile(g, Options{Threads: 3})
	ok(t, p, err)
	defer p.Close()
	plan := p.Plan()
	if plan.Scratch < 32*32*4 || plan.Workers != 3 {
		t.Fatalf("the scratch memory of %d workers is %d bytes each", plan.Workers, plan.Scratch)
	}
	workers := plan.Scratch * int64(plan.Workers)
	for memory, enough := range map[int64]bool{plan.Session(): true, plan.Session() - 1: false, workers: false, workers - 1: false, 1: false} {
		var e *LimitError
		q, err := Compile(g, Options{Threads: 3, Limits: Limits{Memory: memory}})
		if enough != (err == nil) || err != nil && (!errors.As(err, &e) || e.What != "memory" || e.Allowed != memory || e.Need <= memory || memory < workers && e.Node == "") {
			t.Errorf("%d bytes of %d: %v", memory, plan.Session(), err)
		}
		if err == nil {
			q.Close()
		}
	}
	if got := clampMul(math.MaxInt64/2, 3); got != noLimit {
		t.Errorf("more than there is: %d", got)
	}
}

// TestNothing gives nil, and what was never made.
func TestNothing(t *testing.T) {
	if _, err := Compile(nil, Options{}); err == nil || err.Error() != "compile: the graph is nil" {
		t.Errorf("nil is compiled: %v", err)
	}
	n := newNet(t)
	n.output("y", n.op("neg", nil, n.input("x", tensor.Float32, 2)))
	g, err := n.Build()
	ok(t, g, err)
	p, err := Compile(g, Options{})
	ok(t, p, err)
	defer p.Close()
	s, err := p.NewSession()
	ok(t, s, err)
	if err := s.Run(nil); err == nil || err.Error() != "run: the context is nil" { //nolint:staticcheck // that is what is tested
		t.Errorf("without a context: %v", err)
	}
	x := s.Input(0)
	for _, s := range []*Session{new(Session)} {
		if err := s.SetInput(0, x); !errors.Is(err, errNoSession) {
			t.Errorf("an input of no session: %v", err)
		}
		if err := s.Run(t.Context()); !errors.Is(err, errNoSession) {
			t.Errorf("no session runs: %v", err)
		}
	}
	if _, err := new(Program).NewSession(); !errors.Is(err, errNoProgram) {
		t.Errorf("a session of no program: %v", err)
	}
	for want, n := range map[string]*graph.Node{"no node": nil, "node neg y [l]": {Op: "neg", Label: "l", Out: []*graph.Value{{Name: "y"}}}, "node neg": {Op: "neg"}} {
		if got := nameOf(n); got != want {
			t.Errorf("a node is named %q; want %q", got, want)
		}
	}
}

// TestNodesWithoutValues is told of each node, and of no values unless they are asked for.
func TestNodesWithoutValues(t *testing.T) {
	n := newNet(t)
	n.output("y", n.op("neg", nil, n.op("abs", nil, n.input("x", tensor.Int32, 2))))
	g, err := n.Build()
	ok(t, g, err)
	p, err := Compile(g, Options{NoOptimize: true}) // a unit for each node
	ok(t, p, err)
	defer p.Close()
	if d := p.Units()[1].DType(); d != tensor.Int32 {
		t.Errorf("the second unit computes %v", d)
	}
	s, err := p.NewSession()
	ok(t, s, err)
	for _, values := range []bool{false, true} {
		seen := 0
		for i := range 2 {
			s.frame.steps[i].parts[0].run = func(*op.Call, int, int) {
				if seen != i {
					t.Errorf("node %d is evaluated when %d nodes have been reported", i, seen)
				}
			}
		}
		s.Observe(&Observer{Values: values, Node: func(o *Observation) {
			if seen++; (o.Results != nil) != values || (o.Operands != nil) != values {
				t.Errorf("values %t: %v", values, o)
			}
		}})
		if err := s.Run(t.Context()); err != nil || seen != 2 {
			t.Errorf("values %t: %d nodes, %v", values, seen, err)
		}
	}
}

// TestOutputTwice returns an input and a constant under two names each, of which there is one copy.
func TestOutputTwice(t *testing.T) {
	n := newNet(t)
	x, c := n.input("x", tensor.Float32, 2), n.constant([]float32{1, 2}, 2)
	for _, name := range []string{"a", "b"} {
		n.output("x"+name, x)
		n.output("c"+name, c)
	}
	g, err := n.Build()
	ok(t, g, err)
	p, err := Compile(g, Options{})
	ok(t, p, err)
	defer p.Close()
	s, err := p.NewSession()
	ok(t, s, err)
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if a, b := s.Output(i), s.Output(i+2); &a.Bytes()[0] != &b.Bytes()[0] || a == s.Input(0) {
			t.Errorf("outputs %d and %d are two copies", i, i+2)
		}
	}
}
