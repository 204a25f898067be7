package nnef_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

func parseTract(text string, shapes map[string]tensor.Shape) (*graph.Graph, error) {
	return nnef.Parse("m.nnef", []byte(text), nnef.Options{Shapes: shapes})
}

// tractText returns a document of tract: a body with inputs x and y of the given shapes, and the result out.
func tractText(x, y, body string) string {
	params := "x"
	head := fmt.Sprintf("    x = tract_core_external(shape = %s, datum_type = 'f32');\n", x)
	if y != "" {
		params = "x, y"
		head += fmt.Sprintf("    y = tract_core_external(datum_type = 'f32', shape = %s);\n", y)
	}
	return "version 1.0;\n\nextension tract_registry tract_core;\n\ngraph network(" + params + ") -> (out)\n{\n" + head + "    " + body + "\n}\n"
}

// runGraph runs a graph on float32 inputs and returns the first output in float64.
func runGraph(t *testing.T, g *graph.Graph, in map[string][]float32) ([]float64, *tensor.Tensor) {
	t.Helper()
	p, err := engine.Compile(g, engine.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	feed := make(map[string]*tensor.Tensor)
	for _, v := range g.Inputs {
		x, err := tensor.FromSlice(in[v.Name], v.Type.Shape...)
		if err == nil {
			x, err = tensor.Cast(x, v.Type.DType)
		}
		if err != nil {
			t.Fatal(err)
		}
		feed[v.Name] = x
	}
	out, err := p.Run(context.Background(), feed)
	if err != nil {
		t.Fatal(err)
	}
	y := out[g.Outputs[0].Name]
	wide, err := tensor.Cast(y, tensor.Float32)
	if err != nil {
		t.Fatal(err)
	}
	var values []float64
	for _, v := range tensor.Data[float32](wide.Contiguous()) {
		values = append(values, float64(v))
	}
	return values, y
}

func near(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !(math.Abs(a[i]-b[i]) <= 2e-5*max(1, math.Abs(b[i]))) {
			return false
		}
	}
	return true
}

var inf = math.Inf(1)

