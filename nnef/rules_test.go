package nnef_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
)

// ruleInputs are the tensors that the statements of rules refer to.
const ruleInputs = `    x = external(shape = [2, 4, 6, 8]);
    m = external(shape = [4, 6]);
    w = external(shape = [8, 4, 3, 3]);
    v = external(shape = [4, 2, 3, 3]);
    i = external<integer>(shape = [2, 4, 3, 4]);
    k = external<integer>(shape = [3]);
    r = external(shape = [5, 4]);
    b = external<integer>(shape = [5, 1]);
    l = external<logical>(shape = [2, 4, 6, 8]);
    c = external(shape = [4]);
    d = external(shape = [4, 1, 3, 3]);
    q = external(shape = [8, 4, 1, 1]);
`

// rules are statements that break a rule of an operation, and the class of the mistake: value where an attribute is out of
// range whatever the shapes are, or does not suit the rank; shape where extents do not agree.
var rules = []struct{ class, statement string }{
	{"value", "z = constant(shape = [2], value = [1.0, 2.0, 3.0]);"},
	{"value", "z = constant(shape = [2], value = []);"},
	{"value", "z = constant(shape = [-1], value = [1.0]);"},
	{"value", "z = constant(shape = [0], value = [1.0]);"},
	{"value", "z = variable(shape = [0, 2], label = 'z');"},
	{"value", "z = variable(shape = [-2], label = 'z');"},
	{"value", "z = variable(shape = [4000000000, 4000000000, 4000000000], label = 'z');"},
	{"shape", "z = add(x, m);"},
	{"shape", "z = select(l, x, m);"},
	{"shape", "z = clamp(x, m, 1.0);"},
	{"shape", "z = prelu(x, m);"},

	{"value", "z = conv(x, w, border = 'ignore');"},
	{"value", "z = conv(x, w, border = 'Constant');"},
	{"value", "z = conv(x, w, groups = -1);"},
	{"shape", "z = conv(x, w, groups = 3);"},
	{"value", "z = conv(x, w, padding = [(1, 1)]);"},
	{"value", "z = conv(x, w, padding = [(0, 0), (0, 0), (1, 1), (1, 1)]);"},
	{"value", "z = conv(x, w, stride = [1]);"},
	{"value", "z = conv(x, w, stride = [0, 1]);"},
	{"value", "z = conv(x, w, stride = [-1, 1]);"},
	{"value", "z = conv(x, w, dilation = [1, 1, 1]);"},
	{"value", "z = conv(x, w, dilation = [0, 1]);"},
	{"shape", "z = conv(x, w, padding = [(-4, -4), (0, 0)]);"},
	{"shape", "z = conv(x, v);"},
	{"shape", "z = conv(x, m);"},
	{"shape", "z = conv(m, w);"},
	{"shape", "z = conv(x, w, m);"},
	{"value", "z = deconv(x, v, border = 'ignore');"},
	{"value", "z = deconv(x, v, groups = -2);"},
	{"shape", "z = deconv(x, v, groups = 3);"},
	{"value", "z = deconv(x, v, stride = [0, 2]);"},
	{"value", "z = deconv(x, v, output_shape = [2, 2]);"},
	{"shape", "z = deconv(x, v, output_shape = [2, 3, 6, 8]);"},
	{"shape", "z = deconv(x, v, stride = [2, 2], output_shape = [2, 2, 20, 16]);"},
	{"value", "z = deconv(x, v, stride = [2, 2], output_shape = [2, 2, 0, 16]);"},
	{"shape", "z = deconv(x, w);"},
	{"value", "z = separable_conv(x, d, q, border = 'none');"},
	{"value", "z = separable_conv(x, d, q, stride = [1, 1, 1]);"},
	{"shape", "z = separable_conv(x, d, w);"},
	{"shape", "z = separable_conv(x, v, q);"},
	{"value", "z = separable_deconv(x, d, q, groups = -1);"},

	{"value", "z = box(x, size = [1, 1, 2]);"},
	{"value", "z = box(x, size = [1, 1, 2, 0]);"},
	{"value", "z = box(x, size = [1, 1, 2, -1]);"},
	{"value", "z = box(x, size = [1, 1, 2, 2], border = 'zero');"},
	{"value", "z = box(x, size = [1, 1, 2, 2], stride = [2, 2]);"},
	{"value", "z = box(x, size = [1, 1, 2, 2], stride = [1, 1, 0, 1]);"},
	{"value", "z = box(x, size = [1, 1, 2, 2], padding = [(1, 1)]);"},
	{"value", "z = box(x, size = [1, 1, 2, 2], dilation = [1, 1, 1, 0]);"},
	{"shape", "z = box(x, size = [1, 1, 9, 9], padding = [(0, 0), (0, 0), (0, 0), (0, 0)]);"},
	{"value", "z = debox(x, size = [1, 1, 2, 2], output_shape = [2, 4]);"},
	{"value", "z = debox(x, size = [1, 1, 0, 2]);"},
	{"value", "z = debox(x, size = [1, 1, 2, 2], border = 'mirror');"},
	{"shape", "z = debox(x, size = [1, 1, 2, 2], padding = [(0, 0), (0, 0), (0, 0), (0, 0)], output_shape = [2, 4, 6, 8]);"},
	{"shape", "z = debox(x, size = [1, 1, 2, 2], stride = [1, 1, 2, 2], output_shape = [2, 4, 6, 8]);"},
	{"value", "z = argmax_pool(x, size = [1, 1, 2]);"},
	{"value", "z = argmax_pool(x, size = [1, 1, 2, 2], border = 'x');"},
	{"value", "z = sample(x, i, size = [1, 1, 2, 2], stride = [1, 1, 2, 2], border = 'ignore');"},
	{"shape", "z = sample(x, i, size = [1, 1, 2, 2]);"},
	{"value", "z = sample(x, i, size = [2, 2]);"},
	{"value", "z = desample(x, i, size = [1, 1, 2, 2], border = 'replicate');"},
	{"shape", "z = desample(x, i, size = [1, 1, 2, 2]);"},
	{"value", "z = max_pool(x, size = [2, 2]);"},
	{"value", "z = max_pool(x, size = [1, 1, 2, 2], border = 'valid');"},
	{"value", "(z, u) = max_pool_with_index(x, size = [1, 1, 0, 2]);"},
	{"value", "z = avg_pool(x, size = [1, 1, 2, 2], stride = [1, 1, 2]);"},
	{"value", "z = avg_pool(x, size = [1, 1, 2, 2], border = 'valid');"},
	{"value", "z = rms_pool(x, size = [1, 1, 2, 2], dilation = [1, 1, -1, 1]);"},
	{"value", "z = rms_pool(x, size = [1, 1, 2, 2], border = '');"},
	{"value", "z = nearest_downsample(x, factor = [2]);"},
	{"value", "z = nearest_downsample(x, factor = [2, 0]);"},
	{"shape", "z = nearest_downsample(x, factor = [4, 2]);"},
	{"value", "z = area_downsample(x, factor = [2, 2, 2]);"},
	{"value", "z = area_downsample(x, factor = [2, -2]);"},
	{"shape", "z = area_downsample(x, factor = [4, 2]);"},
	{"value", "z = nearest_upsample(x, factor = [2]);"},
	{"value", "z = nearest_upsample(x, factor = [2, 0]);"},
	{"value", "z = multilinear_upsample(x, factor = [2]);"},
	{"value", "z = multilinear_upsample(x, factor = [2, 0]);"},
	{"value", "z = multilinear_upsample(x, factor = [2, 2], method = 'bilinear');"},
	{"value", "z = multilinear_upsample(x, factor = [2, 2], border = 'ignored');"},

	{"value", "z = sum_reduce(x, axes = [4]);"},
	{"value", "z = sum_reduce(x, axes = [-1]);"},
	{"value", "z = sum_reduce(x, axes = [1, 1]);"},
	{"value", "z = max_reduce(x, axes = [1, 1]);"},
	{"value", "z = min_reduce(x, axes = [7]);"},
	{"value", "z = argmax_reduce(x, axes = [0, 0]);"},
	{"value", "z = argmin_reduce(x, axes = [-1]);"},
	{"value", "z = all_reduce(l, axes = [4]);"},
	{"value", "z = any_reduce(l, axes = [2, 2]);"},
	{"value", "z = mean_reduce(x, axes = [4]);"},
	{"value", "(z, u) = moments(x, axes = [1, 1]);"},

	{"value", "z = reshape(x, shape = [-2, 2]);"},
	{"value", "z = reshape(x, shape = [-1, -1]);"},
	{"shape", "z = reshape(x, shape = [7, -1]);"},
	{"shape", "z = reshape(x, shape = [7]);"},
	{"value", "z = reshape(x, shape = [24], axis_start = 5);"},
	{"value", "z = reshape(x, shape = [24], axis_start = -1);"},
	{"value", "z = reshape(x, shape = [24], axis_start = 3, axis_count = 2);"},
	{"value", "z = reshape(x, shape = [24], axis_count = -2);"},
	{"value", "z = reshape(x, shape = [2, 4, 6, 8, 0]);"},
	{"value", "z = squeeze(x, axes = [4]);"},
	{"value", "z = squeeze(b, axes = [1, 1]);"},
	{"shape", "z = squeeze(x, axes = [0]);"},
	{"value", "z = unsqueeze(x, axes = [6]);"},
	{"value", "z = unsqueeze(x, axes = [1, 1]);"},
	{"value", "z = unsqueeze(x, axes = [-1]);"},
	{"value", "z = transpose(x, axes = [0, 1, 1, 3]);"},
	{"value", "z = transpose(x, axes = [0, 2]);"},
	{"value", "z = transpose(x, axes = [0, 1, 2, 3, 4]);"},
	{"value", "z = transpose(x, axes = [-1, 0]);"},
	{"value", "[z, u] = split(x, axis = 4, ratios = [1, 1]);"},
	{"value", "[z, u] = split(x, axis = -1, ratios = [1, 1]);"},
	{"value", "[z, u] = split(x, axis = 1, ratios = [0, 4]);"},
	{"value", "[z, u] = split(x, axis = 1, ratios = [-1, 2]);"},
	{"shape", "[z, u] = split(x, axis = 1, ratios = [1, 2]);"},
	{"value", "[z] = split(x, axis = 1, ratios = []);"},
	{"value", "z = concat([x, x], axis = 4);"},
	{"value", "z = concat([x, x], axis = -1);"},
	{"shape", "z = concat([x, m], axis = 1);"},
	{"shape", "z = concat([x, w], axis = 0);"},
	{"value", "z = stack([x, x], axis = 5);"},
	{"value", "z = stack([x, x], axis = -1);"},
	{"shape", "z = stack([x, w], axis = 0);"},
	{"value", "[z, u] = unstack(x, axis = 4);"},
	{"value", "[z, u] = unstack(x, axis = -1);"},
	{"value", "z = slice(x, axes = [4], begin = [0], end = [1]);"},
	{"value", "z = slice(x, axes = [-1], begin = [0], end = [1]);"},
	{"value", "z = slice(x, axes = [1, 1], begin = [0, 0], end = [1, 1]);"},
	{"value", "z = slice(x, axes = [1], begin = [0, 0], end = [1]);"},
	{"value", "z = slice(x, axes = [1], begin = [0], end = [1, 1]);"},
	{"value", "z = slice(x, axes = [1], begin = [0], end = [1], stride = [0]);"},
	{"value", "z = slice(x, axes = [1], begin = [0], end = [1], stride = [1, 1]);"},
	{"value", "z = slice(x, axes = [1], begin = [3], end = [1]);"},
	{"value", "z = slice(x, axes = [1], begin = [1], end = [3], stride = [-1]);"},
	{"value", "z = pad(x, padding = [(0, 0)]);"},
	{"value", "z = pad(x, padding = [(0, 0), (0, 0), (0, 0), (1, 1)], border = 'ignore');"},
	{"value", "z = pad(x, padding = [(0, 0), (0, 0), (0, 0), (1, 1)], border = 'edge');"},
	{"shape", "z = pad(x, padding = [(-3, 0), (0, 0), (0, 0), (1, 1)]);"},
	{"value", "z = tile(x, repeats = [2, 2]);"},
	{"value", "z = tile(x, repeats = [1, 1, 0, 1]);"},
	{"value", "z = tile(x, repeats = [1, 1, -1, 1]);"},
	{"value", "z = gather(x, k, axis = 4);"},
	{"value", "z = gather(x, k, axis = -1);"},
	{"value", "[z] = copy_n(x, times = -1);"},

	{"value", "z = max_roi_pool(x, r, b, output_size = [2]);"},
	{"value", "z = max_roi_pool(x, r, b, output_size = [0, 2]);"},
	{"shape", "z = avg_roi_pool(x, m, b, output_size = [2, 2]);"},
	{"shape", "z = avg_roi_pool(x, r, k, output_size = [2, 2]);"},
	{"value", "z = roi_resample(x, r, b, output_size = [2, 2], method = 'linear');"},
	{"value", "z = roi_resample(x, r, b, output_size = [-2, 2]);"},
	{"value", "z = avg_roi_align(x, r, b, output_size = [2, 2], sampling_rate = [2]);"},
	{"value", "z = avg_roi_align(x, r, b, output_size = [2, 2], sampling_rate = [0, 2]);"},
	{"value", "z = max_roi_align(x, r, b, output_size = [2, 2], sampling_rate = [2, 2], resize_method = 'x');"},

	{"shape", "z = matmul(m, m);"},
	{"shape", "z = matmul(m, x);"},
	{"shape", "z = linear(m, w);"},
	{"shape", "z = linear(m, m, r);"},
	{"shape", "z = matmul(c, c);"},
	{"value", "z = softmax(x, axes = [4]);"},
	{"value", "z = softmax(x, axes = [1, 1]);"},
	{"value", "z = local_response_normalization(x, size = [1, 5]);"},
	{"value", "z = local_response_normalization(x, size = [1, 0, 1, 1]);"},
	{"value", "z = local_mean_normalization(x, size = [1, 5]);"},
	{"value", "z = local_variance_normalization(x, size = [1, -5, 1, 1]);"},
	{"value", "z = local_contrast_normalization(x, size = [1, 1, 1, 1, 1]);"},
	{"value", "z = l1_normalization(x, axes = [4]);"},
	{"value", "z = l2_normalization(x, axes = [1, 1]);"},
	{"shape", "z = batch_normalization(x, c, 1.0, 0.0, 1.0, epsilon = 0.1);"},

	{"value", "z = linear_quantize(x, 0.0, 1.0, bits = 0);"},
	{"value", "z = linear_quantize(x, 0.0, 1.0, bits = -8);"},
	{"value", "z = linear_quantize(x, 0.0, 1.0, bits = 100);"},
	{"shape", "z = linear_quantize(x, 0.0, m, bits = 8);"},
	{"value", "z = min_max_linear_quantize(x, 0.0, 1.0, bits = 0, signed = true, symmetric = true);"},
	{"value", "z = zero_point_linear_quantize(x, 0, 1.0, bits = 0, signed = true, symmetric = true);"},
	{"value", "z = logarithmic_quantize(x, 1.0, bits = 0);"},
}

// TestRules holds the readers to refusing what the operations do not allow, at the argument and with the right class.
func TestRules(t *testing.T) {
	line := 4 + strings.Count(ruleInputs, "\n")
	for _, c := range rules {
		text := "version 1.0;\ngraph net( x, m, w, v, i, k, r, b, l, c, d, q ) -> ( y )\n{\n" + ruleInputs +
			"    " + c.statement + "\n    y = copy(x);\n}\n"
		f, err := nnef.OpenText("rule.nnef", []byte(text), nnef.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.statement, err)
			continue
		}
		_, err = f.Flatten(flat.User)
		var list syntax.Diagnostics
		if !errors.As(err, &list) || len(list) != 1 {
			t.Errorf("%s: got %v; want one error of class %s", c.statement, err, c.class)
			continue
		}
		if d := list[0]; d.Class().String() != c.class || d.Position().Line != line {
			t.Errorf("%s: got %v; want class %s in line %d", c.statement, err, c.class, line)
		}
	}
}
