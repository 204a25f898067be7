package h2

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve/internal/lend"
)

// stream is a request and its answer. What changes it stands under the lock of the connection.
type stream struct {
	c       *conn
	id      uint32
	request *http.Request
	handler http.Handler
	cancel  context.CancelFunc
	changed sync.Cond
	err     error // why it has ended

	body    bytes.Buffer // what has come and was not read
	left    int64        // what is to come; -1 if the client does not say
	ended   bool         // all has come
	shut    bool         // the handler does not want more
	expects bool         // the client waits for being told to go on
	room    int64        // bytes that the client may send
	taken   int64        // that were read and that it was not told of
	window  int64        // bytes that it lets us send

	readBy, writeBy time.Time // never if zero
}

var (
	errMalformed = errors.New("h2: the request is malformed")
	errEnded     = errors.New("h2: the handler has ended")
)

// ask makes the request of a header.
func (st *stream) ask(f *http2.MetaHeadersFrame) error {
	c := st.c
	malformed := http2.StreamError{StreamID: st.id, Code: http2.ErrCodeProtocol, Cause: errMalformed}
	header := make(http.Header, len(f.Fields))
	var cookies []string
	for _, h := range f.RegularFields() {
		switch h.Name {
		case "connection", "proxy-connection", "keep-alive", "transfer-encoding", "upgrade":
			return malformed
		case "te":
			if h.Value != "trailers" {
				return malformed
			}
		case "cookie":
			cookies = append(cookies, h.Value)
			continue
		}
		name := http.CanonicalHeaderKey(h.Name)
		header[name] = append(header[name], h.Value)
	}
	if cookies != nil {
		header["Cookie"] = []string{strings.Join(cookies, "; ")}
	}
	r := &http.Request{Method: f.PseudoValue("method"), Proto: "HTTP/2.0", ProtoMajor: 2, Header: header, Host: f.PseudoValue("authority"),
		RequestURI: f.PseudoValue("path"), RemoteAddr: c.remote, TLS: c.tls, Body: http.NoBody}
	if r.Host == "" {
		r.Host = header.Get("Host")
	}
	delete(header, "Host")
	if scheme := f.PseudoValue("scheme"); !f.Truncated && (r.Method == "" || r.Method == http.MethodConnect || scheme != "http" && scheme != "https") {
		return malformed
	}
	var err error
	if r.URL, err = url.ParseRequestURI(r.RequestURI); f.Truncated {
		st.handler = http.HandlerFunc(tooLarge)
		r.URL = new(url.URL)
	} else if err != nil {
		return malformed
	}
	if lengths := header["Content-Length"]; len(lengths) > 0 {
		n, err := strconv.ParseUint(lengths[0], 10, 63)
		if err != nil || len(lengths) > 1 {
			return malformed
		}
		st.left = int64(n)
	}
	if !f.StreamEnded() {
		r.Body, r.ContentLength = (*body)(st), st.left
		st.expects = strings.EqualFold(header.Get("Expect"), "100-continue")
	}
	if c.server.ReadTimeout > 0 {
		st.readBy = time.Now().Add(c.server.ReadTimeout)
	}
	ctx, cancel := context.WithCancel(c.base)
	st.request, st.cancel = r.WithContext(ctx), cancel
	return nil
}

func tooLarge(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "the header of the request is too large", http.StatusRequestHeaderFieldsTooLarge)
}

// finish notes that all of the request has come.
func (st *stream) finish() error {
	if st.left > 0 {
		return http2.StreamError{StreamID: st.id, Code: http2.ErrCodeProtocol, Cause: errMalformed}
	}
	st.ended = true
	st.changed.Broadcast()
	return nil
}

// run lets the handler answer.
func (c *conn) run(st *stream) {
	began := time.Now()
	w := &response{st: st, header: make(http.Header)}
	whole := false
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		w.finish(whole)
		c.running--
		c.rest()
		c.clock.Took(c.rested.Sub(began))
		c.flush()
	}()
	c.mu.Lock()
	gone := st.err != nil
	c.mu.Unlock()
	whole = gone || lend.Answer(c.server, st.handler, w, st.request) // without the handler where its context has ended, which saves time
}

// wait waits until something changes, or a time comes.
func (st *stream) wait(by *time.Time) error {
	if st.err != nil {
		return st.err
	}
	if !by.IsZero() {
		left := time.Until(*by)
		if left <= 0 {
			return os.ErrDeadlineExceeded
		}
		t := time.AfterFunc(left, func() {
			st.c.mu.Lock()
			defer st.c.mu.Unlock()
			st.changed.Broadcast()
		})
		defer t.Stop()
	}
	st.c.clock.Relieve() // as only the client can change something; the clock would do it a little later
	st.c.waiting++
	st.changed.Wait()
	st.c.waiting--
	return nil
}

// write gathers data as the client has room for them, and waits if it has none.
func (st *stream) write(p []byte, end bool) error {
	c := st.c
	for {
		n := min(int64(len(p)), st.window, c.window, frame)
		switch {
		case st.err != nil:
			return st.err
		case len(c.out) < gathered && (n > 0 || len(p) == 0):
			last := int(n) == len(p)
			if err := c.framer.WriteData(st.id, end && last, p[:n]); err != nil {
				return err
			}
			st.window -= n
			c.window -= n
			c.credit = min(max(c.credit, 0)+updates, largestCredit)
			if p = p[n:]; last {
				return nil
			}
		case len(c.out) > 0 && !c.writing:
			c.flush()
		default:
			if err := st.wait(&st.writeBy); err != nil {
				return err
			}
		}
	}
}

// linger takes what still comes of a request that is answered, for as long as a request may, and drops it: some clients lose an answer if they are told
// to stop.
func (st *stream) linger() {
	if st.expects || st.ended {
		return
	}
	c := st.c
	by := time.Now().Add(c.server.ReadTimeout)
	if !st.readBy.IsZero() && st.readBy.Before(by) { // else the handler has given the client more time, perhaps any, which ends with it
		by = st.readBy
	}
	for dropped := int64(0); dropped < limits.ServeLinger; {
		n := int64(st.body.Len())
		st.body.Reset()
		c.took(st, n)
		c.flush()
		if dropped += n; st.ended || n == 0 && (c.leaving || st.wait(&by) != nil) {
			return
		}
	}
}

// updates is how many frames a client may well answer to one with data, and largestCredit how many to all.
const updates, largestCredit = 4, 1 << 16

// body is the body of a request.
type body stream

func (b *body) Read(p []byte) (int, error) {
	st := (*stream)(b)
	st.c.mu.Lock()
	defer st.c.mu.Unlock()
	for {
		switch {
		case st.shut:
			return 0, http.ErrBodyReadAfterClose
		case st.err != nil:
			return 0, st.err
		case !st.ended && !st.readBy.IsZero() && time.Until(st.readBy) <= 0:
			return 0, os.ErrDeadlineExceeded
		case st.body.Len() > 0:
			n, err := st.body.Read(p)
			st.c.took(st, int64(n))
			st.c.flush()
			return n, err
		case st.ended:
			return 0, io.EOF
		}
		if st.expects {
			st.expects = false
			st.c.field(":status", "100")
			st.c.header(st.id, false)
			st.c.flush()
			continue
		}
		if err := st.wait(&st.readBy); err != nil {
			return 0, err
		}
	}
}

func (b *body) Close() error {
	b.c.mu.Lock()
	defer b.c.mu.Unlock()
	b.shut = true
	return nil
}
