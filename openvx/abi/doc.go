// Package abi describes the C interface of OpenVX as data: its enumerations, structures and functions. Everything that must agree
// with that interface is made from these tables by go generate: the constants of package openvx, and of the C library (cmd/libopenvx)
// the headers, the prototypes, the checks of the layout and the list of exported symbols.
package abi

import "strings"

//go:generate go run ./generate

// Enum is an enumeration.
type Enum struct {
	C       string // its name in C
	Header  string // the header that declares it
	Go      string // the type of package openvx that its members have; empty if Go programs do not need them
	Base    string // the object, enumeration or library that its members belong to: a VX_TYPE_, VX_ENUM_ or VX_LIBRARY_ constant
	Macros  bool   // its members are macros in C, which stand in Macros
	Doc     string
	Members []Member
}

// Member is a constant of an enumeration.
type Member struct {
	Name  string
	Value int64
	COnly bool   // not a constant of package openvx
	Doc   string // for attributes, the type of the value, which is read-only where nothing else is said
}

// Scalar is a name for a type of C.
type Scalar struct{ Name, C, Doc string }

// Handle is a type of objects: in C a pointer to a structure that nobody defines.
type Handle struct{ Header, Name, Tag, Doc string }

// Struct is a structure or a union.
type Struct struct {
	Header, Name string
	Union        bool
	NoTag        bool // it has no tag; others have their name with an underscore in front
	Doc          string
	Fields       []Field
}

// Field is a member of a structure.
type Field struct {
	Type, Name string
	Length     int // of an array, or 0
	Doc        string
}

// Function is a function that the C library exports.
type Function struct {
	Header, Result, Name string
	Params               string // as in C, "" if there are none
	Doc                  string
}

// Callback is the type of a function that an application gives.
type Callback struct {
	Header, Result string
	Convention     string // VX_CALLBACK or VX_API_CALL
	Name           string
	Params         string // as in C
	Doc            string
}

// Macro is a macro of the preprocessor.
type Macro struct {
	Header string
	Name   string // with parameters, if it has any
	Body   string
	Doc    string
}

// Param is a parameter of a function.
type Param struct{ Type, Name string }

// Parameters lists the parameters of a function. One that takes any number of arguments ends with a Param of type "...".
func (f Function) Parameters() []Param { return parameters(f.Params) }

// Parameters lists the parameters of a callback.
func (c Callback) Parameters() []Param { return parameters(c.Params) }

func parameters(text string) []Param {
	var list []Param
	for p := range strings.SplitSeq(text, ", ") {
		at := strings.LastIndexAny(p, " *") + 1
		switch p {
		case "":
		case "...":
			list = append(list, Param{Type: p})
		default:
			list = append(list, Param{Type: strings.TrimSpace(p[:at]), Name: p[at:]})
		}
	}
	return list
}
