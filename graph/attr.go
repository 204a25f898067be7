package graph

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/tensor"
)

// Attr is a named compile-time argument of a node. Its value is a bool, int, float64, string, tensor.DType, []int,
// []float64 or []string.
type Attr struct {
	Name  string
	Value any
}

// Attrs are the attributes of a node. Once a node is in a graph they are complete, defaults included, in the order of
// the operator's definition, and must not be changed.
type Attrs []Attr

// AttrsOf makes a list of names and values in turn. The names must be strings: what stands in the place of one, and a name without a value, becomes
// an attribute that no operator has, which whoever adds the node is told.
func AttrsOf(pairs ...any) Attrs {
	out := make(Attrs, 0, (len(pairs)+1)/2)
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok || i+1 == len(pairs) {
			out = append(out, Attr{Name: fmt.Sprintf("!(%v)", pairs[i])})
			continue
		}
		out = append(out, Attr{Name: name, Value: pairs[i+1]})
	}
	return out
}

// Get returns the value of the attribute, or nil.
//
//go:noinline
func (a Attrs) Get(name string) any { // it is asked for in thousands of places, each of which would have the loop
	for i := range a {
		if a[i].Name == name {
			return a[i].Value
		}
	}
	return nil
}

// With returns a copy in which the attribute has the value.
func (a Attrs) With(name string, value any) Attrs {
	out := slices.Clone(a)
	for i := range out {
		if out[i].Name == name {
			out[i].Value = value
			return out
		}
	}
	return append(out, Attr{name, value})
}

// Int returns an integer attribute, 0 if there is none.
func (a Attrs) Int(name string) int { v, _ := a.Get(name).(int); return v }

// Ints returns a list of integers, nil if there is none. The caller must not change it.
func (a Attrs) Ints(name string) []int { v, _ := a.Get(name).([]int); return v }

// Float returns a number, 0 if there is none.
func (a Attrs) Float(name string) float64 { v, _ := a.Get(name).(float64); return v }

// Floats returns a list of numbers, nil if there is none. The caller must not change it.
func (a Attrs) Floats(name string) []float64 { v, _ := a.Get(name).([]float64); return v }

// Bool returns a logical attribute, false if there is none.
func (a Attrs) Bool(name string) bool { v, _ := a.Get(name).(bool); return v }

// String returns a string attribute, "" if there is none.
func (a Attrs) String(name string) string { v, _ := a.Get(name).(string); return v }

// Strings returns a list of strings, nil if there is none. The caller must not change it.
func (a Attrs) Strings(name string) []string { v, _ := a.Get(name).([]string); return v }

// DType returns an element type, tensor.Invalid if there is none.
func (a Attrs) DType(name string) tensor.DType { v, _ := a.Get(name).(tensor.DType); return v }

// Kind is the kind of value that an attribute takes.
type Kind uint8

// The kinds of attributes.
const (
	KindBool Kind = iota + 1
	KindInt
	KindFloat
	KindString
	KindDType
	KindInts
	KindFloats
	KindStrings
)

var kindNames = [...]string{
	KindBool: "logical", KindInt: "integer", KindFloat: "scalar", KindString: "string", KindDType: "element type",
	KindInts: "integer[]", KindFloats: "scalar[]", KindStrings: "string[]",
}

// String names the kind as NNEF does: "integer", "scalar[]".
func (k Kind) String() string {
	if int(k) >= len(kindNames) || k == 0 {
		return fmt.Sprintf("kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// KindOf returns the kind of a value, and 0 for a value that no attribute can have.
func KindOf(value any) Kind {
	switch value.(type) {
	case bool:
		return KindBool
	case int:
		return KindInt
	case float64:
		return KindFloat
	case string:
		return KindString
	case tensor.DType:
		return KindDType
	case []int:
		return KindInts
	case []float64:
		return KindFloats
	case []string:
		return KindStrings
	}
	return 0
}
