package engine

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/op"
)

// NodeError is a failure at one node of a graph.
type NodeError struct {
	Node  *graph.Node // of the compiled graph
	Err   error
	Stack []byte // the stack of a panic; nil for other errors
}

// Error names the node and says what is wrong.
func (e *NodeError) Error() string {
	e = cmp.Or(e, new(NodeError))
	return fmt.Sprintf("%s: %v", nameOf(e.Node), e.Err)
}

// Unwrap returns what went wrong.
func (e *NodeError) Unwrap() error { return cmp.Or(e, new(NodeError)).Err }

// InputError is an input of a run that is not what the program takes.
type InputError struct {
	Name string // the input
	Got  string // the type that was given; empty if none was
	Want string // the type that is needed; empty if there is no such input
}

// Error names the input and both types.
func (e *InputError) Error() string {
	e = cmp.Or(e, new(InputError))
	switch {
	case e.Want == "":
		return fmt.Sprintf("input %s: the program has no input of this name", e.Name)
	case e.Got == "":
		return fmt.Sprintf("input %s: it is missing; want %s", e.Name, e.Want)
	}
	return fmt.Sprintf("input %s: got %s; want %s", e.Name, e.Got, e.Want)
}

// ErrBusy is returned by a session that is running already: a session serves one goroutine at a time.
var ErrBusy = errors.New("the session is running already; use one session for each goroutine")

// nameOf names a node in diagnostics: its operator, its first result and its label.
func nameOf(n *graph.Node) string {
	if n == nil {
		return "no node"
	}
	s := "node " + n.Op
	if len(n.Out) > 0 && n.Out[0] != nil {
		s += " " + n.Out[0].Name
	}
	if n.Label != "" {
		s += " [" + n.Label + "]"
	}
	return s
}

// InternalError is a mistake in Concord itself, met outside the evaluation of a node.
type InternalError struct {
	During string // what was being done
	Cause  any    // what was passed to panic
	Stack  []byte
}

// Error says what was being done and what went wrong.
func (e *InternalError) Error() string {
	e = cmp.Or(e, new(InternalError))
	return fmt.Sprintf("internal error during %s: %v", e.During, e.Cause)
}

// guard turns a panic into an *InternalError, or into the error of a mapped file whose bytes are lost. No panic crosses the boundary of this
// package. before is what [mapfile.Watch] returns.
func guard(during string, before bool, err *error) {
	debug.SetPanicOnFault(before)
	if r := recover(); r != nil {
		if *err = mapfile.Fault(r); *err == nil {
			*err = &InternalError{during, r, debug.Stack()}
		}
	}
}

// controlError is the error of a node that owns graphs.
func controlError(n *graph.Node, err error) error {
	var turns *op.TurnsError
	switch {
	case errors.As(err, new(*NodeError)) || errors.As(err, new(*LimitError)): // of a node in a block
		return err
	case errors.As(err, &turns):
		return &LimitError{What: "turns", Need: int64(turns.Most) + 1, Allowed: int64(turns.Most), Node: nameOf(n)}
	}
	return &NodeError{Node: n, Err: err}
}
