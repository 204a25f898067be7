package op_test

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

func TestGather(t *testing.T) {
	x := ints32([]int32{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32}, 4, 3)
	in := func(indices *tensor.Tensor) []*tensor.Tensor { return []*tensor.Tensor{x, indices} }
	negative := with("negative", true)
	checkMoves(t, []moveCase{
		{name: "rows", op: def("gather"), in: in(ints32([]int32{3, 1}, 2)), shapes: []tensor.Shape{{2, 3}}, want: [][]int32{{30, 31, 32, 10, 11, 12}}},
		{name: "columns", op: def("gather"), in: in(ints32([]int32{2, 1, 1}, 3)), attrs: graph.Attrs{with("axis", 1)},
			shapes: []tensor.Shape{{4, 3}}, want: [][]int32{{2, 1, 1, 12, 11, 11, 22, 21, 21, 32, 31, 31}}},
		{name: "scalar index", op: def("gather"), in: in(tensor.Scalar[int32](2)), shapes: []tensor.Shape{{3}}, want: [][]int32{{20, 21, 22}}},
		{name: "matrix of indices", op: def("gather"), in: in(ints32([]int32{0, 1, 2, 0}, 2, 2)), attrs: graph.Attrs{with("axis", 1)}, shapes: []tensor.Shape{{4, 2, 2}},
			want: [][]int32{{0, 1, 2, 0, 10, 11, 12, 10, 20, 21, 22, 20, 30, 31, 32, 30}}},
		{name: "clamped", op: def("gather"), in: in(ints32([]int32{-1, 4, math.MinInt32, math.MaxInt32}, 4)), attrs: graph.Attrs{with("axis", 1)}, shapes: []tensor.Shape{{4, 4}},
			want: [][]int32{{0, 2, 0, 2, 10, 12, 10, 12, 20, 22, 20, 22, 30, 32, 30, 32}}},
		{name: "from the end", op: def("gather"), in: in(ints32([]int32{-1, -3, -4, 3}, 4)), attrs: graph.Attrs{with("axis", 1), negative}, shapes: []tensor.Shape{{4, 4}},
			want: [][]int32{{2, 0, 0, 2, 12, 10, 10, 12, 22, 20, 20, 22, 32, 30, 30, 32}}},
		{name: "extreme int64", op: def("gather"), in: in(must(tensor.FromSlice([]int64{math.MinInt64, math.MaxInt64}, 2))), attrs: graph.Attrs{negative},
			shapes: []tensor.Shape{{2, 3}}, want: [][]int32{{0, 1, 2, 30, 31, 32}}},
		{name: "extreme uint64", op: def("gather"), in: in(must(tensor.FromSlice([]uint64{1, math.MaxUint64}, 2))), attrs: graph.Attrs{negative},
			shapes: []tensor.Shape{{2, 3}}, want: [][]int32{{10, 11, 12, 30, 31, 32}}},
		{name: "axis", op: def("gather"), in: in(iota32(1)), attrs: graph.Attrs{with("axis", 2)}, err: "axis 2"},
		{name: "type", op: def("gather"), in: in(tensor.Scalar[float32](0)), err: "must be integer"},
		{name: "rank", op: def("gather"), in: in(iota32(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)), err: "rank 17"},

		{name: "rows", op: def("gather_elements"), in: in(ints32([]int32{3, 1, 1, 2, 0, 3}, 2, 3)), shapes: []tensor.Shape{{2, 3}}, want: [][]int32{{30, 11, 12, 20, 1, 32}}},
		{name: "columns", op: def("gather_elements"), in: in(ints32([]int32{2, 1, 0, -1}, 4, 1)), attrs: graph.Attrs{with("axis", 1), negative},
			shapes: []tensor.Shape{{4, 1}}, want: [][]int32{{2, 11, 20, 32}}},
		{name: "extents", op: def("gather_elements"), in: in(iota32(2, 2)), err: "only dimension 0 may differ"},
		{name: "rank", op: def("gather_elements"), in: in(iota32(3)), err: "must have the rank"},

		{name: "elements", op: def("gather_nd"), in: in(ints32([]int32{0, 0, 3, 2, -1, 1}, 3, 2)), attrs: graph.Attrs{negative}, shapes: []tensor.Shape{{3}}, want: [][]int32{{0, 32, 31}}},
		{name: "rows", op: def("gather_nd"), in: in(ints32([]int32{2, 0}, 2, 1)), shapes: []tensor.Shape{{2, 3}}, want: [][]int32{{20, 21, 22, 0, 1, 2}}},
		{name: "one", op: def("gather_nd"), in: in(ints32([]int32{9, 9}, 2)), shapes: []tensor.Shape{{}}, want: [][]int32{{32}}},
		{name: "too many coordinates", op: def("gather_nd"), in: in(iota32(1, 3)), err: "only 2 dimensions"},
	})
}

func TestScatter(t *testing.T) {
	zeros := must(tensor.New(tensor.Int32, tensor.Shape{3, 3}))
	in := func(indices, updates *tensor.Tensor) []*tensor.Tensor {
		return []*tensor.Tensor{zeros, indices, updates}
	}
	u := ints32([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	checkMoves(t, []moveCase{
		{name: "rows", op: def("scatter_elements"), in: in(ints32([]int32{1, 0, 2, 0, 2, 1}, 2, 3), u), shapes: []tensor.Shape{{3, 3}}, want: [][]int32{{4, 2, 0, 1, 0, 6, 0, 5, 3}}},
		{name: "the last wins", op: def("scatter_elements"), in: in(ints32([]int32{1, 0, 2, 1, 0, 2}, 2, 3), u), shapes: []tensor.Shape{{3, 3}}, want: [][]int32{{0, 5, 0, 4, 0, 0, 0, 0, 6}}},
		{name: "columns", op: def("scatter_elements"), in: in(ints32([]int32{2, -1, 5}, 3, 1), ints32([]int32{7, 8, 9}, 3, 1)), attrs: graph.Attrs{with("axis", 1)},
			shapes: []tensor.Shape{{3, 3}}, want: [][]int32{{0, 0, 7, 8, 0, 0, 0, 0, 9}}},
		{name: "updates", op: def("scatter_elements"), in: in(iota32(2, 3), iota32(3, 3)), err: "must be that of indices"},
		{name: "indices", op: def("scatter_elements"), in: in(iota32(2, 2), iota32(2, 2)), err: "only dimension 0 may differ"},
		{name: "type", op: def("scatter_elements"), in: in(iota32(2, 3), must(tensor.New(tensor.Float32, tensor.Shape{2, 3}))), err: "must be int32"},

		{name: "elements", op: def("scatter_nd"), in: in(ints32([]int32{0, 0, -1, -1, 0, 0}, 3, 2), ints32([]int32{1, 2, 3}, 3)), attrs: graph.Attrs{with("negative", true)},
			shapes: []tensor.Shape{{3, 3}}, want: [][]int32{{3, 0, 0, 0, 0, 0, 0, 0, 2}}},
		{name: "rows", op: def("scatter_nd"), in: in(ints32([]int32{2, 0}, 2, 1), u), shapes: []tensor.Shape{{3, 3}}, want: [][]int32{{4, 5, 6, 0, 0, 0, 1, 2, 3}}},
		{name: "updates", op: def("scatter_nd"), in: in(iota32(2, 1), iota32(2)), err: "must be [2,3]"},
	})
}
