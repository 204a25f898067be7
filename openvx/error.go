package openvx

import (
	"cmp"
	"errors"
)

// Error is why a call failed: the status that the standard names, and an explanation.
type Error struct {
	Status Status
	Call   string // the method or node at fault, such as "Graph.Verify" or "node 3 (convolution_layer)"
	Msg    string // what is wrong, and what would be right
	Err    error  // the cause, if another package found it
}

// Error writes the call, the message and the status.
func (e *Error) Error() string {
	e = cmp.Or(e, new(Error))
	s := "openvx: "
	if e.Call != "" {
		s += e.Call + ": "
	}
	s += e.Msg
	if e.Err != nil {
		if e.Msg != "" {
			s += ": "
		}
		s += e.Err.Error()
	}
	return s + " (" + e.Status.String() + ")"
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return cmp.Or(e, new(Error)).Err }

// StatusOf returns the status of an error: Success for nil, that of an *Error, and Failure for any other.
func StatusOf(err error) Status {
	if err == nil {
		return Success
	}
	if e := (*Error)(nil); errors.As(err, &e) { // declared here, as it is allocated
		return e.Status
	}
	return Failure
}
