package export

import (
	"math/big"
	"slices"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Operators on single elements.

// Types that methods are limited to.
var (
	floats      = []tensor.DType{tensor.Float32, tensor.Float16}
	signedTypes = []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int64, tensor.Int32, tensor.Int8}
)

var elementwiseRows = slices.Concat(
	same("copy", "identity", "neg", "neg", "floor", "floor", "ceil", "ceil", "round_even", "roundEven", "rcp", "reciprocal",
		"sqrt", "sqrt", "exp", "exp", "log", "log", "sin", "sin", "cos", "cos", "tan", "tan", "tanh", "tanh", "erf", "erf",
		"not", "logicalNot", "is_nan", "isNaN", "is_infinite", "isInfinite",
		"sigmoid", "sigmoid", "hard_swish", "hardSwish", "softplus", "softplus", "softsign", "softsign",
		"div", "div", "pow", "pow", "max", "max", "min", "min",
		"lt", "lesser", "gt", "greater", "le", "lesserOrEqual", "ge", "greaterOrEqual", "eq", "equal", "ne", "notEqual",
		"and", "logicalAnd", "or", "logicalOr", "xor", "logicalXor", "select", "where"),
	[]row{
		direct("abs", "abs", unsigned("abs", identity), "unsigned integers: identity"),
		direct("relu", "relu", unsigned("relu", identity), "unsigned integers: identity"),
		direct("sign", "sign", unsigned("sign", func(c *call) []*webnn.Operand {
			return one(c.do("min", nil, c.in[0], c.number(c.in[0].DataType(), 1)))
		}), "unsigned integers: min with 1"),
		direct("prelu", "prelu", func(c *call) []*webnn.Operand { return one(c.do("prelu", nil, c.in[0], c.in[1])) }),
		activation("leaky_relu", "leakyRelu", "alpha"),
		activation("elu", "elu", "alpha"),
		activation("hard_sigmoid", "hardSigmoid", "alpha", "beta"),
		activation("affine", "linear", "alpha", "beta"),
		{Row{"gelu", Direct, "gelu", lookup("gelu").BodyTol, "approximations: the operator's body, within the tolerance"}, gelu},
		saturating("add"), saturating("sub"), saturating("mul"),
		direct("clamp", "clamp", clamp, "bounds that are tensors, and a lower bound above the upper: min, max"),
		direct("cast", "cast", cast, "to logical: notEqual with 0"),
		rewritten("round", "floor, sub, greaterOrEqual, where, add", 0, "f = floor(x); y = select(x - f >= 0.5, f + 1.0, f);"),
		rewritten("asin", "the row of atan", 1e-6, "y = atan(x / sqrt((1.0 - x) * (1.0 + x)));"),
		rewritten("acos", "the row of atan", 1e-6, "y = 2.0 * atan(sqrt((1.0 - x) / (1.0 + x)));"),
		rewritten("atan", "abs, greater, reciprocal, where, sqrt, mul, div, add, sub, sign", 1e-6, arcTangent),
		rewritten("sinh", "exp, mul, div, sub", 1e-6, "e = exp(0.5 * x); y = 0.5 * e * e - 0.5 / e / e;"),
		rewritten("cosh", "exp, mul, div, add", 1e-6, "e = exp(0.5 * x); y = 0.5 * e * e + 0.5 / e / e;"),
		rewritten("asinh", "abs, sqrt, log, greater, where, sign", 1e-6,
			"a = abs(x); y = sign(x) * select(a > 10000.0, log(a) + 0.693147180559945, log(a + sqrt(a * a + 1.0)));"),
		rewritten("acosh", "sqrt, log, greater, where", 1e-6,
			"y = select(x > 10000.0, log(x) + 0.693147180559945, log(x + sqrt(x - 1.0) * sqrt(x + 1.0)));"),
		rewritten("atanh", "log, div, add, sub, mul", 1e-6, "y = 0.5 * log((1.0 + x) / (1.0 - x));"),
	},
)

// arcTangent halves the angle twice, so that five terms of the series suffice.
const arcTangent = `a = abs(x); far = a > 1.0; z = select(far, rcp(a), a);
	t = z / (1.0 + sqrt(1.0 + z * z)); u = t / (1.0 + sqrt(1.0 + t * t)); v = u * u;
	p = 4.0 * u * (1.0 + v * (-0.333333333333333 + v * (0.2 + v * (-0.142857142857143 + v * 0.111111111111111))));
	y = sign(x) * select(far, 1.570796326794897 - p, p);`

// same makes rows of operators and methods, in turn, that take the same operands and nothing else.
func same(pairs ...string) []row {
	var out []row
	for i := 0; i+1 < len(pairs); i += 2 {
		method := pairs[i+1]
		out = append(out, direct(pairs[i], method, func(c *call) []*webnn.Operand {
			args := make([]any, len(c.in))
			for k, o := range c.in {
				args[k] = o
			}
			return one(c.do(method, nil, args...))
		}))
	}
	return out
}

func identity(c *call) []*webnn.Operand { return one(c.do("identity", nil, c.in[0])) }

