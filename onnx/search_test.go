package onnx_test

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

var nan = float32(math.NaN())

// TestIndices: what reads and writes at indices, of fewer dimensions or elements than there are.
func TestIndices(t *testing.T) {
	x := counted(2, 3)
	checkRows(t,
		rowCase{1, node("Gather", "x, v -> y", "axis", -1), of(x, i(s(1, 2), -1, 0)), of(f(s(2, 1, 2), 2, 0, 5, 3)), ""},
		rowCase{13, node("Gather", "x, v -> y"), of(x, array(nil, int32(1))), of(f(s(3), 3, 4, 5)), ""},
		rowCase{13, node("Gather", "x, v -> y"), of(x, f(nil, 1)), nil, "indices: the element type float32 is not allowed"},
		rowCase{13, node("GatherElements", "x, v -> y", "axis", 1), of(x, i(s(1, 2), -1, 0)), of(f(s(1, 2), 2, 0)), ""},
		rowCase{13, node("GatherElements", "x, v -> y", "axis", 1), of(x, i(s(3, 1), 0, 0, 0)), nil, "only dimension 1 may differ"},
		rowCase{11, node("GatherND", "x, v -> y"), of(x, i(s(2, 2), 0, 1, -1, -1)), of(f(s(2), 1, 5)), ""},
		rowCase{12, node("GatherND", "x, v -> y", "batch_dims", 1), of(counted(2, 2, 2), i(s(2, 1), 1, 0)), of(f(s(2, 2), 2, 3, 4, 5)), ""},
		rowCase{12, node("GatherND", "x, v -> y", "batch_dims", 2), of(counted(1, 2, 3), array(s(1, 2, 2, 1), int32(1), 2, 0, 0)), of(f(s(1, 2, 2), 1, 2, 3, 3)), ""},
		rowCase{12, node("GatherND", "x, v -> y", "batch_dims", 1), of(x, i(s(3, 1), 0, 0, 0)), nil, "batch_dims: it is 1; data, float32[2,3], and indices, int64[3,1], must have as many"},

		rowCase{9, node("Scatter", "x, v, w -> y", "axis", 1), of(x, i(s(1, 1), 2), f(s(1, 1), 9)), of(f(s(2, 3), 0, 1, 9, 3, 4, 5)), ""},
		rowCase{11, node("ScatterElements", "x, v, w -> y"), of(x, i(s(1, 2), 1, 0), f(s(1, 2), 8, 9)), of(f(s(2, 3), 0, 9, 2, 8, 4, 5)), ""},
		rowCase{16, node("ScatterElements", "x, v, w -> y", "reduction", "add"), of(x, i(s(2, 2), -1, -1, 1, 0), f(s(2, 2), 1, 2, 3, 4)), of(f(s(2, 3), 0, 5, 2, 7, 6, 5)), ""},
		rowCase{18, node("ScatterElements", "x, v, w -> y", "reduction", "mean"), of(x, i(s(1, 2), 1, 0), f(s(1, 2), 8, 9)), nil, `reduction: "mean" is not allowed`},
		rowCase{11, node("ScatterElements", "x, v, w -> y"), of(x, i(s(1, 2), 1, 0), f(s(1, 3), 8, 9, 0)), nil, "updates: "},
		rowCase{13, node("ScatterND", "x, v, w -> y"), of(x, i(s(1, 1), -1), f(s(1, 3), 7, 8, 9)), of(f(s(2, 3), 0, 1, 2, 7, 8, 9)), ""},
		rowCase{18, node("ScatterND", "x, v, w -> y", "reduction", "max"), of(x, i(s(2, 1), 1, 1), f(s(2, 3), 1, 9, 1, 7, 1, 1)), of(f(s(2, 3), 0, 1, 2, 7, 9, 5)), ""},

		rowCase{24, node("TensorScatter", "x, v -> y"), of(counted(1, 3, 1), f(s(1, 2, 1), 8, 9)), of(f(s(1, 3, 1), 8, 9, 2)), ""},
		rowCase{24, node("TensorScatter", "x, v, w -> y", "mode", "circular", "axis", 1), of(counted(2, 3), f(s(2, 2), 7, 8, 9, 10), list(2, 0)), of(f(s(2, 3), 8, 1, 7, 9, 10, 5)), ""},
		rowCase{24, node("TensorScatter", "x, v -> y"), of(x, f(s(2), 1, 2)), nil, "update: it is float32[2]; it must have the rank of past_cache"},

		rowCase{10, node("ReverseSequence", "x, v -> y", "time_axis", 1, "batch_axis", 0), of(x, list(3, 2)), of(f(s(2, 3), 2, 1, 0, 4, 3, 5)), ""},
		rowCase{10, node("ReverseSequence", "x, v -> y", "batch_axis", 2), of(x, list(3, 2)), nil, "batch_axis: there is no axis 2"},
	)
}

