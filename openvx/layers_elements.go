package openvx

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Functions of elements, normalizations, and what moves elements.
var elementLayers = []*layer{
	newLayer(KernelSoftmaxLayer, inferSoftmax, lowerSoftmax),
	newLayer(KernelNormalizationLayer, inferNormalization, lowerNormalization), // of OpenVX 1.2; in 1.3 the following has a bias
	newLayer(KernelLocalResponseNormalizationLayer, inferNormalization, lowerNormalization),
	newLayer(KernelActivationLayer, inferActivation, lowerActivation),
	newLayer(KernelTensorMultiply, inferMultiply, lowerMultiply),
	newLayer(KernelTensorAdd, (*call).completeBroadcast, lowerAddition("add")),
	newLayer(KernelTensorSubtract, (*call).completeBroadcast, lowerAddition("sub")),
	newLayer(KernelTensorTableLookup, inferTableLookup, lowerTableLookup),
	newLayer(KernelTensorTranspose, inferTranspose, lowerTranspose),
	newLayer(KernelTensorConvertDepth, inferConvertDepth, lowerConvertDepth),
	newLayer(KernelTensorMatrixMultiply, inferMatrixMultiply, lowerMatrixMultiply),
}

// activations are the functions of real numbers that an activation layer has.
var activations = map[Activation]func(l *lowering, x *graph.Value, a, b float32) *graph.Value{
	ActivationLogistic: plain("sigmoid"),
	ActivationHyperbolicTan: func(l *lowering, x *graph.Value, a, b float32) *graph.Value {
		return l.times(a, l.Node("tanh", nil, l.times(b, x)))
	},
	ActivationRelu: plain("relu"),
	ActivationBrelu: func(l *lowering, x *graph.Value, a, _ float32) *graph.Value {
		return l.Node("min", nil, l.Node("relu", nil, x), l.real(a))
	},
	ActivationSoftrelu: plain("softplus"),
	ActivationAbs:      plain("abs"),
	ActivationSquare:   plain("sqr"),
	ActivationSqrt:     plain("sqrt"),
	ActivationLinear: func(l *lowering, x *graph.Value, a, b float32) *graph.Value {
		return l.Node("add", nil, l.times(a, x), l.real(b))
	},
}

// plain is a function without parameters, which is an operator.
func plain(operator string) func(*lowering, *graph.Value, float32, float32) *graph.Value {
	return func(l *lowering, x *graph.Value, _, _ float32) *graph.Value { return l.Node(operator, nil, x) }
}

// times multiplies real numbers by a constant.
func (l *lowering) times(factor float32, x *graph.Value) *graph.Value {
	if factor == 1 {
		return x
	}
	return l.Node("mul", nil, x, l.real(factor))
}

func inferActivation(c *call) {
	c.checkFormats(0)
	c.checkReal(2, true)
	c.checkReal(3, true)
	c.like(c.operands[0].dims...)
}

// lowerActivation computes in float32, apart from relu, which leaves nothing to round.
func lowerActivation(l *lowering) *graph.Value {
	f, a, b := argument[Activation](l.call, 1), argument[float32](l.call, 2), argument[float32](l.call, 3)
	if f == ActivationRelu {
		return activations[f](l, l.values[0], a, b)
	}
	format := l.out().format
	return l.eachElement(l.values[0], func(x *graph.Value) *graph.Value {
		return l.fromReal(activations[f](l, l.toReal(x, format), a, b), format)
	})
}

// inferNormalization is that of both normalizations; the newer one has a bias in front of the result.
func inferNormalization(c *call) {
	c.checkFormats(0)
	c.checkRank(0, 3, MaxTensorDims)
	if size := argument[int](c, 2); size != 3 && size != 5 && size != 7 {
		c.wrong(2, ErrorInvalidValue, "is %d; it must be 3, 5 or 7", size)
	}
	for i := 3; i < c.last(); i++ {
		c.checkReal(i, false)
	}
	c.like(c.operands[0].dims...)
}

// lowerNormalization computes in float32. The sum is divided by the number of elements in the region, zeros outside the input included: the
// size across maps, and its square in the same map.
func lowerNormalization(l *lowering) *graph.Value {
	f, size, bias := l.out().format, argument[int](l.call, 2), float32(1)
	if l.last() > 5 {
		bias = argument[float32](l.call, 5)
	}
	rank := len(f.dims)
	window := slices.Repeat([]int{1}, rank)
	if argument[Normalization](l.call, 1) == NormalizationAcrossMaps {
		window[rank-3] = size
	} else {
		window[rank-2], window[rank-1] = size, size
	}
	return l.fromReal(l.Node("local_response_normalization", emit.Attr("size", window, "alpha", float64(argument[float32](l.call, 3)),
		"beta", float64(argument[float32](l.call, 4)), "bias", float64(bias)), l.toReal(l.values[0], f)), f)
}

