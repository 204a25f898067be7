package onnx_test

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestNormalizations: versions, statistics, and operands that do not fit the axes.
func TestNormalizations(t *testing.T) {
	one, zero := f(s(1), 1), f(s(1), 0)
	half := func(x *tensor.Tensor) *tensor.Tensor {
		y, err := tensor.Cast(x, tensor.Float16)
		if err != nil {
			t.Fatal(err)
		}
		return y
	}
	two := f(s(2, 2), 1, 3, 5, 9)
	signs := f(s(2, 2), -1, 1, -1, 1)
	checkRows(t,
		rowCase{15, node("BatchNormalization", "x, scale, b, mean, var -> y", "epsilon", float32(0)), of(f(s(1, 2, 1), 3, 8), f(s(2), 1, 2), f(s(2), 0, 1), f(s(2), 1, 2), f(s(2), 4, 9)),
			of(f(s(1, 2, 1), 1, 5)), ""},
		rowCase{7, node("BatchNormalization", "x, scale, b, mean, var -> y", "epsilon", float32(0), "spatial", 0),
			of(f(s(1, 1, 2), 3, 8), f(s(1, 2), 1, 2), f(s(1, 2), 0, 1), f(s(1, 2), 1, 2), f(s(1, 2), 4, 9)), of(f(s(1, 1, 2), 1, 5)), ""},
		rowCase{9, node("BatchNormalization", "x, scale, b, mean, var -> y", "epsilon", float32(0)), of(f(s(2), 3, 5), one, zero, one, f(s(1), 4)), of(f(s(2), 1, 2)), ""},
		rowCase{15, node("BatchNormalization", "x, scale, b, mean, var -> y", "epsilon", float32(0)), of(half(f(s(1, 1), 3)), one, zero, one, f(s(1), 4)),
			of(half(f(s(1, 1), 1))), ""},
		rowCase{15, node("BatchNormalization", "x, scale, b, mean, var -> y, m, v", "epsilon", float32(0), "momentum", float32(0.75), "training_mode", 1),
			of(f(s(2, 1), 1, 3), one, zero, f(s(1), 10), f(s(1), 5)), of(f(s(2, 1), -1, 1), f(s(1), 8), f(s(1), 4)), ""},
		rowCase{9, node("BatchNormalization", "x, scale, b, mean, var -> y, m", "epsilon", float32(0)), of(f(s(2, 1), 1, 3), one, zero, zero, one), of(nil, zero), "is not supported"},

		rowCase{17, node("LayerNormalization", "x, scale, b -> y, mean, dev", "epsilon", float32(0)), of(two, f(s(2), 1, 2), f(s(2), 0, 1)),
			of(f(s(2, 2), -1, 3, -1, 3), f(s(2, 1), 2, 7), f(s(2, 1), 1, 0.5)), ""},
		rowCase{11, node("LayerNormalization", "x, scale -> y", "epsilon", float32(0)), of(two, f(s(1), 2)), of(f(s(2, 2), -2, 2, -2, 2)), ""},
		rowCase{17, node("LayerNormalization", "x, scale, b -> y", "epsilon", float32(0), "axis", 1), of(f(s(2, 2, 1), 1, 3, 5, 9), f(s(2, 1), 1, 1), f(s(1), 3)),
			of(f(s(2, 2, 1), 2, 4, 2, 4)), ""},
		rowCase{17, node("LayerNormalization", "x, scale -> y", "axis", 2), of(two, one), nil, "axis: there is no axis 2 in a tensor of rank 2"},
		rowCase{17, node("LayerNormalization", "x, scale -> y, mean", "stash_type", 7), of(two, f(s(2), 1, 1)), of(signs, zero), "stash_type: it is int64; it must be a float"},
		rowCase{23, node("RMSNormalization", "x, scale -> y", "epsilon", float32(0)), of(f(s(1, 2), 3, 3), f(s(2), 1, 2)), of(f(s(1, 2), 1, 2)), ""},
		rowCase{17, node("SimplifiedLayerNormalization", "x, scale -> y, dev", "epsilon", float32(0)), of(f(s(1, 2), 4, 4), f(s(2), 1, 2)), of(f(s(1, 2), 1, 2), f(s(1, 1), 0.25)), ""},

		rowCase{18, node("GroupNormalization", "x, scale, b -> y", "num_groups", 2, "epsilon", float32(0)), of(f(s(1, 4), 1, 3, 5, 9), f(s(2), 1, 2), f(s(2), 0, 1)),
			of(f(s(1, 4), -1, 1, -1, 3)), ""},
		rowCase{21, node("GroupNormalization", "x, scale, b -> y", "num_groups", 2, "epsilon", float32(0)), of(f(s(1, 4), 1, 3, 5, 9), f(s(4), 1, 2, 3, 4), f(s(4), 0, 0, 0, 1)),
			of(f(s(1, 4), -1, 2, -3, 5)), ""},
		rowCase{21, node("GroupNormalization", "x, scale, b -> y", "num_groups", 3), of(f(s(1, 4), 1, 3, 5, 9), one, one), nil, "must be divisible by num_groups, 3"},
		rowCase{21, node("GroupNormalization", "x, scale, b -> y", "num_groups", 2), of(f(s(1, 4), 1, 3, 5, 9), f(s(2), 1, 1), f(s(2), 1, 1)), nil,
			"scale: it is float32[2]; it must have one element for each of the 4 channels"},

		rowCase{17, node("com.microsoft.SkipLayerNormalization", "x, skip, gamma, , bias -> y, , , sum", "epsilon", float32(0)),
			of(f(s(1, 1, 2), 1, 2), f(s(1, 2), 0, 1), f(s(2), 1, 1), f(s(2), 1, 1)), of(f(s(1, 1, 2), -1, 1)), ""},
		rowCase{17, node("com.microsoft.SkipSimplifiedLayerNormalization", "x, skip, gamma -> y, , dev, sum", "epsilon", float32(0)),
			of(f(s(1, 1, 2), 1, 2), f(s(1, 1, 2), 3, 2), f(s(2), 1, 2)), of(f(s(1, 1, 2), 1, 2)), ""},
		rowCase{17, node("com.microsoft.EmbedLayerNormalization", "ids, seg, words, places, segments, gamma, beta, mask -> y, count, sum", "epsilon", float32(0)),
			of(array(s(1, 2), int32(1), 0), array(s(1, 2), int32(0), 1), f(s(2, 2), 0, 1, 2, 3), f(s(2, 2), 0, 0, 0, 10), f(s(2, 2), 0, 0, 5, 5), f(s(2), 1, 1), f(s(2), 0, 1),
				array(s(1, 2), int32(1), 0)),
			of(f(s(1, 2, 2), -1, 2, -1, 2), array(s(1), int32(1)), f(s(1, 2, 2), 2, 3, 5, 16)), ""},
		rowCase{17, node("com.microsoft.QEmbedLayerNormalization", "ids, seg, words, places, segments, gamma, beta, , k, l, , m, n, v, w, , x, z -> y, count"), of(i(s(1, 1), 0), i(s(1, 1), 0),
			array(s(1, 1), uint8(1)), array(s(1, 1), uint8(1)), array(s(1, 1), uint8(1)), array(s(1), uint8(1)), array(s(1), uint8(1)), f(nil, 1), f(nil, 1), f(nil, 1), f(nil, 1),
			array(nil, uint8(0)), array(nil, uint8(0)), array(nil, uint8(0)), array(nil, uint8(0))), nil, "segment_embedding_scale: the operand is missing"},
		rowCase{17, node("com.microsoft.QEmbedLayerNormalization", "ids, , words, places, , gamma, beta, , k, l, , m, n, v, w, , x, z -> y, count", "epsilon", float32(0)),
			of(array(s(1, 2), int32(1), 0), array(s(2, 2), uint8(1), 3, 5, 7), array(s(2, 2), uint8(1), 1, 1, 11), array(s(2), uint8(3), 3), array(s(2), uint8(1), 3), f(nil, 1), f(nil, 1),
				f(nil, 0.5), f(s(1), 0.5), array(nil, uint8(0)), array(nil, uint8(1)), array(nil, uint8(1)), array(s(1), uint8(1))),
			of(f(s(1, 2, 2), -1, 2, -1, 2), array(s(1), int32(0))), ""},

		rowCase{13, node("LRN", "x -> y", "size", 3, "alpha", float32(3), "beta", float32(1)), of(f(s(1, 3), 1, 2, 3)), of(f(s(1, 3), 1.0/6, 2.0/15, 3.0/14)), ""},
		rowCase{13, node("LRN", "x -> y", "size", 0), of(f(s(1, 3), 1, 2, 3)), nil, "size: it is 0; it must be from 1 to 1073741824"},
	)
}