// TestSearches: operators whose results have as many elements as they find, also where only a run knows the operands.
func TestSearches(t *testing.T) {
	x := f(s(2, 3), 1, 5, 5, 4, -2, 4)
	boxes := f(s(1, 3, 4), 0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11)
	scores := f(s(1, 1, 3), 0.9, 0.75, 0.6)
	checkRows(t,
		rowCase{1, node("ArgMax", "x -> y"), of(x), of(i(s(1, 3), 1, 0, 0)), ""},
		rowCase{11, node("ArgMin", "x -> y", "axis", -1, "keepdims", 0), of(x), of(list(0, 1)), ""},
		rowCase{12, node("ArgMax", "x -> y", "axis", 1, "keepdims", 0, "select_last_index", 1), of(x), of(list(2, 2)), ""},
		rowCase{11, node("ArgMax", "x -> y", "select_last_index", 1), of(x), nil, "select_last_index: the operator has no such attribute"},
		rowCase{13, node("ArgMax", "x -> y", "axis", 2), of(x), nil, "axis: there is no axis 2 in a tensor of rank 2"},

		rowCase{9, node("Compress", "x, v -> y", "axis", 1), of(x, b(s(2), false, true)), of(f(s(2, 1), 5, -2)), ""},
		rowCase{11, node("Compress", "x, v -> y"), of(x, b(s(5), true, false, false, true, true)), of(f(s(3), 1, 4, -2)), ""},
		rowCase{11, node("Compress", "x, v -> y", "axis", -2), of(x, b(s(4), false, true, true, true)), of(f(s(1, 3), 4, -2, 4)), ""},
		rowCase{11, node("Compress", "x, v -> y"), of(x, b(s(1), false)), of(f(s(0))), ""},
		rowCase{11, node("Compress", "x, v -> y"), of(x, b(s(1, 1), false)), nil, "condition: it is bool[1,1]; its rank must be 1"},

		rowCase{1, node("Hardmax", "x -> y"), of(f(s(1, 2, 2), 1, 3, 3, 2)), of(f(s(1, 2, 2), 0, 1, 0, 0)), ""},
		rowCase{13, node("Hardmax", "x -> y"), of(f(s(1, 2, 2), 1, 3, 3, 2)), of(f(s(1, 2, 2), 0, 1, 1, 0)), ""},

		rowCase{9, node("NonZero", "x -> y"), of(f(s(2, 2), 0, 1, nan, 0)), of(i(s(2, 2), 0, 1, 1, 0)), ""},
		rowCase{9, node("NonZero", "x -> y"), of(b(s(2), false, false)), of(i(s(1, 0))), ""},

		rowCase{11, node("NonMaxSuppression", "x, v, k, o, p -> y"), of(boxes, scores, i(nil, 3), f(s(1), 0.5), f(s(1), 0.1)), of(i(s(2, 3), 0, 0, 0, 0, 0, 2)), ""},
		rowCase{10, node("NonMaxSuppression", "x, v, k -> y"), of(boxes, scores, i(nil, 1)), of(i(s(1, 3), 0, 0, 0)), ""},
		rowCase{11, node("NonMaxSuppression", "x, v, k, o, p -> y"), of(boxes, scores, i(nil, math.MaxInt64), f(nil, 1), f(nil, -inf)), of(i(s(3, 3), 0, 0, 0, 0, 0, 1, 0, 0, 2)), ""},
		rowCase{11, node("NonMaxSuppression", "x, v -> y"), of(boxes, scores), of(i(s(0, 3))), ""},
		rowCase{11, node("NonMaxSuppression", "x, v, k, o -> y"), of(boxes, scores, i(nil, 1), f(nil, 2)), nil, "iou_threshold: 2 is out of range"},

		rowCase{1, node("TopK", "x -> y, z", "k", 1), of(x), of(f(s(2, 1), 5, 4), i(s(2, 1), 1, 0)), ""},
		rowCase{10, node("TopK", "x, v -> y, z", "axis", 0), of(x, list(1)), of(f(s(1, 3), 4, 5, 5), i(s(1, 3), 1, 0, 0)), ""},
		rowCase{11, node("TopK", "x, v -> y, z", "largest", 0), of(x, list(2)), of(f(s(2, 2), 1, 5, -2, 4), i(s(2, 2), 0, 1, 1, 0)), ""},
		rowCase{11, node("TopK", "x, v -> y, z"), of(x, list(4)), nil, "k: 4 elements are asked for"},

		rowCase{11, node("Unique", "x -> y, z, p, q"), of(x), of(f(s(4), -2, 1, 4, 5), list(4, 0, 3, 1), list(1, 3, 3, 2, 0, 2), list(1, 1, 2, 2)), ""},
		rowCase{11, node("Unique", "x -> y, z, p, q", "sorted", 0), of(x), of(f(s(4), 1, 5, 4, -2), list(0, 1, 3, 4), list(0, 1, 1, 2, 3, 2), list(1, 2, 2, 1)), ""},
		rowCase{11, node("Unique", "x -> y", "axis", -1), of(f(s(1, 3), 2, 1, 2)), of(f(s(1, 2), 1, 2)), ""},

		rowCase{9, node("TfIdfVectorizer", "x -> y", "mode", "TFIDF", "min_gram_length", 1, "max_gram_length", 2, "max_skip_count", 1, "ngram_counts", []int64{0, 2},
			"ngram_indexes", []int64{0, 1, 2}, "pool_int64s", []int64{2, 3, 5, 4}, "weights", []float32{1, 2, 3}),
			of(list(3, 5, 3, 4, 2, 3)), of(f(s(3), 1, 6, 3)), ""},
		rowCase{9, node("TfIdfVectorizer", "x -> y", "mode", "TF", "min_gram_length", 1, "max_gram_length", 1, "max_skip_count", 0, "ngram_counts", []int64{0},
			"ngram_indexes", []int64{0}, "pool_strings", []string{"a"}), of(list(3)), nil, "pool_strings: tensors of strings are not supported"},
	)
}

