package pass

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// randomGraph draws a graph of generated cases, mostly of operators with blocks, and the elements of its inputs.
func randomGraph(tb testing.TB, seed uint64) (*graph.Graph, []*tensor.Tensor) {
	n, r := net{tb, graph.NewBuilder(op.Rules, "random")}, op.NewRand(seed, 2)
	var owners []*op.Def
	for _, d := range op.All() {
		if len(d.Blocks) > 0 {
			owners = append(owners, d)
		}
	}
	var values []*graph.Value
	var inputs []*tensor.Tensor
	operand := func(t *tensor.Tensor) *graph.Value {
		for _, v := range values {
			if v.Type.Equal(graph.TypeOf(t)) && r.Bool() {
				return v
			}
		}
		var v *graph.Value
		var err error
		if r.Bool() {
			v, err = n.Constant("", "", t.Contiguous())
		} else {
			v, err = n.Input(fmt.Sprint("in", len(inputs)), graph.TypeOf(t))
			inputs = append(inputs, t)
		}
		values = append(values, n.ok(v, err))
		return v
	}
	for range r.Between(2, 6) {
		d := op.Pick(r, owners)
		if r.IntN(3) == 0 {
			d = op.Pick(r, op.All())
		}
		c := d.Draw(r)
		in := make([]*graph.Value, len(c.In))
		for i, t := range c.In {
			if t != nil {
				in[i] = operand(t)
			}
		}
		values = append(values, n.owner(d.Name, c.Attrs, c.Blocks, in...)...)
	}
	for i := range 4 {
		n.output(fmt.Sprint("out", i), op.Pick(r, values))
	}
	g, err := n.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return g, inputs
}

// TestPassesKeepBits compares what random graphs with blocks yield after every pass, alone and in their order, with what they yield before.
func TestPassesKeepBits(t *testing.T) {
	seeds := uint64(testdata.Cases(160, 4000))
	for seed := range seeds {
		given, inputs := randomGraph(t, seed)
		want, err := op.NewInterpreter(given).Run(t.Context(), inputs)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, graph.Text(given, op.Rules))
		}
		after := given
		for _, p := range All {
			var alone *graph.Graph
			if alone, err = p.Run(given); err == nil {
				after, err = p.Run(after)
			}
			if err != nil {
				t.Fatalf("seed %d: %s: %v\n%s", seed, p.Name, err, graph.Text(given, op.Rules))
			}
			for _, g := range []*graph.Graph{alone, after} {
				if err := graph.Verify(g, op.Rules); err != nil {
					t.Fatalf("seed %d: after %s: %v", seed, p.Name, err)
				}
				got, err := op.NewInterpreter(g).Run(t.Context(), inputs)
				if err != nil {
					t.Fatalf("seed %d: after %s: %v", seed, p.Name, err)
				}
				for i, w := range want {
					if string(got[i].Contiguous().Bytes()) != string(w.Contiguous().Bytes()) {
						t.Fatalf("seed %d: output %d differs after %s\n%s", seed, i, p.Name, graph.Text(given, op.Rules))
					}
				}
			}
		}
	}
}
