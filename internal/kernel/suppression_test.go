package kernel_test

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func init() {
	// Scores from all of the range, or that are often equal; classes far apart; and coordinates of which differences wrap, or overlaps are great.
	aroundTiles["non_max_suppression"] = func(r *op.Rand) op.Case {
		d, shape := r.DType(op.TypeSet(tensor.Int8, tensor.Int16, tensor.Int32)), tensor.Shape{r.Between(1, 2), r.Between(1, 300), 6}
		bound := 1 << r.Between(3, 30)
		data := r.Integers(tensor.Int32, shape, -1, bound)
		rows := tensor.Data[int32](data)
		for at := 0; at < len(rows); at += 6 {
			rows[at] = int32(r.Between(-1, 2)) << (r.IntN(2) * 29)
			rows[at+1] = int32(r.Uint32()) >> (r.IntN(4) * 8)
			if r.Bool() {
				rows[at+4] += rows[at+2]
				rows[at+5] += rows[at+3]
			}
		}
		n := shape[1]
		return op.Case{In: []*tensor.Tensor{must(tensor.Cast(data, d)), r.Integers(tensor.Int32, shape[:1], 0, n)},
			Attrs: graph.AttrsOf("iou_threshold", r.Between(1, 120), "max_output_size", r.Between(-1, n), "top_k", r.Between(-1, n), "force_suppress", r.Bool())}
	}
}