func inferSoftmax(c *call) {
	c.checkFormats(0)
	c.checkRank(0, 1, 4)
	c.like(c.operands[0].dims...)
}

// lowerSoftmax computes in float32. The operator subtracts the greatest element, so that nothing overflows.
func lowerSoftmax(l *lowering) *graph.Value {
	f := l.out().format
	axis := len(f.dims) - 1 // the first dimension, of one or two
	if len(f.dims) > 2 {
		axis -= 2
	}
	return l.fromReal(l.Node("softmax", emit.Attr("axes", []int{axis}), l.toReal(l.values[0], f)), f)
}

// completeBroadcast completes the result of an operator with two tensors, of which extents of 1 fit any other.
func (c *call) completeBroadcast() {
	c.checkFormats(0, 1)
	x, y := c.operands[0].dims, c.operands[1].dims
	dims := slices.Clone(x)
	if len(x) != len(y) {
		c.wrong(1, ErrorInvalidDimension, "has %d dimensions, %v; there must be %d, as many as input1 has", len(y), y, len(x))
	}
	for axis := range dims {
		if dims[axis] == 1 {
			dims[axis] = y[axis]
		} else if y[axis] != 1 && y[axis] != dims[axis] {
			c.wrong(1, ErrorInvalidDimension, "has extents %v; with input1 of %v extent %d must be %d or 1", y, x, axis, x[axis])
		}
	}
	c.like(dims...)
}

func lowerAddition(operator string) func(*lowering) *graph.Value {
	return func(l *lowering) *graph.Value {
		return l.Node(operator, emit.Attr("overflow", argument[ConvertPolicy](l.call, 2).overflow()), l.values[0], l.values[1])
	}
}

func inferMultiply(c *call) {
	c.checkReal(2, true)
	c.checkFinite(2)
	c.completeBroadcast()
}

// lowerMultiply is exact: a float32 is an integer times a power of two, so that the scale is a step of rescaling.
func lowerMultiply(l *lowering) *graph.Value {
	f, scale := l.out().format, argument[float32](l.call, 2)
	if f.element().IsFloat() {
		return l.times(scale, l.Node("mul", nil, l.values[0], l.values[1]))
	}
	product := l.Node("mul", nil, l.Cast(l.values[0], tensor.Int32), l.Cast(l.values[1], tensor.Int32))
	multiplier, exponent := dyadic(scale)
	// Beyond these shifts a product, of 54 digits at most, gives the same: nothing, or digits that are all out of range.
	shift := min(max(int(f.fixed)-exponent, -64), 127)
	return l.Node("rescale", emit.Attr("rounding", argument[RoundPolicy](l.call, 4).rounding(),
		"overflow", argument[ConvertPolicy](l.call, 3).overflow(), "dtype", f.element()), product, l.integer(shift), l.integer(multiplier))
}

// dyadic returns x, which is finite and not negative, as an odd integer times a power of two, or as 0.
func dyadic(x float32) (multiplier, exponent int) {
	if x == 0 {
		return 0, 0
	}
	const digits = 24
	fraction, exponent := math.Frexp(float64(x))
	multiplier, exponent = int(math.Ldexp(fraction, digits)), exponent-digits
	for multiplier%2 == 0 {
		multiplier, exponent = multiplier/2, exponent+1
	}
	return multiplier, exponent
}

func inferTableLookup(c *call) {
	table := &c.operands[1]
	c.checkFormat(0, TypeUint8, TypeInt16)
	f := format{dtype: table.dtype, dims: c.operands[0].dims}
	switch table.dtype {
	case TypeUint8:
	case TypeInt16:
		f.fixed = 8
	default:
		c.wrong(1, ErrorInvalidType, "has elements of %v; it must be %v or %v", table.dtype, TypeUint8, TypeInt16)
	}
	c.complete(f)
}

