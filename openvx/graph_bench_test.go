package openvx_test

import (
	"testing"

	"github.com/concord-nn/concord/openvx"
)

// small makes a graph of convolution, activation and pooling.
func small(t testing.TB, c *openvx.Context) *openvx.Graph {
	g := must(c.CreateGraph())
	in := must(c.CreateTensor([]int{8, 8, 2}, openvx.TypeUint8, 0))
	weights := must(c.CreateTensor([]int{3, 3, 2, 4}, openvx.TypeUint8, 0))
	out := must(c.CreateTensor([]int{3, 3, 4}, openvx.TypeUint8, 0))
	a, b := must(g.CreateVirtualTensor(nil, openvx.TypeInvalid, 0)), must(g.CreateVirtualTensor([]int{6, 6, 4}, openvx.TypeUint8, 0))
	p := openvx.ConvolutionParams{OverflowPolicy: openvx.ConvertPolicySaturate, RoundingPolicy: openvx.RoundPolicyToZero, DownScaleSize: openvx.SizeRoundingFloor}
	must(g.ConvolutionLayer(in, weights, nil, p, a))
	must(g.ActivationLayer(a, openvx.ActivationRelu, 0, 0, b))
	must(g.PoolingLayer(b, openvx.PoolingMax, 2, 2, 0, 0, openvx.SizeRoundingFloor, out))
	status(t, g.Verify(), openvx.Success)
	return g
}

func TestRunsAllocateNothing(t *testing.T) {
	c := must(openvx.NewContext(openvx.Options{}))
	defer c.Release()
	g := small(t, c)
	status(t, g.Process(), openvx.Success)
	if n := testing.AllocsPerRun(100, func() { _ = g.Process() }); n != 0 {
		t.Errorf("%v allocations in a run", n)
	}
}

func BenchmarkProcessOneNode(b *testing.B) {
	c := must(openvx.NewContext(openvx.Options{}))
	defer c.Release()
	g := must(c.CreateGraph())
	in, out := must(c.CreateTensor([]int{1}, openvx.TypeUint8, 0)), must(c.CreateTensor([]int{1}, openvx.TypeUint8, 0))
	must(g.ActivationLayer(in, openvx.ActivationRelu, 0, 0, out))
	status(b, g.Verify(), openvx.Success)
	b.ReportAllocs()
	for b.Loop() {
		_ = g.Process()
	}
}

func BenchmarkVerify(b *testing.B) {
	c := must(openvx.NewContext(openvx.Options{}))
	defer c.Release()
	g := small(b, c)
	for b.Loop() {
		_ = g.Verify()
	}
}