// TestReductions: axes as attributes and operands, and what there is to do if there are none.
func TestReductions(t *testing.T) {
	x := counted(2, 3)
	checkRows(t,
		rowCase{1, node("ReduceSum", "x -> y"), of(x), of(f(s(1, 1), 15)), ""},
		rowCase{11, node("ReduceSum", "x -> y", "axes", []int64{-1}, "keepdims", 0), of(x), of(f(s(2), 3, 12)), ""},
		rowCase{13, node("ReduceSum", "x -> y", "axes", []int64{0}), of(x), nil, "axes: the operator has no such attribute; there are keepdims, noop_with_empty_axes"},
		rowCase{13, node("ReduceSum", "x, v -> y"), of(x, list(0)), of(f(s(1, 3), 3, 5, 7)), ""},
		rowCase{13, node("ReduceSum", "x, v -> y"), of(x, list()), of(f(s(1, 1), 15)), ""},
		rowCase{13, node("ReduceSum", "x -> y", "noop_with_empty_axes", 1), of(x), of(x), ""},
		rowCase{18, node("ReduceSumSquare", "x, v -> y", "noop_with_empty_axes", 1, "keepdims", 0), of(f(s(2), 2, 3), list()), of(f(s(2), 4, 9)), ""},
		rowCase{18, node("ReduceL1", "x, v -> y", "noop_with_empty_axes", 1), of(f(s(2), -2, 3), list(0)), of(f(s(1), 5)), ""},
		rowCase{18, node("ReduceMean", "x, v -> y"), of(x, list(2)), nil, "axes: there is no axis 2 in a tensor of rank 2"},
		rowCase{18, node("ReduceMean", "x, v -> y"), of(x, list(1, -1)), nil, "axes: axis -1 is named twice"},
		rowCase{13, node("ReduceMean", "x -> y"), of(list(1, 2, 4)), of(list(2)), ""},
		rowCase{13, node("ReduceL2", "x -> y"), of(list(3, 4)), of(list(5)), ""},
		rowCase{13, node("ReduceLogSumExp", "x -> y", "keepdims", 0), of(f(s(2), 1000, 1000)), of(f(nil, 1000.6931)), ""},
		rowCase{20, node("ReduceMax", "x, v -> y"), of(b(s(2, 2), false, true, false, false), list(1)), of(b(s(2, 1), true, false)), ""},
		rowCase{20, node("ReduceMin", "x, v -> y"), of(b(s(2, 2), true, true, true, false), list(1)), of(b(s(2, 1), true, false)), ""},
		rowCase{18, node("ReduceMax", "x, v -> y"), of(counted(2, 0), list(1)), of(f(s(2, 1), -inf, -inf)), ""},

		rowCase{11, node("CumSum", "x, v -> y", "reverse", 1, "exclusive", 1), of(x, i(nil, -1)), of(f(s(2, 3), 3, 2, 0, 9, 5, 0)), ""},
		rowCase{26, node("CumProd", "x, v -> y"), of(list(2, 3, 4), array(nil, int32(0))), of(list(2, 6, 24)), ""},
		rowCase{11, node("CumSum", "x, v -> y"), of(x, list(0, 1)), nil, "axis: it has 2 elements; it must have one"},

		rowCase{11, node("Softmax", "x -> y"), of(f(s(1, 2, 2), 0, 0, 0, 0)), of(f(s(1, 2, 2), 0.25, 0.25, 0.25, 0.25)), ""},
		rowCase{13, node("Softmax", "x -> y"), of(f(s(1, 2, 2), 0, 0, 0, 0)), of(f(s(1, 2, 2), 0.5, 0.5, 0.5, 0.5)), ""},
		rowCase{11, node("LogSoftmax", "x -> y", "axis", 0), of(f(s(2, 2), 0, 0, 0, 0)), of(f(s(2, 2), -1.3862944, -1.3862944, -1.3862944, -1.3862944)), ""},
		rowCase{13, node("LogSoftmax", "x -> y"), of(f(s(2), 1e6, 1e6+1)), of(f(s(2), -1.3132617, -0.31326169)), ""},

		rowCase{22, node("LpNormalization", "x -> y"), of(f(s(2, 2), 3, 4, 0, 0)), of(f(s(2, 2), 0.6, 0.8, 0, 0)), ""},
		rowCase{1, node("LpNormalization", "x -> y", "p", 1, "axis", 0), of(f(s(2), -1, 3)), of(f(s(2), -0.25, 0.75)), ""},
		rowCase{1, node("LpNormalization", "x -> y", "p", 3), of(f(s(2), -1, 3)), nil, "p: it is 3; it must be 1 or 2"},
		rowCase{13, node("MeanVarianceNormalization", "x -> y"), of(f(s(2, 1, 1, 1), 1, 3)), of(f(s(2, 1, 1, 1), -1, 1)), ""},
		rowCase{13, node("MeanVarianceNormalization", "x -> y", "axes", []int64{0}), of(f(s(2, 2), 1, 1, 3, 5)), of(f(s(2, 2), -1, -1, 1, 1)), ""},
		rowCase{11, node("Det", "x -> y"), of(f(s(1, 2, 2), 1, 2, 3, 4)), of(f(s(1), -2)), ""},
	)
}

