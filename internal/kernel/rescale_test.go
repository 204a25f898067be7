package kernel_test

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func init() {
	// Factors and shifts up to those that the routine has not any more, and elements of which products fill 62 bits.
	aroundTiles["rescale"] = func(r *op.Rand) op.Case {
		shift := int64(r.Between(-6, 64))
		factor := op.Pick(r, []int64{1, -1, 255, 1<<24 - 1, 1<<31 - 1, -1 << 31, 1 << 31, -1 << 63}) >> (r.IntN(3) * 8)
		x := r.Integers(tensor.Int32, chainRuns(r), -1<<31, 1<<31-1)
		return op.Case{In: []*tensor.Tensor{x, tensor.Scalar(shift), tensor.Scalar(factor)}, Attrs: graph.AttrsOf(
			"rounding", op.Pick(r, []string{"floor", "to_zero", "half_up", "half_even", "half_away", "half_up_to_zero"}),
			"overflow", op.Pick(r, []string{"wrap", "saturate"}), "dtype", op.Pick(r, []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16}))}
	}
}

// TestLeastShift: a shift whose magnitude no int64 holds moves everything out of the result, by whatever evaluates it.
func TestLeastShift(t *testing.T) {
	c := op.Case{In: []*tensor.Tensor{tensor.Scalar(int32(-5)), tensor.Scalar(int64(-1 << 63))}, Attrs: graph.AttrsOf("dtype", tensor.Int8)}
	eachRow(t, func(t *testing.T, row *kernel.Kernel) {
		if row.Op != "rescale" {
			return
		}
		if p := row.Prepare(kernel.Region{Nodes: []*graph.Node{constantNode(t, row.Op, c)}}); p != nil {
			newTrial(t, op.NewRand(1, 1), row.Op, c, p).check()
		}
	})
}
