package onnx_test

import (
	"math"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/onnx/proto"
)

// TestMoves: shapes, orders and parts, in the forms of every version.
func TestMoves(t *testing.T) {
	testdata.Wide(t)
	x := counted(2, 3)
	empty := counted(0, 3)
	checkRows(t,
		rowCase{1, node("Concat", "x, v -> y"), of(x, x), of(f(s(2, 6), 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5)), ""},
		rowCase{4, node("Concat", "x, v -> y"), of(x, x), nil, "axis: the attribute is missing"},
		rowCase{13, node("Concat", "x, v -> y", "axis", -2), of(x, empty), of(x), ""},
		rowCase{13, node("Concat", "x, v -> y", "axis", 2), of(x, x), nil, "axis: there is no axis 2 in a tensor of rank 2"},
		rowCase{13, node("Concat", "-> y", "axis", 0), nil, nil, "inputs: there is no operand"},

		rowCase{1, node("DepthToSpace", "x -> y", "blocksize", 2), of(counted(1, 4, 1, 2)), of(f(s(1, 1, 2, 4), 0, 2, 1, 3, 4, 6, 5, 7)), ""},
		rowCase{11, node("DepthToSpace", "x -> y", "blocksize", 2, "mode", "CRD"), of(counted(1, 8, 1, 1)), of(f(s(1, 2, 2, 2), 0, 1, 2, 3, 4, 5, 6, 7)), ""},
		rowCase{11, node("DepthToSpace", "x -> y", "blocksize", 2, "mode", "DCR"), of(counted(1, 8, 1, 1)), of(f(s(1, 2, 2, 2), 0, 2, 4, 6, 1, 3, 5, 7)), ""},
		rowCase{11, node("DepthToSpace", "x -> y", "blocksize", 3), of(counted(1, 4, 1, 2)), nil, "blocksize: 4 channels cannot make blocks of 3 by 3"},
		rowCase{11, node("DepthToSpace", "x -> y", "blocksize", 0), of(counted(1, 4, 1, 2)), nil, "blocksize: 0 is no size of a block"},
		rowCase{11, node("DepthToSpace", "x -> y", "blocksize", math.MaxInt), of(counted(1, 4, 1, 2)), nil, "is no size of a block"},
		rowCase{11, node("DepthToSpace", "x -> y", "blocksize", 1), of(x), nil, "input: it is float32[2,3]; its rank must be 4"},
		rowCase{13, node("SpaceToDepth", "x -> y", "blocksize", 2), of(counted(1, 1, 2, 4)), of(f(s(1, 4, 1, 2), 0, 2, 1, 3, 4, 6, 5, 7)), ""},
		rowCase{13, node("SpaceToDepth", "x -> y", "blocksize", 2), of(counted(1, 1, 3, 4)), nil, "blocksize: a picture of 3 by 4 has no whole blocks of 2 by 2"},

		rowCase{13, node("Expand", "x, v -> y"), of(f(s(2, 1), 1, 2), list(1, 1, 3)), of(f(s(1, 2, 3), 1, 1, 1, 2, 2, 2)), ""},
		rowCase{13, node("Expand", "x, v -> y"), of(x, list(3)), of(x), ""},
		rowCase{13, node("Expand", "x, v -> y"), of(x, list(2)), nil, "extent 3 of dimension 1 cannot be expanded to 2"},
		rowCase{13, node("Expand", "x, v -> y"), of(x, list(-1)), nil, "shape: -1 is no extent"},
		rowCase{13, node("Expand", "x, v -> y"), of(f(s(1), 1), list(0)), of(f(s(0))), ""},

		rowCase{13, node("Flatten", "x -> y", "axis", 0), of(x), of(counted(1, 6)), ""},
		rowCase{13, node("Flatten", "x -> y", "axis", 2), of(x), of(counted(6, 1)), ""},
		rowCase{13, node("Flatten", "x -> y", "axis", -1), of(counted(2, 3, 2)), of(counted(6, 2)), ""},
		rowCase{13, node("Flatten", "x -> y"), of(counted(2, 0, 5)), of(counted(2, 0)), ""},
		rowCase{13, node("Flatten", "x -> y", "axis", 3), of(x), nil, "axis: 3 is no place between the dimensions of [2,3]"},
		rowCase{13, node("Identity", "x -> y"), of(x), of(x), ""},

		rowCase{1, node("Reshape", "x -> y", "shape", []int64{3, -1}), of(x), of(counted(3, 2)), ""},
		rowCase{5, node("Reshape", "x, v -> y"), of(x, list(0, -1, 1)), of(counted(2, 3, 1)), ""},
		rowCase{5, node("Reshape", "x, v -> y"), of(f(s(1), 7), list()), of(f(nil, 7)), ""},
		rowCase{14, node("Reshape", "x, v -> y", "allowzero", 1), of(empty, list(3, 0)), of(counted(3, 0)), ""},
		rowCase{14, node("Reshape", "x, v -> y"), of(empty, list(0, -1)), nil, "shape: no extent for the -1"},
		rowCase{14, node("Reshape", "x, v -> y", "allowzero", 1), of(x, list(0, 3)), nil, "shape: [0 3] has 0 elements; data, float32[2,3], has 6"},
		rowCase{14, node("Reshape", "x, v -> y"), of(x, list(-1, -1)), nil, "shape: [-1 -1] has more than one -1"},
		rowCase{14, node("Reshape", "x, v -> y"), of(x, list(4, -1)), nil, "shape: no extent for the -1 in [4 -1] gives the 6 elements of [2,3]"},
		rowCase{14, node("Reshape", "x, v -> y"), of(x, list(-2, 3)), nil, "shape: -2 is no extent"},
		rowCase{14, node("Reshape", "x, v -> y"), of(x, list(1<<40, 1<<40, -1)), nil, "more elements than can be addressed"},
		rowCase{14, node("Reshape", "x, v -> y"), of(x, f(s(1), 6)), nil, "shape: the element type float32 is not allowed; it must be integer"},

		rowCase{1, node("Split", "x, v -> y, z", "axis", 1), of(x, list(1, 2)), of(f(s(2, 1), 0, 3), f(s(2, 2), 1, 2, 4, 5)), ""},
		rowCase{2, node("Split", "x -> y, z"), of(x), of(f(s(1, 3), 0, 1, 2), f(s(1, 3), 3, 4, 5)), ""},
		rowCase{2, node("Split", "x -> y, z", "axis", 1, "split", []int64{2, 1}), of(x), of(f(s(2, 2), 0, 1, 3, 4), f(s(2, 1), 2, 5)), ""},
		rowCase{13, node("Split", "x -> y, z", "axis", 1), of(x), nil, "axis: the extent 3 cannot be split into 2 equal parts"},
		rowCase{13, node("Split", "x, v -> y, z", "axis", -1), of(x, list(3, 0)), of(x, counted(2, 0)), ""},
		rowCase{13, node("Split", "x, v -> y, z"), of(x, list(3, -1)), nil, "split: the sizes [3 -1] do not make the extent 2"},
		rowCase{13, node("Split", "x, v -> y, z"), of(x, list(1)), nil, "split: there are 1 sizes; there must be 2, one for each result"},
		rowCase{13, node("Split", "x, v -> y, z", "axis", 1), of(x, list(1, 1)), nil, "split: the sizes [1 1] do not make the extent 3"},
		rowCase{18, node("Split", "x -> y, z, w", "num_outputs", 3), of(counted(4)), of(f(s(2), 0, 1), f(s(2), 2, 3), f(s(0))), ""},
		rowCase{18, node("Split", "x -> y, z", "axis", 1, "num_outputs", 2), of(x), of(f(s(2, 2), 0, 1, 3, 4), f(s(2, 1), 2, 5)), ""},
		rowCase{18, node("Split", "x -> y, z", "num_outputs", 3), of(x), nil, "num_outputs: it is 3; the node has 2 results"},

		rowCase{1, node("Squeeze", "x -> y", "axes", []int64{0}), of(counted(1, 3, 1)), of(counted(3, 1)), ""},
		rowCase{11, node("Squeeze", "x -> y"), of(counted(1, 3, 1)), of(counted(3)), ""},
		rowCase{13, node("Squeeze", "x, v -> y"), of(counted(1, 3, 1), list(-1)), of(counted(1, 3)), ""},
		rowCase{13, node("Squeeze", "x, v -> y"), of(counted(1, 3, 1), list(1)), nil, "only extents of 1 can be removed"},
		rowCase{13, node("Squeeze", "x, v -> y"), of(counted(1, 3, 1), list(0, -3)), nil, "axes: axis -3 is named twice"},
		rowCase{1, node("Unsqueeze", "x -> y", "axes", []int64{0, 3}), of(x), of(counted(1, 2, 3, 1)), ""},
		rowCase{13, node("Unsqueeze", "x, v -> y"), of(x, list(-1, 0)), of(counted(1, 2, 3, 1)), ""},
		rowCase{13, node("Unsqueeze", "x, v -> y"), of(x, list(4)), nil, "axes: there is no axis 4 in a tensor of rank 3"},

		rowCase{1, node("Tile", "x, v, w -> y"), of(x, f(nil, 2), f(nil, 1)), of(f(s(2, 6), 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5)), ""},
		rowCase{6, node("Tile", "x, v -> y"), of(x, list(1, 2)), of(f(s(2, 6), 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5)), ""},
		rowCase{6, node("Tile", "x, v -> y"), of(x, list(0, 2)), of(counted(0, 6)), ""},
		rowCase{6, node("Tile", "x, v -> y"), of(x, list(2)), nil, "repeats: there are 1 numbers; there must be 2, one for each dimension"},
		rowCase{6, node("Tile", "x, v -> y"), of(x, list(math.MaxInt64, 1)), nil, "more than can be addressed"},

		rowCase{13, node("Transpose", "x -> y"), of(x), of(f(s(3, 2), 0, 3, 1, 4, 2, 5)), ""},
		rowCase{13, node("Transpose", "x -> y", "perm", []int64{1, 0}), of(x), of(f(s(3, 2), 0, 3, 1, 4, 2, 5)), ""},
		rowCase{13, node("Transpose", "x -> y", "perm", []int64{1, 1}), of(x), nil, "not a permutation"},
	)
}

