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
func (e *Error) Unwrap() error { return e.Err }

// Error returns one line: the place, the node, what is wrong there, what would be right, and the cause.
//
//	symbol.json:12:9: node 3 "pool_3" (max_pool2d): pool_size: must be given; want a tuple like (2, 2)
func (e *Error) Error() string {
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