// TestRandom: shapes, types and bounds of random numbers, and that they are the same in every run but not in every node.
func TestRandom(t *testing.T) {
	draw := func(op, values string, attrs ...any) *tensor.Tensor {
		t.Helper()
		out, err := eval(t, modelOf(22, graphOf("x: float[2,500] -> y", node(op, values, attrs...))), map[string]*tensor.Tensor{"x": f(s(2, 500), make([]float32, 1000)...)})
		if err != nil {
			t.Fatal(err)
		}
		return out["y"]
	}
	moments := func(v *tensor.Tensor) (mean, variance float64) {
		x := tensor.Data[float32](v)
		for _, e := range x {
			mean += float64(e) / float64(len(x))
		}
		for _, e := range x {
			variance += (float64(e) - mean) * (float64(e) - mean) / float64(len(x))
		}
		return mean, variance
	}
	near := func(what string, v *tensor.Tensor, mean, variance float64) {
		t.Helper()
		if m, s := moments(v); math.Abs(m-mean) > 0.1 || math.Abs(s-variance) > 0.2 || !v.Shape().Equal(tensor.Shape{2, 500}) {
			t.Errorf("%s: %v, mean %v, variance %v", what, v, m, s)
		}
	}
	shape := []int64{2, 500}
	near("uniform", draw("RandomUniform", "-> y", "shape", shape, "low", float32(1), "high", float32(3)), 2, 1.0/3)
	near("uniform", draw("RandomUniformLike", "x -> y"), 0.5, 1.0/12)
	near("normal", draw("RandomNormal", "-> y", "shape", shape, "mean", float32(3), "scale", float32(0.5)), 3, 0.25)
	near("normal", draw("RandomNormalLike", "x -> y", "seed", float32(7)), 0, 1)
	if d := draw("RandomNormalLike", "x -> y", "dtype", 10).DType(); d != tensor.Float16 {
		t.Errorf("the type is %v", d)
	}

	a, again := draw("RandomUniformLike", "x -> y", "seed", float32(1)), draw("RandomUniformLike", "x -> y", "seed", float32(1))
	other := draw("RandomUniformLike", "x -> y", "seed", float32(2))
	if string(a.Bytes()) != string(again.Bytes()) || string(a.Bytes()) == string(other.Bytes()) {
		t.Error("numbers are not a function of the seed")
	}
	two, err := eval(t, modelOf(22, graphOf("x: float[2,500] -> y, z", node("RandomUniformLike", "x -> y"), node("RandomUniformLike", "x -> z"))),
		map[string]*tensor.Tensor{"x": a})
	if err != nil || string(two["y"].Bytes()) == string(two["z"].Bytes()) {
		t.Error("two nodes without a seed draw the same numbers:", err)
	}

	p := f(s(4), 0, 0, 1, 1)
	x := f(s(2), 3, -4)
	certain := f(s(2, 3), -1000, 0, -1000, 0, -1000, -1000)
	checkRows(t,
		rowCase{15, node("Bernoulli", "x -> y"), of(p), of(p), ""},
		rowCase{22, node("Bernoulli", "x -> y", "dtype", 9, "seed", float32(3)), of(p), of(b(s(4), false, false, true, true)), ""},
		rowCase{7, node("Multinomial", "x -> y", "sample_size", 2), of(certain), of(array(s(2, 2), int32(1), 1, 0, 0)), ""},
		rowCase{22, node("Multinomial", "x -> y", "dtype", 7), of(certain), of(i(s(2, 1), 1, 0)), ""},
		rowCase{22, node("Multinomial", "x -> y"), of(p), nil, "input: it is float32[4]; it must be a batch"},
		rowCase{22, node("RandomNormalLike", "x -> y"), of(list(1)), nil, "dtype: it is int64; it must be a float"},
		rowCase{22, node("RandomNormal", "-> y", "shape", []int64{-1}), nil, nil, "shape: "},

		rowCase{7, node("Dropout", "x -> y, z"), of(x), of(x, f(s(2), 1, 1)), ""},
		rowCase{10, node("Dropout", "x -> y, z"), of(x), of(x, b(s(2), true, true)), ""},
		rowCase{6, node("Dropout", "x -> y", "is_test", 1), of(x), of(x), ""},
		rowCase{6, node("Dropout", "x -> y, z", "ratio", float32(0)), of(x), of(x, f(s(2), 1, 1)), ""},
		rowCase{13, node("Dropout", "x, v, w -> y, z", "seed", 5), of(x, f(nil, 0), b(nil, true)), of(x, b(s(2), true, true)), ""},
		rowCase{13, node("Dropout", "x, v, w -> y"), of(x, f(nil, 0.9), b(nil, false)), of(x), ""},
	)
	out, err := eval(t, modelOf(13, stored(stored(graphOf("x: float[1000] -> y, z", node("Dropout", "x, r, w -> y, z")), "r", nil, float32(0.25)), "w", nil, true)),
		map[string]*tensor.Tensor{"x": counted(1000)})
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for k, keep := range tensor.Data[bool](out["z"]) {
		want := float32(0)
		if keep {
			kept++
			want = float32(k) / 0.75
		}
		if got := tensor.Data[float32](out["y"])[k]; math.Abs(float64(got-want)) > 1e-3 {
			t.Fatalf("element %d is %v, want %v", k, got, want)
		}
	}
	if kept < 700 || kept > 800 {
		t.Errorf("%d of 1000 elements are kept; they should be about 750", kept)
	}
}

