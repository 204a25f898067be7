package onnx_test

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

var inf = float32(math.Inf(1))

// TestElementwise: what versions and attributes say of operators on elements.
func TestElementwise(t *testing.T) {
	x := f(s(4), -3, -0.5, 0.5, 3)
	grid := counted(2, 3)
	checkRows(t,
		rowCase{1, node("Abs", "x -> y", "consumed_inputs", []int64{0}), of(x), of(f(s(4), 3, 0.5, 0.5, 3)), ""},
		rowCase{6, node("Abs", "x -> y", "consumed_inputs", []int64{0}), of(x), nil, "consumed_inputs: the operator has no such attribute"},
		rowCase{1, node("Elu", "x -> y", "alpha", float32(2), "consumed_inputs", []int64{0}), of(f(s(2), -1, 1)), of(f(s(2), -1.2642411, 1)), ""},
		rowCase{1, node("Selu", "x -> y"), of(f(s(1), 1)), of(f(s(1), 1.0507)), ""},

		// Broadcasting that must be asked for.
		rowCase{6, node("Add", "x, v -> y"), of(grid, grid), of(f(s(2, 3), 0, 2, 4, 6, 8, 10)), ""},
		rowCase{6, node("Add", "x, v -> y"), of(grid, f(s(3), 1, 2, 3)), nil, "B: it is float32[3]; it must have the shape of A, [2,3], or broadcast must be 1"},
		rowCase{6, node("Sub", "x, v -> y", "broadcast", 1), of(grid, f(s(3), 0, 1, 2)), of(f(s(2, 3), 0, 0, 0, 3, 3, 3)), ""},
		rowCase{1, node("Mul", "x, v -> y", "broadcast", 1, "axis", 0, "consumed_inputs", []int64{0, 0}), of(grid, f(s(2), 1, 10)), of(f(s(2, 3), 0, 1, 2, 30, 40, 50)), ""},
		rowCase{6, node("Div", "x, v -> y", "broadcast", 1, "axis", 1), of(grid, f(s(3), 1, 1, 2)), of(f(s(2, 3), 0, 1, 1, 3, 4, 2.5)), ""},
		rowCase{6, node("Greater", "x, v -> y", "broadcast", 1, "axis", -2), of(grid, f(s(2), 1, 4)), of(b(s(2, 3), false, false, true, false, false, true)), ""},
		rowCase{6, node("Pow", "x, v -> y", "broadcast", 1), of(grid, f(nil, 2)), of(f(s(2, 3), 0, 1, 4, 9, 16, 25)), ""},
		rowCase{6, node("Add", "x, v -> y", "broadcast", 1, "axis", 1), of(grid, grid), nil, "axis: float32[2,3] has no place at dimension 1 of a tensor of rank 2"},
		rowCase{6, node("Add", "x, v -> y", "broadcast", 1), of(f(s(3), 1, 2, 3), grid), nil, "it must not have more dimensions than A, [3]"},
		rowCase{7, node("Add", "x, v -> y"), of(f(s(3), 1, 2, 3), grid), of(f(s(2, 3), 1, 3, 5, 4, 6, 8)), ""},
		rowCase{7, node("Add", "x, v -> y", "broadcast", 1), of(grid, grid), nil, "broadcast: the operator has no such attribute; it has none"},

		// Bounds as attributes and as operands.
		rowCase{1, node("Clip", "x -> y", "max", float32(1)), of(x), of(f(s(4), -3, -0.5, 0.5, 1)), ""},
		rowCase{6, node("Clip", "x -> y"), of(f(s(2), inf, -inf)), of(f(s(2), math.MaxFloat32, -math.MaxFloat32)), ""},
		rowCase{6, node("Clip", "x -> y", "min", float32(-1), "max", float32(1)), of(x), of(f(s(4), -1, -0.5, 0.5, 1)), ""},
		rowCase{11, node("Clip", "x -> y"), of(f(s(2), inf, -3)), of(f(s(2), inf, -3)), ""},
		rowCase{11, node("Clip", "x, lo -> y"), of(x, f(nil, 0)), of(f(s(4), 0, 0, 0.5, 3)), ""},
		rowCase{13, node("Clip", "x, , hi -> y"), of(x, f(s(1), 0)), of(f(s(4), -3, -0.5, 0, 0)), ""},
		rowCase{13, node("Clip", "x, lo, hi -> y"), of(x, f(nil, 2), f(nil, 1)), of(f(s(4), 1, 1, 1, 1)), ""},
		rowCase{13, node("Clip", "x, lo, hi -> y"), of(x, f(nil, -1), f(nil, 1)), of(f(s(4), -1, -0.5, 0.5, 1)), ""},
		rowCase{13, node("Clip", "x, lo -> y"), of(x, f(s(2), 0, 1)), nil, "min: it is float32[2]; it must have one element"},
		rowCase{13, node("Clip", "x, lo -> y"), of(x, i(nil, 1)), nil, "clamp"},

		rowCase{15, node("Pow", "x, v -> y"), of(i(s(3), 2, 3, 4), f(s(3), 0.5, 2, -1)), of(i(s(3), 1, 9, 0)), ""},
		rowCase{15, node("Pow", "x, v -> y"), of(array(s(2), int32(2), -3), i(nil, 3)), of(array(s(2), int32(8), -27)), ""},
		rowCase{13, node("Mod", "x, v -> y"), of(i(s(2), -7, 7), i(nil, 3)), of(i(s(2), 2, 1)), ""},
		rowCase{13, node("Mod", "x, v -> y", "fmod", 1), of(i(s(2), -7, 7), i(nil, 3)), of(i(s(2), -1, 1)), ""},
		rowCase{11, node("BitShift", "x, v -> y", "direction", "LEFT"), of(array(s(2), uint8(1), 200), array(s(2), uint8(3), 1)), of(array(s(2), uint8(8), 144)), ""},
		rowCase{11, node("BitShift", "x, v -> y", "direction", "UP"), of(array(s(1), uint8(1)), array(s(1), uint8(3))), nil, `direction: "UP" is not allowed`},
		rowCase{18, node("BitwiseXor", "x, v -> y"), of(array(s(2), int8(5), -1), array(nil, int8(3))), of(array(s(2), int8(6), -4)), ""},

		rowCase{10, node("IsInf", "x -> y", "detect_negative", 0), of(f(s(3), inf, -inf, 1)), of(b(s(3), true, false, false)), ""},
		rowCase{10, node("IsInf", "x -> y", "detect_positive", 0), of(f(s(3), inf, -inf, 1)), of(b(s(3), false, true, false)), ""},
		rowCase{10, node("IsInf", "x -> y", "detect_positive", 0, "detect_negative", 0), of(f(s(2), inf, float32(math.NaN()))), of(b(s(2), false, false)), ""},

		rowCase{8, node("Max", "x -> y"), of(x), of(x), ""},
		rowCase{8, node("Max", "x, v, w -> y"), of(x, f(nil, 0), f(s(1, 1), 1)), of(f(s(1, 4), 1, 1, 1, 3)), ""},
		rowCase{8, node("Mean", "x, v, w -> y"), of(f(s(2), 1, 2), f(nil, 3), f(s(1), 5)), of(f(s(2), 3, 10.0/3)), ""},
		rowCase{8, node("Sum", "-> y"), nil, nil, "data: there is no operand"},
		rowCase{9, node("Where", "x, v, w -> y"), of(b(s(2, 1), true, false), f(s(3), 1, 2, 3), f(nil, 0)), of(f(s(2, 3), 1, 2, 3, 0, 0, 0)), ""},
	)
}

