package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Element-wise activation functions. Each says how it is rounded; numbers among the attributes are rounded to the type of
// the computation first, and 16-bit floats are computed in float32.
var activationOps = []*Def{
	withSign(always, withBody(unary("relu", "Relu returns max(x, 0): +0 for -0 and for x < 0, NaN for NaN.",
		Spec{NNEF: "relu", WebNN: "relu", OpenVX: "vxActivationLayer", CVM: "relu"}, Numbers, merge(float1(rectify, rectify),
			integerKernels(rectifyIntegers[int8], rectifyIntegers[int16], rectifyIntegers[int32], rectifyIntegers[int64],
				rectifyIntegers[uint8], rectifyIntegers[uint16], rectifyIntegers[uint32], rectifyIntegers[uint64]))),
		"y = max(x, 0.0);", 0)),
	activation("leaky_relu", "LeakyRelu returns x, or alpha · x where x < 0, rounded once.",
		Spec{NNEF: "leaky_relu", WebNN: "leakyRelu"}, 1,
		[]Attr{number("alpha", 0.01, "factor of negative operands")},
		leakyKernel[float32], leakyKernel[float64], "y = select(x < 0.0, alpha * x, x);", 0),
	preluDef,
	activation("elu", "Elu returns x, or alpha · (eˣ - 1) where x < 0: the product with expm1(x), rounded.",
		Spec{NNEF: "elu", WebNN: "elu"}, 2,
		[]Attr{number("alpha", 1, "factor of the exponential branch")},
		eluKernel[float32], eluKernel[float64], "y = select(x < 0.0, alpha * (exp(x) - 1.0), x);", 1e-6),
	activation("selu", "Selu returns lambda · elu(x, alpha), each of the two products rounded.",
		Spec{NNEF: "selu"}, 3,
		[]Attr{number("alpha", 1.67326319, "factor of the exponential branch"), number("lambda", 1.05070102, "factor of both branches")},
		seluKernel[float32], seluKernel[float64], "y = lambda * select(x < 0.0, alpha * (exp(x) - 1.0), x);", 1e-6),
	activation("gelu", "Gelu returns x · Φ(x), Φ being the normal distribution ½(1 + erf(x/√2)) or what approximate says. "+
		"none: ½x·erfc(-x/√2), which is WebNN's formula without its cancellation for x < 0, within 2.3 units in the last place; tanh: x·sigmoid(√(8/π)·(x + 0.044715x³)), which equals "+
		"½x(1 + tanh(√(2/π)·(x + 0.044715x³))); sigmoid: x·sigmoid(1.702x) (NNEF 1.0.5's text). Every operation of the latter two is rounded.",
		Spec{NNEF: "gelu", WebNN: "gelu"}, 5,
		[]Attr{{Name: "approximate", Kind: graph.KindString, Default: "none", Enum: []string{"none", "tanh", "sigmoid"},
			Doc: "the distribution function: exact, by a hyperbolic tangent, or by a sigmoid"}},
		geluKernel[float32], geluKernel[float64],
		"y = x * 0.5 * (1.0 + erf(x * 0.70710678)) if approximate == 'none' else "+
			"x * 0.5 * (1.0 + tanh(0.79788456 * (x + 0.044715 * x ^ 3.0))) if approximate == 'tanh' else x * sigmoid(1.702 * x);", 2e-6),
	activation("silu", "Silu returns x · sigmoid(x), rounded.", Spec{NNEF: "silu"}, 2, nil,
		mapped(silu[float32]), mapped(silu[float64]), "y = x * sigmoid(x);", 0),
	withTraits(Fractions, activation("sigmoid", "Sigmoid returns 1 / (1 + e⁻ˣ).",
		Spec{NNEF: "sigmoid", WebNN: "sigmoid", OpenVX: "vxActivationLayer"}, 1, nil,
		mapped(fmath.Sigmoid[float32]), mapped(fmath.Sigmoid[float64]), "y = 1.0 / (1.0 + exp(-x));", 5e-7)),
	withTraits(Fractions, activation("hard_sigmoid", "HardSigmoid returns max(0, min(1, alpha · x + beta)), the product and sum with one rounding.",
		Spec{WebNN: "hardSigmoid"}, 3,
		[]Attr{number("alpha", 0.2, "slope"), number("beta", 0.5, "value at 0")},
		hardSigmoidKernel[float32], hardSigmoidKernel[float64], "y = clamp(alpha * x + beta, 0.0, 1.0);", 1e-6)),
	activation("hard_swish", "HardSwish returns x · max(0, min(6, x + 3)) / 6. "+
		"It is computed as (x · max(min(x/8 + 3/8, 3/4), 0)) / (3/4), product, quotient and x/8 + 3/8 rounded once each, which does not overflow.",
		Spec{WebNN: "hardSwish"}, 5, nil,
		mapped(hardSwish[float32]), mapped(hardSwish[float64]),
		"y = x * clamp(x + 3.0, 0.0, 6.0) / 6.0;", 0),
	withSign(always, activation("softplus", "Softplus returns ln(1 + eˣ), without overflow for large x.",
		Spec{NNEF: "softplus", WebNN: "softplus", OpenVX: "vxActivationLayer"}, 1, nil,
		mapped(fmath.Softplus[float32]), mapped(fmath.Softplus[float64]), "y = log(exp(x) + 1.0);", 1e-6)),
	activation("softsign", "Softsign returns x / (1 + |x|), sum and quotient rounded; NaN for an infinity.",
		Spec{WebNN: "softsign"}, 3, nil,
		mapped(softsign[float32]), mapped(softsign[float64]), "y = x / (1.0 + abs(x));", 0),
	activation("affine", "Affine returns alpha · x + beta with one rounding.",
		Spec{WebNN: "linear", OpenVX: "vxActivationLayer"}, 2,
		[]Attr{number("alpha", 1, "factor"), number("beta", 0, "summand")},
		affineKernel[float32], affineKernel[float64], "y = alpha * x + beta;", 2e-6),
}

