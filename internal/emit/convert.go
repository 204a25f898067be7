package emit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Conversions, none of which adds a node that would change nothing.

// Cast converts a value to another element type.
func (e *Emitter) Cast(v *graph.Value, d tensor.DType) *graph.Value {
	if v == nil || v.Type.DType == d {
		return v
	}
	return e.Node("cast", Attr("dtype", d), v)
}

// Reshape gives a value another shape of as many elements, in which 0 is an extent of 0.
func (e *Emitter) Reshape(v *graph.Value, shape ...int) *graph.Value {
	switch {
	case v == nil || v.Type.Shape.Equal(shape):
		return v
	case v.Type.Shape.Len() == 0 && tensor.Shape(shape).Len() == 0: // to the operator 0 would mean something else
		return e.Empty(v, shape...)
	}
	return e.Node("reshape", Attr("shape", shape), v)
}

// Empty adds a tensor without elements in place of a value, which is used if it has the shape.
func (e *Emitter) Empty(like *graph.Value, shape ...int) *graph.Value {
	if like.Type.Shape.Equal(shape) || e.Err != nil {
		return like
	}
	t, err := tensor.New(like.Type.DType, shape)
	e.Fail(err)
	return e.Constant(t)
}

// Transpose permutes dimensions: dimension i of the result is dimension axes[i] of the value.
func (e *Emitter) Transpose(v *graph.Value, axes ...int) *graph.Value {
	if v == nil || slices.Equal(axes, Counting(0, len(axes))) {
		return v
	}
	return e.Node("transpose", Attr("axes", axes), v)
}

// Unsqueeze adds dimensions of extent 1, which are the given ones of the result.
func (e *Emitter) Unsqueeze(v *graph.Value, axes ...int) *graph.Value {
	if v == nil || len(axes) == 0 {
		return v
	}
	return e.Node("unsqueeze", Attr("axes", axes), v)
}

// Squeeze removes dimensions of extent 1.
func (e *Emitter) Squeeze(v *graph.Value, axes ...int) *graph.Value {
	if v == nil || len(axes) == 0 {
		return v
	}
	return e.Node("squeeze", Attr("axes", axes), v)
}

// AlignRight gives values the greatest rank among them by extents of 1 in front of their own, so that they broadcast aligned at the
// last dimension. Scalars, which broadcast anyway, stay as they are.
func (e *Emitter) AlignRight(values ...*graph.Value) []*graph.Value {
	return e.align(values, func(_, missing int) []int { return Counting(0, missing) })
}

// AlignLeft is [Emitter.AlignRight] with the extents of 1 behind, so that values broadcast aligned at the first dimension.
func (e *Emitter) AlignLeft(values ...*graph.Value) []*graph.Value { return e.align(values, Counting) }

// align adds as many dimensions as are missing to each value that is no scalar, those that axes returns for its rank.
func (e *Emitter) align(values []*graph.Value, axes func(rank, missing int) []int) []*graph.Value {
	most := 0
	for _, v := range values {
		if v != nil {
			most = max(most, len(v.Type.Shape))
		}
	}
	out := slices.Clone(values)
	for i, v := range values {
		if v != nil && len(v.Type.Shape) > 0 {
			rank := len(v.Type.Shape)
			if out[i] = e.Unsqueeze(v, axes(rank, most-rank)...); rank < most && out[i] != nil {
				e.aligned = append(e.aligned, alignment{v.Type.Shape, out[i].Type.Shape})
			}
		}
	}
	return out
}

// AsGiven says behind the message of an operator how shapes in it were given that are aligned.
func (e *Emitter) AsGiven(msg string) string {
	var known []string
	for _, a := range e.aligned {
		aligned := a.aligned.String()
		if text := a.given.String() + " as " + aligned; strings.Contains(msg, aligned) && !slices.Contains(known, text) {
			known = append(known, text)
		}
	}
	if known == nil {
		return msg
	}
	return msg + " (aligned to one rank: " + strings.Join(known, ", ") + ")"
}

// Counting returns the n numbers from first on, as lists of axes often are; none if n is negative, or more than memory holds.
func Counting(first, n int) []int {
	if n < 0 || !limits.Fits(limits.Times(int64(n), strconv.IntSize/8)) {
		return nil
	}
	out := make([]int, n)
	for i := range out {
		out[i] = first + i
	}
	return out
}
