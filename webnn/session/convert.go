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
)

// kind is a kind of WebIDL type.
type kind uint8

const (
	kindNumeric    kind = iota // an integer or floating-point type
	kindBoolean                // boolean
	kindString                 // USVString, DOMString
	kindEnum                   // an enumeration
	kindBigInt                 // (bigint or unrestricted double)
	kindUnion                  // (unsigned long or sequence<unsigned long>)
	kindSequence               // sequence<T>
	kindRecord                 // record<USVString, T>
	kindDictionary             // a dictionary
	kindInterface              // an object of the interface
	kindBuffer                 // AllowSharedBufferSource
)

// typ is a WebIDL type of an argument or of a member of a dictionary.
type typ struct {
	kind    kind
	name    string
	enforce bool // [EnforceRange]
	item    *typ // of a sequence, of a record and of the sequence in a union; the number of a union has the type alone
	alone   *typ
	words   []string // of an enumeration
	members []param  // of a dictionary, with those that it inherits, in the order of conversion
}

// param is an argument or a member of a dictionary.
type param struct {
	name     string
	typ      *typ
	optional bool
}

// maxSequence is how many items a sequence may have that is converted from a typed array.
const maxSequence = limits.SessionSequence

// lookup returns the object that a reference names, and its interface.
type lookup func(Ref) (object any, iface string, err error)

// convert returns a value as the Go value that its type has: bool, string, tensor.DType, int, float64, *big.Int, a slice of
// these or of objects, map[string]any for records and dictionaries, *Buffer, or an object. It follows WebIDL.
func (t *typ) convert(v Value, objects lookup) (any, error) {
	switch t.kind {
	case kindNumeric:
		return t.toNumeric(v)
	case kindBoolean:
		return toBoolean(v), nil
	case kindString:
		return strings.ToValidUTF8(toString(v), string(utf8.RuneError)), nil
	case kindEnum:
		return t.toEnum(v)
	case kindBigInt:
		if n, ok := v.(*big.Int); ok {
			return n, nil
		}
		return toNumber(v)
	case kindUnion:
		if isIterable(v) {
			return (&typ{kind: kindSequence, item: t.item}).convert(v, objects)
		}
		return t.alone.convert(v, objects)
	case kindSequence:
		return t.toSequence(v, objects)
	case kindRecord:
		return t.toRecord(v, objects)
	case kindDictionary:
		return t.toDictionary(v, objects)
	case kindBuffer:
		if b, ok := v.(*Buffer); ok {
			return b, nil
		}
		return nil, fmt.Errorf("the value is %s; it must be a buffer or a view of one", nameOf(v))
	}
	return t.toObject(v, objects)
}

// integerRanges has the bounds of the integer types. What an int of 32 bits does not hold is refused where it must be in range.
var integerRanges = map[string][2]float64{
	"unsigned long": {0, min(math.MaxUint32, math.MaxInt)},
	"long":          {math.MinInt32, math.MaxInt32},
}

func (t *typ) toNumeric(v Value) (any, error) {
	if bounds, ok := integerRanges[t.name]; ok {
		if t.enforce {
			return enforceRange(v, bounds[0], bounds[1])
		}
		f, err := toNumber(v)
		if err != nil {
			return 0, err
		}
		n := modulo32(f)
		if t.name == "long" && n > math.MaxInt32 {
			n -= 1 << 32
		}
		return int(min(n, bounds[1])), nil
	}
	f, err := toNumber(v)
	if err != nil {
		return 0, err
	}
	name, unrestricted := strings.CutPrefix(t.name, "unrestricted ")
	if name == "float" {
		f = float64(float32(f))
	}
	if !unrestricted && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return 0, fmt.Errorf("the value is %s; it must be finite", toString(v))
	}
	return f, nil
}

func (t *typ) toEnum(v Value) (any, error) {
	word := toString(v)
	if !slices.Contains(t.words, word) {
		return nil, fmt.Errorf("%q is no %s; it must be one of %q", word, t.name, t.words)
	}
	if t.name == "MLOperandDataType" {
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

func (t *typ) toSequence(v Value, objects lookup) (any, error) {
	items, ok := v.([]Value)
	if b, isBuffer := v.(*Buffer); isBuffer && len(b.Data) <= maxSequence {
		items, ok = b.Elements()
	}
	if !ok {
		return nil, fmt.Errorf("the value is %s; it must be a list", nameOf(v))
	}
	out := make([]any, len(items))
	for i, item := range items {
		x, err := t.item.convert(item, objects)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		out[i] = x
	}
	return t.item.slice(out), nil
}

// slice returns items of the type as a slice of their Go type.
func (t *typ) slice(items []any) any {
	switch {
	case t.kind == kindEnum && t.name != "MLOperandDataType" || t.kind == kindString:
		return sliceOf[string](items)
	case t.kind == kindNumeric && integerRanges[t.name] != [2]float64{}:
		return sliceOf[int](items)
	case t.kind == kindNumeric:
		return sliceOf[float64](items)
	}
	if t.name == "MLOperand" {
		return sliceOf[*webnn.Operand](items)
	}
	return items
}

// number returns an MLNumber that has been converted.
func number(v any) webnn.Number {
	if n, ok := v.(*big.Int); ok {
		return webnn.BigInt{Int: n}
	}
	return webnn.Float(v.(float64))
}

func sliceOf[T any](items []any) []T {
	out := make([]T, len(items))
	for i, x := range items {
		out[i] = x.(T)
	}
	return out
}

func (t *typ) toRecord(v Value, objects lookup) (any, error) {
	dict, ok := v.(Dict)
	if !ok {
		return nil, fmt.Errorf("the value is %s; it must be a dictionary", nameOf(v))
	}
	out := make(map[string]any, len(dict))
	for key, item := range dict {
		x, err := t.item.convert(item, objects)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", key, err)
		}
		out[key] = x
	}
	return out, nil
}

// toDictionary keeps the members that are given and known; those that are not known are dropped.
func (t *typ) toDictionary(v Value, objects lookup) (any, error) {
	dict, ok := v.(Dict)
	if !ok && !isObject(v) && v != nil {
		return nil, fmt.Errorf("the value is %s; it must be a dictionary", nameOf(v))
	}
	out := make(map[string]any, len(dict))
	for _, m := range t.members {
		given, ok := dict[m.name]
		if !ok {
			if !m.optional {
				return nil, fmt.Errorf("the member %s of %s is missing", m.name, t.name)
			}
			continue
		}
		x, err := m.typ.convert(given, objects)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		out[m.name] = x
	}
	return out, nil
}

func (t *typ) toObject(v Value, objects lookup) (any, error) {
	ref, ok := v.(Ref)
	if !ok {
		return nil, fmt.Errorf("the value is %s; it must be an %s", nameOf(v), t.name)
	}
	object, iface, err := objects(ref)
	if err != nil {
		return nil, err
	}
	if iface != t.name {
		return nil, fmt.Errorf("%q is an %s; it must be an %s", string(ref), iface, t.name)
	}
	return object, nil
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
func (t *typ) accepts(v Value, objects lookup) bool {
	switch t.kind {
	case kindInterface:
		_, err := t.toObject(v, objects)
		return err == nil
	case kindDictionary:
		return isObject(v) || v == nil
	}
	return !isObject(v) && v != nil
}
