package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Operators on single elements.

var elementwiseRows = slices.Concat(
	same(stored, "copy", "Identity"),
	same(numbers, "abs", "Abs", "sign", "Sign", "lt", "Less", "gt", "Greater", "le", "LessOrEqual", "ge", "GreaterOrEqual", "max", "Max", "min", "Min",
		"div", "Div"),
	same(signed, "neg", "Neg"),
	same(floats, "floor", "Floor", "ceil", "Ceil", "round_even", "Round", "rcp", "Reciprocal", "sqrt", "Sqrt", "exp", "Exp", "log", "Log",
		"sin", "Sin", "cos", "Cos", "tan", "Tan", "asin", "Asin", "acos", "Acos", "atan", "Atan", "sinh", "Sinh", "cosh", "Cosh", "tanh", "Tanh",
		"asinh", "Asinh", "acosh", "Acosh", "atanh", "Atanh", "erf", "Erf", "det", "Det", "is_nan", "IsNaN", "is_infinite", "IsInf",
		"sigmoid", "Sigmoid", "hard_swish", "HardSwish", "softplus", "Softplus", "softsign", "Softsign"),
	same(bools, "not", "Not", "and", "And", "or", "Or", "xor", "Xor", "select", "Where"),
	same(numbers|bools, "eq", "Equal"),
	same(op.Integers, "bitwise_and", "BitwiseAnd", "bitwise_or", "BitwiseOr", "bitwise_xor", "BitwiseXor", "bitwise_not", "BitwiseNot"),
	[]row{
		several("ne", "Equal, Not", numbers|bools, func(c *emission) []val { return one(c.do("Not", c.test("Equal", c.in...))) }),
		several("sqr", "Mul", numbers, func(c *emission) []val { return one(c.do("Mul", c.in[0], c.in[0])) }),
		direct("relu", "Relu", signed, func(c *emission) []val { return one(c.do("Relu", c.in[0])) }, "unsigned integers: own").
			otherwise(func(c *emission) []val { return one(c.do("Identity", c.in[0])) }),
		with("leaky_relu", "LeakyRelu", floats, "alpha", "alpha"),
		with("elu", "Elu", floats, "alpha", "alpha"),
		with("selu", "Selu", floats, "alpha", "alpha", "lambda", "gamma"),
		with("hard_sigmoid", "HardSigmoid", floats, "alpha", "alpha", "beta", "beta"),
		direct("prelu", "PRelu", floats|op.TypeSet(tensor.Int32, tensor.Int64), func(c *emission) []val {
			if !c.in[0].Shape.Equal(c.out(0).Shape) {
				return nil
			}
			return one(c.node1("PRelu", c.out(0), nil, c.in...))
		}, "small integers, and slopes of a greater shape: own"),
		direct("gelu", "Gelu", floats, func(c *emission) []val {
			if c.Str("approximate") == "sigmoid" {
				return nil
			}
			return one(c.node1("Gelu", c.out(0), at("approximate", c.Str("approximate")), c.in[0]))
		}, `approximate = "sigmoid": own`).otherwise(gated(1.702)),
		own("silu", "Sigmoid, Mul", gated(1)),
		arithmetic("add", "Add"),
		arithmetic("sub", "Sub"),
		arithmetic("mul", "Mul"),
		direct("pow", "Pow", floats|op.TypeSet(tensor.Int32, tensor.Int64), func(c *emission) []val {
			return one(c.node1("Pow", c.out(0), nil, c.in...))
		}, "other integers: own").otherwise(func(c *emission) []val {
			if c.in[0].DType.Size() > 2 {
				return nil
			}
			return c.widened(tensor.Int64, func(in []val) val { return c.do("Pow", in...) })
		}),
		direct("mod", "Mod", numbers, mod, `floats with sign = "divisor": own`).otherwise(floorMod),
		shift("shift_left", "LEFT"),
		shift("shift_right", "RIGHT"),
		several("clamp", "Clip, or Min, Max", numbers, clamp),
		direct("cast", "Cast", stored, cast),
		own("bit_length", "Cast, Abs, GreaterOrEqual, ReduceSum, Add", nil),
		own("clamp_precision", "Cast, Less, Greater, Where", nil),
		own("lookup", "Cast, Less, Greater, Where, Add, Gather", nil),
	},
)

// gated returns what multiplies x by sigmoid(alpha·x). ONNX Runtime makes one operator of that which has no kernel for float64 and halves.
func gated(alpha float64) func(c *emission) []val {
	return func(c *emission) []val {
		return c.widened(realOf(c.in[0].DType), func(in []val) val {
			x, u := in[0], in[0]
			if alpha != 1 {
				u = c.do("Mul", x, c.number(x.DType, alpha))
			}
			if x.DType == tensor.Float64 {
				return c.do("Div", x, c.do("Add", c.do("Exp", c.do("Neg", u)), c.number(x.DType, 1)))
			}
			return c.do("Mul", x, c.do("Sigmoid", u))
		})
	}
}

// arithmetic is the row of an operator whose integers may saturate.
func arithmetic(name, to string) row {
	return direct(name, to, numbers, func(c *emission) []val {
		if c.Str("overflow") == "saturate" && c.in[0].DType.IsInteger() {
			return nil
		}
		return one(c.node1(to, c.out(0), nil, c.in...))
	}, `overflow = "saturate": own`)
}

