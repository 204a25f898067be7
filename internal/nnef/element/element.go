// Package element says what values of NNEF are as tensors: element types, literals in the place of tensors, and values of a graph as the evaluator
// sees them.
package element

import (
	"fmt"
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// Operand is a value of a graph as the evaluator sees it.
type Operand struct{ V *graph.Value }

// Of returns a value of a graph as the evaluator sees it.
func Of(v *graph.Value) Operand { return Operand{v} }

// Argument is what a parameter of a fragment stands for that is a block: a value of a type, or a literal.
type Argument struct {
	graph.Type
	Literal eval.Value // nil if there is none
}

// Item implements [eval.Tensor].
func (o Operand) Item() syntax.Primitive { return ItemOf(o.V.Type.DType) }

// Extents implements [eval.Tensor].
func (o Operand) Extents() ([]int, bool) { return o.V.Type.Shape, true }

// SameTensor implements [eval.Tensor].
func (o Operand) SameTensor(t eval.Tensor) bool {
	u, ok := t.(Operand)
	return ok && u.V == o.V
}

// ItemOf returns the NNEF type of tensors with elements of type d.
func ItemOf(d tensor.DType) syntax.Primitive {
	switch {
	case d.IsFloat() || d.IsSmallFloat():
		return syntax.Scalar
	case d.IsInteger():
		return syntax.Integer
	}
	return syntax.Logical
}

// Natural returns the element type that tensors of an NNEF type have unless the document says otherwise.
func Natural(p syntax.Primitive) tensor.DType {
	switch p {
	case syntax.Scalar:
		return tensor.Float32
	case syntax.Integer:
		return tensor.Int64
	case syntax.Logical:
		return tensor.Bool
	}
	return tensor.Invalid
}

// TypeOf returns the element type that a literal in place of a tensor has by itself, Invalid if it is no literal.
func TypeOf(v eval.Value) tensor.DType {
	switch v.(type) {
	case float64:
		return tensor.Float32
	case int64:
		return tensor.Int64
	case bool:
		return tensor.Bool
	}
	return tensor.Invalid
}

// floats returns literals as numbers.
func floats[T float32 | float64](values []eval.Value, whole func(int64) T) []T {
	data := make([]T, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case float64:
			data[i] = T(v)
		case int64:
			data[i] = whole(v)
		}
	}
	return data
}

// Tensor returns a tensor of type d and the given shape that holds literals, in row-major order.
func Tensor(values []eval.Value, d tensor.DType, shape tensor.Shape) (*tensor.Tensor, error) {
	var wide *tensor.Tensor
	var err error
	switch {
	case d == tensor.Float64:
		wide, err = tensor.FromSlice(floats(values, func(n int64) float64 { return float64(n) }), shape...)
	case d.IsFloat() || d.IsSmallFloat():
		wide, err = tensor.FromSlice(floats(values, tensor.NearestFloat32[int64]), shape...)
	case d.IsInteger():
		data := make([]int64, len(values))
		lo, hi := d.IntRange()
		for i, v := range values {
			n, ok := v.(int64)
			if f, isFloat := v.(float64); isFloat {
				n, ok = int64(f), f == math.Trunc(f) && math.Abs(f) < 1<<53
			}
			if !ok || n < lo || n > 0 && uint64(n) > hi {
				return nil, fmt.Errorf("%s is no element of type %v", eval.Text(v), d)
			}
			data[i] = n
		}
		wide, err = tensor.FromSlice(data, shape...)
	default:
		data := make([]bool, len(values))
		for i, v := range values {
			data[i], _ = v.(bool)
		}
		wide, err = tensor.FromSlice(data, shape...)
	}
	if err != nil {
		return nil, err
	}
	if wide.DType() == d { // Without this it would be copied.
		return wide, nil
	}
	return tensor.Cast(wide, d)
}

// Literals returns the shape and the elements of a nested list of literals, or of one alone, and false if it is no such list.
func Literals(v eval.Value) (shape tensor.Shape, values []eval.Value, ok bool) {
	shape, ok = appendLiterals(v, &values)
	return shape, values, ok
}

func appendLiterals(v eval.Value, values *[]eval.Value) (tensor.Shape, bool) {
	list, ok := v.(eval.Array)
	if tuple, isTuple := v.(eval.Tuple); isTuple {
		list, ok = eval.Array(tuple), true
	}
	if !ok {
		*values = append(*values, v)
		return tensor.Shape{}, TypeOf(v) != tensor.Invalid
	}
	var inner tensor.Shape
	for i, x := range list {
		shape, ok := appendLiterals(x, values)
		if !ok || i > 0 && !shape.Equal(inner) {
			return nil, false
		}
		inner = shape
	}
	return append(tensor.Shape{len(list)}, inner...), true
}
