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
