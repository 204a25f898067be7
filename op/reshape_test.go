package op_test

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func TestReshape(t *testing.T) {
	x := iota32(2, 3, 4)
	reshape := func(name string, shape []int, start, count int, want tensor.Shape, err string) moveCase {
		return moveCase{name: name, op: def("reshape"), in: []*tensor.Tensor{x},
			attrs:  graph.Attrs{with("shape", shape), with("axis_start", start), with("axis_count", count)},
			shapes: []tensor.Shape{want}, want: [][]int32{tensor.Data[int32](x)}, err: err}
	}
	checkMoves(t, []moveCase{
		reshape("copy and infer", []int{0, -1}, 0, -1, tensor.Shape{2, 12}, ""),
		reshape("two copies", []int{0, 0, 2, 2}, 0, -1, tensor.Shape{2, 3, 2, 2}, ""),
		reshape("some dimensions", []int{12}, 1, 2, tensor.Shape{2, 12}, ""),
		reshape("insert", []int{1}, 1, 0, tensor.Shape{2, 1, 3, 4}, ""),
		reshape("append", []int{1, 1}, 3, -1, tensor.Shape{2, 3, 4, 1, 1}, ""),
		reshape("copy counts from the start", []int{0, 2, 2}, 1, -1, tensor.Shape{2, 3, 2, 2}, ""),
		reshape("flat", []int{-1}, 0, -1, tensor.Shape{24}, ""),
		reshape("other size", []int{5, 5}, 0, -1, nil, "[5,5] has 25 elements"),
		reshape("not inferable", []int{5, -1}, 0, -1, nil, "no extent for the -1"),
		reshape("two to infer", []int{-1, -1}, 0, -1, nil, "at most one"),
		reshape("negative", []int{-2}, 0, -1, nil, "out of range"),
		reshape("copy of nothing", []int{2, 3, 4, 0}, 0, -1, nil, "no dimension 3"),
		reshape("start", []int{1}, 4, 0, nil, "axis_start"),
		reshape("count", []int{1}, 2, 2, nil, "axis_count"),
		reshape("overflow", []int{tensor.MaxElements, tensor.MaxElements, -1}, 0, -1, nil, "more elements"),
		reshape("rank", slices.Repeat([]int{1}, 17), 0, 0, nil, "at most 16"),
		reshape("rank in all", slices.Repeat([]int{1}, 14), 0, 0, nil, "rank 17"),
	})
}

func TestSqueezeUnsqueeze(t *testing.T) {
	x := iota32(1, 3, 1, 2)
	y := iota32(3, 2)
	all := [][]int32{tensor.Data[int32](x)}
	axes := func(list ...int) graph.Attrs { return graph.Attrs{with("axes", list)} }
	checkMoves(t, []moveCase{
		{name: "two", op: def("squeeze"), in: []*tensor.Tensor{x}, attrs: axes(2, 0), shapes: []tensor.Shape{{3, 2}}, want: all},
		{name: "not 1", op: def("squeeze"), in: []*tensor.Tensor{x}, attrs: axes(1), err: "only extents of 1"},
		{name: "outside", op: def("squeeze"), in: []*tensor.Tensor{x}, attrs: axes(4), err: "axis 4"},
		{name: "twice", op: def("squeeze"), in: []*tensor.Tensor{x}, attrs: axes(0, 0), err: "twice"},
		{name: "two", op: def("unsqueeze"), in: []*tensor.Tensor{y}, attrs: axes(0, 2), shapes: []tensor.Shape{{1, 3, 1, 2}}, want: all},
		{name: "last", op: def("unsqueeze"), in: []*tensor.Tensor{y}, attrs: axes(2, 3), shapes: []tensor.Shape{{3, 2, 1, 1}}, want: all},
		{name: "outside", op: def("unsqueeze"), in: []*tensor.Tensor{y}, attrs: axes(3), err: "axis 3"},
		{name: "rank", op: def("unsqueeze"), in: []*tensor.Tensor{y}, attrs: axes(slices.Repeat([]int{0}, 15)...), err: "rank 17"},
	})
}

