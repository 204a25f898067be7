package kernel_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// BenchmarkProducts says how near to the peak of the processor products of float32 matrices come.
func BenchmarkProducts(b *testing.B) {
	tiers := map[string]*simd.Tier{"avx512": &simd.AVX512, "avx2": &simd.AVX2}
	for _, tier := range []string{"avx512", "avx2"} {
		t := tiers[tier]
		if !t.Has() {
			continue
		}
		for _, s := range [][4]int{{1, 128, 128, 128}, {1, 256, 256, 256}, {1, 512, 512, 512}, {1, 1024, 1024, 1024}, {1, 2048, 2048, 2048},
			{1, 128, 768, 768}, {1, 128, 768, 3072}, {1, 128, 3072, 768}, {12, 128, 64, 128}, {12, 128, 128, 64},
			{1, 1, 1024, 1024}, {1, 2, 1024, 1024}, {1, 4, 1024, 1024}, {1, 1, 256, 1024}, {1, 1, 2048, 2048}} {
			for _, form := range []string{"constant", "dynamic", "transposed", "codes"} {
				if (form == "constant" || form == "codes") && s[0] > 1 {
					continue
				}
				b.Run(fmt.Sprintf("%s/%dx%dx%dx%d/%s", tier, s[0], s[1], s[2], s[3], form), func(b *testing.B) { benchmarkProduct(b, t, s, form) })
			}
		}
	}
}

func benchmarkProduct(b *testing.B, t *simd.Tier, s [4]int, form string) {
	r, g := op.NewRand(1, 1), graph.NewBuilder(op.Rules, "product")
	left, right := tensor.Shape{s[0], s[1], s[2]}, tensor.Shape{s[0], s[2], s[3]}
	turned := form == "transposed" || form == "codes"
	if turned {
		right = tensor.Shape{s[0], s[3], s[2]}
	}
	x, y := r.Uniform(tensor.Float32, left, -1, 1), r.Uniform(tensor.Float32, right, -1, 1)
	in := []*graph.Value{must(g.Input("x", graph.TypeOf(x))), nil}
	region, operands := kernel.Region{}, []*tensor.Tensor{x, y, nil, nil}
	switch form {
	case "constant":
		in[1] = must(g.Constant("", "", y))
	case "codes":
		const block = 32
		numbers := []*graph.Value{must(g.Constant("", "", r.Tensor(tensor.Uint4, right))), must(g.Constant("", "", r.Uniform(tensor.Float32, tensor.Shape{1, s[3], s[2] / block}, 0, 1))),
			must(g.Constant("", "", r.Tensor(tensor.Uint4, nil)))}
		in[1] = must(g.One("dequantize_linear", numbers, graph.AttrsOf("block", []int{1, 1, block}), ""))
		region, operands = kernel.Region{Nodes: []*graph.Node{in[1].Producer}, Sources: 1}, []*tensor.Tensor{nil, nil, nil, x}
	default:
		in[1] = must(g.Input("y", graph.TypeOf(y)))
	}
	n := must(g.One("matmul", in, graph.AttrsOf("transposeB", turned), "")).Producer
	region.Nodes = append(region.Nodes, n)
	p := rowOf(t, "tiles", "matmul").Prepare(region)
	c := &op.Call{In: operands, Out: []*tensor.Tensor{must(tensor.New(tensor.Float32, n.Out[0].Type.Shape))},
		Scratch: tensor.AlignedBytes(p.Scratch), Shared: tensor.AlignedBytes(p.Shared)}
	for _, pack := range p.Pack {
		data := tensor.AlignedBytes(pack.Size)
		pack.Fill(data, 0, 1)
		c.Packed = append(c.Packed, data)
	}
	// The least time of each chunk of pieces, as others use the processor, too.
	chunk := max(1, int(int64(p.Pieces)*500_000/p.Nanos))
	chunks, peak := slices.Repeat([]float64{math.Inf(1)}, p.Pieces), math.Inf(1)
	for b.Loop() {
		lo := 0
		for _, n := range append(p.Rounds[:len(p.Rounds):len(p.Rounds)], p.Pieces) {
			for end := min(lo+n, p.Pieces); lo < end; {
				hi := min(lo+chunk, end)
				chunks[lo] = min(chunks[lo], seconds(func() { p.Run(c, lo, hi) }))
				lo = hi
			}
		}
		peak = min(peak, seconds(func() { t.Peak.Run(&simd.PeakArgs{Rounds: 300}) }))
	}
	fastest := 0.0
	for _, s := range chunks {
		if !math.IsInf(s, 1) {
			fastest += s
		}
	}
	adds := float64(s[0]*s[1]*s[2]) * float64(s[3])
	b.ReportMetric(adds/fastest/1e9, "GMAC/s")
	b.ReportMetric(100*adds/fastest/(300*simd.PeakAdds*float64(t.Lanes)/peak), "%peak")
	b.ReportMetric(0, "ns/op")
}

func seconds(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}
