package onnx_test

import (
	"strconv"
	"strings"

	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
)

// declared is a form of an operator in one version.
type declared struct {
	name    string // with the domain
	version int
	in, out []declaredOperand
	attrs   []declaredAttribute
}

type declaredOperand struct {
	name               string
	optional, variadic bool
}

type declaredAttribute struct {
	name     string
	kind     proto.AttributeType // AttributeUndefined for a number, and for any type
	required bool
}

// declaredForms returns all forms of all operators, ours too, in any order.
func declaredForms() []declared {
	var out []declared
	for _, o := range onnx.Operators() {
		for _, f := range o.Forms {
			for _, v := range f.Since {
				d := declared{name: o.Name, version: v, in: operandsOf(f.Operands), out: operandsOf(f.Results)}
				for _, a := range f.Attributes {
					d.attrs = append(d.attrs, attributeOf(a))
				}
				out = append(out, d)
			}
		}
	}
	for _, o := range op.All() {
		d := declared{name: onnx.OwnDomain + "." + o.Name, version: onnx.OwnVersion}
		for _, p := range o.In {
			d.in = append(d.in, declaredOperand{p.Name, p.Optional, p.Variadic})
		}
		for _, p := range o.Out {
			d.out = append(d.out, declaredOperand{name: p.Name, variadic: p.Variadic})
		}
		for _, a := range o.Attrs {
			d.attrs = append(d.attrs, declaredAttribute{name: a.Name, required: a.Default == nil})
		}
		for _, b := range o.Blocks {
			d.attrs = append(d.attrs, declaredAttribute{b.Name, proto.AttributeGraph, true})
		}
		out = append(out, d)
	}
	return out
}

func operandsOf(texts []string) []declaredOperand {
	out := make([]declaredOperand, len(texts))
	for i, text := range texts {
		out[i] = declaredOperand{strings.TrimRight(text, "?…"), strings.HasSuffix(text, "?"), strings.HasSuffix(text, "…")}
	}
	return out
}

// attributeKinds are the names that declarations have for kinds.
var attributeKinds = map[string]proto.AttributeType{
	"int": proto.AttributeInt, "float": proto.AttributeFloat, "string": proto.AttributeString, "tensor": proto.AttributeTensor,
	"graph": proto.AttributeGraph, "ints": proto.AttributeInts, "floats": proto.AttributeFloats, "strings": proto.AttributeStrings,
	"sparse": proto.AttributeSparseTensor, "type": proto.AttributeTypeProto,
}

// attributeOf reads "name: kind", with an exclamation mark behind one that must be there, or "name=default".
func attributeOf(text string) declaredAttribute {
	if name, kind, ok := strings.Cut(text, ": "); ok {
		kind, required := strings.CutSuffix(kind, "!")
		return declaredAttribute{name, attributeKinds[kind], required}
	}
	name, value, _ := strings.Cut(text, "=")
	a := declaredAttribute{name: name}
	if _, err := strconv.Atoi(value); err == nil {
		return a // 1 may be an integer or 1.0
	}
	if a.kind = proto.AttributeFloat; strings.HasPrefix(value, `"`) {
		a.kind = proto.AttributeString
	}
	return a
}
