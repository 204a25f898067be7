package eval

import (
	"strconv"
	"strings"

	"github.com/concord-nn/concord/nnef/syntax"
)

// Value is the value of an expression: an int, float64, bool or string, an [Array] or [Tuple], a [Tensor], a [Symbol], or
// [Absent].
type Value any

// Array is a list of values of one type.
type Array []Value

// Tuple is a list of two or more values of any types; it is also what an operation with several results yields.
type Tuple []Value

// Tensor is a value that is known at run time only.
type Tensor interface {
	Item() syntax.Primitive   // the primitive type of the elements
	Extents() ([]int, bool)   // the shape, and false if it is not known
	SameTensor(t Tensor) bool // whether both are the same value of the graph
}

// Symbol is an extent that is not known yet. It may only be passed on.
type Symbol string

// Absent stands for an optional operand that is not given. In arithmetic it is the neutral element: x + absent and
// x * absent are x. An operation without a required operand yields absent results.
type Absent struct{}

// typeName describes the type of a value as NNEF writes it.
func typeName(v Value) string {
	switch v := v.(type) {
	case int:
		return "integer"
	case float64:
		return "scalar"
	case bool:
		return "logical"
	case string:
		return "string"
	case Array:
		if len(v) == 0 {
			return "[]"
		}
		return typeName(v[0]) + "[]"
	case Tuple:
		names := make([]string, len(v))
		for i, x := range v {
			names[i] = typeName(x)
		}
		return "(" + strings.Join(names, ",") + ")"
	case Tensor:
		return "tensor<" + v.Item().String() + ">"
	case Symbol:
		return "symbol"
	}
	return "absent"
}

// primitiveOf returns the primitive type of a value, NoPrimitive for a compound one.
func primitiveOf(v Value) syntax.Primitive {
	switch v.(type) {
	case int, Symbol:
		return syntax.Integer
	case float64:
		return syntax.Scalar
	case bool:
		return syntax.Logical
	case string:
		return syntax.String
	}
	return syntax.NoPrimitive
}

// Text writes a value as NNEF does; a tensor by its type.
func Text(v Value) string {
	switch v := v.(type) {
	case int:
		return strconv.Itoa(v)
	case float64:
		return syntax.FormatScalar(v, 64)
	case bool:
		return strconv.FormatBool(v)
	case string:
		return syntax.FormatString(v)
	case Array:
		return "[" + texts(v) + "]"
	case Tuple:
		return "(" + texts(v) + ")"
	case Symbol:
		return string(v)
	}
	return typeName(v)
}

// shown is how many items of a list messages show.
const shown = 16

func texts(list []Value) string {
	var parts []string
	for i, v := range list {
		if i == shown {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, Text(v))
	}
	return strings.Join(parts, ", ")
}

// equal compares values deeply.
func equal(a, b Value) bool {
	switch a := a.(type) {
	case Array:
		b, ok := b.(Array)
		return ok && equalLists(a, b)
	case Tuple:
		b, ok := b.(Tuple)
		return ok && equalLists(a, b)
	case Tensor:
		b, ok := b.(Tensor)
		return ok && a.SameTensor(b)
	}
	switch b.(type) {
	case Array, Tuple, Tensor:
		return false
	}
	return a == b
}

func equalLists(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(a[i], b[i]) {
			return false
		}
	}
	return true
}
