package rest

import (
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/grpc"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// body reads the body of a request, decompressed.
func (h *handler) body(w http.ResponseWriter, r *http.Request, l *budget.Lease) (body []byte, err error) {
	if r.ContentLength > h.opts.Body { // so that nothing of it need come
		return nil, budget.TooLarge(h.opts.Body)
	}
	source := &source{Reader: http.MaxBytesReader(w, r.Body, h.opts.Body)}
	encoding := strings.ToLower(strings.Join(r.Header.Values("Content-Encoding"), ","))
	var from io.Reader = source
	size := r.ContentLength
	switch encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		from, err = gzip.NewReader(source)
		size = -1
	case "deflate":
		from, err = zlib.NewReader(source)
		size = -1
	default:
		return nil, &refusal{http.StatusUnsupportedMediaType, "Accept-Encoding", "gzip, deflate",
			"the content encoding of the body is " + oip.Quote(encoding) + "; it can be gzip, deflate or identity"}
	}
	if err == nil {
		body, err = l.ReadAll(from, size, h.opts.Body)
	}
	return body, h.bodyError(source, encoding, err)
}

// source remembers why nothing more comes.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// bodyError says why a body cannot be read.
func (h *handler) bodyError(from *source, encoding string, err error) error {
	var known *oip.Error
	switch {
	case err == nil:
		return nil
	case from.err != nil:
		return BodyError(from.err, h.opts.Body)
	case errors.As(err, &known):
		return err
	}
	return oip.Errorf(oip.InvalidArgument, "the body is not %s, as its header says: %v", encoding, err)
}

// BodyError says why a body does not come to its end, which may have so many bytes.
func BodyError(err error, most int64) error {
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return budget.TooLarge(most)
	case errors.Is(err, os.ErrDeadlineExceeded): // the connection's
		return &refusal{http.StatusRequestTimeout, "Connection", "close", "the body takes too long to arrive"}
	}
	return oip.Errorf(oip.InvalidArgument, "the body ends early: %v", err)
}

// headerLength returns how many bytes of a body are JSON: all without the header that says so. Whether it is there says, too, whether tensors may
// be binary.
func headerLength(r *http.Request, body int) (length int, binary bool, err error) {
	const name = "Inference-Header-Content-Length"
	values := r.Header.Values(name)
	if len(values) == 0 {
		return body, false, nil
	}
	n, err := strconv.ParseUint(values[0], 10, 63)
	if err != nil || len(values) > 1 {
		return 0, false, oip.Errorf(oip.InvalidArgument, "the header %s is %s; it must be a number of bytes, given once", name,
			oip.Quote(strings.Join(values, ", ")))
	}
	if n > uint64(body) {
		return 0, false, oip.Errorf(oip.InvalidArgument, "the header %s is %d; the body has %d bytes", name, n, body)
	}
	return int(n), true, nil
}

// timeouts are the headers that say how long a client, or a proxy before it, will wait.
var timeouts = []struct {
	header string
	parse  func(string) (time.Duration, bool)
}{
	{"Grpc-Timeout", grpc.Timeout},
	{"X-Envoy-Expected-Rq-Timeout-Ms", milliseconds},
}

// deadline returns the context of a request, which ends with the client, or after the shortest of the timeouts that it has.
func deadline(r *http.Request) (context.Context, context.CancelFunc, error) {
	shortest := time.Duration(-1)
	for _, t := range timeouts {
		for _, value := range r.Header[t.header] {
			d, ok := t.parse(value)
			if !ok {
				return nil, nil, oip.Errorf(oip.InvalidArgument, "the header %s is %s, which is no duration of its form", t.header, oip.Quote(value))
			}
			if shortest < 0 || d < shortest {
				shortest = d
			}
		}
	}
	if shortest < 0 {
		return r.Context(), func() {}, nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), shortest)
	return ctx, cancel, nil
}

// milliseconds reads a number of them.
func milliseconds(s string) (time.Duration, bool) {
	n, err := strconv.ParseUint(s, 10, 63)
	return time.Duration(limits.Times(int64(n), int64(time.Millisecond))), err == nil
}

// compressFrom is the size from which answers in JSON are compressed for who asks. Most clients ask without being told, and compressing takes longer
// than making the text, so that it pays only where much has to go far. Binary elements hardly become smaller.
const compressFrom = 64 << 10

var compressors = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return z
}}

// The types of answers.
const (
	jsonType   = "application/json"
	binaryType = "application/octet-stream" // JSON, and binary elements behind it
)

// send writes an answer of several pieces, compressed if the client asks for it. If that fails, the client is gone.
func send(w http.ResponseWriter, r *http.Request, status int, contentType string, pieces ...[]byte) {
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	header := w.Header()
	header.Set("Content-Type", contentType)
	to := io.Writer(w)
	if size >= compressFrom && contentType == jsonType && takesGzip(r) {
		z := compressors.Get().(*gzip.Writer)
		z.Reset(w)
		defer func() {
			_ = z.Close()
			z.Reset(io.Discard)
			compressors.Put(z)
		}()
		header.Set("Content-Encoding", "gzip")
		to = z
	} else {
		header.Set("Content-Length", strconv.Itoa(size))
	}
	w.WriteHeader(status)
	for _, p := range pieces {
		if _, err := to.Write(p); err != nil {
			return
		}
	}
}

// takesGzip reports whether a client asks for gzip by its name.
func takesGzip(r *http.Request) bool {
	for _, value := range r.Header["Accept-Encoding"] {
		for item := range strings.SplitSeq(value, ",") {
			name, weight, _ := strings.Cut(item, ";")
			_, q, weighted := strings.Cut(weight, "=")
			if strings.EqualFold(strings.TrimSpace(name), "gzip") {
				n, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
				return !weighted || err == nil && n > 0
			}
		}
	}
	return false
}
