package export

import (
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Operators on single elements, and along axes.

var floats = []tensor.DType{tensor.Float32, tensor.Float16}

var elementwiseRows = []row{
	signed("abs", "unsigned integers: identity", identity),
	signed("relu", "unsigned integers: identity", identity),
	signed("sign", "unsigned integers: min with 1", func(c *emission) []*webnn.Operand {
		return c.one("min", nil, c.in[0], c.number(c.in[0].DataType(), 1))
	}),
	nearly("gelu", "gelu", where(func(c *emission) bool { return c.Str("approximate") == "none" }), "approximations: the operator's body, within the tolerance"),
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
}

// where says what [said] does where a condition holds.
func where(holds func(c *emission) bool) func(c *emission) []*webnn.Operand {
	return func(c *emission) []*webnn.Operand {
		if !holds(c) {
			return nil
		}
		return said()(c)
	}
}

func identity(c *emission) []*webnn.Operand { return c.one("identity", nil, c.in[0]) }

// signed makes a row of a method of the same name, which other types than signed ones have something else for.
func signed(name, note string, other func(c *emission) []*webnn.Operand) row {
	return direct(name, name, func(c *emission) []*webnn.Operand {
		if out := said()(c); out != nil {
			return out
		}
		return other(c)
	}, note)
}

// arithmetic makes a row of an operator whose integers may saturate.
func arithmetic(name string) row {
	return direct(name, name, where(func(c *emission) bool { return !c.outType(0).IsInteger() || c.Str("overflow") == "wrap" }), "overflow = saturate: in 64 bits with clamp; refused for integers that have these already")
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
			return widened(c)
		case c.in[0].DataType().IsInteger():
			return nil
		}
		return reduce("reduceMean")(c)
	}, narrowNote+"; normalize: reduceMean, or div for integers"),
	direct("product_reduce", "reduceProduct", widened, narrowNote),
	direct("l1_reduce", "reduceL1", widened, narrowNote),
	direct("sum_square_reduce", "reduceSumSquare", widened, narrowNote),
	direct("cumulative_sum", "cumulativeSum", widened, narrowNote),
	direct("all_reduce", "reduceMin", reduce("reduceMin")),
	direct("any_reduce", "reduceMax", reduce("reduceMax")),
}

func reduce(method string) func(c *emission) []*webnn.Operand {
	return func(c *emission) []*webnn.Operand {
		return c.one(method, options{"axes": c.Ints("axes"), "keepDimensions": true}, c.in[0])
	}
}

// widened computes 8-bit integers in int32 and keeps the low bits of the results, which is what wrapping is.
func widened(c *emission) []*webnn.Operand {
	if d := c.in[0].DataType(); d.Size() == 1 {
		return c.wide(d, tensor.Int32, said())
	}
	return said()(c)
}