var preluDef = &Def{
	Name: "prelu",
	Doc:  "Prelu returns x, or alpha · x where x < 0: floats rounded once, integers wrap (NNEF prelu; WebNN prelu, whose slope is alpha).",
	Spec: Spec{NNEF: "prelu", WebNN: "prelu"},
	In: []Operand{
		{Name: "x", Types: Floats | Signed, Rank: AnyRank, Doc: "operand"},
		{Name: "alpha", Types: Floats | Signed, Like: "x", Rank: AnyRank, Doc: "factor of negative operands; broadcasts with x"},
	},
	Out:   []Result{{Name: "y", Like: "x", Doc: "result"}},
	Shape: broadcastShape,
	Ref: Reference{
		Kernels: merge(floatKernels(elementwise2(leakyFloat[float32]), elementwise2(leakyFloat[float64])),
			Kernels{tensor.Int8: elementwise2(leaky[int8]), tensor.Int16: elementwise2(leaky[int16]),
				tensor.Int32: elementwise2(leaky[int32]), tensor.Int64: elementwise2(leaky[int64])}),
		PerElement: true,
	},
	Traits:   Elementwise,
	Body:     "y = select(x < 0.0, alpha * x, x);",
	Generate: func(r *Rand) Case { return Case{In: r.operands(r.DType(Floats|Signed), 2)} },
}

// activation defines an activation function of floats, evaluated by kernels on float32 and float64 that take about ops
// operations for an element.
func activation(name, doc string, spec Spec, ops int64, attrs []Attr, single, double Kernel, body string, tol float64) *Def {
	d := withBody(unary(name, doc, spec, Floats, floatKernels(single, double)), body, tol)
	d.Attrs = attrs
	d.Work = opsPerElement(ops)
	d.Generate = func(r *Rand) Case {
		// Bodies overflow long before the references do, so they are compared on moderate operands.
		c := Case{In: []*tensor.Tensor{r.Uniform(r.DType(Floats), r.Shape(0, 4), -8, 8)}}
		for _, a := range attrs {
			switch {
			case a.Enum != nil:
				c.Attrs = append(c.Attrs, graph.Attr{Name: a.Name, Value: Pick(r, a.Enum)})
			case r.Bool():
				c.Attrs = append(c.Attrs, graph.Attr{Name: a.Name, Value: float64(r.Between(-8, 8)) / 4})
			}
		}
		return c
	}
	return d
}

