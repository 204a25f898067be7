package oip

import (
	"fmt"
	"strconv"
)

// Code is the kind of a failure, which decides about the status of an answer.
type Code uint8

// The codes. Each transport has a table of them.
const (
	Internal         Code = iota // a mistake of the server
	InvalidArgument              // the request cannot be answered, now or later
	NotFound                     // there is no such model or version
	TooLarge                     // a limit on what a client may send
	Exhausted                    // the queue is full: try again later
	NotReady                     // the model is there, but cannot be asked now; or the server is going down
	DeadlineExceeded             // it would be too late
	Canceled                     // the client is gone
	Unauthenticated              // no token, or a wrong one
	PermissionDenied             // the token does not allow it
	Unimplemented                // the method is known and not here
	NumCodes         int  = iota // how many there are, for tables
)

var codes = [NumCodes]string{"internal", "invalid_argument", "not_found", "too_large", "exhausted", "not_ready", "deadline_exceeded", "canceled",
	"unauthenticated", "permission_denied", "unimplemented"}

// String returns the code in words, as logs and metrics have it.
func (c Code) String() string { return codes[c] }

// Error is a failure that the client is told.
type Error struct {
	Code    Code
	Message string // what is wrong, and what would be right
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Errorf returns an error of a kind.
func Errorf(c Code, format string, args ...any) *Error {
	return &Error{c, fmt.Sprintf(format, args...)}
}

// Quote returns a text of the client for a message: short, and without signs that mean something to whoever shows it.
func Quote(s string) string {
	const most = 80
	if len(s) > most {
		return strconv.QuoteToASCII(s[:most]) + "…"
	}
	return strconv.QuoteToASCII(s)
}
