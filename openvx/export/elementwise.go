package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// Element-wise operators.

const lookupNote = "in Q7.8 only: a table of all 65536 numbers"

var elementwiseRows = []row{
	direct("relu", "vxActivationLayer RELU", layerTypes, activation(openvx.ActivationRelu)),
	direct("sigmoid", "vxActivationLayer LOGISTIC", op.Singles, activation(openvx.ActivationLogistic)),
	direct("tanh", "vxActivationLayer HYPERBOLIC_TAN", op.Singles, func(c *emission) {
		c.set(c.activate(c.tensor(0), openvx.ActivationHyperbolicTan, 1, 1))
	}),
	direct("softplus", "vxActivationLayer SOFTRELU", op.Singles, activation(openvx.ActivationSoftrelu)),
	direct("abs", "vxActivationLayer ABS", op.Singles|op.TypeSet(tensor.Uint8), activation(openvx.ActivationAbs)),
	direct("sqr", "vxActivationLayer SQUARE", op.Singles, activation(openvx.ActivationSquare)),
	direct("sqrt", "vxActivationLayer SQRT", op.Singles, activation(openvx.ActivationSqrt)),
	decomposed("affine", "vxActivationLayer LINEAR", 2e-6, op.Singles, func(c *emission) {
		c.set(c.line(c.tensor(0), c.Float("alpha"), c.Float("beta")))
	}, "negative numbers: multiply, add"),

	widening(direct("add", "vxTensorAddNode", layerTypes, func(c *emission) { c.set(c.sum("vxTensorAddNode", true)) })),
	direct("sub", "vxTensorSubtractNode", layerTypes, func(c *emission) { c.set(c.sum("vxTensorSubtractNode", false)) }),
	widening(direct("mul", "vxTensorMultiplyNode", layerTypes, mul)),
	decomposed("div", "vxTensorMultiplyNode", 1e-6, op.Singles, div, "by constants only, with their reciprocals"),
	direct("neg", "vxTensorMultiplyNode", op.Singles, func(c *emission) {
		x := c.tensor(0)
		c.set(c.multiply(x, c.number(-1, len(x.Dims)), 1))
	}),
	decomposed("max", "vxTensorSubtractNode, vxActivationLayer RELU, vxTensorAddNode", 1e-6, op.Singles|op.TypeSet(tensor.Uint8), greater,
		"with 0: RELU alone; uint8: without RELU"),
	decomposed("min", "vxTensorSubtractNode, vxActivationLayer RELU", 1e-6, op.Singles|op.TypeSet(tensor.Uint8), lesser, "uint8: without RELU"),
	decomposed("clamp", "vxActivationLayer BRELU", 1e-6, op.Singles|op.TypeSet(tensor.Int16, tensor.Uint8, tensor.Int8), clamp,
		"scalar bounds only; a lower bound other than 0: for floats, subtract it and add it again"),

	decomposed("leaky_relu", "vxActivationLayer RELU, vxTensorMultiplyNode, vxTensorAddNode", 1e-6, op.Singles, func(c *emission) {
		c.set(c.leaky(c.tensor(0), tensor.Scalar(float32(c.Float("alpha")))))
	}),
	decomposed("prelu", "vxActivationLayer RELU, vxTensorMultiplyNode, vxTensorAddNode", 1e-6, op.Singles, func(c *emission) {
		alpha := c.constant(1)
		if alpha == nil {
			kit.Refuse("its factor must be a constant")
		}
		dims := dimsOf(c.outShape())
		c.set(c.leaky(c.expanded(c.as(c.In[0], ranked(c.shape(0), len(dims))), dims), alpha))
	}, "constant factors only"),
	decomposed("hard_sigmoid", "vxActivationLayer LINEAR, BRELU", 1e-6, op.Singles, func(c *emission) {
		c.set(c.activate(c.line(c.tensor(0), c.Float("alpha"), c.Float("beta")), openvx.ActivationBrelu, 1, 0))
	}),
	decomposed("hard_swish", "vxActivationLayer LINEAR, BRELU, vxTensorMultiplyNode", 1e-5, op.Singles, func(c *emission) {
		x := c.tensor(0)
		c.set(c.multiply(x, c.activate(c.line(x, 1, 3), openvx.ActivationBrelu, 6, 0), 1.0/6))
	}),
	bodied("silu"),

	tabled("floor"), tabled("ceil"), tabled("round"), tabled("round_even"), tabled("sign"), tabled("rcp"), tabled("rsqr"), tabled("rsqrt"),
	tabled("exp"), tabled("log"), tabled("log2"), tabled("sin"), tabled("cos"), tabled("tan"), tabled("asin"), tabled("acos"), tabled("atan"),
	tabled("sinh"), tabled("cosh"), tabled("asinh"), tabled("acosh"), tabled("atanh"), tabled("erf"), tabled("elu"), tabled("selu"),
	tabled("gelu"), tabled("softsign"), tabled("pow"),
}

// tabled is a row of a function of one variable that no layer has.
func tabled(name string) row {
	return decomposed(name, "vxTensorTableLookupNode", 0, op.Singles, func(c *emission) { c.set(c.tabulate(0)) }, lookupNote)
}

