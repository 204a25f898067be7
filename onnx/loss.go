package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// Losses.
var lossRows = family{"Losses", []row{
	{name: "NegativeLogLikelihoodLoss", forms: forms("12 13 22", `input, target, weight?; ignore_index: int, reduction="mean" -> loss`),
		lower: func(c *lowering) []*graph.Value { return one(c.likelihoodLoss(c.In(0))) }},
}}

// classes checks that operand 0 has classes along its second dimension, and operand 1 one of them for all else.
func (c *lowering) classes() {
	s := c.Shape(0)
	if len(s) < 2 {
		c.failf(c.operandName(0), "it is %v; its second dimension must be that of the classes", c.In(0).Type)
	}
	rest := append(s[:1].Clone(), s[2:]...)
	if t := c.In(1).Type; !t.Shape.Equal(rest) || !t.DType.IsInteger() {
		c.failf(c.operandName(1), "it is %v; it must be integers of the shape %v", t, rest)
	}
}

// likelihoodLoss returns the weighted negative logarithms for the classes in operand 1, or what the reduction makes of them.
func (c *lowering) likelihoodLoss(logs *graph.Value) *graph.Value {
	c.classes()
	d, target := logs.Type.DType, c.In(1)
	loss := c.Node("neg", nil, c.Squeeze(c.Node("gather_elements", emit.Attr("axis", 1), logs, c.Unsqueeze(target, 1)), 1))
	var weights *graph.Value
	if w := c.In(2); w != nil {
		weights = c.Node("gather", emit.Attr("axis", 0), w, target)
		loss = c.Node("mul", nil, loss, weights)
	}
	if c.Given("ignore_index") {
		if weights == nil {
			weights = c.Broadcast(c.Number(1, d), target.Type.Shape...)
		}
		counts := c.Node("ne", nil, target, c.Number(float64(c.Int("ignore_index")), target.Type.DType))
		zero := c.Number(0, d)
		loss, weights = c.Node("select", nil, counts, loss, zero), c.Node("select", nil, counts, weights, zero)
	}
	all := emit.Attr("axes", emit.Counting(0, len(loss.Type.Shape)))
	switch c.OneOf("reduction", "none", "sum", "mean") {
	case "sum":
		loss = c.Reshape(c.Node("sum_reduce", all, loss))
	case "mean":
		if weights == nil {
			return c.Reshape(c.Node("mean_reduce", all, loss))
		}
		return c.Reshape(c.Node("div", nil, c.Node("sum_reduce", all, loss), c.Node("sum_reduce", all, weights)))
	}
	return loss
}
