package h2

import (
	"bufio"
	"bytes"
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
)

// Configure lets a server answer HTTP/2 by this package, with TLS and without as its Protocols say. Of the server count MaxHeaderBytes, ReadTimeout,
// IdleTimeout, ErrorLog and HTTP2.WriteByteTimeout.
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
	base    context.Context //nolint:containedctx // it is that of all requests
	remote  string
	tls     *tls.ConnectionState
	in      *bufio.Reader
	framer  *http2.Framer // whose one half reads and whose other one writes, the latter with mu
	done    chan struct{}

	// What the goroutine that reads has to itself.
	ready   []*stream // what runs when all that has come is read
	greeted bool      // whether there were settings
	second  time.Time // when it began to count idle frames
	idle    int       // frames that carry nothing

	mu      sync.Mutex
	streams map[uint32]*stream // that are open
	last    uint32             // the newest one
	served  uint32             // the newest one that is answered
	running int                // handlers, also of streams that were reset
	rested  time.Time          // when the last one ended
	timer   *time.Timer        // looks whether the connection is used
	leaving bool               // no more streams
	err     error              // why it has ended

	room    int64 // bytes that the client may send
	taken   int64 // that were read and that it was not told of
	window  int64 // bytes that it lets us send
	initial int64 // and of a new stream
	credit  int   // updates of windows that it may send as we have sent data

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
		done: make(chan struct{}), streams: make(map[uint32]*stream), room: limits.ServeWindow, window: smallest, initial: smallest, rested: time.Now()}
	c.written = sync.NewCond(&c.mu)
	c.encoder = hpack.NewEncoder(&c.block)
	c.framer = http2.NewFramer((*gather)(c), c.in)
	c.framer.SetReuseFrames()
	c.framer.ReadMetaHeaders = hpack.NewDecoder(tableSize, nil)
	c.framer.MaxHeaderListSize = uint32(headerBytes(s))
	if s.IdleTimeout > 0 {
		c.mu.Lock()
		c.timer = time.AfterFunc(s.IdleTimeout, c.look)
		c.mu.Unlock()
		defer c.timer.Stop()
	}

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

func headerBytes(s *http.Server) int {
	if s.MaxHeaderBytes > 0 {
		return s.MaxHeaderBytes
	}
	return http.DefaultMaxHeaderBytes
}

// begin reads what comes before frames.
func (c *conn) begin() {
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
				go c.read()
				c.run(st)
				return
			}
			c.mu.Lock()
			c.flush()
			c.mu.Unlock()
		}
		f, err := c.framer.ReadFrame()
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

// whole reports whether the next frame has come.
func (c *conn) whole() bool {
	const head = 9
	if c.in.Buffered() < head {
		return false
	}
	b, _ := c.in.Peek(head) // which is there
	return c.in.Buffered()-head >= int(b[0])<<16|int(b[1])<<8|int(b[2])
}

// take does what a frame says.
func (c *conn) take(f http2.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	settings, isSettings := f.(*http2.SettingsFrame)
	if !c.greeted && (!isSettings || settings.IsAck()) {
		return protocolError
	}
	c.greeted = true
	if len(c.out) > limits.ServeUnsent { // the client asks for answers and does not read them
		return calm
	}
	if err := c.count(f); err != nil {
		return err
	}
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		return c.headers(f)
	case *http2.DataFrame:
		return c.data(f)
	case *http2.SettingsFrame:
		return c.settings(f)
	case *http2.WindowUpdateFrame:
		return c.widen(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			return c.framer.WritePing(true, f.Data)
		}
	case *http2.RSTStreamFrame:
		st, err := c.stream(f.StreamID)
		if st != nil {
			c.close(st, http2.StreamError{StreamID: st.id, Code: f.ErrCode})
		}
		return err
	case *http2.GoAwayFrame:
		c.retire()
	case *http2.PushPromiseFrame:
		return protocolError
	}
	return nil // for a priority, and what nobody knows
}

// count fails if there are too many frames that bring the client nothing, and the server work.
func (c *conn) count(f http2.Frame) error {
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		return nil // streams are counted
	case *http2.DataFrame:
		if len(f.Data()) > 0 || f.StreamEnded() {
			return nil
		}
	case *http2.WindowUpdateFrame:
		if c.credit > 0 {
			c.credit--
			return nil
		}
	}
	if c.idle++; c.idle > limits.ServeFrames {
		if now := time.Now(); now.Sub(c.second) > time.Second {
			c.second, c.idle = now, 0
			return nil
		}
		return calm
	}
	return nil
}

