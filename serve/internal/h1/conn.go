package h1

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/concord-nn/concord/serve/internal/lend"
)

// conn is a connection, which net/http reads. It answers some requests instead of giving them to it.
type conn struct {
	net.Conn
	lane   *Lane
	remote string
	idle   atomic.Bool // net/http waits for a request

	writeBy time.Time // deadline of the system's connection

	mu      sync.Mutex
	readBy  time.Time // the other one, which a server that goes down sets, too
	busy    bool      // a request comes or is answered
	closing bool      // net/http has closed the connection meanwhile
	clock   *lend.Clock
	cancel  context.CancelFunc // ends the request that is answered
	watched chan struct{}      // is closed when nobody watches the client any more; nil if nobody does
	early   []byte             // what the client has sent meanwhile
}

func newConn(nc net.Conn, l *Lane) *conn {
	c := &conn{Conn: nc, lane: l, remote: nc.RemoteAddr().String()}
	c.clock = lend.New(&c.mu, c.watch)
	return c
}

// lag is how much too early or too late connections may be closed that nobody uses, and clients that do not read: to set a deadline takes some time.
const lag = time.Second

// room is how many bytes net/http reads at once if none are left over from the request before.
const room = 4096

// Read gives net/http what is not answered here.
func (c *conn) Read(p []byte) (int, error) {
	if !c.idle.Load() || len(p) != room { // what follows other bytes is no beginning of a request
		return c.next(p)
	}
	defer c.idle.Store(false)
	for answered := false; ; {
		n, err := c.next(p)
		for answered && n > 0 && (p[0] == '\r' || p[0] == '\n') { // behind a body, as net/http lets old clients do
			n = copy(p, p[1:n])
		}
		if answered && n == 0 && err == nil {
			continue
		}
		if err != nil || !c.enter() {
			return n, err
		}
		r, n := c.request(p, n)
		open := r == nil || c.answer(r)
		if !c.leave() || !open {
			return 0, net.ErrClosed
		}
		if r == nil {
			if !c.writeBy.IsZero() {
				_ = c.SetWriteDeadline(time.Time{}) // as net/http expects it
			}
			return n, nil
		}
		answered = true
		by := time.Time{}
		if idle := c.lane.server.IdleTimeout; idle > 0 {
			by = time.Now().Add(idle)
		}
		c.mu.Lock()
		if by.Sub(c.readBy).Abs() > lag {
			_ = c.readUntil(by)
		}
		c.mu.Unlock()
	}
}

// next reads what has come.
func (c *conn) next(p []byte) (int, error) {
	if len(c.early) > 0 && len(p) > 0 {
		n := copy(p, c.early)
		c.early = c.early[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// enter begins a time in which the connection is not closed by others.
func (c *conn) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = !c.closing
	if c.busy {
		c.lane.busy.Add(1)
	}
	return c.busy
}

// leave ends it. It reports whether the connection is open.
func (c *conn) leave() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = false
	c.lane.busy.Add(-1)
	if c.closing {
		_ = c.Conn.Close()
	}
	return !c.closing
}

// goodbye is how long an answer may take to be written when requests are cut off.
const goodbye = time.Second

// Close closes the connection, as soon as the request that it answers is, or some time after all requests are cut off.
func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	if c.busy {
		context.AfterFunc(c.lane.base, func() { time.AfterFunc(goodbye, func() { _ = c.Conn.Close() }) })
		return nil
	}
	return c.Conn.Close()
}

// CloseWrite lets net/http wait until a client has read why its connection ends.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// request returns the request that p begins with, if it is a simple one, and how much of p has come then.
func (c *conn) request(p []byte, n int) (*http.Request, int) {
	const post, end = "POST ", "\r\n\r\n"
	head := bytes.Index(p[:n], []byte(end)) + len(end)
	if head < len(end) || string(p[:len(post)]) != post {
		return nil, n
	}
	in := c.lane.readers.Get().(*bufio.Reader)
	in.Reset(bytes.NewReader(p[:head]))
	r, err := http.ReadRequest(in)
	c.lane.readers.Put(in)
	if err != nil || !simple(r) {
		return nil, n
	}
	body := p[head:]
	if r.ContentLength > int64(len(body)) || n-head > int(r.ContentLength) {
		return nil, n
	}
	body = body[:r.ContentLength]
	if n -= head; n < len(body) {
		if by := c.lane.server.ReadTimeout; by > 0 {
			_ = c.SetReadDeadline(time.Now().Add(by))
		}
		more, err := io.ReadFull(c.Conn, body[n:])
		if err != nil {
			return nil, head + n + more // net/http will see why
		}
	}
	r.Body, r.RemoteAddr = io.NopCloser(bytes.NewReader(body)), c.remote
	return r, head + len(body)
}

// simple reports whether a request is one that is answered here.
func simple(r *http.Request) bool {
	if r.ProtoMajor != 1 || r.ProtoMinor != 1 || r.ContentLength < 0 || r.Close || r.Host == "" || !httpguts.ValidHostHeader(r.Host) {
		return false
	}
	for name, values := range r.Header {
		if notSimple[name] || !httpguts.ValidHeaderFieldName(name) {
			return false
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) || name == "Connection" && !strings.EqualFold(v, "keep-alive") {
				return false
			}
		}
	}
	return true
}

// notSimple are the fields of requests that net/http answers.
var notSimple = map[string]bool{"Expect": true, "Upgrade": true, "Transfer-Encoding": true, "Trailer": true, "Http2-Settings": true}

// answer lets the handler answer. It reports whether another request can follow.
func (c *conn) answer(r *http.Request) bool {
	began := time.Now()
	ctx, cancel := context.WithCancel(c.lane.base)
	defer cancel()
	c.mu.Lock()
	c.cancel = cancel
	if !c.clock.Lend() {
		c.watch()
	}
	c.mu.Unlock()

	w := &response{c: c, header: make(http.Header), declared: -1}
	whole := lend.Answer(c.lane.server, c.lane.server.Handler, w, r.WithContext(ctx)) && w.finish()

	c.mu.Lock()
	c.clock.Back()
	c.clock.Took(time.Since(began))
	watched := c.watched
	c.watched = nil
	c.mu.Unlock()
	if watched == nil {
		return whole
	}
	_ = c.SetReadDeadline(began) // which is over
	<-watched
	_ = c.SetReadDeadline(time.Time{})
	return whole && ctx.Err() == nil
}

// watch looks whether the client goes away, or sends more.
func (c *conn) watch() {
	done, cancel := make(chan struct{}), c.cancel
	c.watched = done
	_ = c.readUntil(time.Time{}) // which was for a connection that nobody uses
	go func() {
		defer close(done)
		var b [1]byte
		n, err := c.Conn.Read(b[:])
		c.early = b[:n] // for who waits until this is done
		if n == 0 && !errors.Is(err, os.ErrDeadlineExceeded) {
			cancel()
		}
	}()
}

// SetDeadline sets both deadlines.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline sets the time when reading fails.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readUntil(t)
}

// readUntil is SetReadDeadline under the lock.
func (c *conn) readUntil(t time.Time) error {
	c.readBy = t
	return c.Conn.SetReadDeadline(t)
}

// SetWriteDeadline sets the time when writing fails.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.writeBy = t
	return c.Conn.SetWriteDeadline(t)
}
