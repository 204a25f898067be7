package kernel_test

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// benchmarkRows runs the first row of each tier that takes a region, and reports what a run computes and moves. The first node is made
// by the given function; what else is in the region are constants.
func benchmarkRows(b *testing.B, name string, region func(b *graph.Builder) []*graph.Node) {
	for i := range kernel.Tiers {
		rows := &kernel.Tiers[i]
		if rows.Has != nil && !rows.Has() {
			continue
		}
		nodes := region(graph.NewBuilder(op.Rules, "case"))
		for k := range rows.Kernels {
			row := &rows.Kernels[k]
			if !row.Takes(nodes[0]) {
				continue
			}
			if p := row.Prepare(kernel.Region{Nodes: nodes, Layouts: map[*graph.Value]kernel.Layout{nodes[0].In[0]: kernel.Blocked16}}); p != nil {
				b.Run(fmt.Sprint(name, "/", rows.Name, " ", row.Name), func(b *testing.B) { benchmarkPlan(b, nodes, p) })
				break
			}
		}
	}
}

func benchmarkPlan(b *testing.B, nodes []*graph.Node, p *kernel.Plan) {
	r := op.NewRand(1, 4)
	call := op.Call{Scratch: tensor.AlignedBytes(p.Scratch), Attrs: nodes[0].Attrs}
	bytes, macs := int64(0), int64(0)
	last := nodes[len(nodes)-1]
	inside := make(map[*graph.Value]bool)
	for _, n := range nodes {
		c, err := op.NodeCost(n)
		if err != nil {
			b.Fatal(err)
		}
		macs += c.MACs
		for _, v := range n.In {
			switch {
			case inside[v]:
				continue
			case v == nil:
				call.In = append(call.In, nil)
				continue
			case v.Const != nil:
				call.In = append(call.In, v.Const)
				continue
			}
			l := layoutOf(p.In, len(call.In))
			x := must(tensor.FromBytes(v.Type.DType, l.Shape(v.Type.Shape), tensor.AlignedBytes(int(l.Bytes(v.Type)))))
			copy(x.Bytes(), r.Tensor(v.Type.DType, x.Shape()).Bytes())
			call.In = append(call.In, x)
			bytes += l.Bytes(v.Type)
		}
		for _, v := range n.Out {
			inside[v] = true
		}
	}
	for i, v := range last.Out {
		l := layoutOf(p.Out, i)
		call.Out = append(call.Out, must(tensor.FromBytes(v.Type.DType, l.Shape(v.Type.Shape), tensor.AlignedBytes(int(l.Bytes(v.Type))))))
		bytes += l.Bytes(v.Type)
	}
	for _, pack := range p.Pack {
		packed := tensor.AlignedBytes(pack.Size)
		pack.Fill(packed, 0, 1)
		call.Packed = append(call.Packed, packed)
	}
	b.SetBytes(bytes)
	for b.Loop() {
		p.Run(&call, 0, p.Pieces)
	}
	if macs > 0 {
		b.ReportMetric(float64(macs)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMAC/s")
	}
}

// BenchmarkDepthwise has layers of MobileNetV2, with bias and clamp.
func BenchmarkDepthwise(b *testing.B) {
	for _, l := range []struct{ channels, extent, size, stride int }{
		{16, 144, 3, 1}, {32, 112, 3, 1}, {96, 112, 3, 2}, {144, 56, 3, 1}, {144, 56, 3, 2}, {192, 28, 3, 1}, {384, 14, 3, 1}, {576, 14, 3, 2}, {960, 7, 3, 1}, {192, 28, 5, 1},
	} {
		name := fmt.Sprintf("%d@%d %d×%d stride %d", l.channels, l.extent, l.size, l.size, l.stride)
		benchmarkRows(b, name, func(g *graph.Builder) []*graph.Node {
			r, half := op.NewRand(1, 4), l.size/2
			constant := func(shape ...int) *graph.Value { return must(g.Constant("", "", r.Tensor(tensor.Float32, shape))) }
			x := must(g.Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{1, l.channels, l.extent, l.extent}}))
			y := must(g.One("conv", []*graph.Value{x, constant(l.channels, 1, l.size, l.size), constant(l.channels)},
				graph.AttrsOf("padding", []int{half, half, half, half}, "stride", []int{l.stride, l.stride}, "groups", 0), ""))
			zero, six := must(g.Constant("", "", tensor.Scalar[float32](0))), must(g.Constant("", "", tensor.Scalar[float32](6)))
			z := must(g.One("clamp", []*graph.Value{y, zero, six}, nil, ""))
			return []*graph.Node{y.Producer, z.Producer}
		})
	}
}

// BenchmarkPooling has a window over planes, and the means of planes.
func BenchmarkPooling(b *testing.B) {
	for _, l := range []struct {
		op                             string
		channels, extent, size, stride int
	}{{"max_pool", 64, 112, 3, 2}, {"box", 64, 112, 2, 2}, {"rms_pool", 64, 56, 3, 1}} {
		benchmarkRows(b, fmt.Sprintf("%s %d@%d %d×%d stride %d", l.op, l.channels, l.extent, l.size, l.size, l.stride), func(g *graph.Builder) []*graph.Node {
			x := must(g.Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{1, l.channels, l.extent, l.extent}}))
			a := graph.AttrsOf("size", []int{1, 1, l.size, l.size}, "padding", []int{0, 0, 0, 0, 0, 1, 0, 1}, "stride", []int{1, 1, l.stride, l.stride}, "border", "ignore")
			return []*graph.Node{must(g.One(l.op, []*graph.Value{x}, a, "")).Producer}
		})
	}
	for _, shape := range []tensor.Shape{{1, 1280, 7, 7}, {1, 64, 56, 56}} {
		benchmarkRows(b, fmt.Sprintf("mean_reduce %v", shape), func(g *graph.Builder) []*graph.Node {
			x := must(g.Input("x", op.Type{DType: tensor.Float32, Shape: shape}))
			return []*graph.Node{must(g.One("mean_reduce", []*graph.Value{x}, graph.AttrsOf("axes", []int{2, 3}), "")).Producer}
		})
	}
}
