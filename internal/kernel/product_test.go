package kernel_test

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestProductPlans holds products to what their shapes ask for: where matrices are read, and what their pieces are.
func TestProductPlans(t *testing.T) {
	type shape = tensor.Shape
	transposed := graph.AttrsOf("transposeB", true)
	for _, tt := range []struct {
		name         string
		left, right  shape
		attrs        graph.Attrs
		constant     bool
		packs        int // constants
		shared       int // numbers that all workers share
		rounds, even bool
		pieces       int
	}{
		{"weights for few rows, by columns", shape{1, 128, 768}, shape{1, 768, 768}, nil, true, 1, 0, false, false, 12},
		{"rows that share cache sets, copied for all", shape{128, 1024}, shape{1024, 768}, nil, true, 1, 128 * 1040, true, false, 4 + 12},
		{"weights for many rows, by rows", shape{512, 512}, shape{512, 512}, nil, true, 1, 0, false, true, 16},
		{"a batch that is one matrix", shape{4, 128, 512}, shape{1, 512, 512}, nil, true, 1, 0, false, true, 16},
		{"a vector", shape{1, 1024}, shape{1024, 1024}, nil, true, 1, 0, false, false, 2},
		{"few columns, as they are", shape{64, 256}, shape{256, 16}, nil, true, 0, 0, false, true, 1},
		{"what is near, as it is", shape{128, 128}, shape{128, 128}, nil, false, 0, 0, false, true, 4},
		{"heads of attention", shape{12, 128, 64}, shape{12, 64, 128}, nil, false, 0, 0, false, true, 12},
		{"transposed heads", shape{12, 128, 64}, shape{12, 128, 64}, transposed, false, 0, 0, false, true, 12},
		{"large and dynamic, copied for all", shape{512, 512}, shape{512, 512}, nil, false, 0, 512 * 512, true, false, 4 + 16},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := graph.NewBuilder(op.Rules, "product")
			in := []*graph.Value{must(b.Input("x", op.Type{DType: tensor.Float32, Shape: tt.left})), nil}
			if tt.constant {
				in[1] = must(b.Constant("", "", must(tensor.New(tensor.Float32, tt.right))))
			} else {
				in[1] = must(b.Input("y", op.Type{DType: tensor.Float32, Shape: tt.right}))
			}
			n := must(b.One("matmul", in, tt.attrs, "")).Producer
			p := rowOf(&simd.AVX512, "tiles", "matmul").Prepare(kernel.Region{Nodes: []*graph.Node{n}})
			if len(p.Pack) != tt.packs || p.Shared != 4*tt.shared || (p.Rounds != nil) != tt.rounds || p.Even != tt.even || p.Pieces != tt.pieces {
				t.Errorf("%d packed, %d numbers shared, rounds %v, even %t, %d pieces; want %+v", len(p.Pack), p.Shared/4, p.Rounds, p.Even, p.Pieces, tt)
			}
		})
	}
}
