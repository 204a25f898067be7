package session

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// lookup returns the object that a reference names. It converts values, which may refer to objects.
type lookup func(Ref) (*object, error)

// convert returns a value as the Go value that a type of WebIDL has: bool, string, tensor.DType, int, float64, *big.Int, a slice
// of these or of objects, map[string]any for records and dictionaries, *Buffer, or an object. What a page gives has been converted by
// JavaScript, and so values of other types are refused.
func (objects lookup) convert(t idl.Type, v Value) (any, error) {
	switch t.Name {
	case "unsigned long":
		return toInteger32(v, 0, min(math.MaxUint32, math.MaxInt))
	case "long":
		return toInteger32(v, math.MinInt32, math.MaxInt32)
	case "double", "float", "unrestricted double":
		return toFloat(t.Name, v)
	case "boolean":
		return kindOf[bool](v, "true or false")
	case "USVString", "DOMString":
		return kindOf[string](v, "a string")
	case "AllowSharedBufferSource":
		b, err := kindOf[*Buffer](v, "a buffer or a view of one")
		return orZero(b), err
	case "sequence":
		return objects.toSequence(t.Params[0], v)
	case "record":
		return objects.toRecord(t.Params[1], v)
	case "or":
		return objects.toUnion(t, v)
	}
	if d := idl.WebNN.Typedef(t.Name); d != nil {
		return objects.convert(d.Type, v)
	}
	if e := idl.WebNN.Enum(t.Name); e != nil {
		return toEnum(e, v)
	}
	if d := idl.WebNN.Dictionary(t.Name); d != nil {
		return objects.toDictionary(d, v)
	}
	return objects.toObject(t.Name, v)
}

// kindOf returns a value of type T.
func kindOf[T Value](v Value, what string) (T, error) {
	x, ok := v.(T)
	if !ok {
		return x, fmt.Errorf("the value is %s; it must be %s", nameOf(v), what)
	}
	return x, nil
}

// toUnion converts to the unions that the interface has: an MLNumber, and a type or a sequence of it.
func (objects lookup) toUnion(t idl.Type, v Value) (any, error) {
	_, isBigInt := v.(*big.Int)
	_, isList := v.([]Value)
	for _, p := range t.Params {
		switch {
		case p.Name == "bigint" && isBigInt:
			return v, nil
		case p.Name == "sequence" && isList:
			return objects.convert(p, v)
		}
	}
	alone := slices.IndexFunc(t.Params, func(p idl.Type) bool { return p.Name != "bigint" && p.Name != "sequence" })
	return objects.convert(t.Params[alone], v)
}

func toInteger32(v Value, lo, hi int) (any, error) {
	f, err := toNumber(v)
	if err == nil && (f != math.Trunc(f) || f < float64(lo) || f > float64(hi)) {
		err = fmt.Errorf("the value is %v; it must be an integer from %d to %d", f, lo, hi)
	}
	return int(f), err
}

// nonFinite has the numbers that JSON does not have by what stands in a string for them.
var nonFinite = map[string]float64{"NaN": math.NaN(), infinity: math.Inf(1), "-" + infinity: math.Inf(-1), "-0": math.Copysign(0, -1)}

func toNumber(v Value) (float64, error) {
	text, _ := v.(string)
	if f, ok := nonFinite[text]; ok {
		return f, nil
	}
	return kindOf[float64](v, "a number")
}

const infinity = "Infinity"

// NonFinite returns the text that JavaScript has for a number without digits, NaN, Infinity or -Infinity, and false for all
// other numbers. Scripts take it for the number, and so do the numeric arguments of a session, where it stands in a string.
func NonFinite(f float64) (string, bool) {
	switch {
	case math.IsNaN(f):
		return "NaN", true
	case math.IsInf(f, 1):
		return infinity, true
	case math.IsInf(f, -1):
		return "-" + infinity, true
	}
	return "", false
}