// lowerTableLookup: in a table of 16 bits the entry of 0 stands in the middle (VX_LUT_OFFSET). An index outside the table gives its first
// or last entry; the standard says nothing of it.
func lowerTableLookup(l *lowering) *graph.Value {
	table := &l.operands[1]
	return l.Node("lookup", emit.Attr("offset", tableOffset(table.dtype, table.dims[0])), l.values[0], l.values[1])
}

func inferTranspose(c *call) {
	c.checkFormats(0)
	dims := slices.Clone(c.operands[0].dims)
	for i := 1; i <= 2; i++ {
		if d := argument[int](c, i); d < 0 || d >= len(dims) {
			c.wrong(i, ErrorInvalidValue, "is %d; it must be from 0 to %d, a dimension of %v", d, len(dims)-1, dims)
		}
	}
	a, b := argument[int](c, 1), argument[int](c, 2)
	dims[a], dims[b] = dims[b], dims[a]
	c.like(dims...)
}

func lowerTranspose(l *lowering) *graph.Value {
	last := len(l.out().dims) - 1
	axes := emit.Counting(0, last+1)
	a, b := last-argument[int](l.call, 1), last-argument[int](l.call, 2)
	axes[a], axes[b] = b, a
	return l.Node("transpose", emit.Attr("axes", axes), l.values[0])
}

func inferConvertDepth(c *call) {
	c.checkFormats(0)
	c.checkFinite(2)
	c.checkFinite(3)
	if argument[float32](c, 2) == 0 {
		c.wrong(2, ErrorInvalidValue, "is 0, by which nothing can be divided")
	}
	c.checkFormat(c.last(), TypeUint8, TypeInt8, TypeInt16, TypeFloat32) // also where it is open: nothing else says it
	f := c.out().format
	f.dims = c.operands[0].dims
	c.complete(f)
}

// lowerConvertDepth computes the standard's formula in float32, each operation rounded, and truncates the result.
func lowerConvertDepth(l *lowering) *graph.Value {
	from, to := l.operands[0].format, l.out().format
	policy, norm, offset := argument[ConvertPolicy](l.call, 1), argument[float32](l.call, 2), argument[float32](l.call, 3)
	return l.eachElement(l.values[0], func(x *graph.Value) *graph.Value {
		v := l.Node("div", nil, l.Node("sub", nil, l.toReal(x, from), l.real(offset)), l.real(norm))
		if policy == ConvertPolicySaturate || to.element().IsFloat() {
			return l.fromReal(v, to)
		}
		// The low digits of the truncated number. Those of a float32 beyond ±2^62 are zeros, as those of 2^62.
		v = l.Node("clamp", nil, l.scaled(v, to), l.real(-exp2(62)), l.real(exp2(62)))
		return l.Cast(l.Cast(v, tensor.Int64), to.element())
	})
}

func inferMatrixMultiply(c *call) {
	c.checkFormats(0, 1, 2)
	c.checkRank(0, 2, 2)
	c.checkRank(1, 2, 2)
	p := argument[MatrixMultiplyParams](c, 3)
	a, b := transposedIf(p.TransposeA, c.operands[0].dims), transposedIf(p.TransposeB, c.operands[1].dims)
	if a[0] != b[1] {
		c.wrong(1, ErrorInvalidDimension, "has extents %v, %d rows as it is used; there must be %d, as many as input1, %v, has columns",
			c.operands[1].dims, b[1], a[0], c.operands[0].dims)
	}
	want := []int{b[0], a[1]}
	if c.operands[2].given {
		c.checkDims(2, transposedIf(p.TransposeC, want), "those of the product as they are used")
	}
	c.like(want...)
}

func transposedIf(transposed bool, dims []int) []int {
	if transposed {
		return reversed(dims)
	}
	return dims
}

// lowerMatrixMultiply rounds the exact sum to nearest, as the standard says; halves, of which it says nothing, go up.
func lowerMatrixMultiply(l *lowering) *graph.Value {
	p, a := argument[MatrixMultiplyParams](l.call, 3), l.operands[0].format
	acc := accumulator(a, transposedIf(p.TransposeA, a.dims)[0])
	sum := l.Node("matmul", append(emit.Attr("transposeA", p.TransposeA, "transposeB", p.TransposeB), sums(acc)...), l.values[0], l.values[1])
	if c := l.aligned(l.values[2], a, acc); c != nil {
		if p.TransposeC {
			c = l.Transpose(c, 1, 0)
		}
		sum = l.Node("add", nil, sum, c)
	}
	return l.rounded(sum, "half_up", ConvertPolicySaturate)
}
