// Package fault has the errors of CVM models: each has the class that the original runtime gives it, the stage of admission at which
// it arose, and a place.
package fault

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/escape"
)

// Class says who is at fault. On a chain a Logic error costs the caller gas and a Runtime error does not.
type Class int

// The classes, with the numbers of the original's interface.
const (
	OK      Class = 0
	Logic   Class = 1 // the model or the caller is at fault: a rule of the standard is violated
	Runtime Class = 2 // anything else: malformed text, an unknown operator, a resource that ran out
)

// String returns "ok", "logic" or "runtime".
func (c Class) String() string {
	switch c {
	case OK:
		return "ok"
	case Logic:
		return "logic"
	}
	return "runtime"
}

// Stage is a step of loading, admitting or running a model.
type Stage string

// The stages in their order.
const (
	Text      Stage = "text"       // the JSON of the graph
	Lookup    Stage = "op_lookup"  // operators by their names
	Attrs     Stage = "attr_parse" // attributes of operators
	NumInputs Stage = "num_inputs" // operands of operators
	Graph     Stage = "graph"      // lists, versions, topology
	Storage   Stage = "storage"    // the storage plan
	Shape     Stage = "shape"      // shape inference
	Precision Stage = "precision"  // precision inference
	Limits    Stage = "limits"     // gas and sizes
	Params    Stage = "params"     // the parameter file
	Input     Stage = "input"      // the bytes of an input
	Run       Stage = "run"        // inference and post-processing
)

// Error is why a model or an input is refused.
type Error struct {
	Class Class `json:"-"`
	Stage Stage `json:"stage"`

	File   string `json:"file,omitempty"`   // where it is known
	Line   int    `json:"line,omitempty"`   // in the graph's text, from 1; 0 where there is no place in it
	Column int    `json:"column,omitempty"` // in bytes, from 1
	Offset int64  `json:"-"`                // in the parameter file, where Stage is Params and Line is 0; -1 where there is no place in it, either

	Node     int    `json:"-"`                  // the node's number; -1 if no single node is at fault
	Name     string `json:"name,omitempty"`     // of the node
	Operator string `json:"operator,omitempty"` // as the graph spells it
	Part     string `json:"part,omitempty"`     // the operand, output, attribute, key or parameter at fault; may be empty

	Msg  string `json:"message,omitempty"` // what is wrong
	Want string `json:"want,omitempty"`    // what would be right; may be empty where Msg says it
	Err  error  `json:"-"`                 // the cause, where there is one
}

// New returns an error of a class that has no place yet: Node is -1, and the caller sets what he knows. Strings among args are shortened,
// as models may make them as long as they like.
func New(class Class, stage Stage, format string, args ...any) *Error {
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			args[i] = clip(s)
		}
	}
	return &Error{Class: class, Stage: stage, Node: -1, Msg: fmt.Sprintf(format, args...)}
}

// Logicf returns an error of class Logic, as [New] does.
func Logicf(stage Stage, format string, args ...any) *Error {
	return New(Logic, stage, format, args...)
}

// Runtimef returns an error of class Runtime, as [New] does.
func Runtimef(stage Stage, format string, args ...any) *Error {
	return New(Runtime, stage, format, args...)
}

// With returns the error with the part at fault and with what would be right, either of which may be empty.
func (e *Error) With(part, want string) *Error {
	e.Part, e.Want = part, want
	return e
}

// Caught returns the error of a recovered panic with which rules and readers of models end; nil if there was no panic. Other panics go on.
func Caught(r any) *Error {
	switch e := r.(type) {
	case nil:
		return nil
	case *Error:
		return e
	}
	panic(r)
}

// ClassOf returns the class of an error: OK for nil, and Runtime for one that has no *Error in its chain.
func ClassOf(err error) Class {
	if err == nil {
		return OK
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return Runtime
}

// Unwrap returns the cause, where there is one.
func (e *Error) Unwrap() error { return cmp.Or(e, new(Error)).Err }

// Error returns one line: the place, the node, what is wrong there, what would be right, and the cause.
//
//	symbol.json:12:9: node 3 "pool_3" (max_pool2d): pool_size: must be given; want a tuple like (2, 2)
func (e *Error) Error() string {
	e = cmp.Or(e, &Error{Node: -1})
	cause := ""
	if e.Err != nil {
		cause = e.Err.Error()
	}
	return escape.Text(joined(": ", e.place(), e.node(), clip(e.Part), e.message(), cause))
}

// joined joins the parts that are not empty.
func joined(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), separator)
}

// place is FILE:LINE:COLUMN, FILE:offset N, or what is known of these; without any of them, it is the stage.
func (e *Error) place() string {
	at := ""
	switch {
	case e.Line > 0:
		at = fmt.Sprintf("%d:%d", e.Line, e.Column)
	case e.Stage == Params && (e.Offset > 0 || e.Offset == 0 && e.Node < 0):
		at = fmt.Sprintf("offset %d", e.Offset)
	}
	return cmp.Or(joined(":", e.File, at), string(e.Stage))
}

// node is the node's number, name and operator.
func (e *Error) node() string {
	var number, name, operator string
	if e.Node >= 0 {
		number = "node " + strconv.Itoa(e.Node)
	}
	if e.Name != "" {
		name = strconv.Quote(clip(e.Name))
	}
	if e.Operator != "" {
		operator = "(" + clip(e.Operator) + ")"
	}
	return joined(" ", number, name, operator)
}

// clip shortens names, which models may make as long as they like.
func clip(name string) string {
	const most = 80
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}

func (e *Error) message() string {
	if e.Want == "" {
		return e.Msg
	}
	return joined("; ", e.Msg, "want "+e.Want)
}

// MarshalJSON writes the error as an object: its class by name and, as errorCode, by number, its stage, what is known of its place, and
// what is wrong.
func (e *Error) MarshalJSON() ([]byte, error) {
	e = cmp.Or(e, new(Error))
	type fields Error // without methods
	out := struct {
		Class     string `json:"class"`
		ErrorCode Class  `json:"errorCode"`
		fields
		Offset *int64 `json:"offset,omitempty"` // where Stage is params and there is no line
		Node   *int   `json:"node,omitempty"`
		Cause  string `json:"cause,omitempty"`
	}{Class: e.Class.String(), ErrorCode: e.Class, fields: fields(*e)}
	if e.Stage == Params && e.Line == 0 && e.Offset >= 0 {
		out.Offset = &e.Offset
	}
	if e.Node >= 0 {
		out.Node = &e.Node
	}
	if e.Err != nil {
		out.Cause = e.Err.Error()
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // messages have < and >, which are for people to read
	err := enc.Encode(out)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}
