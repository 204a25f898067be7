package rpc

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/wire"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/grpc"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// Options bound what clients may send.
type Options struct {
	Message int64         // bytes of a message, as it comes and as it is when it is decompressed; default 64 MiB
	Idle    time.Duration // how long a client may take to accept a message of a stream; default a minute
}

// New returns a handler for clients that speak gRPC over HTTP/2. It knows every path of its services, and answers others with UNIMPLEMENTED. When down
// is done, streams end.
func New(down context.Context, service oip.Service, opts Options) http.Handler {
	opts = limits.Filled(opts, Options{limits.ServeBody, limits.ServeAccept * time.Second})
	h := &handler{service}
	methods := make(map[string]grpc.Method)
	for name, m := range h.methods() {
		methods["/inference.GRPCInferenceService/"+name] = m
	}
	methods["/grpc.health.v1.Health/Check"] = unary(h.check)
	methods["/grpc.health.v1.Health/Watch"] = grpc.Method{Serve: h.watch, Stream: true}
	return grpc.New(methods, grpc.Options{Message: opts.Message, Idle: opts.Idle, Down: down})
}

// Fail answers a request with an error of the protocol, as what stands before the handler has to if it refuses a request.
func Fail(w http.ResponseWriter, err error) { grpc.Fail(w, statusOf(err)) }

// codes are the statuses by the protocol's codes.
var codes = [oip.NumCodes]grpc.Code{
	oip.Internal:         grpc.Internal,
	oip.InvalidArgument:  grpc.InvalidArgument,
	oip.NotFound:         grpc.NotFound,
	oip.TooLarge:         grpc.ResourceExhausted,
	oip.Exhausted:        grpc.Unavailable, // which clients try again, unlike ResourceExhausted
	oip.NotReady:         grpc.Unavailable,
	oip.DeadlineExceeded: grpc.DeadlineExceeded,
	oip.Canceled:         grpc.Canceled,
	oip.Unauthenticated:  grpc.Unauthenticated,
	oip.PermissionDenied: grpc.PermissionDenied,
	oip.Unimplemented:    grpc.Unimplemented,
}

// statusOf returns the status for an error of the service. One of the server itself is told without its text, which may name files.
func statusOf(err error) error {
	var e *oip.Error
	var s *grpc.Status
	switch {
	case err == nil, errors.As(err, &s), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &e):
		return grpc.Errorf(codes[e.Code], "%s", e.Message)
	}
	return grpc.Errorf(grpc.Internal, "the server failed")
}

// Failed returns the error that a call was answered with, of the headers of its answer, which net/http keeps the trailers in as well; nil if it succeeded.
func Failed(h http.Header) error {
	status, message := h.Get("Grpc-Status"), h.Get("Grpc-Message")
	if status == "" {
		status, message = h.Get(http.TrailerPrefix+"Grpc-Status"), h.Get(http.TrailerPrefix+"Grpc-Message")
	}
	n, _ := strconv.ParseUint(status, 10, 32) // 0, which is success, of what is no status
	if n == 0 {
		return nil
	}
	if text, err := url.PathUnescape(message); err == nil {
		message = text
	}
	code := max(0, slices.Index(codes[:], grpc.Code(n))) // Internal if nothing is nearer
	return oip.Errorf(oip.Code(code), "%s", message)
}

// unary is a method that answers one message with another.
func unary[Q, A any](answer func(ctx context.Context, q *Q) (*A, error)) grpc.Method {
	return grpc.Unary(func(ctx context.Context, b []byte) (grpc.Message, error) {
		q, err := decode[Q](b)
		if err != nil {
			return nil, err
		}
		a, err := answer(ctx, q)
		if err != nil {
			return nil, statusOf(err)
		}
		return wire.Measure(a), nil
	})
}

// decode reads a message, which shares the bytes.
func decode[Q any](b []byte) (*Q, error) {
	q := new(Q)
	// In memory a message is larger than its bytes, but not without bound: two bytes can be a message, one a number of eight.
	bounds := wire.Bounds{Depth: limits.ServeDepth, Memory: 64<<10 + limits.ServeGrowth*int64(len(b)), UTF8: true}
	if err := wire.Decode(q, b, bounds); err != nil {
		return nil, grpc.Errorf(grpc.InvalidArgument, "the message cannot be read: %v", err)
	}
	return q, nil
}

type handler struct{ service oip.Service }

func (h *handler) methods() map[string]grpc.Method {
	return map[string]grpc.Method{
		"ServerLive": unary(func(context.Context, *empty) (*liveness, error) {
			return &liveness{h.service.Live()}, nil
		}),
		"ServerReady": unary(func(context.Context, *empty) (*readiness, error) {
			return &readiness{h.service.Ready()}, nil
		}),
		"ModelReady": unary(func(_ context.Context, q *named) (*readiness, error) {
			ready, err := h.service.ModelReady(q.name, q.version)
			return &readiness{ready}, err
		}),
		"ServerMetadata": unary(func(context.Context, *empty) (*serverMetadata, error) {
			m := h.service.Server()
			return &serverMetadata{m.Name, m.Version, m.Extensions}, nil
		}),
		"ModelMetadata":         unary(h.metadata),
		"ModelInfer":            unary(h.infer),
		"ModelStreamInfer":      {Serve: h.stream, Stream: true},
		"ModelConfig":           unary(h.config),
		"ModelStatistics":       unary(h.statistics),
		"RepositoryIndex":       unary(h.index),
		"RepositoryModelLoad":   unary(h.load),
		"RepositoryModelUnload": unary(h.unload),
	}
}

func (h *handler) infer(ctx context.Context, m *inferRequest) (*inferResponse, error) {
	q, err := requestOf(m)
	if err != nil {
		return nil, err
	}
	r, err := h.service.Infer(ctx, q)
	if err != nil {
		return nil, err
	}
	return messageOf(r, len(m.raw) == 0 && len(m.inputs) > 0, budget.Of(ctx))
}

// stream answers the requests of a stream, one after another, as the states of a sequence need it. A request that fails does not end the stream.
func (h *handler) stream(ctx context.Context, s *grpc.Stream) error {
	for {
		b, err := s.Receive()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		m, err := decode[inferRequest](b)
		if err != nil {
			return err
		}
		a := &streamResponse{}
		a.response, err = h.infer(ctx, m)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // Triton's answer to a request that fails: the text, and what tells whose it is
			a.message, a.response = statusOf(err).Error(), &inferResponse{model: m.model, version: m.version, id: m.id}
		}
		if err := s.Send(wire.Measure(a)); err != nil {
			return err
		}
	}
}
