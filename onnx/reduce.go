package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Reductions, running sums, and what divides by them.
var reduceRows = family{"Reductions", []row{
	running("CumProd", "cumulative_product", "26"),
	running("CumSum", "cumulative_sum", "11 14"),
	same("Det", "det", "11 22"),
	{name: "LpNormalization", forms: forms("1 22", "input; axis=-1, p=2 -> output"), lower: lpNormalization},
	{name: "MeanVarianceNormalization", forms: forms("9 13", "X; axes: ints"), lower: meanVarianceNormalization},
	reduction("ReduceL1", "1 11 13", "18", reducing("l1_reduce")),
	reduction("ReduceL2", "1 11 13", "18", reducingFloats("l2_reduce")),
	reduction("ReduceLogSum", "1 11 13", "18", reducingFloats("log_sum_reduce")),
	reduction("ReduceLogSumExp", "1 11 13", "18", reducingFloats("log_sum_exp_reduce")),
	reduction("ReduceMax", "1 11 12 13", "18 20", reducingBools("any_reduce", "max_reduce")),
	reduction("ReduceMean", "1 11 13", "18", func(c *lowering, x *graph.Value, axes graph.Attrs) *graph.Value {
		if x.Type.DType.IsInteger() {
			return c.Node("sum_reduce", append(axes, emit.Attr("normalize", true)...), x)
		}
		return c.Node("mean_reduce", axes, x)
	}),
	reduction("ReduceMin", "1 11 12 13", "18 20", reducingBools("all_reduce", "min_reduce")),
	reduction("ReduceProd", "1 11 13", "18", reducing("product_reduce")),
	reduction("ReduceSum", "1 11", "13", reducing("sum_reduce")),
	reduction("ReduceSumSquare", "1 11 13", "18", reducing("sum_square_reduce")),
}}

// reducer adds a reduction of a value, with the attribute axes.
type reducer func(c *lowering, x *graph.Value, axes graph.Attrs) *graph.Value

// reduction is the row of a reduction whose axes are an attribute in the older versions and an operand in the newer ones.
func reduction(name, older, newer string, reduce reducer) row {
	return row{
		name:  name,
		forms: forms(older, "data: any; axes: ints, keepdims=1 -> reduced", newer, "data: any, axes?; keepdims=1, noop_with_empty_axes=0 -> reduced"),
		lower: func(c *lowering) []*graph.Value {
			x := c.In(0)
			axes := c.AttrOrInts("axes", 1)
			rank := len(x.Type.Shape)
			if len(axes) == 0 && !c.Flag("noop_with_empty_axes") {
				axes = emit.Counting(0, rank)
			}
			axes = c.Axes("axes", axes, rank)
			y := reduce(c, x, emit.Attr("axes", axes))
			if !c.Flag("keepdims") {
				y = c.Squeeze(y, axes...)
			}
			return one(y)
		},
	}
}

// reducing is a reduction that is one of our operators.
func reducing(operator string) reducer {
	return func(c *lowering, x *graph.Value, axes graph.Attrs) *graph.Value { return c.Node(operator, axes, x) }
}

// reducingFloats is a reduction that is one of our operators on floats; integers are made floats and the result integers again.
func reducingFloats(operator string) reducer {
	return func(c *lowering, x *graph.Value, axes graph.Attrs) *graph.Value {
		d := x.Type.DType
		if d.IsInteger() {
			x = c.Cast(x, floatOf(d))
		}
		return c.Cast(c.Node(operator, axes, x), d)
	}
}

// reducingBools is a reduction that is one of our operators on bools, and another one on numbers.
func reducingBools(bools, numbers string) reducer {
	return func(c *lowering, x *graph.Value, axes graph.Attrs) *graph.Value {
		if x.Type.DType == tensor.Bool {
			return c.Node(bools, axes, x)
		}
		return c.Node(numbers, axes, x)
	}
}

// running is the row of a sum or product of the elements before each one.
func running(name, operator, versions string) row {
	return row{name: name, forms: forms(versions, "x, axis; exclusive=0, reverse=0 -> y"), lower: func(c *lowering) []*graph.Value {
		axis := c.Axis("axis", c.KnownInt(1), len(c.Shape(0)))
		return one(c.Node(operator, emit.Attr("axis", axis, "exclusive", c.Flag("exclusive"), "reversed", c.Flag("reverse")), c.In(0)))
	}}
}

// lpNormalization gives 0 where the norm is 0.
func lpNormalization(c *lowering) []*graph.Value {
	x := c.In(0)
	zero := c.Number(0, x.Type.DType)
	norms := map[int]string{1: "l1_reduce", 2: "l2_reduce"}
	operator := norms[c.Int("p")]
	if operator == "" {
		c.failf("p", "it is %d; it must be 1 or 2", c.Int("p"))
	}
	norm := c.Node(operator, emit.Attr("axes", []int{c.Axis("axis", c.Int("axis"), len(x.Type.Shape))}), x)
	return one(c.Node("select", nil, c.Node("eq", nil, norm, zero), zero, c.Node("div", nil, x, norm)))
}

func meanVarianceNormalization(c *lowering) []*graph.Value {
	x, list := c.In(0), c.Ints("axes")
	if !c.Given("axes") {
		list = []int{0, 2, 3}
	}
	axes := emit.Attr("axes", c.Axes("axes", list, len(x.Type.Shape)))
	x = c.Node("sub", nil, x, c.Node("mean_reduce", axes, x))
	deviation := c.Node("sqrt", nil, c.Node("mean_reduce", axes, c.Node("sqr", nil, x)))
	return one(c.Node("div", nil, x, c.Node("add", nil, deviation, c.Number(1e-9, x.Type.DType))))
}
