package engine

import (
	"context"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestNoAllocation holds running to allocate nothing, on one goroutine and on several.
func TestNoAllocation(t *testing.T) {
	for _, threads := range []int{1, 4} {
		p, err := Compile(big(t), Options{Threads: threads})
		ok(t, p, err)
		defer p.Close()
		s := session(t, p)
		in := floats(t, ramp(100000), 100, 1000)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		allocs := testing.AllocsPerRun(20, func() {
			if err := s.SetInput(0, in); err != nil {
				t.Fatal(err)
			}
			if err := s.Run(ctx); err != nil {
				t.Fatal(err)
			}
		})
		if allocs != 0 {
			t.Errorf("%d threads: %v allocations in each run", threads, allocs)
		}
	}
}

// TestOperatorsAllocateNothing holds the reference of every operator to the same.
func TestOperatorsAllocateNothing(t *testing.T) {
	for _, d := range op.All() {
		t.Run(d.Name, func(t *testing.T) {
			for seed := range uint64(20) {
				c := d.Draw(op.NewRand(seed, 4))
				g, _ := application(t, d, c)
				p, err := Compile(g, Options{Threads: 1, NoOptimize: true})
				ok(t, p, err)
				s := session(t, p)
				for i, k := 0, 0; i < len(c.In); i++ {
					if c.In[i] != nil {
						ok(t, 0, s.SetInput(k, c.In[i]))
						k++
					}
				}
				if allocs := testing.AllocsPerRun(3, func() { run(t, s) }); allocs != 0 {
					t.Fatalf("seed %d: %v allocations in each run of %v %v", seed, allocs, c.In, c.Attrs)
				}
			}
		})
	}
}

// TestUnitsAllocateNothing holds what is evaluated in place of several nodes to the same.
func TestUnitsAllocateNothing(t *testing.T) {
	for _, c := range rewrites {
		n := newNet(t)
		c.build(n)
		g, err := n.Build()
		ok(t, g, err)
		p, err := Compile(g, Options{Threads: 1})
		ok(t, p, err)
		s := session(t, p)
		for i, in := range p.Inputs() {
			x, err := tensor.New(in.Type.DType, in.Type.Shape)
			ok(t, x, err)
			ok(t, 0, s.SetInput(i, x))
		}
		if allocs := testing.AllocsPerRun(3, func() { run(t, s) }); allocs != 0 {
			t.Errorf("%s: %v allocations in each run", c.name, allocs)
		}
		p.Close()
	}
}

// application returns a graph of one node whose operands are inputs.
func application(tb testing.TB, d *op.Def, c op.Case) (*graph.Graph, []*graph.Value) {
	tb.Helper()
	n := newNet(tb)
	in := make([]*graph.Value, len(c.In))
	for i, t := range c.In {
		if t != nil {
			in[i] = n.input("x"+string(rune('0'+i)), t.DType(), t.Shape()...)
		}
	}
	out, err := n.Add(graph.Node{Op: d.Name, In: in, Attrs: c.Attrs, Blocks: c.Blocks})
	ok(tb, out, err)
	for i, v := range out {
		n.output("y"+string(rune('0'+i)), v)
	}
	g, err := n.Build()
	return ok(tb, g, err), in
}
