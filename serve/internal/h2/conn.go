package h2

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve/internal/lend"
)

// Configure lets a server answer HTTP/2 by this package, with TLS and without as its Protocols say. Of the server count MaxHeaderBytes, ReadTimeout,
// ReadHeaderTimeout, IdleTimeout, ErrorLog and HTTP2.WriteByteTimeout.
func Configure(s *http.Server) {
	all := &conns{open: make(map[*conn]bool)}
	s.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){
		"h2": func(s *http.Server, t *tls.Conn, h http.Handler) {
			state := t.ConnectionState()
			all.serve(s, t, &state, h)
		},
		// This is how net/http gives connections without TLS to golang.org/x/net, behind the preface.
		"unencrypted_http2": func(s *http.Server, t *tls.Conn, h http.Handler) {
			if plain, ok := t.NetConn().(interface{ UnencryptedNetConn() net.Conn }); ok {
				all.serve(s, plain.UnencryptedNetConn(), nil, h)
			}
		},
	}
	s.RegisterOnShutdown(all.leave)
}

// conns are the connections of a server.
type conns struct {
	mu      sync.Mutex
	open    map[*conn]bool
	leaving bool
}

func (all *conns) leave() {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.leaving = true
	for c := range all.open {
		go c.leave() // which writes
	}
}

// conn is a connection.
type conn struct {
	net.Conn
	server  *http.Server
	handler http.Handler
	base    context.Context // it is that of all requests
	remote  string
	tls     *tls.ConnectionState
	in      *bufio.Reader
	framer  *http2.Framer // whose one half reads and whose other one writes, the latter with mu
	done    chan struct{}

	// What the goroutine that reads has to itself.
	ready   []*stream // what runs when all that has come is read
	greeted bool      // whether there were settings
	hurried bool      // the client has only the time for headers
	strikes int       // frames that brought the client nothing, within a minute
	minute  time.Time // which began then

	mu      sync.Mutex
	streams map[uint32]*stream // that are open
	last    uint32             // the newest one
	served  uint32             // the newest one that is answered
	running int                // handlers, also of streams that were reset
	rested  time.Time          // when the last one ended
	timer   *time.Timer        // looks whether the connection is used
	leaving bool               // no more streams
	err     error              // why it has ended

	clock *lend.Clock // of the goroutine that reads, which runs handlers

	accept  time.Duration // how long the client may take nothing
	room    int64         // bytes that the client may send
	taken   int64         // that were read and that it was not told of
	window  int64         // bytes that it lets us send
	initial int64         // and of a new stream
	credit  int           // updates of windows that it may send because of what was sent

	out, spare []byte     // what has gathered, and memory
	writing    bool       // somebody writes
	written    *sync.Cond // nobody does any more
	waiting    int        // streams that wait for something
	encoder    *hpack.Encoder
	block      bytes.Buffer // a header
}

const (
	preface   = http2.ClientPreface
	smallest  = 65535     // the window of which connections begin
	largest   = 1<<31 - 1 // window
	frame     = 16 << 10
	head      = 9           // bytes that a frame begins with
	slack     = 4 << 10     // of a header, as net/http has it
	gathered  = 256 << 10   // bytes that may wait until they are written
	goodbye   = time.Second // how long a client has for reading why a connection ends
	tableSize = 4096        // of the compression of headers
)

var (
	protocolError = http2.ConnectionError(http2.ErrCodeProtocol)
	flowError     = http2.ConnectionError(http2.ErrCodeFlowControl)
	calm          = http2.ConnectionError(http2.ErrCodeEnhanceYourCalm)
)

