package cvm

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// lowerRepeat tiles a new dimension behind the axis and joins the two.
func lowerRepeat(a *application) *graph.Value {
	axis, _ := a.Axis()
	reps := make([]int, len(a.Out[0])+1)
	for i := range reps {
		reps[i] = 1
	}
	reps[axis+1] = a.Attrs.Int("repeats")
	x := a.node("unsqueeze", attr("axes", []int{axis + 1}), a.in[0])
	return a.reshape(a.node("tile", attr("repeats", reps), x), a.Out[0]...)
}

func lowerTile(a *application) *graph.Value {
	shape, reps := a.Tiling()
	return a.node("tile", attr("repeats", reps), a.reshape(a.in[0], shape...))
}

func lowerConcatenate(a *application) *graph.Value {
	axis, _ := a.Axis()
	return a.node("concat", attr("axis", axis), a.all(a.want[0])...)
}

func lowerTranspose(a *application) *graph.Value {
	return a.node("transpose", attr("axes", a.Permutation()), a.in[0])
}

// lowerReshape is for all operators that only give elements a new shape.
func lowerReshape(a *application) *graph.Value { return a.reshape(a.in[0], a.Out[0]...) }

func lowerExpandDims(a *application) *graph.Value {
	axis, _ := a.Axis()
	return a.node("unsqueeze", attr("axes", counting(axis, len(a.Out[0])-len(a.In[0].Shape))), a.in[0])
}

// counting returns the n numbers from first on.
func counting(first, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = first + i
	}
	return out
}

func lowerStridedSlice(a *application) *graph.Value {
	begin, end, stride := a.SliceRange()
	for i, n := range a.In[0].Shape {
		if end[i] < 0 {
			end[i] -= n // slice counts from the end: this one is below index 0
		}
	}
	return a.node("slice", attr("axes", counting(0, len(begin)), "begin", begin, "end", end, "stride", stride), a.in[0])
}

// lowerSliceLike cuts data to the first elements along each axis. Of the other operand only the shape counts.
func lowerSliceLike(a *application) *graph.Value { return a.first(a.in[0], a.Out[0]...) }

// first takes the first elements along each axis, as many as the shape says.
func (l *lowering) first(v *graph.Value, shape ...int) *graph.Value {
	if l.err != nil || shapeOf(v).Equal(shape) {
		return v
	}
	return l.node("slice", attr("axes", counting(0, len(shape)), "begin", make([]int, len(shape)), "end", shape), v)
}

func lowerTake(a *application) *graph.Value {
	axis, ok := a.Axis()
	if !ok {
		return a.node("lookup", nil, a.in[1], a.in[0])
	}
	return a.node("gather", attr("axis", axis), a.in[0], a.in[1])
}

func lowerLookup(a *application) *graph.Value { return a.node("lookup", nil, a.in[0], a.in[1]) }

// lowerWhere selects elements, or rows if the condition is 1-D.
func lowerWhere(a *application) *graph.Value {
	d := widest(a.in[1].Type.DType, a.in[2].Type.DType)
	holds := a.reshape(a.cast(a.in[0], tensor.Bool), a.Aligned(0)...)
	return a.node("select", nil, holds, a.cast(a.in[1], d), a.cast(a.in[2], d))
}