// TestLosses: reductions, weights and what is ignored.
func TestLosses(t *testing.T) {
	logs := f(s(2, 2), -1, -2, -3, -4)
	ln2 := float32(math.Ln2)
	checkRows(t,
		rowCase{13, node("NegativeLogLikelihoodLoss", "x, t -> y", "reduction", "none"), of(logs, list(1, 0)), of(f(s(2), 2, 3)), ""},
		rowCase{13, node("NegativeLogLikelihoodLoss", "x, t -> y"), of(logs, list(1, 0)), of(f(nil, 2.5)), ""},
		rowCase{13, node("NegativeLogLikelihoodLoss", "x, t, w -> y"), of(logs, list(1, 0), f(s(2), 1, 3)), of(f(nil, 2.25)), ""},
		rowCase{13, node("NegativeLogLikelihoodLoss", "x, t -> y", "reduction", "sum", "ignore_index", -1), of(logs, list(-1, 0)), of(f(nil, 3)), ""},
		rowCase{13, node("NegativeLogLikelihoodLoss", "x, t -> y", "ignore_index", 1), of(logs, list(1, 0)), of(f(nil, 3)), ""},
		rowCase{13, node("SoftmaxCrossEntropyLoss", "x, t -> y, z", "reduction", "sum"), of(f(s(1, 2, 1), 5, 5), i(s(1, 1), 0)), of(f(nil, ln2), f(s(1, 2, 1), -ln2, -ln2)), ""},
		rowCase{13, node("SoftmaxCrossEntropyLoss", "x, t -> y"), of(f(s(1, 2, 1), 5, 5), list(0)), nil, "labels: it is int64[1]; it must be integers of the shape [1,1]"},
	)
}