func TestActivations(t *testing.T) {
	x := f(s(4), -3, -0.5, 0.5, 3)
	checkRows(t,
		rowCase{12, node("Celu", "x -> y", "alpha", float32(2)), of(x), of(f(s(4), -1.5537397, -0.4423984, 0.5, 3)), ""},
		rowCase{12, node("Celu", "x -> y"), of(x), of(f(s(4), -0.95021296, -0.39346933, 0.5, 3)), ""},
		rowCase{12, node("Celu", "x -> y", "alpha", float32(0)), of(x), nil, "alpha: it is 0, by which x is divided"},
		rowCase{20, node("Gelu", "x -> y"), of(x), of(f(s(4), -0.0040496941, -0.15426877, 0.34573123, 2.9959503)), ""},
		rowCase{20, node("Gelu", "x -> y", "approximate", "sigmoid"), of(x), nil, `approximate: "sigmoid" is not allowed; it must be one of ["none" "tanh"]`},
		rowCase{18, node("Mish", "x -> y"), of(x), of(f(s(4), -0.14564745, -0.22074346, 0.37524552, 2.9865351)), ""},
		rowCase{9, node("Shrink", "x -> y", "lambd", float32(1.5), "bias", float32(0.5)), of(x), of(f(s(4), -2.5, 0, 0, 2.5)), ""},
		rowCase{9, node("Shrink", "x -> y", "lambd", float32(1.5), "bias", float32(0.5)), of(i(s(4), -2, -1, 1, 2)), of(i(s(4), -1, 0, 0, 1)), ""},
		rowCase{24, node("Swish", "x -> y", "alpha", float32(2)), of(x), of(f(s(4), -0.0074178670, -0.13447072, 0.36552927, 2.9925822)), ""},
		rowCase{28, node("SwiGLU", "x, v -> y"), of(x, f(s(4), 1, 2, 3, 4)), of(f(s(4), -0.14227763, -0.37754067, 0.93368900, 11.430890)), ""},
		rowCase{28, node("SwiGLU", "x, v -> y"), of(x, f(s(1), 1)), nil, "B: it is float32[1]; it must have the shape of A, [4]"},
		rowCase{10, node("ThresholdedRelu", "x -> y"), of(x), of(f(s(4), 0, 0, 0, 3)), ""},

		rowCase{9, node("PRelu", "x, v -> y"), of(f(s(2, 2), -1, -2, 3, -4), f(s(2), 2, 3)), of(f(s(2, 2), -2, -6, 3, -12)), ""},
		rowCase{6, node("PRelu", "x, v -> y"), of(f(s(1, 2, 2), -1, -2, 3, -4), f(s(2), 2, 3)), of(f(s(1, 2, 2), -2, -4, 3, -12)), ""},
		rowCase{9, node("PRelu", "x, v -> y"), of(f(s(2), -1, -2), f(s(1, 2), 2, 3)), nil, "slope: it is float32[1,2], which does not broadcast to the shape of X, [2]"},
		rowCase{9, node("PRelu", "x, v -> y"), of(array(s(2), uint32(1), 2), array(s(2), uint32(2), 3)), of(array(s(2), uint32(1), 2)), ""},

		rowCase{13, node("com.microsoft.Gelu", "x -> y"), of(x), of(f(s(4), -0.0040496941, -0.15426877, 0.34573123, 2.9959503)), ""},
		rowCase{13, node("com.microsoft.FastGelu", "x -> y"), of(x), of(f(s(4), -0.0036373920, -0.15428599, 0.34571401, 2.9963626)), ""},
		rowCase{13, node("com.microsoft.FastGelu", "x, v -> y"), of(f(s(1, 2), -1, 0), f(s(2), 0.5, 0.5)), of(f(s(1, 2), -0.15428599, 0.34571401)), ""},
		rowCase{13, node("com.microsoft.BiasGelu", "x, v -> y"), of(f(s(1, 2), -1, 0), f(s(2), 0.5, 0.5)), of(f(s(1, 2), -0.15426877, 0.34573123)), ""},
		rowCase{13, node("com.microsoft.QuickGelu", "x -> y"), of(f(s(2), 1, -1)), of(f(s(2), 0.84579576, -0.15420423)), ""},
	)
}

