package kernel_test

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestCastChains holds chains that begin with integers, end with some, or both, to the references of their nodes.
func TestCastChains(t *testing.T) {
	whole := op.TypeSet(tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Float16)
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
		if r.Bool() {
			add("cast", graph.AttrsOf("dtype", tensor.Float16))
			add("cast", graph.AttrsOf("dtype", tensor.Float32))
			add("mul", nil, r.Uniform(tensor.Float32, r.Broadcastable(shape), -40, 40))
		}
		if to != tensor.Float32 {
			add("cast", graph.AttrsOf("dtype", to))
		}
		checkChain(t, r, c, nodes, want)
	}
}

// checkChain holds the tiers with AVX2 and AVX-512 to what the references make of nodes, which they must take.
func checkChain(t *testing.T, r *op.Rand, c op.Case, nodes []*graph.Node, want []*tensor.Tensor) {
	t.Helper()
	for _, tier := range kernel.Tiers[1:3] {
		if !tier.Has() {
			continue
		}
		var p *kernel.Plan
		for i := range tier.Kernels {
			if row := &tier.Kernels[i]; p == nil && row.Takes(nodes[0]) {
				p = row.Prepare(offered(r, nodes...))
			}
		}
		if p == nil {
			t.Fatalf("%s does not take %v", tier.Name, c.In)
		}
		trialOf(t, r, c, p, want).check()
	}
}

// TestTruthChains holds chains that compare, combine truths and choose by them to the references of their nodes.
func TestTruthChains(t *testing.T) {
	for seed := range 200 {
		r := op.NewRand(uint64(seed), 1+seed/40)
		shape := chainRuns(r)
		b := graph.NewBuilder(op.Rules, "case")
		from := op.Pick(r, []tensor.DType{tensor.Float32, tensor.Bool})
		x := r.Tensor(from, shape)
		if r.IntN(4) == 0 {
			x = r.Extremes(from, shape)
		}
		var nodes []*graph.Node
		c, last := op.Case{In: []*tensor.Tensor{x}}, must(b.Input("x", graph.TypeOf(x)))
		want := x
		some := func(d tensor.DType) *tensor.Tensor {
			if r.Bool() {
				return r.Tensor(d, shape)
			}
			return r.Tensor(d, r.Broadcastable(shape))
		}
		// add adds an operator whose operand k is what there is.
		add := func(name string, attrs graph.Attrs, k int, others ...*tensor.Tensor) {
			in, values := slices.Insert(slices.Clone(others), k, want), []*graph.Value{}
			for i, o := range in {
				if i == k {
					values = append(values, last)
					continue
				}
				values, c.In = append(values, must(b.Constant("", "", o))), append(c.In, o)
			}
			if k > 0 && len(nodes) == 0 { // operands are those of the call in their order
				c.In = append(slices.Clone(c.In[1:1+k]), append([]*tensor.Tensor{x}, c.In[1+k:]...)...)
			}
			want = must(op.Eval(found(op.Lookup(name)), in, attrs))[0]
			last = must(b.Node(name, values, attrs, ""))[0]
			nodes = append(nodes, last.Producer)
		}
		for range r.Between(1, 5) {
			switch k := r.IntN(2); {
			case want.DType() == tensor.Bool && r.IntN(3) == 0:
				add("select", nil, 0, some(tensor.Float32), some(tensor.Float32))
			case want.DType() == tensor.Bool && r.IntN(4) == 0:
				add("cast", graph.AttrsOf("dtype", tensor.Float32), 0)
			case want.DType() == tensor.Bool && r.IntN(4) == 0:
				add("not", nil, 0)
			case want.DType() == tensor.Bool:
				add(op.Pick(r, []string{"and", "or", "xor", "eq", "ne"}), nil, k, some(tensor.Bool))
			case r.IntN(4) == 0:
				add("select", nil, 1+k, some(tensor.Bool), some(tensor.Float32))
			case r.IntN(6) == 0:
				add("cast", graph.AttrsOf("dtype", tensor.Bool), 0)
			case r.IntN(3) == 0:
				add(op.Pick(r, []string{"is_nan", "is_infinite", "sin", "cos"}), nil, 0)
			case r.Bool():
				add("mul", nil, k, some(tensor.Float32))
			default:
				add(op.Pick(r, []string{"eq", "ne", "lt", "le", "gt", "ge"}), nil, k, some(tensor.Float32))
			}
		}
		if !last.Type.Shape.Equal(shape) || slices.ContainsFunc(nodes, func(n *graph.Node) bool { return !n.Out[0].Type.Shape.Equal(shape) }) {
			continue
		}
		checkChain(t, r, c, nodes, []*tensor.Tensor{want})
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
		if p := rowOf(&simd.AVX2, "elements", "neg").Prepare(kernel.Region{Nodes: []*graph.Node{lower.Producer, y.Producer}}); (p != nil) != (upper == nil) {
			t.Errorf("with upper bound %v: taken is %t", upper, p != nil)
		}
	}
}
