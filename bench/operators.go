package main

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Types that the table of operators names often.
const (
	f16, f64 = tensor.Float16, tensor.Float64
	i8, u8   = tensor.Int8, tensor.Uint8
	i32, i64 = tensor.Int32, tensor.Int64
	boolean  = tensor.Bool
)

// operator is a row of the sweep: an operator of ONNX with extents as networks have them.
type operator struct {
	op, what  string // what says how it differs from other rows of the operator
	operands  []operand
	attrs     []*proto.Attribute
	outputs   int     // 0 for one
	opset     int     // 0 for the one that most have
	tolerance float64 // 0 for that of sums rounded in another order
}

// maps, tokens and their like are the operands of many rows.
var (
	none     = operand{}
	maps     = in(1, 64, 56, 56)
	positive = maps.within(0.1, 3)
	tokens   = in(1, 128, 768)
	scores   = in(12, 128, 128).within(-3, 3)
)

func on(o ...operand) []operand { return o }

// with makes attributes of names and values, by turns.
func with(pairs ...any) (list []*proto.Attribute) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, attr(pairs[i].(string), pairs[i+1]))
	}
	return list
}

// extents is shorter than []int64.
func extents(values ...int64) []int64 { return values }

// conv is a convolution, or a transposed one, with its weights and bias.
func conv(inputs operand, weights []int, out int, attrs ...any) operator {
	return operator{op: "Conv", operands: on(inputs, in(weights...).within(-0.1, 0.1).fixed(), in(out).fixed()), attrs: with(attrs...)}
}

func up(inputs operand, weights []int, out int, attrs ...any) operator {
	o := conv(inputs, weights, out, attrs...)
	o.op = "ConvTranspose"
	return o
}

func (o operator) as(what string) operator { o.what = what; return o }

func resize(what string, from operand, scales operand, attrs ...any) operator {
	return operator{op: "Resize", what: what, operands: on(from, none, scales), attrs: with(attrs...)}
}

func recurrent(kind, what string, gates, directions, batch int, attrs ...any) operator {
	const size = 128
	return operator{op: kind, what: what, operands: on(in(50, batch, size), in(directions, gates*size, size).within(-0.1, 0.1).fixed(),
		in(directions, gates*size, size).within(-0.1, 0.1).fixed(), in(directions, 2*gates*size).fixed()), attrs: with(append(attrs, "hidden_size", size)...)}
}

