package idl

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Document is the interface.
type Document struct {
	Interfaces   []Interface  `json:"interfaces"`
	Dictionaries []Dictionary `json:"dictionaries"`
	Enums        []Enum       `json:"enums"`
	Typedefs     []Typedef    `json:"typedefs"`
	Limits       []Limits     `json:"limits"`
}

// Interface is an interface or a mixin, with what partial declarations add to it.
type Interface struct {
	Name       string      `json:"name"`
	Anchor     string      `json:"anchor"`               // of the section that declares it
	Mixin      bool        `json:"mixin,omitempty"`      // of other interfaces
	IncludedBy []string    `json:"includedBy,omitempty"` // the interfaces that include the mixin
	Extended   []string    `json:"extended,omitempty"`   // extended attributes, such as SecureContext
	Attributes []Attribute `json:"attributes,omitempty"`
	Operations []Operation `json:"operations,omitempty"` // overloads stand one after another
}

// Attribute is an attribute of an interface. All of them are read-only.
type Attribute struct {
	Name     string   `json:"name"`
	Type     Type     `json:"type"`
	Extended []string `json:"extended,omitempty"`
}

// Operation is a method, or the constructor of an interface, which has the name "constructor" and no result.
type Operation struct {
	Name   string     `json:"name"`
	Anchor string     `json:"anchor"` // of the section that declares it
	Result Type       `json:"result,omitzero"`
	Args   []Argument `json:"args,omitempty"`
}

// Argument is an argument of an operation.
type Argument struct {
	Name     string `json:"name"`
	Type     Type   `json:"type"`
	Optional bool   `json:"optional,omitempty"`
	Default  string `json:"default,omitempty"` // as WebIDL writes it
}

// Dictionary is a dictionary, with what partial declarations add to it.
type Dictionary struct {
	Name    string   `json:"name"`
	Anchor  string   `json:"anchor"` // of the section that declares it
	Parent  string   `json:"parent,omitempty"`
	Members []Member `json:"members,omitempty"` // without the parent's
}

// Member is a member of a dictionary.
type Member struct {
	Name     string `json:"name"`
	Type     Type   `json:"type"`
	Required bool   `json:"required,omitempty"`
	Default  string `json:"default,omitempty"` // as WebIDL writes it: "1e-5", "true", "\"nchw\""; empty if there is none
}

// Enum is an enumeration.
type Enum struct {
	Name   string   `json:"name"`
	Anchor string   `json:"anchor"` // of the section that declares it
	Values []string `json:"values"`
}

// Typedef names a type.
type Typedef struct {
	Name   string `json:"name"`
	Anchor string `json:"anchor"` // of the section that declares it
	Type   Type   `json:"type"`
}

// Type is a type of WebIDL. In JSON it is its text.
type Type struct {
	Name         string // of a plain type; "sequence", "Promise", "FrozenArray" or "record"; "or" for a union
	Params       []Type // the types in <> or of the union
	EnforceRange bool   // [EnforceRange]: numbers out of the range of the type are errors
}

// String writes the type as WebIDL has it.
func (t Type) String() string {
	params := make([]string, len(t.Params))
	for i, p := range t.Params {
		params[i] = p.String()
	}
	s := t.Name
	switch {
	case t.Name == "or":
		s = "(" + strings.Join(params, " or ") + ")"
	case len(params) > 0:
		s += "<" + strings.Join(params, ", ") + ">"
	}
	if t.EnforceRange {
		s = "[EnforceRange] " + s
	}
	return s
}

// MarshalText writes the type as String does.
func (t Type) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (t *Type) UnmarshalText(text []byte) error {
	p, err := newParser(string(text))
	if err != nil {
		return err
	}
	read := p.typ()
	if p.err == nil && p.tok.kind != end {
		p.fail("the end of the type")
	}
	if p.err == nil {
		*t = read
	}
	return p.err
}

// Is reports whether the type, or the type of the items of a list, has this name.
func (t Type) Is(name string) bool {
	return t.Name == name || (t.Name == "sequence" || t.Name == "FrozenArray") && t.Params[0].Name == name
}

// String writes the operation as WebIDL has it.
func (o Operation) String() string {
	args := make([]string, len(o.Args))
	for i, a := range o.Args {
		args[i] = a.String()
	}
	s := o.Name + "(" + strings.Join(args, ", ") + ")"
	if o.Result.Name != "" {
		s = o.Result.String() + " " + s
	}
	return s
}

// Key names one of several overloads: the name and the names of the arguments, such as "constant(descriptor, buffer)".
func (o Operation) Key() string {
	names := make([]string, len(o.Args))
	for i, a := range o.Args {
		names[i] = a.Name
	}
	return o.Name + "(" + strings.Join(names, ", ") + ")"
}

