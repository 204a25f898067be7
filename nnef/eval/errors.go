package eval

import (
	"fmt"

	"github.com/concord-nn/concord/nnef/syntax"
)

// Codes of diagnostics; see [syntax.Code].
const (
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
	CodePattern    syntax.Code = 801  // left side of another structure
	CodeNested     syntax.Code = 802  // several results where one value is needed
	CodeGraph      syntax.Code = 901  // rule for graph bodies
	CodeIndex      syntax.Code = 1001 // subscript out of range
	CodeIteration  syntax.Code = 1002 // iterators of unequal length
	CodeConversion syntax.Code = 1003 // conversion that is not possible
	CodeArithmetic syntax.Code = 1004 // division by zero, overflow
	CodeLimit      syntax.Code = 1005 // limit exceeded
	CodeUnknown    syntax.Code = 1006 // value that is not known at compile time
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

// fault is a diagnostic on its way to the statement that reports it. Its place is that of the innermost text that the
// caller can see.
type fault struct{ syntax.Diagnostic }

// follows marks an error that follows from one which was reported.
type follows struct{}

func (follows) Error() string { return "an earlier error" }

// trace is how many invocations a diagnostic lists.
const trace = 8

// fail returns a fault at a place of the frame's text. In a body without a text of its own that is the invocation.
func (f *frame) fail(code syntax.Code, span syntax.Span, hint, format string, args ...any) error {
	d := &fault{syntax.Diagnostic{Code: code, Source: f.src, Span: span, Message: fmt.Sprintf(format, args...), Hint: hint}}
	for f.src == nil && f.caller != nil {
		d.Message = "in the body of " + f.op + ": " + d.Message
		d.Span, d.Source = f.site, f.caller.src
		f = f.caller
	}
	for ; f.caller != nil && len(d.Related) < trace; f = f.caller {
		if f.caller.src != nil {
			d.Related = append(d.Related, syntax.Related{Source: f.caller.src, Span: f.site, Message: "in the invocation of " + f.op})
		}
	}
	return d
}

func (d *fault) Error() string { return d.Diagnostic.Error() }

func spanOf(n syntax.Node) syntax.Span { return syntax.Span{From: n.Pos(), To: n.End()} }
