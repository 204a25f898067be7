package kernel_test

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// follower is what may stand behind a node of floats: an element-wise operator, with its operands beside what it follows, which is nil.
type follower struct {
	op string
	in func(r *op.Rand, d tensor.DType, shape tensor.Shape) []*tensor.Tensor
}

var followers = []follower{
	{"relu", alongside()},
	{"clamp", alongside(number(0), number(6))},
	{"clamp", alongside(number(-1), number(2))},
	{"clamp", alongside(nil, number(0.5))},
	{"add", alongside(like)},
	{"add", alongside(perChannel)},
	{"add", alongside(alongLast)},
	{"mul", alongside(perChannel)},
	{"mul", alongside(number(0.5))},
	{"mul", alongside(like)},
	{"max", alongside(number(0))},
	{"min", alongside(number(6))},
	{"sigmoid", alongside()},
	{"leaky_relu", alongside()},
	{"neg", alongside()},
	{"affine", alongside()},
	{"hard_swish", alongside()},
	{"hard_sigmoid", alongside()},
	{"prelu", alongside(perChannel)},
	{"batch_normalization", alongside(channels, positive, channels, channels)},
}

type operandOf func(r *op.Rand, d tensor.DType, shape tensor.Shape) *tensor.Tensor

// alongside makes the operands behind the first one, which is what is followed.
//
//go:noinline // each row of a table would have a copy
func alongside(more ...operandOf) func(*op.Rand, tensor.DType, tensor.Shape) []*tensor.Tensor {
	return func(r *op.Rand, d tensor.DType, shape tensor.Shape) []*tensor.Tensor {
		in := []*tensor.Tensor{nil}
		for _, f := range more {
			if f == nil {
				in = append(in, nil)
			} else {
				in = append(in, f(r, d, shape))
			}
		}
		return in
	}
}

func number(v float32) operandOf {
	return func(_ *op.Rand, _ tensor.DType, shape tensor.Shape) *tensor.Tensor {
		t := must(tensor.New(tensor.Float32, ones(shape)))
		tensor.Data[float32](t)[0] = v
		return t
	}
}

func like(r *op.Rand, d tensor.DType, shape tensor.Shape) *tensor.Tensor { return r.Tensor(d, shape) }

// perChannel has one element for each index of dimension 1, alongLast of the last one.
func perChannel(r *op.Rand, d tensor.DType, shape tensor.Shape) *tensor.Tensor {
	s := ones(shape)
	if len(s) > 1 {
		s[1] = shape[1]
	}
	return r.Tensor(d, s)
}

func alongLast(r *op.Rand, d tensor.DType, shape tensor.Shape) *tensor.Tensor {
	s := ones(shape)
	if n := len(s); n > 0 {
		s[n-1] = shape[n-1]
	}
	return r.Tensor(d, s)
}

func channels(r *op.Rand, d tensor.DType, shape tensor.Shape) *tensor.Tensor {
	return r.Tensor(d, tensor.Shape{shape[1]})
}
func positive(r *op.Rand, d tensor.DType, shape tensor.Shape) *tensor.Tensor {
	return r.Uniform(d, tensor.Shape{shape[1]}, 0.25, 4)
}

func ones(shape tensor.Shape) tensor.Shape {
	s := make(tensor.Shape, len(shape))
	for i := range s {
		s[i] = 1
	}
	return s
}

// TestTails holds kernels that take nodes behind the first one to the references of all, one after the other: in every layout, with the value
// that is followed as any operand of commutative operators.
func TestTails(t *testing.T) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		t.Parallel()
		cases, taken := testdata.Cases(12, 300), 0
		for seed := range cases {
			r := op.NewRand(uint64(seed), 1+seed*5/cases)
			c := draw(r, row)
			root, b := nodeIn(t, r, graph.NewBuilder(op.Rules, "case"), row.Op, c)
			if len(root.Out) != 1 || root.Out[0].Type.DType != tensor.Float32 {
				return
			}
			nodes := []*graph.Node{root}
			want := evaluated(root.Op, c.In, c.Attrs)
			for range r.Between(1, 3) {
				nodes, want = follow(t, r, b, nodes, want, &c)
				if r.IntN(4) == 0 {
					nodes, want = roundTo16(b, nodes, want)
				}
			}
			if p := row.Prepare(offered(r, nodes...)); p != nil {
				taken++
				p.Kernel = row.Name
				trialOf(t, r, c, p, want).check()
			}
		}
		t.Logf("%d of %d regions with tails are taken", taken, cases)
	})
}

// roundTo16 puts casts to float16 and back behind the last node of a region.
func roundTo16(b *graph.Builder, nodes []*graph.Node, yields []*tensor.Tensor) ([]*graph.Node, []*tensor.Tensor) {
	for _, d := range []tensor.DType{tensor.Float16, tensor.Float32} {
		attrs := graph.AttrsOf("dtype", d)
		yields = must(op.Eval(found(op.Lookup("cast")), yields, attrs))
		nodes = append(nodes, must(b.Node("cast", nodes[len(nodes)-1].Out, attrs, ""))[0].Producer)
	}
	return nodes, yields
}

// follow puts a random node behind the last one of a region. It returns the nodes with it, and what they yield; its operands are added to the case.
func follow(t *testing.T, r *op.Rand, b *graph.Builder, nodes []*graph.Node, yields []*tensor.Tensor, c *op.Case) ([]*graph.Node, []*tensor.Tensor) {
	t.Helper()
	f := op.Pick(r, followers)
	last, shape := nodes[len(nodes)-1].Out[0], yields[0].Shape()
	if f.op == "batch_normalization" && len(shape) < 2 {
		f = followers[0]
	}
	in := f.in(r, yields[0].DType(), shape)
	d := found(op.Lookup(f.op))
	at := 0
	if d.Traits.Has(op.Commutative) && r.Bool() {
		at, in[0], in[1] = 1, in[1], nil
	}
	values := make([]*graph.Value, len(in))
	for i, x := range in {
		switch {
		case i == at:
			values[i] = last
		case x == nil:
		case x.Shape().Equal(shape) && f.op != "clamp":
			values[i] = must(b.Input(fmt.Sprintf("more%d", len(c.In)), graph.TypeOf(x)))
		default:
			values[i] = must(b.Constant("", "", x))
		}
	}
	var attrs graph.Attrs
	if f.op == "batch_normalization" {
		attrs = graph.AttrsOf("epsilon", 1e-5)
	}
	out := must(b.Node(f.op, values, attrs, ""))
	n := out[0].Producer
	for i, x := range in {
		if i != at {
			c.In = append(c.In, x)
		}
	}
	in[at] = yields[0]
	return append(nodes, n), must(op.Eval(d, in, n.Attrs))
}