func TestConversions(t *testing.T) {
	x := f(s(4), -1.5, 0, 2.5, 300)
	eight := func(x ...float32) *tensor.Tensor {
		out, err := tensor.Cast(f(s(len(x)), x...), tensor.Float8E4M3FN)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	checkRows(t,
		rowCase{1, node("Cast", "x -> y", "to", "INT32"), of(x), of(array(s(4), int32(-1), 0, 2, 300)), ""},
		rowCase{1, node("Cast", "x -> y", "to", "NUMBER"), of(x), nil, `to: "NUMBER" is no element type`},
		rowCase{13, node("Cast", "x -> y", "to", 9), of(x), of(b(s(4), true, false, true, true)), ""},
		rowCase{13, node("Cast", "x -> y", "to", 8), of(x), nil, "to: tensors of strings are not supported"},
		rowCase{13, node("Cast", "x -> y", "to", 99), of(x), nil, "to: "},
		rowCase{13, node("Cast", "x -> y"), of(x), nil, "to: the attribute is missing"},
		rowCase{13, node("Cast", "x -> y", "to", 17, "saturate", 1), of(x), nil, "saturate: the operator has no such attribute"},
		rowCase{19, node("Cast", "x -> y", "to", 17), of(f(s(2), 1, 1000)), of(eight(1, 448)), ""},
		rowCase{19, node("Cast", "x -> y", "to", 17, "saturate", 0), of(f(s(2), 1, 1000)), of(eight(1, float32(math.NaN()))), ""},
		rowCase{24, node("Cast", "x -> y", "to", 24, "round_mode", "even"), of(x), nil, `round_mode: "even" is not allowed`},
		rowCase{15, node("CastLike", "x, v -> y"), of(x, i(s(0))), of(i(s(4), -1, 0, 2, 300)), ""},
		rowCase{26, node("BitCast", "x -> y", "to", 6), of(f(s(2), 1, -0.5)), of(array(s(2), int32(0x3F800000), -0x41000000)), ""},
		rowCase{26, node("BitCast", "x -> y", "to", 7), of(x), nil, "there must be as many"},
	)
}