func TestTranspose(t *testing.T) {
	for _, axes := range [][]int{{}, {0}, {1, 0}, {2, 0, 1, 3}, {3, 2, 1, 0}, {0, 1, 3, 2}, {0, 2, 1}} {
		x := iota32(2, 3, 4, 5)
		out, err := op.Eval(def("transpose"), []*tensor.Tensor{x}, graph.Attrs{with("axes", axes)})
		if err != nil {
			t.Fatal(err)
		}
		checkElements(t, out[0], func(index []int) int32 {
			from := slices.Clone(index)
			for i, d := range axes {
				from[d] = index[i]
			}
			return elementAt(x, from)
		})
	}
	checkMoves(t, []moveCase{
		{name: "no permutation", op: def("transpose"), in: []*tensor.Tensor{iota32(2, 3, 4)}, attrs: graph.Attrs{with("axes", []int{0, 2})}, err: "not a permutation"},
		{name: "too many", op: def("transpose"), in: []*tensor.Tensor{iota32(2)}, attrs: graph.Attrs{with("axes", []int{0, 1})}, err: "2 dimensions"},
		{name: "scalar", op: def("transpose"), in: []*tensor.Tensor{tensor.Scalar[int32](7)}, attrs: graph.Attrs{with("axes", []int{})},
			shapes: []tensor.Shape{{}}, want: [][]int32{{7}}},
	})
}

func TestExpandTile(t *testing.T) {
	x := iota32(2, 1, 3, 1)
	out, err := op.Eval(def("expand"), []*tensor.Tensor{x}, graph.Attrs{with("shape", []int{2, 4, 3, 2})})
	if err != nil {
		t.Fatal(err)
	}
	checkElements(t, out[0], func(i []int) int32 { return elementAt(x, []int{i[0], 0, i[2], 0}) })
	for _, repeats := range [][]int{{1, 1, 1, 1}, {2, 1, 1, 1}, {1, 3, 2, 1}, {2, 3, 1, 2}} {
		x := iota32(2, 2, 3, 2)
		out, err := op.Eval(def("tile"), []*tensor.Tensor{x}, graph.Attrs{with("repeats", repeats)})
		if err != nil {
			t.Fatal(err)
		}
		checkElements(t, out[0], func(i []int) int32 { return elementAt(x, []int{i[0] % 2, i[1] % 2, i[2] % 3, i[3] % 2}) })
	}
	in := []*tensor.Tensor{iota32(2, 3)}
	checkMoves(t, []moveCase{
		{name: "rank", op: def("expand"), in: in, attrs: graph.Attrs{with("shape", []int{3})}, err: "rank 1"},
		{name: "extent", op: def("expand"), in: in, attrs: graph.Attrs{with("shape", []int{2, 6})}, err: "cannot be expanded"},
		{name: "huge", op: def("expand"), in: []*tensor.Tensor{iota32(1, 1)}, attrs: graph.Attrs{with("shape", []int{tensor.MaxElements, tensor.MaxElements})}, err: "more elements"},
		{name: "rank", op: def("tile"), in: in, attrs: graph.Attrs{with("repeats", []int{1})}, err: "2 dimensions"},
		{name: "zero", op: def("tile"), in: in, attrs: graph.Attrs{with("repeats", []int{1, 0})}, err: "out of range"},
		{name: "huge", op: def("tile"), in: in, attrs: graph.Attrs{with("repeats", []int{tensor.MaxElements, 1})}, err: "more than can be addressed"},
		{name: "huge in all", op: def("tile"), in: in, attrs: graph.Attrs{with("repeats", []int{tensor.MaxElements / 4, tensor.MaxElements / 4})}, err: "more elements"},
		{name: "beyond int", op: def("tile"), in: in, attrs: graph.Attrs{with("repeats", []int{math.MaxInt, 1})}, err: "out of range"},
	})
}

