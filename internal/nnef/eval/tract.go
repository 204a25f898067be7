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