// saturate bounds integers of 64 bits to the range of a type, of which one of 64 bits has all that are not negative.
func (c *emission) saturate(x val, d tensor.DType) val {
	lo, hi := d.IntRange()
	if d == tensor.Int64 {
		return x
	}
	return c.bounded(x, lo, int64(min(hi, math.MaxInt64)))
}

// bounded bounds integers of 64 bits. ONNX Runtime's Clip, Min and Max do not compare all their bits.
func (c *emission) bounded(x val, lo, hi int64) val {
	return c.between(x, c.integer(x.DType, lo), c.integer(x.DType, hi))
}

// between is bounded for bounds of which one may be absent.
func (c *emission) between(x, least, most val) val {
	if most.name != "" {
		x = c.do("Where", c.test("Greater", x, most), most, x)
	}
	if least.name != "" {
		x = c.do("Where", c.test("Less", x, least), least, x)
	}
	return x
}

func mod(c *emission) []val {
	fmod := 0
	switch d := c.in[0].DType; {
	case c.Str("sign") == "dividend":
		fmod = 1
	case d.IsFloat():
		return nil
	}
	return one(c.node1("Mod", c.out(0), at("fmod", fmod), c.in...))
}

// floorMod adds y to a remainder that has another sign.
func floorMod(c *emission) []val {
	x, y := c.in[0], c.in[1]
	zero := c.number(x.DType, 0)
	r := c.node1("Mod", c.out(0), at("fmod", 1), x, y)
	differ := c.test("Xor", c.test("Less", r, zero), c.test("Less", y, zero))
	other := c.test("And", c.do("Not", c.test("Equal", r, zero)), differ)
	return one(c.do("Where", other, c.do("Add", r, y), r))
}

// shift is the row of an operator that moves bits. The standard leaves open what moving them by more than there are makes of unsigned
// integers, and has no others.
func shift(name, direction string) row {
	return direct(name, "BitShift", op.Unsigned, func(c *emission) []val {
		return one(c.node1("BitShift", c.out(0), at("direction", direction), c.in...))
	}, "signed integers: own").otherwise(func(c *emission) []val {
		most := int64(c.in[0].DType.Bits() - 1)
		return c.widened(tensor.Int64, func(in []val) val {
			x, y, zero := in[0], in[1], c.integer(tensor.Int64, 0)
			below := c.test("Less", x, zero)
			if direction == "RIGHT" {
				x = c.do("Where", below, c.do("BitwiseNot", x), x)
			}
			none := c.test("Or", c.test("Less", y, zero), c.test("Greater", y, c.integer(tensor.Int64, most)))
			by := c.cast(c.bounded(y, 0, most), tensor.Uint64)
			z := c.node1("BitShift", graph.Type{DType: tensor.Uint64, Shape: c.out(0).Shape}, at("direction", direction), c.cast(x, tensor.Uint64), by)
			z = c.do("Where", none, zero, c.cast(z, tensor.Int64))
			if direction == "RIGHT" {
				z = c.do("Where", below, c.do("BitwiseNot", z), z)
			}
			return z
		})
	})
}

// clamp is Clip for bounds that are scalars and known not to be exchanged, as it leaves open which one counts then.
func clamp(c *emission) []val {
	x, lo, hi := c.in[0], c.in[1], c.in[2]
	if c.function && op.Integers.Has(x.DType) && x.DType != tensor.Uint64 {
		return c.widened(tensor.Int64, func(in []val) val { return c.between(in[0], in[1], in[2]) })
	}
	if lo.rank() == 0 && hi.rank() == 0 && (!c.Has(1) || !c.Has(2) || c.ascending(1, 2)) {
		return one(c.node1("Clip", c.out(0), nil, x, lo, hi))
	}
	if c.Has(2) {
		x = c.do("Min", x, hi)
	}
	if c.Has(1) {
		x = c.do("Max", x, lo)
	}
	return one(x)
}

// ascending reports whether operands i and k are constants of one element of which the second one is not below the first one.
func (c *emission) ascending(i, k int) bool {
	a, b := c.Known(i), c.Known(k)
	if a == nil || b == nil {
		return false
	}
	d, _ := op.Lookup("le")
	out, err := op.Eval(d, []*tensor.Tensor{a, b}, nil)
	return err == nil && tensor.Data[bool](out[0])[0]
}

func cast(c *emission) []val {
	to := c.Attrs.DType("dtype")
	attrs := at("to", to)
	if !c.Bool("saturate") {
		attrs = append(attrs, graph.Attr{Name: "saturate", Value: 0})
	}
	if to == tensor.Float8E8M0 {
		attrs = append(attrs, graph.Attr{Name: "round_mode", Value: c.Str("round")})
	}
	return one(c.node1("Cast", c.out(0), attrs, c.in[0]))
}

// index brings integers into a range, as int64.
func (c *emission) index(x val, lo, hi int64) val {
	if x.DType == tensor.Uint64 {
		x = c.do("Min", x, c.integer(tensor.Uint64, max(hi, 0)))
	}
	return c.bounded(c.cast(x, tensor.Int64), lo, hi)
}
