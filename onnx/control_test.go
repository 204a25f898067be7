package onnx_test

import (
	"testing"

	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// TestOpenLoops runs loops without a trip count, one in another and with a body that takes its time: what they may cost only a run can say.
func TestOpenLoops(t *testing.T) {
	inner := graphOf("i: int64[], c: bool[], x: float[64,64] -> more, y", node("MatMul", "x, unit -> p"), node("Add", "p, unit -> y"),
		node("ReduceMax", "y -> top", "keepdims", 0), node("Less", "top, limit -> more"))
	outer := graphOf("i: int64[], c: bool[], x: float[64,64] -> more, y", node("Loop", ", , x -> y", "body", inner),
		node("ReduceMax", "y -> top", "keepdims", 0), node("Less", "top, double -> more"))
	g := graphOf("x: float[64,64] -> z", node("Loop", ", , x -> y", "body", outer), node("ReduceMax", "y -> z", "keepdims", 0))
	unit := make([]float32, 64*64)
	for i := range 64 {
		unit[65*i] = 1
	}
	stored(stored(stored(g, "unit", []int{64, 64}, unit...), "limit", nil, float32(5)), "double", nil, float32(7))
	x, err := tensor.New(tensor.Float32, tensor.Shape{64, 64})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, modelOf(13, g), model.Values{"x": x}, "z", nil, float32(7))
}

// TestBatchedScan: sequences of a batch have lengths of their own, which may be 0, and are read backwards from their own ends.
func TestBatchedScan(t *testing.T) {
	n := node("Scan", "n, s, x -> t, y", "num_scan_inputs", 1, "directions", []int64{1}, "body",
		graphOf("s: float[], x: float[] -> t, y", node("Sub", "x, s -> t"), node("Neg", "x -> y")))
	start, x := f(s(3), 10, 20, 30), f(s(3, 2), 1, 2, 3, 4, 5, 6)
	checkRows(t,
		rowCase{8, n, of(list(1, 2, 0), start, x), of(f(s(3), -9, 3-(4-20), 30), f(s(3, 2), -1, 0, -4, -3, 0, 0)), ""},
		rowCase{8, n, of(list(1, 2), start, x), nil, "sequence_lens: there are 2 lengths; there must be 3"},
		rowCase{8, n, of(list(1, 2, 3), start, x), nil, "sequence_lens: a sequence of 3 elements is not possible: there are 2"},
		rowCase{8, n, of(list(1, 2, 0), start, start), nil, "x"},
	)
}

// TestScanUnrolled takes scans turn by turn whose bodies have shapes that only a run knows.
func TestScanUnrolled(t *testing.T) {
	body := graphOf("s: float[], x: float[3] -> n, y, places", node("NonZero", "x -> at"), node("Shape", "at -> shape"),
		node("Gather", "shape, one -> count"), node("Cast", "count -> k", "to", 1), node("Add", "s, k -> n"), node("Mul", "x, k -> y"), node("Identity", "x -> places"))
	for _, c := range []struct {
		directions []int64 // of the operand, and of the results
		y          []float32
	}{
		{[]int64{0, 0, 0}, []float32{2, 0, 4, 0, 0, 5}},
		{[]int64{1, 0, 0}, []float32{0, 2, 0, 4, 5, 0}},
		{[]int64{1, 1, 1}, []float32{2, 0, 4, 0, 0, 5}},
	} {
		g := graphOf("s: float[], x: float[3,2] -> n, y", node("Scan", "s, x -> n, y, places", "body", body, "num_scan_inputs", 1, "scan_input_axes", []int64{-1},
			"scan_output_axes", []int64{1, 0}, "scan_input_directions", c.directions[:1], "scan_output_directions", c.directions[1:]))
		m := modelOf(13, stored(g, "one", nil, int64(1)))
		in := model.Values{"s": array(nil, float32(10)), "x": array(s(3, 2), float32(1), 0, 2, 0, 0, 5)}
		expect(t, m, in, "y", s(3, 2), c.y...)
		expect(t, m, in, "n", nil, float32(13))
	}
	none := modelOf(13, graphOf("s: float[], x: float[3,n] -> n, y", node("Scan", "s, x -> n, y", "num_scan_inputs", 1, "scan_input_axes", []int64{1}, "scan_output_axes", []int64{-1},
		"body", graphOf("s: float[], x: float[3] -> n, y: int64[1,k]", node("Neg", "s -> n"), node("NonZero", "x -> y")))))
	in := model.Values{"s": array(nil, float32(10)), "x": array[float32](s(3, 0))}
	expect(t, none, in, "n", nil, float32(10))
	expect(t, none, in, "y", s(1, 0, 0), []int64{}...)
}
