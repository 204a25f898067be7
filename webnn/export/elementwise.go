package export

import (
	"slices"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Operators on single elements, and along axes.

// Types that methods are limited to.
var (
	floats      = []tensor.DType{tensor.Float32, tensor.Float16}
	signedTypes = []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int64, tensor.Int32, tensor.Int8}
)

var elementwiseRows = slices.Concat(
	same("copy", "identity", "neg", "neg", "floor", "floor", "ceil", "ceil", "round_even", "roundEven", "rcp", "reciprocal",
		"sqrt", "sqrt", "exp", "exp", "log", "log", "sin", "sin", "cos", "cos", "tan", "tan", "tanh", "tanh", "erf", "erf",
		"not", "logicalNot", "is_nan", "isNaN", "is_infinite", "isInfinite",
		"sigmoid", "sigmoid", "hard_swish", "hardSwish", "softplus", "softplus", "softsign", "softsign", "prelu", "prelu",
		"div", "div", "pow", "pow", "max", "max", "min", "min",
		"lt", "lesser", "gt", "greater", "le", "lesserOrEqual", "ge", "greaterOrEqual", "eq", "equal", "ne", "notEqual",
		"and", "logicalAnd", "or", "logicalOr", "xor", "logicalXor", "select", "where"),
	[]row{
		signed("abs", "unsigned integers: identity", func(c *emission) []*webnn.Operand { return c.one("identity", nil, c.in[0]) }),
		signed("relu", "unsigned integers: identity", func(c *emission) []*webnn.Operand { return c.one("identity", nil, c.in[0]) }),
		signed("sign", "unsigned integers: min with 1", func(c *emission) []*webnn.Operand {
			return c.one("min", nil, c.in[0], c.number(c.in[0].DataType(), 1))
		}),
		activation("leaky_relu", "leakyRelu", "alpha"),
		activation("elu", "elu", "alpha"),
		activation("hard_sigmoid", "hardSigmoid", "alpha", "beta"),
		activation("affine", "linear", "alpha", "beta"),
		nearly("gelu", "gelu", func(c *emission) []*webnn.Operand {
			if c.Str("approximate") != "none" {
				return nil
			}
			return c.one("gelu", nil, c.in[0])
		}, "approximations: the operator's body, within the tolerance"),
		arithmetic("add"), arithmetic("sub"), arithmetic("mul"),
		direct("clamp", "clamp", func(c *emission) []*webnn.Operand {
			if o, ok := c.bounds(); ok {
				return c.one("clamp", o, c.in[0])
			}
			return nil
		}, "bounds that are tensors, and a lower bound above the upper: min, max"),
		direct("cast", "cast", cast, "to logical: notEqual with 0"),
		{kit.Row{Op: "logarithmic_quantize", Form: kit.Body, Tolerance: 1, Note: "next to a tie another power of two, as log2 is not the same to the bit"},
			func(c *emission) []*webnn.Operand {
				c.Near(1)
				return nil
			}},
	},
)

// plain calls a method with the operands and nothing else.
func plain(method string) func(c *emission) []*webnn.Operand {
	return func(c *emission) []*webnn.Operand {
		args := make([]any, len(c.in))
		for k, o := range c.in {
			args[k] = o
		}
		return c.one(method, nil, args...)
	}
}

// same makes rows of operators and methods, in turn, that take the same operands and nothing else.
func same(pairs ...string) []row {
	var out []row
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, direct(pairs[i], pairs[i+1], plain(pairs[i+1])))
	}
	return out
}

// signed makes a row of a method of the same name, which other types than signed ones have something else for.
func signed(name, note string, other func(c *emission) []*webnn.Operand) row {
	return direct(name, name, func(c *emission) []*webnn.Operand {
		if !slices.Contains(signedTypes, c.in[0].DataType()) {
			return other(c)
		}
		return c.one(name, nil, c.in[0])
	}, note)
}

// activation makes a row of a method with these options.
func activation(name, method string, names ...string) row {
	return direct(name, method, rounded(func(c *emission) []*webnn.Operand {
		o := options{}
		for _, n := range names {
			o[n] = c.Float(n)
		}
		return c.one(method, o, c.in[0])
	}, names...), roundedNote)
}

// arithmetic makes a row of an operator whose integers may saturate.
func arithmetic(name string) row {
	return direct(name, name, func(c *emission) []*webnn.Operand {
		if c.outType(0).IsInteger() && c.Str("overflow") != "wrap" {
			return nil
		}
		return c.one(name, nil, c.in[0], c.in[1])
	}, "overflow = saturate: in 64 bits with clamp; refused for integers that have these already")
}

