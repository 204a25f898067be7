package h2

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http2"
)

// response is the [http.ResponseWriter] of a stream.
type response struct {
	st     *stream
	header http.Header
	status int
	begun  bool   // the header was written
	failed bool   // something could not be
	data   []byte // what waits for more, or the end
}

// enough is how many bytes wait for more.
const enough = 4 << 10

func (w *response) Header() http.Header { return w.header }

// WriteHeader sets the status. There are no informational ones but the one that a request expects.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
}

func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if !w.hasBody() {
		if w.st.request.Method == http.MethodHead {
			return len(p), nil
		}
		return 0, http.ErrBodyNotAllowed
	}
	if len(w.data)+len(p) <= enough {
		if w.data == nil {
			w.data = make([]byte, 0, 2<<10)
		}
		w.data = append(w.data, p...)
		return len(p), nil
	}
	w.st.c.mu.Lock()
	defer w.st.c.mu.Unlock()
	if err := w.push(p); err != nil {
		w.failed = true // half an answer must not look like a whole one
		return 0, err
	}
	return len(p), nil
}

func (w *response) hasBody() bool {
	return w.st.request.Method != http.MethodHead && w.status != http.StatusNoContent && w.status != http.StatusNotModified
}

// push writes the header, if it was not, and what waits.
func (w *response) push(p []byte) error {
	if w.st.err != nil {
		return w.st.err
	}
	if !w.begun {
		w.head(false, p)
	}
	if len(w.data) > 0 {
		err := w.st.write(w.data, false)
		if w.data = w.data[:0]; err != nil {
			return err
		}
	}
	if len(p) > 0 {
		return w.st.write(p, false)
	}
	return nil
}

// head writes the header, which goes with the first data.
func (w *response) head(end bool, data []byte) {
	c := w.st.c
	w.begun = true
	c.field(":status", strconv.Itoa(w.status))
	if len(w.data) > 0 {
		data = w.data
	}
	if _, ok := w.header["Content-Type"]; !ok && len(data) > 0 && w.header.Get("Content-Encoding") == "" {
		c.field("content-type", http.DetectContentType(data))
	}
	if _, ok := w.header["Date"]; !ok {
		c.field("date", time.Now().UTC().Format(http.TimeFormat))
	}
	w.fields("")
	c.header(w.st.id, end)
}

// fields adds the fields whose names have a prefix, without it; with none those that are no trailers.
func (w *response) fields(prefix string) {
	for name, values := range w.header {
		rest, ok := strings.CutPrefix(name, http.TrailerPrefix)
		if ok != (prefix != "") || notHere[rest] || !httpguts.ValidHeaderFieldName(rest) {
			continue
		}
		for _, v := range values {
			if httpguts.ValidHeaderFieldValue(v) {
				w.st.c.field(strings.ToLower(rest), v)
			}
		}
	}
}

// notHere are the fields that HTTP/2 does not have.
var notHere = map[string]bool{"Connection": true, "Proxy-Connection": true, "Keep-Alive": true, "Transfer-Encoding": true, "Upgrade": true}

// finish ends the answer, or what there is of it if the handler has failed.
func (w *response) finish(whole bool) {
	st := w.st
	c := st.c
	if st.err != nil {
		return
	}
	whole = whole && !w.failed && w.rest() == nil
	if st.err != nil {
		return
	}
	if !whole {
		_ = c.framer.WriteRSTStream(st.id, http2.ErrCodeInternal)
	} else if st.linger(); st.err != nil {
		return
	} else if !st.ended {
		_ = c.framer.WriteRSTStream(st.id, http2.ErrCodeNo) // no more of the request is needed
	}
	c.close(st, errEnded)
}

// rest writes what has not been written.
func (w *response) rest() error {
	st := w.st
	c := st.c
	trailers := false
	for name := range w.header {
		trailers = trailers || strings.HasPrefix(name, http.TrailerPrefix)
	}
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if !w.begun {
		if _, ok := w.header["Content-Length"]; !ok && !trailers && w.hasBody() {
			w.header["Content-Length"] = []string{strconv.Itoa(len(w.data))}
		}
		w.head(len(w.data) == 0 && !trailers, nil)
		if len(w.data) == 0 && !trailers {
			return nil
		}
	}
	if len(w.data) > 0 || !trailers {
		if err := st.write(w.data, !trailers); err != nil {
			return err
		}
	}
	if trailers {
		w.fields(http.TrailerPrefix)
		c.header(st.id, true)
	}
	return nil
}

// FlushError sends what was written. An error of sending is one of the next call.
func (w *response) FlushError() error {
	w.WriteHeader(http.StatusOK)
	c := w.st.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := w.push(nil); err != nil {
		w.failed = true
		return err
	}
	c.flush()
	return nil
}

// SetReadDeadline sets the time when reading the body fails.
func (w *response) SetReadDeadline(t time.Time) error { return w.st.set(&w.st.readBy, t) }

// SetWriteDeadline sets the time when writing to a client that has no room fails.
func (w *response) SetWriteDeadline(t time.Time) error { return w.st.set(&w.st.writeBy, t) }

// EnableFullDuplex does nothing: a body can always be read while an answer is written.
func (w *response) EnableFullDuplex() error { return nil }

func (st *stream) set(by *time.Time, t time.Time) error {
	st.c.mu.Lock()
	defer st.c.mu.Unlock()
	*by = t
	st.changed.Broadcast()
	return nil
}
