package webnn

import (
	"reflect"
	"unicode"
	"unicode/utf8"
)

//go:generate go run ./internal/idl/generate

// The operators of MLGraphBuilder as methods, a file for each family. They are a thin layer over [GraphBuilder.Call], which
// checks everything; only the compiler checks more here. What their documentation does not repeat:
//
//   - Operands of one call must come from the same builder. Element types and ranks must be those of the table "Tensor
//     limits" of the method, which docs/webnn-coverage.md lists.
//   - Dimensions, sizes and other counts are from 0 to 4294967295.
//   - Shapes broadcast as in NumPy: aligned at the last dimension, and an extent of 1 repeats.
//   - Every error is an [*Error]: InvalidStateError after [GraphBuilder.Build] or when the context is lost, and otherwise
//     TypeError, with the rule that was broken. Nothing is added to the graph then.

// single calls a method that has one result.
func (g *GraphBuilder) single(name string, options any, args ...any) (*Operand, error) {
	out, err := g.Call(name, args, dictionary(options))
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// several calls a method that has several results.
func (g *GraphBuilder) several(name string, options any, args ...any) ([]*Operand, error) {
	return g.Call(name, args, dictionary(options))
}

// dictionary turns a pointer to an option struct into the dictionary of its members that are present. A member has the
// name of its field with a small first letter.
func dictionary(options any) Options {
	v := reflect.ValueOf(options)
	if v.IsNil() {
		return nil
	}
	v = v.Elem()
	var out Options
	for i := range v.NumField() {
		if v.Field(i).IsZero() { // absent, or its default
			continue
		}
		if out == nil {
			out = make(Options)
		}
		out[memberName(v.Type().Field(i).Name)] = memberValue(v.Field(i))
	}
	return out
}

// memberName returns the name that the standard gives to the member of a field.
func memberName(field string) string {
	first, size := utf8.DecodeRuneInString(field)
	return string(unicode.ToLower(first)) + field[size:]
}

// memberValue returns the value of a field as [Options] has it: numbers and booleans without their pointers, and members of
// enumerations as strings.
func memberValue(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		if o, ok := v.Interface().(*Operand); ok {
			return o
		}
		return v.Elem().Interface()
	case reflect.String:
		return v.String()
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			words := make([]string, v.Len())
			for i := range words {
				words[i] = v.Index(i).String()
			}
			return words
		}
	}
	return v.Interface()
}
