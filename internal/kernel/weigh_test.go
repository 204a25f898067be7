package kernel_test

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestWeighed resizes what random cases seldom have.
func TestWeighed(t *testing.T) {
	rising := func(shape ...int) *tensor.Tensor { return op.NewRand(1, 4).Tensor(tensor.Float32, shape) }
	for name, tt := range map[string]struct {
		op    string
		x     *tensor.Tensor
		attrs graph.Attrs
	}{
		"lines, and shorter ones": {"resample", rising(5, 100), graph.AttrsOf("sizes", []int{3, 1}, "mode", "linear")},
		// Weights that nearly cancel are divided by their sum, and what is added is infinite.
		"sums that are no numbers": {"resize", must(tensor.Cast(rising(2, 2, 2, 2, 2), tensor.Int8)), graph.AttrsOf("sizes", []int{4, 4, 4, 4, 4}, "mode", "cubic",
			"exclude_outside", true, "cubic_coeff_a", 16.0/3)},
	} {
		eachSum(t, name, tt.op, func(t *testing.T, row *kernel.Kernel) {
			r, c := op.NewRand(1, 4), op.Case{In: []*tensor.Tensor{tt.x}, Attrs: tt.attrs}
			newTrial(t, r, tt.op, c, row.Prepare(kernel.Region{Nodes: []*graph.Node{node(t, r, tt.op, c)}})).check()
		})
	}
	// Between two dimensions there would be 2³² elements, more than an int may count.
	eachSum(t, "between small ones", "resample", func(t *testing.T, row *kernel.Kernel) {
		x := must(tensor.New(tensor.Float32, tensor.Shape{1 << 16, 1}))
		n := node(t, op.NewRand(1, 4), "resample", op.Case{In: []*tensor.Tensor{x}, Attrs: graph.AttrsOf("sizes", []int{1, 1 << 16}, "mode", "linear")})
		if p := row.Prepare(kernel.Region{Nodes: []*graph.Node{n}}); p != nil {
			t.Errorf("the row takes %d bytes", p.Shared)
		}
	})
}

// eachSum runs a test for each row that resizes by sums.
func eachSum(t *testing.T, name, of string, f func(t *testing.T, row *kernel.Kernel)) {
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if row.Op == of && row.Name == "sums" {
			t.Run(name, func(t *testing.T) { f(t, row) })
		}
	})
}