func gelu(c *call) []*webnn.Operand {
	if c.str("approximate") != "none" {
		return c.byBody(c.d)
	}
	return one(c.do("gelu", nil, c.in[0]))
}

// unsigned applies the method, or, where it does not take the type, something else.
func unsigned(method string, other func(c *call) []*webnn.Operand) func(c *call) []*webnn.Operand {
	return func(c *call) []*webnn.Operand {
		if !slices.Contains(signedTypes, c.in[0].DataType()) {
			return other(c)
		}
		return one(c.do(method, nil, c.in[0]))
	}
}

// activation makes a row of a method with these options.
func activation(name, method string, names ...string) row {
	return direct(name, method, rounded(func(c *call) []*webnn.Operand {
		o := options{}
		for _, n := range names {
			o[n] = c.float(n)
		}
		return one(c.do(method, o, c.in[0]))
	}, names...), roundedNote)
}

// saturating makes a row of an operator whose integers may saturate: then they are computed in more bits.
func saturating(name string) row {
	return direct(name, name, func(c *call) []*webnn.Operand {
		d := c.outType(0)
		if !d.IsInteger() || c.str("overflow") == "wrap" {
			return one(c.do(name, nil, c.in[0], c.in[1]))
		}
		if d.Size() > 4 {
			refuse("overflow = saturate: WebNN has no integers of more than the 64 bits of %v", d)
		}
		if name == "mul" && d == tensor.Uint32 {
			refuse("overflow = saturate: products of uint32 may exceed the 63 bits of int64")
		}
		y := c.do(name, nil, c.cast(c.in[0], tensor.Int64), c.cast(c.in[1], tensor.Int64))
		return one(c.cast(c.saturate(y, d), d))
	}, "overflow = saturate: in int64 with clamp; refused for 64 bits and products of uint32")
}

// saturate bounds integers to the range of a type.
func (c *call) saturate(o *webnn.Operand, d tensor.DType) *webnn.Operand {
	lo, hi := d.IntRange()
	bounds := options{}
	if least, _ := o.DataType().IntRange(); lo > least {
		bounds["minValue"] = webnn.Int(lo)
	}
	if _, most := o.DataType().IntRange(); hi < most {
		bounds["maxValue"] = webnn.Uint(hi)
	}
	if len(bounds) == 0 {
		return o
	}
	return c.do("clamp", bounds, o)
}

func clamp(c *call) []*webnn.Operand {
	if o, ok := c.bounds(); ok {
		return one(c.do("clamp", o, c.in[0]))
	}
	y := c.in[0]
	if hi := c.operand(2); hi != nil {
		y = c.do("min", nil, y, hi)
	}
	if lo := c.operand(1); lo != nil {
		y = c.do("max", nil, y, lo)
	}
	return one(y)
}

// bounds returns the bounds of clamp as options, if they are numbers that the method takes.
func (c *call) bounds() (o options, ok bool) {
	o = options{}
	numbers := make(map[string]*big.Float)
	for i, name := range map[int]string{1: "minValue", 2: "maxValue"} {
		if c.operand(i) == nil {
			continue
		}
		t := c.value(i)
		if t == nil || t.Rank() != 0 {
			return nil, false
		}
		n, exact := number(t)
		if !exact {
			return nil, false
		}
		o[name] = n
		switch n := n.(type) {
		case float64:
			numbers[name] = big.NewFloat(n)
		case webnn.Int:
			numbers[name] = new(big.Float).SetInt64(int64(n))
		case webnn.Uint:
			numbers[name] = new(big.Float).SetUint64(uint64(n))
		}
	}
	if lo, hi := numbers["minValue"], numbers["maxValue"]; lo != nil && hi != nil && lo.Cmp(hi) > 0 {
		return nil, false
	}
	return o, true
}

// number returns the element of a scalar as an argument of the kind MLNumber, if it is one: a NaN is not.
func number(t *tensor.Tensor) (any, bool) {
	if t.DType().IsFloat() {
		wide, err := tensor.Cast(t, tensor.Float32)
		if err != nil {
			return nil, false
		}
		x := float64(tensor.Data[float32](wide)[0])
		return x, x == x
	}
	d := tensor.Int64
	if t.DType() == tensor.Uint64 {
		d = tensor.Uint64
	}
	wide, err := tensor.Cast(t, d)
	if err != nil {
		return nil, false
	}
	if d == tensor.Uint64 {
		return webnn.Uint(tensor.Data[uint64](wide)[0]), true
	}
	return webnn.Int(tensor.Data[int64](wide)[0]), true
}

func cast(c *call) []*webnn.Operand {
	x := c.in[0]
	to := c.n.Attrs.DType("dtype")
	if to == tensor.Bool && c.typeOf(0) != tensor.Bool {
		return one(c.do("notEqual", nil, x, c.number(x.DataType(), 0)))
	}
	d, _ := dataType(to)
	if x.DataType() == d {
		return one(c.do("identity", nil, x))
	}
	return one(c.cast(x, d))
}

// lookup returns the definition of an operator.
func lookup(name string) *op.Def {
	d, _ := op.Lookup(name)
	return d
}
