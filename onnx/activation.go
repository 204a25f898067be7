package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// Activation functions.
var activationRows = family{"Activations", []row{
	{name: "Celu", forms: forms("12 28", "X; alpha=1.0"), lower: func(c *lowering) []*graph.Value {
		return one(c.celu(c.In(0), c.Float("alpha")))
	}},
	sameEarly("Elu", "elu", "6 22", "alpha=1.0"),
	{name: "Gelu", forms: forms("20", `X; approximate="none"`), lower: func(c *lowering) []*graph.Value {
		return one(c.gelu(c.OneOf("approximate", "none", "tanh"), c.In(0)))
	}},
	sameEarly("HardSigmoid", "hard_sigmoid", "6 22", "alpha=0.2", "beta=0.5"),
	same("HardSwish", "hard_swish", "14 22"),
	sameEarly("LeakyRelu", "leaky_relu", "6 16", "alpha=0.01"),
	{name: "Mish", forms: forms("18 22", "X"), lower: func(c *lowering) []*graph.Value {
		return one(c.Node("mul", nil, c.In(0), c.Node("tanh", nil, c.Node("softplus", nil, c.In(0)))))
	}},
	{name: "PRelu", forms: early("6 7 9 16", "X: number, slope: number; -> Y"), lower: prelu},
	sameEarly("Relu", "relu", "6 13 14"),
	{name: "Selu", forms: forms("1", "X; alpha=1.6732, gamma=1.0507, "+consumed,
		"6 22", "X; alpha=1.67326319217681884765625, gamma=1.05070102214813232421875"), lower: func(c *lowering) []*graph.Value {
		return one(c.Node("selu", emit.Attr("alpha", c.Float("alpha"), "lambda", c.Float("gamma")), c.In(0)))
	}},
	{name: "Shrink", forms: forms("9", "input: number; bias=0.0, lambd=0.5 -> output"), lower: shrink},
	sameEarly("Sigmoid", "sigmoid", "6 13"),
	same("Softplus", "softplus", "1 22"),
	same("Softsign", "softsign", "1 22"),
	{name: "SwiGLU", forms: forms("28", "A, B; alpha=1.0"), lower: func(c *lowering) []*graph.Value {
		if !c.Shape(0).Equal(c.Shape(1)) {
			c.failf("B", "it is %v; it must have the shape of A, %v", c.In(1).Type, c.Shape(0))
		}
		return one(c.Node("mul", nil, c.swish(c.In(0)), c.In(1)))
	}},
	{name: "Swish", forms: forms("24", "X; alpha=1.0"), lower: swish},
	sameEarly("Tanh", "tanh", "6 13"),
	{name: "ThresholdedRelu", forms: forms("10 22", "X; alpha=1.0"), lower: func(c *lowering) []*graph.Value {
		return one(c.thresholded(c.In(0), c.Float("alpha")))
	}},

	{name: "com.microsoft.BiasGelu", forms: forms("1", "A, B -> C"), lower: func(c *lowering) []*graph.Value {
		return one(c.gelu("none", c.Each("add", c.All(0)...)))
	}},
	{name: "com.microsoft.FastGelu", forms: forms("1", "X, bias?"), lower: func(c *lowering) []*graph.Value {
		x := c.In(0)
		if bias := c.In(1); bias != nil {
			x = c.Each("add", x, bias)
		}
		return one(c.gelu("tanh", x))
	}},
	{name: "com.microsoft.Gelu", forms: forms("1", "X"), lower: func(c *lowering) []*graph.Value { return one(c.gelu("none", c.In(0))) }},
	{name: "com.microsoft.QuickGelu", forms: forms("1", "X; alpha=1.702"), lower: swish},
}}

// gelu adds x·Φ(x).
func (c *lowering) gelu(approximate string, x *graph.Value) *graph.Value {
	return c.Node("gelu", emit.Attr("approximate", approximate), x)
}

// swish adds x·sigmoid(alpha·x).
func (c *lowering) swish(x *graph.Value) *graph.Value {
	alpha := c.Float("alpha")
	if alpha == 1 {
		return c.Node("silu", nil, x)
	}
	return c.Node("mul", nil, x, c.Node("sigmoid", nil, c.Node("mul", nil, x, c.Number(alpha, x.Type.DType))))
}

func swish(c *lowering) []*graph.Value { return one(c.swish(c.In(0))) }

// celu is max(x, 0) + alpha·(exp(min(x, 0) / alpha) - 1): one of the two is 0.
func (c *lowering) celu(x *graph.Value, alpha float64) *graph.Value {
	switch alpha {
	case 0:
		c.failf("alpha", "it is 0, by which x is divided")
	case 1:
		return c.Node("elu", nil, x)
	}
	d := x.Type.DType
	below := c.Node("div", nil, c.Node("min", nil, x, c.Number(0, d)), c.Number(alpha, d))
	if alpha > 0 {
		below = c.Node("elu", emit.Attr("alpha", alpha), below)
	} else {
		below = c.Node("mul", nil, c.Node("sub", nil, c.Node("exp", nil, below), c.Number(1, d)), c.Number(alpha, d))
	}
	return c.Node("add", nil, c.Node("relu", nil, x), below)
}

// thresholded is x where that is above alpha, and else 0.
func (c *lowering) thresholded(x *graph.Value, alpha float64) *graph.Value {
	d := x.Type.DType
	return c.Node("select", nil, c.Node("gt", nil, x, c.Number(alpha, d)), x, c.Number(0, d))
}

// prelu takes slopes that broadcast to the shape of X, and to no greater one. Before opset 7 they are one for each channel.
func prelu(c *lowering) []*graph.Value {
	x, slope := c.In(0), c.In(1)
	if rank := len(x.Type.Shape); c.opset < 7 && len(slope.Type.Shape) == 1 && slope.Type.Shape[0] > 1 && rank > 1 {
		slope = c.from(slope, 1, rank)
	}
	if x.Type.DType.IsUnsigned() {
		return one(x) // no element is below 0
	}
	y := c.Each("prelu", x, slope)
	if !y.Type.Shape.Equal(x.Type.Shape) {
		c.failf("slope", "it is %v, which does not broadcast to the shape of X, %v", c.In(1).Type, x.Type.Shape)
	}
	return one(y)
}

// shrink computes integers as floats, as its numbers need not be whole.
func shrink(c *lowering) []*graph.Value {
	d := c.DType(0)
	x := c.In(0)
	if d.IsInteger() {
		x = c.Cast(x, floatOf(d))
	}
	w := x.Type.DType
	number := func(v float64) *graph.Value { return c.Number(v, w) }
	lambda, bias := c.Float("lambd"), c.Float("bias")
	down := c.Node("select", nil, c.Node("gt", nil, x, number(lambda)), c.Node("sub", nil, x, number(bias)), number(0))
	y := c.Node("select", nil, c.Node("lt", nil, x, number(-lambda)), c.Node("add", nil, x, number(bias)), down)
	return one(c.Cast(y, d))
}
