package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
)

// Error is a mistake in a model, or something in it that is not supported.
type Error struct {
	File    string // the path of the model; may be empty
	Node    string // which node, by its name or else its number; empty for what concerns the model
	Op      string // the node's operator, with its domain unless that is the standard's own
	Opset   int    // the version of the operator set; 0 for none
	Operand string // the operand, attribute or result at fault; may be empty
	Msg     string // what is wrong and what would be right
	Err     error  // what Msg repeats, if it came from elsewhere
}

// Error writes file, node, operator and operand in front of the message.
func (e *Error) Error() string {
	e = cmp.Or(e, new(Error))
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ": ")
	}
	if e.Node != "" {
		b.WriteString("node " + e.Node)
		if e.Op != "" {
			fmt.Fprintf(&b, " (%s", e.Op)
			if e.Opset > 0 {
				fmt.Fprintf(&b, ", opset %d", e.Opset)
			}
			b.WriteString(")")
		}
		b.WriteString(": ")
	}
	if e.Operand != "" {
		b.WriteString(e.Operand + ": ")
	}
	b.WriteString(short(e.Msg)) // names and shapes in it may have any length
	return b.String()
}

// Unwrap returns what the message repeats.
func (e *Error) Unwrap() error { return cmp.Or(e, new(Error)).Err }

// ErrScope is what the error wraps that refuses an operator since it is about something else than tensors and numbers.
var ErrScope = errors.New("out of scope")

// ErrLimit is what the error wraps that refuses a model since to translate it would take more than is allowed.
var ErrLimit = errors.New("beyond a limit")

// guard turns a panic outside of the rows, which have their own guard, into an error that wraps an [engine.InternalError]: no panic crosses
// the boundary of this package. before is what [mapfile.Watch] returns.
func guard(file, during string, before bool, err *error) {
	debug.SetPanicOnFault(before)
	if x := recover(); x != nil {
		if lost := mapfile.Fault(x); lost != nil {
			*err = lost
			return
		}
		e := &engine.InternalError{During: during, Cause: x, Stack: debug.Stack()}
		*err = &Error{File: file, Msg: e.Error(), Err: e}
	}
}

// Errors are all the mistakes that were found.
type Errors []*Error

// shownErrors is how many mistakes a message has.
const shownErrors = 10

// Error writes one mistake a line, and how many there are besides the first ten.
func (e Errors) Error() string {
	var lines []string
	for _, x := range e[:min(len(e), shownErrors)] {
		lines = append(lines, x.Error())
	}
	if n := len(e) - shownErrors; n > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the mistakes.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i, x := range e {
		out[i] = x
	}
	return out
}

// askError says that a lowering needs elements that constants do not decide.
type askError struct {
	operand string // of the node
	value   *graph.Value
}

func (e *askError) Error() string {
	return e.operand + ": its elements decide about shapes; they must be known before the run"
}
