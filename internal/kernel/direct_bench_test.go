package kernel_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// convLayer is a convolution of a network: channels, extent of a square result, extent of a square window, stride.
type convLayer struct {
	in, out, size, window, stride int
}

var convLayers = []convLayer{
	{64, 64, 56, 3, 1}, {128, 128, 28, 3, 1}, {256, 256, 14, 3, 1}, {512, 512, 7, 3, 1}, // ResNet-50
	{128, 128, 28, 3, 2}, {3, 64, 112, 7, 2},
	{64, 64, 56, 1, 1}, {64, 256, 56, 1, 1}, {256, 64, 56, 1, 1}, {512, 128, 28, 1, 1}, {128, 512, 28, 1, 1}, {256, 512, 28, 1, 2},
	{256, 1024, 14, 1, 1}, {1024, 256, 14, 1, 1}, {512, 2048, 7, 1, 1}, {2048, 512, 7, 1, 1},
	{3, 32, 112, 3, 2}, {16, 96, 112, 1, 1}, {96, 24, 56, 1, 1}, {24, 144, 56, 1, 1}, {144, 24, 56, 1, 1}, {192, 32, 28, 1, 1}, // MobileNetV2
	{64, 384, 14, 1, 1}, {384, 64, 14, 1, 1}, {96, 576, 14, 1, 1}, {160, 960, 7, 1, 1}, {960, 320, 7, 1, 1}, {320, 1280, 7, 1, 1}, {1280, 1000, 1, 1, 1},
	{3, 64, 111, 3, 2}, {16, 64, 55, 1, 1}, {16, 64, 55, 3, 1}, {128, 16, 55, 1, 1}, {32, 128, 27, 3, 1}, {48, 192, 13, 3, 1}, {64, 256, 13, 3, 1}, // SqueezeNet
	{512, 1000, 13, 1, 1},
	{3, 16, 120, 3, 2}, {3, 16, 28, 3, 2}, {3, 32, 28, 3, 2}, {16, 32, 138, 1, 1}, {16, 32, 40, 1, 1}, {16, 32, 80, 1, 1},
	{64, 64, 7, 3, 1}, {64, 64, 14, 3, 1}, {64, 64, 12, 3, 1}, {64, 64, 28, 3, 1}, {64, 16, 28, 3, 1}, {64, 8, 28, 3, 1}, {64, 24, 28, 3, 1}, {64, 48, 28, 3, 1}, {16, 32, 28, 3, 1}, {16, 16, 28, 3, 1}, // probes
	{64, 64, 40, 3, 1}, {64, 6, 40, 3, 1}, {64, 12, 40, 3, 1}, {64, 12, 20, 3, 1}, {128, 8, 40, 1, 1}, {128, 128, 20, 3, 1}, {16, 32, 120, 3, 2}, // UltraFace
}

func (l convLayer) String() string {
	return fmt.Sprintf("%dx%d-%d-%d@%d/%d", l.window, l.window, l.in, l.out, l.size, l.stride)
}

// BenchmarkConvolutions says which share of the peak layers of networks reach in one thread.
func BenchmarkConvolutions(b *testing.B) {
	tier := &simd.AVX512
	if !tier.Has() {
		tier = &simd.AVX2
	}
	if !tier.Has() {
		b.Skip("there is no tier with convolutions")
	}
	least, rounds := time.Hour, 1000
	for range 1000 {
		least = min(least, timeOf(func() { tier.Peak.Run(&simd.PeakArgs{Rounds: rounds}) }))
	}
	peak := float64(rounds*simd.PeakAdds*tier.Lanes) / float64(least.Nanoseconds())
	for _, l := range convLayers {
		p, call := l.call(b)
		b.Run(l.String(), func(b *testing.B) {
			macs := float64(l.in * l.out * l.size * l.size * l.window * l.window)
			least := time.Hour // others may use the processor
			copies := [][]byte{call.Packed[0]}
			for *coldWeights && len(copies)*len(copies[0]) < farAway {
				copies = append(copies, append(tensor.AlignedBytes(len(copies[0]))[:0], copies[0]...))
			}
			for i := range b.N {
				call.Packed[0] = copies[i%len(copies)]
				least = min(least, timeOf(func() { p.Run(call, 0, p.Pieces) }))
			}
			rate := macs / float64(least.Nanoseconds())
			b.ReportMetric(rate, "GMAC/s")
			b.ReportMetric(100*rate/peak, "%")
		})
	}
}