// TestRandomTurns: each turn of a loop, element of a sequence and call of a function draws numbers of its own, with a seed and without, and turns that are
// taken one by one draw those that a block draws.
func TestRandomTurns(t *testing.T) {
	x := f(s(3), 1, 2, 3)
	for _, seed := range [][]any{nil, {"seed", float32(7)}} {
		draws := func(to string) *proto.Node {
			return node("RandomUniform", "-> "+to, append([]any{"shape", []int64{5}}, seed...)...)
		}
		loop := func(step *proto.Node) *proto.Graph {
			return stored(graphOf("x: float[3] -> y", node("Loop", "m, , x -> last, y", "body", graphOf("i, c, v -> c, w, r", step, draws("r")))), "m", nil, int64(4))
		}
		inner := func() *proto.Node { return node("Loop", "m, -> q", "body", graphOf("j, d -> d, r", draws("r"))) }
		function := modelOf(22, graphOf("x: float[3] -> y", node("own.F", "-> a"), node("own.F", "-> b"), node("Concat", "a, b -> y", "axis", 0)))
		function.OpsetImport = append(function.OpsetImport, &proto.OperatorSet{Domain: "own", Version: 1})
		function.Functions = []*proto.Function{{Name: "F", Domain: "own", Output: []string{"r"}, Node: []*proto.Node{draws("r")},
			OpsetImport: []*proto.OperatorSet{{Version: 22}}}}
		var drawn []string
		for _, c := range []struct {
			name string
			m    *proto.Model
			rows int
		}{
			{"a block", modelOf(22, loop(node("Identity", "v -> w"))), 4},
			{"turn by turn", modelOf(22, loop(node("Concat", "v, x -> w", "axis", 0))), 4},
			{"in one another", modelOf(22, stored(graphOf("x: float[3] -> y", node("Loop", "m, -> y", "body", graphOf("i, c -> c, q", inner()))), "m", nil, int64(3))), 9},
			{"a branch", modelOf(22, stored(graphOf("x: float[3] -> y", node("Loop", "m, -> y", "body", graphOf("i, c -> c, q",
				node("Greater", "i, m -> more"), node("If", "more -> q", "then_branch", graphOf("-> r", draws("r")), "else_branch", graphOf("-> z", draws("z")))))), "m", nil, int64(3))), 3},
			{"scan", modelOf(22, graphOf("x: float[3] -> y", node("Scan", "x -> y", "num_scan_inputs", 1, "body", graphOf("e -> r", draws("r"))))), 3},
			{"map", modelOf(22, graphOf("x: float[3] -> y", node("SplitToSequence", "x -> q"), node("SequenceMap", "q -> p", "body", graphOf("e -> r", draws("r"))),
				node("ConcatFromSequence", "p -> y", "axis", 0))), 3},
			{"calls", function, 2},
		} {
			if c.name == "calls" && seed != nil {
				continue // as two nodes with one seed
			}
			out, err := eval(t, c.m, model.Values{"x": x})
			if err != nil {
				t.Fatal(c.name, seed, err)
			}
			y := out["y"].Contiguous().Bytes()
			if len(y) != c.rows*20 {
				t.Fatalf("%s: there are %d numbers", c.name, len(y)/4)
			}
			seen := make(map[string]bool)
			for i := range c.rows {
				seen[string(y[20*i:][:20])] = true
			}
			if len(seen) != c.rows {
				t.Errorf("%s, seed %v: %d rows draw %d times", c.name, seed, c.rows, len(seen))
			}
			drawn = append(drawn, string(y))
		}
		if drawn[0] != drawn[1] {
			t.Errorf("seed %v: turn by turn other numbers are drawn than by a block", seed)
		}
	}
}
