package kernel_test

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func init() {
	// Channels that fill chunks and do not, bins of one element and of none, and as many bins as go to their planes together, or more.
	aroundTiles["roi_pool"] = func(r *op.Rand) op.Case {
		data := tensor.Shape{r.Between(1, 2), r.Between(8, 300), r.Between(1, 20), r.Between(1, 20)}
		lists, n := data[0], r.Between(1, 4)
		size, before := []int{r.Between(1, 9), r.Between(1, 20)}, op.Pick(r, []string{"clamp", "empty"})
		in := []*tensor.Tensor{r.Tensor(tensor.Int8, data), nil}
		if r.Bool() {
			lists, in = 1, append(in, r.Integers(tensor.Int32, tensor.Shape{n}, -1, data[0]))
		}
		in[1] = r.Integers(tensor.Int32, tensor.Shape{lists, n, 4}, -4, 24)
		return op.Case{In: in, Attrs: graph.AttrsOf("output_size", size, "before", before)}
	}
}
