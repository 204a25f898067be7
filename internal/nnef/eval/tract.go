package eval

import (
	"github.com/concord-nn/concord/nnef/syntax"
)

// relax returns integers as scalars where scalars are needed, which the dialect of tract allows.
func relax(v Value, t syntax.Type) Value {
	switch u := t.(type) {
	case *syntax.PrimitiveType:
		if i, ok := v.(int64); ok && u.Kind == syntax.Scalar {
			return float64(i)
		}
	case *syntax.TensorType:
		if i, ok := v.(int64); ok && u.Item == syntax.Scalar {
			return float64(i)
		}
		return relaxItems(v, t)
	case *syntax.ArrayType:
		return relaxItems(v, u.Item)
	}
	return v
}

func relaxItems(v Value, t syntax.Type) Value {
	a, ok := v.(Array)
	if !ok {
		return v
	}
	out := make(Array, len(a))
	for i, x := range a {
		out[i] = relax(x, t)
	}
	return out
}

// mixed returns an integer beside a scalar as a scalar.
func mixed(a, b Value) (Value, Value) {
	_, intA := a.(int64)
	_, intB := b.(int64)
	if _, ok := a.(float64); ok && intB {
		return a, float64(b.(int64))
	}
	if _, ok := b.(float64); ok && intA {
		return float64(a.(int64)), b
	}
	return a, b
}

// itemOperation is the operation that a subscript of a tensor stands for in documents of tract.
const itemOperation = "tract_item"

// symbolOf returns the one of two values that is a symbol.
func symbolOf(a, b Value) (Symbol, bool) {
	if s, ok := a.(Symbol); ok {
		return s, true
	}
	s, ok := b.(Symbol)
	return s, ok
}

// arrayOperation reports whether an operator takes arrays of numbers as tensors, as it does in documents of tract.
func arrayOperation(op syntax.Op, a, b Value) bool {
	if op == syntax.In || op == syntax.And || op == syntax.Or {
		return false
	}
	_, listA := a.(Array)
	_, listB := b.(Array)
	return (listA || listB) && numeric(a) && numeric(b)
}

// numeric reports whether a value is a number, or a list that begins with one.
func numeric(v Value) bool {
	switch v := v.(type) {
	case Array:
		return len(v) > 0 && numeric(v[0])
	case int64, float64, Tensor:
		return true
	}
	return false
}
