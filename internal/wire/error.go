package wire

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Error is a mistake at a byte of what is decoded.
type Error struct {
	Offset int    // of the byte
	Path   string // the field, such as graph.node[17].attribute[2].t.dims; "" for the message as a whole
	Msg    string
	Err    error // ErrType, ErrLimit or nil
}

// The causes of errors.
var (
	ErrType  = errors.New("wrong wire type") // a field is not encoded as its type
	ErrLimit = errors.New("limit exceeded")  // the message may be well-formed but takes more than is allowed
)

// Error writes the offset, the field and the message.
func (e *Error) Error() string {
	e = cmp.Or(e, new(Error))
	if e.Path == "" {
		return fmt.Sprintf("byte %d: %s", e.Offset, e.Msg)
	}
	return fmt.Sprintf("byte %d: %s: %s", e.Offset, e.Path, e.Msg)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return cmp.Or(e, new(Error)).Err }

// below puts a part of a path before that of the error.
func (e *Error) below(part string) *Error {
	if e.Path != "" && !strings.HasPrefix(e.Path, "[") {
		part += "."
	}
	e.Path = part + e.Path
	return e
}

func errorAt(offset int, format string, args ...any) *Error {
	return &Error{Offset: offset, Msg: fmt.Sprintf(format, args...)}
}
