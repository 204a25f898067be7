package onnx_test

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// TestRecurrent: functions, lengths and layouts, on networks whose states are their inputs or sums of them.
func TestRecurrent(t *testing.T) {
	tanh := func(x float64) float32 { return float32(math.Tanh(x)) }
	x, w, r := f(s(3, 1, 1), 1, -2, 3), f(s(1, 1, 1), 1), f(s(1, 1, 1), 1)
	both := func(v float32) *tensor.Tensor { return f(s(2, 1, 1), v, v) }
	rnn := func(values string, activation string, attrs ...any) *proto.Node {
		return node("RNN", values, append(attrs, "activations", []string{activation})...)
	}
	dynamic := func(values string, attrs ...any) *proto.Node {
		return node("com.microsoft.DynamicQuantizeLSTM", values, append(attrs, "activations", []string{"HardSigmoid", "Affine", "Affine"})...)
	}
	identity := []any{"activation_alpha", []float32{1}, "activation_beta", []float32{0}}
	checkRows(t,
		rowCase{22, node("RNN", "x, w, r -> , h"), of(f(s(1, 1, 1), 1), w, r), of(nil, f(s(1, 1, 1), tanh(1))), ""},
		rowCase{22, rnn("x, w, r, b -> y, h", "Affine", identity...), of(x, w, r, f(s(1, 2), 1, 2)), of(f(s(3, 1, 1, 1), 4, 5, 11), f(s(1, 1, 1), 11)), ""},
		rowCase{22, rnn("x, w, r -> y, h", "affine", "direction", "reverse"), of(x, w, r), of(f(s(3, 1, 1, 1), 2, 1, 3), f(s(1, 1, 1), 2)), ""},
		rowCase{22, rnn("x, w, r, , n, h -> y, z", "Relu"), of(f(s(2, 2, 1), 1, 2, 3, 4), w, r, array(s(2), int32(1), 2), f(s(1, 2, 1), 10, 20)),
			of(f(s(2, 1, 2, 1), 11, 22, 0, 26), f(s(1, 2, 1), 11, 26)), ""},
		rowCase{22, rnn("x, w, r, , , h -> y, z", "Relu", "layout", 1), of(f(s(2, 2, 1), 1, 2, 3, 4), w, r, f(s(2, 1, 1), 10, 20)),
			of(f(s(2, 2, 1, 1), 11, 13, 23, 27), f(s(2, 1, 1), 13, 27)), ""},
		rowCase{22, node("RNN", "x, w, r -> y", "direction", "bidirectional", "activations", []string{"LeakyRelu", "LeakyRelu"}, "activation_alpha", []float32{0.5, 0.25}),
			of(f(s(1, 1, 1), -4), both(1), both(1)), of(f(s(1, 2, 1, 1), -2, -1)), ""},
		rowCase{22, node("RNN", "x, w, r -> y", "direction", "bidirectional", "activations", []string{"Relu", "ThresholdedRelu"}, "activation_alpha", []float32{5}),
			of(f(s(1, 1, 1), 4), both(1), both(1)), of(f(s(1, 2, 1, 1), 4, 0)), ""},
		rowCase{22, rnn("x, w, r -> , h", "HardSigmoid"), of(f(s(1, 1, 1), 1), w, r), of(nil, f(s(1, 1, 1), 0.7)), ""},
		rowCase{22, rnn("x, w, r -> , h", "Affine", "clip", float32(2)), of(x, w, r), of(nil, f(s(1, 1, 1), 2)), ""},
		rowCase{1, rnn("x, w, r -> y", "Relu", "output_sequence", 1), of(x, w, r), of(f(s(3, 1, 1, 1), 1, 0, 3)), ""},

		// Without steps the states are those before the first one.
		rowCase{22, rnn("x, w, r, , , h -> y, z", "Relu"), of(f(s(0, 2, 1)), w, r, f(s(1, 2, 1), 10, 20)), of(f(s(0, 1, 2, 1)), f(s(1, 2, 1), 10, 20)), ""},
		rowCase{22, node("GRU", "x, w, r, , n -> y, z", "layout", 1), of(f(s(2, 0, 1)), f(s(1, 3, 1), 1, 1, 1), f(s(1, 3, 1), 1, 1, 1), array(s(2), int32(1), 2)),
			of(f(s(2, 0, 1, 1)), f(s(2, 1, 1), 0, 0)), ""},
		rowCase{22, node("LSTM", "x, w, r, , , , c -> , h, z"), of(f(s(0, 1, 1)), f(s(1, 4, 1), 1, 1, 1, 1), f(s(1, 4, 1), 1, 1, 1, 1), f(s(1, 1, 1), 5)),
			of(nil, f(s(1, 1, 1), 0), f(s(1, 1, 1), 5)), ""},
		rowCase{22, node("RNN", "x, w, r -> y"), of(f(s(0, 1, 2)), w, r), nil, "weight"},

		rowCase{22, rnn("x, w, r -> y", "Mystery"), of(x, w, r), nil, `activations: "Mystery" is not supported`},
		rowCase{22, node("RNN", "x, w, r -> y", "direction", "sideways"), of(x, w, r), nil, `direction: "sideways" is not allowed`},
		rowCase{22, node("RNN", "x, w, r -> y", "hidden_size", 2), of(x, w, r), nil, "hidden_size: it is 2; R, float32[1,1,1], has states of 1 elements"},
		rowCase{22, node("LSTM", "x, w, r -> y", "activations", []string{"Tanh"}), of(x, f(s(1, 4, 1), 1, 1, 1, 1), f(s(1, 4, 1), 1, 1, 1, 1)), nil, "activations: there are 1; there must be 3"},

		// Gates that let everything pass: z = 0 takes what is new.
		rowCase{22, node("GRU", "x, w, r, b -> , h", "activations", []string{"Relu", "Affine"}), of(x, f(s(1, 3, 1), 0, 0, 1), f(s(1, 3, 1), 0, 0, 1), f(s(1, 6), 0, 0, 0, 0, 2, 1)),
			of(nil, f(s(1, 1, 1), 10)), ""},
		rowCase{22, node("GRU", "x, w, r, b -> , h", "activations", []string{"Relu", "Affine"}, "linear_before_reset", 1),
			of(x, f(s(1, 3, 1), 0, 0, 1), f(s(1, 3, 1), 0, 0, 1), f(s(1, 6), 0, 0, 0, 0, 2, 1)), of(nil, f(s(1, 1, 1), 17)), ""},
		rowCase{22, node("LSTM", "x, w, r, b, , , c -> y, h, z", "activations", []string{"HardSigmoid", "Affine", "Affine"}), of(x, f(s(1, 4, 1), 0, 0, 0, 1), f(s(1, 4, 1), 0, 0, 0, 0),
			f(s(1, 8), 9, 9, 9, 0, 0, 0, 0, 0), f(s(1, 1, 1), 5)), of(f(s(3, 1, 1, 1), 6, 4, 7), f(s(1, 1, 1), 7), f(s(1, 1, 1), 7)), ""},
		rowCase{22, node("LSTM", "x, w, r, b, , , c -> , , z", "activations", []string{"HardSigmoid", "Affine", "Affine"}, "input_forget", 1),
			of(x, f(s(1, 4, 1), 0, 0, 0, 1), f(s(1, 4, 1), 0, 0, 0, 0), f(s(1, 8), 9, 9, 9, 0, 0, 0, 0, 0), f(s(1, 1, 1), 5)), of(nil, nil, f(s(1, 1, 1), 3)), ""},
		rowCase{22, node("LSTM", "x, w, r, b, , , , p -> , h", "activations", []string{"HardSigmoid", "Affine", "Affine"}),
			of(f(s(1, 1, 1), 2), f(s(1, 4, 1), 0, 0, 0, 1), f(s(1, 4, 1), 0, 0, 0, 0), f(s(1, 8), 9, 0, 9, 0, 0, 0, 0, 0), f(s(1, 3), 0, 1, 0)), of(nil, f(s(1, 1, 1), 1.8)), ""},

		// Weights of codes; inputs and states are rounded to parts of 255 of their range.
		rowCase{22, dynamic("x, w, r, b, , , c, , k, v, q, z -> y, h, n"), of(f(s(3, 1, 1), 51, 0.2, 255), array(s(1, 1, 4), int8(0), 0, 0, 2), array(s(1, 1, 4), int8(0), 0, 0, 0),
			f(s(1, 8), 9, 9, 9, 0, 0, 0, 0, 0), f(s(1, 1, 1), 5), f(s(1), 0.5), array(s(1), int8(0)), f(s(1), 1), array(s(1, 4), int8(0), 0, 0, 0)),
			of(f(s(3, 1, 1, 1), 56, 56, 311), f(s(1, 1, 1), 311), f(s(1, 1, 1), 311)), ""},
		rowCase{22, dynamic("x, w, r, b, , h, , , k, v, q, z -> , y", "direction", "reverse"), of(f(s(2, 1, 1), 0, 0), array(s(1, 1, 8), uint8(3), 3, 3, 3, 3, 3, 3, 3),
			array(s(1, 2, 8), uint8(3), 3, 3, 3, 3, 3, 4, 3, 3, 3, 3, 3, 3, 3, 3, 4), f(s(1, 16), 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), f(s(1, 1, 2), 255, 0.4), f(s(1), 1),
			array(s(1), uint8(3)), f(s(1, 8), 1, 1, 1, 1, 1, 1, 1, 1), array(s(1), uint8(3))), of(nil, f(s(1, 1, 2), 510, 0)), ""},
		rowCase{22, dynamic("x, w, r, , , , , , k, v, q, z -> y"), of(f(s(1, 1, 1), 1), array(s(1, 1, 4), int8(0), 0, 0, 2), array(s(1, 1, 4), int8(0), 0, 0, 0), f(s(2), 1, 1),
			array(s(1), int8(0)), f(s(1), 1), array(s(1), int8(0))), nil, "W_scale: it is float32[2]; it must have the shape [1] or [1,4]"},
		rowCase{22, dynamic("x, w, r, , , , , , k, v, q, z -> y"), of(f(s(1, 1, 1), 1), array(s(1, 4), int8(0), 0, 0, 2), array(s(1, 1, 4), int8(0), 0, 0, 0), f(s(1), 1),
			array(s(1), int8(0)), f(s(1), 1), array(s(1), int8(0))), nil, "W: it is int8[1,4]; it must have three dimensions"},
		rowCase{22, dynamic("x, w, r, , , , , , k, v, q, z -> y", "direction", "bidirectional"), of(f(s(1, 1, 1), 1), array(s(1, 1, 4), int8(0), 0, 0, 2),
			array(s(1, 1, 4), int8(0), 0, 0, 0), f(s(1), 1), array(s(1), int8(0)), f(s(1), 1), array(s(1), int8(0))), nil, "W: its first extent must be 2, the number of directions"},
		rowCase{22, dynamic("x, w, r, , , , c, , k, v, q, z -> y"), of(f(s(1, 1, 1), 1), array(s(1, 1, 4), int8(0), 0, 0, 2), array(s(1, 1, 4), int8(0), 0, 0, 0), f(nil, 5),
			f(s(1), 1), array(s(1), int8(0)), f(s(1), 1), array(s(1), int8(0))), nil, "initial_c: its first extent must be 1"},
	)
}
