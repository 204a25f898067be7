package cvm

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// lowerConv sums in 32 bits whatever the operands' types, and so does lowerDense: the result holds the sum.
func lowerConv(a *application) *graph.Value {
	w := a.Window()
	return a.Node("conv", emit.Attr("padding", padding(w.Before, w.After), "stride", w.Stride[:],
		"dilation", w.Dilation[:], "groups", w.Groups), a.biased()...)
}

func lowerDense(a *application) *graph.Value { return a.Node("linear", nil, a.biased()...) }

// biased returns the operands of conv or linear: the bias is added to the sums in their type.
func (a *application) biased() []*graph.Value {
	if len(a.in) < 3 {
		return a.in
	}
	return []*graph.Value{a.in[0], a.in[1], a.Cast(a.in[2], tensor.Int32)}
}

// padding interleaves what lies before and after the dimensions.
func padding(before, after [2]int) []int { return []int{before[0], after[0], before[1], after[1]} }

// lowerMaxPool lets padding never win. Every window has an element of the data: it is larger than the padding.
func lowerMaxPool(a *application) *graph.Value {
	w := a.Window()
	return a.Node("max_pool", emit.Attr("size", []int{1, 1, w.Size[0], w.Size[1]}, "border", "ignore",
		"padding", append([]int{0, 0, 0, 0}, padding(w.Before, w.After)...), "stride", []int{1, 1, w.Stride[0], w.Stride[1]}), a.in[0])
}

// lowerUpsampling takes element o/scale: the nearest one where the scale is a whole number.
func lowerUpsampling(a *application) *graph.Value {
	return a.Node("resample", emit.Attr("sizes", []int(a.Out[0])), a.in[0])
}

// lowerSum adds in the type of the result, which holds the sum.
func lowerSum(a *application) *graph.Value {
	return a.reduced("sum_reduce", a.Cast(a.in[0], widest(a.want[0], a.in[0].Type.DType)))
}

// lowerMax takes the true maximum over all elements, too.
func lowerMax(a *application) *graph.Value { return a.reduced("max_reduce", a.in[0]) }

func (a *application) reduced(operator string, x *graph.Value) *graph.Value {
	axes, keep := a.ReduceAxes()
	if len(axes) == 0 {
		return x
	}
	y := a.Node(operator, emit.Attr("axes", axes), x)
	if keep {
		return y
	}
	return a.Reshape(y, a.Out[0]...)
}
