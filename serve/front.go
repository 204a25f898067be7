package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/metrics"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/serve/internal/rest"
	"github.com/concord-nn/concord/serve/internal/rpc"
)

// record is what the log says of a request.
type record struct {
	trace          traceContext
	id             string // of the request
	model, version string
	err            error
	counted        bool // by the metrics, if it failed
	status         int
	sent           int64
	body           remains
}

type recordKey struct{}

// asked notes what became of an inference, for the log.
func asked(ctx context.Context, model, version string, err error) {
	if r, ok := ctx.Value(recordKey{}).(*record); ok {
		r.model, r.version, r.err, r.counted = model, version, err, true
	}
}

// front stands in front of all that can be asked: it lets in who has a token, cuts off who reads slowly, and writes the log.
func (s *Server) front(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		rec := &record{trace: traceOf(r.Header)}
		rec.id = requestID(r.Header, rec.trace)
		w.Header().Set("X-Request-Id", rec.id)
		out := &writer{ResponseWriter: w, record: rec}
		if !streams[r.URL.Path] {
			out.patience = s.opts.WriteTimeout
		}
		r = r.WithContext(context.WithValue(r.Context(), recordKey{}, rec))
		rec.body.ReadCloser, r.Body = r.Body, &rec.body
		if err := s.allowed(r); err != nil {
			s.refuse(out, r, err)
		} else {
			s.guarded(next, out, r)
		}
		if rec.err == nil {
			rec.err = rpc.Failed(w.Header())
		}
		if rec.err != nil && !rec.counted && infers(r.URL.Path) {
			s.metrics.Infer(protocolOf(r), r.PathValue("model"), r.PathValue("version"), clientError(rec.err))
		}
		s.metrics.Status(cmp.Or(rec.status, http.StatusOK)) // which is what no answer is
		s.write(r, rec, time.Since(began))
		budget.Of(r.Context()).Release() // only the client has something to do now
		if r.ProtoMajor == 1 {           // on HTTP/2 the connection does it
			rec.body.drop(s.down, out, r)
		}
	})
}

// remains is the body of a request, of which a handler may not read all.
type remains struct {
	io.ReadCloser
	begun, ended bool
}

func (b *remains) Read(p []byte) (int, error) {
	b.begun, b.ended = true, true // also if that panics
	n, err := b.ReadCloser.Read(p)
	b.ended = err != nil
	return n, err
}

// few is how many bytes there are at least of a body that was left for net/http not to read it itself.
const few = 256 << 10

// drop answers, and then reads what still comes of the request, for as long as a request may and the server is up: many clients read when all of it is
// written, and if the connection were closed before, they would not see the answer. If the end of the request does not come, the connection is closed.
func (b *remains) drop(down context.Context, w http.ResponseWriter, r *http.Request) {
	switch {
	case b.ended, !b.begun && r.Header.Get("Expect") != "", 0 <= r.ContentLength && r.ContentLength < few:
		return
	case r.ContentLength < 0:
		if _, err := io.CopyN(io.Discard, b, few); err != nil { // it has ended
			return
		}
	}
	answer := http.NewResponseController(w)
	if answer.EnableFullDuplex() == nil && answer.Flush() == nil { // else there is no reading behind an answer
		defer context.AfterFunc(down, func() { _ = answer.SetReadDeadline(time.Now()) })()
		if _, err := io.CopyN(io.Discard, b, limits.ServeLinger); !errors.Is(err, io.EOF) {
			panic(http.ErrAbortHandler) // net/http would take what still comes for another request
		}
	}
}

// guarded answers a request. If that panics, which is a mistake of ours, the client is told so and the log has the place.
func (s *Server) guarded(next http.Handler, w *writer, r *http.Request) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if p == http.ErrAbortHandler { //nolint:errorlint // it is compared as package http does
			panic(p)
		}
		w.record.err = fmt.Errorf("panic: %v", p)
		s.opts.Log.Error("panic", "error", fmt.Sprint(p), "stack", string(debug.Stack()), "request_id", w.record.id)
		if w.record.status != 0 {
			panic(http.ErrAbortHandler) // half an answer must not look like a whole one
		}
		s.refuse(w, r, oip.Errorf(oip.Internal, "the server has made a mistake; its log says more"))
	}()
	next.ServeHTTP(w, r)
}

// allowed reports whether a client may ask, and if not, what it lacks. About health anybody may, and have the page, which holds no secrets.
func (s *Server) allowed(r *http.Request) *oip.Error {
	switch {
	case openToAll[r.URL.Path] || r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/page/"):
		return nil
	case s.opts.TLS != nil && s.opts.TLS.ClientCAs != nil && (r.TLS == nil || len(r.TLS.VerifiedChains) == 0):
		return oip.Errorf(oip.Unauthenticated, "clients must have a certificate of an authority that the server knows")
	case len(s.tokens) > 0 && !s.known(r):
		return oip.Errorf(oip.Unauthenticated, "there must be a header Authorization: Bearer TOKEN with a token that the server knows")
	}
	return nil
}