// stream returns an open stream, or nil for one that was closed.
func (c *conn) stream(id uint32) (*stream, error) {
	if id%2 == 0 || id > c.last {
		return nil, protocolError
	}
	return c.streams[id], nil
}

// headers begins a stream, or ends what the client sends by trailers.
func (c *conn) headers(f *http2.MetaHeadersFrame) error {
	id := f.StreamID
	if id <= c.last {
		st, err := c.stream(id)
		switch {
		case st == nil:
			return err
		case st.ended:
			return http2.StreamError{StreamID: id, Code: http2.ErrCodeStreamClosed}
		case !f.StreamEnded() || len(f.PseudoFields()) > 0:
			return http2.StreamError{StreamID: id, Code: http2.ErrCodeProtocol}
		}
		return st.finish()
	}
	if id%2 == 0 {
		return protocolError
	}
	c.last = id
	if c.leaving {
		return nil // the client knows that it is not answered
	}
	c.served = id
	if c.running >= limits.ServeStreams {
		return http2.StreamError{StreamID: id, Code: http2.ErrCodeRefusedStream}
	}
	st := &stream{c: c, id: id, window: c.initial, room: limits.ServeWindow, handler: c.handler, left: -1}
	st.changed.L = &c.mu
	if err := st.ask(f); err != nil {
		return err
	}
	c.running++
	c.streams[id] = st
	c.ready = append(c.ready, st)
	if f.StreamEnded() {
		return st.finish()
	}
	return nil
}

// data keeps data until the handler reads them.
func (c *conn) data(f *http2.DataFrame) error {
	st, err := c.stream(f.StreamID)
	if err != nil {
		return err
	}
	n := int64(f.Length)
	if c.room -= n; c.room < 0 {
		return flowError
	}
	if st == nil {
		c.took(nil, n)
		return nil
	}
	data := f.Data()
	fail := func(code http2.ErrCode) error {
		c.took(nil, n)
		return http2.StreamError{StreamID: st.id, Code: code}
	}
	if st.ended {
		return fail(http2.ErrCodeStreamClosed)
	}
	if st.room -= n; st.room < 0 {
		return fail(http2.ErrCodeFlowControl)
	}
	if st.left >= 0 {
		if st.left -= int64(len(data)); st.left < 0 {
			return fail(http2.ErrCodeProtocol)
		}
	}
	st.body.Write(data)
	if padding := n - int64(len(data)); padding > 0 {
		c.took(st, padding)
	}
	if f.StreamEnded() {
		return st.finish()
	}
	st.changed.Broadcast()
	return nil
}

// took tells the client that it may send more, when that is much.
func (c *conn) took(st *stream, n int64) {
	if c.taken += n; c.taken >= limits.ServeWindow/2 {
		_ = c.framer.WriteWindowUpdate(0, uint32(c.taken))
		c.room += c.taken
		c.taken = 0
	}
	if st == nil || st.ended {
		return
	}
	if st.taken += n; st.taken >= limits.ServeWindow/2 {
		_ = c.framer.WriteWindowUpdate(st.id, uint32(st.taken))
		st.room += st.taken
		st.taken = 0
	}
}

// settings takes over what the client says about itself.
func (c *conn) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	err := f.ForeachSetting(func(s http2.Setting) error {
		if err := s.Valid(); err != nil {
			return err
		}
		switch s.ID {
		case http2.SettingHeaderTableSize:
			c.encoder.SetMaxDynamicTableSize(min(s.Val, tableSize))
		case http2.SettingInitialWindowSize:
			more := int64(s.Val) - c.initial
			c.initial = int64(s.Val)
			for _, st := range c.streams {
				if st.window += more; st.window > largest {
					return flowError
				}
			}
			c.wake()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.framer.WriteSettingsAck()
}

// widen takes over how much more may be sent.
func (c *conn) widen(f *http2.WindowUpdateFrame) error {
	if f.StreamID == 0 {
		if c.window += int64(f.Increment); c.window > largest {
			return flowError
		}
		c.wake()
		return nil
	}
	st, err := c.stream(f.StreamID)
	if st == nil {
		return err
	}
	if st.window += int64(f.Increment); st.window > largest {
		return http2.StreamError{StreamID: st.id, Code: http2.ErrCodeFlowControl}
	}
	st.changed.Broadcast()
	return nil
}

// reset ends a stream because of a mistake of the client.
func (c *conn) reset(id uint32, code http2.ErrCode) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = max(c.last, id)
	if st := c.streams[id]; st != nil {
		c.close(st, http2.StreamError{StreamID: id, Code: code})
	}
	return c.framer.WriteRSTStream(id, code)
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
		_ = c.SetWriteDeadline(time.Now().Add(goodbye))
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
