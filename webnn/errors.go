package webnn

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/concord-nn/concord/internal/escape"
)

// ErrorName is the kind of an error by the name that the standard gives it: a JavaScript error or the name of a
// DOMException. It is an error itself, so that errors.Is(err, webnn.TypeError) tells kinds apart.
type ErrorName string

// The kinds of errors that the algorithms of the standard name.
const (
	// TypeError is an argument that the algorithm rejects.
	TypeError ErrorName = "TypeError"
	// RangeError is a number or a length that cannot be.
	RangeError ErrorName = "RangeError"
	// InvalidStateError is the use of a lost context, a destroyed graph or a builder that has built.
	InvalidStateError ErrorName = "InvalidStateError"
	// OperationError is a graph that cannot be compiled.
	OperationError ErrorName = "OperationError"
	// UnknownError is memory that cannot be had, or data that cannot be read.
	UnknownError ErrorName = "UnknownError"
)

// Error returns the name.
func (n ErrorName) Error() string { return string(n) }

// Error is a call that was rejected.
type Error struct {
	Name   ErrorName
	Method string // the member of the interface, such as "MLGraphBuilder.conv2d"
	Label  string // the operator's label, as it was given
	Rule   string // the step of the algorithm that rejects the call, such as "conv2d.groups"
	Reason string // what is wrong and what would be right
	Err    error  // the cause; may be nil
}

// rejection makes the error of a call that a step rejects. The rule is named after the method and the step; what format
// wraps by %w is the cause.
func rejection(name ErrorName, method, label, rule, format string, args ...any) *Error {
	reason := fmt.Errorf(format, args...)
	_, member, _ := strings.Cut(method, ".")
	return &Error{Name: name, Method: method, Label: label, Rule: member + "." + rule, Reason: reason.Error(), Err: errors.Unwrap(reason)}
}

// reject is [rejection] for the methods whose calls have no label.
func reject(name ErrorName, method, rule, format string, args ...any) error {
	return rejection(name, method, "", rule, format, args...)
}

// Error writes the error as "TypeError: [label] MLGraphBuilder.conv2d: reason". Control characters, characters that change
// the direction of text and bytes that are no UTF-8 are escaped: labels and names may come from a page.
func (e *Error) Error() string {
	e = cmp.Or(e, new(Error))
	var b strings.Builder
	b.WriteString(string(e.Name) + ": ")
	if e.Label != "" {
		b.WriteString("[" + escape.Text(e.Label) + "] ")
	}
	b.WriteString(escape.Text(e.Method + ": " + e.Reason))
	return b.String()
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Name}
	}
	return []error{e.Name, e.Err}
}
