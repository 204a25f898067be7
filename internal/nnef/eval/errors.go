package eval

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Codes of diagnostics; see [syntax.Code].
const (
	CodeDefault    syntax.Code = 403  // default of another type than its parameter
	CodeUndefined  syntax.Code = 501  // identifier without a value
	CodeUndeclared syntax.Code = 502  // unknown operation
	CodeRedefined  syntax.Code = 503  // identifier assigned twice
	CodeUnassigned syntax.Code = 504  // result that is never assigned
	CodeNoBody     syntax.Code = 505  // operation that is declared but not known
	CodeTooMany    syntax.Code = 601  // more arguments than parameters
	CodeMissing    syntax.Code = 602  // argument missing
	CodeDuplicate  syntax.Code = 603  // argument given twice
	CodeParameter  syntax.Code = 604  // unknown parameter
	CodePositional syntax.Code = 605  // attribute by position, or position after name
	CodeType       syntax.Code = 701  // argument of another type
	CodeOperands   syntax.Code = 702  // operator or builtin on types that it does not take
	CodeGeneric    syntax.Code = 703  // generic type missing, conflicting or not expected
	CodeResultType syntax.Code = 704  // result of another type
	CodeCommon     syntax.Code = 705  // items of an array, or branches, without a common type
	CodeNested     syntax.Code = 706  // several results where one value is needed
	CodePattern    syntax.Code = 801  // left side of another structure
	CodeGraph      syntax.Code = 901  // rule for graph bodies
	CodeIndex      syntax.Code = 1001 // subscript out of range
	CodeIteration  syntax.Code = 1002 // iterators of unequal length
	CodeConversion syntax.Code = 1003 // conversion that is not possible
	CodeArithmetic syntax.Code = 1004 // division by zero, overflow
	CodeLimit      syntax.Code = 1005 // limit exceeded
	CodeUnknown    syntax.Code = 1006 // value that is not known at compile time
	CodeLength     syntax.Code = 1007 // array of another length than the left side
	CodeAttribute  syntax.Code = 1101 // attribute out of range
	CodeShape      syntax.Code = 1201 // shapes do not agree
)

// Error is what Apply returns about an invocation.
type Error struct {
	Code syntax.Code
	Arg  string // the parameter whose argument is at fault; empty for the whole invocation
	Msg  string
	Hint string
}

// Error returns the message.
func (e *Error) Error() string { return e.Msg }

// First returns the first mistake that the evaluation of a body has found, as an error about the invocation that has the body.
func First(err error) error {
	var list syntax.Diagnostics
	if errors.As(err, &list) && len(list) > 0 {
		return &Error{Code: list[0].Code, Msg: list[0].Message, Hint: list[0].Hint}
	}
	return err
}

// Blame returns an error about a part of an operation as one about the operation itself, and about the argument of it that its body hands on, if
// there is one. The part is an operation that the body invokes at a site.
func (c *Invocation) Blame(part *Operation, site *Site, err error) error {
	inner := &Error{Code: CodeShape, Msg: err.Error()}
	errors.As(err, &inner)
	outer := &Error{Code: inner.Code, Msg: "in the body of " + c.Op.Name + ": " + inner.Msg, Hint: inner.Hint}
	i := part.Index(inner.Arg)
	if i < 0 || len(site.Trace()) > 2 { // the names are those of a fragment in between
		return outer
	}
	given := site.Names(i)
	for _, p := range c.Op.Params {
		if slices.Contains(given, p.Name) {
			text := strings.TrimPrefix(strings.TrimPrefix(inner.Msg, part.Name+": "), inner.Arg+": ")
			outer.Arg, outer.Msg = p.Name, c.Op.Name+": "+p.Name+": "+text
			break
		}
	}
	return outer
}

// fault is a diagnostic on its way to the statement that reports it. Its place is that of the innermost text that the
// caller can see.
type fault struct{ syntax.Diagnostic }

func (d *fault) Error() string { return d.Diagnostic.Error() }

// with adds a place that helps to understand the fault, before the invocations.
func (d *fault) with(r ...syntax.Related) *fault {
	d.Related = append(r, d.Related...)
	return d
}

// follows marks an error that follows from one which was reported.
type follows struct{}

func (follows) Error() string { return "an earlier error" }

