package op_test

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func TestRMSNormalization(t *testing.T) {
	checkValues(t, []valueCase{
		{"rms_normalization", []*tensor.Tensor{shaped(tensor.Shape{2, 2}, 3, 4, -1, 0), vec[float32](1, 2)},
			graph.Attrs{with("axes", []int{1}), with("epsilon", 0.0)}, [][]float32{{0.8485281, 2.2627417, -1.4142136, 0}}},
		{"rms_normalization", []*tensor.Tensor{vec[float32](2, 2)}, graph.Attrs{with("axes", []int{0}), with("epsilon", 12.0)}, [][]float32{{0.5, 0.5}}},
	})
	r := op.NewRand(5, 1)
	shape := tensor.Shape{3, 37, 2}
	x, scale := r.Tensor(tensor.Float32, shape), r.Tensor(tensor.Float32, tensor.Shape{37})
	got := apply[float32](t, "rms_normalization", graph.Attrs{with("axes", []int{1}), with("epsilon", 1e-3)}, x, scale)
	for _, group := range groupsOf(shape, []int{1}) {
		values := gatherValues(x, group)
		k := fmath.Rsqrt(laneFold(values, 0, func(acc, v float32) float32 { return fmath.FMA(v, v, acc) }, floatAdd)/37 + 1e-3)
		for i, p := range group {
			sameBits(t, fmt.Sprintf("element %d", p), got[p], values[i]*float32(k*tensor.Data[float32](scale)[i]))
		}
	}
}
