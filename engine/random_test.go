package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// random draws a graph from the generators of the operators, with the elements of its inputs.
type random struct {
	net
	r      *op.Rand
	values []*graph.Value
	inputs []*tensor.Tensor
	states []*graph.Value
}

func randomGraph(tb testing.TB, seed uint64) (*graph.Graph, []*tensor.Tensor) {
	g := &random{net: newNet(tb), r: op.NewRand(seed, 3)}
	for range g.r.Between(2, 12) {
		d := op.Pick(g.r, op.All())
		c := d.Draw(g.r)
		in := make([]*graph.Value, len(c.In))
		for i, t := range c.In {
			if t != nil {
				in[i] = g.operand(t)
			}
		}
		out, err := g.Add(graph.Node{Op: d.Name, In: in, Attrs: c.Attrs, Blocks: c.Blocks})
		ok(tb, out, err)
		g.values = append(g.values, out...)
		for range g.r.IntN(3) {
			g.values = append(g.values, g.moved(op.Pick(g.r, g.values)))
		}
	}
	for i := range g.r.Between(1, 5) {
		g.output(fmt.Sprint("out", i), op.Pick(g.r, g.values))
	}
	for _, s := range g.states {
		g.update(s, op.Pick(g.r, g.like(s.Type)))
	}
	built, err := g.Build()
	return ok(tb, built, err), g.inputs
}

// operand returns a value of t's type: one that exists, or a new constant, input or state with the elements of t.
func (g *random) operand(t *tensor.Tensor) *graph.Value {
	if same := g.like(graph.TypeOf(t)); len(same) > 0 && g.r.IntN(3) > 0 {
		return op.Pick(g.r, same)
	}
	t = t.Contiguous()
	var v *graph.Value
	var err error
	switch g.r.IntN(8) {
	case 0, 1, 2:
		v, err = g.Constant("", "", t)
	case 3:
		v, err = g.State("", "", t)
		g.states = append(g.states, v)
	default:
		v, err = g.Input(fmt.Sprint("in", len(g.inputs)), graph.TypeOf(t))
		g.inputs = append(g.inputs, t)
	}
	g.values = append(g.values, ok(g.tb, v, err))
	return v
}

func (g *random) like(t graph.Type) []*graph.Value {
	var same []*graph.Value
	for _, v := range g.values {
		if v.Type.String() == t.String() {
			same = append(same, v)
		}
	}
	return same
}

// moved applies an operator that the optimiser may remove or join with its like.
func (g *random) moved(v *graph.Value) *graph.Value {
	shape := v.Type.Shape
	rank := len(shape)
	if !op.AnyType.Has(v.Type.DType) {
		return g.op("copy", nil, v)
	}
	switch g.r.IntN(8) {
	case 0:
		return g.op("copy", nil, v)
	case 1:
		return g.op("cast", graph.Attrs{{Name: "dtype", Value: v.Type.DType}}, v)
	case 2:
		return g.op("pad", graph.Attrs{{Name: "padding", Value: make([]int, 2*rank)}}, v)
	case 3:
		if rank > 0 {
			return g.op("concat", graph.Attrs{{Name: "axis", Value: g.r.IntN(rank)}}, v)
		}
	case 4:
		if rank < 8 {
			return g.op("unsqueeze", graph.Attrs{{Name: "axes", Value: []int{g.r.IntN(rank + 1)}}}, v)
		}
	case 5:
		if rank > 0 {
			axis := g.r.IntN(rank)
			stride := op.Pick(g.r, []int{1, -1})
			begin, end := 0, shape[axis]
			if stride < 0 {
				begin, end = shape[axis]-1, -shape[axis]-1
			}
			return g.op("slice", graph.Attrs{{Name: "axes", Value: []int{axis}}, {Name: "begin", Value: []int{begin}},
				{Name: "end", Value: []int{end}}, {Name: "stride", Value: []int{stride}}}, v)
		}
	case 6:
		if !slices.Contains(shape, 0) {
			return g.op("reshape", reshapeTo(append(slices.Clone(shape), 1)...), v)
		}
	}
	return g.op("transpose", graph.Attrs{{Name: "axes", Value: g.r.Perm(rank)}}, v)
}

// interpret returns the outputs of each of a number of runs by the references: what every program must equal.
func interpret(tb testing.TB, g *graph.Graph, inputs []*tensor.Tensor, runs int) [][]*tensor.Tensor {
	tb.Helper()
	p, all := op.NewInterpreter(g), make([][]*tensor.Tensor, runs)
	for i := range all {
		if i > 0 && len(g.States) == 0 {
			all[i] = all[0] // as runs do not depend on one another
			continue
		}
		out, err := p.Run(tb.Context(), inputs)
		all[i] = ok(tb, out, err)
	}
	return all
}

// TestRandomGraphs compares programs of random graphs, however they are compiled, with the operators' own evaluation, bit
// for bit, over several runs and with memory full of rubbish.
func TestRandomGraphs(t *testing.T) {
	seeds := uint64(testdata.Cases(160, 4000))
	for seed := range seeds {
		g, inputs := randomGraph(t, seed)
		const runs = 3
		want := interpret(t, g, inputs, runs)
		for _, opts := range []Options{{Threads: 1}, {Threads: 1, NoOptimize: true}, {Threads: 3}} {
			p, err := Compile(g, opts)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, graph.Text(g, op.Rules))
			}
			checkPlan(t, p)
			s := session(t, p)
			litter(s)
			if opts.Threads > 1 {
				split(s)
			}
			for k := range runs {
				for i, in := range inputs {
					ok(t, 0, s.SetInput(i, in))
				}
				if err := s.Run(context.Background()); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, graph.Text(g, op.Rules))
				}
				for i, w := range want[k] {
					if got := s.Output(i); got.Describe() != w.Describe() || string(got.Bytes()) != string(w.Contiguous().Bytes()) {
						t.Fatalf("seed %d, %+v, run %d, output %d: got %v; want %v\n%s\ncompiled:\n%s", seed, opts, k, i,
							got.Bytes(), w.Bytes(), graph.Text(g, op.Rules), graph.Text(p.Graph(), op.Rules))
					}
				}
			}
			p.Close()
		}
	}
}

// litter fills everything in the memory of a session but its inputs and states.
func litter(s *Session) {
	fill := func(b []byte) {
		for i := range b {
			b[i] = 0xA5
		}
	}
	for _, c := range callsOf(s) {
		fill(c.Scratch)
		for _, t := range c.Out {
			if t.DType() != tensor.Bool {
				fill(t.Bytes())
			}
		}
	}
}

// callsOf returns the calls of all steps of a session.
func callsOf(s *Session) []op.Call {
	var all []op.Call
	for i := range s.frame.steps {
		for _, calls := range s.frame.steps[i].calls {
			all = append(all, calls...)
		}
	}
	return all
}