func toFloat(name string, v Value) (any, error) {
	f, err := toNumber(v)
	if err != nil {
		return 0, err
	}
	if name == "float" {
		f = float64(float32(f))
	}
	if name != "unrestricted double" && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return 0, fmt.Errorf("the value is %v; it must be finite", f)
	}
	return f, nil
}

// dataTypes is the enumeration that is a type of package tensor.
const dataTypes = "MLOperandDataType"

func toEnum(e *idl.Enum, v Value) (any, error) {
	word, err := kindOf[string](v, "a string")
	if err != nil {
		return nil, err
	}
	if !slices.Contains(e.Values, word) {
		return nil, fmt.Errorf("%q is no %s; it must be one of %q", word, e.Name, e.Values)
	}
	if e.Name == dataTypes {
		return tensor.ParseDType(word)
	}
	return word, nil
}

func (objects lookup) toSequence(item idl.Type, v Value) (any, error) {
	items, err := kindOf[[]Value](v, "a list")
	if err != nil {
		return nil, err
	}
	out := make([]any, len(items))
	for i, x := range items {
		y, err := objects.convert(item, x)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		out[i] = y
	}
	return out, nil
}

// number returns an MLNumber that has been converted.
func number(v any) webnn.Number {
	if n, ok := v.(*big.Int); ok {
		return webnn.BigInt{Int: n}
	}
	return webnn.Float(v.(float64))
}

func (objects lookup) toRecord(item idl.Type, v Value) (any, error) {
	dict, err := kindOf[Dict](v, "a dictionary")
	if err != nil {
		return nil, err
	}
	out := make(map[string]any, len(dict))
	for key, x := range dict {
		y, err := objects.convert(item, x)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", key, err)
		}
		out[key] = y
	}
	return out, nil
}

// toDictionary keeps the members that are given and known, those that are inherited first; those that are not known are dropped.
func (objects lookup) toDictionary(d *idl.Dictionary, v Value) (any, error) {
	if v == nil {
		v = Dict(nil)
	}
	dict, err := kindOf[Dict](v, "a dictionary")
	if err != nil {
		return nil, err
	}
	out := make(map[string]any, len(dict))
	var members []idl.Member
	for p := d; p != nil; p = idl.WebNN.Dictionary(p.Parent) {
		members = slices.Concat(p.Members, members)
	}
	for _, m := range members {
		given, ok := dict[m.Name]
		if !ok {
			if m.Required {
				return nil, fmt.Errorf("the member %s of %s is missing", m.Name, d.Name)
			}
			continue
		}
		x, err := objects.convert(m.Type, given)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		out[m.Name] = x
	}
	return out, nil
}

func (objects lookup) toObject(name string, v Value) (any, error) {
	ref, ok := v.(Ref)
	if !ok {
		return nil, fmt.Errorf("the value is %s; it must be an %s", nameOf(v), name)
	}
	o, err := objects(ref)
	if err != nil {
		return nil, err
	}
	if o.iface != name {
		return nil, fmt.Errorf("%q is an %s; it must be an %s", string(ref), o.iface, name)
	}
	return o.value, nil
}

// isObject says whether a value is an object of the page.
func isObject(v Value) bool {
	switch v.(type) {
	case Ref, Dict, []Value, *Buffer:
		return true
	}
	return false
}

// nameOf says for a message what kind of value v is.
func nameOf(v Value) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return "a string"
	case *big.Int:
		return "a BigInt"
	case Ref:
		return fmt.Sprintf("the object %q", string(v))
	case Dict:
		return "a dictionary"
	case []Value:
		return "a list"
	}
	return "a buffer"
}

// accepts says whether the overload with this type at the place that tells overloads apart takes v: objects of the
// interface go to the interface, other objects and null to a dictionary, and everything else to strings and numbers.
func (objects lookup) accepts(t idl.Type, v Value) bool {
	switch {
	case idl.WebNN.Interface(t.Name) != nil:
		_, err := objects.toObject(t.Name, v)
		return err == nil
	case idl.WebNN.Dictionary(t.Name) != nil:
		return isObject(v) || v == nil
	}
	return !isObject(v) && v != nil
}