// tractCases are one operation of tract each, or one of its ways to write things, with results computed by hand.
var tractCases = []struct {
	name, x, y, body string
	in, other, want  []float64
}{
	{"recip", "[2]", "", "out = recip(x);", []float64{2, -4}, nil, []float64{0.5, -0.25}},
	{"square", "[2]", "", "out = square(x);", []float64{3, -4}, nil, []float64{9, 16}},
	{"tract_core_round_even", "[3]", "", "out = tract_core_round_even(x);", []float64{0.5, 1.5, -2.5}, nil, []float64{0, 2, -2}},
	{"tract_core_erf", "[2]", "", "out = tract_core_erf(x);", []float64{0, 1}, nil, []float64{0, 0.8427008}},
	{"tract_core_hard_swish", "[3]", "", "out = tract_core_hard_swish(x);", []float64{-4, 0, 3}, nil, []float64{0, 0, 3}},
	{"tract_core_silu", "[2]", "", "out = tract_core_silu(x);", []float64{0, 1}, nil, []float64{0, 0.7310586}},
	{"tract_transformers_silu", "[1]", "", "out = tract_transformers_silu(x);", []float64{1}, nil, []float64{0.7310586}},
	{"tract_core_gelu_approx", "[2]", "", "out = tract_core_gelu_approx(x, fast_impl = false);", []float64{0, 1}, nil, []float64{0, 0.841192}},
	{"tract_transformers_gelu_approx", "[1]", "", "out = tract_transformers_gelu_approx(x, fast_impl = true);", []float64{1}, nil, []float64{0.841192}},
	{"tract_core_pow_const", "[2]", "", "out = tract_core_pow_const(x, exponent = 3.0);", []float64{2, 3}, nil, []float64{8, 27}},
	{"tract_core_is_nan", "[2]", "", "out = tract_core_is_nan(x);", []float64{1, math.NaN()}, nil, []float64{0, 1}},
	{"tract_onnx_is_nan", "[1]", "", "out = tract_onnx_is_nan(x);", []float64{inf}, nil, []float64{0}},
	{"tract_core_is_inf", "[3]", "", "out = tract_core_is_inf(x);", []float64{1, inf, -inf}, nil, []float64{0, 1, 1}},
	{"tract_core_is_inf positive", "[3]", "", "out = tract_core_is_inf(x, detect_negative = false);", []float64{1, inf, -inf}, nil, []float64{0, 1, 0}},
	{"tract_core_is_inf negative", "[3]", "", "out = tract_core_is_inf(x, detect_positive = false);", []float64{1, inf, -inf}, nil, []float64{0, 0, 1}},
	{"tract_core_is_inf none", "[3]", "", "out = tract_core_is_inf(x, detect_positive = false, detect_negative = false);", []float64{1, inf, -inf}, nil, []float64{0, 0, 0}},
	{"tract_onnx_isinf", "[1]", "", "out = tract_onnx_isinf(x);", []float64{-inf}, nil, []float64{1}},
	{"tract_core_xor", "[4]", "[4]", "out = tract_core_xor(x > 0.0, y > 0.0);", []float64{0, 0, 1, 1}, []float64{0, 1, 0, 1}, []float64{0, 1, 1, 0}},
	{"tract_core_bitand", "[4]", "[4]", "out = tract_core_bitand(x > 0.0, y > 0.0);", []float64{0, 0, 1, 1}, []float64{0, 1, 0, 1}, []float64{0, 0, 0, 1}},
	{"tract_core_bitand i32", "[2]", "", "out = tract_core_bitand(tract_core_cast(x, to = 'i32'), 6);", []float64{3, 12}, nil, []float64{2, 4}},
	{"tract_core_bitor", "[4]", "[4]", "out = tract_core_bitor(x > 0.0, y > 0.0);", []float64{0, 0, 1, 1}, []float64{0, 1, 0, 1}, []float64{0, 1, 1, 1}},
	{"tract_core_bitxor", "[4]", "[4]", "out = tract_core_bitxor(x > 0.0, y > 0.0);", []float64{0, 0, 1, 1}, []float64{0, 1, 0, 1}, []float64{0, 1, 1, 0}},
	{"tract_core_bitnot", "[2]", "", "out = tract_core_bitnot(x > 0.0);", []float64{0, 1}, nil, []float64{1, 0}},
	{"tract_core_bitnot i32", "[3]", "", "out = tract_core_bitnot(tract_core_cast(x, to = 'i32'));", []float64{0, 5, -1}, nil, []float64{-1, -6, 0}},
	{"tract_core_bitnot u8", "[2]", "", "out = tract_core_bitnot(tract_core_cast(x, to = 'u8'));", []float64{0, 5}, nil, []float64{255, 250}},
	{"tract_shl", "[2]", "", "out = tract_shl(tract_core_cast(x, to = 'i32'), 2);", []float64{3, -1}, nil, []float64{12, -4}},
	{"tract_shr", "[2]", "", "out = tract_shr(tract_core_cast(x, to = 'i32'), 1);", []float64{5, -5}, nil, []float64{2, -3}},
	{"tract_core_cast", "[3]", "", "out = tract_core_cast(x, to = 'i8');", []float64{1.9, -1.9, 300}, nil, []float64{1, -1, 127}},
	{"tract_core_cast by position", "[1]", "", "out = tract_core_cast(x, 'tdim');", []float64{2.5}, nil, []float64{2}},

	{"tract_core_product_reduce", "[2,2]", "", "out = tract_core_product_reduce(x, axes = [1]);", []float64{2, 3, 4, 5}, nil, []float64{6, 20}},
	{"tract_core_argmax_reduce_last", "[4]", "", "out = tract_core_argmax_reduce_last(x, axes = [0]);", []float64{1, 7, 7, 2}, nil, []float64{2}},
	{"tract_core_argmin_reduce_last", "[4]", "", "out = tract_core_argmin_reduce_last(x, axes = [0]);", []float64{1, 7, 1, 2}, nil, []float64{2}},
	{"tract_core_softmax", "[2]", "", "out = tract_core_softmax(x, axes = [0], exp = 'libc');", []float64{0, math.Log(3)}, nil, []float64{0.25, 0.75}},
	{"tract_core_log_softmax", "[2]", "", "out = tract_core_log_softmax(x, axes = [0]);", []float64{0, math.Log(3)}, nil, []float64{math.Log(0.25), math.Log(0.75)}},
	{"tract_core_rms_norm", "[1,2]", "", "out = tract_core_rms_norm(x, axis = 1, eps = 0.0);", []float64{3, 4}, nil, []float64{3 / math.Sqrt(12.5), 4 / math.Sqrt(12.5)}},
	{"tract_transformers_rms_norm", "[2,1]", "", "out = tract_transformers_rms_norm(x, axis = 0);", []float64{1, 1}, nil, []float64{1, 1}},
	{"tract_onnx_lrn", "[1,3,1]", "", "out = tract_onnx_lrn(x, size = 3, alpha = 3.0, beta = 1.0, bias = 1.0);", []float64{1, 2, 3}, nil, []float64{1. / 6, 2. / 15, 3. / 14}},

	{"tract_core_broadcast", "[2]", "", "out = tract_core_broadcast(x, shape = [2, 2]);", []float64{1, 2}, nil, []float64{1, 2, 1, 2}},
	{"tract_core_broadcast of a literal", "[2]", "", "out = x + tract_core_broadcast(0.5, shape = [2]);", []float64{1, 2}, nil, []float64{1.5, 2.5}},
	{"tract_core_broadcast keeps", "[2,1]", "", "out = tract_core_broadcast(x, shape = [3]);", []float64{1, 2}, nil, []float64{1, 1, 1, 2, 2, 2}},
	{"tract_core_downsample", "[5]", "", "out = tract_core_downsample(x, axis = 0, stride = 2, modulo = 1);", []float64{0, 1, 2, 3, 4}, nil, []float64{1, 3}},
	{"tract_core_downsample backwards", "[5]", "", "out = tract_core_downsample(x, axis = 0, stride = -2);", []float64{0, 1, 2, 3, 4}, nil, []float64{4, 2, 0}},
	{"tract_core_dyn_slice", "[4]", "", "out = tract_core_dyn_slice(x, 1, 3, axis = 0, len = 2);", []float64{0, 1, 2, 3}, nil, []float64{1, 2}},
	{"tract_core_gather", "[3]", "", "out = tract_core_gather(x, [2, -1, 0], axis = 0);", []float64{5, 6, 7}, nil, []float64{7, 7, 5}},
	{"tract_core_gather_elements", "[2,2]", "", "out = tract_core_gather_elements(x, [[0, -1], [1, 1]], axis = 1);", []float64{1, 2, 3, 4}, nil, []float64{1, 2, 4, 4}},
	{"tract_core_gather_nd", "[2,2]", "", "out = tract_core_gather_nd(x, [[0, 1], [1, -2]], batch_dims = 0);", []float64{1, 2, 3, 4}, nil, []float64{2, 3}},
	{"tract_core_gather_nd batches", "[2,3]", "", "out = tract_core_gather_nd(x, [[2], [0]], batch_dims = 1);", []float64{1, 2, 3, 4, 5, 6}, nil, []float64{3, 4}},
	{"tract_core_scatter_elements", "[3]", "", "out = tract_core_scatter_elements(x, [2, 0], [9.0, 8.0], axis = 0, reduction = 'none');", []float64{1, 2, 3}, nil, []float64{8, 2, 9}},
	{"tract_core_scatter_nd", "[3]", "[1]", "out = tract_core_scatter_nd(x, [[1]], y);", []float64{1, 2, 3}, []float64{7}, []float64{1, 7, 3}},
	{"tract_core_scatter_elements add", "[3]", "", "out = tract_core_scatter_elements(x, [2, 2], [9.0, 8.0], axis = 0, reduction = 'add');", []float64{1, 2, 3}, nil, []float64{1, 2, 20}},
	{"tract_core_one_hot", "[2]", "", "out = tract_core_one_hot(x, axis = 1, dim = 3);", []float64{2, -3}, nil, []float64{0, 0, 1, 1, 0, 0}},
	{"tract_core_one_hot first", "[2]", "", "out = tract_core_one_hot(x, axis = 0, dim = 2, value_off = 5, value_on = 7.0);", []float64{1, 0}, nil, []float64{5, 7, 7, 5}},
	{"tract_core_range", "[3]", "", "out = x + tract_core_range(1, 7, 2);", []float64{0, 0, 0.5}, nil, []float64{1, 3, 5.5}},
	{"tract_core_range of a shape", "[2]", "", "out = x + tract_core_range(0, tract_core_shape_of(x)[0], step = 1);", []float64{5, 5}, nil, []float64{5, 6}},
	{"tract_core_trilu", "[2,2]", "", "out = tract_core_trilu(x, k = 0, upper = true);", []float64{1, 2, 3, 4}, nil, []float64{1, 2, 0, 4}},
	{"tract_core_trilu lower", "[2,2]", "", "out = tract_core_trilu(x, -1, upper = false);", []float64{1, 2, 3, 4}, nil, []float64{0, 0, 3, 0}},
	{"tract_core_topk", "[2,4]", "", "(out, at) = tract_core_topk(x, 2, axis = 1, largest = true);", []float64{1, 4, 2, 4, 9, 0, 3, 5}, nil, []float64{4, 4, 9, 5}},
	{"tract_core_topk indices", "[2,4]", "", "(values, out) = tract_core_topk(x, 2, axis = 1, largest = true);", []float64{1, 4, 2, 4, 9, 0, 3, 5}, nil, []float64{1, 3, 0, 3}},
	{"tract_core_topk least", "[3,2]", "", "(out, at) = tract_core_topk(x, k = 1, axis = 0, largest = false);", []float64{3, 6, 1, 7, 2, 5}, nil, []float64{1, 5}},
	{"tract_core_resize nearest", "[2]", "", "out = tract_core_resize(x, scales = [2.0], coord_transformer = 'asymmetric');", []float64{1, 2}, nil, []float64{1, 1, 2, 2}},
	{"tract_core_resize both", "[2,1]", "", "out = tract_core_resize(x, scales = [2.0, 2.0], coord_transformer = 'asymmetric');", []float64{1, 2}, nil, []float64{1, 1, 1, 1, 2, 2, 2, 2}},
	{"tract_core_resize linear", "[2]", "", "out = tract_core_resize(x, sizes = [4], interpolator = 'linear');", []float64{0, 4}, nil, []float64{0, 1, 3, 4}},
	{"tract_core_resize corners", "[2]", "", "out = tract_core_resize(x, [1.5], interpolator = 'linear', coord_transformer = 'align_corners');", []float64{0, 4}, nil, []float64{0, 2, 4}},
	{"tract_core_resize cubic", "[3]", "", "out = tract_core_resize(x, sizes = [3], interpolator = 'cubic', coord_transformer = 'pytorch_half_pixel');", []float64{1, 5, 2}, nil, []float64{1, 5, 2}},
	{"tract_item", "[2,2]", "", "a = [[1.0, 2.0], [3.0, 4.0]]; b = mul(a, 10.0); out = x + b[1];", []float64{0, 0, 1, 1}, nil, []float64{30, 30, 41, 41}},

	{"tract_core_einsum matmul", "[2,2]", "[2,2]", "out = tract_core_einsum([x, y], expr = 'mk,kn->mn', acc = 'f32', output = '');", []float64{1, 2, 3, 4}, []float64{1, 0, 1, 1}, []float64{3, 2, 7, 4}},
	{"tract_core_einsum transposed", "[2,2]", "[2,2]", "out = tract_core_einsum([x, y], expr = 'km,nk->nm', acc = 'f32');", []float64{1, 2, 3, 4}, []float64{1, 0, 1, 1}, []float64{1, 2, 4, 6}},
	{"tract_core_einsum batches", "[2,1,2]", "[2,2]", "out = tract_core_einsum([x, y], expr = 'bmk,bk->bm', acc = 'f32');", []float64{1, 2, 3, 4}, []float64{1, 1, 2, 0.5}, []float64{3, 8}},
	{"tract_core_einsum outer", "[2]", "[2]", "out = tract_core_einsum([x, y], expr = 'i,j->ji', acc = 'f32');", []float64{1, 2}, []float64{3, 4}, []float64{3, 6, 4, 8}},
	{"tract_core_einsum of one", "[2,2]", "", "out = tract_core_einsum([x], expr = 'ij->j', acc = 'f32');", []float64{1, 2, 3, 4}, nil, []float64{4, 6}},
	{"tract_core_einsum transpose", "[2,2]", "", "out = tract_core_einsum([x], expr = 'ij->ji', acc = 'f32');", []float64{1, 2, 3, 4}, nil, []float64{1, 3, 2, 4}},
	{"tract_core_einsum several rows", "[2,1,2]", "[2]", "out = tract_core_einsum([x, y], expr = 'abk,k->ab', acc = 'f32');", []float64{1, 2, 3, 4}, []float64{1, 10}, []float64{21, 43}},
	{"tract_core_einsum of three", "[2]", "[2]", "out = tract_core_einsum([x, y, x], expr = 'i,i,i->', acc = 'f32');", []float64{1, 2}, []float64{3, 4}, []float64{19}},
	{"tract_core_matmul", "[2,2]", "[2,2]", "out = tract_core_matmul(x, y, axes = [0, 1, 1, 0, 0, 1]);", []float64{1, 2, 3, 4}, []float64{1, 0, 1, 1}, []float64{1, 3, 3, 7}},
	{"tract_core_einsum_q", "[1,2]", "[2,1]", `out = tract_core_einsum_q([tract_core_cast(x, to = 'u8'), tract_core_cast(y, to = 'i8')], expr = 'mk,kn->mn', acc = 'i32',
        output = 'i8', bias = 3, a0 = 1, a_scale = 0.5, b0 = 0, b_scale = 0.5, c0 = 2, c_scale = 0.25);`, []float64{3, 5}, []float64{2, -1}, []float64{5}},
	{"tract_core_qmatmul", "[1,2]", "[2,1]", `out = tract_core_qmatmul(tract_core_cast(x, to = 'i8'), tract_core_cast(y, to = 'i8'), axes = [0, 1, 0, 1, 0, 1],
        a0 = 0, a_scale = 1.0, b0 = 0, b_scale = 1.0, c0 = 0, c_scale = 1.0, output_type = 'i32');`, []float64{100, 3}, []float64{100, 2}, []float64{10006}},
	{"tract_core_qconv", "[1,1,3]", "[1,1,2]", `out = tract_core_qconv(tract_core_cast(x, to = 'u8'), tract_core_cast(y, to = 'i8'), 0, groups = 1, dilation = [1], stride = [1],
        padding = [(1, 0)], border = 'constant', a0 = 1, a_scale = 1.0, b0 = 0, b_scale = 1.0, c0 = 10, c_scale = 2.0, output_dt = 'u8');`,
		[]float64{1, 3, 5}, []float64{1, 2}, []float64{10, 12, 15}},

	{"tract_core_lstm_epilogue", "[1,4]", "[1,1]", "(out, c) = tract_core_lstm_epilogue(x, y, hidden = 1);", []float64{0, 0, 0, 0}, []float64{2}, []float64{0.5 * math.Tanh(1)}},
	{"tract_core_gru_epilogue", "[1,3]", "[1,1]", "out = tract_core_gru_epilogue(x, x, y, hidden = 1);", []float64{0, 0, 0}, []float64{2}, []float64{1}},
	{"tract_transformers_sdpa", "[1,2,1]", "[1,2,1]", "out = tract_transformers_sdpa(x, x, y, datum_type = 'f32', acc_datum_type = 'f32', is_causal = false, scale = 1);",
		[]float64{0, 0}, []float64{2, 4}, []float64{3, 3}},
	{"tract_transformers_sdpa causal", "[1,2,1]", "[1,2,1]", "out = tract_transformers_sdpa(x, x, y, datum_type = 'f32', acc_datum_type = 'f32', is_causal = true);",
		[]float64{0, 0}, []float64{2, 4}, []float64{2, 3}},
	{"tract_transformers_sdpa mask", "[1,2,1]", "[1,2,1]", "out = tract_transformers_sdpa(x, x, y, [[0.0, -inf], [-inf, 0.0]], datum_type = 'f32', acc_datum_type = 'f32', is_causal = false);",
		[]float64{0, 0}, []float64{2, 4}, []float64{2, 4}},
	{"tract_transformers_sdpa shared heads", "[1,2,1,1]", "[1,1,2,1]", "out = tract_transformers_sdpa(x, y, y, datum_type = 'f32', acc_datum_type = 'f32', is_causal = false);",
		[]float64{0, 100}, []float64{2, 4}, []float64{3, 4}},
	{"tract_transformers_apply_rope", "[1,4]", "[1,4]", "out = tract_transformers_apply_rope(x, y, [[1.0, 1.0, 1.0, 1.0]]);", []float64{1, 2, 3, 4}, []float64{0, 0, 1, 1}, []float64{-3, -4, 4, 6}},
	{"tract_transformers_scaled_masked_softmax", "[2]", "[2]", "out = tract_transformers_scaled_masked_softmax(x, y, scale = 0.5);", []float64{0, 0}, []float64{0, math.Log(3)}, []float64{0.25, 0.75}},
	{"tract_transformers_scaled_masked_softmax bool", "[2]", "[2]", "out = tract_transformers_scaled_masked_softmax(x, y > 0.0, scale = 2.0, post_softmax_mask = true);",
		[]float64{0, 5}, []float64{1, 0}, []float64{1, 0}},

	{"round", "[4]", "", "out = round(x);", []float64{0.5, -0.5, -1.5, 2.4}, nil, []float64{1, -1, -2, 2}},
	{"floor of integers", "[2]", "", "out = floor(tract_core_cast(x, to = 'i64'));", []float64{3, -3}, nil, []float64{3, -3}},
	{"ceil", "[1]", "", "out = ceil(x);", []float64{0.5}, nil, []float64{1}},
	{"linear", "[1,1,2]", "", "out = linear(x, [[[1.0, 2.0], [3.0, 4.0]]], [[[1.0, 0.0]]]);", []float64{1, 1}, nil, []float64{4, 7}},
	{"matmul", "[2,2]", "[2,2]", "out = matmul(x, y, transposeB = true);", []float64{1, 2, 3, 4}, []float64{1, 0, 1, 1}, []float64{1, 3, 3, 7}},
	{"conv", "[1,1,3]", "", "out = conv(x, [[[1.0, 1.0]], [[1.0, -1.0]]], [10.0, 20.0], padding = [(0, 0)], border = 'constant');", []float64{1, 2, 4}, nil, []float64{13, 16, 19, 18}},
	{"deconv", "[1,1,2]", "", "out = deconv(x, [[[1.0, 1.0]]], [[[3.0]]], padding = [[0, 0]], stride = [2]);", []float64{1, 2}, nil, []float64{4, 4, 5, 5}},
	{"max_pool", "[1,1,2]", "", "out = max_pool(x, size = [1, 1, 2], padding = [(0, 0), (0, 0), (1, 0)], border = 'constant');", []float64{-2, -1}, nil, []float64{-2, -1}},
	{"argmax_pool", "[1,1,2]", "", "out = argmax_pool(x, size = [1, 1, 2], padding = [(0, 0), (0, 0), (1, 0)], border = 'constant');", []float64{-2, -1}, nil, []float64{1, 1}},
	{"max_pool_with_index", "[1,1,2]", "", "(out, i) = max_pool_with_index(x, size = [1, 1, 2], padding = [(0, 0), (0, 0), (1, 0)], border = 'constant');", []float64{-2, -1}, nil, []float64{-2, -1}},
	{"pad", "[2]", "", "out = pad(x, padding = [[1, 1]], border = 'replicated');", []float64{1, 2}, nil, []float64{1, 1, 2, 2}},

	{"scalars for integers", "[2]", "", "out = x * 2 + 1;", []float64{1, 2}, nil, []float64{3, 5}},
	{"literals take the type", "[2]", "", "out = select(tract_core_cast(x, to = 'i64') >= 2, 7, 9);", []float64{1, 2}, nil, []float64{9, 7}},
	{"arrays are tensors", "[2]", "", "k = [0.5, 2]; out = mul(x, k);", []float64{2, 3}, nil, []float64{1, 6}},
	{"tensors are extents", "[4]", "", "n = [2]; out = reshape(x, shape = [n, 2]);", []float64{1, 2, 3, 4}, nil, []float64{1, 2, 3, 4}},
	{"sizes are computed", "[1,6]", "", `s = tract_core_shape_of(x); n = squeeze(slice(s, axes = [0], begin = [1], end = [2], stride = [1]), axes = [0]);
    half = div(n, 4); out = slice(x, axes = [1], begin = [half], end = [n], stride = [1]);`, []float64{1, 2, 3, 4, 5, 6}, nil, []float64{2, 3, 4, 5, 6}},
	{"sizes are numbers", "[7]", "", "n = tract_core_shape_of(x)[0]; half = div(n, 2); out = slice(x, axes = [0], begin = [half], end = [n / 2 + 2]);", []float64{1, 2, 3, 4, 5, 6, 7}, nil, []float64{4, 5}},
	{"types are brought together", "[2]", "", "out = x + tract_core_cast(x, to = 'i64');", []float64{1.5, -2.5}, nil, []float64{2.5, -4.5}},
	{"left alignment", "[2,2]", "[2]", "out = add(x, y);", []float64{1, 2, 3, 4}, []float64{10, 20}, []float64{11, 12, 23, 24}},
	{"attributes by position", "[2,2]", "", "out = sum_reduce(x, [1]);", []float64{1, 2, 3, 4}, nil, []float64{3, 7}},
	{"a name is given again", "[1]", "", "a = x + 1.0; a = a * 2.0; out = a;", []float64{1}, nil, []float64{4}},
	{"infinity", "[2]", "", "out = max(x * 0.0 + -inf, -1.0);", []float64{1, 2}, nil, []float64{-1, -1}},
	{"tensors for lists", "[1]", "", "out = stack(squeeze(x, axes = [0]), axis = 0);", []float64{3}, nil, []float64{3}},
	{"tensors and numbers in lists", "[2]", "", "out = mul([x, [1.0, 2.0]], 1.0);", []float64{3, 4}, nil, []float64{3, 4, 1, 2}},
	{"tuples are tensors", "[2]", "", "out = x + (1.0, 2.0);", []float64{3, 4}, nil, []float64{4, 6}},
	{"nothing is a tensor", "[2]", "", "out = concat([x, []], axis = 0);", []float64{3, 4}, nil, []float64{3, 4}},
	{"nothing of a tensor", "[2]", "", "out = concat([x, tract_core_dyn_slice(x, 0, 0, axis = 0)], axis = 0);", []float64{3, 4}, nil, []float64{3, 4}},
	{"whole scalars are integers", "[2,2]", "", "out = sum_reduce(x, axes = [1.0]);", []float64{1, 2, 3, 4}, nil, []float64{3, 7}},
	{"scales are computed", "[2]", "", "s = mul([3.0], 0.5); out = tract_core_resize(x, s, interpolator = 'linear', coord_transformer = 'align_corners');", []float64{0, 4}, nil, []float64{0, 2, 4}},
	{"items are brought together", "[2]", "", "out = concat([x, tract_core_cast(x, to = 'i64')], axis = 0);", []float64{1.5, -2.5}, nil, []float64{1.5, -2.5, 1, -2}},
	{"scalars are cut for integers", "[2]", "", "out = tract_core_cast(x, to = 'i64') + 1.75;", []float64{1, 2}, nil, []float64{2, 3}},
	{"scalars for truth values", "[2]", "", "out = select(x > 1.0, x > 0.0, 0.5);", []float64{0, 2}, nil, []float64{1, 1}},
	{"integers for truth values", "[2]", "", "out = select(x > 1.0, x > 0.0, 1);", []float64{0, 2}, nil, []float64{1, 1}},
	{"attributes of tensors of 16 bits", "[1]", "", "out = tract_core_cast(leaky_relu(tract_core_cast(x, to = 'f16'), alpha = 0.5), to = 'f32');", []float64{-2}, nil, []float64{-1}},
	{"tract_transformers_sdpa false", "[1,2,1]", "[1,2,1]", "out = tract_transformers_sdpa(x, x, y, mask = false, scale = false, datum_type = 'f32', acc_datum_type = 'f32', is_causal = false);",
		[]float64{1, 3}, []float64{2, 4}, []float64{2 + 2/(1+math.Exp(-2)), 2 + 2/(1+math.Exp(-6))}},
	{"positions behind names", "[1]", "", "out = sub(y = 1.0, x);", []float64{3}, nil, []float64{2}},
	{"arguments too many", "[1]", "", "out = abs(x, axes = [0]);", []float64{-3}, nil, []float64{3}},
	{"names of types", "[1]", "", "d = 'i32'; out = tract_core_cast(x, to = d);", []float64{3.5}, nil, []float64{3}},
	{"numbers in lists", "[2]", "", "k = [0.5, 2]; out = x * (k[1] / 4);", []float64{2, 4}, nil, []float64{1, 2}},
	{"integers beside scalars", "[1]", "", "out = x * (1 / 4.0) + 4.0 / 1;", []float64{8}, nil, []float64{6}},
	{"arithmetic on lists", "[2]", "", "out = x + [1.0, 2.0] * 2;", []float64{0, 1}, nil, []float64{2, 5}},
	{"items of lists", "[1]", "", "out = x if 1 in [1, 2] else -x;", []float64{8}, nil, []float64{8}},
	{"any names", "[1]", "", `i"a/b.c:0" = neg(x); out = neg(i"a/b.c:0");`, []float64{1}, nil, []float64{1}},
}

