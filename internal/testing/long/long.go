// Package long has applications of operators whose pieces take long, for tests of how an evaluation ends early.
package long

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Case is an application of an operator.
type Case struct {
	Op    string
	Attrs graph.Attrs
	In    []*tensor.Tensor

	// Parts says that results are computed part by part, so that the end of the last one stays as it is if an evaluation ends early.
	Parts bool
}

// Cases returns, by name, applications that take some times the work that a kernel may do between two looks at whether anybody waits: of
// one piece, or of a few that a kernel computes together, and of many. No result is what memory of rubbish or of zeros holds.
func Cases() map[string]Case {
	const n = 3 * limits.OpWatch
	const i8, i16, i32, f32 = tensor.Int8, tensor.Int16, tensor.Int32, tensor.Float32
	type shape = tensor.Shape
	floats, ints := Rising(f32, shape{8, n / 8}), Rising(i32, shape{8, n / 8})
	flat := graph.AttrsOf("padding", []int{0, 0})
	depthwise := append(graph.AttrsOf("groups", 0), flat...)
	wide := graph.AttrsOf("dtype", tensor.Int64)
	inner := graph.AttrsOf("axes", []int{2})
	all := graph.AttrsOf("axes", []int{0, 1})
	window := func(more ...any) graph.Attrs {
		return graph.AttrsOf(append([]any{"size", []int{512}, "padding", []int{0, 0}}, more...)...)
	}
	var (
		runs     = window("border", "ignore")
		means    = window("normalize", true)
		dilated  = window("dilation", []int{2})
		planes   = graph.AttrsOf("size", []int{1, 1, 1000}, "padding", make([]int, 6), "border", "ignore")
		twoRight = graph.AttrsOf("repeats", []int{1, 3})
		twoBoth  = graph.AttrsOf("repeats", []int{3, 3})
		grams    = graph.AttrsOf("pool", []int{1, 2, 2, 3}, "starts", []int{0, 0}, "columns", []int{0, 1}, "max_length", 2, "max_skip", 3)
	)
	steps, step := graph.AttrsOf("steps", 50, "hidden_size", 64, "return_sequence", true), graph.AttrsOf("hidden_size", 64)
	return map[string]Case{
		"conv float32":              {"conv", flat, Rising(f32, shape{1, 1, 5000}, shape{1, 1, 1000}), false},
		"conv float32, planes":      {"conv", flat, Rising(f32, shape{1, 64, 1000}, shape{64, 64, 3}), true},
		"conv float32, depthwise":   {"conv", depthwise, Rising(f32, shape{1, 32, 2000}, shape{32, 1, 1000}), true},
		"conv int32":                {"conv", flat, Rising(i32, shape{1, 1, 5000}, shape{1, 1, 1000}), false},
		"conv int32, planes":        {"conv", flat, Rising(i32, shape{1, 64, 100}, shape{64, 64, 3}), true},
		"conv int8, many channels":  {"conv", flat, Rising(i8, shape{1, 64, 300}, shape{64, 64, 3}), true},
		"conv int8, one piece":      {"conv", flat, Rising(i8, shape{1, 8192, 8}, shape{32, 8192, 1}), false},
		"conv int16, many channels": {"conv", flat, Rising(i16, shape{1, 64, 300}, shape{64, 64, 3}), true},
		"conv int16, one piece":     {"conv", flat, Rising(i16, shape{1, 8192, 8}, shape{32, 8192, 1}), false},
		"conv int16, wide":          {"conv", append(wide, flat...), Rising(i16, shape{1, 64, 300}, shape{64, 64, 3}), true},
		"conv int8, one channel":    {"conv", depthwise, Rising(i8, shape{1, 16, 2000}, shape{16, 1, 50}), true},
		"conv int8, one plane":      {"conv", flat, Rising(i8, shape{1, 2048, 27}, shape{1, 2048, 20}), false},
		"deconv":                    {"deconv", flat, Rising(f32, shape{1, 1, 4000}, shape{1, 1, 1000}), false},
		"deconv int32":              {"deconv", flat, Rising(i32, shape{1, 1, 4000}, shape{1, 1, 1000}), false},
		"deconv int8":               {"deconv", flat, Rising(i8, shape{1, 64, 300}, shape{64, 64, 3}), true},
		"matmul float32":            {"matmul", nil, Rising(f32, shape{64, 256}, shape{256, 128}), true},
		"matmul int8":               {"matmul", nil, Rising(i8, shape{64, 1024}, shape{1024, 256}), true},
		"matmul int32":              {"matmul", nil, Rising(i32, shape{64, 256}, shape{256, 128}), true},
		"linear float32":            {"linear", nil, Rising(f32, shape{64, 256}, shape{128, 256}), true},
		"linear int8":               {"linear", nil, Rising(i8, shape{64, 256}, shape{128, 256}), true},
		"linear int16, wide":        {"linear", wide, Rising(i16, shape{64, 256}, shape{128, 256}), true},
		"linear int32":              {"linear", nil, Rising(i32, shape{64, 256}, shape{128, 256}), true},
		"gemm":                      {"gemm", nil, Rising(f32, shape{64, 256}, shape{256, 128}), true},
		"sum_reduce":                {"sum_reduce", all, floats, false},
		"sum_reduce, planes":        {"sum_reduce", inner, Rising(f32, shape{1, 2304, 2048}), false},
		"sum_reduce int32":          {"sum_reduce", all, ints, false},
		"mean_reduce, planes":       {"mean_reduce", inner, Rising(f32, shape{1, 2304, 2048}), false},
		"max_reduce":                {"max_reduce", all, ints, false},
		"max_reduce float32":        {"max_reduce", all, floats, false},
		"min_reduce float32":        {"min_reduce", all, []*tensor.Tensor{Ending(f32, shape{8, n / 8}, 3, 2)}, false},
		"mean_reduce":               {"mean_reduce", all, floats, false},
		"product_reduce":            {"product_reduce", all, []*tensor.Tensor{Ending(f32, shape{8, n / 8}, 1, 2)}, false},
		"l1_reduce":                 {"l1_reduce", all, floats, false},
		"l2_reduce":                 {"l2_reduce", all, floats, false},
		"sum_square_reduce":         {"sum_square_reduce", all, floats, false},
		"log_sum_reduce":            {"log_sum_reduce", all, floats, false},
		"log_sum_exp_reduce":        {"log_sum_exp_reduce", all, floats, false},
		"min_reduce":                {"min_reduce", all, []*tensor.Tensor{Ending(i32, shape{8, n / 8}, 3, 2)}, false},
		"product_reduce int32":      {"product_reduce", all, []*tensor.Tensor{Ending(i32, shape{8, n / 8}, 1, 2)}, false},
		"l1_reduce int32":           {"l1_reduce", all, ints, false},
		"sum_square_reduce int32":   {"sum_square_reduce", all, ints, false},
		"any_reduce":                {"any_reduce", all, []*tensor.Tensor{Ending(tensor.Bool, shape{8, n / 8}, 0, 1)}, false},
		"local_response":            {"local_response_normalization", graph.AttrsOf("size", []int{1, 511}), Rising(f32, shape{9, 2000}), true},
		"gather":                    {"gather", nil, append(Rising(i32, shape{2, n / 4}), Rising(i32, shape{2})...), true},
		"gather, small items":       {"gather", nil, append(Rising(i32, shape{n / 64, 64}), Rising(i32, shape{n / 64})...), true},
		"resample, nearest":         {"resample", graph.AttrsOf("sizes", []int{64, n / 64}), Rising(f32, shape{64, 64}), true},
		"resize, nearest":           {"resize", graph.AttrsOf("sizes", []int{64, n / 64}), Rising(f32, shape{64, 64}), true},
		"tile":                      {"tile", twoBoth, Rising(i16, shape{4, n / 16}), true},
		"tile, small rows":          {"tile", twoRight, Rising(i16, shape{n / 128, 64}), true},
		"box, sums":                 {"box", window(), Rising(f32, shape{9000}), false},
		"box, sums of runs":         {"box", runs, Rising(i32, shape{9000}), false},
		"box, dilated":              {"box", dilated, Rising(f32, shape{9000}), false},
		"box, means of runs":        {"box", means, Rising(i32, shape{9000}), false},
		"debox int32":               {"debox", window(), Rising(i32, shape{9000}), false},
		"debox float32":             {"debox", window(), Rising(f32, shape{9000}), false},
		"max_pool, runs":            {"max_pool", runs, Rising(i32, shape{9000}), false},
		"max_pool float32":          {"max_pool", runs, Rising(f32, shape{9000}), false},
		"max_pool, dilated":         {"max_pool", dilated, Rising(i32, shape{9000}), false},
		"max_pool, planes":          {"max_pool", planes, Rising(f32, shape{1, 32, 2000}), false},
		"max_pool int8, planes":     {"max_pool", planes, Rising(i8, shape{1, 32, 2000}), false},
		"max_pool uint8, planes":    {"max_pool", planes, Rising(tensor.Uint8, shape{1, 32, 2000}), false},
		"max_pool int16, planes":    {"max_pool", planes, Rising(i16, shape{1, 32, 2000}), false},
		"box, planes":               {"box", planes, Rising(f32, shape{1, 32, 2000}), false},
		"box int8, whole planes":    {"box", graph.AttrsOf("size", []int{1, n / 256}, "padding", []int{0, 0, 0, 0}, "normalize", true), Rising(i8, shape{128, n / 256}), false},
		"l2_pool, planes":           {"l2_pool", planes, Rising(f32, shape{1, 32, 2000}), false},
		"rms_pool, planes":          {"rms_pool", planes, Rising(f32, shape{1, 32, 2000}), false},
		"l2_pool":                   {"l2_pool", window(), Rising(f32, shape{9000}), false},
		"rms_pool":                  {"rms_pool", window(), Rising(f32, shape{9000}), false},
		"valid_count":               {"valid_count", nil, Rising(i32, shape{1, n / 8, 8}), true},
		"valid_count, batches":      {"valid_count", nil, Rising(i32, shape{n / 64, 8, 8}), true},
		"class_box_suppression":     {"class_box_suppression", graph.AttrsOf("max_output_size", 10), Rising(f32, shape{1, n / 32, 4}, shape{1, 1, n / 32}), false},
		"top_k":                     {"top_k", graph.AttrsOf("axis", 0, "k", n/4), Rising(i32, shape{n / 2}), true},
		"cumulative_sum":            {"cumulative_sum", graph.AttrsOf("axis", 0), Rising(i32, shape{n}), true},
		"cumulative_sum of lines":   {"cumulative_sum", graph.AttrsOf("axis", 0), Rising(i32, shape{n / 64, 64}), true},
		"non_zero":                  {"non_zero", nil, Rising(i32, shape{n}), true},
		"unique":                    {"unique", nil, Rising(i32, shape{n / 2}), true},
		"scatter_elements_reduce":   {"scatter_elements_reduce", graph.AttrsOf("reduction", "add"), Rising(i32, shape{128}, shape{n}, shape{n}), false},
		"scatter_nd_reduce":         {"scatter_nd_reduce", graph.AttrsOf("reduction", "add"), Rising(i32, shape{128, 64}, shape{n / 64, 1}, shape{n / 64, 64}), false},
		"col_to_im":                 {"col_to_im", append(graph.AttrsOf("output_size", []int{n / 256}), runs[:2]...), Rising(i32, shape{1, 512, n/256 - 511}), true},
		"reverse_sequence":          {"reverse_sequence", nil, Rising(i32, shape{2, 2, n / 4}, shape{2}), true},
		"n_gram_count":              {"n_gram_count", grams, Rising(i32, shape{n / 2}), false},
		"lstm":                      {"lstm", steps, Rising(f32, shape{50, 1, 64}, shape{1, 256, 64}, shape{1, 256, 64}), true},
		"lstm_cell":                 {"lstm_cell", step, Rising(f32, shape{64, 64}, shape{256, 64}, shape{256, 64}, shape{64, 64}, shape{64, 64}), true},
		"gru":                       {"gru", steps, Rising(f32, shape{50, 1, 64}, shape{1, 192, 64}, shape{1, 192, 64}), true},
		"gru_cell":                  {"gru_cell", step, Rising(f32, shape{64, 64}, shape{192, 64}, shape{192, 64}, shape{64, 64}), true},
		"rnn":                       {"rnn", steps, Rising(f32, shape{50, 1, 64}, shape{1, 64, 64}, shape{1, 64, 64}), true},
		"det":                       {"det", nil, Rising(f32, shape{5, 97, 97}), true},
	}
}

