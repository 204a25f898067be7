package op

import (
	"math"
	"math/bits"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Element-wise operators with one operand. Those on floats alone are a row of [unaryFloat] each; a function for float32 and one for float64
// define the bits, and 16-bit floats are computed in float32.
var unaryOps = []*Def{
	copyDef(),
	unary("neg", "Neg returns -x: floats change their sign, zeros too; integers wrap, so the least value is its own negative.",
		Spec{NNEF: "neg", WebNN: "neg", CVM: "negative"}, Floats|Signed, merge(float1(negateFloat, negateFloat),
			Kernels{tensor.Int8: elementwise1(negate[int8]), tensor.Int16: elementwise1(negate[int16]),
				tensor.Int32: elementwise1(negate[int32]), tensor.Int64: elementwise1(negate[int64])})),
	withSign(ofFloats(always), unary("abs", "Abs returns |x|. Integers wrap, so the least value stays itself.",
		Spec{NNEF: "abs", WebNN: "abs", OpenVX: "vxActivationLayer", CVM: "abs"}, Numbers, merge(float1(absolute, absolute),
			integerKernels(elementwise1(integerAbs[int8]), elementwise1(integerAbs[int16]), elementwise1(integerAbs[int32]), elementwise1(integerAbs[int64]),
				elementwise1(integerAbs[uint8]), elementwise1(integerAbs[uint16]), elementwise1(integerAbs[uint32]), elementwise1(integerAbs[uint64]))))),
	withTraits(Integral, withBody(unary("sign", "Sign returns 1 for x > 0, -1 for x < 0 and +0 otherwise, which includes NaN (WebNN sign).",
		Spec{NNEF: "sign", WebNN: "sign"}, Numbers, merge(float1(sign, sign),
			integerKernels(elementwise1(sign[int8]), elementwise1(sign[int16]), elementwise1(sign[int32]), elementwise1(sign[int64]),
				elementwise1(sign[uint8]), elementwise1(sign[uint16]), elementwise1(sign[uint32]), elementwise1(sign[uint64])))),
		// Literals have the type of the tensor that they are combined with, so that 0 and 1 are made from x.
		"v = select(x == x, x, 0.0); zero = clamp(v, 0.0, 0.0); one = clamp(v, 1.0, 1.0);\n"+
			"y = select(x > 0.0, one, select(x < 0.0, zero - one, zero));", 0)),
	withTraits(Integral, primitive("floor", "Floor returns the greatest integer not above x.", Spec{NNEF: "floor", WebNN: "floor"}, floor, floor)),
	withTraits(Integral, primitive("ceil", "Ceil returns the least integer not below x; -0 for -1 < x < 0.", Spec{NNEF: "ceil", WebNN: "ceil"}, ceil, ceil)),
	withTraits(Integral, withBody(primitive("round", "Round returns floor(x + ½) without rounding the sum: halves go up, -2.5 to -2 and -0.5 to +0 (NNEF round).",
		Spec{NNEF: "round"}, roundHalfUp, roundHalfUp),
		"f = floor(x); y = select(x - f >= 0.5, f + 1.0, f);", 0)),
	withTraits(Integral, primitive("round_even", "RoundEven returns the integer nearest to x, of two equally near the even one, with the sign of x (WebNN roundEven).",
		Spec{WebNN: "roundEven"}, roundEven, roundEven)),
	primitive("rcp", "Rcp returns 1 / x.", Spec{NNEF: "rcp", WebNN: "reciprocal"}, fmath.Reciprocal, fmath.Reciprocal),
	withSign(ofFloats(always), withBody(unary("sqr", "Sqr returns x · x; integers wrap.",
		Spec{NNEF: "sqr", OpenVX: "vxActivationLayer"}, Numbers, merge(float1(squareFloat, squareFloat),
			integerKernels(elementwise1(square[int8]), elementwise1(square[int16]), elementwise1(square[int32]), elementwise1(square[int64]),
				elementwise1(square[uint8]), elementwise1(square[uint16]), elementwise1(square[uint32]), elementwise1(square[uint64])))),
		"y = x * x;", 0)),
	withSign(always, primitive("sqrt", "Sqrt returns √x, correctly rounded: NaN for x < 0, -0 for -0.",
		Spec{NNEF: "sqrt", WebNN: "sqrt", OpenVX: "vxActivationLayer"}, fmath.Sqrt, fmath.Sqrt)),
	unaryFloat("rsqr", "Rsqr returns x⁻² as (1/x)·(1/x), each operation rounded.", Spec{NNEF: "rsqr"},
		reciprocalSquare, reciprocalSquare, "r = rcp(x); y = r * r;", 0),
	unaryFloat("rsqrt", "Rsqrt returns 1/√x: NaN for x < 0, an infinity of its sign for a zero.", Spec{NNEF: "rsqrt"},
		fmath.Rsqrt, fmath.Rsqrt, "y = rcp(sqrt(x));", 4e-7),
	withSign(always, primitive("exp", "Exp returns eˣ.", Spec{NNEF: "exp", WebNN: "exp"}, fmath.Exp, fmath.Exp)),
	primitive("log", "Log returns the natural logarithm of x: -∞ for a zero, NaN for x < 0.", Spec{NNEF: "log", WebNN: "log"}, fmath.Log, fmath.Log),
	unaryFloat("log2", "Log2 returns the logarithm of x to base 2, exact for powers of two: -∞ for a zero, NaN for x < 0.",
		Spec{NNEF: "log2"}, fmath.Log2, fmath.Log2, "y = log(x) / 0.693147180559945;", 1e-6),
	primitive("sin", "Sin returns the sine of x, in radians; NaN for an infinity.", Spec{NNEF: "sin", WebNN: "sin"}, fmath.Sin, fmath.Sin),
	primitive("cos", "Cos returns the cosine of x, in radians; NaN for an infinity.", Spec{NNEF: "cos", WebNN: "cos"}, fmath.Cos, fmath.Cos),
	primitive("tan", "Tan returns the tangent of x, in radians; NaN for an infinity.", Spec{NNEF: "tan", WebNN: "tan"}, fmath.Tan, fmath.Tan),
	withBody(primitive("asin", "Asin returns the arc sine of x in radians; NaN for |x| > 1.", Spec{NNEF: "asin"}, fmath.Asin, fmath.Asin),
		"y = atan(x / sqrt((1.0 - x) * (1.0 + x)));", 1e-6),
	withBody(primitive("acos", "Acos returns the arc cosine of x in radians; NaN for |x| > 1.", Spec{NNEF: "acos"}, fmath.Acos, fmath.Acos),
		"y = 2.0 * atan(sqrt((1.0 - x) / (1.0 + x)));", 1e-6),
	withBody(primitive("atan", "Atan returns the arc tangent of x in radians.", Spec{NNEF: "atan"}, fmath.Atan, fmath.Atan),
		// The angle is halved twice, so that five terms of the series suffice.
		"a = abs(x); far = a > 1.0; z = select(far, rcp(a), a);\n"+
			"t = z / (1.0 + sqrt(1.0 + z * z)); u = t / (1.0 + sqrt(1.0 + t * t)); v = u * u;\n"+
			"p = 4.0 * u * (1.0 + v * (-0.333333333333333 + v * (0.2 + v * (-0.142857142857143 + v * 0.111111111111111))));\n"+
			"y = sign(x) * select(far, 1.570796326794897 - p, p);", 1e-6),
	withBody(primitive("sinh", "Sinh returns the hyperbolic sine of x.", Spec{NNEF: "sinh"}, fmath.Sinh, fmath.Sinh),
		"e = exp(0.5 * x); y = 0.5 * e * e - 0.5 / e / e;", 1e-6),
	withBody(primitive("cosh", "Cosh returns the hyperbolic cosine of x.", Spec{NNEF: "cosh"}, fmath.Cosh, fmath.Cosh),
		"e = exp(0.5 * x); y = 0.5 * e * e + 0.5 / e / e;", 1e-6),
	withBody(primitive("tanh", "Tanh returns the hyperbolic tangent of x.",
		Spec{NNEF: "tanh", WebNN: "tanh", OpenVX: "vxActivationLayer"}, fmath.Tanh, fmath.Tanh),
		"y = 1.0 - 2.0 / (exp(2.0 * x) + 1.0);", 1e-6),
	withBody(primitive("asinh", "Asinh returns the inverse hyperbolic sine of x.", Spec{NNEF: "asinh"}, fmath.Asinh, fmath.Asinh),
		"a = abs(x); y = sign(x) * select(a > 10000.0, log(a) + 0.693147180559945, log(a + sqrt(a * a + 1.0)));", 1e-6),
	withBody(primitive("acosh", "Acosh returns the inverse hyperbolic cosine of x; NaN for x < 1.", Spec{NNEF: "acosh"}, fmath.Acosh, fmath.Acosh),
		"y = select(x > 10000.0, log(x) + 0.693147180559945, log(x + sqrt(x - 1.0) * sqrt(x + 1.0)));", 1e-6),
	withBody(primitive("atanh", "Atanh returns the inverse hyperbolic tangent of x; NaN for |x| > 1.", Spec{NNEF: "atanh"}, fmath.Atanh, fmath.Atanh),
		"y = 0.5 * log((1.0 + x) / (1.0 - x));", 1e-6),
	primitive("erf", "Erf returns the error function of x, 2/√π · ∫₀ˣ exp(-t²) dt.", Spec{WebNN: "erf"}, fmath.Erf, fmath.Erf),
	notDef(),
	predicate("is_nan", "IsNan returns whether x is NaN.", Spec{WebNN: "isNaN"}, Floats,
		floatKernels(elementwise1(isNaN[float32]), elementwise1(isNaN[float64]))),
	predicate("is_infinite", "IsInfinite returns whether x is an infinity of either sign.", Spec{WebNN: "isInfinite"}, Floats,
		floatKernels(elementwise1(isInfinite[float32]), elementwise1(isInfinite[float64]))),
	withExpansion(unary("bit_length", "BitLength returns the number of binary digits of |x|, 1 for 0 (cvm_precision).",
		Spec{CVM: "cvm_precision"}, Integers,
		integerKernels(elementwise1(bitLength[int8]), elementwise1(bitLength[int16]), elementwise1(bitLength[int32]), elementwise1(bitLength[int64]),
			elementwise1(bitLength[uint8]), elementwise1(bitLength[uint16]), elementwise1(bitLength[uint32]), elementwise1(bitLength[uint64]))), expandBitLength),
}

// unary defines an operator whose one result has the type and shape of its one operand.
func unary(name, doc string, spec Spec, types Types, kernels Kernels) *Def {
	return &Def{
		Name:     name,
		Doc:      doc,
		Spec:     spec,
		In:       []Operand{{Name: "x", Types: types, Rank: AnyRank, Doc: "operand"}},
		Out:      []Result{{Name: "y", Like: "x", Doc: "result"}},
		Shape:    sameShape,
		Ref:      Reference{Kernels: kernels, PerElement: true},
		Traits:   Elementwise,
		Generate: func(r *Rand) Case { return Case{In: r.operands(r.DType(types), 1)} },
	}
}

func copyDef() *Def {
	d := unary("copy", "Copy returns x, bit by bit.", Spec{NNEF: "copy", WebNN: "identity"}, AnyType, alike(copyElements, Stored))
	d.In[0].Types = Stored
	d.View = whole
	d.Simplify = func(n *graph.Node) (*graph.Value, *graph.Node) { return n.In[0], nil }
	return d
}

func notDef() *Def {
	d := predicate("not", "Not returns whether x does not hold.", Spec{NNEF: "not", WebNN: "logicalNot"}, Bools,
		Kernels{tensor.Bool: elementwise1(func(x bool) bool { return !x })})
	d.Simplify = func(n *graph.Node) (*graph.Value, *graph.Node) {
		if p := n.In[0].Producer; p != nil && p.Op == n.Op {
			return p.In[0], nil
		}
		return nil, nil
	}
	return d
}

// primitive is unary for a function of floats that does not decompose.
func primitive(name, doc string, spec Spec, single func(x float32) float32, double func(x float64) float64) *Def {
	return unary(name, doc, spec, Floats, float1(single, double))
}

// unaryFloat is unary for a function of floats with a body. It is compared clear of the poles at zero.
func unaryFloat(name, doc string, spec Spec, single func(x float32) float32, double func(x float64) float64, body string, tol float64) *Def {
	d := withBody(primitive(name, doc, spec, single, double), body, tol)
	d.Generate = func(r *Rand) Case {
		return Case{In: []*tensor.Tensor{r.Uniform(r.DType(Floats), r.Shape(0, 4), 0.25, 8)}}
	}
	return d
}

// predicate defines an operator that answers a question about each element.
func predicate(name, doc string, spec Spec, types Types, kernels Kernels) *Def {
	d := unary(name, doc, spec, types, kernels)
	d.Out = []Result{{Name: "y", Type: tensor.Bool, Doc: "result"}}
	return d
}

// withBody adds a decomposition to d.
func withBody(d *Def, body string, tol float64) *Def {
	d.Body, d.BodyTol = body, tol
	return d
}

// withExpansion adds one made by a function.
func withExpansion(d *Def, expand func(x *Expansion) []*graph.Value) *Def {
	d.Expand = expand
	return d
}

// elementwise1 applies f to each element; each element of the result is a piece.
//
//go:noinline // tables of kernels would hold it three times
func elementwise1[T, R tensor.Element](f func(x T) R) Kernel {
	return func(c *Call, lo, hi int) { mapElements(c, lo, hi, f) }
}

// mapElements sets elements lo…hi-1 of the result to f of those of the first operand, which has as many.
func mapElements[T, R tensor.Element](c *Call, lo, hi int, f func(x T) R) {
	x, y := tensor.Data[T](c.In[0])[lo:hi], tensor.Data[R](c.Out[0])[lo:hi]
	for i, v := range x {
		y[i] = f(v)
	}
}

// float1 is the table of a function of floats, whose NaN results become canonical.
func float1(single func(x float32) float32, double func(x float64) float64) Kernels {
	return floatKernels(elementwise1(func(x float32) float32 { return canonical(single(x)) }), elementwise1(func(x float64) float64 { return canonical(double(x)) }))
}

func negateFloat[T fmath.Float](x T) T   { return -x }
func squareFloat[T fmath.Float](x T) T   { return T(x * x) }
func absolute[T fmath.Float](x T) T      { return T(math.Abs(float64(x))) }
func floor[T fmath.Float](x T) T         { return T(math.Floor(float64(x))) }
func ceil[T fmath.Float](x T) T          { return T(math.Ceil(float64(x))) }
func roundEven[T fmath.Float](x T) T     { return T(math.RoundToEven(float64(x))) }
func isNaN[T fmath.Float](x T) bool      { return x != x }
func isInfinite[T fmath.Float](x T) bool { return math.IsInf(float64(x), 0) }

// reciprocalSquare returns the square of 1/x.
func reciprocalSquare[T fmath.Float](x T) T {
	r := fmath.Reciprocal(x)
	return T(r * r)
}

// roundHalfUp returns floor(x + ½). The difference to the floor is exact wherever it decides: below ½ it needs no more
// digits than x has, and rounding cannot take it across ½.
func roundHalfUp[T fmath.Float](x T) T {
	f := floor(x)
	if x-f >= 0.5 {
		return f + 1
	}
	return f
}

func sign[T tensor.Number](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return T(0) - 1
	}
	return 0
}

func negate[T tensor.Integer](x T) T { return -x }
func square[T tensor.Integer](x T) T { return x * x }

func integerAbs[T tensor.Integer](x T) T {
	if x < 0 {
		return -x
	}
	return x
}

func bitLength[T tensor.Integer](x T) T { return T(max(bits.Len64(magnitude(x)), 1)) }