// activation is the emission of a function that an activation layer has.
func activation(f openvx.Activation) func(*emission) {
	return func(c *emission) { c.set(c.activate(c.tensor(0), f, 0, 0)) }
}

// line returns alpha · x + beta.
func (c *emission) line(x *Tensor, alpha, beta float64) *Tensor {
	switch {
	case alpha == 1:
	case alpha >= 0 && beta >= 0:
		return c.activate(x, openvx.ActivationLinear, alpha, beta)
	default:
		x = c.multiply(x, c.number(alpha, len(x.Dims)), 1)
	}
	return c.add("vxTensorAddNode", x, c.number(beta, len(x.Dims)), c.overflow)
}

// leaky returns x, or alpha · x where that is negative: alpha · x + (1 - alpha) · relu(x).
func (c *emission) leaky(x *Tensor, alpha *tensor.Tensor) *Tensor {
	rest := eval("sub", nil, tensor.Scalar(float32(1)), alpha)
	dims := dimsOf(ints(alpha.Shape()))
	if alpha.Rank() == 0 {
		dims = ones(len(x.Dims))
	}
	y := c.multiply(x, c.weights("alpha", dims, alpha), 1)
	z := c.multiply(c.activate(x, openvx.ActivationRelu, 0, 0), c.weights("rest", dims, rest), 1)
	return c.add("vxTensorAddNode", y, z, c.overflow)
}

// pair returns the two operands in tensors of which the extents of the second, if they are not those of the first, are 1. Where each has
// to be expanded, the first one is by adding it to zeros. commutes says that the operands may change places.
func (c *emission) pair(commutes bool) (x, y *Tensor) {
	a, b := c.In[0], c.In[1]
	shapeA, shapeB, shape := c.shape(0), c.shape(1), c.outShape()
	if commutes && product(shapeA) < product(shapeB) {
		a, b, shapeA, shapeB = b, a, shapeB, shapeA
	}
	switch {
	case len(shapeB) == 0 || product(shapeB) == 1 && product(shapeA) == product(shape): // a number, in any grouping
		x = c.e.tensor(a)
		return c.expanded(x, x.Dims), c.as(b, ones(len(x.Dims)))
	case product(shapeA) == product(shapeB) && product(shapeA) == product(shape):
		x = c.e.tensor(a)
		if c.e.constant(a) != nil { // which any grouping suits
			y = c.e.tensor(b)
			return c.as(a, y.Dims), y
		}
		return x, c.as(b, x.Dims)
	}
	dims := dimsOf(shape)
	y = c.as(b, ranked(shapeB, len(dims)))
	if k := c.e.constant(a); k != nil {
		k = eval("expand", attrs("shape", shape), eval("reshape", attrs("shape", slices.Concat(ones(len(shape)-k.Rank()), ints(k.Shape()))), k))
		return c.weightsOf(slices.Index(c.In, a), dims, k), y
	}
	return c.expanded(c.as(a, ranked(shapeA, len(dims))), dims), y
}

// ranked returns the extents of a shape, which is that of a number or has as many dimensions.
func ranked(shape ints, n int) ints {
	if len(shape) == 0 {
		return ones(n)
	}
	return dimsOf(shape)
}

// expanded repeats a tensor along dimensions in which its extent is 1.
func (c *emission) expanded(x *Tensor, dims ints) *Tensor {
	if product(x.Dims) == product(dims) {
		return x
	}
	return c.add("vxTensorAddNode", c.zeros(x.Format, dims), x, openvx.ConvertPolicySaturate)
}

// sum adds or subtracts the operands.
func (c *emission) sum(function string, commutes bool) *Tensor {
	x, y := c.pair(commutes)
	return c.add(function, x, y, c.overflow)
}

func mul(c *emission) {
	x, y := c.pair(true)
	scale := 1.0
	if c.isFloat() && c.constant(0) == nil && c.constant(1) != nil && c.constant(1).Len() == 1 {
		f := number(c.constant(1))
		if f == 1 {
			c.set(x)
			return
		}
		// A factor that is no number of the format is a scale, which is a float32.
		if f > 0 && float64(float32(f)) == f && f*256 != math.Trunc(f*256) {
			c.set(c.multiply(x, c.number(1, len(x.Dims)), f))
			return
		}
	}
	if !c.isFloat() { // products of the raw numbers
		scale = float64(int(1) << c.format().Fixed)
	}
	c.set(c.multiply(x, y, scale))
}

// number returns the element of a tensor of float32 or integers that has one.
func number(t *tensor.Tensor) float64 {
	return tensor.Data[float64](kit.Must(tensor.Cast(t, tensor.Float64)))[0]
}

func div(c *emission) {
	k := c.constant(1)
	if k == nil {
		kit.Refuse("OpenVX does not divide by tensors; by constants it can be said")
	}
	reciprocal := &graph.Value{Name: c.name + "_reciprocal", Type: graph.Type{DType: k.DType(), Shape: k.Shape()}, Const: eval("rcp", nil, k)}
	c.Node = kit.NodeOf(&graph.Node{Op: "mul", In: []*graph.Value{c.In[0], reciprocal}, Out: c.Out, Label: c.Label})
	mul(c)
}

