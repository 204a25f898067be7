package export

import (
	"slices"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Operators along axes.

const narrowNote = "8-bit integers: in int32"

var reductionRows = []row{
	direct("sum_reduce", "reduceSum", func(c *call) []*webnn.Operand {
		x := c.in[0]
		switch {
		case !c.bool("normalize"):
			return c.widened(reduce("reduceSum"))
		case !x.DataType().IsInteger():
			return reduce("reduceMean")(c)
		}
		sum := c.widened(reduce("reduceSum"))[0] // sums wrap before they are divided
		n := 1
		for _, a := range c.ints("axes") {
			n *= shape(x)[a]
		}
		wide := tensor.Int64
		if x.DataType() == tensor.Uint64 {
			wide = tensor.Uint64
		}
		return one(c.cast(c.do("div", nil, c.cast(sum, wide), c.number(wide, float64(n))), x.DataType()))
	}, narrowNote+"; normalize: reduceMean, or div for integers"),
	direct("mean_reduce", "reduceMean", reduce("reduceMean")),
	direct("max_reduce", "reduceMax", reduce("reduceMax")),
	direct("min_reduce", "reduceMin", reduce("reduceMin")),
	direct("product_reduce", "reduceProduct", widened(reduce("reduceProduct")), narrowNote),
	direct("l1_reduce", "reduceL1", widened(reduce("reduceL1")), narrowNote),
	direct("l2_reduce", "reduceL2", reduce("reduceL2")),
	direct("sum_square_reduce", "reduceSumSquare", widened(reduce("reduceSumSquare")), narrowNote),
	direct("log_sum_reduce", "reduceLogSum", reduce("reduceLogSum")),
	direct("log_sum_exp_reduce", "reduceLogSumExp", reduce("reduceLogSumExp")),
	direct("all_reduce", "reduceMin", reduce("reduceMin")),
	direct("any_reduce", "reduceMax", reduce("reduceMax")),
	direct("argmax_reduce", "argMax", arg("argMax"), "several axes: transpose and reshape to one"),
	direct("argmin_reduce", "argMin", arg("argMin"), "several axes: transpose and reshape to one"),
	direct("cumulative_sum", "cumulativeSum", widened(func(c *call) []*webnn.Operand {
		return one(c.do("cumulativeSum", options{"exclusive": c.bool("exclusive"), "reversed": c.bool("reversed")}, c.in[0], c.int("axis")))
	}), narrowNote),
	direct("softmax", "softmax", func(c *call) []*webnn.Operand {
		if axes := c.ints("axes"); len(axes) == 1 {
			return one(c.do("softmax", nil, c.in[0], axes[0]))
		}
		return c.byBody(c.d)
	}, "several axes, or none: the operator's body"),
}

func reduce(method string) func(c *call) []*webnn.Operand {
	return func(c *call) []*webnn.Operand {
		return one(c.do(method, options{"axes": c.ints("axes"), "keepDimensions": true}, c.in[0]))
	}
}

// widened makes an emission compute 8-bit integers in int32 and keep the low bits of the results, which is what wrapping is.
func widened(emit func(c *call) []*webnn.Operand) func(c *call) []*webnn.Operand {
	return func(c *call) []*webnn.Operand { return c.widened(emit) }
}

func (c *call) widened(emit func(c *call) []*webnn.Operand) []*webnn.Operand {
	d := c.in[0].DataType()
	if d != tensor.Int8 && d != tensor.Uint8 {
		return emit(c)
	}
	w := *c
	w.in = slices.Clone(c.in)
	w.in[0] = c.cast(c.in[0], tensor.Int32)
	return one(c.cast(emit(&w)[0], d))
}

func arg(method string) func(c *call) []*webnn.Operand {
	return func(c *call) []*webnn.Operand {
		x, axes := c.in[0], slices.Sorted(slices.Values(c.ints("axes")))
		o := options{"keepDimensions": true, "outputDataType": c.outType(0)}
		if len(axes) == 1 {
			return one(c.do(method, o, x, axes[0]))
		}
		kept := ints{}
		for d := range rank(x) {
			if !slices.Contains(axes, d) {
				kept = append(kept, d)
			}
		}
		extents, n := ints{}, 1
		for _, d := range kept {
			extents = append(extents, shape(x)[d])
		}
		for _, d := range axes {
			n *= shape(x)[d]
		}
		flat := c.reshape(c.transpose(x, append(slices.Clone(kept), axes...)), append(extents, n))
		return one(c.reshape(c.do(method, o, flat, len(kept)), c.outShape(0)))
	}
}