// serve serves a connection until it ends.
func (all *conns) serve(s *http.Server, nc net.Conn, state *tls.ConnectionState, h http.Handler) {
	base := context.Background()
	if b, ok := h.(interface{ BaseContext() context.Context }); ok {
		base = b.BaseContext()
	}
	base, stop := context.WithCancel(base)
	defer stop()
	c := &conn{Conn: nc, server: s, handler: h, base: base, remote: nc.RemoteAddr().String(), tls: state, in: bufio.NewReaderSize(nc, 16<<10),
		done: make(chan struct{}), streams: make(map[uint32]*stream), room: limits.ServeWindow, window: smallest, initial: smallest, rested: time.Now(), accept: limits.ServeAccept * time.Second}
	if s.HTTP2 != nil {
		c.accept = cmp.Or(s.HTTP2.WriteByteTimeout, c.accept)
	}
	c.written = sync.NewCond(&c.mu)
	c.encoder = hpack.NewEncoder(&c.block)
	c.framer = http2.NewFramer((*gather)(c), c.in)
	c.framer.SetReuseFrames()
	c.framer.SetMaxReadFrameSize(frame)
	c.framer.ReadMetaHeaders = hpack.NewDecoder(tableSize, nil)
	c.framer.MaxHeaderListSize = uint32(cmp.Or(s.MaxHeaderBytes, http.DefaultMaxHeaderBytes)) + slack
	c.clock = lend.New(&c.mu, func() { go c.read() })
	c.mu.Lock() // which the timer waits for
	if s.IdleTimeout > 0 {
		c.timer = time.AfterFunc(s.IdleTimeout, c.look)
		defer c.timer.Stop()
	}
	c.mu.Unlock()

	all.mu.Lock()
	all.open[c] = true
	leaving := all.leaving
	all.mu.Unlock()
	defer func() {
		all.mu.Lock()
		delete(all.open, c)
		all.mu.Unlock()
	}()

	c.mu.Lock()
	_ = c.framer.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: limits.ServeStreams},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: limits.ServeWindow}, http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: c.framer.MaxHeaderListSize})
	_ = c.framer.WriteWindowUpdate(0, limits.ServeWindow-smallest)
	c.mu.Unlock()
	if leaving {
		c.leave()
	}
	go c.begin()
	<-c.done
}

// begin reads what comes before frames.
func (c *conn) begin() {
	c.hurry(true)
	if c.tls != nil {
		var b [len(preface)]byte
		if _, err := io.ReadFull(c.in, b[:]); err != nil || string(b[:]) != preface {
			c.end(io.EOF)
			return
		}
	}
	c.read()
}

// read reads frames until a handler is to run, which it does itself while another goroutine reads on.
func (c *conn) read() {
	for {
		if !c.whole() {
			if n := len(c.ready) - 1; n >= 0 {
				for _, st := range c.ready[:n] {
					go c.run(st)
				}
				st := c.ready[n]
				clear(c.ready)
				c.ready = c.ready[:0]
				lent := c.lend(st)
				if !lent {
					go c.read()
				}
				if c.run(st); lent && c.back() {
					continue
				}
				return
			}
			c.mu.Lock()
			c.flush()
			c.mu.Unlock()
		}
		var f http2.Frame
		err := c.arrive()
		if err == nil {
			f, err = c.framer.ReadFrame()
		}
		if err == nil {
			err = c.take(f)
		}
		if broken, ok := errors.AsType[http2.StreamError](err); ok {
			err = c.reset(broken.StreamID, broken.Code)
		}
		if err != nil {
			c.end(err)
			return
		}
	}
}

// arrive waits for a frame. The first one, and a header with all its continuations from its first byte on, must come within the time for headers.
func (c *conn) arrive() error {
	c.hurry(!c.greeted)
	if _, err := c.in.Peek(1); err != nil {
		return err
	}
	if c.whole() && !c.begins() {
		return nil
	}
	c.hurry(true)
	if _, err := c.in.Peek(head); err != nil {
		return err
	}
	c.hurry(!c.greeted || c.begins())
	return nil
}

// begins reports whether the next frame, of which the head has come, begins a header that others continue, or is one that has not come whole.
func (c *conn) begins() bool {
	b, _ := c.in.Peek(head) // which is there
	return http2.FrameType(b[3]) == http2.FrameHeaders && (!c.whole() || !http2.Flags(b[4]).Has(http2.FlagHeadersEndHeaders))
}