func TestConcatSplit(t *testing.T) {
	x, y := ints32([]int32{1, 2, 3, 4}, 2, 2), ints32([]int32{5, 6}, 2, 1)
	axis := func(n int) graph.Attr { return with("axis", n) }
	both := []*tensor.Tensor{x, x}
	huge := must(iota32(1, 1).Expand(tensor.MaxElements, 1))
	checkMoves(t, []moveCase{
		{name: "columns", op: def("concat"), in: []*tensor.Tensor{x, y, x}, attrs: graph.Attrs{axis(1)},
			shapes: []tensor.Shape{{2, 5}}, want: [][]int32{{1, 2, 5, 1, 2, 3, 4, 6, 3, 4}}},
		{name: "rows", op: def("concat"), in: both, attrs: graph.Attrs{axis(0)}, shapes: []tensor.Shape{{4, 2}}, want: [][]int32{{1, 2, 3, 4, 1, 2, 3, 4}}},
		{name: "extents", op: def("concat"), in: []*tensor.Tensor{x, y}, attrs: graph.Attrs{axis(0)}, err: "item 1, [2,1], differ in dimension 1"},
		{name: "ranks", op: def("concat"), in: []*tensor.Tensor{x, iota32(2)}, attrs: graph.Attrs{axis(0)}, err: "ranks"},
		{name: "types", op: def("concat"), in: []*tensor.Tensor{x, must(tensor.New(tensor.Uint32, tensor.Shape{2, 2}))}, attrs: graph.Attrs{axis(0)}, err: "must be int32"},
		{name: "axis", op: def("concat"), in: both, attrs: graph.Attrs{axis(2)}, err: "axis 2"},
		{name: "huge", op: def("concat"), in: slices.Repeat([]*tensor.Tensor{huge}, 20), attrs: graph.Attrs{axis(0)}, err: "more than can be addressed"},
		{name: "first", op: def("stack"), in: both, attrs: graph.Attrs{axis(0)}, shapes: []tensor.Shape{{2, 2, 2}}, want: [][]int32{{1, 2, 3, 4, 1, 2, 3, 4}}},
		{name: "last", op: def("stack"), in: both, attrs: graph.Attrs{axis(2)}, shapes: []tensor.Shape{{2, 2, 2}}, want: [][]int32{{1, 1, 2, 2, 3, 3, 4, 4}}},
		{name: "scalars", op: def("stack"), in: []*tensor.Tensor{tensor.Scalar[int32](3), tensor.Scalar[int32](4)}, attrs: graph.Attrs{axis(0)}, shapes: []tensor.Shape{{2}}, want: [][]int32{{3, 4}}},
		{name: "axis", op: def("stack"), in: both, attrs: graph.Attrs{axis(3)}, err: "from 0 to 2"},
		{name: "shapes", op: def("stack"), in: []*tensor.Tensor{x, y}, attrs: graph.Attrs{axis(0)}, err: "differ"},
		{name: "rank", op: def("stack"), in: []*tensor.Tensor{iota32(slices.Repeat([]int{1}, 16)...)}, attrs: graph.Attrs{axis(0)}, err: "rank 17"},
		{name: "ratios", op: def("split"), in: []*tensor.Tensor{iota32(2, 6)}, attrs: graph.Attrs{axis(1), with("ratios", []int{1, 2})},
			shapes: []tensor.Shape{{2, 2}, {2, 4}}, want: [][]int32{{0, 1, 6, 7}, {2, 3, 4, 5, 8, 9, 10, 11}}},
		{name: "sizes", op: def("split"), in: []*tensor.Tensor{iota32(6)}, attrs: graph.Attrs{axis(0), with("ratios", []int{1, 2, 3})},
			shapes: []tensor.Shape{{1}, {2}, {3}}, want: [][]int32{{0}, {1, 2}, {3, 4, 5}}},
		{name: "remainder", op: def("split"), in: both[:1], attrs: graph.Attrs{axis(1), with("ratios", []int{1, 2})}, err: "does not divide the extent 2"},
		{name: "zero", op: def("split"), in: both[:1], attrs: graph.Attrs{axis(1), with("ratios", []int{0, 1})}, err: "out of range"},
		{name: "none", op: def("split"), in: both[:1], attrs: graph.Attrs{axis(1), with("ratios", []int{})}, err: "0 ratios"},
		{name: "huge", op: def("split"), in: both[:1], attrs: graph.Attrs{axis(1), with("ratios", slices.Repeat([]int{tensor.MaxElements}, 40))}, err: "does not divide"},
		{name: "columns", op: def("unstack"), in: both[:1], attrs: graph.Attrs{axis(1)}, shapes: []tensor.Shape{{2}, {2}}, want: [][]int32{{1, 3}, {2, 4}}},
		{name: "axis", op: def("unstack"), in: both[:1], attrs: graph.Attrs{axis(-1)}, err: "axis -1"},
	})
}