// sweep returns the rows as networks.
func sweep() (all []network) {
	// ONNX Runtime's sums saturate beyond these, whatever it is told.
	factors := func(shape ...int) operand { return ints(i8, -64, 63, shape...) }
	weights := func(shape ...int) operand { return factors(shape...).fixed() }
	scale, zero := scalar(float32(0.02)), scalar(uint8(120))
	bytes := ints(u8, 0, 255, 1, 64, 56, 56)
	var rows []operator
	for _, name := range strings.Fields("Abs Neg Exp Floor Round Sign Sin Cos Tan Atan Sinh Cosh Tanh Asinh Erf Sigmoid Relu LeakyRelu Elu HardSwish Mish Softplus Gelu") {
		rows = append(rows, operator{op: name, operands: on(maps.within(-3, 3))})
	}
	for _, name := range strings.Fields("Log Sqrt Reciprocal") {
		rows = append(rows, operator{op: name, operands: on(positive)})
	}
	for _, name := range strings.Fields("Asin Acos Atanh") {
		rows = append(rows, operator{op: name, operands: on(maps.within(-0.99, 0.99))})
	}
	for _, name := range strings.Fields("Add Mul Div Max Pow") {
		rows = append(rows, operator{op: name, operands: on(positive, positive)})
	}
	for _, name := range strings.Fields("Equal Less") {
		rows = append(rows, operator{op: name, operands: on(maps, maps)}, operator{op: name, what: "int32", operands: on(ints(i32, 0, 9, 1, 64, 56, 56), ints(i32, 0, 9, 1, 64, 56, 56))})
	}
	for _, name := range strings.Fields("Add Mul Div Mod") {
		for _, d := range []tensor.DType{i32, i64} {
			x := ints(d, 1, 100, 1, 64, 56, 56)
			rows = append(rows, operator{op: name, what: d.String(), operands: on(x, x)})
		}
	}
	for _, name := range strings.Fields("Add Mul Pow Exp Log Tanh Sigmoid Sin Cos Sqrt") {
		x := positive.of(f64)
		o := operator{op: name, what: "float64", operands: on(x, x)}
		if !slices.Contains([]string{"Add", "Mul", "Pow"}, name) {
			o.operands = on(x)
		}
		rows = append(rows, o)
	}
	for _, name := range strings.Fields("Sign Neg Clip") {
		o := operator{op: name, what: "int64", operands: on(ints(i64, -9, 9, 1, 64, 56, 56))}
		if name == "Clip" { // without bounds it would do nothing
			o.operands = append(o.operands, scalar(int64(-5)), scalar(int64(5)))
		}
		rows = append(rows, o)
	}
	for _, name := range strings.Fields("Add Less Sigmoid") {
		x := maps.of(f16)
		o := operator{op: name, what: "float16", operands: on(x, x), tolerance: 1e-3}
		if name == "Sigmoid" {
			o.operands = on(x)
		}
		rows = append(rows, o)
	}
	for _, name := range strings.Fields("ReduceSum ReduceMean ReduceMax ReduceL2 ReduceLogSumExp") {
		for _, axes := range []struct {
			what string
			of   operand
			axis int64
		}{{"last axis", tokens, -1}, {"channels", maps, 1}, {"first axis", in(128, 4096), 0}} {
			rows = append(rows, operator{op: name, what: axes.what, operands: on(axes.of, constant(axes.axis))})
		}
	}
	for _, name := range strings.Fields("Softmax LogSoftmax Hardmax") {
		rows = append(rows, operator{op: name, what: "last axis", operands: on(scores), attrs: with("axis", -1)},
			operator{op: name, what: "channels", operands: on(in(1, 21, 128, 128)), attrs: with("axis", 1)})
	}
	for _, k := range []struct {
		from, to tensor.DType
		code     proto.DataType
	}{{tensor.Float32, f16, proto.Float16}, {f16, tensor.Float32, proto.Float}, {tensor.Float32, f64, proto.Double}, {f64, tensor.Float32, proto.Float}, {tensor.Float32, u8, proto.Uint8},
		{u8, tensor.Float32, proto.Float}, {tensor.Float32, i64, proto.Int64}, {i64, tensor.Float32, proto.Float}, {i64, i32, proto.Int32}, {i64, boolean, proto.Bool}, {boolean, tensor.Float32, proto.Float},
		{boolean, i8, proto.Int8}, {f64, u8, proto.Uint8}, {f64, i32, proto.Int32}, {f16, i8, proto.Int8}, {tensor.Float32, tensor.Uint32, proto.Uint32}} {
		rows = append(rows, operator{op: "Cast", what: k.from.String() + " to " + k.to.String(), operands: on(operand{dtype: k.from, shape: maps.shape, lo: 0, hi: 100}), attrs: with("to", int(k.code))})
	}
	for _, name := range strings.Fields("MaxPool AveragePool") {
		rows = append(rows, operator{op: name, what: "3×3, stride 2", operands: on(in(1, 64, 112, 112)), attrs: with("kernel_shape", extents(3, 3), "strides", extents(2, 2), "pads", extents(1, 1, 1, 1))},
			operator{op: name, what: "5×5", operands: on(in(1, 256, 20, 20)), attrs: with("kernel_shape", extents(5, 5), "pads", extents(2, 2, 2, 2))},
			operator{op: name, what: "three dimensions", operands: on(in(1, 32, 16, 28, 28)), attrs: with("kernel_shape", extents(2, 2, 2), "strides", extents(2, 2, 2))},
			operator{op: name, what: "three colours", operands: on(in(1, 3, 224, 224)), attrs: with("kernel_shape", extents(2, 2), "strides", extents(2, 2))})
	}
	for _, mode := range []string{"nearest", "linear", "cubic"} {
		rows = append(rows, resize(mode+", 2×", in(1, 64, 40, 40), constant[float32](1, 1, 2, 2), "mode", mode),
			resize(mode+", 2×, NHWC", in(1, 40, 40, 64), constant[float32](1, 2, 2, 1), "mode", mode),
			resize(mode+", half", in(1, 64, 80, 80), constant[float32](1, 1, 0.5, 0.5), "mode", mode),
			operator{op: "GridSample", what: mode, operands: on(in(1, 32, 64, 64), in(1, 64, 64, 2)), attrs: with("mode", mode)})
	}
	rows = append(rows,
		operator{op: "Pow", what: "by 3", operands: on(positive, scalar(float32(3)))}, operator{op: "Pow", what: "by 0.5", operands: on(positive, scalar(float32(0.5)))},
		operator{op: "Mod", what: "fmod", operands: on(positive, positive), attrs: with("fmod", 1)}, operator{op: "Gelu", what: "tanh", operands: on(maps), attrs: with("approximate", "tanh")},
		operator{op: "Clip", operands: on(maps, scalar(float32(0)), scalar(float32(0.5)))}, operator{op: "PRelu", operands: on(maps, in(64, 1, 1).fixed())},
		operator{op: "Add", what: "a row", operands: on(tokens, in(768))}, operator{op: "Add", what: "by channel", operands: on(maps, in(64, 1, 1))},
		operator{op: "Where", operands: on(ints(boolean, 0, 1, 1, 64, 56, 56), maps, maps)}, operator{op: "Or", operands: on(ints(boolean, 0, 1, 1, 64, 56, 56), ints(boolean, 0, 1, 1, 64, 56, 56))},
		operator{op: "ReduceMax", what: "int32", operands: on(ints(i32, 0, 9, 1, 128, 768), constant[int64](-1))}, operator{op: "ReduceSum", what: "float64", operands: on(tokens.of(f64), constant[int64](-1))},
		operator{op: "ArgMax", what: "channels", operands: on(in(1, 21, 128, 128)), attrs: with("axis", 1)}, operator{op: "ArgMax", what: "last axis", operands: on(tokens), attrs: with("axis", -1)},
		operator{op: "Softmax", what: "float64", operands: on(scores.of(f64)), attrs: with("axis", -1)},
		operator{op: "CumSum", what: "last axis", operands: on(tokens, scalar(int64(-1)))}, operator{op: "CumSum", what: "first axis", operands: on(in(128, 4096), scalar(int64(0)))},
		operator{op: "TopK", what: "1 of 32000", operands: on(in(1, 32000), constant[int64](1)), outputs: 2}, operator{op: "TopK", what: "300 of 8400", operands: on(in(1, 8400), constant[int64](300)), outputs: 2},
		operator{op: "TopK", what: "300 of 8400, int64", operands: on(ints(i64, 0, 1000, 1, 8400), constant[int64](300)), outputs: 2},
		operator{op: "TopK", what: "all of 10000", operands: on(in(1, 10000), constant[int64](10000)), outputs: 2}, operator{op: "NonZero", operands: on(maps)},
		operator{op: "Unique", operands: on(ints(i64, 0, 500, 20000))},
		operator{op: "NonMaxSuppression", operands: on(in(1, 1000, 4).within(0, 10), in(1, 1, 1000).within(0, 1), constant[int64](100), constant[float32](0.5), constant[float32](0.1))},

		operator{op: "Gather", what: "rows", operands: on(in(30000, 256).fixed(), ints(i64, 0, 29999, 1, 128))}, operator{op: "Gather", what: "columns", operands: on(in(64, 1000), ints(i64, 0, 999, 200)), attrs: with("axis", 1)},
		operator{op: "GatherElements", operands: on(in(128, 1024), ints(i64, 0, 1023, 128, 512)), attrs: with("axis", 1)}, operator{op: "GatherND", operands: on(in(64, 64, 32), ints(i64, 0, 63, 1000, 2))},
		operator{op: "ScatterElements", what: "add", operands: on(in(128, 1024), ints(i64, 0, 127, 128, 1024), in(128, 1024)), attrs: with("reduction", "add")},
		operator{op: "ScatterND", what: "add", operands: on(in(4096, 64), ints(i64, 0, 4095, 1000, 1), in(1000, 64)), attrs: with("reduction", "add")},
		operator{op: "OneHot", operands: on(ints(i64, 0, 99, 1000), scalar(int64(100)), constant[float32](0, 1))},
		operator{op: "Transpose", what: "NCHW to NHWC", operands: on(maps), attrs: with("perm", extents(0, 2, 3, 1))}, operator{op: "Transpose", what: "NHWC to NCHW", operands: on(in(1, 56, 56, 64)), attrs: with("perm", extents(0, 3, 1, 2))},
		operator{op: "Transpose", what: "three colours to NCHW", operands: on(in(1, 224, 224, 3)), attrs: with("perm", extents(0, 3, 1, 2))},
		operator{op: "Transpose", what: "three colours to NCHW, uint8", operands: on(ints(u8, 0, 255, 1, 224, 224, 3)), attrs: with("perm", extents(0, 3, 1, 2))},
		operator{op: "Transpose", what: "heads", operands: on(in(1, 128, 12, 64)), attrs: with("perm", extents(0, 2, 1, 3))}, operator{op: "Transpose", what: "matrix", operands: on(in(1024, 1024)), attrs: with("perm", extents(1, 0))},
		operator{op: "Transpose", what: "windows", operands: on(in(1, 8, 7, 8, 7, 96)), attrs: with("perm", extents(0, 1, 3, 2, 4, 5))},
		operator{op: "DepthToSpace", operands: on(in(1, 64, 64, 64)), attrs: with("blocksize", 2)}, operator{op: "Concat", what: "channels", operands: on(maps, maps), attrs: with("axis", 1)},
		operator{op: "Concat", what: "last axis", operands: on(tokens, tokens), attrs: with("axis", -1)}, operator{op: "Split", operands: on(in(1, 128, 2304)), attrs: with("axis", -1, "num_outputs", 3), outputs: 3},
		operator{op: "Split", what: "columns", operands: on(in(8400, 4)), attrs: with("axis", -1, "num_outputs", 4), outputs: 4},
		operator{op: "Slice", what: "step 2", operands: on(maps, constant[int64](0, 0), constant[int64](56, 56), constant[int64](2, 3), constant[int64](2, 2))},
		operator{op: "Pad", what: "reflect", operands: on(maps, constant[int64](0, 0, 3, 3, 0, 0, 3, 3)), attrs: with("mode", "reflect")},
		operator{op: "Pad", what: "edge", operands: on(maps, constant[int64](0, 0, 3, 3, 0, 0, 3, 3)), attrs: with("mode", "edge")},
		operator{op: "Tile", operands: on(in(1, 64, 28, 28), constant[int64](1, 1, 2, 2))}, operator{op: "Expand", operands: on(in(1, 64, 1, 1), constant[int64](1, 64, 56, 56))}, operator{op: "Trilu", operands: on(in(12, 128, 128))},

		resize("antialias, half", in(1, 64, 80, 80), constant[float32](1, 1, 0.5, 0.5), "mode", "linear", "antialias", 1),
		operator{op: "RoiAlign", operands: on(in(1, 64, 50, 50), in(100, 4).within(1, 40), ints(i64, 0, 0, 100)), attrs: with("output_height", 7, "output_width", 7, "sampling_ratio", 2)},
		operator{op: "DeformConv", operands: on(in(1, 32, 28, 28), in(32, 32, 3, 3).fixed(), in(1, 18, 28, 28)), attrs: with("pads", extents(1, 1, 1, 1))},
		operator{op: "Col2Im", operands: on(in(1, 576, 196), constant[int64](16, 16), constant[int64](3, 3))},
		operator{op: "MaxPool", what: "with indices", operands: on(in(1, 64, 112, 112)), attrs: with("kernel_shape", extents(2, 2), "strides", extents(2, 2)), outputs: 2},
		operator{op: "GlobalAveragePool", operands: on(in(1, 1280, 7, 7))}, operator{op: "GlobalMaxPool", operands: on(in(1, 1280, 7, 7))},

		conv(in(1, 80, 1500), []int{384, 80, 3}, 384, "pads", extents(1, 1)).as("1-d, 3"), conv(in(1, 256, 500), []int{256, 1, 15}, 256, "group", 256, "pads", extents(7, 7)).as("1-d depthwise, 15"),
		conv(in(1, 32, 16, 28, 28), []int{32, 32, 3, 3, 3}, 32, "pads", extents(1, 1, 1, 1, 1, 1)).as("3-d, 3×3×3"),
		conv(in(1, 64, 8, 28, 28), []int{64, 1, 3, 3, 3}, 64, "group", 64, "pads", extents(1, 1, 1, 1, 1, 1)).as("3-d depthwise, 3×3×3"),
		conv(in(1, 96, 56, 56), []int{96, 1, 3, 3}, 96, "group", 96, "pads", extents(1, 1, 1, 1)).as("depthwise, 3×3"), conv(in(1, 96, 56, 56), []int{96, 1, 7, 7}, 96, "group", 96, "pads", extents(3, 3, 3, 3)).as("depthwise, 7×7"),
		conv(in(1, 128, 56, 56), []int{128, 4, 3, 3}, 128, "group", 32, "pads", extents(1, 1, 1, 1)).as("32 groups, 3×3"), conv(in(1, 3, 224, 224), []int{64, 3, 7, 7}, 64, "strides", extents(2, 2), "pads", extents(3, 3, 3, 3)).as("7×7, stride 2, three colours"),
		conv(in(1, 3, 224, 224), []int{192, 3, 16, 16}, 192, "strides", extents(16, 16)).as("patches of 16×16"), conv(in(1, 256, 28, 28), []int{256, 256, 3, 3}, 256, "pads", extents(6, 6, 6, 6), "dilations", extents(6, 6)).as("3×3, dilation 6"),
		conv(in(1, 10, 50, 50), []int{20, 10, 3, 3}, 20).as("10 to 20 channels"), conv(in(1, 64, 128, 128), []int{3, 64, 9, 9}, 3, "pads", extents(4, 4, 4, 4)).as("9×9, to three colours"),
		up(in(1, 64, 56, 56), []int{64, 32, 2, 2}, 32, "strides", extents(2, 2)).as("2×2, stride 2"), up(in(1, 128, 28, 28), []int{128, 64, 4, 4}, 64, "strides", extents(2, 2), "pads", extents(1, 1, 1, 1)).as("4×4, stride 2"),
		up(in(1, 64, 28, 28), []int{64, 1, 4, 4}, 64, "group", 64, "strides", extents(2, 2), "pads", extents(1, 1, 1, 1)).as("depthwise, 4×4"), up(in(1, 64, 64, 64), []int{64, 3, 4, 4}, 3, "strides", extents(2, 2), "pads", extents(1, 1, 1, 1)).as("to three colours"),

		operator{op: "MatMul", what: "queries by keys", operands: on(in(12, 128, 64), in(12, 64, 128))}, operator{op: "MatMul", what: "a row", operands: on(in(1, 768), in(768, 3072).fixed())},
		operator{op: "MatMul", what: "16 rows", operands: on(in(16, 768), in(768, 768).fixed())}, operator{op: "MatMul", what: "a column", operands: on(in(1024, 1024), in(1024, 1))},
		operator{op: "MatMul", what: "float16", operands: on(in(128, 768).of(f16), in(768, 768).of(f16).fixed()), tolerance: 1e-3}, operator{op: "MatMul", what: "float64", operands: on(in(256, 256).of(f64), in(256, 256).of(f64))},
		operator{op: "MatMul", what: "int32", operands: on(ints(i32, -9, 9, 128, 128), ints(i32, -9, 9, 128, 128))}, operator{op: "Gemm", what: "both sides transposed", operands: on(in(256, 256), in(256, 256)), attrs: with("transA", 1, "transB", 1)},
		operator{op: "MatMulInteger", operands: on(ints(u8, 0, 255, 128, 768), weights(768, 768), zero)}, operator{op: "MatMulInteger", what: "a row", operands: on(ints(u8, 0, 255, 1, 768), weights(768, 3072), zero)},
		operator{op: "MatMulInteger", what: "both given", operands: on(ints(u8, 0, 255, 128, 768), factors(768, 768))},
		operator{op: "QLinearMatMul", operands: on(ints(u8, 0, 255, 128, 768), scale, zero, weights(768, 768), scalar(float32(0.01)), scalar(int8(0)), scalar(float32(0.5)), zero), tolerance: quantised},
		operator{op: "QLinearConv", operands: on(ints(u8, 0, 255, 1, 64, 28, 28), scale, zero, weights(64, 64, 3, 3), each(64, float32(0.01)), each(64, int8(0)), scalar(float32(0.5)), zero), attrs: with("pads", extents(1, 1, 1, 1)), tolerance: quantised},
		operator{op: "com.microsoft:QLinearAdd", operands: on(bytes, scale, zero, bytes, scale, zero, scale, zero), tolerance: quantised},
		operator{op: "DynamicQuantizeLinear", operands: on(tokens), outputs: 3, tolerance: quantised}, operator{op: "QuantizeLinear", operands: on(maps, scale, zero), tolerance: quantised},
		operator{op: "QuantizeLinear", what: "by channel", operands: on(maps, each(64, float32(0.02)), each(64, int8(3))), attrs: with("axis", 1), tolerance: quantised}, operator{op: "DequantizeLinear", operands: on(bytes, scale, zero)},
		operator{op: "DequantizeLinear", what: "by channel", operands: on(ints(i8, -128, 127, 1, 64, 56, 56), each(64, float32(0.02)), each(64, int8(3))), attrs: with("axis", 1)},

		operator{op: "InstanceNormalization", operands: on(maps, in(64).fixed(), in(64).fixed())}, operator{op: "LayerNormalization", operands: on(tokens, in(768).fixed(), in(768).fixed())},
		operator{op: "LayerNormalization", what: "float64", operands: on(tokens.of(f64), in(768).of(f64).fixed(), in(768).of(f64).fixed())},
		operator{op: "GroupNormalization", operands: on(in(1, 320, 32, 32), in(320).fixed(), in(320).fixed()), attrs: with("num_groups", 32)}, operator{op: "RMSNormalization", operands: on(tokens, in(768).fixed()), opset: 23},
		operator{op: "LRN", operands: on(in(1, 96, 55, 55)), attrs: with("size", 5)}, operator{op: "LpNormalization", operands: on(tokens)},
		recurrent("RNN", "", 1, 1, 1), recurrent("GRU", "reset before the product, both directions", 3, 2, 1, "direction", "bidirectional"), recurrent("GRU", "reset behind the product", 3, 1, 1, "linear_before_reset", 1),
		recurrent("LSTM", "both directions", 4, 2, 1, "direction", "bidirectional"), recurrent("LSTM", "batch 8", 4, 1, 8),
		operator{op: "Einsum", what: "bqhd,bkhd->bhqk", operands: on(in(1, 128, 12, 64), in(1, 128, 12, 64)), attrs: with("equation", "bqhd,bkhd->bhqk")},
		operator{op: "Attention", operands: on(in(1, 12, 128, 64), in(1, 12, 128, 64), in(1, 12, 128, 64)), opset: 23},
		operator{op: "STFT", operands: on(in(1, 16000, 1), scalar(int64(160)), in(400).fixed())}, operator{op: "DFT", operands: on(in(100, 400, 1), none, scalar(int64(1))), attrs: with("onesided", 1)},
	)
	for i := range rows {
		o := &rows[i]
		title := strings.TrimPrefix(o.op, "com.microsoft:")
		if o.what != "" {
			title += ", " + o.what
		}
		if o.tolerance == 0 {
			o.tolerance = float
		}
		all = append(all, network{name: "sweep_" + strings.Trim(notInNames.ReplaceAllString(strings.ToLower(title), "_"), "_"), title: title, kind: swept, tolerance: o.tolerance,
			node: &node{op: o.op, operands: o.operands, attrs: o.attrs, outputs: o.outputs, opset: o.opset}})
	}
	return all
}
