package kernel

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestCastChains holds chains that begin with integers, end with some, or both, to the references of their nodes.
func TestCastChains(t *testing.T) {
	whole := op.TypeSet(tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32)
	for seed := range 200 {
		r := op.NewRand(uint64(seed), 1+seed/40)
		shape := chainRuns(r)
		b := graph.NewBuilder(op.Rules, "case")
		from, to := r.DType(whole|float32s), r.DType(whole|float32s)
		x := r.Tensor(from, shape)
		if r.IntN(3) == 0 {
			x = r.Extremes(from, shape)
		}
		var nodes []*graph.Node
		c, last := op.Case{In: []*tensor.Tensor{x}}, must(b.Input("x", graph.TypeOf(x)))
		want := c.In
		add := func(name string, attrs graph.Attrs, more ...*tensor.Tensor) {
			in := []*graph.Value{last}
			for _, m := range more {
				in = append(in, must(b.Constant("", "", m)))
			}
			c.In = append(c.In, more...)
			want = must(op.Eval(found(op.Lookup(name)), append(want, more...), attrs))
			last = must(b.Node(name, in, attrs, ""))[0]
			nodes = append(nodes, last.Producer)
		}
		if from != tensor.Float32 {
			add("cast", graph.AttrsOf("dtype", tensor.Float32))
		}
		add("mul", nil, r.Uniform(tensor.Float32, r.Broadcastable(shape), -40, 40))
		if to != tensor.Float32 {
			add("cast", graph.AttrsOf("dtype", to))
		}
		for _, tier := range Tiers[1:3] {
			if !tier.Has() {
				continue
			}
			var p *Plan
			for i := range tier.Kernels {
				if row := &tier.Kernels[i]; p == nil && row.takes(nodes[0]) {
					p = row.Prepare(offered(r, nodes...))
				}
			}
			if p == nil {
				t.Fatalf("%s does not take %v", tier.Name, c.In)
			}
			trialOf(t, r, c, p, want).check()
		}
	}
}

// TestClampBySteps holds chains to leaving alone a clamp of which the lower bound is what the node before it yields.
func TestClampBySteps(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "case")
	of := op.Type{DType: tensor.Float32, Shape: tensor.Shape{40}}
	x, bound := must(b.Input("x", of)), must(b.Input("bound", of))
	lower := must(b.Node("neg", []*graph.Value{x}, nil, ""))[0]
	for _, upper := range []*graph.Value{nil, bound} {
		y := must(b.Node("clamp", []*graph.Value{x, lower, upper}, nil, ""))[0]
		if p := elementwise(&simd.AVX2)(Region{Nodes: []*graph.Node{lower.Producer, y.Producer}}); (p != nil) != (upper == nil) {
			t.Errorf("with upper bound %v: taken is %t", upper, p != nil)
		}
	}
}
