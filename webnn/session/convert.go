package session

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// maxSequence is how many items a sequence may have that is converted from a typed array.
const maxSequence = limits.SessionSequence

// lookup returns the object that a reference names. It converts values, which may refer to objects.
type lookup func(Ref) (*object, error)

// convert returns a value as the Go value that a type of WebIDL has: bool, string, tensor.DType, int, float64, *big.Int, a slice
// of these or of objects, map[string]any for records and dictionaries, *Buffer, or an object. It follows WebIDL.
func (objects lookup) convert(t idl.Type, v Value) (any, error) {
	switch t.Name {
	case "unsigned long", "long":
		return toInteger32(t, v)
	case "double", "float", "unrestricted double", "unrestricted float":
		return toFloat(t.Name, v)
	case "boolean":
		return toBoolean(v), nil
	case "USVString", "DOMString":
		return strings.ToValidUTF8(toString(v), string(utf8.RuneError)), nil
	case "AllowSharedBufferSource":
		if b, ok := v.(*Buffer); ok {
			return orZero(b), nil
		}
		return nil, fmt.Errorf("the value is %s; it must be a buffer or a view of one", nameOf(v))
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

// toUnion converts to the unions that the interface has: an MLNumber, and a type or a sequence of it.
func (objects lookup) toUnion(t idl.Type, v Value) (any, error) {
	_, isBigInt := v.(*big.Int)
	for _, p := range t.Params {
		switch {
		case p.Name == "bigint" && isBigInt:
			return v, nil
		case p.Name == "sequence" && isIterable(v):
			return objects.convert(p, v)
		}
	}
	alone := slices.IndexFunc(t.Params, func(p idl.Type) bool { return p.Name != "bigint" && p.Name != "sequence" })
	return objects.convert(t.Params[alone], v)
}

// toInteger32 converts to an integer type. What an int of 32 bits does not hold is refused where it must be in range.
func toInteger32(t idl.Type, v Value) (any, error) {
	lo, hi := 0.0, float64(min(math.MaxUint32, math.MaxInt))
	if t.Name == "long" {
		lo, hi = math.MinInt32, math.MaxInt32
	}
	if t.EnforceRange {
		return enforceRange(v, lo, hi)
	}
	f, err := toNumber(v)
	if err != nil {
		return 0, err
	}
	n := modulo32(f)
	if t.Name == "long" && n > math.MaxInt32 {
		n -= 1 << 32
	}
	return int(min(n, hi)), nil
}

func toFloat(name string, v Value) (any, error) {
	f, err := toNumber(v)
	if err != nil {
		return 0, err
	}
	plain, unrestricted := strings.CutPrefix(name, "unrestricted ")
	if plain == "float" {
		f = float64(float32(f))
	}
	if !unrestricted && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return 0, fmt.Errorf("the value is %s; it must be finite", toString(v))
	}
	return f, nil
}

// dataTypes is the enumeration that is a type of package tensor.
const dataTypes = "MLOperandDataType"

func toEnum(e *idl.Enum, v Value) (any, error) {
	word := toString(v)
	if !slices.Contains(e.Values, word) {
		return nil, fmt.Errorf("%q is no %s; it must be one of %q", word, e.Name, e.Values)
	}
	if e.Name == dataTypes {
		return tensor.ParseDType(word)
	}
	return word, nil
}

// isIterable says whether a value can be a sequence: a list or a typed array.
func isIterable(v Value) bool {
	if b, ok := v.(*Buffer); ok {
		_, ok = b.Elements()
		return ok
	}
	_, ok := v.([]Value)
	return ok
}

func (objects lookup) toSequence(item idl.Type, v Value) (any, error) {
	items, ok := v.([]Value)
	if b, isBuffer := v.(*Buffer); isBuffer {
		if n := len(orZero(b).Data); n > maxSequence {
			return nil, fmt.Errorf("the value is a buffer of %d bytes; of a list it may have %d", n, maxSequence)
		}
		items, ok = b.Elements()
	}
	if !ok {
		return nil, fmt.Errorf("the value is %s; it must be a list", nameOf(v))
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
	dict, ok := v.(Dict)
	if !ok {
		return nil, fmt.Errorf("the value is %s; it must be a dictionary", nameOf(v))
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
	dict, ok := v.(Dict)
	if !ok && !isObject(v) && v != nil {
		return nil, fmt.Errorf("the value is %s; it must be a dictionary", nameOf(v))
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
