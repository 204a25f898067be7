package idl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Document is the interface.
type Document struct {
	Interfaces   []Interface
	Dictionaries []Dictionary
	Enums        []Enum
	Typedefs     []Typedef
	Limits       []Limits
}

// Interface is an interface or a mixin, with what partial declarations add to it.
type Interface struct {
	Name       string
	Anchor     string   // of the section that declares it
	Mixin      bool     // of other interfaces
	IncludedBy []string // the interfaces that include the mixin
	Extended   []string // extended attributes, such as SecureContext
	Attributes []Attribute
	Operations []Operation // overloads stand one after another
}

// Attribute is an attribute of an interface. All of them are read-only.
type Attribute struct {
	Name     string
	Type     Type
	Extended []string
}

// Operation is a method, or the constructor of an interface, which has the name "constructor" and no result.
type Operation struct {
	Name   string
	Anchor string // of the section that declares it
	Result Type
	Args   []Argument
}

// Argument is an argument of an operation.
type Argument struct {
	Name     string
	Type     Type
	Optional bool
	Default  string // as WebIDL writes it
}

// Dictionary is a dictionary, with what partial declarations add to it.
type Dictionary struct {
	Name    string
	Anchor  string // of the section that declares it
	Parent  string
	Members []Member // without the parent's
}

// Member is a member of a dictionary.
type Member struct {
	Name     string
	Type     Type
	Required bool
	Default  string // as WebIDL writes it: "1e-5", "true", "\"nchw\""; empty if there is none
}

// Enum is an enumeration.
type Enum struct {
	Name   string
	Anchor string // of the section that declares it
	Values []string
}

// Typedef names a type.
type Typedef struct {
	Name   string
	Anchor string // of the section that declares it
	Type   Type
}

// Type is a type of WebIDL.
type Type struct {
	Name         string // of a plain type; "sequence", "Promise", "FrozenArray" or "record"; "or" for a union
	Params       []Type // the types in <> or of the union
	EnforceRange bool   // [EnforceRange]: numbers out of the range of the type are errors
}

// String writes the type as WebIDL has it.
func (t Type) String() string {
	s := t.Name
	switch {
	case t.Name == "or":
		s = "(" + join(t.Params, " or ") + ")"
	case len(t.Params) > 0:
		s += "<" + join(t.Params, ", ") + ">"
	}
	if t.EnforceRange {
		s = "[EnforceRange] " + s
	}
	return s
}

func join[T fmt.Stringer](list []T, between string) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = x.String()
	}
	return strings.Join(texts, between)
}

// Is reports whether the type, or the type of the items of a list, has this name.
func (t Type) Is(name string) bool {
	return t.Name == name || (t.Name == "sequence" || t.Name == "FrozenArray") && t.Params[0].Name == name
}

// String writes the operation as WebIDL has it.
func (o Operation) String() string {
	return strings.TrimPrefix(o.Result.String()+" "+o.Name+"("+join(o.Args, ", ")+")", " ")
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

// declared writes a type, a name and a default as WebIDL has them, behind a word.
func declared(is bool, word string, t Type, name, fallback string) string {
	s := t.String() + " " + name
	if is {
		s = word + " " + s
	}
	if fallback != "" {
		s += " = " + fallback
	}
	return s
}

// String writes the argument as WebIDL has it.
func (a Argument) String() string { return declared(a.Optional, "optional", a.Type, a.Name, a.Default) }

// String writes the member as WebIDL has it.
func (m Member) String() string { return declared(m.Required, "required", m.Type, m.Name, m.Default) }

// Limits is one of the tables "Tensor limits".
type Limits struct {
	Methods []string // the methods that it holds for
	Rows    []Row
}

// Row is the row of an operand, or of a result: "output", "outputs", "output0" and so on.
type Row struct {
	Operand       string
	Types         []string // the allowed data types; "any" for all
	SameType      string   // the operand whose type it must have
	RequiredTypes []string
	Ranks         Ranks  // the allowed ranks
	SameRank      string // the operand whose rank it must have
	RequiredRanks Ranks
}

// AnyRank is the upper end of ranks without one.
const AnyRank = -1

// Ranks is a range of ranks.
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

// Typedef returns the type definition of that name, or nil.
func (d *Document) Typedef(name string) *Typedef {
	return find(d.Typedefs, func(t *Typedef) bool { return t.Name == name })
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
	return slices.DeleteFunc(slices.Clone(b.Operations), func(o Operation) bool {
		return !slices.ContainsFunc(o.Args, func(a Argument) bool { return a.Type.Is("MLOperand") })
	})
}

// LimitsOf returns the rows of the table of a method; nil if there is none.
func (d *Document) LimitsOf(method string) []Row {
	if l := find(d.Limits, func(l *Limits) bool { return slices.Contains(l.Methods, method) }); l != nil {
		return l.Rows
	}
	return nil
}