func TestTractOperations(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range tractCases {
		name, _, _ := strings.Cut(c.name, " ")
		seen[name] = true
		t.Run(c.name, func(t *testing.T) {
			g, err := parseTract(tractText(c.x, c.y, c.body), nil)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := runGraph(t, g, map[string][]float32{"x": float32s(c.in), "y": float32s(c.other)})
			if !near(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	for _, f := range std.Tract().Fragments() {
		switch name := f.Name.Name; name {
		case "tract_core_external", "tract_core_shape_of", "tract_core_scan": // every other case has the first two, and TestTractScan the last
		default:
			if (strings.HasPrefix(name, "tract_") || name == "recip" || name == "square") && !seen[name] {
				t.Errorf("%s has no case", name)
			}
		}
	}
}

func float32s(list []float64) []float32 {
	out := make([]float32, len(list))
	for i, v := range list {
		out[i] = float32(v)
	}
	return out
}

// TestTractTypes holds the element types of results.
func TestTractTypes(t *testing.T) {
	for body, want := range map[string]tensor.DType{
		"out = tract_core_cast(x, to = 'f16');":                                                      tensor.Float16,
		"out = tract_core_cast(x, to = 'F16') * 2.0;":                                                tensor.Float16,
		"out = tract_core_cast(x, to = 'i32') + 1;":                                                  tensor.Int32,
		"out = tract_core_rms_norm(tract_core_cast(x, to = 'f16'), axis = 0);":                       tensor.Float16,
		"out = tract_core_shape_of(x);":                                                              tensor.Int64,
		"out = tract_core_einsum([tract_core_cast(x, to = 'f16'), x], expr = 'i,i->', acc = 'f32');": tensor.Float32,
		"out = x > 1;":                                tensor.Bool,
		"out = concat([[], []], axis = 0);":           tensor.Float32,
		"out = cast(tract_core_cast(x, to = 'i64'));": tensor.Float32,
		"out = tract_transformers_scaled_masked_softmax(tract_core_cast(x, to = 'f16'), x > 0.0, scale = 1.0);":                                               tensor.Float16,
		"out = tract_core_einsum([x], expr = 'i->', acc = 'f16');":                                                                                            tensor.Float16,
		"out = tract_core_einsum([tract_core_cast(x, to = 'i8')], expr = 'i->');":                                                                             tensor.Int32,
		"out = tract_core_cast(x, to = 'i64') + [1.0, 2.0];":                                                                                                  tensor.Int64,
		"h = tract_core_cast(x, to = 'f16'); out = h + h;":                                                                                                    tensor.Float16,
		"out = tract_core_cast(x, to = 'f16') + tract_core_cast(x, to = 'bf16');":                                                                             tensor.Float32,
		"out = tract_core_cast(x, to = 'u8') + tract_core_cast(x, to = 'i32');":                                                                               tensor.Int32,
		"out = tract_core_cast(x, to = 'i32') + tract_core_cast(x, to = 'u8');":                                                                               tensor.Int32,
		"out = tract_core_cast(x, to = 'i8') + tract_core_cast(x, to = 'u8');":                                                                                tensor.Int64,
		"out = select(x > 1.0, x > 0.0, 1);":                                                                                                                  tensor.Bool,
		"out = exp(tract_core_cast(x, to = 'i64'));":                                                                                                          tensor.Float32,
		"c = unsqueeze(x, axes = [0, 1]); out = conv(tract_core_cast(c, to = 'u8'), tract_core_cast(c, to = 'i8'), padding = [(0, 0)], border = 'constant');": tensor.Int32,
	} {
		g, err := parseTract(tractText("[2]", "", body), nil)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if got := g.Outputs[0].Value.Type.DType; got != want {
			t.Errorf("%s: the elements are %v, want %v", body, got, want)
		}
	}
}

// TestTractInputs takes the element types of inputs from the document, and leaves out a bias that is not there.
func TestTractInputs(t *testing.T) {
	for name, want := range map[string]string{"f16": "float16[1,1,2]", "i8": "int8[1,1,2]", "f64": `elements of tract's type "f64" are not supported`} {
		text := tractText("[1, 1, 2]", "", "f = tract_core_cast(x, to = 'f16'); out = conv(f, f, padding = [(0, 0)], border = 'constant');")
		g, err := parseTract(strings.Replace(text, "'f32'", "'"+name+"'", 1), nil)
		got := fmt.Sprint(err)
		if err == nil {
			got = g.Inputs[0].Type.String()
			if n := g.Nodes[len(g.Nodes)-1]; n.Op != "conv" || len(n.In) != 2 {
				t.Errorf("%s: %s has %d operands", name, n.Op, len(n.In))
			}
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: got %s; want %s", name, got, want)
		}
	}
}

// TestTractErrors holds what a person reads where a document of tract cannot be run.
func TestTractErrors(t *testing.T) {
	for _, c := range []struct{ body, place, want string }{
		{"out = tract_core_fft(x, axis = 0, inverse = false);", "8:11", "the operation tract_core_fft of the engine tract is not supported"},
		{"out = neg(tract_core_submodel([x], label = 'a'));", "8:15", "the operation tract_core_submodel of the engine tract is not supported"},
		{"out = tract_resource_get(label = 'a', key = 'b');", "8:11", "the operation tract_resource_get of the engine tract is not supported"},
		{"out = tract_onnx_random('f32', [2], 'normal', [0.0, 1.0], 7);", "8:11", "the operation tract_onnx_random of the engine tract is not supported"},
		{"out = tract_core_cast(x, to = 'f64');", "8:35", `elements of tract's type "f64" are not supported`},
		{"out = tract_core_cast(x, to = 'string');", "8:35", `elements of tract's type "string" are not supported`},
		{"out = tract_core_cast(x);", "8:11", "elements of the type that a quantization file says are not supported"},
		{"out = tract_core_einsum([x, x], expr = 'ij,kl->ijk', acc = 'f32');", "8:44", "gives operand 0 the rank 2; it has 1"},
		{"out = tract_core_einsum([x, x], expr = 'i,i->ii', acc = 'f32');", "8:44", `the expression "i,i->ii" of tract_core_einsum is not supported`},
		{"out = tract_core_scatter_elements(x, [0], [1.0], axis = 0, reduction = 'sum');", "8:76", `tract_core_scatter_elements: reduction: "sum" is not allowed`},
		{"out = tract_core_bitand(x, x);", "8:29", "tract_core_bitand: x: the element type float32 is not allowed; it must be integer"},
		{"out = reshape(x, shape = [tract_core_cast(sum_reduce(x, axes = [0]), to = 'i64')]);", "8:30", "is computed from inputs or variables; it must be known before the model runs"},
		{"out = tract_core_resize(x, scales = [2.0], interpolator = 'lanczos');", "8:63", `tract_core_resize: interpolator: "lanczos" is not allowed; it must be one of "nearest-neighbor", "linear", "cubic"`},
		{"out = tract_core_gather(x, [0], axis = 3);", "8:44", "tract_core_gather: axis: axis 3 is not a dimension of shape [2]"},
		{"out = tract_core_topk(x, 1, axis = 0, largest = true);", "8:5", "an identifier of a graph is one tensor; out would be"},
		{"(out, at) = tract_core_topk(x, 5, axis = 0, largest = true);", "8:36", "tract_core_topk: k: 5 elements are asked for; dimension 0 of shape [2] has 2"},
		{"a = [[1.0, 2.0]]; b = mul(a, 10.0); out = x + b[7];", "8", "the subscript 7 is out of range"},
		{"out = tract_core_einsum([unsqueeze(x, axes = [0])], expr = 'ii->i', acc = 'f32');", "8", `the expression "ii->i" of tract_core_einsum is not supported`},
		{"out = tract_core_einsum([x, x, x], expr = 'i,ij,i->', acc = 'f32');", "8", "gives operand 1 the rank 2; it has 1"},
		{"out = tract_core_einsum([unsqueeze(x, axes = [0]), x], expr = 'ij,jk->ik', acc = 'f32');", "8", "gives operand 1 the rank 2; it has 1"},
		{"out = tract_core_einsum([], expr = 'i->i', acc = 'f32');", "8", `the expression "i->i" of tract_core_einsum is not supported`},
		{"out = tract_core_matmul(x, x, axes = [0, 1]);", "8", "the axes are [0, 1]; they must be six dimensions of a tensor of rank 1"},
		{"out = tract_core_dyn_slice(x, 1, 2, axis = 3);", "8", "the dimension 3 is out of range; it must be from 0 to 0"},
		{"out = tract_core_dyn_slice(x, 1, 5, axis = 0);", "8", "the range 1 … 5 is not within the extent 2"},
		{"out = tract_core_range([0, 1], 3, 1);", "8", "the argument start has 2 elements; it must be one number"},
		{"out = tract_core_range(1e300, 3, 1);", "8", "beyond the range"},
		{"out = pad(x, padding = [(1, 2, 3)]);", "8", "(1, 2, 3) has 3 items; there must be 2"},
		{"out = tract_core_gather(x, [0], axis = mul([1, 2], 1));", "8", "the argument axis of tract_core_gather has 2 elements; it must be one number"},
		{"out = tract_core_cast(x, to = 'i8') + 300;", "8", "300 is no element of type int8"},
		{"out = tract_core_range(0, 3, 0);", "8:34", "from 0 to 3 by 0 is no range"},
	} {
		_, err := parseTract(tractText("[2]", "", c.body), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "m.nnef:"+c.place+":") {
			t.Errorf("%s\n got %v\nwant %s: …%s", c.body, err, c.place, c.want)
		}
	}
}

const symbolText = `version 1.0;

extension tract_registry tract_core;
extension tract_symbol S;
extension tract_symbol T;
extension tract_assert S>=2;
extension tract_assert S+T <= 12;
extension tract_assert scenario: S == 1;

graph network(x, y) -> (out)
{
    x = tract_core_external(shape = [1, S, 2], datum_type = 'f32');
    y = external<scalar>(shape = [2*T+1, S/2]);
    out = tract_core_broadcast(1.0, shape = [S, T+1]);
}
`

// TestTractSymbols finds the values of symbols from shapes.
func TestTractSymbols(t *testing.T) {
	shape := func(x ...int) tensor.Shape { return x }
	g, err := parseTract(symbolText, map[string]tensor.Shape{"x": shape(1, 5, 2), "y": shape(7, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Outputs[0].Value.Type.Shape; !got.Equal(shape(5, 4)) {
		t.Errorf("the result has shape %v", got)
	}
	for _, c := range []struct {
		shapes map[string]tensor.Shape
		want   string
	}{
		{nil, "13:35: eval error [NNEF1006]: extent 0 of the input y is not known; its symbols have no values"},
		{map[string]tensor.Shape{"x": shape(1, 5, 2)}, "extent 0 of the input y is not known"},
		{map[string]tensor.Shape{"x": shape(1, 5, 2), "y": shape(8, 2)}, "13:35: eval error [NNEF1006]: the extent 8 of the input y does not say what the symbols are"},
		{map[string]tensor.Shape{"x": shape(1, 5, 2), "y": shape(7, 3)}, "13:42: shape error [NNEF1201]: extent 1 of the input y is 2; the given shape is [7,3]"},
		{map[string]tensor.Shape{"x": shape(5, 2), "y": shape(7, 2)}, "12:5: shape error [NNEF1201]: the input x has rank 3; the given shape is [5,2]"},
		{map[string]tensor.Shape{"x": shape(1, 1, 2), "y": shape(7, 0)}, "6:11: shape error [NNEF1201]: the assertion S>=2 does not hold for the given shapes: S = 1, T = 3"},
		{map[string]tensor.Shape{"x": shape(1, 10, 2), "y": shape(7, 5)}, "the assertion S+T <= 12 does not hold"},
	} {
		_, err := parseTract(symbolText, c.shapes)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\n got %v\nwant …%s", c.shapes, err, c.want)
		}
	}
	for _, c := range []struct {
		statements, extent, body string
		given                    int // the extent, if it is not 0
		want                     string
	}{
		{"", "S", "out = reshape(x, shape = [S, 1]);", 6, "[6,1]"},
		{"", "S + S", "out = reshape(x, shape = [2, S]);", 6, "[2,3]"},
		{"", "S * 2", "out = reshape(x, shape = [2, S]);", 6, "[2,3]"},
		{"extension tract_note S == 1;", "S", "out = neg(x);", 6, "[6]"},
		{"extension tract_symbol Q;", "S", "out = reshape(x, shape = [Q]);", 6, "the symbol Q has no value; give the shapes of the inputs"},
		{"extension tract_symbol 1;", "S", "out = neg(x);", 6, "m.nnef:4:11: extension error [NNEF0304]: the statement of extension tract_symbol is broken"},
		{"", "S", "out = x * (S * 0.5);", 0, "S has no value at compile time"},
		{"", "S", "out = tract_core_range(0, tract_core_shape_of(x)[0], 1);", 0, "the shape is not known before symbols have values; hint: give the shape of x when the model is loaded: --shape x=EXTENTS"},
	} {
		var shapes map[string]tensor.Shape
		if c.given > 0 {
			shapes = map[string]tensor.Shape{"x": shape(c.given)}
		}
		text := strings.Replace(tractText("["+c.extent+"]", "", c.body), "tract_core;", "tract_core;\n"+c.statements, 1)
		g, err := parseTract(text, shapes)
		got := fmt.Sprint(err)
		if list := (syntax.Diagnostics)(nil); errors.As(err, &list) {
			got += "; hint: " + list[0].Hint
		} else if err == nil {
			got = g.Outputs[0].Value.Type.Shape.String()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %s\n got %s\nwant …%s", c.statements, c.body, got, c.want)
		}
	}
	text := strings.ReplaceAll(tractText("[S, 2]", "", "out = x * 2.0;"), "extension", "extension tract_symbol S;\nextension")
	f, err := nnef.OpenText("g.nnef", []byte(text), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Network()
	if err != nil {
		t.Fatal(err)
	}
	if d := m.Inputs()[0].Shape[0]; d.Symbol != "S" {
		t.Errorf("the first extent of the input is %v", d)
	}
}

const scanText = `version 1.0;

extension tract_registry tract_core;

fragment i"loop.0"( part: tensor<scalar>, factor: tensor<scalar>, i"sum.0": tensor<scalar> ) -> ( next: tensor<scalar>, i"y.0": tensor<scalar> )
{
    next = i"sum.0" + part;
    i"y.0" = next * factor;
}

fragment tract_core_properties() -> ( properties: (string, tensor<scalar>)[] )
{
    properties = [("tract_nnef_ser_version", "0.21"), ("size", tract_core_cast(8, to = "i64"))];
}

graph network( x ) -> ( out, last )
{
    x = external(shape = [2, 3]);
    zero = [[0.0], [100.0]];
    (out, last) = tract_core_scan(body = "loop.0", scan = [("part", x, 1, 1)], full = [("factor", 2.0)],
        state = [("sum.0", zero, "next")], output = [("y.0", "full", 1, 1), ("next", "last", 0, 1)], skip = 0, reset_every_turn = 0, external_state = 0);
}
`

// TestTractScan runs a loop, whose body is a block.
func TestTractScan(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     []float64
	}{
		{"", "", []float64{2, 6, 12, 208, 218, 230}},
		{`x, 1, 1)], full`, `x, 1, -1)], full`, []float64{6, 10, 12, 212, 222, 230}},
		{`"full", 1, 1)`, `"full", 1, -1)`, []float64{12, 6, 2, 230, 218, 208}},
		{`"full", 1, 1)`, `"full", 1)`, []float64{2, 6, 12, 208, 218, 230}},
		{`("factor", 2.0)`, `("factor", mul([2.0], 1.0))`, []float64{2, 6, 12, 208, 218, 230}},
		{"next * factor;", "leaky_relu(next, alpha = factor);", []float64{1, 3, 6, 104, 109, 115}},
		{`("y.0", "full", 1, 1), ("next", "last", 0, 1)`, `("y.0", "last", 0, 1), ("y.0", "full", 1, 1)`, []float64{12, 230}},
		{`i"sum.0" + part;
    i"y.0" = next * factor;
}`, `sum(i"sum.0", part);
    i"y.0" = next * factor;
}

fragment sum( a: tensor<scalar>, b: tensor<scalar> ) -> ( c: tensor<scalar> )
{
    c = a + b;
}`, []float64{2, 6, 12, 208, 218, 230}},
		{"skip = 0, reset_every_turn = 0, external_state = 0", "skip = 0", []float64{2, 6, 12, 208, 218, 230}},
	} {
		g, err := parseTract(strings.Replace(scanText, c.old, c.new, 1), nil)
		if err != nil {
			t.Errorf("%s: %v", c.new, err)
			continue
		}
		if first := g.Outputs[0].Value.Name; first != "out" {
			t.Errorf("%s: the output is called %s", c.new, first)
		}
		if got, _ := runGraph(t, checkRoundTrip(t, g), map[string][]float32{"x": {1, 2, 3, 4, 5, 6}}); !near(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.new, got, c.want)
		}
	}
	for _, c := range [][3]string{
		{`"loop.0", scan`, `"loop.1", scan`, "there is no fragment loop.1"},
		{"skip = 0", "skip = 1", "a scan that skips turns is not supported"},
		{`("part", x, 1, 1)`, `("part", x, 2, 1)`, "dimension 2 of the shape [2,3] cannot be parted by 1"},
		{`("part", x, 1, 1)`, `("part", x, 1, 2)`, "cannot be parted by 2"},
		{`("factor", 2.0)`, `("other", 2.0)`, "loop.0 has no parameter other"},
		{`full = [("factor", 2.0)]`, `full = []`, "the parameter factor of loop.0 is not bound"},
		{`full = [("factor", 2.0)]`, `full = [("factor", 2.0), ("part", x)]`, "the parameter part of loop.0 is bound twice"},
		{`full = [("factor", 2.0)]`, `full = [("factor", 2.0), ("factor", 3.0)]`, "the parameter factor of loop.0 is bound twice"},
		{`full = [("factor", 2.0)]`, `full = [("factor", 2.0), ("part", 2.0)]`, "the parameter part of loop.0 is bound twice"},
		{`("next", "last"`, `("last", "last"`, "loop.0 has no result last"},
		{`scan = [("part", x, 1, 1)], full = [("factor", 2.0)]`, `scan = [], full = [("factor", 2.0), ("part", x)]`, "a scan takes one tensor at least to part"},
		{"next * factor;", "softmax(next, axes = [7]);", "softmax: axes: axis 7"},
		{`("sum.0", zero, "next")`, `("sum.0", zero)`, "a state must be a tuple of a name, a tensor and the name of a result"},
		{`("sum.0", zero, "next")`, `("sum.0", zero, "gone")`, "loop.0 has no result gone"},
		{`("part", x, 1, 1)`, `("part", 'a', 1, 1)`, "the argument scan of tract_core_scan is 'a'; it must be scalar"},
		{`i"sum.0" + part;`, `concat([i"sum.0", part], axis = 0);`, "scan: body: output 0 is float32[4,1]; it must be float32[2,1]"},
		{`("next", "last"`, `("next", "first"`, `an output must be "full" or "last"`},
	} {
		_, err := parseTract(strings.Replace(scanText, c[0], c[1], 1), nil)
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s\n got %v\nwant …%s", c[1], err, c[2])
		}
	}
}

// TestParameters refuses parameters of the graph that are no inputs of their own.
func TestParameters(t *testing.T) {
	const tract, operators = "extension tract_registry tract_core;", "extension KHR_enable_operator_expressions;"
	for _, c := range [][4]string{
		{tract, "x, y", "y = relu(x);", "the parameter y of the graph is not the result of external"},
		{tract, "x, y", "y = x;", "the parameter y of the graph is not the result of external"},
		{operators, "x, y", "y = x;", "the parameter y of the graph is not the result of external"},
		{tract, "x, x", "y = relu(x);", "two parameters of the graph are named x"},
		{operators, "x, x", "y = relu(x);", "two parameters of the graph are named x"},
	} {
		text := "version 1.0;\n" + c[0] + "\ngraph net( " + c[1] + " ) -> ( z )\n{\n    x = external(shape = [2]);\n    " + c[2] + "\n    z = relu(y);\n}\n"
		if _, err := parseTract(text, nil); err == nil || !strings.Contains(err.Error(), c[3]) {
			t.Errorf("%s\n got %v\nwant …%s", text, err, c[3])
		}
	}
}

// TestTractShapes infers shapes that follow from extents which the document computes, without making the model.
func TestTractShapes(t *testing.T) {
	text := tractText("[3, S]", "", `n = squeeze(slice(tract_core_shape_of(x), axes = [0], begin = [1], end = [2], stride = [1]), axes = [0]);
    out = tract_core_range(n, add(n, 4), step = 1);`)
	f, err := nnef.OpenText("m.nnef", []byte(strings.Replace(text, "tract_core;", "tract_core;\nextension tract_symbol S;", 1)),
		nnef.Options{Shapes: map[string]tensor.Shape{"x": {3, 7}}})
	if err != nil {
		t.Fatal(err)
	}
	if found := f.Check(); found.Err() != nil {
		t.Error(found)
	}
	g, err := f.Flatten(flat.User)
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Outputs[0].Shape; !slices.Equal(got, []int{4}) {
		t.Errorf("the result has shape %v", got)
	}
}

// TestTractGeneric takes the type of a fragment from a result whose type no declaration says.
func TestTractGeneric(t *testing.T) {
	const as = "fragment as<?>( x: tensor<?>, y: tensor<scalar> ) -> ( z: tensor<?> )\n{\n    z = cast<?>(y);\n}\n\n"
	for _, body := range []string{"k = tract_core_cast(x, to = 'i64');\n    out = as(k, x);", "out = as([1, 2], x);"} {
		g, err := parseTract(strings.Replace(tractText("[2]", "", body), "graph", as+"graph", 1), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Outputs[0].Value.Type.DType; got != tensor.Int64 {
			t.Errorf("%s: the result is %v", body, got)
		}
	}
}

// TestTractFragments invokes fragments, whose arguments nothing holds to the types that are declared.
func TestTractFragments(t *testing.T) {
	for _, c := range []struct {
		fragment, body string
		want           []float64
	}{
		{"half( x: tensor<scalar>, k: scalar ) -> ( y: tensor<scalar> ) { y = x * (k / 4); }", "out = half(x, k = 2);", []float64{1, 2}},
		{"half( x: tensor<scalar>, k: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = x * (k / 4); }", "out = half(x, 2);", []float64{1, 2}},
		{"first( l: tensor<scalar>[] ) -> ( y: tensor<scalar> ) { y = l[0]; }", "out = first(unsqueeze(x, axes = [0]));", []float64{2, 4}},
		{"first( p: (tensor<scalar>, scalar) ) -> ( y: tensor<scalar> ) { y = p[0]; }", "out = first((x, 1, 2));", []float64{2, 4}},
		{"low( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = max(x, -inf); }", "out = low(x);", []float64{2, 4}},
	} {
		g, err := parseTract(strings.Replace(tractText("[2]", "", c.body), "graph", "fragment "+c.fragment+"\n\ngraph", 1), nil)
		if err != nil {
			t.Errorf("%s: %v", c.fragment, err)
			continue
		}
		if got, _ := runGraph(t, g, map[string][]float32{"x": {2, 4}}); !near(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.fragment, got, c.want)
		}
	}
}

// TestTensorLiterals reads nested numbers as tensors if the reading is lenient, though nothing else tells of tract.
func TestTensorLiterals(t *testing.T) {
	text := "version 1.0;\ngraph g( x ) -> ( y )\n{\n    x = external(shape = [1, 2]);\n    k = [[2.0, 3.0]];\n    y = mul(x, k);\n}\n"
	if _, err := nnef.Parse("m.nnef", []byte(text), nnef.Options{}); err == nil {
		t.Error("the strict reader accepts it")
	}
	if _, err := nnef.Parse("m.nnef", []byte(text), nnef.Options{Lenient: true}); err != nil {
		t.Error(err)
	}
}

// TestTractScanWritten flattens a loop, of which the fragment stays, and reads what is written back.
func TestTractScanWritten(t *testing.T) {
	for _, level := range []flat.Level{flat.User, flat.All} {
		f, err := nnef.OpenText("m.nnef", []byte(scanText), nnef.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, err := f.Flatten(level)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := g.Write(&b); err != nil {
			t.Fatal(err)
		}
		if f, err = nnef.OpenText("written", []byte(b.String()), nnef.Options{}); err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		again, err := f.Flatten(level)
		if err != nil || !f.Document.Declares(syntax.ExtFragments) || !f.Document.Declares(syntax.ExtOperators) {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if second := textOf(t, again); second != b.String() {
			t.Errorf("%s\n%s", second, b.String())
		}
	}
}