// Options returns the name of the dictionary of the last argument if that is optional, and else "".
func (o Operation) Options() string {
	if n := len(o.Args); n > 0 && o.Args[n-1].Optional {
		return o.Args[n-1].Type.Name
	}
	return ""
}

// String writes the argument as WebIDL has it.
func (a Argument) String() string {
	s := a.Type.String() + " " + a.Name
	if a.Optional {
		s = "optional " + s
	}
	if a.Default != "" {
		s += " = " + a.Default
	}
	return s
}

// String writes the member as WebIDL has it.
func (m Member) String() string {
	s := m.Type.String() + " " + m.Name
	if m.Required {
		s = "required " + s
	}
	if m.Default != "" {
		s += " = " + m.Default
	}
	return s
}

// Value returns the default as a bool, float64 or string; nil if there is none.
func (m Member) Value() any {
	var v any
	if err := json.Unmarshal([]byte(m.Default), &v); err != nil {
		return nil
	}
	return v
}

// Limits is one of the tables "Tensor limits".
type Limits struct {
	Methods []string `json:"methods"` // the methods that it holds for
	Rows    []Row    `json:"rows"`
}

// Row is the row of an operand, or of a result: "output", "outputs", "output0" and so on.
type Row struct {
	Operand       string   `json:"operand"`
	Types         []string `json:"types,omitempty"`    // the allowed data types; "any" for all
	SameType      string   `json:"sameType,omitempty"` // the operand whose type it must have
	RequiredTypes []string `json:"requiredTypes"`
	Ranks         Ranks    `json:"ranks,omitzero"`     // the allowed ranks
	SameRank      string   `json:"sameRank,omitempty"` // the operand whose rank it must have
	RequiredRanks Ranks    `json:"requiredRanks"`
}

// AnyRank is the upper end of ranks without one.
const AnyRank = -1

// Ranks is a range of ranks. In JSON it is its text.
type Ranks struct{ Min, Max int }

// String writes the range as the standard does: "4", "1 to 5", "1 to N", and "N" for any rank.
func (r Ranks) String() string {
	switch {
	case r == Ranks{0, AnyRank}:
		return "N"
	case r.Max == AnyRank:
		return strconv.Itoa(r.Min) + " to N"
	case r.Min == r.Max:
		return strconv.Itoa(r.Min)
	}
	return fmt.Sprintf("%d to %d", r.Min, r.Max)
}

// MarshalText writes the range as String does.
func (r Ranks) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (r *Ranks) UnmarshalText(text []byte) error {
	if string(text) == "N" {
		*r = Ranks{0, AnyRank}
		return nil
	}
	low, high, ranged := strings.Cut(string(text), " to ")
	read := Ranks{Max: AnyRank}
	var err error
	if read.Min, err = strconv.Atoi(low); err != nil {
		return fmt.Errorf("%q is no range of ranks", text)
	}
	if !ranged {
		high = low
	}
	if high != "N" {
		if read.Max, err = strconv.Atoi(high); err != nil {
			return fmt.Errorf("%q is no range of ranks", text)
		}
	}
	if read.Min < 0 || high != "N" && read.Max < read.Min {
		return fmt.Errorf("%q is no range of ranks", text)
	}
	*r = read
	return nil
}

// Interface returns the interface of that name, or nil.
func (d *Document) Interface(name string) *Interface {
	return find(d.Interfaces, func(i *Interface) bool { return i.Name == name })
}

// Dictionary returns the dictionary of that name, or nil.
func (d *Document) Dictionary(name string) *Dictionary {
	return find(d.Dictionaries, func(x *Dictionary) bool { return x.Name == name })
}

// Enum returns the enumeration of that name, or nil.
func (d *Document) Enum(name string) *Enum {
	return find(d.Enums, func(e *Enum) bool { return e.Name == name })
}

func find[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Operators returns the methods of MLGraphBuilder that make operands from operands.
func (d *Document) Operators() []Operation {
	b := d.Interface("MLGraphBuilder")
	if b == nil {
		return nil
	}
	var out []Operation
	for _, o := range b.Operations {
		if slices.ContainsFunc(o.Args, func(a Argument) bool { return a.Type.Is("MLOperand") }) {
			out = append(out, o)
		}
	}
	return out
}

// LimitsOf returns the rows of the table of a method; nil if there is none.
func (d *Document) LimitsOf(method string) []Row {
	for _, l := range d.Limits {
		if slices.Contains(l.Methods, method) {
			return l.Rows
		}
	}
	return nil
}

//go:embed idl.json
var data []byte

// Load returns the interface that the data of this package describes. It must not be changed.
var Load = sync.OnceValue(func() *Document {
	var d Document
	if err := json.Unmarshal(data, &d); err != nil {
		panic("webnn/internal/idl: idl.json: " + err.Error()) // a damaged file of this repository
	}
	return &d
})