// trace is how many invocations a diagnostic lists.
const trace = 8

// fail returns a fault at a place of the text of the body. In a body without a text of its own that is the invocation.
func (f *place) fail(code syntax.Code, span syntax.Span, hint, format string, args ...any) *fault {
	d := &fault{syntax.Diagnostic{Code: code, Source: f.op.Source, Span: span, Message: fmt.Sprintf(format, args...), Hint: hint}}
	for f.op.Source == nil && f.caller != nil {
		d.Message = "in the body of " + f.op.Name + ": " + d.Message
		d.Span, d.Source = f.site, f.caller.op.Source
		f = f.caller
	}
	for ; f.caller != nil && len(d.Related) < trace; f = f.caller {
		r := syntax.Related{Source: f.caller.op.Source, Span: f.site, Message: "in the invocation of " + f.op.Name}
		if r.Source != nil && !slices.Contains(d.Related, r) { // recursion repeats them
			d.Related = append(d.Related, r)
		}
	}
	return d
}

// foreign says what to write for words of other languages.
var foreign = map[string]string{
	"True": "write true", "TRUE": "write true", "False": "write false", "FALSE": "write false",
	"None": "leave the argument out", "null": "leave the argument out", "NULL": "leave the argument out", "nil": "leave the argument out",
	"inf": "there is no infinity; write a large number, such as 3.4e38", "nan": "there is no such number",
}

// undefined says that an identifier has no value, and why that may be.
func (f *frame) undefined(x *syntax.Ident) error {
	if first := f.definition(x.Name); first != nil && first.From > x.From {
		return f.fail(CodeUndefined, x.Span, "move its assignment before this use", "%s is used before it is assigned", x.Name).
			with(syntax.Related{Source: f.op.Source, Span: first.Span, Message: x.Name + " is assigned here"})
	}
	hint := foreign[x.Name]
	if hint == "" {
		hint = DoYouMean(x.Name, f.vars.names)
	}
	return f.fail(CodeUndefined, x.Span, hint, "%s has no value here", x.Name)
}

// Explainer is a [Library] that can say more about a name which it does not resolve.
type Explainer interface {
	Library
	// Explain returns what would be right, and places that help to understand.
	Explain(name string) (hint string, related []syntax.Related)
}

// undeclared says that there is no operation of a name.
func (f *frame) undeclared(x *syntax.Ident) error {
	hint, related := "declare a fragment of that name before its use", []syntax.Related(nil)
	if lib, ok := f.op.Scope.(Explainer); ok {
		hint, related = lib.Explain(x.Name)
	}
	return f.fail(CodeUndeclared, x.Span, hint, "there is no operation %s", x.Name).with(related...)
}

// redefined says that an identifier has a value already, and where it got that.
func (f *frame) redefined(id *syntax.Ident) error {
	if f.op.Decl != nil && declares(f.op.Decl.Params, id.Name) && declares(f.op.Decl.Results, id.Name) {
		return follows{} // the declaration is at fault
	}
	what := "is assigned twice"
	if f.vars.isParam(id.Name) {
		what = "is a parameter and cannot be assigned"
	}
	d := f.fail(CodeRedefined, id.Span, "choose another name", "%s %s", id.Name, what)
	if first := f.definition(id.Name); first != nil && first != id {
		d = d.with(syntax.Related{Source: f.op.Source, Span: first.Span, Message: id.Name + " is defined here"})
	}
	return d
}

func declares(list []syntax.Param, name string) bool {
	return slices.ContainsFunc(list, func(p syntax.Param) bool { return p.Name.Name == name })
}

// definition returns where a name is defined first in the text, nil if it is not.
func (f *frame) definition(name string) *syntax.Ident {
	if f.op.Decl != nil && f.op.Decl.Source == f.op.Source {
		for i := range f.op.Decl.Params {
			if p := f.op.Decl.Params[i].Name; p.Name == name {
				return p
			}
		}
	}
	for i := range f.op.Body {
		for id := range f.op.Body[i].Names() {
			if id.Name == name {
				return id
			}
		}
	}
	return nil
}

// DoYouMean returns a hint if one of the names is nearly the given one, and else nothing.
func DoYouMean(name string, names []string) string {
	if best := naming.Near(name, names); best != "" {
		return "do you mean " + best + "?"
	}
	return ""
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
