package eval

import (
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/nnef/syntax"
)

// Value is the value of an expression: an int64, float64, bool or string, an [Array] or [Tuple], a [Tensor], a [Symbol], or
// [Absent]; where an [Evaluator] only checks, also an [Unknown].
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

// Singles returns what an operation yields one by one, also what stands in arrays.
func Singles(results []Value) []Value {
	var list []Value
	for _, v := range results {
		if array, ok := v.(Array); ok {
			list = append(list, array...)
		} else {
			list = append(list, v)
		}
	}
	return list
}

// Symbol is an extent that is not known yet. It may only be passed on.
type Symbol string

// Unspecified is an extent that a document of the provisional dialect leaves open.
const Unspecified Symbol = "0, which is not specified,"

// Absent stands for an optional operand that is not given. In arithmetic it is the neutral element: x + absent and
// x * absent are x. An operation without a required operand yields absent results.
type Absent struct{}

// primitiveOf returns the primitive type of a value, NoPrimitive for a compound one.
func primitiveOf(v Value) syntax.Primitive {
	switch v := v.(type) {
	case Unknown:
		return kindOf(v.Type)
	case int64, Symbol:
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

// isKnown reports whether a value is a primitive one that is known.
func isKnown(v Value) bool {
	_, unknown := v.(Unknown)
	return !unknown && primitiveOf(v) != syntax.NoPrimitive
}

// Text writes a value as NNEF does; a tensor by its type.
func Text(v Value) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return syntax.FormatScalar(v)
	case bool:
		return strconv.FormatBool(v)
	case string:
		return syntax.FormatString(v)
	case Array:
		return "[" + listed(v, ", ", Text) + "]"
	case Tuple:
		return "(" + listed(v, ", ", Text) + ")"
	case Symbol:
		return string(v)
	}
	return new(Evaluator).typeName(v)
}

// Messages show so many items of a list, and no further ones behind so many bytes.
const (
	shown      = 16
	shownBytes = 200
)

// listed writes the first items of a list by a function.
func listed[T any](list []T, separator string, write func(T) string) string {
	var b strings.Builder
	for i, v := range list {
		if i > 0 {
			b.WriteString(separator)
		}
		if i == shown || b.Len() > shownBytes {
			b.WriteString("…")
			break
		}
		b.WriteString(write(v))
	}
	return b.String()
}

// weigh subtracts the items of a value, on every level, from left. It stops when nothing is left and returns a negative
// number then.
func weigh(v Value, left int) int {
	var items []Value
	switch v := v.(type) {
	case string:
		return left - len(v)
	case Array:
		items = v
	case Tuple:
		items = v
	default:
		return left
	}
	left -= len(items)
	for i := 0; i < len(items) && left >= 0; i++ {
		left = weigh(items[i], left)
	}
	return left
}

// equal compares values deeply.
func equal(a, b Value) bool {
	switch a := a.(type) {
	case Array:
		b, ok := b.(Array)
		return ok && slices.EqualFunc(a, b, equal)
	case Tuple:
		b, ok := b.(Tuple)
		return ok && slices.EqualFunc(a, b, equal)
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
