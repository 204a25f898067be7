package operators

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Operators on two tensors whose shapes are aligned on the right.
var broadcastOperators = []*Operator{
	{Name: "broadcast_add", Shape: broadcastShape, Precision: oneMore, Lower: pairwise("add")},
	{Name: "broadcast_sub", Shape: broadcastShape, Precision: oneMore, Lower: pairwise("sub")},
	{Name: "broadcast_mul", Shape: broadcastShape, Precision: Precision{"the sum of the inputs'", func(c *Call, _ int) int {
		return c.In[0].Precision + c.In[1].Precision
	}}, Lower: pairwise("mul")},
	{Name: "broadcast_div", Shape: broadcastShape, Precision: firstOf, Lower: pairwise("div")},
	{Name: "broadcast_max", Shape: broadcastShape, Precision: greatest, Lower: pairwise("max")},
	{Name: "broadcast_greater", Shape: broadcastShape, Precision: firstOf, Lower: pairwise("gt"), Fillers: []int{0}},
}

// Operators element by element.
var elemwiseOperators = []*Operator{
	{Name: "abs", Shape: sameShape, Precision: same, Lower: unary("abs")},
	{Name: "cvm_precision", Shape: sameShape, Precision: Precision{"6", func(*Call, int) int { return 6 }}, Lower: unary("bit_length")},
	{Name: "elemwise_add", Shape: equalShapes, Precision: oneMore, Lower: pairwise("add")},
	{Name: "elemwise_sub", Shape: equalShapes, Precision: oneMore, Lower: pairwise("sub")},
	{Name: "negative", Shape: sameShape, Precision: same, Lower: unary("neg")}, // not in place: the original means to allow it, but misspells the name
	{Name: "clip", Shape: sameShape, Precision: clipPrecision, Lower: one(func(a *Application) *graph.Value {
		// It bounds by two numbers, which the result's type holds.
		x := a.common()[0]
		d := x.Type.DType
		return a.Node("clamp", nil, x, a.number(a.Attrs.Int("a_min"), d), a.number(a.Attrs.Int("a_max"), d))
	})},
	{Name: "cvm_clip", Clips: true, Shape: sameShape, Precision: givenPrecision, Lower: one(func(a *Application) *graph.Value {
		return a.clipped(a.Args[0])
	})},
	{Name: "cvm_right_shift", Clips: true, Shape: sameShape, Precision: shiftPrecision, Lower: one(func(a *Application) *graph.Value {
		// It rounds halves up. It is computed exactly and then bounded, first by the result's type and then by the precision.
		attrs := emit.Attr("rounding", "half_up", "overflow", "saturate", "dtype", a.Want[0])
		return a.clipped(a.Node("rescale", attrs, a.Args[0], a.number(a.Attrs.Int("shift_bit"), tensor.Int64)))
	})},
	{Name: "cvm_left_shift", Clips: true, Shape: sameShape, Precision: leftShiftPrecision, Lower: one(func(a *Application) *graph.Value {
		// It cannot leave 32 bits where operands keep to their precision. Where they do not, it is exact as the text says, and
		// wraps in compatible mode before it is bounded.
		shift, d, overflow := a.Attrs.Int("shift_bit"), a.Want[0], "saturate"
		if a.Compat && a.ArgBits[0]+shift > MaxPrecision {
			d, overflow = tensor.Int32, "wrap"
		}
		return a.clipped(a.Node("rescale", emit.Attr("overflow", overflow, "dtype", d), a.Args[0], a.number(-shift, tensor.Int64)))
	})},
}

func broadcastShape(c *Call) []tensor.Shape {
	n := max(c.In[0].Shape.Rank(), c.In[1].Shape.Rank())
	out, rhs := leadingOnes(c.In[0].Shape, n), leadingOnes(c.In[1].Shape, n)
	for i, r := range rhs {
		switch {
		case out[i] == 1:
			out[i] = r
		case r != 1 && r != out[i]:
			refuse(c.operand(1), "extents that are equal or 1, from the right", "the shapes %v and %v do not broadcast", c.In[0].Shape, c.In[1].Shape)
		}
	}
	return []tensor.Shape{out}
}

func equalShapes(c *Call) []tensor.Shape {
	a, b := c.In[0].Shape, c.In[1].Shape
	if !a.Equal(b) {
		refuse(c.operand(1), a.String(), "the shape is %v", b)
	}
	return []tensor.Shape{a}
}

var clipPrecision = Precision{"the bits of (the greater absolute bound + 1), + 1", func(c *Call, _ int) int {
	high := within(fault.Precision, "a_max", c.Attrs.Int("a_max"), -math.MaxInt32, math.MaxInt32)
	low := within(fault.Precision, "a_min", c.Attrs.Int("a_min"), -math.MaxInt32, math.MaxInt32)
	if low >= high {
		refuseAt(fault.Precision, "a_min", fmt.Sprintf("less than a_max, %d", high), "the value is %d", low)
	}
	return numberPrecision(max(low, -low, high, -high))
}}

// numberPrecision returns the precision that the original gives to numbers whose absolute value is at most n. It is one more than
// needed if n + 1 is a power of two.
func numberPrecision(n int) int { return bits.Len(uint(n)+1) + 1 }

var shiftPrecision = Precision{givenPrecision.Text, func(c *Call, _ int) int {
	p := c.given()
	within(fault.Precision, "shift_bit", c.Attrs.Int("shift_bit"), 1, 32)
	return p
}}

var leftShiftPrecision = Precision{givenPrecision.Text + "; that of the input + `shift_bit` must be at most 32", func(c *Call, _ int) int {
	p, of := shiftPrecision.of(c, 0), c.In[0].Precision
	if shifted := of + c.Attrs.Int("shift_bit"); shifted > MaxPrecision {
		panic(fault.Runtimef(fault.Precision, "the shifted input has the precision %d", shifted).
			With("shift_bit", fmt.Sprintf("at most %d for an input of precision %d", MaxPrecision-of, of)))
	}
	return p
}}

// unary returns the lowering to an operator on one operand.
func unary(name string) func(*Application) []*graph.Value {
	return one(func(a *Application) *graph.Value { return a.Node(name, nil, a.Args[0]) })
}

// pairwise returns the lowering to an operator on two operands, whose shapes are aligned on the right. It is computed in a type that holds
// both operands and the result: a divisor may be wider than the quotient.
func pairwise(name string) func(*Application) []*graph.Value {
	return one(func(a *Application) *graph.Value {
		in := a.common()
		for i, v := range in {
			in[i] = a.Reshape(v, leadingOnes(a.In[i].Shape, a.Out[0].Rank())...)
		}
		return a.Node(name, nil, in...)
	})
}

// clipped bounds by the attribute precision.
func (a *Application) clipped(v *graph.Value) *graph.Value {
	return a.Node("clamp_precision", emit.Attr("precision", a.Attrs.Int("precision")), v)
}
