package kernel

import (
	"fmt"
	"testing"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

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
		for _, tier := range Tiers[1:3] {
			for k := range tier.Kernels {
				row := &tier.Kernels[k]
				if row.Op != c.op || !row.takes(n) {
					continue
				}
				p := row.Prepare(Region{Nodes: []*graph.Node{n}})
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
	_ = fmt.Sprint
}
