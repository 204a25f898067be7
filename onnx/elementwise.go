package onnx

import (
	"math"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Operators on each element.
var elementwiseRows = family{"Element-wise", []row{
	sameEarly("Abs", "abs", "6 13"),
	same("Acos", "acos", "7 22"),
	same("Acosh", "acosh", "9 22"),
	same("Asin", "asin", "7 22"),
	same("Asinh", "asinh", "9 22"),
	same("Atan", "atan", "7 22"),
	same("Atanh", "atanh", "9 22"),
	same("BitwiseNot", "bitwise_not", "18"),
	sameEarly("Ceil", "ceil", "6 13"),
	same("Cos", "cos", "7 22"),
	same("Cosh", "cosh", "9 22"),
	same("Erf", "erf", "9 13"),
	sameEarly("Exp", "exp", "6 13"),
	sameEarly("Floor", "floor", "6 13"),
	{name: "IsInf", forms: forms("10 20", "X; detect_negative=1, detect_positive=1"), lower: isInf},
	{name: "IsNaN", forms: forms("9 13 20", "X"), lower: func(c *lowering) []*graph.Value { return one(c.Node("is_nan", nil, c.computable(c.In(0)))) }},
	sameEarly("Log", "log", "6 13"),
	sameEarly("Neg", "neg", "6 13"),
	same("Not", "not", "1"),
	sameEarly("Reciprocal", "rcp", "6 13"),
	same("Round", "round_even", "11 22"),
	same("Sign", "sign", "9 13"),
	same("Sin", "sin", "7 22"),
	same("Sinh", "sinh", "9 22"),
	sameEarly("Sqrt", "sqrt", "6 13"),
	same("Tan", "tan", "7 22"),

	arithmetic("Add", "add", "7 13 14"),
	comparison("And", "and", "7"),
	pair("BitwiseAnd", "bitwise_and", "18"),
	pair("BitwiseOr", "bitwise_or", "18"),
	pair("BitwiseXor", "bitwise_xor", "18"),
	{name: "BitShift", forms: forms("11", "X, Y; direction: string! -> Z"), lower: func(c *lowering) []*graph.Value {
		shifts := map[string]string{"LEFT": "shift_left", "RIGHT": "shift_right"}
		return one(c.Each(shifts[c.OneOf("direction", "LEFT", "RIGHT")], c.All(0)...))
	}},
	arithmetic("Div", "div", "7 13 14"),
	comparison("Equal", "eq", "7 11 13 19"),
	comparison("Greater", "gt", "7 9 13"),
	pair("GreaterOrEqual", "ge", "12 16"),
	comparison("Less", "lt", "7 9 13"),
	pair("LessOrEqual", "le", "12 16"),
	{name: "Mod", forms: forms("10 13", "A, B; fmod=0 -> C"), lower: mod},
	arithmetic("Mul", "mul", "7 13 14"),
	comparison("Or", "or", "7"),
	{name: "Pow", forms: forms("1", "A: number, B: number; axis: int, broadcast=0 -> C", "7 12 13 15", "A: number, B: number -> C"),
		lower: pow},
	arithmetic("Sub", "sub", "7 13 14"),
	comparison("Xor", "xor", "7"),

	{name: "Clip", forms: forms("1", "input; max: float, min: float, "+consumed+" -> output",
		"6", "input; max=3.4028234663852886e+38, min=-3.4028234663852886e+38 -> output", "11 12 13", "input, min?, max? -> output"),
		lower: clip},
	folded("Max", "max", "6 8 12 13"),
	{name: "Mean", forms: early("6 8 13", "data...: number; -> mean"), lower: func(c *lowering) []*graph.Value {
		return one(c.Node("div", nil, c.fold("add"), c.Number(float64(len(c.in)), c.DType(0))))
	}},
	folded("Min", "min", "6 8 12 13"),
	folded("Sum", "add", "6 8 13"),
	{name: "Where", forms: forms("9 16", "condition, X, Y -> output"), lower: func(c *lowering) []*graph.Value { return one(c.Each("select", c.All(0)...)) }},
}}

// one is a list of one result.
func one(v *graph.Value) []*graph.Value { return []*graph.Value{v} }

// same is the row of an operator on each element of one operand that is one of ours, with the same attributes, which are numbers.
func same(name, operator, versions string, attributes ...string) row {
	return row{name: name, forms: forms(versions, "X; "+strings.Join(attributes, ", ")+" -> Y"), lower: func(c *lowering) []*graph.Value {
		var attrs []any
		for _, a := range c.form.attrs {
			if a.kind == proto.AttributeFloat {
				attrs = append(attrs, a.name, c.Float(a.name))
			}
		}
		return one(c.Node(operator, emit.Attr(attrs...), c.In(0)))
	}}
}

// sameEarly is same for an operator that has a version 1 with consumed_inputs.
func sameEarly(name, operator, versions string, attributes ...string) row {
	r := same(name, operator, versions, attributes...)
	r.forms = early(versions, "X; "+strings.Join(attributes, ", ")+" -> Y")
	return r
}

// pair is the row of an operator of two operands, which broadcast, that is one of ours.
func pair(name, operator, versions string) row {
	return row{name: name, forms: forms(versions, "A, B -> C"), lower: func(c *lowering) []*graph.Value { return one(c.Node(operator, nil, c.Pair()...)) }}
}

// arithmetic and comparison are pair for operators that have early versions, too.
func arithmetic(name, operator, versions string) row {
	r := pair(name, operator, versions)
	r.forms = pairForms(versions, true)
	return r
}

func comparison(name, operator, versions string) row {
	r := pair(name, operator, versions)
	r.forms = pairForms(versions, false)
	return r
}

// folded is the row of an operator of any number of operands, which are joined by one of ours.
func folded(name, operator, versions string) row {
	return row{name: name, forms: early(versions, "data...: number; -> Y"), lower: func(c *lowering) []*graph.Value { return one(c.fold(operator)) }}
}

// Each adds an operator on elements of values that broadcast, aligned at the last dimension.
func (c *lowering) Each(operator string, values ...*graph.Value) *graph.Value {
	return c.Node(operator, nil, c.AlignRight(values...)...)
}

// fold joins all operands by an operator of two.
func (c *lowering) fold(operator string) *graph.Value {
	values := c.All(0)
	if len(values) == 0 {
		c.failf("data", "there is no operand; there must be one or more")
	}
	out := values[0]
	for _, v := range values[1:] {
		out = c.Each(operator, out, v)
	}
	return out
}

// computable makes a float of 8 or 4 bits, which operators do not compute with, a float32.
func (c *lowering) computable(v *graph.Value) *graph.Value {
	if v.Type.DType.IsSmallFloat() {
		return c.Cast(v, tensor.Float32)
	}
	return v
}

func isInf(c *lowering) []*graph.Value {
	x := c.computable(c.In(0))
	d := x.Type.DType
	switch negative, positive := c.Flag("detect_negative"), c.Flag("detect_positive"); {
	case negative && positive:
		return one(c.Node("is_infinite", nil, x))
	case negative:
		return one(c.Node("eq", nil, x, c.Number(math.Inf(-1), d)))
	case positive:
		return one(c.Node("eq", nil, x, c.Number(math.Inf(1), d)))
	}
	return one(c.Node("lt", nil, x, x)) // never
}

// mod has the sign of the divisor, or with fmod that of the dividend.
func mod(c *lowering) []*graph.Value {
	sign := "divisor"
	if c.Flag("fmod") {
		sign = "dividend"
	}
	return one(c.Node("mod", emit.Attr("sign", sign), c.AlignRight(c.All(0)...)...))
}

// pow computes in the wider one of two types and returns the base's.
func pow(c *lowering) []*graph.Value {
	base, exponent := c.DType(0), c.DType(1)
	d := base
	if base != exponent {
		d = wider(base, exponent)
	}
	p := c.Pair()
	return one(c.Cast(c.Node("pow", nil, c.Cast(p[0], d), c.Cast(p[1], d)), base))
}

// wider returns an element type for numbers of two different types.
func wider(a, b tensor.DType) tensor.DType {
	switch {
	case a.IsInteger() && b.IsInteger():
		return tensor.Int64
	case floatOf(a) == tensor.Float64 || floatOf(b) == tensor.Float64:
		return tensor.Float64
	}
	return tensor.Float32
}

// floatOf returns the type of floats in which numbers of a type are computed by what is defined of reals: that holds integers of as many bits, or float32.
func floatOf(d tensor.DType) tensor.DType {
	if d == tensor.Float64 || d.IsInteger() && d.Bits() > 16 {
		return tensor.Float64
	}
	return tensor.Float32
}

// clip bounds by the least one first: where it is above the greatest, that counts.
func clip(c *lowering) []*graph.Value {
	x := c.In(0)
	if c.form.declared("min") != nil {
		return one(c.clamp(x, c.bound("min"), c.bound("max")))
	}
	return one(c.clamp(x, c.scalar(1), c.scalar(2)))
}

// bound returns an attribute as a scalar of the type of the first operand, nil if there is none.
func (c *lowering) bound(name string) *graph.Value {
	if !c.Given(name) && c.form.declared(name).value == nil {
		return nil
	}
	return c.Number(c.Float(name), c.DType(0))
}

// clamp bounds elements by scalars, either of which may be absent.
func (c *lowering) clamp(x, least, greatest *graph.Value) *graph.Value {
	switch {
	case least == nil && greatest == nil:
		return x
	case least == nil || greatest == nil || c.ascending(least, greatest):
		return c.Node("clamp", nil, x, least, greatest)
	}
	return c.Node("clamp", nil, c.Node("clamp", nil, x, least, nil), nil, greatest)
}

// ascending reports whether constants decide that one scalar is not above another.
func (c *lowering) ascending(a, b *graph.Value) bool {
	if c.constant(a) == nil || c.constant(b) == nil {
		return false
	}
	t := c.constant(c.Node("le", nil, a, b))
	return t != nil && tensor.Data[bool](t)[0]
}

// scalar returns an operand of one element as a scalar, nil if it is left out.
func (c *lowering) scalar(i int) *graph.Value {
	v := c.In(i)
	if v != nil && v.Type.Shape.Len() != 1 {
		c.failf(c.operandName(i), "it is %v; it must have one element", v.Type)
	}
	return c.Reshape(v)
}