// TestSignals: frames, windows and real transforms.
func TestSignals(t *testing.T) {
	wave := f(s(1, 4, 1), 1, 2, 3, 4)
	checkRows(t,
		rowCase{17, node("DFT", "x -> y", "axis", 1, "onesided", 1), of(wave), of(f(s(1, 3, 2), 10, 0, -2, 2, -2, 0)), ""},
		rowCase{20, node("DFT", "x, n, axis -> y"), of(wave, i(nil, 2), i(nil, 1)), of(f(s(1, 2, 2), 3, 0, -1, 0)), ""},
		rowCase{20, node("DFT", "x, n -> y"), of(wave, i(nil, 0)), nil, "dft_length: it is 0; it must be positive"},
		rowCase{17, node("STFT", "x, step, , n -> y"), of(wave, i(nil, 1), i(nil, 2)), of(f(s(1, 3, 2, 2), 3, 0, -1, 0, 5, 0, -1, 0, 7, 0, -1, 0)), ""},
		rowCase{17, node("STFT", "x, step, w -> y"), of(f(s(1, 4), 1, 2, 3, 4), i(nil, 2), f(s(2), 1, 10)), of(f(s(1, 2, 2, 2), 21, 0, -19, 0, 43, 0, -37, 0)), ""},
		rowCase{17, node("STFT", "x, step -> y"), of(wave, i(nil, 2)), nil, "frame_length: neither it nor a window is given"},
	)
}