func TestSlices(t *testing.T) {
	testdata.Wide(t)
	x := counted(2, 3)
	line := counted(5)
	least, most := int64(math.MinInt64), int64(math.MaxInt64)
	checkRows(t,
		rowCase{1, node("Slice", "x -> y", "starts", []int64{1}, "ends", []int64{most}), of(x), of(f(s(1, 3), 3, 4, 5)), ""},
		rowCase{1, node("Slice", "x -> y", "starts", []int64{0}, "ends", []int64{-1}, "axes", []int64{1}), of(x), of(f(s(2, 2), 0, 1, 3, 4)), ""},
		rowCase{10, node("Slice", "x, v, w -> y"), of(line, list(-2), list(most)), of(f(s(2), 3, 4)), ""},
		rowCase{13, node("Slice", "x, v, w, a, c -> y"), of(line, list(most), list(least), list(0), list(-2)), of(f(s(3), 4, 2, 0)), ""},
		rowCase{13, node("Slice", "x, v, w, a, c -> y"), of(line, list(3), list(0), list(-1), list(-1)), of(f(s(3), 3, 2, 1)), ""},
		rowCase{13, node("Slice", "x, v, w, , c -> y"), of(line, list(1), list(4), list(2)), of(f(s(2), 1, 3)), ""},
		rowCase{13, node("Slice", "x, v, w -> y"), of(line, list(3), list(3)), of(f(s(0))), ""},
		rowCase{13, node("Slice", "x, v, w -> y"), of(line, list(0), list(0)), of(f(s(0))), ""},
		rowCase{13, node("Slice", "x, v, w, , c -> y"), of(line, list(1), list(3), list(-1)), of(f(s(0))), ""},
		rowCase{13, node("Slice", "x, v, w, , c -> y"), of(line, list(0), list(most), list(most)), of(f(s(1), 0)), ""},
		rowCase{13, node("Slice", "x, v, w, , c -> y"), of(counted(0), list(most), list(least), list(-1)), of(f(s(0))), ""},
		rowCase{13, node("Slice", "x, v, w -> y"), of(x, list(0, 2), list(2, 1)), of(counted(2, 0)), ""},
		rowCase{13, node("Slice", "x, v, w, a -> y"), of(x, list(0, 1), list(2, 3), list(0)), nil, "starts: there are 2 starts, 2 ends, 1 axes and 2 steps"},
		rowCase{13, node("Slice", "x, v, w, , c -> y"), of(line, list(0), list(1), list(0)), nil, "steps: the step along axis 0 is 0"},
		rowCase{13, node("Slice", "x, v, w, a -> y"), of(line, list(0), list(1), list(1)), nil, "axes: there is no axis 1 in a tensor of rank 1"},

		rowCase{1, node("Pad", "x -> y", "paddings", []int64{1, 0}, "value", float32(9)), of(f(s(1), 1)), of(f(s(2), 9, 1)), ""},
		rowCase{2, node("Pad", "x -> y", "pads", []int64{0, 1, 0, 0}, "value", float32(9)), of(x), of(f(s(2, 4), 9, 0, 1, 2, 9, 3, 4, 5)), ""},
		rowCase{11, node("Pad", "x, v, w -> y"), of(i(s(2), 1, 2), list(-1, 1), i(nil, 7)), of(i(s(2), 2, 7)), ""},
		rowCase{13, node("Pad", "x, v -> y"), of(b(s(1), true), list(1, 0)), of(b(s(2), false, true)), ""},
		rowCase{13, node("Pad", "x, v -> y", "mode", "reflect"), of(counted(3), list(4, 1)), of(f(s(8), 0, 1, 2, 1, 0, 1, 2, 1)), ""},
		rowCase{13, node("Pad", "x, v -> y", "mode", "edge"), of(counted(3), list(2, -1)), of(f(s(4), 0, 0, 0, 1)), ""},
		rowCase{18, node("Pad", "x, v, , a -> y"), of(x, list(1, 0), list(-1)), of(f(s(2, 4), 0, 0, 1, 2, 0, 3, 4, 5)), ""},
		rowCase{19, node("Pad", "x, v -> y", "mode", "wrap"), of(counted(3), list(4, 2)), of(f(s(9), 2, 0, 1, 2, 0, 1, 2, 0, 1)), ""},
		rowCase{19, node("Pad", "x, v -> y", "mode", "wrap"), of(counted(3), list(-1, 3)), of(f(s(5), 1, 2, 1, 2, 1)), ""},
		rowCase{19, node("Pad", "x, v -> y", "mode", "wrap"), of(counted(0), list(0, 3)), nil, "data: dimension 0 of float32[0] has no element to repeat"},
		rowCase{19, node("Pad", "x, v -> y", "mode", "mirror"), of(counted(3), list(0, 3)), nil, `mode: "mirror" is not allowed`},
		rowCase{19, node("Pad", "x, v -> y"), of(counted(3), list(-2, -2)), nil, "pads: -2 and -2 take away more than the extent 3 of dimension 0"},
		rowCase{19, node("Pad", "x, v -> y"), of(x, list(1, 2)), nil, "pads: there are 2 numbers; there must be 4, two for each axis"},
		rowCase{19, node("Pad", "x, v -> y"), of(counted(3), list(0, math.MaxInt64)), nil, "more than can be addressed"},
		rowCase{19, node("Pad", "x, v -> y"), of(counted(3), list(math.MinInt64, 0)), nil, "more than can be addressed"},

		rowCase{18, node("CenterCropPad", "x, v -> y"), of(x, list(5, 2)), of(f(s(5, 2), 0, 0, 0, 1, 3, 4, 0, 0, 0, 0)), ""},
		rowCase{18, node("CenterCropPad", "x, v -> y", "axes", []int64{-1}), of(x, list(1)), of(f(s(2, 1), 1, 4)), ""},
		rowCase{18, node("CenterCropPad", "x, v -> y"), of(x, list(1)), nil, "shape: there are 1 extents; there must be 2"},

		rowCase{14, node("Trilu", "x -> y"), of(x), of(f(s(2, 3), 0, 1, 2, 0, 4, 5)), ""},
		rowCase{14, node("Trilu", "x, v -> y", "upper", 0), of(x, i(nil, -1)), of(f(s(2, 3), 0, 0, 0, 3, 0, 0)), ""},
	)
}

