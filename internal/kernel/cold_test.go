package kernel

import (
	"fmt"
	"testing"
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func BenchmarkCold(b *testing.B) {
	for _, t := range []*simd.Tier{&simd.AVX512, &simd.AVX2} {
		for _, s := range [][3]int{{128, 768, 768}, {128, 768, 3072}, {128, 3072, 768}} {
			for _, copies := range []int{1, 120000000 / (s[1] * s[2]) / 4} {
				b.Run(fmt.Sprintf("%s/%v/%d", t.Name, s, copies), func(b *testing.B) {
					r, g := op.NewRand(1, 1), graph.NewBuilder(op.Rules, "product")
					x, y := r.Uniform(tensor.Float32, tensor.Shape{s[0], s[1]}, -1, 1), r.Uniform(tensor.Float32, tensor.Shape{s[1], s[2]}, -1, 1)
					in := []*graph.Value{must(g.Input("x", graph.TypeOf(x))), must(g.Constant("", "", y))}
					n := must(g.One("matmul", in, nil, "")).Producer
					p := productRows(t)[0].Prepare(Region{Nodes: []*graph.Node{n}})
					var calls []*op.Call
					scratch, shared := tensor.AlignedBytes(p.Scratch), tensor.AlignedBytes(p.Shared)
					out := must(tensor.New(tensor.Float32, n.Out[0].Type.Shape))
					for range copies {
						c := &op.Call{In: []*tensor.Tensor{x, y, nil, nil}, Out: []*tensor.Tensor{out}, Scratch: scratch, Shared: shared}
						data := tensor.AlignedBytes(p.Pack[0].Size)
						p.Pack[0].Fill(data, 0, 1)
						c.Packed = append(c.Packed, data)
						calls = append(calls, c)
					}
					pieces, peak := slices.Repeat([]float64{math.Inf(1)}, p.Pieces*copies), math.Inf(1)
					for b.Loop() {
						for k, c := range calls {
							for i := range p.Pieces {
								pieces[k*p.Pieces+i] = min(pieces[k*p.Pieces+i], seconds(func() { p.Run(c, i, i+1) }))
							}
						}
						peak = min(peak, seconds(func() { t.Peak.Run(&simd.PeakArgs{Rounds: 300}) }))
					}
					fastest := 0.0
					for _, s := range pieces {
						fastest += s
					}
					adds := float64(s[0]*s[1]*s[2]) * float64(copies)
					b.ReportMetric(adds/fastest/1e9, "GMAC/s")
					b.ReportMetric(100*adds/fastest/(300*simd.PeakAdds*float64(t.Lanes)/peak), "%peak")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}
