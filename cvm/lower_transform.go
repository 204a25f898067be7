package cvm

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// lowerRepeat tiles a new dimension behind the axis and joins the two.
func lowerRepeat(a *application) *graph.Value {
	axis, _ := a.Axis()
	reps := slices.Repeat([]int{1}, len(a.Out[0])+1)
	reps[axis+1] = a.Attrs.Int("repeats")
	return a.Reshape(a.Node("tile", emit.Attr("repeats", reps), a.Unsqueeze(a.in[0], axis+1)), a.Out[0]...)
}

func lowerTile(a *application) *graph.Value {
	shape, reps := a.Tiling()
	return a.Node("tile", emit.Attr("repeats", reps), a.Reshape(a.in[0], shape...))
}

func lowerConcatenate(a *application) *graph.Value {
	axis, _ := a.Axis()
	return a.Node("concat", emit.Attr("axis", axis), a.all(a.want[0])...)
}

func lowerTranspose(a *application) *graph.Value {
	return a.Node("transpose", emit.Attr("axes", a.Permutation()), a.in[0])
}

// lowerReshape is for all operators that only give elements a new shape.
func lowerReshape(a *application) *graph.Value { return a.Reshape(a.in[0], a.Out[0]...) }

func lowerExpandDims(a *application) *graph.Value {
	axis, _ := a.Axis()
	return a.Unsqueeze(a.in[0], emit.Counting(axis, len(a.Out[0])-len(a.In[0].Shape))...)
}

func lowerStridedSlice(a *application) *graph.Value {
	begin, end, stride := a.SliceRange()
	for i, n := range a.In[0].Shape {
		if end[i] < 0 {
			end[i] -= n // slice counts from the end: this one is below index 0
		}
	}
	return a.Node("slice", emit.Attr("axes", emit.Counting(0, len(begin)), "begin", begin, "end", end, "stride", stride), a.in[0])
}

// lowerSliceLike cuts data to the first elements along each axis. Of the other operand only the shape counts.
func lowerSliceLike(a *application) *graph.Value { return a.first(a.in[0], a.Out[0]...) }

// first takes the first elements along each axis, as many as the shape says.
func (l *lowering) first(v *graph.Value, shape ...int) *graph.Value {
	if v.Type.Shape.Equal(shape) {
		return v
	}
	return l.Node("slice", emit.Attr("axes", emit.Counting(0, len(shape)), "begin", make([]int, len(shape)), "end", shape), v)
}

func lowerTake(a *application) *graph.Value {
	axis, ok := a.Axis()
	if !ok {
		return a.Node("lookup", nil, a.in[1], a.in[0])
	}
	return a.Node("gather", emit.Attr("axis", axis), a.in[0], a.in[1])
}

func lowerLookup(a *application) *graph.Value { return a.Node("lookup", nil, a.in[0], a.in[1]) }

// lowerWhere selects elements, or rows if the condition is 1-D.
func lowerWhere(a *application) *graph.Value {
	d := widest(a.in[1].Type.DType, a.in[2].Type.DType)
	holds := a.Reshape(a.Cast(a.in[0], tensor.Bool), a.Aligned(0)...)
	return a.Node("select", nil, holds, a.Cast(a.in[1], d), a.Cast(a.in[2], d))
}
