package grpc

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// Code is a status of gRPC.
type Code uint32

// The codes, with gRPC's numbers.
const (
	OK Code = iota
	Canceled
	Unknown
	InvalidArgument
	DeadlineExceeded
	NotFound
	AlreadyExists
	PermissionDenied
	ResourceExhausted
	FailedPrecondition
	Aborted
	OutOfRange
	Unimplemented
	Internal
	Unavailable
	DataLoss
	Unauthenticated
)

// Status is an error with a code, which a client is told.
type Status struct {
	Code    Code
	Message string
	Details []byte // a google.rpc.Status in protobuf's format, or nil
}

// Error returns the message.
func (s *Status) Error() string { return s.Message }

// Errorf returns an error with a code.
func Errorf(c Code, format string, args ...any) *Status {
	return &Status{Code: c, Message: fmt.Sprintf(format, args...)}
}

// statusOf returns what a client is told about an error: of one that is no [Status] only whether it is about time or cancellation.
func statusOf(err error) *Status {
	var s *Status
	switch {
	case err == nil:
		return &Status{}
	case errors.As(err, &s):
		return s
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return &Status{Code: DeadlineExceeded, Message: "the deadline has passed"}
	case errors.Is(err, context.Canceled):
		return &Status{Code: Canceled, Message: "the request was cancelled"}
	}
	return &Status{Code: Unknown, Message: err.Error()}
}

// put writes the status into headers or trailers, whose names begin with a prefix.
func (s *Status) put(h http.Header, prefix string) {
	h[prefix+"Grpc-Status"] = []string{strconv.Itoa(int(s.Code))}
	if s.Message != "" {
		h[prefix+"Grpc-Message"] = []string{escape(s.Message)}
	}
	if s.Details != nil {
		h[prefix+"Grpc-Status-Details-Bin"] = []string{base64.RawStdEncoding.EncodeToString(s.Details)}
	}
}

// escape makes a message fit for a header: bytes other than printable ASCII, and %, become % and two digits.
func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c >= ' ' && c <= '~' && c != '%' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// Fail answers a request with a status alone, as what stands before a [Handler] has to if it refuses a request.
func Fail(w http.ResponseWriter, err error) {
	h := w.Header()
	h["Content-Type"] = contentType
	h["Date"] = nil // which net/http would add
	statusOf(err).put(h, "")
	w.WriteHeader(http.StatusOK)
}
