package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// Shares of a sum of exponentials, and what is made of them.
var shareRows = family{"Softmax", []row{
	{name: "LogSoftmax", forms: softmaxForms(), lower: func(c *lowering) []*graph.Value {
		// The greatest element is subtracted first, so that the logarithm loses no digits to it.
		x, axes := c.In(0), emit.Attr("axes", c.softmaxAxes(c.opset))
		x = c.Node("sub", nil, x, c.Node("max_reduce", axes, x))
		return one(c.Node("sub", nil, x, c.Node("log_sum_reduce", axes, c.Node("exp", nil, x))))
	}},
	{name: "Softmax", forms: softmaxForms(), lower: func(c *lowering) []*graph.Value { return one(c.shares(c.In(0), c.softmaxAxes(c.opset)...)) }},
	{name: "SoftmaxCrossEntropyLoss", forms: forms("12 13", `scores, labels, weights?; ignore_index: int, reduction="mean" -> output, log_prob?`),
		lower: func(c *lowering) []*graph.Value {
			c.classes()
			x := c.In(0)
			logs := c.Node("sub", nil, x, c.Node("log_sum_exp_reduce", emit.Attr("axes", []int{1}), x))
			return []*graph.Value{c.likelihoodLoss(logs), logs}
		}},
	quantisedUnary("QLinearSoftmax", "axis=-1, opset: int!", func(c *lowering, x *graph.Value) *graph.Value {
		return c.shares(x, c.softmaxAxes(c.Int("opset"))...)
	}),
}}

func softmaxForms() declarations {
	return forms("1 11", "input; axis=1 -> output", "13", "input; axis=-1 -> output")
}

// softmaxAxes returns the axes that share one sum in a version of Softmax: before opset 13 all from the given one on.
func (c *lowering) softmaxAxes(opset int) []int {
	rank := len(c.Shape(0))
	axis := c.Axis("axis", c.Int("axis"), rank)
	if opset < 13 {
		return emit.Counting(axis, rank-axis)
	}
	return []int{axis}
}

// shares returns what share each exponential has of the sum along axes.
func (c *lowering) shares(x *graph.Value, axes ...int) *graph.Value {
	return c.Node("softmax", emit.Attr("axes", axes), x)
}