// number declares an attribute that is a number.
func number(name string, value float64, doc string) Attr {
	return Attr{Name: name, Kind: graph.KindFloat, Default: value, Doc: doc}
}

// mapFloats is mapElements for a function of floats, whose NaN results become canonical.
func mapFloats[T fmath.Float](c *Call, lo, hi int, f func(x T) T) {
	mapElements(c, lo, hi, func(x T) T { return canonical(f(x)) })
}

// mapped makes a kernel of a function of floats.
//
//go:noinline // tables of kernels would hold it three times
func mapped[T fmath.Float](f func(x T) T) Kernel {
	return func(c *Call, lo, hi int) { mapFloats(c, lo, hi, f) }
}

func rectify[T fmath.Float](x T) T { return max(x, 0) }

// rectifyIntegers is relu without a call for each element.
func rectifyIntegers[T tensor.Integer](c *Call, lo, hi int) {
	x, y := tensor.Data[T](c.In[0])[lo:hi], tensor.Data[T](c.Out[0])[lo:hi]
	for i, v := range x {
		y[i] = max(v, 0)
	}
}

func leaky[T tensor.Number](x, alpha T) T {
	if x < 0 {
		return alpha * x
	}
	return x
}

func leakyFloat[T fmath.Float](x, alpha T) T { return canonical(leaky(x, alpha)) }

func leakyKernel[T fmath.Float](c *Call, lo, hi int) {
	alpha := T(c.Float("alpha"))
	mapFloats(c, lo, hi, func(x T) T { return leaky(x, alpha) })
}

func elu[T fmath.Float](x, alpha T) T {
	if x < 0 {
		return alpha * fmath.Expm1(x)
	}
	return x
}

func eluKernel[T fmath.Float](c *Call, lo, hi int) {
	alpha := T(c.Float("alpha"))
	mapFloats(c, lo, hi, func(x T) T { return elu(x, alpha) })
}

func seluKernel[T fmath.Float](c *Call, lo, hi int) {
	alpha, lambda := T(c.Float("alpha")), T(c.Float("lambda"))
	mapFloats(c, lo, hi, func(x T) T { return lambda * elu(x, alpha) })
}

func geluKernel[T fmath.Float](c *Call, lo, hi int) {
	switch c.String("approximate") {
	case "tanh":
		mapFloats(c, lo, hi, geluTanh[T])
	case "sigmoid":
		mapFloats(c, lo, hi, geluSigmoid[T])
	default:
		mapFloats(c, lo, hi, fmath.Gelu[T])
	}
}

func geluTanh[T fmath.Float](x T) T {
	const twice = 1.5957691216057307117 // 2·√(2/π): ½(1 + tanh u) is sigmoid(2u), which does not cancel for x < 0
	cubic := T(T(T(x*x)*x) * 0.044715)
	return x * fmath.Sigmoid(T((x+cubic)*twice))
}

func geluSigmoid[T fmath.Float](x T) T { return x * fmath.Sigmoid(T(x*1.702)) }

func silu[T fmath.Float](x T) T     { return x * fmath.Sigmoid(x) }
func softsign[T fmath.Float](x T) T { return x / (1 + absolute(x)) }

// hardSwish computes with eighths, as x·6 overflows for great x. Above 2^-124 (float32) they have the bits of x·max(min(x+3, 6), 0)/6.
func hardSwish[T fmath.Float](x T) T { return T(x*max(min(fma(x, 0.125, 0.375), 0.75), 0)) / 0.75 }

func hardSigmoidKernel[T fmath.Float](c *Call, lo, hi int) {
	alpha, beta := T(c.Float("alpha")), T(c.Float("beta"))
	mapFloats(c, lo, hi, func(x T) T { return max(min(fma(alpha, x, beta), 1), 0) })
}

func affineKernel[T fmath.Float](c *Call, lo, hi int) {
	alpha, beta := T(c.Float("alpha")), T(c.Float("beta"))
	mapFloats(c, lo, hi, func(x T) T { return fma(alpha, x, beta) })
}
