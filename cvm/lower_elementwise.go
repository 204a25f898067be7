package cvm

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// unary returns the lowering to an operator on one operand.
func unary(name string) func(*application) *graph.Value {
	return func(a *application) *graph.Value { return a.Node(name, nil, a.in[0]) }
}

// pairwise returns the lowering to an operator on two operands, whose shapes are aligned on the right. It is computed in a type that holds
// both operands and the result: a divisor may be wider than the quotient.
func pairwise(name string) func(*application) *graph.Value {
	return func(a *application) *graph.Value {
		in := a.common()
		for i, v := range in {
			in[i] = a.Reshape(v, a.Aligned(i)...)
		}
		return a.Node(name, nil, in...)
	}
}

// lowerClip bounds by two numbers, which the result's type holds.
func lowerClip(a *application) *graph.Value {
	x := a.common()[0]
	d := x.Type.DType
	return a.Node("clamp", nil, x, a.number(a.Attrs.Int("a_min"), d), a.number(a.Attrs.Int("a_max"), d))
}

func lowerPrecisionClip(a *application) *graph.Value {
	return a.Node("clamp_precision", emit.Attr("precision", a.Attrs.Int("precision")), a.in[0])
}

// lowerRightShift rounds halves up. It is computed exactly and then bounded, first by the result's type and then by the precision.
func lowerRightShift(a *application) *graph.Value {
	y := a.Node("rescale", emit.Attr("rounding", "half_up", "overflow", "saturate", "dtype", a.want[0]), a.in[0], a.number(a.Attrs.Int("shift_bit"), tensor.Int64))
	return a.Node("clamp_precision", emit.Attr("precision", a.Attrs.Int("precision")), y)
}

// lowerLeftShift cannot leave 32 bits where operands keep to their precision. Where they do not, it is exact as the text says, and
// wraps in compatible mode before it is bounded.
func lowerLeftShift(a *application) *graph.Value {
	shift, d, overflow := a.Attrs.Int("shift_bit"), a.want[0], "saturate"
	if a.n.compat && a.bits[0]+shift > operators.MaxPrecision {
		d, overflow = tensor.Int32, "wrap"
	}
	y := a.Node("rescale", emit.Attr("overflow", overflow, "dtype", d), a.in[0], a.number(-shift, tensor.Int64))
	return a.Node("clamp_precision", emit.Attr("precision", a.Attrs.Int("precision")), y)
}
