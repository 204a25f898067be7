package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// Options bounds what requests may cost. A field that is 0 stands for its default.
type Options struct {
	Body int64 // bytes of the body of a request, as it comes and as it is when it is decompressed; default 64 MiB
}

// New returns the handler of all paths below /v2. Bodies, and the text of answers, count in the lease that a request has; see package budget. A handler
// in front of it finds in [http.Request.Pattern] afterwards which one it was.
func New(service oip.Service, opts Options) http.Handler {
	h := &handler{
		service: service,
		opts:    limits.Filled(opts, Options{limits.ServeBody}),
		mux:     http.NewServeMux(),
		origin:  http.NewCrossOriginProtection(),
	}
	for _, p := range paths {
		h.mux.HandleFunc(p.path, Only(p.method, func(w http.ResponseWriter, r *http.Request) {
			if err := p.serve(h, w, r); err != nil {
				Fail(w, r, err)
			}
		}))
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { Fail(w, r, unknownPath(r)) })
	return h
}

type handler struct {
	service oip.Service
	opts    Options
	mux     *http.ServeMux
	origin  *http.CrossOriginProtection
}

// ServeHTTP answers a request. Pages of other origins may not ask for what changes something or takes long.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.origin.Check(r); err != nil {
		Fail(w, r, oip.Errorf(oip.PermissionDenied, "%v: a page may only ask the server that it comes from", err))
		return
	}
	if p := r.URL.EscapedPath(); path.Clean(p) != strings.TrimSuffix(p, "/") && p != "/" { // for which the mux has redirections
		Fail(w, r, unknownPath(r))
		return
	}
	h.mux.ServeHTTP(w, r)
}

// Paths returns methods and paths, as they are registered.
func Paths() []string {
	list := make([]string, len(paths))
	for i, p := range paths {
		list[i] = p.method + " " + p.path
	}
	return list
}

// Only hands on requests of one method, HEAD with GET, and answers others as all paths do.
func Only(method string, serve http.HandlerFunc) http.HandlerFunc {
	if method == http.MethodGet {
		method = "GET, HEAD"
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(strings.Split(method, ", "), r.Method) {
			Fail(w, r, &refusal{http.StatusMethodNotAllowed, "Allow", method, "the method is " + r.Method + "; this path has " + method})
			return
		}
		serve(w, r)
	}
}

// paths are all there are, in the order of docs/serve.md.
var paths = []struct {
	method, path string
	serve        func(*handler, http.ResponseWriter, *http.Request) error
}{
	{"GET", "/v2", (*handler).server},
	{"GET", "/v2/{$}", (*handler).server},
	{"GET", "/v2/health/live", (*handler).live},
	{"GET", "/v2/health/ready", (*handler).ready},
	{"GET", "/v2/models/{model}", (*handler).model},
	{"GET", "/v2/models/{model}/versions/{version}", (*handler).model},
	{"GET", "/v2/models/{model}/ready", (*handler).modelReady},
	{"GET", "/v2/models/{model}/versions/{version}/ready", (*handler).modelReady},
	{"POST", "/v2/models/{model}/infer", (*handler).infer},
	{"POST", "/v2/models/{model}/versions/{version}/infer", (*handler).infer},
	{"GET", "/v2/models/{model}/config", (*handler).config},
	{"GET", "/v2/models/{model}/versions/{version}/config", (*handler).config},
	{"GET", "/v2/models/stats", (*handler).stats},
	{"GET", "/v2/models/{model}/stats", (*handler).stats},
	{"GET", "/v2/models/{model}/versions/{version}/stats", (*handler).stats},
	{"POST", "/v2/repository/index", (*handler).index},
	{"POST", "/v2/repository/models/{model}/load", (*handler).load},
	{"POST", "/v2/repository/models/{model}/unload", (*handler).unload},
}

// statuses are those of HTTP for the codes of the protocol.
var statuses = [oip.NumCodes]int{
	oip.Internal:         http.StatusInternalServerError,
	oip.InvalidArgument:  http.StatusBadRequest,
	oip.NotFound:         http.StatusNotFound,
	oip.TooLarge:         http.StatusRequestEntityTooLarge,
	oip.Exhausted:        http.StatusTooManyRequests,
	oip.NotReady:         http.StatusServiceUnavailable,
	oip.DeadlineExceeded: http.StatusGatewayTimeout,
	oip.Canceled:         499, // nobody reads it; logs and metrics show what nginx called so
	oip.Unauthenticated:  http.StatusUnauthorized,
	oip.PermissionDenied: http.StatusForbidden,
	oip.Unimplemented:    http.StatusNotImplemented,
}

// refusal is a failure of which only HTTP knows, with a header that says what would be right.
type refusal struct {
	status        int
	header, value string
	message       string
}

func (r *refusal) Error() string { return r.message }

// Unwrap returns what the protocol calls it.
func (r *refusal) Unwrap() error { return oip.Errorf(oip.InvalidArgument, "%s", r.message) }

func unknownPath(r *http.Request) error {
	return oip.Errorf(oip.NotFound, "there is nothing at %s", oip.Quote(r.URL.Path))
}

// Fail answers with an error as all paths do, and tells it to a writer that has a method Failed.
func Fail(w http.ResponseWriter, r *http.Request, err error) {
	if told, ok := w.(interface{ Failed(err error) }); ok {
		told.Failed(err)
	}
	status := http.StatusInternalServerError
	var known *oip.Error
	var refused *refusal
	switch header := w.Header(); {
	case errors.As(err, &refused):
		status = refused.status
		header.Set(refused.header, refused.value)
	case errors.As(err, &known):
		status = statuses[known.Code]
		switch known.Code {
		case oip.Exhausted, oip.NotReady:
			header.Set("Retry-After", "1")
		case oip.Unauthenticated:
			header.Set("WWW-Authenticate", "Bearer")
		}
	case errors.Is(err, context.DeadlineExceeded):
		status = statuses[oip.DeadlineExceeded]
	case errors.Is(err, context.Canceled):
		status = statuses[oip.Canceled]
	}
	_ = answer(w, r, status, map[string]string{"error": err.Error()})
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, r *http.Request, status int, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	send(w, r, status, jsonType, text)
	return nil
}

// post reads the body of a request that need not have one: a JSON object, of which member takes what it knows.
func (h *handler) post(w http.ResponseWriter, r *http.Request, member func(p *reader, name string) (known bool, err error)) error {
	l := budget.Of(r.Context())
	body, err := h.body(w, r, l)
	if err != nil {
		return err
	}
	p := &reader{text: body, lease: l}
	if p.space(); p.at == len(body) {
		return nil
	}
	if err := p.object("the request", func(name string) (bool, error) { return member(p, name) }); err != nil {
		return err
	}
	return p.end()
}
