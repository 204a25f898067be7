package webnn

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// fault is why a value cannot be converted: the generic rule that it breaks, and the reason.
type fault struct{ rule, reason string }

func faultf(rule, format string, args ...any) *fault {
	return &fault{rule, fmt.Sprintf(format, args...)}
}

// reject makes the TypeError of a method that has no label, one of whose arguments is at fault.
func (f *fault) reject(method, argument string) error {
	return reject(TypeError, method, argument+"."+f.rule, "%s", f.reason)
}

// kindNames say what a kind takes.
var kindNames = [...]string{
	kindOperand:   "an *Operand",
	kindOperands:  "a []*Operand",
	kindInt:       "an int",
	kindLong:      "an int",
	kindInts:      "a []int",
	kindIntOrInts: "an int or a []int",
	kindFloat:     "a float64",
	kindFloats:    "a []float64",
	kindNumber:    "a Number, an int or a float64",
	kindBool:      "a bool",
	kindEnum:      "a string",
	kindEnums:     "a []string",
	kindType:      "a tensor.DType",
}

func (p param) wrongKind(v any) *fault {
	if o, ok := v.(*Operand); ok && o == nil {
		return faultf("kind", "the operand is nil")
	}
	return faultf("kind", "the value is %T; it must be %s", v, kindNames[p.kind])
}

// convert returns v as the type that the kind has: *graph.Value, int, float64, what castNumber takes for an MLNumber, bool,
// string, tensor.DType, and slices of these. Lists are copied, so that the caller may go on with them.
func (p param) convert(v any, owner *GraphBuilder) (any, *fault) {
	switch p.kind {
	case kindOperand:
		return p.toOperand(v, owner)
	case kindOperands:
		return convertList(p, v, func(p param, x any) (*graph.Value, *fault) { return p.toOperand(x, owner) })
	case kindInt, kindLong:
		return p.toInt(v)
	case kindInts:
		return convertList(p, v, param.toInt)
	case kindIntOrInts:
		if _, list := items(v); list {
			return convertList(p, v, param.toInt)
		}
		return p.toInt(v)
	case kindFloat:
		return p.toFloat(v)
	case kindFloats:
		return convertList(p, v, param.toSingle)
	case kindNumber:
		return p.toNumber(v)
	case kindEnum:
		return p.toWord(v)
	case kindEnums:
		return convertList(p, v, param.toWord)
	case kindType:
		return p.toType(v)
	case kindBool:
		if _, ok := v.(bool); ok {
			return v, nil
		}
	}
	return nil, p.wrongKind(v)
}

// plain returns what stands for v in a call, if v has a type that callers have at hand but a call has another for.
func plain(v any) (any, bool) {
	switch v := v.(type) {
	case tensor.Shape:
		return []int(v), true
	case float32:
		return float64(v), true
	case []float32:
		out := make([]float64, len(v))
		for i, x := range v {
			out[i] = float64(x)
		}
		return out, true
	}
	return nil, false
}

// items returns the items of a list.
func items(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case []int:
		return boxed(v), true
	case []float64:
		return boxed(v), true
	case []string:
		return boxed(v), true
	case []*Operand:
		return boxed(v), true
	}
	return nil, false
}

func boxed[T any](list []T) []any {
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = x
	}
	return out
}

// itemKinds has what the items of lists are.
var itemKinds = map[kind]kind{kindOperands: kindOperand, kindInts: kindInt, kindIntOrInts: kindInt, kindFloats: kindFloat, kindEnums: kindEnum}

// convertList converts a list item by item.
func convertList[T any](p param, v any, item func(p param, v any) (T, *fault)) (any, *fault) {
	list, ok := items(v)
	if !ok {
		return nil, p.wrongKind(v)
	}
	out := make([]T, len(list))
	p.kind = itemKinds[p.kind]
	for i, x := range list {
		var err *fault
		if out[i], err = item(p, x); err != nil {
			return nil, faultf(err.rule, "item %d: %s", i, err.reason)
		}
	}
	return out, nil
}

func (p param) toOperand(v any, owner *GraphBuilder) (*graph.Value, *fault) {
	o, ok := v.(*Operand)
	if !ok || o == nil {
		return nil, p.wrongKind(v)
	}
	if o.owner != owner {
		return nil, faultf("builder", "the operand belongs to another builder")
	}
	return o.value, nil
}

func (p param) toInt(v any) (int, *fault) {
	lo, hi := int64(0), min(math.MaxUint32, int64(math.MaxInt)) // an int may have 32 bits
	if p.kind == kindLong {
		lo, hi = math.MinInt32, math.MaxInt32
	}
	var n int64
	switch v := v.(type) {
	case int:
		n = int64(v)
	case float64:
		if v != math.Trunc(v) {
			return 0, faultf("kind", "the value %v is no integer", v)
		}
		n = int64(max(min(v, 1<<53), -1<<53)) // beyond the range in any case
	default:
		return 0, p.wrongKind(v)
	}
	if n < lo || n > hi {
		return 0, faultf("range", "the value is %v; it must be from %d to %d", v, lo, hi)
	}
	return int(n), nil
}

func (p param) toFloat(v any) (float64, *fault) {
	f, ok := v.(float64)
	if n, isInt := v.(int); isInt {
		f, ok = float64(n), true
	}
	if !ok {
		return 0, p.wrongKind(v)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, faultf("finite", "the value is %v; it must be finite", f)
	}
	return f, nil
}

// toSingle converts as the type float of WebIDL does: the value is rounded to single precision and must be finite after
// that, too.
func (p param) toSingle(v any) (float64, *fault) {
	x, err := p.toFloat(v)
	if err == nil && math.IsInf(float64(float32(x)), 0) {
		return 0, faultf("finite", "the value is %v; it must be finite in single precision", x)
	}
	return float64(float32(x)), err
}

func (p param) toNumber(v any) (any, *fault) {
	switch n := v.(type) {
	case Float, Int, Uint, BigInt: // not a pointer to one, which may be nil
		return p.toNumber(n.(Number).number())
	case int:
		return wholeNumber{big.NewInt(int64(n))}, nil
	case float64:
		return n, nil
	case wholeNumber:
		return n, nil
	case *big.Int:
		if n == nil {
			return nil, faultf("kind", "the BigInt holds nil; it must hold a *big.Int")
		}
		return BigInt{new(big.Int).Set(n)}, nil
	}
	return nil, p.wrongKind(v)
}

func (p param) toWord(v any) (string, *fault) {
	s, ok := v.(string)
	if !ok {
		return "", p.wrongKind(v)
	}
	if !slices.Contains(p.enum.words, s) {
		return "", faultf("enum", "%q is no %s; it must be one of %q", s, p.enum.name, p.enum.words)
	}
	return s, nil
}

func (p param) toType(v any) (any, *fault) {
	d, ok := v.(tensor.DType)
	if text, isText := v.(string); isText {
		parsed, err := tensor.ParseDType(text)
		d, ok = parsed, err == nil
	}
	if !ok {
		return nil, p.wrongKind(v)
	}
	if f := checkDataType(d, "enum"); f != nil {
		return nil, f
	}
	return d, nil
}

// checkDataType rejects what is no MLOperandDataType.
func checkDataType(d tensor.DType, rule string) *fault {
	if slices.Contains(DataTypes, d) {
		return nil
	}
	return faultf(rule, "%v is no MLOperandDataType; it must be one of %v", d, DataTypes)
}
