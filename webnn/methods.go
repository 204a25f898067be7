package webnn

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Constructors of parameters, by kind.

func operand(name string) param               { return param{name, kindOperand, nil} }
func operands(name string) param              { return param{name, kindOperands, nil} }
func integer(name string, fallback any) param { return param{name, kindInt, fallback} }
func integers(name string) param              { return param{name, kindInts, nil} }
func intOrInts(name string) param             { return param{name, kindIntOrInts, nil} }
func float(name string, fallback any) param   { return param{name, kindFloat, fallback} }
func floats(name string) param                { return param{name, kindFloats, nil} }
func number(name string, fallback any) param  { return param{name, kindNumber, fallback} }
func boolean(name string, fallback bool) param {
	return param{name, kindBool, fallback}
}
func enum(name string, fallback any) param     { return param{name, kindString, fallback} }
func strings(name string) param                { return param{name, kindStrings, nil} }
func dataType(name string, fallback any) param { return param{name, kindType, fallback} }

// list is shorthand for a parameter list.
func list(p ...param) []param { return p }

// methods is the table of the interface's methods, in the order of the specification.
var methods = slices.Concat(
	[]method{
		arg("argMin", "argmin_reduce"), arg("argMax", "argmax_reduce"),
		{"batchNormalization", list(operand("input"), operand("mean"), operand("variance")),
			list(operand("scale"), operand("bias"), integer("axis", 1), float("epsilon", 1e-5)), batchNormalization},
		{"cast", list(operand("input"), dataType("dataType", nil)), nil, func(l *lowering) []*graph.Value {
			return one(l.node("cast", attr("dtype", l.dtype("dataType")), l.operand("input")))
		}},
		{"clamp", list(operand("input")), list(number("minValue", nil), number("maxValue", nil)), clamp},
		{"concat", list(operands("inputs"), integer("axis", nil)), nil, func(l *lowering) []*graph.Value {
			return one(l.node("concat", attr("axis", l.int("axis")), l.operands("inputs")...))
		}},
		{"conv2d", list(operand("input"), operand("filter")),
			list(integers("padding"), integers("strides"), integers("dilations"), integer("groups", 1),
				enum("inputLayout", "nchw"), enum("filterLayout", "oihw"), operand("bias")), conv2d},
		{"convTranspose2d", list(operand("input"), operand("filter")),
			list(integers("padding"), integers("strides"), integers("dilations"), integers("outputPadding"), integers("outputSizes"),
				integer("groups", 1), enum("inputLayout", "nchw"), enum("filterLayout", "iohw"), operand("bias")), convTranspose2d},
		{"cumulativeSum", list(operand("input"), integer("axis", nil)), list(boolean("exclusive", false), boolean("reversed", false)),
			func(l *lowering) []*graph.Value {
				return one(l.node("cumulative_sum",
					attr("axis", l.int("axis"), "exclusive", l.bool("exclusive"), "reversed", l.bool("reversed")), l.operand("input")))
			}},
	},
	rows(binary, "add", "add", "sub", "sub", "mul", "mul", "div", "div", "max", "max", "min", "min", "pow", "pow"),
	rows(comparison, "equal", "eq", "notEqual", "ne", "greater", "gt", "greaterOrEqual", "ge", "lesser", "lt", "lesserOrEqual", "le"),
	rows(logical, "logicalNot", "not", "logicalAnd", "and", "logicalOr", "or", "logicalXor", "xor"),
	rows(predicate, "isNaN", "is_nan", "isInfinite", "is_infinite"),
	rows(unary, "abs", "abs", "ceil", "ceil", "cos", "cos", "erf", "erf", "exp", "exp", "floor", "floor", "identity", "copy",
		"log", "log", "neg", "neg", "reciprocal", "rcp", "roundEven", "round_even", "sin", "sin", "sign", "sign", "sqrt", "sqrt", "tan", "tan"),
	[]method{
		quantization("dequantizeLinear", "dequantize_linear"), quantization("quantizeLinear", "quantize_linear"),
		activation("elu", "elu", 1.0),
		{"expand", list(operand("input"), integers("newShape")), nil, func(l *lowering) []*graph.Value {
			to := l.ints("newShape")
			x := l.operand("input")
			return one(l.node("expand", attr("shape", to), l.unsqueezeTo(x, len(to))))
		}},
		{"gather", list(operand("input"), operand("indices")), list(integer("axis", 0)), func(l *lowering) []*graph.Value {
			return one(l.node("gather", attr("axis", l.int("axis"), "negative", true), l.operand("input"), l.operand("indices")))
		}},
		{"gatherElements", list(operand("input"), operand("indices")), list(integer("axis", 0)), func(l *lowering) []*graph.Value {
			return one(l.node("gather_elements", attr("axis", l.int("axis"), "negative", true), l.operand("input"), l.operand("indices")))
		}},
		{"gatherND", list(operand("input"), operand("indices")), nil, func(l *lowering) []*graph.Value {
			return one(l.node("gather_nd", attr("negative", true), l.operand("input"), l.operand("indices")))
		}},
		unary("gelu", "gelu"),
		{"gemm", list(operand("a"), operand("b")),
			list(operand("c"), float("alpha", 1.0), float("beta", 1.0), boolean("aTranspose", false), boolean("bTranspose", false)),
			func(l *lowering) []*graph.Value {
				a := l.operand("a")
				return one(l.node("gemm", attr("alpha", l.floatAs("alpha", a), "beta", l.floatAs("beta", a),
					"transposeA", l.bool("aTranspose"), "transposeB", l.bool("bTranspose")), a, l.operand("b"), l.operand("c")))
			}},
		{"gru", list(operand("input"), operand("weight"), operand("recurrentWeight"), integer("steps", nil), integer("hiddenSize", nil)),
			list(operand("bias"), operand("recurrentBias"), operand("initialHiddenState"), boolean("resetAfter", true),
				boolean("returnSequence", false), enum("direction", "forward"), enum("layout", "zrn"), strings("activations")), gru},
		{"gruCell", list(operand("input"), operand("weight"), operand("recurrentWeight"), operand("hiddenState"), integer("hiddenSize", nil)),
			list(operand("bias"), operand("recurrentBias"), boolean("resetAfter", true), enum("layout", "zrn"), strings("activations")), gruCell},
		activation("hardSigmoid", "hard_sigmoid", 0.2, 0.5),
		unary("hardSwish", "hard_swish"),
		{"instanceNormalization", list(operand("input")),
			list(operand("scale"), operand("bias"), float("epsilon", 1e-5), enum("layout", "nchw")), instanceNormalization},
		{"layerNormalization", list(operand("input")),
			list(operand("scale"), operand("bias"), integers("axes"), float("epsilon", 1e-5)), layerNormalization},
		activation("leakyRelu", "leaky_relu", 0.01),
		activation("linear", "affine", 1.0, 0.0),
		{"lstm", list(operand("input"), operand("weight"), operand("recurrentWeight"), integer("steps", nil), integer("hiddenSize", nil)),
			list(operand("bias"), operand("recurrentBias"), operand("peepholeWeight"), operand("initialHiddenState"), operand("initialCellState"),
				boolean("returnSequence", false), enum("direction", "forward"), enum("layout", "iofg"), strings("activations")), lstm},
		{"lstmCell", list(operand("input"), operand("weight"), operand("recurrentWeight"), operand("hiddenState"), operand("cellState"), integer("hiddenSize", nil)),
			list(operand("bias"), operand("recurrentBias"), operand("peepholeWeight"), enum("layout", "iofg"), strings("activations")), lstmCell},
		{"matmul", list(operand("a"), operand("b")), nil, func(l *lowering) []*graph.Value {
			return one(l.node("matmul", nil, l.align(l.operand("a"), l.operand("b"))...))
		}},
		{"pad", list(operand("input"), integers("beginningPadding"), integers("endingPadding")),
			list(enum("mode", "constant"), number("value", 0.0)), pad},
		pooling("averagePool2d", "box"), pooling("l2Pool2d", "l2_pool"), pooling("maxPool2d", "max_pool"),
		{"prelu", list(operand("input"), operand("slope")), nil, func(l *lowering) []*graph.Value {
			return one(l.node("prelu", nil, l.align(l.operand("input"), l.operand("slope"))...))
		}},
	},
	rows(reduction, "reduceL1", "l1_reduce", "reduceL2", "l2_reduce", "reduceLogSum", "log_sum_reduce", "reduceLogSumExp", "log_sum_exp_reduce",
		"reduceMax", "max_reduce", "reduceMean", "mean_reduce", "reduceMin", "min_reduce", "reduceProduct", "product_reduce",
		"reduceSum", "sum_reduce", "reduceSumSquare", "sum_square_reduce"),
	[]method{
		unary("relu", "relu"),
		{"resample2d", list(operand("input")),
			list(enum("mode", "nearest-neighbor"), floats("scales"), integers("sizes"), integers("axes")), resample2d},
		{"reshape", list(operand("input"), integers("newShape")), nil, func(l *lowering) []*graph.Value {
			return one(l.reshape(l.operand("input"), l.ints("newShape")...))
		}},
		{"reverse", list(operand("input")), list(integers("axes")), func(l *lowering) []*graph.Value {
			x := l.operand("input")
			return one(l.node("reverse", attr("axes", l.axes(x, 0)), x))
		}},
		{"scatterElements", list(operand("input"), operand("indices"), operand("updates")), list(integer("axis", 0)), func(l *lowering) []*graph.Value {
			return one(l.node("scatter_elements", attr("axis", l.int("axis"), "negative", true),
				l.operand("input"), l.operand("indices"), l.operand("updates")))
		}},
		{"scatterND", list(operand("input"), operand("indices"), operand("updates")), nil, func(l *lowering) []*graph.Value {
			return one(l.node("scatter_nd", attr("negative", true), l.operand("input"), l.operand("indices"), l.operand("updates")))
		}},
		unary("sigmoid", "sigmoid"),
		{"slice", list(operand("input"), integers("starts"), integers("sizes")), list(integers("strides")), slice},
		{"softmax", list(operand("input"), integer("axis", nil)), nil, func(l *lowering) []*graph.Value {
			return one(l.node("softmax", attr("axes", []int{l.int("axis")}), l.operand("input")))
		}},
		unary("softplus", "softplus"),
		unary("softsign", "softsign"),
		{"split", list(operand("input"), intOrInts("splits")), list(integer("axis", 0)), split},
		unary("tanh", "tanh"),
		{"tile", list(operand("input"), integers("repetitions")), nil, func(l *lowering) []*graph.Value {
			return one(l.node("tile", attr("repeats", l.ints("repetitions")), l.operand("input")))
		}},
		{"transpose", list(operand("input")), list(integers("permutation")), func(l *lowering) []*graph.Value {
			x := l.operand("input")
			perm := l.ints("permutation")
			if !l.has("permutation") {
				for i := len(shape(x)) - 1; i >= 0; i-- {
					perm = append(perm, i)
				}
			}
			return one(l.node("transpose", attr("axes", perm), x))
		}},
		{"triangular", list(operand("input")), list(boolean("upper", true), integer("diagonal", 0)), func(l *lowering) []*graph.Value {
			return one(l.node("triangular", attr("upper", l.bool("upper"), "diagonal", l.int("diagonal")), l.operand("input")))
		}},
		{"where", list(operand("condition"), operand("trueValue"), operand("falseValue")), nil, func(l *lowering) []*graph.Value {
			condition := l.cast(l.logical(l.operand("condition")), tensor.Bool)
			return one(l.node("select", nil, l.align(condition, l.operand("trueValue"), l.operand("falseValue"))...))
		}},
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

func unary(name, op string) method {
	return method{name, list(operand("input")), nil, func(l *lowering) []*graph.Value {
		return one(l.node(op, nil, l.operand("input")))
	}}
}

// activation binds a method whose options are alpha and perhaps beta, with these defaults.
func activation(name, op string, defaults ...float64) method {
	names := []string{"alpha", "beta"}[:len(defaults)]
	var options []param
	for i, n := range names {
		options = append(options, float(n, defaults[i]))
	}
	return method{name, list(operand("input")), options, func(l *lowering) []*graph.Value {
		x := l.operand("input")
		var a attrs
		for _, n := range names {
			a = append(a, graph.Attr{Name: n, Value: l.floatAs(n, x)})
		}
		return one(l.node(op, a, x))
	}}
}

func binary(name, op string) method {
	return method{name, list(operand("a"), operand("b")), nil, func(l *lowering) []*graph.Value {
		return one(l.node(op, nil, l.align(l.operand("a"), l.operand("b"))...))
	}}
}

// Logical values are uint8 in WebNN and bool in the operators.

func comparison(name, op string) method {
	return method{name, list(operand("a"), operand("b")), nil, func(l *lowering) []*graph.Value {
		return one(l.cast(l.node(op, nil, l.align(l.operand("a"), l.operand("b"))...), tensor.Uint8))
	}}
}

func predicate(name, op string) method {
	return method{name, list(operand("a")), nil, func(l *lowering) []*graph.Value {
		return one(l.cast(l.node(op, nil, l.operand("a")), tensor.Uint8))
	}}
}

func logical(name, op string) method {
	args := list(operand("a"), operand("b"))
	if op == "not" {
		args = args[:1]
	}
	return method{name, args, nil, func(l *lowering) []*graph.Value {
		in := make([]*graph.Value, len(args))
		for i, p := range args {
			in[i] = l.cast(l.logical(l.operand(p.name)), tensor.Bool)
		}
		return one(l.cast(l.node(op, nil, l.align(in...)...), tensor.Uint8))
	}}
}

// logical checks that a value is uint8, as logical values must be.
func (l *lowering) logical(v *graph.Value) *graph.Value {
	if v.Type.DType != tensor.Uint8 {
		l.failf("the operand is %v; a logical value must be uint8", v.Type.DType)
	}
	return v
}

func arg(name, op string) method {
	return method{name, list(operand("input"), integer("axis", nil)),
		list(boolean("keepDimensions", false), dataType("outputDataType", tensor.Int32)), func(l *lowering) []*graph.Value {
			axes := []int{l.int("axis")}
			y := l.node(op, attr("axes", axes, "dtype", l.dtype("outputDataType")), l.operand("input"))
			return one(l.squeeze(y, axes))
		}}
}

func reduction(name, op string) method {
	return method{name, list(operand("input")), list(integers("axes"), boolean("keepDimensions", false)), func(l *lowering) []*graph.Value {
		x := l.operand("input")
		axes := l.axes(x, 0)
		return one(l.squeeze(l.node(op, attr("axes", axes), x), axes))
	}}
}

// axes returns the option "axes", by default all dimensions from first on.
func (l *lowering) axes(x *graph.Value, first int) []int {
	if l.has("axes") {
		return l.ints("axes")
	}
	axes := []int{}
	for i := first; i < len(shape(x)); i++ {
		axes = append(axes, i)
	}
	return axes
}

// squeeze removes reduced dimensions unless the option keepDimensions is set.
func (l *lowering) squeeze(v *graph.Value, axes []int) *graph.Value {
	if l.bool("keepDimensions") || len(axes) == 0 {
		return v
	}
	return l.node("squeeze", attr("axes", axes), v)
}

// unsqueezeTo puts dimensions of extent 1 in front of a value, scalars included, until it has the rank.
func (l *lowering) unsqueezeTo(v *graph.Value, rank int) *graph.Value {
	if n := rank - len(v.Type.Shape); n > 0 {
		return l.unsqueezeFront(v, n)
	}
	return v
}

func quantization(name, op string) method {
	return method{name, list(operand("input"), operand("scale"), operand("zeroPoint")), nil, func(l *lowering) []*graph.Value {
		x := l.operand("input")
		rank := len(shape(x))
		return one(l.node(op, nil, x, l.unsqueezeTo(l.operand("scale"), rank), l.unsqueezeTo(l.operand("zeroPoint"), rank)))
	}}
}

func clamp(l *lowering) []*graph.Value {
	x := l.operand("input")
	bound := func(name string) *graph.Value {
		if !l.has(name) {
			return nil
		}
		return l.constant(castNumber(l.values[name], x.Type.DType))
	}
	return one(l.node("clamp", nil, x, bound("minValue"), bound("maxValue")))
}