// known reports whether a request has one of the tokens.
func (s *Server) known(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	given := sha256.Sum256([]byte(strings.TrimSpace(token)))
	found := 0
	for _, sum := range s.tokens { // all of them, so that the time says nothing
		found |= subtle.ConstantTimeCompare(given[:], sum[:])
	}
	return found == 1 && strings.EqualFold(scheme, "Bearer")
}

// openToAll are the paths about health, by REST and by gRPC.
var openToAll = map[string]bool{
	"/v2/health/live": true, "/v2/health/ready": true,
	"/inference.GRPCInferenceService/ServerLive": true, "/inference.GRPCInferenceService/ServerReady": true,
	"/grpc.health.v1.Health/Check": true, "/grpc.health.v1.Health/Watch": true,
}

// streams are the calls of gRPC that are answered for as long as somebody listens. They have deadlines of their own.
var streams = map[string]bool{"/inference.GRPCInferenceService/ModelStreamInfer": true, "/grpc.health.v1.Health/Watch": true}

// isGRPC reports whether a request is a call of gRPC.
func isGRPC(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}

// infers reports whether a path is one of inference.
func infers(path string) bool {
	return strings.HasSuffix(path, "/infer") || path == "/inference.GRPCInferenceService/ModelInfer"
}

// clientError returns an error from before the service was asked as one of the protocol, which those about HTTP are not.
func clientError(err error) error {
	if errors.As(err, new(*oip.Error)) {
		return err
	}
	return oip.Errorf(oip.InvalidArgument, "%v", err)
}

func protocolOf(r *http.Request) metrics.Protocol {
	if isGRPC(r) {
		return metrics.GRPC
	}
	return metrics.REST
}

// refuse answers with an error in the place of what was asked.
func (s *Server) refuse(w *writer, r *http.Request, err *oip.Error) {
	s.metrics.Refuse(protocolOf(r), err.Code)
	w.record.counted = true
	if isGRPC(r) {
		rpc.Fail(w, err)
	} else {
		rest.Fail(w, r, err)
	}
}

// write writes the line of a request.
func (s *Server) write(r *http.Request, rec *record, took time.Duration) {
	level, code := slog.LevelDebug, ""
	status := rec.status
	if known := (*oip.Error)(nil); errors.As(rec.err, &known) {
		code = known.Code.String()
		level = slog.LevelWarn
		if known.Code == oip.Internal {
			level = slog.LevelError
		}
	} else if rec.err != nil && (status < 400 || status >= 500) {
		level, code = slog.LevelError, oip.Internal.String()
	} else if status >= 400 && status != http.StatusServiceUnavailable { // with which probes are answered
		level = slog.LevelWarn
	}
	if !s.opts.Log.Enabled(r.Context(), level) {
		return
	}
	line := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", status), slog.Float64("seconds", took.Seconds()),
		slog.Int64("sent", rec.sent), slog.String("client", r.RemoteAddr), slog.String("request_id", rec.id),
		slog.String("trace_id", rec.trace.trace), slog.String("span_id", rec.trace.span),
	}
	if rec.trace.parent != "" {
		line = append(line, slog.String("parent_id", rec.trace.parent))
	}
	if rec.model != "" {
		line = append(line, slog.String("model", rec.model), slog.String("version", rec.version))
	}
	if code != "" {
		line = append(line, slog.String("code", code))
	}
	if rec.err != nil {
		line = append(line, slog.String("error", rec.err.Error()))
	}
	s.opts.Log.LogAttrs(r.Context(), level, "request", line...)
}

// writer notes what is answered, and gives who reads it some time, from the first byte on.
type writer struct {
	http.ResponseWriter
	record   *record
	patience time.Duration // 0 for a stream
}

func (w *writer) WriteHeader(status int) {
	if w.record.status == 0 && status >= 200 {
		w.record.status = status
		w.wait()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(data []byte) (int, error) {
	if w.record.status == 0 {
		w.record.status = http.StatusOK
		w.wait()
	}
	n, err := w.ResponseWriter.Write(data)
	w.record.sent += int64(n)
	return n, err
}

// wait begins the time that the client has.
func (w *writer) wait() {
	if w.patience == 0 {
		return
	}
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.patience)) // in tests there is none
}

// Failed notes an error that the client is told.
func (w *writer) Failed(err error) {
	if w.record.err == nil {
		w.record.err = err
	}
}

// Flush implements [http.Flusher].
func (w *writer) Flush() {
	if w.record.status == 0 {
		w.record.status = http.StatusOK
		w.wait()
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush() // in tests there may be none
}

// Unwrap lets handlers set deadlines.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