// Ending returns a tensor of one number, with another at its end.
func Ending(d tensor.DType, shape tensor.Shape, most, last int32) *tensor.Tensor {
	return repeated(d, shape, []int32{most}, last)
}

// numbers are those from 1 to 100.
var numbers = func() (v []int32) {
	for i := range int32(100) {
		v = append(v, i+1)
	}
	return v
}()

// Rising returns tensors of the numbers from 1 to 100, again and again, each tensor a little greater at its end.
func Rising(d tensor.DType, shapes ...tensor.Shape) []*tensor.Tensor {
	var list []*tensor.Tensor
	for _, shape := range shapes {
		list = append(list, repeated(d, shape, numbers, 101))
	}
	return list
}

// repeated returns a tensor of numbers, again and again, with another one at its end.
func repeated(d tensor.DType, shape tensor.Shape, v []int32, last int32) *tensor.Tensor {
	x, err := tensor.New(d, shape)
	if err != nil {
		panic(err) // a mistake in the table
	}
	to := x.Bytes()
	for from := codes(d, v); len(to) > 0; to = to[copy(to, from):] {
	}
	copy(x.Bytes()[len(x.Bytes())-d.Bytes(1):], codes(d, []int32{last}))
	return x
}

// codes returns the bytes of numbers as elements of a type.
func codes(d tensor.DType, v []int32) []byte {
	x, err := tensor.FromSlice(v, len(v))
	if err == nil {
		x, err = tensor.Cast(x, d)
	}
	if err != nil {
		panic(err) // a mistake in the table
	}
	return x.Bytes()
}

// Boxes returns operands of non_max_suppression: so many boxes of one class that do not overlap, in no order of their scores.
func Boxes(n int) []*tensor.Tensor {
	v := make([]int32, 0, 6*n)
	for i := range int32(n) {
		score := uint32(i) * 2654435769 >> 2
		v = append(v, 0, int32(score), 10*i, 0, 10*i+5, 5)
	}
	boxes, err := tensor.FromSlice(v, 1, n, 6)
	if err != nil {
		panic(err)
	}
	count, err := tensor.FromSlice([]int32{int32(n)}, 1)
	if err != nil {
		panic(err)
	}
	return []*tensor.Tensor{boxes, count}
}