func TestCreate(t *testing.T) {
	testdata.Wide(t)
	sparse := &proto.Attribute{Name: "sparse_value", Type: proto.AttributeSparseTensor, SparseTensor: &proto.SparseTensor{
		Values: message("", s(2), float32(5), 7), Indices: message("", s(2), int64(1), 2), Dims: []int64{2, 2}}}
	sparsely := node("Constant", "-> y")
	sparsely.Attribute = append(sparsely.Attribute, sparse)
	checkRows(t,
		rowCase{9, node("Constant", "-> y", "value", message("", s(2), int64(1), 2)), nil, of(list(1, 2)), ""},
		rowCase{11, sparsely, nil, of(f(s(2, 2), 0, 5, 7, 0)), ""},
		rowCase{12, node("Constant", "-> y", "value_float", float32(2)), nil, of(f(nil, 2)), ""},
		rowCase{12, node("Constant", "-> y", "value_floats", []float32{1, 2}), nil, of(f(s(2), 1, 2)), ""},
		rowCase{12, node("Constant", "-> y", "value_int", -1), nil, of(i(nil, -1)), ""},
		rowCase{12, node("Constant", "-> y", "value_ints", []int64{math.MinInt64}), nil, of(list(math.MinInt64)), ""},
		rowCase{12, node("Constant", "-> y", "value_string", "a"), nil, nil, "value_string: tensors of strings are not supported"},
		rowCase{12, node("Constant", "-> y", "value_int", 1, "value_float", float32(1)), nil, nil, "value_int: value_float is given, too"},
		rowCase{12, node("Constant", "-> y"), nil, nil, "no value is given"},

		rowCase{9, node("ConstantOfShape", "v -> y"), of(list(2, 1)), of(f(s(2, 1), 0, 0)), ""},
		rowCase{9, node("ConstantOfShape", "v -> y", "value", message("", s(1), int64(3))), of(list(2)), of(list(3, 3)), ""},
		rowCase{9, node("ConstantOfShape", "v -> y"), of(list()), of(f(nil, 0)), ""},
		rowCase{9, node("ConstantOfShape", "v -> y"), of(list(0)), of(f(s(0))), ""},
		rowCase{9, node("ConstantOfShape", "v -> y"), of(list(-1)), nil, "input: -1 is no extent"},
		rowCase{9, node("ConstantOfShape", "v -> y", "value", message("", s(2), int64(3), 4)), of(list(2)), nil, "it must have one element"},

		rowCase{9, node("EyeLike", "x -> y", "k", 1), of(counted(2, 3)), of(f(s(2, 3), 0, 1, 0, 0, 0, 1)), ""},
		rowCase{9, node("EyeLike", "x -> y", "dtype", 7, "k", -1), of(counted(2, 2)), of(i(s(2, 2), 0, 0, 1, 0)), ""},
		rowCase{9, node("EyeLike", "x -> y"), of(counted(2)), nil, "input: it is float32[2]; its rank must be 2"},

		rowCase{9, node("OneHot", "x, v, w -> y"), of(list(0, -1, 3), i(nil, 3), f(s(2), -1, 1)), of(f(s(3, 3), 1, -1, -1, -1, -1, 1, -1, -1, -1)), ""},
		rowCase{11, node("OneHot", "x, v, w -> y", "axis", 0), of(f(s(2), 0, 1), f(s(1), 2), i(s(2), 0, 5)), of(i(s(2, 2), 5, 0, 0, 5)), ""},
		rowCase{11, node("OneHot", "x, v, w -> y"), of(list(0), i(nil, -1), f(s(2), 0, 1)), nil, "depth: -1 is no number of classes"},
		rowCase{11, node("OneHot", "x, v, w -> y"), of(list(0), i(nil, 2), f(s(1), 0)), nil, "values: it is float32[1]; it must have two elements"},

		rowCase{11, node("Range", "x, v, w -> y"), of(i(nil, 10), i(nil, 4), i(nil, -3)), of(list(10, 7)), ""},
		rowCase{11, node("Range", "x, v, w -> y"), of(f(nil, 1), f(nil, 2), f(nil, 0.25)), of(f(s(4), 1, 1.25, 1.5, 1.75)), ""},
		rowCase{11, node("Range", "x, v, w -> y"), of(i(nil, 1), i(nil, 1), i(nil, 1)), of(list()), ""},
		rowCase{11, node("Range", "x, v, w -> y"), of(i(nil, math.MinInt64), i(nil, math.MaxInt64), i(nil, math.MaxInt64)), of(list(math.MinInt64, -1, math.MaxInt64-1)), ""},
		rowCase{11, node("Range", "x, v, w -> y"), of(i(nil, 0), i(nil, 1), i(nil, 0)), nil, "delta: it is 0"},
		rowCase{11, node("Range", "x, v, w -> y"), of(i(nil, 0), i(nil, math.MaxInt64), i(nil, 1)), nil, "more than can be addressed"},
		rowCase{11, node("Range", "x, v, w -> y"), of(f(nil, 0), f(nil, inf), f(nil, 1)), nil, "limit: from 0 to +Inf by 1 is no range"},
		rowCase{11, node("Range", "x, v, w -> y"), of(f(nil, 0), i(nil, 1), f(nil, 1)), nil, "limit: the element type is int64; it must be float32, that of start"},
		rowCase{27, node("Range", "x, v, w -> y", "stash_type", 7), of(f(nil, 0), f(nil, 2), f(nil, 1)), of(f(s(2), 0, 1)), ""},

		rowCase{1, node("Shape", "x -> y"), of(counted(2, 3)), of(list(2, 3)), ""},
		rowCase{15, node("Shape", "x -> y", "start", -2, "end", 9), of(counted(4, 2, 3)), of(list(2, 3)), ""},
		rowCase{15, node("Shape", "x -> y", "start", 2, "end", 1), of(counted(4, 2, 3)), of(list()), ""},
		rowCase{13, node("Size", "x -> y"), of(counted(2, 3)), of(i(nil, 6)), ""},

		rowCase{17, node("HannWindow", "v -> y"), of(i(nil, 4)), of(f(s(4), 0, 0.5, 1, 0.5)), ""},
		rowCase{17, node("HannWindow", "v -> y", "periodic", 0, "output_datatype", 6), of(i(nil, 3)), of(array(s(3), int32(0), 1, 0)), ""},
		rowCase{17, node("HammingWindow", "v -> y", "periodic", 0), of(i(nil, 3)), of(f(s(3), 0.08695652, 1, 0.08695652)), ""},
		rowCase{17, node("BlackmanWindow", "v -> y"), of(i(nil, 4)), of(f(s(4), 0, 0.34, 1, 0.34)), ""},
		rowCase{17, node("BlackmanWindow", "v -> y"), of(i(nil, -4)), nil, "size: -4 is no size"},
		rowCase{17, node("HannWindow", "v -> y", "periodic", 0), of(i(nil, 1)), of(f(s(1), 0)), ""},
		rowCase{17, node("MelWeightMatrix", "a, c, d, e, g -> y"), of(i(nil, 2), i(nil, 8), i(nil, 8000), f(nil, 0), f(nil, 4000)),
			of(f(s(5, 2), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0)), ""},
		rowCase{17, node("MelWeightMatrix", "a, c, d, e, g -> y"), of(i(nil, 2), i(nil, 8), i(nil, 0), f(nil, 0), f(nil, 4000)), nil, "sample_rate: 0 is no rate"},
	)
}