// bounds returns the bounds of clamp as options, if they are numbers that the method takes.
func (c *emission) bounds() (options, bool) {
	o := options{}
	for i, name := range map[int]string{1: "minValue", 2: "maxValue"} {
		if c.operand(i) == nil {
			continue
		}
		t := c.Known(i)
		if t == nil || t.Rank() != 0 {
			return nil, false
		}
		n, exact := number(t)
		if !exact {
			return nil, false
		}
		o[name] = n
	}
	return o, len(o) < 2 || kit.Eval(op.Expanding, "gt", nil, c.Known(1), c.Known(2)).Bytes()[0] == 0
}

// number returns the element of a scalar as an argument of the kind MLNumber, if it is one: a NaN is not.
func number(t *tensor.Tensor) (any, bool) {
	wide := func(d tensor.DType) *tensor.Tensor {
		w, _ := tensor.Cast(t, d) // each type has one that holds it
		return w
	}
	switch d := t.DType(); {
	case d.IsFloat():
		x := float64(tensor.Data[float32](wide(tensor.Float32))[0])
		return x, x == x
	case d == tensor.Uint64:
		return webnn.Uint(tensor.Data[uint64](t)[0]), true
	}
	return webnn.Int(tensor.Data[int64](wide(tensor.Int64))[0]), true
}

func cast(c *emission) []*webnn.Operand {
	x, to := c.in[0], c.Attrs.DType("dtype")
	switch {
	case to == tensor.Bool && c.In[0].Type.DType != tensor.Bool:
		return c.one("notEqual", nil, x, c.number(x.DataType(), 0))
	case x.DataType() == dataType(to):
		return c.one("identity", nil, x)
	}
	return one(c.cast(x, dataType(to)))
}

const narrowNote = "8-bit integers: in int32"

var reductionRows = []row{
	direct("sum_reduce", "reduceSum", func(c *emission) []*webnn.Operand {
		switch {
		case !c.Bool("normalize"):
			return c.widened(reduce("reduceSum"))
		case c.in[0].DataType().IsInteger():
			return nil
		}
		return reduce("reduceMean")(c)
	}, narrowNote+"; normalize: reduceMean, or div for integers"),
	direct("mean_reduce", "reduceMean", reduce("reduceMean")),
	direct("max_reduce", "reduceMax", reduce("reduceMax")),
	direct("min_reduce", "reduceMin", reduce("reduceMin")),
	widened("product_reduce", "reduceProduct"),
	widened("l1_reduce", "reduceL1"),
	direct("l2_reduce", "reduceL2", reduce("reduceL2")),
	widened("sum_square_reduce", "reduceSumSquare"),
	direct("log_sum_reduce", "reduceLogSum", reduce("reduceLogSum")),
	direct("log_sum_exp_reduce", "reduceLogSumExp", reduce("reduceLogSumExp")),
	direct("all_reduce", "reduceMin", reduce("reduceMin")),
	direct("any_reduce", "reduceMax", reduce("reduceMax")),
	place("argmax_reduce", "argMax"),
	place("argmin_reduce", "argMin"),
	direct("cumulative_sum", "cumulativeSum", func(c *emission) []*webnn.Operand {
		return c.widened(func(c *emission) []*webnn.Operand {
			return c.one("cumulativeSum", options{"exclusive": c.Bool("exclusive"), "reversed": c.Bool("reversed")}, c.in[0], c.Int("axis"))
		})
	}, narrowNote),
	direct("softmax", "softmax", func(c *emission) []*webnn.Operand {
		if axes := c.Ints("axes"); len(axes) == 1 {
			return c.one("softmax", nil, c.in[0], axes[0])
		}
		return nil
	}, "several axes, or none: the operator's body"),
}

func reduce(method string) func(c *emission) []*webnn.Operand {
	return func(c *emission) []*webnn.Operand {
		return c.one(method, options{"axes": c.Ints("axes"), "keepDimensions": true}, c.in[0])
	}
}

// widened makes an emission compute 8-bit integers in int32 and keep the low bits of the results, which is what wrapping is.
func (c *emission) widened(emit func(c *emission) []*webnn.Operand) []*webnn.Operand {
	if d := c.in[0].DataType(); d.Size() == 1 {
		return c.wide(d, tensor.Int32, emit)
	}
	return emit(c)
}

func widened(name, method string) row {
	return direct(name, method, func(c *emission) []*webnn.Operand { return c.widened(reduce(method)) }, narrowNote)
}

// place makes a row of an operator that finds an element along axes.
func place(name, method string) row {
	return direct(name, method, func(c *emission) []*webnn.Operand {
		if axes := c.Ints("axes"); len(axes) == 1 {
			return c.one(method, options{"keepDimensions": true, "outputDataType": c.outType(0)}, c.in[0], axes[0])
		}
		return nil
	}, "several axes: transpose and reshape to one")
}
