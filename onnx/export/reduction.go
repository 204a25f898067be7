package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Reductions, running sums, and what divides by them.

var (
	sortable = sums | op.TypeSet(tensor.Int8, tensor.Uint8) // what greatest and least elements are found of
	small    = op.TypeSet(tensor.Int8, tensor.Int16, tensor.Uint8, tensor.Uint16)
)

var reductionRows = []row{
	reduction("sum_reduce", "ReduceSum", sums),
	reduction("mean_reduce", "ReduceMean", floats),
	reduction("max_reduce", "ReduceMax", sortable),
	reduction("min_reduce", "ReduceMin", sortable),
	reduction("product_reduce", "ReduceProd", sums),
	reduction("l1_reduce", "ReduceL1", sums),
	reduction("l2_reduce", "ReduceL2", floats),
	reduction("sum_square_reduce", "ReduceSumSquare", sums),
	reduction("log_sum_reduce", "ReduceLogSum", floats),
	reduction("log_sum_exp_reduce", "ReduceLogSumExp", floats),
	reduction("all_reduce", "ReduceMin", bools),
	reduction("any_reduce", "ReduceMax", bools),
	argument("argmax_reduce", "ArgMax"),
	argument("argmin_reduce", "ArgMin"),
	running("cumulative_sum", "CumSum"),
	running("cumulative_product", "CumProd"),
	direct("softmax", "Softmax", floats, alongOne("Softmax"), "several axes, or none: own"),
}

// reduction is the row of an operator along axes. Without axes operators of the standard differ in what they leave undone.
func reduction(name, to string, types op.Types) row {
	return direct(name, to, types, func(c *emission) []val {
		if len(c.Ints("axes")) == 0 || c.Bool("normalize") || c.function && c.in[0].DType == tensor.Uint32 {
			return nil
		}
		return one(c.reduce(to, c.in[0], c.Ints("axes")))
	}, "no axes, averages of integers, and small integers: own").otherwise(func(c *emission) []val {
		x := c.in[0]
		switch {
		case c.Bool("normalize"):
			return nil
		case small.Has(x.DType):
			x = c.cast(x, tensor.Int32)
		case x.DType == tensor.Uint32: // which ONNX Runtime does not reduce
			x = c.cast(x, tensor.Int64)
		}
		if len(c.Ints("axes")) == 0 { // each element is reduced by itself
			rank := x.rank()
			y := c.reduce(to, c.reshape(x, append(slices.Clone(x.Shape), 1)...), ints{rank})
			return one(c.cast(c.reshape(y, c.in[0].Shape...), c.out(0).DType))
		}
		return one(c.cast(c.reduce(to, x, c.Ints("axes")), c.out(0).DType))
	})
}

// reduce reduces along axes and keeps them.
func (c *emission) reduce(to string, x val, axes ints) val {
	shape := x.Shape.Clone()
	for _, a := range axes {
		shape[a] = 1
	}
	return c.node1(to, graph.Type{DType: x.DType, Shape: shape}, nil, x, c.list(axes...))
}

// alongOne is the emission of an operator along axes that the standard has for one of them.
func alongOne(to string) func(c *emission) []val {
	return func(c *emission) []val {
		if len(c.Ints("axes")) != 1 {
			return nil
		}
		return one(c.node1(to, c.out(0), at("axis", c.Ints("axes")[0]), c.in[0]))
	}
}

// argument is the row of an operator that finds the place of an element along one axis.
func argument(name, to string) row {
	return direct(name, to, numbers, func(c *emission) []val {
		if c.Attrs.DType("dtype") != tensor.Int64 {
			return nil
		}
		return alongOne(to)(c)
	}, "several axes or none, and results of other types: own").otherwise(func(c *emission) []val {
		x := c.in[0]
		switch x.DType {
		case tensor.Int16, tensor.Uint16: // of these ONNX Runtime finds none
			x = c.cast(x, tensor.Int32)
		case tensor.Uint32:
			x = c.cast(x, tensor.Int64)
		}
		if len(c.Ints("axes")) != 1 {
			return c.simpler([]val{x})
		}
		y := c.node1(to, graph.Type{DType: tensor.Int64, Shape: c.out(0).Shape}, at("axis", c.Ints("axes")[0]), x)
		return one(c.cast(y, c.out(0).DType))
	})
}

// running is the row of a sum or product of the elements before each one.
func running(name, to string) row {
	return direct(name, to, sums, func(c *emission) []val {
		return one(c.run(to, c.in[0]))
	}, "small integers: own").otherwise(func(c *emission) []val {
		return c.widened(tensor.Int32, func(in []val) val { return c.run(to, in[0]) })
	})
}

func (c *emission) run(to string, x val) val {
	if to == "CumProd" {
		c.needs(bitVersion)
	}
	attrs := at("exclusive", c.Bool("exclusive"), "reverse", c.Bool("reversed"))
	return c.node1(to, x.Type, attrs, x, c.integer(tensor.Int64, int64(c.Int("axis"))))
}
