package onnx_test

import (
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestTypes holds rows to values of types that the operators do not take which they become, and to refusing types that casts would let pass.
func TestTypes(t *testing.T) {
	as := func(d tensor.DType, x *tensor.Tensor) *tensor.Tensor { return must(tensor.Cast(x, d)) }
	for _, d := range []tensor.DType{tensor.Int4, tensor.Uint4, tensor.Float4E2M1, tensor.Float8E5M2} {
		checkRows(t,
			rowCase{25, node("Pad", "x, v, w -> y"), of(as(d, list(1, 2, 3)), list(1, 2), as(d, i(nil, 4))), of(as(d, list(4, 1, 2, 3, 4, 4))), ""},
			rowCase{25, node("Pad", "x, v -> y", "mode", "reflect"), of(as(d, list(1, 2, 3)), list(1, 0)), of(as(d, list(2, 1, 2, 3))), ""},
			rowCase{24, node("TensorScatter", "x, v -> y"), of(as(d, i(s(1, 3, 1), 1, 2, 3)), as(d, i(s(1, 2, 1), 4, 3))), of(as(d, i(s(1, 3, 1), 4, 3, 3))), ""})
	}
	for _, d := range []tensor.DType{tensor.Bool, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Uint8, tensor.Uint32} {
		bits := func(shape []int, x ...int64) *tensor.Tensor { return as(d, i(shape, x...)) }
		checkRows(t,
			rowCase{13, node("Resize", "x, , v -> y"), of(bits(s(2), 0, 1), f(s(1), 2)), of(bits(s(4), 0, 0, 1, 1)), ""},
			rowCase{20, node("GridSample", "x, v -> y", "mode", "nearest"), of(bits(s(1, 1, 1, 2), 0, 1), f(s(1, 1, 2, 2), -0.5, 0, 0.5, 0)), of(bits(s(1, 1, 1, 2), 0, 1)), ""})
	}
	checkRows(t,
		rowCase{20, node("GridSample", "x, v -> y"), of(array(s(1, 1, 1, 2), int32(-3), 4), f(s(1, 1, 2, 2), -0.5, 0, 0, 0)), of(array(s(1, 1, 1, 2), int32(-3), 0)), ""},
		rowCase{20, node("GridSample", "x, v -> y"), of(i(s(1, 1, 1, 2), 3, 4), f(s(1, 1, 1, 2), 0, 0)), of(i(s(1, 1, 1, 1), 3)), ""},
		rowCase{20, node("GridSample", "x, v -> y"), of(as(tensor.Int4, i(s(1, 1, 1, 2), 3, 4)), f(s(1, 1, 1, 2), 0, 0)), nil, "X: the element type int4 is not allowed; it must be any"},
		rowCase{13, node("Resize", "x, , v -> y", "mode", "linear"), of(b(s(2), true, false), f(s(1), 2)), nil, "input: the element type bool is not allowed"})

	a, one := as(tensor.Float8E4M3FN, f(s(2, 2), 1, 2, -3, 0.5)), as(tensor.Float8E4M3FN, f(nil, 1))
	zeros := as(tensor.Float8E4M3FN, f(s(2), 0, 0))
	checkRows(t,
		rowCase{21, node("QLinearMatMul", "a, as, az, b, bs, bz, ys, yz -> y"), of(a, f(s(2), 2, 1), zeros, a, f(s(2), 1, 4), zeros, f(nil, 0.5), as(tensor.Float8E4M3FN, f(nil, 0))),
			of(as(tensor.Float8E4M3FN, f(s(2, 2), -20, 48, -9, -46))), ""},
		rowCase{21, node("QLinearMatMul", "a, as, az, b, bs, bz, ys, yz -> y"), of(zeros, f(nil, 1), one, a, f(nil, 1), one, f(nil, 1), one), of(as(tensor.Float8E4M3FN, f(s(2), 5, 0.5))), ""},

		rowCase{15, node("BatchNormalization", "x, a, c, d, e -> y"), of(b(s(1, 1), true), f(s(1), 1), f(s(1), 0), f(s(1), 0), f(s(1), 1)), nil,
			"X: the element type bool is not allowed; it must be float"},
		rowCase{13, node("Sum", "x -> y"), of(b(s(1), true)), nil, "data[0]: the element type bool is not allowed; it must be number"},
		rowCase{13, node("DequantizeLinear", "x, v -> y"), of(array(s(1), int8(1)), i(nil, 1)), nil, "x_scale: the element type int64 is not allowed"},
		rowCase{13, node("Pad", "x, v, w -> y"), of(f(s(1), 1), list(0, 0), i(nil, 1)), nil, "constant_value: the element type is int64; it must be float32, that of data"},
		rowCase{18, node("ScatterND", "x, v, w -> y", "reduction", "max"), of(b(s(1), true), i(s(1, 1), 0), f(s(1), 1)), nil,
			"updates: the element type is float32; it must be bool, as in data"},
		rowCase{14, node("Reshape", "x, v -> y"), of(f(s(1), 1), as(tensor.Int4, list(1))), nil, "shape: the element type int4 is not allowed; it must be integer"})
}
