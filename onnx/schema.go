package onnx

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// form is an operator as some versions of the standard declare it.
type form struct {
	since   []int // the versions that declare it so, ascending
	in, out []param
	attrs   []attribute
	all     []*form // of the operator
}

// declarations returns the forms of an operator, which are read when somebody asks: a model has few of the operators.
type declarations func() []*form

// param declares an operand or a result.
type param struct {
	name     string
	optional bool
	variadic bool     // any number; only the last one
	types    op.Types // what an operand may be, where the operators that the node becomes would take more; 0 for whatever they take
}

// attribute declares an attribute of a node.
type attribute struct {
	name     string
	kind     proto.AttributeType // AttributeUndefined if the row looks at it
	required bool
	value    any // the default, nil for none: int, float64 or string
}

// forms reads declarations: pairs of versions, as in "1 6 13", and what they declare, as in
//
//	X, W, B?; auto_pad="NOTSET", group=1, pads: ints, axis: int! -> Y, Mask?
//
// A question mark is behind what may be absent, and three points are behind what may be repeated. An attribute has its default or, behind
// a colon, its type, with an exclamation mark if it must be given. An operand that is cast, or that constants must decide, has behind a colon
// the types that it may have.
//
// It is not inlined, or the table of operators would hold some hundred copies of it.
//
//go:noinline
func forms(pairs ...string) declarations {
	return sync.OnceValue(func() []*form {
		var out []*form
		for i := 0; i+1 < len(pairs); i += 2 {
			out = append(out, parseForm(pairs[i], pairs[i+1]))
		}
		for _, f := range out {
			f.all = out
		}
		return out
	})
}

func parseForm(versions, text string) *form {
	f := &form{}
	for _, v := range strings.Fields(versions) {
		n, err := strconv.Atoi(v)
		if err != nil {
			panic("onnx: version " + v)
		}
		f.since = append(f.since, n)
	}
	text, results, _ := strings.Cut(text, "->")
	operands, attrs, _ := strings.Cut(text, ";")
	f.in, f.out = parseParams(operands), parseParams(results)
	if results == "" {
		f.out = []param{{name: "Y"}}
	}
	for _, a := range list(attrs) {
		f.attrs = append(f.attrs, parseAttribute(a))
	}
	return f
}

func list(text string) []string {
	var out []string
	for _, x := range strings.Split(text, ",") {
		if x = strings.TrimSpace(x); x != "" {
			out = append(out, x)
		}
	}
	return out
}

func parseParams(text string) []param {
	var out []param
	for _, x := range list(text) {
		x, types, limited := strings.Cut(x, ": ")
		p := param{name: strings.TrimRight(x, "?."), types: operandTypes[types]}
		p.optional, p.variadic = strings.HasSuffix(x, "?"), strings.Contains(x, "...")
		if limited && p.types == 0 {
			panic("onnx: types " + types)
		}
		out = append(out, p)
	}
	return out
}

// operandTypes are the element types that a declaration names.
var operandTypes = map[string]op.Types{
	"any": op.AnyType, "float": op.Floats, "integer": op.Integers, "number": op.Numbers, "scale": op.Floats | op.TypeSet(tensor.Float8E8M0), "step": op.Floats | op.TypeSet(tensor.Int32, tensor.Float8E8M0),
}

// kinds are the types of attributes that a declaration names.
var kinds = map[string]proto.AttributeType{
	"int": proto.AttributeInt, "float": proto.AttributeFloat, "string": proto.AttributeString, "tensor": proto.AttributeTensor,
	"graph": proto.AttributeGraph, "ints": proto.AttributeInts, "floats": proto.AttributeFloats, "strings": proto.AttributeStrings,
	"sparse": proto.AttributeSparseTensor, "type": proto.AttributeTypeProto,
}