// hurry gives the client the time for headers, from now on, or any time. The time of a connection that is to end stays over.
func (c *conn) hurry(on bool) {
	if c.server.ReadHeaderTimeout <= 0 || !on && !c.hurried {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hurried = on
	by := time.Time{}
	if on {
		by = time.Now().Add(c.server.ReadHeaderTimeout)
	}
	if !c.leaving || c.running > 0 {
		_ = c.SetReadDeadline(by)
	}
}

// lend reports whether the goroutine that reads may run a handler first: of a request that has come whole, if nothing else runs.
func (c *conn) lend(st *stream) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running <= 1 && st.ended && c.clock.Lend()
}

// back reports whether that goroutine still has to read.
func (c *conn) back() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clock.Back()
}

// whole reports whether the next frame has come.
func (c *conn) whole() bool {
	if c.in.Buffered() < head {
		return false
	}
	b, _ := c.in.Peek(head) // which is there
	return c.in.Buffered()-head >= int(b[0])<<16|int(b[1])<<8|int(b[2])
}

// close ends a stream. Its handler may still run.
func (c *conn) close(st *stream, err error) {
	delete(c.streams, st.id)
	st.err = err
	c.took(nil, int64(st.body.Len()))
	st.body = bytes.Buffer{}
	st.cancel()
	st.changed.Broadcast()
}

// wake lets all streams look whether they can go on.
func (c *conn) wake() {
	if c.waiting == 0 {
		return
	}
	for _, st := range c.streams {
		st.changed.Broadcast()
	}
}

// leave ends the connection when what the client has asked for is answered.
func (c *conn) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retire()
	c.flush()
}

func (c *conn) retire() {
	if c.leaving || c.err != nil {
		return
	}
	c.leaving = true
	_ = c.framer.WriteGoAway(c.served, http2.ErrCodeNo, nil)
	c.wake() // who lingers
	c.rest()
}

// rest notes that handlers have ended, and stops reading if they were the last ones.
func (c *conn) rest() {
	c.rested = time.Now()
	if c.leaving && c.running == 0 {
		_ = c.SetReadDeadline(c.rested)
	}
}

// look ends a connection that has not been used for too long.
func (c *conn) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait := c.server.IdleTimeout
	if c.running == 0 {
		if wait -= time.Since(c.rested); wait <= 0 {
			c.retire()
			go c.leave()
			return
		}
	}
	c.timer.Reset(wait)
}

// end ends the connection: the goroutine that reads does.
func (c *conn) end(err error) {
	c.mu.Lock()
	code, wrong := errors.AsType[http2.ConnectionError](err)
	if errors.Is(err, http2.ErrFrameTooLarge) {
		code, wrong = http2.ConnectionError(http2.ErrCodeFrameSize), true
	}
	tell := (wrong || c.leaving) && c.err == nil
	if tell {
		c.accept = goodbye
		_ = c.SetWriteDeadline(time.Now().Add(goodbye)) // for who writes already
		if wrong {
			_ = c.framer.WriteGoAway(c.served, http2.ErrCode(code), nil)
		}
		c.flush()
		for c.writing {
			c.written.Wait()
		}
	}
	c.fail(net.ErrClosed)
	c.mu.Unlock()
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok && tell && half.CloseWrite() == nil {
		_ = c.SetReadDeadline(time.Now().Add(goodbye)) // closing what has unread bytes would take back what was written
		_, _ = io.Copy(io.Discard, c.Conn)
	}
	_ = c.Close()
	close(c.done)
}

// fail ends all streams, and lets nothing more be written.
func (c *conn) fail(err error) {
	if c.err != nil {
		return
	}
	c.err, c.out = err, nil
	for _, st := range c.streams {
		c.close(st, err)
	}
}
