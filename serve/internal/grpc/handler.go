package grpc

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve/internal/budget"
)

// Method answers calls of one method. It receives and sends messages by the stream, and the error that it returns is the status of the call. The
// context ends with the deadline of the call, and when the client goes.
type Method struct {
	Serve  func(ctx context.Context, s *Stream) error
	Stream bool // whether messages are sent when they are there, and may be received for any time
}

// Unary is a method with one message to receive and one to send.
func Unary(serve func(ctx context.Context, request []byte) (Message, error)) Method {
	return Method{Serve: func(ctx context.Context, s *Stream) error {
		b, err := s.Only()
		if err != nil {
			return err
		}
		m, err := serve(ctx, b)
		if err != nil {
			return err
		}
		return s.Send(m)
	}}
}

// Options bound what clients may send.
type Options struct {
	Message int64         // bytes of a message, as it comes and decompressed
	Idle    time.Duration // how long a client may take to accept a message of a stream
	// Down is done when the server goes down: then streams end with their next message, as clients need not end them. Nil for never.
	Down context.Context // it is the server's
}

// Handler serves methods to clients that speak gRPC over HTTP/2. Messages count in the lease that a request has; see package budget.
type Handler struct {
	methods map[string]Method
	opts    Options
}

// New returns a handler for methods by their paths, such as "/grpc.health.v1.Health/Check".
func New(methods map[string]Method, opts Options) *Handler {
	return &Handler{methods: methods, opts: opts}
}

var (
	contentType = []string{"application/grpc"}
	encodings   = []string{"gzip, identity"}
)

// ServeHTTP serves a call.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch {
	case r.ProtoMajor < 2:
		http.Error(w, "gRPC needs HTTP/2", http.StatusHTTPVersionNotSupported)
		return
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "gRPC's method is POST", http.StatusMethodNotAllowed)
		return
	case kind != "application/grpc" && kind != "application/grpc+proto":
		w.Header().Set("Accept-Post", "application/grpc, application/grpc+proto")
		http.Error(w, "the content type is not application/grpc", http.StatusUnsupportedMediaType)
		return
	}
	s := &Stream{h: h, w: w, r: r, control: http.NewResponseController(w), lease: budget.Of(r.Context())}
	s.finish(h.serve(s, r))
}

func (h *Handler) serve(s *Stream, r *http.Request) error {
	m, ok := h.methods[r.URL.Path]
	if !ok {
		return Errorf(Unimplemented, "there is no method %.200s here", r.URL.Path)
	}
	switch e := r.Header.Get("Grpc-Encoding"); e {
	case "", "identity":
	case "gzip":
		s.gzip = true
	default:
		s.w.Header()["Grpc-Accept-Encoding"] = encodings
		return Errorf(Unimplemented, "messages are compressed as %.40q; this server knows gzip", e)
	}
	ctx := r.Context()
	deadline := time.Time{} // none
	if v := r.Header.Get("Grpc-Timeout"); v != "" {
		d, ok := Timeout(v)
		if !ok {
			return Errorf(InvalidArgument, "the grpc-timeout %.40q is not a number of at most 8 digits and one of HMSmun", v)
		}
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, d)
		defer stop()
		deadline, _ = ctx.Deadline()
	}
	s.ctx, s.stream = ctx, m.Stream
	if m.Stream { // the server's own timeouts are those of a single answer
		_ = s.control.SetReadDeadline(deadline)
		_ = s.control.SetWriteDeadline(time.Time{})
		if h.opts.Down != nil {
			defer context.AfterFunc(h.opts.Down, func() { _ = s.control.SetReadDeadline(time.Now()) })()
		}
	}
	err := m.Serve(ctx, s)
	if _, ok := errors.AsType[*Status](err); err != nil && !ok { // what fails after the end of the call fails of that
		err = cmp.Or(ctx.Err(), err)
	}
	return err
}

// units are those of timeouts.
var units = map[byte]time.Duration{
	'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond, 'n': time.Nanosecond,
}

// Timeout reads the value of the header grpc-timeout, and reports whether it is one: at most eight digits and a unit.
func Timeout(s string) (time.Duration, bool) {
	if len(s) < 2 || len(s) > 9 {
		return 0, false
	}
	unit, ok := units[s[len(s)-1]]
	n, err := strconv.ParseUint(s[:len(s)-1], 10, 32)
	return time.Duration(limits.Times(int64(n), int64(unit))), ok && err == nil
}
