package webnn

import "slices"

// The table of methods. A row names the arguments and options of a method, with their kinds and defaults, and the function
// that checks what is special to it and turns it into operators. Rows of one kind are made by a constructor, which stands
// beside that function.

// Options that several rows share.
var (
	direction   = enum("direction", DirectionForward)
	activations = enums[RecurrentNetworkActivation]("activations")
	gruLayout   = enum("layout", GruZRN)
	lstmLayout  = enum("layout", LstmIOFG)
)

// methods is the table of the interface's methods, in the order of the specification.
var methods = slices.Concat(
	[]method{
		argReduction("argMin", "argmin_reduce"), argReduction("argMax", "argmax_reduce"),
		{"batchNormalization", list(operand("input"), operand("mean"), operand("variance")),
			list(operand("scale"), operand("bias"), integer("axis", 1), float("epsilon", 1e-5)), batchNormalization},
		{"cast", list(operand("input"), dataType("dataType", nil)), nil, cast},
		{"clamp", list(operand("input")), list(number("minValue", nil), number("maxValue", nil)), clamp},
		{"concat", list(operands("inputs"), integer("axis", nil)), nil, concat},
		{"conv2d", list(operand("input"), operand("filter")),
			list(integers("padding"), integers("strides"), integers("dilations"), integer("groups", 1),
				enum("inputLayout", LayoutNCHW), enum("filterLayout", FilterOIHW),
				operand("bias")), conv2d},
		{"convTranspose2d", list(operand("input"), operand("filter")),
			list(integers("padding"), integers("strides"), integers("dilations"), integers("outputPadding"), integers("outputSizes"),
				integer("groups", 1), enum("inputLayout", LayoutNCHW),
				enum("filterLayout", TransposeFilterIOHW), operand("bias")), convTranspose2d},
		{"cumulativeSum", list(operand("input"), integer("axis", nil)),
			list(boolean("exclusive", false), boolean("reversed", false)), cumulativeSum},
	},
	rows(binary, "add", "add", "sub", "sub", "mul", "mul", "div", "div", "max", "max", "min", "min", "pow", "pow"),
	rows(comparison, "equal", "eq", "notEqual", "ne", "greater", "gt", "greaterOrEqual", "ge",
		"lesser", "lt", "lesserOrEqual", "le"),
	[]method{{"logicalNot", list(operand("a")), nil, logicalNot}},
	rows(logical, "logicalAnd", "and", "logicalOr", "or", "logicalXor", "xor"),
	rows(predicate, "isNaN", "is_nan", "isInfinite", "is_infinite"),
	rows(unary, "abs", "abs", "ceil", "ceil", "cos", "cos", "erf", "erf", "exp", "exp", "floor", "floor", "identity", "copy",
		"log", "log", "neg", "neg", "reciprocal", "rcp", "roundEven", "round_even", "sin", "sin", "sign", "sign", "sqrt", "sqrt",
		"tan", "tan"),
	[]method{
		quantization("dequantizeLinear", "dequantize_linear"), quantization("quantizeLinear", "quantize_linear"),
		activation("elu", "elu", 1.0),
		{"expand", list(operand("input"), integers("newShape")), nil, expand},
		{"gather", list(operand("input"), operand("indices")), list(integer("axis", 0)), gather},
		{"gatherElements", list(operand("input"), operand("indices")), list(integer("axis", 0)), gatherElements},
		{"gatherND", list(operand("input"), operand("indices")), nil, gatherND},
		unary("gelu", "gelu"),
		{"gemm", list(operand("a"), operand("b")), list(operand("c"), float("alpha", 1.0), float("beta", 1.0),
			boolean("aTranspose", false), boolean("bTranspose", false)), gemm},
		{"gru", list(operand("input"), operand("weight"), operand("recurrentWeight"), integer("steps", nil), integer("hiddenSize", nil)),
			list(operand("bias"), operand("recurrentBias"), operand("initialHiddenState"),
				boolean("resetAfter", true), boolean("returnSequence", false), direction, gruLayout, activations), gru},
		{"gruCell", list(operand("input"), operand("weight"), operand("recurrentWeight"), operand("hiddenState"),
			integer("hiddenSize", nil)),
			list(operand("bias"), operand("recurrentBias"), boolean("resetAfter", true), gruLayout, activations), gruCell},
		activation("hardSigmoid", "hard_sigmoid", 0.2, 0.5),
		unary("hardSwish", "hard_swish"),
		{"instanceNormalization", list(operand("input")),
			list(operand("scale"), operand("bias"), float("epsilon", 1e-5), enum("layout", LayoutNCHW)),
			instanceNormalization},
		{"layerNormalization", list(operand("input")),
			list(operand("scale"), operand("bias"), integers("axes"), float("epsilon", 1e-5)), layerNormalization},
		activation("leakyRelu", "leaky_relu", 0.01),
		activation("linear", "affine", 1.0, 0.0),
		{"lstm", list(operand("input"), operand("weight"), operand("recurrentWeight"), integer("steps", nil), integer("hiddenSize", nil)),
			list(operand("bias"), operand("recurrentBias"), operand("peepholeWeight"), operand("initialHiddenState"),
				operand("initialCellState"), boolean("returnSequence", false), direction, lstmLayout, activations), lstm},
		{"lstmCell", list(operand("input"), operand("weight"), operand("recurrentWeight"), operand("hiddenState"), operand("cellState"),
			integer("hiddenSize", nil)),
			list(operand("bias"), operand("recurrentBias"), operand("peepholeWeight"), lstmLayout, activations), lstmCell},
		{"matmul", list(operand("a"), operand("b")), nil, matmul},
		{"pad", list(operand("input"), integers("beginningPadding"), integers("endingPadding")),
			list(enum("mode", PadConstant), number("value", 0.0)), pad},
		pooling("averagePool2d", "box"), pooling("l2Pool2d", "l2_pool"), pooling("maxPool2d", "max_pool"),
		{"prelu", list(operand("input"), operand("slope")), nil, prelu},
	},
	rows(reduction, "reduceL1", "l1_reduce", "reduceL2", "l2_reduce",
		"reduceLogSum", "log_sum_reduce", "reduceLogSumExp", "log_sum_exp_reduce",
		"reduceMax", "max_reduce", "reduceMean", "mean_reduce", "reduceMin", "min_reduce", "reduceProduct", "product_reduce",
		"reduceSum", "sum_reduce", "reduceSumSquare", "sum_square_reduce"),
	[]method{
		unary("relu", "relu"),
		{"resample2d", list(operand("input")),
			list(enum("mode", InterpolationNearestNeighbor), floats("scales"), integers("sizes"), integers("axes")),
			resample2d},
		{"reshape", list(operand("input"), integers("newShape")), nil, reshape},
		{"reverse", list(operand("input")), list(integers("axes")), reverse},
		{"scatterElements", list(operand("input"), operand("indices"), operand("updates")), list(integer("axis", 0)), scatterElements},
		{"scatterND", list(operand("input"), operand("indices"), operand("updates")), nil, scatterND},
		unary("sigmoid", "sigmoid"),
		{"slice", list(operand("input"), integers("starts"), integers("sizes")), list(integers("strides")), slice},
		{"softmax", list(operand("input"), integer("axis", nil)), nil, softmax},
		unary("softplus", "softplus"),
		unary("softsign", "softsign"),
		{"split", list(operand("input"), intOrInts("splits")), list(integer("axis", 0)), split},
		unary("tanh", "tanh"),
		{"tile", list(operand("input"), integers("repetitions")), nil, tile},
		{"transpose", list(operand("input")), list(integers("permutation")), transpose},
		{"triangular", list(operand("input")), list(boolean("upper", true), signed("diagonal", 0)), triangular},
		{"where", list(operand("condition"), operand("trueValue"), operand("falseValue")), nil, where},
	},
)

// rows applies a row constructor to pairs of method and operator names.
func rows(row func(name, op string) method, pairs ...string) []method {
	var out []method
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, row(pairs[i], pairs[i+1]))
	}
	return out
}