// excess returns x - y, or 0 where that is negative, and both operands.
func (c *emission) excess() (x, y, above *Tensor) {
	x, y = c.pair(true)
	above = c.add("vxTensorSubtractNode", x, y, openvx.ConvertPolicySaturate)
	if c.format() != Uint8 { // which saturates at 0
		above = c.activate(above, openvx.ActivationRelu, 0, 0)
	}
	return x, y, above
}

func greater(c *emission) {
	for i := range 2 {
		if k := c.constant(i); k != nil && k.Len() == 1 && number(k) == 0 && product(c.shape(1-i)) == product(c.outShape()) {
			c.exact = true
			c.set(c.activate(c.tensor(1-i), openvx.ActivationRelu, 0, 0))
			return
		}
	}
	_, y, above := c.excess()
	c.set(c.add("vxTensorAddNode", above, y, openvx.ConvertPolicySaturate))
}

func lesser(c *emission) {
	x, _, above := c.excess()
	c.set(c.add("vxTensorSubtractNode", x, above, openvx.ConvertPolicySaturate))
}

// clamp: a bound of a raw number is the number that it stands for.
func clamp(c *emission) {
	bound := func(i int, absent float64) float64 {
		if c.Operand(i) == nil {
			return absent
		}
		k := c.constant(i)
		if k == nil || k.Len() != 1 {
			kit.Refuse("its bounds must be single numbers that are constants")
		}
		return number(k)
	}
	low, high := bound(1, math.Inf(-1)), bound(2, math.Inf(1))
	x, f := c.tensor(0), c.format()
	unit := 1.0
	if !c.isFloat() {
		unit = float64(int(1) << f.Fixed)
	}
	switch {
	case c.In[0].Type.DType == tensor.Uint8 && low < 0:
		low = 0
	case low > high:
		kit.Refuse("its lower bound %g is above the upper one %g", low, high)
	case math.IsNaN(low), math.IsNaN(high), math.IsInf(low, 1), math.IsInf(high, -1):
		kit.Refuse("its bounds are %g and %g; a layer bounds by finite numbers", low, high)
	}
	unbounded := math.IsInf(low, -1) && math.IsInf(high, 1)
	c.exact = low == 0 || unbounded
	switch {
	case unbounded:
		c.set(x)
	case low == 0:
		c.set(c.between(x, high/unit))
	case !c.isFloat():
		kit.Refuse("its lower bound is %g; of integers only 0 can be one", low)
	case math.IsInf(low, -1):
		x = c.line(x, -1, high) // high - x, of which the negative part goes
		c.set(c.line(c.activate(x, openvx.ActivationRelu, 0, 0), -1, high))
	default:
		c.set(c.line(c.between(c.line(x, 1, -low), high-low), 1, low))
	}
}

// between bounds elements by 0 and a number, which may be infinite.
func (c *emission) between(x *Tensor, high float64) *Tensor {
	if math.IsInf(high, 1) {
		return c.activate(x, openvx.ActivationRelu, 0, 0)
	}
	return c.activate(x, openvx.ActivationBrelu, min(high, math.MaxFloat32), 0)
}

// tabulate looks elements up in a table of all numbers of Q7.8, to which the node has been applied with its operand i in their place.
func (c *emission) tabulate(i int) *Tensor {
	if c.format() != Q78 {
		kit.Refuse("no layer computes it; only in Q7.8 there is a table that does")
	}
	numbers := kit.Must(Q78.Decode(every(tensor.Int16), tensor.Float32))
	in := make([]*tensor.Tensor, len(c.In))
	for k := range in {
		if k == i {
			in[k] = numbers
		} else if in[k] = c.constant(k); in[k] == nil || in[k].Len() != 1 {
			kit.Refuse("its other operands must be single numbers that are constants")
		} else {
			in[k] = eval("reshape", attrs("shape", ints{}), in[k])
		}
	}
	return c.find(i, eval(c.Op, c.Attrs, in...))
}

// find looks the elements of operand i up in a table.
func (c *emission) find(i int, table *tensor.Tensor) *Tensor {
	x := c.tensor(i)
	return c.make(x.Dims, "vxTensorTableLookupNode", x, c.table(table))
}

// every returns all numbers of an integer type of 8 or 16 bits, from the least on.
func every(d tensor.DType) *tensor.Tensor {
	least, greatest := d.IntRange()
	var all []int32
	for n := int32(least); n <= int32(greatest); n++ {
		all = append(all, n)
	}
	return eval("cast", attrs("dtype", d), kit.Must(tensor.FromSlice(all, len(all))))
}

// table adds a table for 16 bits of which the entry in the middle is that of 0, or for uint8.
func (c *emission) table(t *tensor.Tensor) *LUT {
	f := c.format()
	table := &LUT{Name: c.e.name(c.name + "_table"), Type: f.Type, Count: t.Len(), Data: tensor.AppendRaw(nil, f.converted(t))}
	c.e.net.LUTs = append(c.e.net.LUTs, table)
	return table
}
