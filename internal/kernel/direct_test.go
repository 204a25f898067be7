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

// TestConvolutionPieces holds convolutions to the number of pieces: of those that have nothing to divide but channels, an even one.
func TestConvolutionPieces(t *testing.T) {
	for _, tt := range []struct {
		channels, side, size, pieces int
	}{
		{160, 7, 1, 6},   // of 32, 32 and 16 channels, twice
		{128, 7, 1, 4},   // of 32 channels
		{32, 7, 1, 2},    // of 32 channels, two lines
		{480, 7, 1, 16},  // of 32 channels and one of 16, twice
		{160, 7, 3, 6},   // the same
		{160, 14, 1, 20}, // of 16 channels, for two lines
	} {
		b := graph.NewBuilder(op.Rules, "conv")
		x := must(b.Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{1, 64, tt.side, tt.side}}))
		w := must(b.Constant("", "", must(tensor.New(tensor.Float32, tensor.Shape{tt.channels, 64, tt.size, tt.size}))))
		n := must(b.One("conv", []*graph.Value{x, w, nil}, graph.AttrsOf("padding", slices.Repeat([]int{tt.size / 2}, 4)), "")).Producer
		if p := rowOf(&simd.AVX512, "tiles", "conv").Prepare(kernel.Region{Nodes: []*graph.Node{n}}); p.Pieces != tt.pieces {
			t.Errorf("%d channels of %d×%d, windows of %d: %d pieces; want %d", tt.channels, tt.side, tt.side, tt.size, p.Pieces, tt.pieces)
		}
	}
}

// TestSiftedInput checks convolutions whose windows pass over some of the input, which is copied for them.
func TestSiftedInput(t *testing.T) {
	if !simd.AVX2.Has() {
		t.Skip("the processor has no AVX2")
	}
	row := rowOf(&simd.AVX2, "tiles", "conv")
	for _, tt := range []struct {
		in, filter, padding, stride, dilation []int
		groups                                int
	}{
		{[]int{2, 32, 14, 14}, []int{48, 32, 3, 3}, []int{1, 1, 1, 1}, []int{2, 2}, nil, 1},
		{[]int{1, 17, 13, 13}, []int{33, 17, 3, 3}, []int{1, 1, 1, 1}, []int{2, 2}, nil, 1},
		{[]int{1, 16, 7, 8}, []int{32, 16, 2, 4}, []int{0, 1, 1, 2}, []int{2, 3}, nil, 1},
		{[]int{1, 64, 9, 9}, []int{64, 32, 3, 3}, []int{2, 2, 2, 2}, []int{3, 3}, []int{2, 2}, 2},
		{[]int{1, 20, 5, 10}, []int{40, 20, 1, 5}, []int{0, 0, 2, 2}, []int{1, 2}, nil, 1},
		{[]int{1, 16, 9}, []int{32, 16, 3}, []int{1, 1}, []int{2}, nil, 1},
		{[]int{2, 24, 9, 11}, []int{24, 24, 1, 1}, []int{0, 0, 0, 0}, []int{2, 3}, nil, 1},
		{[]int{1, 48, 5, 6, 9}, []int{32, 48, 3, 3, 3}, []int{1, 1, 1, 1, 1, 1}, []int{2, 2, 2}, nil, 1},
	} {
		r := op.NewRand(7, 4)
		c := op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, tt.in), r.Tensor(tensor.Float32, tt.filter), nil},
			Attrs: graph.AttrsOf("padding", tt.padding, "stride", tt.stride, "dilation", tt.dilation, "groups", tt.groups)}
		p := row.Prepare(kernel.Region{Nodes: []*graph.Node{node(t, r, row.Op, c)}})
		if p == nil || p.Shared == 0 {
			t.Errorf("%v, %v: the input is not copied", tt.in, tt.filter)
			continue
		}
		newTrial(t, r, row.Op, c, p).check()
	}
}

// TestSiftedMemory holds the copy of an input to about its size, also where strides reach beyond the input.
func TestSiftedMemory(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "conv")
	x := must(b.Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{4, 16, 1, 32}}))
	w := must(b.Constant("", "", must(tensor.New(tensor.Float32, tensor.Shape{32, 16, 16, 2}))))
	n := must(b.One("conv", []*graph.Value{x, w, nil}, graph.AttrsOf("padding", []int{15, 0, 0, 0}, "stride", []int{16, 2}), "")).Producer
	if p := rowOf(&simd.AVX512, "tiles", "conv").Prepare(kernel.Region{Nodes: []*graph.Node{n}}); p.Shared > 2*4*x.Type.Shape.Len() {
		t.Errorf("%d bytes for a copy of %d elements", p.Shared, x.Type.Shape.Len())
	}
}

// TestSiftingStops holds the copy of a large input to ending early.
func TestSiftingStops(t *testing.T) {
	if !simd.AVX2.Has() {
		t.Skip("the processor has no AVX2")
	}
	b, in := graph.NewBuilder(op.Rules, "conv"), must(tensor.New(tensor.Float32, tensor.Shape{1, 16, 256, 256}))
	x := must(b.Input("x", graph.TypeOf(in)))
	w := must(b.Constant("", "", must(tensor.New(tensor.Float32, tensor.Shape{16, 16, 1, 1}))))
	n := must(b.One("conv", []*graph.Value{x, w, nil}, graph.AttrsOf("stride", []int{2, 2}, "padding", make([]int, 4)), "")).Producer
	p := rowOf(&simd.AVX2, "tiles", "conv").Prepare(kernel.Region{Nodes: []*graph.Node{n}})
	for i := range tensor.Data[float32](in) {
		tensor.Data[float32](in)[i] = 1
	}
	c := op.Call{In: []*tensor.Tensor{in, nil, nil}, Out: []*tensor.Tensor{must(tensor.New(tensor.Float32, tensor.Shape{1, 16, 128, 128}))},
		Shared: tensor.AlignedBytes(p.Shared), Packed: [][]byte{make([]byte, p.Pack[0].Size)}, Stop: func() bool { return true }}
	if p.Run(&c, 0, 1); c.Shared[p.Shared-2] != 0 {
		t.Error("all is copied though nobody wants it")
	}
}

// TestConvolutionGroups holds convolutions in groups to tiles, wherever groups end; channels by themselves have a kernel of their own.
func TestConvolutionGroups(t *testing.T) {
	for _, tt := range []struct {
		groups, in, out int // of a group
		want            bool
	}{
		{3, 8, 16, true},   // blocks
		{32, 4, 4, true},   // groups in a tile
		{3, 264, 66, true}, // the last tile of a group is of the next one, too
		{5, 2, 1, true},
		{64, 1, 2, true},
		{64, 1, 1, false},
	} {
		for _, tier := range []*simd.Tier{&simd.AVX2, &simd.AVX512} {
			b := graph.NewBuilder(op.Rules, "conv")
			x := must(b.Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{1, tt.groups * tt.in, 9, 9}}))
			w := must(b.Constant("", "", must(tensor.New(tensor.Float32, tensor.Shape{tt.groups * tt.out, tt.in, 3, 3}))))
			n := must(b.One("conv", []*graph.Value{x, w, nil}, graph.AttrsOf("padding", []int{1, 1, 1, 1}, "groups", tt.groups), "")).Producer
			if p := rowOf(tier, "tiles", "conv").Prepare(kernel.Region{Nodes: []*graph.Node{n}}); (p != nil) != tt.want {
				t.Errorf("%s: %d groups of %d and %d channels: a plan is made: %t; want %t", tier.Name, tt.groups, tt.in, tt.out, p != nil, tt.want)
			}
		}
	}
}
