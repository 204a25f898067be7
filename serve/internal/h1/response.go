package h1

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// response is the [http.ResponseWriter] of a request.
type response struct {
	c        *conn
	header   http.Header
	status   int
	declared int64  // length of the body, -1 if the handler does not say
	written  int64  // of it
	spoiled  bool   // the handler has written more
	data     []byte // what waits for more, or the end
	begun    bool   // the header was written
	err      error  // of writing
}

// enough is how many bytes wait for more.
const enough = 16 << 10

func (w *response) Header() http.Header { return w.header }

// WriteHeader sets the status. There are no informational ones.
func (w *response) WriteHeader(status int) {
	if w.status != 0 || status < 200 {
		return
	}
	w.status = status
	if text := w.header.Get("Content-Length"); text != "" {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
			w.declared = n
		}
	}
}

func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if !w.hasBody() {
		return 0, http.ErrBodyNotAllowed
	}
	if w.declared >= 0 && w.written+int64(len(p)) > w.declared {
		w.spoiled = true
		return 0, http.ErrContentLength
	}
	w.written += int64(len(p))
	if w.data == nil {
		w.data = make([]byte, 0, 2<<10)
	}
	if len(w.data)+len(p) <= enough {
		w.data = append(w.data, p...)
		return len(p), nil
	}
	if err := w.push(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (w *response) hasBody() bool {
	return w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

// push writes the header, if it was not, what waits, and p: in a chunk, if the handler has not said how much there will be.
func (w *response) push(p []byte) error {
	if w.err != nil {
		return w.err
	}
	var parts net.Buffers
	if !w.begun {
		w.begun = true
		parts = append(parts, w.head(p))
	}
	if n := len(w.data) + len(p); n > 0 {
		if w.chunked() {
			parts = append(parts, fmt.Appendf(nil, "%x\r\n", n), w.data, p, []byte("\r\n"))
		} else {
			parts = append(parts, w.data, p)
		}
	}
	if _, w.err = parts.WriteTo(w.c.Conn); w.err == nil {
		w.data = w.data[:0]
	}
	return w.err
}

func (w *response) chunked() bool { return w.declared < 0 && w.hasBody() }

// head returns the header, which goes with the first data.
func (w *response) head(p []byte) []byte {
	if len(w.data) > 0 {
		p = w.data
	}
	b := bytes.NewBuffer(make([]byte, 0, 512))
	fmt.Fprintf(b, "HTTP/1.1 %03d %s\r\n", w.status, http.StatusText(w.status))
	_ = w.header.WriteSubset(b, notOurs)
	if _, ok := w.header["Content-Type"]; !ok && len(p) > 0 && w.header.Get("Content-Encoding") == "" {
		fmt.Fprintf(b, "Content-Type: %s\r\n", http.DetectContentType(p))
	}
	if _, ok := w.header["Date"]; !ok {
		b.WriteString("Date: ")
		b.Write(time.Now().UTC().AppendFormat(b.AvailableBuffer(), http.TimeFormat))
		b.WriteString("\r\n")
	}
	switch {
	case !w.hasBody():
	case w.declared >= 0:
		fmt.Fprintf(b, "Content-Length: %d\r\n", w.declared)
	default:
		b.WriteString("Transfer-Encoding: chunked\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// notOurs are the fields that the handler does not decide about.
var notOurs = map[string]bool{"Content-Length": true, "Transfer-Encoding": true, "Trailer": true}

// finish ends the answer. It reports whether another one can follow.
func (w *response) finish() bool {
	w.WriteHeader(http.StatusOK)
	if !w.begun && w.declared < 0 {
		w.declared = w.written
	}
	if !w.begun || len(w.data) > 0 {
		_ = w.push(nil)
	}
	if w.chunked() && w.err == nil {
		_, w.err = io.WriteString(w.c, "0\r\n\r\n")
	}
	return w.err == nil && !w.spoiled && (w.declared < 0 || w.declared == w.written) && w.header.Get("Connection") != "close"
}

// FlushError sends what was written.
func (w *response) FlushError() error {
	w.WriteHeader(http.StatusOK)
	return w.push(nil)
}

// SetReadDeadline does nothing: the request has come.
func (w *response) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline sets the time when writing to a client that has no room fails, or one a little later.
func (w *response) SetWriteDeadline(t time.Time) error {
	if by := w.c.writeBy; !by.Before(t) && by.Sub(t) < lag { // it is good enough
		return nil
	}
	if !t.IsZero() {
		t = t.Add(min(lag, time.Until(t)/8))
	}
	return w.c.SetWriteDeadline(t)
}

// EnableFullDuplex does nothing: the request has come.
func (w *response) EnableFullDuplex() error { return nil }