func parseAttribute(text string) attribute {
	if name, kind, ok := strings.Cut(text, ":"); ok {
		kind, required := strings.CutSuffix(strings.TrimSpace(kind), "!")
		k, ok := kinds[kind]
		if !ok {
			panic("onnx: attribute " + text)
		}
		return attribute{name: name, kind: k, required: required}
	}
	name, value, _ := strings.Cut(text, "=")
	if s, err := strconv.Unquote(value); err == nil {
		return attribute{name: name, kind: proto.AttributeString, value: s}
	}
	if n, err := strconv.Atoi(value); err == nil {
		return attribute{name: name, kind: proto.AttributeInt, value: n}
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		panic("onnx: attribute " + text)
	}
	return attribute{name: name, kind: proto.AttributeFloat, value: float64(float32(x))}
}

// declared returns the declaration of an attribute, or nil.
func (f *form) declared(name string) *attribute {
	for i := range f.attrs {
		if f.attrs[i].name == name {
			return &f.attrs[i]
		}
	}
	return nil
}

// attributeNames are the types of attributes as errors call them.
var attributeNames = map[proto.AttributeType]string{
	proto.AttributeFloat: "a float", proto.AttributeInt: "an integer", proto.AttributeString: "a string", proto.AttributeTensor: "a tensor",
	proto.AttributeGraph: "a graph", proto.AttributeFloats: "floats", proto.AttributeInts: "integers", proto.AttributeStrings: "strings",
	proto.AttributeTensors: "tensors", proto.AttributeGraphs: "graphs", proto.AttributeSparseTensor: "a sparse tensor",
	proto.AttributeSparseTensors: "sparse tensors", proto.AttributeTypeProto: "a type", proto.AttributeTypeProtos: "types",
}

// check returns what is wrong with the attributes and the numbers of operands and results of a node: name and message for each mistake.
func (f *form) check(n *proto.Node) (out [][2]string) {
	seen := make(map[string]bool)
	for _, a := range n.Attribute {
		d := f.declared(a.Name)
		switch {
		case d == nil:
			out = append(out, [2]string{a.Name, "the operator has no such attribute" + f.offer()})
		case seen[a.Name]:
			out = append(out, [2]string{a.Name, "the attribute is given twice"})
		case a.RefAttrName == "" && a.Type != d.kind && a.Type != proto.AttributeUndefined && d.kind != proto.AttributeUndefined:
			out = append(out, [2]string{a.Name, fmt.Sprintf("the attribute is %s; it must be %s", named(a.Type), named(d.kind))})
		}
		seen[a.Name] = true
	}
	for _, d := range f.attrs {
		if d.required && !seen[d.name] {
			out = append(out, [2]string{d.name, "the attribute is missing"})
		}
	}
	return append(append(out, count(f.in, n.Input, "operand")...), count(f.out, n.Output, "result")...)
}

func named(k proto.AttributeType) string {
	if s, ok := attributeNames[k]; ok {
		return s
	}
	return fmt.Sprintf("of the unknown type %d", k)
}

// offer lists the attributes that there are.
func (f *form) offer() string {
	if len(f.attrs) == 0 {
		return "; it has none"
	}
	names := make([]string, len(f.attrs))
	for i, a := range f.attrs {
		names[i] = a.name
	}
	return "; there are " + strings.Join(names, ", ")
}

// count checks the number of operands or results, and that those which must be there are.
func count(declared []param, given []string, what string) (out [][2]string) {
	n := len(declared)
	if len(given) > n && (n == 0 || !declared[n-1].variadic) {
		return [][2]string{{"", fmt.Sprintf("%d %ss are named; there are %d", len(given), what, n)}}
	}
	if what == "result" { // any of them may be left out
		if len(given) == 0 {
			out = append(out, [2]string{"", "no result is named"})
		}
		return out
	}
	for i, d := range declared {
		if !d.optional && !d.variadic && (i >= len(given) || given[i] == "") {
			out = append(out, [2]string{d.name, "the " + what + " is missing"})
		}
	}
	return out
}
