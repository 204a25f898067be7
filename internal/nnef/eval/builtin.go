package eval

import (
	"math"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/nnef/syntax"
)

// builtinTypes are the types that builtin functions yield.
var builtinTypes = [syntax.ToString + 1]syntax.Primitive{syntax.LengthOf: syntax.Integer, syntax.ToInteger: syntax.Integer,
	syntax.ToScalar: syntax.Scalar, syntax.ToLogical: syntax.Logical, syntax.ToString: syntax.String}

func (e *Evaluator) builtin(f *frame, x *syntax.BuiltinCall) (Value, error) {
	v, err := e.eval(f, x.Arg, nil)
	if err != nil {
		return nil, err
	}
	if want, ok := takes(x.Func, v); !ok {
		return nil, f.fail(CodeOperands, syntax.SpanOf(x.Arg), "", "%s takes %s, not %s", x.Func.Text(e.dialect), want, e.typeName(v))
	}
	if e.checking {
		if p := builtinTypes[x.Func]; p != syntax.NoPrimitive {
			return unknowns[p], nil
		}
		return Unknown{arrayTypes[syntax.Integer], -1}, nil
	}
	switch x.Func {
	case syntax.ShapeOf:
		return e.shapeOf(f, x, v)
	case syntax.LengthOf, syntax.RangeOf:
		list, _ := v.(Array)
		text, _ := v.(string)
		n := len(list) + len(text)
		if x.Func == syntax.LengthOf {
			return int64(n), nil
		}
		if err := e.spend(f, x.Span, n); err != nil {
			return nil, err
		}
		out := make(Array, n)
		for i := range out {
			out[i] = int64(i)
		}
		return out, nil
	}
	if s, ok := v.(Symbol); ok && x.Func != syntax.ToInteger {
		return nil, f.unknownSymbol(x.Span, s)
	}
	if err := e.spendOn(f, x.Span, v); err != nil { // the length of a string
		return nil, err
	}
	out := convert(x.Func, v)
	if out == nil {
		return nil, f.fail(CodeConversion, syntax.SpanOf(x.Arg), "", "%s cannot be converted to %s", Text(v), x.Func.Text(e.dialect))
	}
	return out, nil
}

// takes reports whether a builtin function takes a value, and says what it takes.
func takes(b syntax.Builtin, v Value) (want string, ok bool) {
	p := primitiveOf(v)
	switch b {
	case syntax.ShapeOf:
		_, tensor := v.(Tensor)
		_, absent := v.(Absent)
		return "a tensor", tensor || absent || p != syntax.NoPrimitive
	case syntax.LengthOf, syntax.RangeOf:
		_, list := itemsIn(v)
		return "an array or a string", list || p == syntax.String
	}
	return "a primitive value that is known at compile time", p != syntax.NoPrimitive
}

func (e *Evaluator) shapeOf(f *frame, x *syntax.BuiltinCall, v Value) (Value, error) {
	t, ok := v.(Tensor)
	if !ok {
		return Array{}, nil
	}
	shape, ok := t.Extents()
	if !ok {
		return nil, f.fail(CodeUnknown, x.Span, "give the inputs fixed shapes", "the shape is not known before symbols have values")
	}
	out := make(Array, len(shape))
	for i, n := range shape {
		if out[i] = int64(n); n < 0 {
			out[i] = Unspecified
		}
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
		case int64:
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
				return int64(1)
			}
			return int64(0)
		case float64:
			if v = math.Floor(v); v >= -0x1p63 && v < 0x1p63 {
				return int64(v)
			}
			return nil
		case string:
			if n, err := strconv.ParseInt(v, 10, 64); err == nil && v[0] != '+' {
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
		case int64:
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
