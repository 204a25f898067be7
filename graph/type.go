package graph

import "github.com/concord-nn/concord/tensor"

// Type is the element type and shape of a value. The zero Type is that of an absent operand.
type Type struct {
	DType tensor.DType
	Shape tensor.Shape
}

// TypeOf returns the type of a tensor.
func TypeOf(t *tensor.Tensor) Type {
	if t == nil {
		return Type{}
	}
	return Type{t.DType(), t.Shape()}
}

// Equal reports whether two types have the same elements and extents.
func (t Type) Equal(u Type) bool { return t.DType == u.DType && t.Shape.Equal(u.Shape) }

// Bytes returns the size of the elements; 0 for the zero Type.
func (t Type) Bytes() int64 {
	return int64(t.DType.Bytes(t.Shape.Len()))
}

// String writes the type as float32[1,3].
func (t Type) String() string { return t.DType.String() + t.Shape.String() }

// TypesOf returns the types of values, the zero Type for nil.
func TypesOf(values []*Value) []Type {
	types := make([]Type, len(values))
	for i, v := range values {
		if v != nil {
			types[i] = v.Type
		}
	}
	return types
}
