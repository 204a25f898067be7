package onnx_test

import (
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestProducts: vectors, ranks, integers, and what fused products add.
func TestProducts(t *testing.T) {
	a, v := f(s(2, 3), 1, 2, 3, 4, 5, 6), f(s(3), 1, 0, 2)
	u32 := func(shape []int, x ...uint32) *tensor.Tensor { return array(shape, x...) }
	checkRows(t,
		rowCase{13, node("MatMul", "a, b -> y"), of(v, v), of(f(nil, 5)), ""},
		rowCase{13, node("MatMul", "a, b -> y"), of(a, v), of(f(s(2), 7, 16)), ""},
		rowCase{13, node("MatMul", "a, b -> y"), of(f(s(2), 1, 10), a), of(f(s(3), 41, 52, 63)), ""},
		rowCase{13, node("MatMul", "a, b -> y"), of(v, counted(2, 3, 1)), of(f(s(2, 1), 4, 13)), ""},
		rowCase{13, node("MatMul", "a, b -> y"), of(u32(s(1, 2), 1<<31, 3), u32(s(2, 1), 2, 5)), of(u32(s(1, 1), 15)), ""},
		rowCase{13, node("MatMul", "a, b -> y"), of(i(s(1, 2), 1<<40, 3), i(s(2, 1), 2, 5)), of(i(s(1, 1), 1<<41+15)), ""},
		rowCase{13, node("MatMul", "a, b -> y"), of(f(nil, 2), v), nil, "A: it is float32[]; it must have two dimensions or more"},
		rowCase{13, node("MatMul", "a, b -> y"), of(v, list(1, 2, 3)), nil, "B: the element type is int64; it must be that of A, float32"},

		rowCase{6, node("Gemm", "a, b, c -> y", "broadcast", 1, "transB", 1), of(a, a, f(s(1), 1)), of(f(s(2, 2), 15, 33, 33, 78)), ""},
		rowCase{13, node("Gemm", "a, b, c -> y", "transA", 1, "alpha", float32(0.5), "beta", float32(2)), of(f(s(2, 1), 2, 4), f(s(2, 2), 1, 2, 3, 4), f(s(1, 1), 1)),
			of(f(s(1, 2), 9, 12)), ""},
		rowCase{11, node("Gemm", "a, b, c -> y", "alpha", float32(2), "beta", float32(3)), of(i(s(1, 2), 1, 2), i(s(2, 1), 3, 4), i(nil, 5)), of(i(s(1, 1), 37)), ""},
		rowCase{11, node("Gemm", "a, b -> y", "alpha", float32(0.5)), of(i(s(1, 1), 1), i(s(1, 1), 3)), nil, "alpha: it is 0.5; for int64 it must be a whole number"},

		rowCase{13, node("com.microsoft.FusedGemm", "a, b, c -> y", "activation", "LeakyRelu", "activation_alpha", float32(0.5)),
			of(f(s(1, 1), -1), f(s(1, 2), 2, 3), f(s(2), 1, 5)), of(f(s(1, 2), -0.5, 2)), ""},
		rowCase{13, node("com.microsoft.FusedGemm", "a, b -> y", "activation", "Mystery"), of(f(s(1, 1), 1), f(s(1, 1), 1)), nil, `"Mystery" is not supported; there are ["Celu" "Clip" "Elu"`},
		rowCase{13, node("com.microsoft.FusedMatMul", "a, b -> y", "alpha", float32(2), "transA", 1), of(f(s(2, 1), 1, 2), f(s(2, 1), 3, 4)), of(f(s(1, 1), 22)), ""},
		rowCase{13, node("com.microsoft.FusedGemm", "a, b -> y", "activation", "Selu", "activation_alpha", float32(2), "activation_gamma", float32(0.5)),
			of(f(s(2, 1), 1, -1), f(s(1, 1), 1)), of(f(s(2, 1), 0.5, -0.63212055)), ""},
		rowCase{13, node("com.microsoft.FusedMatMul", "a, b -> y", "transBatchA", 1), of(counted(2, 3, 1), f(s(3, 1, 1), 1, 10, 100)),
			of(f(s(3, 2, 1), 0, 3, 10, 40, 200, 500)), ""},
		rowCase{13, node("com.microsoft.TransposeMatMul", "a, b -> y", "transB", 1), of(a, a), of(f(s(2, 2), 14, 32, 32, 77)), ""},
	)
}

// TestConvolutions: padding of all kinds, and the extents of transposed convolutions.
func TestConvolutions(t *testing.T) {
	ramp, ones := counted(1, 1, 5), f(s(1, 1, 3), 1, 1, 1)
	point, kernel := f(s(1, 1, 2), 1, 10), f(s(1, 1, 3), 1, 2, 3)
	up := func(want *tensor.Tensor, attrs ...any) rowCase {
		return rowCase{11, node("ConvTranspose", "x, w -> y", append(attrs, "strides", []int64{2})...), of(point, kernel), of(want), ""}
	}
	checkRows(t,
		rowCase{11, node("Conv", "x, w -> y"), of(ramp, ones), of(f(s(1, 1, 3), 3, 6, 9)), ""},
		rowCase{11, node("Conv", "x, w -> y", "auto_pad", "VALID", "strides", []int64{2}), of(ramp, ones), of(f(s(1, 1, 2), 3, 9)), ""},
		rowCase{11, node("Conv", "x, w -> y", "auto_pad", "SAME_UPPER", "kernel_shape", []int64{2}), of(ramp, f(s(1, 1, 2), 1, 1)), of(f(s(1, 1, 5), 1, 3, 5, 7, 4)), ""},
		rowCase{11, node("Conv", "x, w -> y", "auto_pad", "SAME_LOWER", "kernel_shape", []int64{2}), of(ramp, f(s(1, 1, 2), 1, 1)), of(f(s(1, 1, 5), 0, 1, 3, 5, 7)), ""},
		rowCase{11, node("Conv", "x, w -> y", "auto_pad", "SAME_UPPER", "dilations", []int64{2}), of(ramp, ones), of(f(s(1, 1, 5), 2, 4, 6, 4, 6)), ""},
		rowCase{11, node("Conv", "x, w, c -> y", "pads", []int64{1, 0}), of(ramp, ones, f(s(1), 0.5)), of(f(s(1, 1, 4), 1.5, 3.5, 6.5, 9.5)), ""},
		rowCase{11, node("Conv", "x, w -> y", "group", 0), of(ramp, ones), nil, "group: it is 0; it must be from 1 to 1073741824"},
		rowCase{11, node("Conv", "x, w -> y", "kernel_shape", []int64{2}), of(ramp, ones), nil, "kernel_shape: it is [2]; the window of W is [3]"},
		rowCase{11, node("Conv", "x, w -> y", "pads", []int64{1}), of(ramp, ones), nil, "pads: there are 1 numbers; there must be 2"},
		rowCase{11, node("Conv", "x, w -> y", "strides", []int64{0}), of(ramp, ones), nil, "strides: number 0 is 0; it must be from 1 to 1073741824"},
		rowCase{11, node("Conv", "x, w -> y", "auto_pad", "SAME"), of(ramp, ones), nil, `auto_pad: "SAME" is not allowed`},
		rowCase{11, node("Conv", "x, w -> y"), of(counted(3, 5), ones), nil, "X: it is float32[3,5]; it must have batch, channels and one or more spatial dimensions"},

		rowCase{11, node("com.microsoft.QLinearConv", "x, xs, xz, w, ws, wz, ys, yz -> y", "channels_last", 1),
			of(array(s(1, 2, 2), uint8(1), 2, 3, 4), f(s(), 1), array(s(), uint8(0)), array(s(1, 2, 1), int8(1), 10), f(s(), 1), array(s(), int8(0)), f(s(), 1),
				array(s(), uint8(0))), of(array(s(1, 2, 1), uint8(21), 43)), ""},
		rowCase{11, node("com.microsoft.FusedConv", "x, w, , z -> y", "activation", "Clip", "activation_params", []float32{4, 8}),
			of(ramp, ones, f(s(1, 1, 3), 0, 1, 2)), of(f(s(1, 1, 3), 4, 7, 8)), ""},

		up(f(s(1, 1, 5), 1, 2, 13, 20, 30)),
		up(f(s(1, 1, 6), 1, 2, 13, 20, 30, 0), "output_padding", []int64{1}),
		up(f(s(1, 1, 3), 2, 13, 20), "pads", []int64{1, 1}),
		up(f(s(1, 1, 4), 1, 2, 13, 20), "auto_pad", "SAME_UPPER"),
		up(f(s(1, 1, 4), 2, 13, 20, 30), "auto_pad", "SAME_LOWER"),
		up(f(s(1, 1, 5), 1, 2, 13, 20, 30), "auto_pad", "VALID"),
		up(f(s(1, 1, 3), 2, 13, 20), "output_shape", []int64{3}),
		up(f(s(1, 1, 4), 2, 13, 20, 30), "output_shape", []int64{1, 1, 4}),
		up(f(s(1, 1, 6), 1, 2, 13, 20, 30, 0), "output_shape", []int64{6}),

		rowCase{27, node("CausalConvWithState", "x, w, , past -> y, z"), of(f(s(1, 2, 2), 1, 2, 3, 4), f(s(2, 1, 3), 1, 1, 1, 0, 1, 10), f(s(1, 2, 2), 5, 6, 7, 8)),
			of(f(s(1, 2, 2), 12, 9, 38, 43), f(s(1, 2, 2), 1, 2, 3, 4)), ""},
		rowCase{18, node("Col2Im", "x, image, block -> y"), of(f(s(1, 2, 2), 1, 2, 3, 4), list(1, 3), list(1, 2)), of(f(s(1, 1, 1, 3), 1, 5, 4)), ""},
	)
}

// TestPooling: rounding up, counting the padding, places, and powers.
func TestPooling(t *testing.T) {
	ramp := counted(1, 1, 6)
	grid := counted(1, 1, 3, 3)
	average := func(opset int64, want *tensor.Tensor, attrs ...any) rowCase {
		return rowCase{opset, node("AveragePool", "x -> y", append(attrs, "kernel_shape", []int64{3}, "strides", []int64{2})...), of(ramp), of(want), ""}
	}
	checkRows(t,
		rowCase{12, node("MaxPool", "x -> y, z", "kernel_shape", []int64{2, 2}), of(grid), of(f(s(1, 1, 2, 2), 4, 5, 7, 8), i(s(1, 1, 2, 2), 4, 5, 7, 8)), ""},
		rowCase{12, node("MaxPool", "x -> y, z", "kernel_shape", []int64{2, 2}, "storage_order", 1), of(grid), of(nil, i(s(1, 1, 2, 2), 4, 7, 5, 8)), ""},
		rowCase{10, node("MaxPool", "x -> y", "kernel_shape", []int64{2}, "strides", []int64{4}), of(ramp), of(f(s(1, 1, 2), 1, 5)), ""},
		rowCase{10, node("MaxPool", "x -> y", "kernel_shape", []int64{2}, "strides", []int64{3}, "ceil_mode", 1), of(ramp), of(f(s(1, 1, 2), 1, 4)), ""},
		rowCase{12, node("MaxPool", "x -> y", "kernel_shape", []int64{2}), of(array(s(1, 1, 3), int8(-3), -5, 4)), of(array(s(1, 1, 2), int8(-3), 4)), ""},
		rowCase{12, node("com.microsoft.NhwcMaxPool", "x -> y", "kernel_shape", []int64{2}), of(counted(1, 3, 2)), of(f(s(1, 2, 2), 2, 3, 4, 5)), ""},
		average(10, f(s(1, 1, 2), 1, 3)),
		average(10, f(s(1, 1, 3), 1, 3, 4.5), "ceil_mode", 1),
		average(10, f(s(1, 1, 3), 1.0/3, 2, 4), "pads", []int64{1, 0}, "count_include_pad", 1),
		average(10, f(s(1, 1, 3), 0.5, 2, 4), "pads", []int64{1, 0}),
		average(10, f(s(1, 1, 4), 1.0/3, 2, 4, 2.5), "pads", []int64{1, 1}, "ceil_mode", 1, "count_include_pad", 1),
		average(10, f(s(1, 1, 3), 1, 3, 4.5), "auto_pad", "SAME_UPPER"),
		rowCase{18, node("LpPool", "x -> y", "kernel_shape", []int64{2}, "p", 1), of(f(s(1, 1, 3), -1, 2, -3)), of(f(s(1, 1, 2), 3, 5)), ""},
		rowCase{18, node("LpPool", "x -> y", "kernel_shape", []int64{2}, "p", 3), of(f(s(1, 1, 2), -3, 4)), of(f(s(1, 1, 1), 4.497941)), ""},
		rowCase{1, node("LpPool", "x -> y", "kernel_shape", []int64{2}), of(f(s(1, 1, 2), -3, 4)), of(f(s(1, 1, 1), 5)), ""},
		rowCase{18, node("LpPool", "x -> y", "kernel_shape", []int64{2}, "p", 0), of(ramp), nil, "p: it is 0; it must be positive"},
		rowCase{22, node("GlobalLpPool", "x -> y", "p", 1), of(f(s(1, 2, 2), -1, 2, -3, 4)), of(f(s(1, 2, 1), 3, 7)), ""},
		rowCase{1, node("GlobalLpPool", "x -> y"), of(f(s(1, 1, 2), -3, 4)), of(f(s(1, 1, 1), 5)), ""},
		rowCase{11, node("MaxUnpool", "x, k -> y", "kernel_shape", []int64{2}, "strides", []int64{2}), of(f(s(1, 1, 2), 7, 8), i(s(1, 1, 2), 1, 2)), of(f(s(1, 1, 4), 0, 7, 8, 0)), ""},
		rowCase{11, node("MaxPool", "x -> y", "kernel_shape", []int64{2, 2}), of(ramp), nil, "kernel_shape: there are 2 numbers; there must be 1"},
	)
}

// TestResizing: opset 10 takes other elements where there are more than where there are fewer; later ones have policies.
func TestResizing(t *testing.T) {
	ramp := counted(1, 1, 2, 5)
	checkRows(t,
		rowCase{10, node("Resize", "x, scales -> y"), of(ramp, f(s(4), 1, 1, 1, 0.6)), of(f(s(1, 1, 2, 3), 0, 2, 4, 5, 7, 9)), ""},
		rowCase{10, node("Resize", "x, scales -> y"), of(ramp, f(s(4), 1, 1, 1.5, 0.4)), of(f(s(1, 1, 3, 2), 0, 3, 0, 3, 5, 8)), ""},
		rowCase{10, node("Resize", "x, scales -> y", "mode", "linear"), of(counted(2), f(s(1), 2)), of(f(s(4), 0, 0.5, 1, 1)), ""},
		rowCase{7, node("Upsample", "x -> y", "scales", []float32{1, 2}), of(counted(1, 2)), of(f(s(1, 4), 0, 0, 1, 1)), ""},
		rowCase{1, node("Upsample", "x -> y", "height_scale", float32(2), "width_scale", float32(1)), of(counted(1, 1, 1, 2)), of(f(s(1, 1, 2, 2), 0, 1, 0, 1)), ""},
		rowCase{19, node("Resize", "x, , , sizes -> y", "axes", []int64{-1}), of(counted(1, 4), list(2)), of(f(s(1, 2), 0, 2)), ""},
		rowCase{18, node("Resize", "x, , , sizes -> y", "keep_aspect_ratio_policy", "not_larger", "axes", []int64{0, 1}), of(counted(2, 4), list(4, 2)), of(f(s(1, 2), 0, 2)), ""},
		rowCase{18, node("Resize", "x, , , sizes -> y", "keep_aspect_ratio_policy", "not_smaller", "axes", []int64{0}), of(counted(2, 1), list(4)), of(f(s(4, 1), 0, 0, 1, 1)), ""},
		rowCase{13, node("Resize", "x, roi, , sizes -> y", "coordinate_transformation_mode", "tf_crop_and_resize", "mode", "linear", "extrapolation_value", float32(-1)),
			of(counted(5), f(s(2), 0.5, 1.5), list(3)), of(f(s(3), 2, 4, -1)), ""},
		rowCase{11, node("Resize", "x, roi, scales, sizes -> y"), of(counted(2), f(s(0)), f(s(0)), list(4)), of(f(s(4), 0, 0, 1, 1)), ""},
		rowCase{13, node("Resize", "x, , scales, sizes -> y"), of(counted(2), f(s(1), 2), list(4)), nil, "scales: both scales and sizes are given"},
		rowCase{13, node("Resize", "x, , scales -> y"), of(counted(2), f(s(2), 2, 2)), nil, "scales: there are 2 numbers; there must be 1"},
		rowCase{13, node("Resize", "x, , scales -> y"), of(counted(2), f(s(1), 1e20)), nil, "would give it"},
	)
}

// TestRegions: the places of grids and regions.
func TestRegions(t *testing.T) {
	grid := counted(1, 1, 3, 3)
	checkRows(t,
		rowCase{16, node("GridSample", "x, grid -> y", "align_corners", 1), of(grid, f(s(1, 1, 2, 2), -1, -1, 0.5, 0)), of(f(s(1, 1, 1, 2), 0, 4.5)), ""},
		rowCase{20, node("GridSample", "x, grid -> y", "mode", "nearest", "align_corners", 1), of(grid, f(s(1, 1, 1, 2), 0.6, 1)), of(f(s(1, 1, 1, 1), 8)), ""},
		rowCase{1, node("MaxRoiPool", "x, rois -> y", "pooled_shape", []int64{2, 1}, "spatial_scale", float32(0.5)), of(grid, f(s(2, 5), 0, 0, 0, 4, 4, 0, 2, 2, 2, 2)),
			of(f(s(2, 1, 2, 1), 5, 8, 4, 4)), ""},
		rowCase{20, node("AffineGrid", "theta, size -> y", "align_corners", 1), of(f(s(1, 2, 3), 2, 0, 0, 0, 1, 0.5), list(1, 1, 2, 2)),
			of(f(s(1, 2, 2, 2), -2, -0.5, 2, -0.5, -2, 1.5, 2, 1.5)), ""},
		rowCase{20, node("AffineGrid", "theta, size -> y"), of(f(s(1, 2, 3), 1, 0, 0, 0, 1, 0), list(1, 1, 1, 2)), of(f(s(1, 1, 2, 2), -0.5, 0, 0.5, 0)), ""},
		rowCase{20, node("AffineGrid", "theta, size -> y"), of(f(s(1, 2, 3), 1, 0, 0, 0, 1, 0), list(1, 1, 0, 2)), of(f(s(1, 0, 2, 2))), ""},
		rowCase{20, node("AffineGrid", "theta, size -> y"), of(f(s(0, 2, 3)), list(0, 1, 1, 2)), of(f(s(0, 1, 2, 2))), ""},
		rowCase{20, node("AffineGrid", "theta, size -> y"), of(f(s(1, 2, 3), 1, 0, 0, 0, 1, 0), list(1)), nil, "size: there are 1 extents"},
		rowCase{10, node("RoiAlign", "x, rois, items -> y"), of(grid, f(s(1, 4), 0, 0, 2, 2), list(0)), of(f(s(1, 1, 1, 1), 4)), ""},
		rowCase{19, node("DeformConv", "x, w, offset -> y"), of(grid, f(s(1, 1, 1, 1), 2), f(s(1, 2, 3, 3), 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0.5, 0, 0, 0, 0)),
			of(f(s(1, 1, 3, 3), 0, 2, 4, 6, 15, 10, 12, 14, 16)), ""},
	)
}