// farAway is how many bytes of weights of other layers no cache holds.
const farAway = 100 << 20

var coldWeights = flag.Bool("cold", false, "benchmarks: read weights from memory, as networks of many layers do, not from a cache")

func timeOf(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// region returns the layer: a convolution with bias, and relu.
func (l convLayer) region(b *testing.B) kernel.Region {
	b.Helper()
	r, pad := op.NewRand(1, 4), (l.window-1)/2
	large := (l.size-1)*l.stride + l.window - 2*pad
	g := graph.NewBuilder(op.Rules, "layer")
	x := must(g.Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{1, l.in, large, large}}))
	w := must(g.Constant("", "", r.Uniform(tensor.Float32, tensor.Shape{l.out, l.in, l.window, l.window}, -1, 1)))
	bias := must(g.Constant("", "", r.Uniform(tensor.Float32, tensor.Shape{l.out}, -1, 1)))
	y := must(g.One("conv", []*graph.Value{x, w, bias}, graph.AttrsOf("padding", []int{pad, pad, pad, pad}, "stride", []int{l.stride, l.stride}), ""))
	return kernel.Region{Nodes: []*graph.Node{y.Producer, must(g.One("relu", []*graph.Value{y}, nil, "")).Producer}}
}

// call returns a call of the layer with operands that lie as its kernel wants them.
func (l convLayer) call(b *testing.B) (*kernel.Plan, *op.Call) {
	b.Helper()
	region := l.region(b)
	p := kernel.For(kernel.Tiers, region)
	if p == nil {
		b.Fatal("no kernel takes the layer")
	}
	call, r := &op.Call{Scratch: tensor.AlignedBytes(p.Scratch), Shared: tensor.AlignedBytes(p.Shared)}, op.NewRand(1, 4)
	for i, v := range region.Root().In {
		x := v.Const
		if x == nil {
			x = r.Uniform(tensor.Float32, layoutOf(p.In, i).Shape(v.Type.Shape), -1, 1)
		}
		call.In = append(call.In, x)
	}
	call.Out = []*tensor.Tensor{must(tensor.New(tensor.Float32, layoutOf(p.Out, 0).Shape(region.Root().Out[0].Type.Shape)))}
	for _, pack := range p.Pack {
		packed := tensor.AlignedBytes(pack.Size)
		pack.Fill(packed, 0, 1)
		call.Packed = append(call.Packed, packed)
	}
	return p, call
}

// BenchmarkPackConvolution packs weights.
func BenchmarkPackConvolution(b *testing.B) {
	for _, l := range []convLayer{{512, 512, 7, 3, 1}, {1024, 256, 14, 1, 1}, {256, 1024, 14, 1, 1}} {
		p, _ := l.call(b)
		dst := tensor.AlignedBytes(p.Pack[0].Size)
		b.Run(l.String(), func(b *testing.B) {
			b.SetBytes(int64(len(dst)))
			for range b.N {
				p.Pack[0].Fill(dst, 0, 1)
			}
		})
	}
}

// BenchmarkPrepareConvolution makes plans.
func BenchmarkPrepareConvolution(b *testing.B) {
	for _, l := range []convLayer{{64, 64, 56, 3, 1}, {3, 64, 112, 7, 2}, {256, 64, 56, 1, 1}, {64, 64, 20, 3, 1}, {3, 16, 320, 3, 2}} {
		r := l.region(b)
		b.Run(l.String(), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				kernel.For(kernel.Tiers, r)
			}
		})
	}
}
