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
	if text, ok := v.(string); ok {
		return parsed(to, text)
	}
	if b, ok := v.(bool); ok && (to == syntax.ToInteger || to == syntax.ToScalar) {
		if v = int64(0); b {
			v = int64(1)
		}
	}
	switch n := v.(type) {
	case int64:
		switch to {
		case syntax.ToLogical:
			return n != 0
		case syntax.ToScalar:
			return float64(n)
		}
	case float64:
		switch to {
		case syntax.ToLogical:
			return n != 0
		case syntax.ToInteger:
			if n = math.Floor(n); n >= -0x1p63 && n < 0x1p63 {
				return int64(n)
			}
			return nil
		}
	}
	if to == syntax.ToString {
		return Text(v)
	}
	return v
}

// parsed returns what a string says as a value of another type, or nil.
func parsed(to syntax.Builtin, text string) Value {
	switch to {
	case syntax.ToLogical:
		return text != ""
	case syntax.ToInteger:
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && text[0] != '+' {
			return n
		}
		return nil
	case syntax.ToScalar:
		x, err := syntax.ParseExpr("", text)
		if err != nil || strings.ContainsAny(text, " \t\r\n\v\f#") {
			return nil
		}
		v := Literal(x)
		if n, ok := v.(int64); ok {
			return float64(n)
		}
		if _, ok := v.(float64); !ok {
			return nil
		}
		return v
	}
	return text
}
