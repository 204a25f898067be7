package kernel_test

import (
	"testing"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// BenchmarkGroups says how long kernels in vectors take for an element of the operand, and how well that is estimated.
func BenchmarkGroups(b *testing.B) {
	r := op.NewRand(1, 4)
	x := func(s ...int) *tensor.Tensor { return r.Uniform(tensor.Float32, s, -3, 3) }
	axes := func(a ...int) graph.Attrs { return graph.AttrsOf("axes", a) }
	for _, c := range []sized{
		{"softmax-1536x128", "softmax", op.Case{In: []*tensor.Tensor{x(1536, 128)}, Attrs: axes(1)}},
		{"softmax-1x1000", "softmax", op.Case{In: []*tensor.Tensor{x(1, 1000)}, Attrs: axes(1)}},
		{"softmax-17640x2", "softmax", op.Case{In: []*tensor.Tensor{x(17640, 2)}, Attrs: axes(1)}},
		{"softmax-across-1x21x64x64", "softmax", op.Case{In: []*tensor.Tensor{x(1, 21, 64, 64)}, Attrs: axes(1)}},
		{"layer-128x768", "layer_normalization", op.Case{In: []*tensor.Tensor{x(128, 768), x(768), x(768)}, Attrs: axes(1)}},
		{"instance-64x56x56", "instance_normalization", op.Case{In: []*tensor.Tensor{x(1, 64, 56, 56), x(64), x(64)}}},
		{"mean-1x2048x7x7", "mean_reduce", op.Case{In: []*tensor.Tensor{x(1, 2048, 7, 7)}, Attrs: axes(2, 3)}},
		{"mean-outer-49x2048", "mean_reduce", op.Case{In: []*tensor.Tensor{x(49, 2048)}, Attrs: axes(0)}},
		{"add-bias-128x768", "add", op.Case{In: []*tensor.Tensor{x(128, 768), x(1, 768)}}},
		{"add-channel-64x56x56", "add", op.Case{In: []*tensor.Tensor{x(1, 64, 56, 56), x(1, 64, 1, 1)}}},
		{"add-last-64x56x3", "add", op.Case{In: []*tensor.Tensor{x(64, 56, 3), x(1, 1, 3)}}},
		{"gelu-128x3072", "gelu", op.Case{In: []*tensor.Tensor{x(128, 3072)}}},
		{"lrn-64x56x56", "local_response_normalization", op.Case{In: []*tensor.Tensor{x(1, 64, 56, 56)}, Attrs: graph.AttrsOf("size", []int{1, 5, 1, 1}, "alpha", 0.0001, "beta", 0.75)}},
	} {
		n := node(b, op.NewRand(1, 4), c.op, c.Case)
		for _, tier := range kernel.Tiers[1:3] {
			if !tier.Has() {
				continue
			}
			for k := range tier.Kernels {
				row := &tier.Kernels[k]
				if row.Op != c.op || !row.Takes(n) {
					continue
				}
				p := row.Prepare(kernel.Region{Nodes: []*graph.Node{n}})
				if p == nil {
					b.Log(c.name, "not taken")
					continue
				}
				d, _ := op.Lookup(c.op)
				call := &op.Call{In: append(c.In, make([]*tensor.Tensor, len(d.In)-len(c.In))...), Attrs: n.Attrs, Scratch: tensor.AlignedBytes(p.Scratch)}
				for _, out := range graph.TypesOf(n.Out) {
					call.Out = append(call.Out, must(tensor.New(out.DType, out.Shape)))
				}
				b.Run(c.name+"/"+tier.Name, func(b *testing.B) {
					least := time.Hour
					for range b.N {
						start := time.Now()
						p.Run(call, 0, p.Pieces)
						least = min(least, time.Since(start))
					}
					b.ReportMetric(float64(least.Nanoseconds())/float64(c.In[0].Len()), "ns/element")
					b.ReportMetric(float64(p.Nanos)/float64(least.Nanoseconds()), "planned/real")
				})
			}
		}
	}
}

// BenchmarkChain says how long the steps of gelu take for an element, as networks have them: one operator each.
func BenchmarkChain(b *testing.B) {
	r := op.NewRand(1, 4)
	shape := tensor.Shape{128, 3072}
	g := graph.NewBuilder(op.Rules, "gelu")
	x := must(g.Input("x", op.Type{DType: tensor.Float32, Shape: shape}))
	number := func(v float32) *graph.Value { return must(g.Constant("", "", tensor.Scalar(v))) }
	values := []*graph.Value{x}
	var nodes []*graph.Node
	add := func(name string, in ...*graph.Value) {
		values = append(values, must(g.Node(name, in, nil, ""))[0])
		nodes = append(nodes, values[len(values)-1].Producer)
	}
	add("div", x, number(1.4142135))
	add("erf", values[1])
	add("add", values[2], number(1))
	add("mul", x, values[3])
	add("mul", values[4], number(0.5))
	t := r.Uniform(tensor.Float32, shape, -4, 4)
	for _, tier := range kernel.Tiers[1:3] {
		if !tier.Has() {
			continue
		}
		for k := range tier.Kernels {
			row := &tier.Kernels[k]
			if row.Op != "div" || !row.Takes(nodes[0]) {
				continue
			}
			p := row.Prepare(kernel.Region{Nodes: nodes})
			call := &op.Call{In: []*tensor.Tensor{t, tensor.Scalar[float32](1.4142135), tensor.Scalar[float32](1), t, tensor.Scalar[float32](0.5)},
				Out: []*tensor.Tensor{must(tensor.New(tensor.Float32, shape))}, Scratch: tensor.AlignedBytes(p.Scratch)}
			b.Run(tier.Name, func(b *testing.B) {
				least := time.Hour
				for range b.N {
					start := time.Now()
					p.Run(call, 0, p.Pieces)
					least = min(least, time.Since(start))
				}
				b.ReportMetric(float64(least.Nanoseconds())/float64(shape.Len()), "ns/element")
			})
		}
	}
}
