package pass

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestTabulateKeepsBits looks up random chains from 8-bit integers to such, and compares with the chains.
func TestTabulateKeepsBits(t *testing.T) {
	unary := []string{"sigmoid", "exp", "relu", "tanh", "neg", "hard_swish", "round_even", "sqrt", "leaky_relu", "clamp", "mul", "softplus"}
	attrs := map[string]graph.Attrs{"leaky_relu": graph.AttrsOf("alpha", 0.1)}
	bytes := op.TypeSet(tensor.Int8, tensor.Uint8)
	for seed := range uint64(100) {
		n, r := net{t, graph.NewBuilder(op.Rules, "chain")}, op.NewRand(seed, 20)
		constant := func(x *tensor.Tensor) *graph.Value { v, err := n.Constant("", "", x); return n.ok(v, err) }
		shape := tensor.Shape{r.Between(1, 3), 256, r.Between(1, 3)}
		small := op.Pick(r, []tensor.Shape{{}, {1, 1, 1}})
		from, to, float := r.DType(bytes), r.DType(bytes), r.DType(op.Floats)
		scale := func() *graph.Value { return constant(r.Uniform(float, small, 0.01, 0.2)) }
		x := n.input("x", from, shape...)
		v := n.op("dequantize_linear", nil, x, scale(), constant(r.Tensor(from, small)))
		for range r.Between(0, 4) {
			name, in := op.Pick(r, unary), []*graph.Value{v}
			switch name {
			case "clamp":
				in = append(in, constant(r.Uniform(float, small, -1, 0)), constant(r.Uniform(float, small, 0, 1)))
			case "mul":
				in = append(in, constant(r.Tensor(float, small)))
			}
			v = n.op(name, attrs[name], in...)
		}
		n.output("y", n.op("quantize_linear", nil, v, scale(), constant(r.Tensor(to, small))))
		g, err := n.Build()
		if err != nil {
			t.Fatal(err)
		}
		made := g
		for _, p := range All {
			if made, err = p.Run(made); err != nil {
				t.Fatal(err)
			}
		}
		if len(made.Nodes) != 1 || made.Nodes[0].Op != "lookup" {
			t.Fatalf("the chain becomes\n%s", graph.Text(made, op.Rules))
		}
		in := []*tensor.Tensor{r.Integers(from, shape, int(least(from)), int(least(from))+255)}
		want, err := op.NewInterpreter(g).Run(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := op.NewInterpreter(made).Run(t.Context(), in)
		if err != nil || string(got[0].Bytes()) != string(want[0].Bytes()) {
			t.Fatalf("%v: the table differs from\n%s", err, graph.Text(g, op.Rules))
		}
	}
}

// TestTabulateLeaves has nodes that no table stands for: they stay.
func TestTabulateLeaves(t *testing.T) {
	to := func(n net, d tensor.DType, x *graph.Value) *graph.Value {
		return n.op("cast", graph.AttrsOf("dtype", d), x)
	}
	for name, build := range map[string]func(n net) *graph.Value{
		"floats are given": func(n net) *graph.Value { return n.op("neg", nil, n.input("x", tensor.Float32, 256)) },
		"elements depend on others": func(n net) *graph.Value {
			return n.op("softmax", graph.AttrsOf("axes", []int{0}), to(n, tensor.Float32, n.input("x", tensor.Int8, 256)))
		},
		"two operands": func(n net) *graph.Value {
			return n.op("add", nil, to(n, tensor.Float32, n.input("x", tensor.Int8, 256)), to(n, tensor.Float32, n.input("y", tensor.Int8, 256)))
		},
		"elements are repeated": func(n net) *graph.Value {
			return n.op("add", nil, to(n, tensor.Float32, n.input("x", tensor.Int8, 1)), n.constant(tensor.Float32, make([]float32, 256), 256))
		},
	} {
		n := net{t, graph.NewBuilder(op.Rules, "chain")}
		n.output("y", to(n, tensor.Int8, build(n)))
		g, err := n.Build()
		if err != nil {
			t.Fatal(err)
		}
		if made, err := Tabulate(g); err != nil || graph.Text(made, op.Rules) != graph.Text(g, op.Rules) {
			t.Errorf("%s: %v\n%s", name, err, graph.Text(made, op.Rules))
		}
	}
}

func least(d tensor.DType) int64 { lo, _ := d.IntRange(); return lo }

// TestTabulateIsBounded holds longer chains than a table stands for to staying, and what is beyond the work that tables may take.
func TestTabulateIsBounded(t *testing.T) {
	const most = limits.TableOperations / (2 * tableSize)
	for _, more := range []int{0, 1} {
		n := net{t, graph.NewBuilder(op.Rules, "chains")}
		x := n.op("cast", graph.AttrsOf("dtype", tensor.Float32), n.input("x", tensor.Int8, 256))
		for i := range most + more {
			n.output(fmt.Sprint("y", i), n.op("cast", graph.AttrsOf("dtype", tensor.Int8), x))
		}
		g, err := n.Build()
		if err == nil {
			g, err = Tabulate(g)
		}
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, k := range g.Nodes {
			if k.Op == "cast" {
				left++
			}
		}
		if left != 1+more {
			t.Errorf("%d chains leave %d casts", most+more, left)
		}
	}
	for _, more := range []int{0, 1} {
		n := net{t, graph.NewBuilder(op.Rules, "chain")}
		v := n.op("cast", graph.AttrsOf("dtype", tensor.Float32), n.input("x", tensor.Int8, 256))
		for range tableNodes - 2 + more {
			v = n.op("neg", nil, v)
		}
		n.output("y", n.op("cast", graph.AttrsOf("dtype", tensor.Int8), v))
		g, err := n.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"tabulate", "dead"} {
			if g, err = byName(t, name).Run(g); err != nil {
				t.Fatal(err)
			}
		}
		if (len(g.Nodes) == 1) != (more == 0) {
			t.Errorf("of %d nodes %d are left", tableNodes+more, len(g.Nodes))
		}
	}
}
