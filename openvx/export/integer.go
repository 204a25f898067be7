package export

import (
	"bytes"
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// Steps of integer networks. What layers compute with 8 bits, or with 16 as Q7.8, is in a graph a sum or product of wider integers and a
// rescale to the type of the elements.

const convertNote = "of 8 and 16 bits: vxTensorConvertDepthNode, or vxTensorMultiplyNode with 1 where halves go to the even number; factor and shift constant, one for all elements"

var integerRows = []row{
	{kit.Row{Op: "rescale", Form: kit.Direct, To: "the layer whose sum it rounds", Note: "sums of products that no type is too narrow for, with shift 8 to " +
		"int16 rounded toward zero or halves to even, and with shift 0 to 8 bits; products: vxTensorMultiplyNode; " + convertNote}, op.Integers, rescale, true},
	direct("lookup", "vxTensorTableLookupNode", op.TypeSet(tensor.Uint8, tensor.Int16), lookup,
		"a constant table; uint8 by indices of uint8, int16 by such and those of int16"),
}

// roundPolicies are those of layers by the names that rescale has for them.
var roundPolicies = map[string]openvx.RoundPolicy{"to_zero": openvx.RoundPolicyToZero, "half_even": openvx.RoundPolicyToNearestEven}

// rescale is the end of what layers do, and by itself a conversion.
func rescale(c *emission) {
	x := c.e.source(c.In[0])
	if c.e.waiting[x] == nil {
		convert(c)
		return
	}
	if n := x.Producer; n.Op == "mul" {
		c.scaled(n)
	} else {
		c.layer(n)
	}
}

// scaled rounds a product of two tensors.
func (c *emission) scaled(n *graph.Node) {
	f := c.format()
	shift, multiplier := c.factors()
	c.Node.Node = &graph.Node{Op: n.Op, In: slices.Clone(n.In), Out: n.Out, Attrs: c.Attrs, Label: c.Label}
	for i, v := range c.In {
		if c.In[i] = c.narrow(v); c.In[i].Type.DType != c.out.Type.DType {
			kit.Refuse("it rounds products of %v to %v; a layer keeps the type", c.In[i].Type.DType, c.out.Type.DType)
		}
	}
	scale := c.scale(shift, multiplier, int(f.Fixed))
	c.round(scale != 1 || f.Fixed > 0)
	x, y := c.pair(true)
	c.set(c.multiply(x, y, scale))
}

// factors returns the shift and the multiplier of a rescale, which must be constants with one element.
func (c *emission) factors() (shift, multiplier int) {
	one := func(i int, name string) int {
		if c.Operand(i) == nil {
			return 1
		}
		t := c.constant(i)
		if t == nil || t.Len() != 1 {
			kit.Refuse("its %s is no constant with one element; a layer has one for all elements", name)
		}
		x := tensor.Data[int64](eval("cast", attrs("dtype", tensor.Int64), t))[0]
		if int64(int(x)) != x {
			kit.Refuse("its %s %d is too large", name, x)
		}
		return int(x)
	}
	return min(max(one(1, "shift"), -64), 127), one(2, "multiplier")
}

// scale returns multiplier / 2^shift of a rescale times 2^fixed, as a layer takes it.
func (c *emission) scale(shift, multiplier, fixed int) float64 {
	scale := math.Ldexp(float64(multiplier), fixed-shift)
	if scale < 0 || float64(float32(scale)) != scale {
		kit.Refuse("its factor %g is no positive float32", scale)
	}
	return scale
}

// round takes over the rounding of a rescale, where there is a fraction to round.
func (c *emission) round(fraction bool) {
	policy, ok := roundPolicies[c.Str("rounding")]
	if !ok && fraction {
		kit.Refuse("its rounding is %s; layers round to_zero or half_even", c.Str("rounding"))
	}
	c.rounding = policy
	if !ok {
		c.rounding = openvx.RoundPolicyToZero
	}
}

// narrow follows casts back to elements that a tensor can have, as long as these keep the numbers.
func (c *emission) narrow(v *graph.Value) *graph.Value {
	for v.Producer != nil && v.Producer.Op == "cast" && c.e.constant(v) == nil && keeps(v.Producer.In[0].Type.DType, v.Type.DType) {
		v = v.Producer.In[0]
	}
	return v
}

// keeps reports whether each number of an integer type is one of another, wider type.
func keeps(from, to tensor.DType) bool {
	return from.IsInteger() && to.IsInteger() && from.Bits() < to.Bits() && (op.Signed.Has(to) || op.Unsigned.Has(from))
}

// layer emits the layer whose sums of products are rounded. n is that, or adds something constant to it.
func (c *emission) layer(n *graph.Node) {
	sum := *c
	if n.Op == "add" {
		for i := range 2 {
			if k := c.e.constant(n.In[i]); k != nil && c.e.waiting[c.e.source(n.In[1-i])] != nil {
				n = c.e.source(n.In[1-i]).Producer
				sum.addend = k
				sum.checkAddend(n)
				break
			}
		}
	}
	if d, ok := op.Lookup(n.Op); !ok || !d.SumsProducts() {
		kit.Refuse("it rounds %s; layers round sums and products as soon as these are made", n.Op)
	}
	if op.HasZeroPoints(n) {
		kit.Refuse("its factors have zero points, which a layer has not")
	}
	f := c.format()
	for _, v := range n.In[:2] {
		if v.Type.DType != c.out.Type.DType {
			kit.Refuse("it rounds sums of products of %v and %v to %v; a layer has one type", n.In[0].Type.DType, n.In[1].Type.DType, c.out.Type.DType)
		}
	}
	if shift, multiplier := c.factors(); multiplier != 1 || shift != int(f.Fixed) {
		kit.Refuse("it multiplies by %d and shifts by %d; with elements of %v a layer shifts by %d", multiplier, shift, c.out.Type.DType, f.Fixed)
	}
	sum.round(f.Fixed > 0)
	if sum.Node = kit.NodeOf(n); sum.addend == nil {
		sum.addend = c.e.constant(sum.Operand(2))
	} else if sum.Has(2) {
		kit.Refuse("two biases are added to the products, of which a layer has one")
	}
	sum.check(f)
	sum.name = c.name
	c.e.rows.Of(n.Op).emit(&sum)
}

// check makes sure that the sums stay in their type, and brings the bias into the format of the elements, of which it must be a number.
func (c *emission) check(f Format) {
	greatest := greatestSum(c.filter(), float64(int(1)<<(f.elements().Bits()-1)))
	if f == Uint8 {
		greatest *= 2
	}
	if b := c.addend; b != nil {
		narrow := eval("rescale", attrs("overflow", "saturate", "dtype", f.elements()), b, tensor.Scalar(f.Fixed))
		back := eval("rescale", attrs("dtype", b.DType()), narrow, tensor.Scalar(-f.Fixed))
		if !bytes.Equal(back.Bytes(), b.Bytes()) {
			kit.Refuse("its bias has elements that are no multiples of %d or beyond the range of %v, as which a layer takes them", 1<<f.Fixed, f.elements())
		}
		c.addend = narrow
		greatest += math.Ldexp(float64(int(1)<<f.elements().Bits()), int(f.Fixed))
	}
	if c.Out[0].Type.DType == tensor.Int32 && greatest > math.MaxInt32 {
		kit.Refuse("the sums of its products may leave the range of %v; a layer computes them exactly", c.Out[0].Type.DType)
	}
}

// convert converts elements of 8 or 16 bits, as cast and rescale do.
func convert(c *emission) {
	from, ok := c.e.formatOf(c.In[0].Type.DType)
	if !ok {
		kit.Refuse("layers do not compute with elements of type %v", c.In[0].Type.DType)
	}
	to, shift, multiplier, rounds := c.format(), 0, 1, false
	if c.Op == "rescale" {
		shift, multiplier = c.factors()
		rounds = shift > 0 && c.Str("rounding") != "to_zero"
	} else {
		c.overflow = openvx.ConvertPolicyWrap
	}
	x := c.tensor(0)
	switch {
	case multiplier == 1 && !rounds:
		norm := math.Ldexp(1, shift+int(to.Fixed)-int(from.Fixed))
		c.set(c.make(x.Dims, "vxTensorConvertDepthNode", x, c.overflow, Real(norm), Real(0)))
	case from == to:
		c.round(shift > 0)
		c.set(c.multiply(x, c.weights("one", ones(len(x.Dims)), to.raw(1<<to.Fixed)), c.scale(shift, multiplier, 0)))
	default:
		kit.Refuse("it multiplies by %d and rounds %s; between types there is only a shift, rounded to_zero", multiplier, c.Str("rounding"))
	}
}

// lookup: a table of 16 bits has that of 0 in the middle, one of uint8 in front. Of indices outside a table
// OpenVX says nothing, so that it is made complete, with the first or last entry for those.
func lookup(c *emission) {
	t, from, to := c.constant(1), c.In[0].Type.DType, c.out.Type.DType
	if t == nil {
		kit.Refuse("its table must be a constant")
	}
	if from != tensor.Uint8 && from != tensor.Int16 || from == tensor.Int16 && to == tensor.Uint8 {
		kit.Refuse("it finds %v by indices of %v; a layer finds uint8 by uint8, and int16 by both", to, from)
	}
	c.set(c.find(0, eval("lookup", attrs("offset", c.Int("offset")), every(to), t)))
}
