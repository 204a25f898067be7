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

// TestLayBlocksKeepsBits compares transposed convolutions whose windows lie side by side with what [LayBlocks] makes of them.
func TestLayBlocksKeepsBits(t *testing.T) {
	r := op.NewRand(1, 4)
	for range testdata.Cases(40, 400) {
		x, w := tensor.Shape{r.Between(1, 2), op.Pick(r, []int{1, 3, 17, 35})}, tensor.Shape{0, r.Between(1, 5)}
		for range r.Between(1, 3) {
			x, w = append(x, r.Between(1, 4)), append(w, r.Between(1, 3))
		}
		w[0] = x[1]
		n := net{t, graph.NewBuilder(op.Rules, "sides")}
		in := []*tensor.Tensor{r.Tensor(tensor.Float32, x), r.Tensor(tensor.Float32, w), r.Tensor(tensor.Float32, op.Pick(r, []tensor.Shape{{}, {w[1]}, {1, w[1]}}))}
		if r.IntN(4) == 0 {
			in[0] = r.Extremes(tensor.Float32, x)
		}
		in = in[:r.Between(2, 3)]
		var operands []*graph.Value
		for i, x := range in {
			operands = append(operands, n.input(fmt.Sprint("in", i), tensor.Float32, x.Shape()...))
		}
		n.output("y", n.op("deconv", graph.AttrsOf("padding", make([]int, 2*len(x)-4), "stride", []int(w[2:])), operands...))
		g, err := n.Build()
		if err != nil {
			t.Fatal(err)
		}
		after, err := LayBlocks(g)
		if err != nil {
			t.Fatalf("%v by %v: %v", x, w, err)
		}
		var bits [2]string
		for i, g := range []*graph.Graph{g, after} {
			y, err := op.NewInterpreter(g).Run(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			bits[i] = string(y[0].Contiguous().Bytes())
		}
		if bits[0] != bits[1] {
			t.Errorf("%v by %v: the bits differ", x, w)
		}
	}
}
