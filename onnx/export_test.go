package onnx

import "github.com/concord-nn/concord/onnx/proto"

// What tests of the whole table need.

// Declared is a form of a row.
type Declared struct {
	Name    string // with the domain
	Version int
	In, Out []DeclaredOperand
	Attrs   []DeclaredAttribute
}

type DeclaredOperand struct {
	Name               string
	Optional, Variadic bool
}

type DeclaredAttribute struct {
	Name     string
	Kind     proto.AttributeType // AttributeUndefined if the row looks at it
	Required bool
}

// DeclaredForms returns all forms of all rows, in any order.
func DeclaredForms() []Declared {
	var out []Declared
	for _, r := range table() {
		for _, f := range r.forms() {
			for _, v := range f.since {
				d := Declared{Name: r.name, Version: v}
				for _, p := range f.in {
					d.In = append(d.In, DeclaredOperand{p.name, p.optional, p.variadic})
				}
				for _, p := range f.out {
					d.Out = append(d.Out, DeclaredOperand{p.name, p.optional, p.variadic})
				}
				for _, a := range f.attrs {
					d.Attrs = append(d.Attrs, DeclaredAttribute{a.name, a.kind, a.required})
				}
				out = append(out, d)
			}
		}
	}
	return out
}
