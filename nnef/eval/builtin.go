package eval

import (
	"math"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/nnef/syntax"
)

func (e *Evaluator) builtin(f *frame, x *syntax.BuiltinCall) (Value, error) {
	v, err := e.eval(f, x.Arg, nil)
	if err != nil {
		return nil, err
	}
	wrong := func(want string) error {
		return f.fail(CodeOperands, spanOf(x.Arg), "", "%s takes %s, not %s", x.Func, want, typeName(v))
	}
	switch x.Func {
	case syntax.ShapeOf:
		switch v := v.(type) {
		case Tensor:
			shape, ok := v.Extents()
			if !ok {
				return nil, f.fail(CodeUnknown, x.Span, "give the inputs fixed shapes", "the shape is not known before symbols have values")
			}
			out := make(Array, len(shape))
			for i, n := range shape {
				out[i] = n
			}
			return out, nil
		case int, float64, bool, string, Absent:
			return Array{}, nil
		}
		return nil, wrong("a tensor")
	case syntax.LengthOf, syntax.RangeOf:
		n := 0
		switch v := v.(type) {
		case Array:
			n = len(v)
		case string:
			n = len(v)
		default:
			return nil, wrong("an array or a string")
		}
		if x.Func == syntax.LengthOf {
			return n, nil
		}
		if err := e.spend(f, x.Span, n); err != nil {
			return nil, err
		}
		out := make(Array, n)
		for i := range out {
			out[i] = i
		}
		return out, nil
	}
	if primitiveOf(v) == syntax.NoPrimitive {
		return nil, wrong("a primitive value")
	}
	if err := e.spendOn(f, x.Span, v); err != nil { // the length of a string
		return nil, err
	}
	out := convert(x.Func, v)
	if out == nil {
		return nil, f.fail(CodeConversion, spanOf(x.Arg), "", "%s cannot be converted to %s", Text(v), x.Func)
	}
	return out, nil
}

// convert returns a primitive value as another type, or nil if it has no such value.
func convert(to syntax.Builtin, v Value) Value {
	switch to {
	case syntax.ToString:
		if s, ok := v.(string); ok {
			return s
		}
		return Text(v)
	case syntax.ToLogical:
		switch v := v.(type) {
		case int:
			return v != 0
		case float64:
			return v != 0
		case string:
			return v != ""
		}
		return v
	case syntax.ToInteger:
		switch v := v.(type) {
		case bool:
			if v {
				return 1
			}
			return 0
		case float64:
			if v = math.Floor(v); v >= -0x1p63 && v < 0x1p63 {
				return int(v)
			}
			return nil
		case string:
			if n, err := strconv.Atoi(v); err == nil && v[0] != '+' {
				return n
			}
			return nil
		}
		return v
	case syntax.ToScalar:
		switch v := v.(type) {
		case bool:
			if v {
				return 1.0
			}
			return 0.0
		case int:
			return float64(v)
		case string:
			if x, err := syntax.ParseExpr("", v); err == nil && !strings.ContainsAny(v, " \t\r\n\v\f#") {
				switch x := x.(type) {
				case *syntax.ScalarLit:
					return x.Value
				case *syntax.IntegerLit:
					return float64(x.Value)
				}
			}
			return nil
		}
		return v
	}
	return nil
}
