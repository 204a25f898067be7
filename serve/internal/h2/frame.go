package h2

import (
	"time"

	"golang.org/x/net/http2"

	"github.com/concord-nn/concord/internal/limits"
)

// take does what a frame says.
func (c *conn) take(f http2.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	settings, isSettings := f.(*http2.SettingsFrame)
	if !c.greeted && (!isSettings || settings.IsAck()) {
		return protocolError
	}
	c.greeted = true
	if !c.useful(f) {
		if err := c.strike(); err != nil {
			return err
		}
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

// useful reports whether a frame brings the client something, or answers what was sent to it.
func (c *conn) useful(f http2.Frame) bool {
	switch f := f.(type) {
	case *http2.MetaHeadersFrame: // streams are counted
		return true
	case *http2.DataFrame:
		return len(f.Data()) > 0 || f.StreamEnded()
	case *http2.WindowUpdateFrame:
		c.credit--
		return c.credit >= 0
	case *http2.RSTStreamFrame:
		return c.streams[f.StreamID] != nil
	}
	return false
}

// strike fails if there are too many frames that bring the client nothing, and the server work.
func (c *conn) strike() error {
	if c.strikes == 0 {
		c.minute = time.Now()
	}
	if c.strikes++; c.strikes <= limits.ServeFrames {
		return nil
	}
	if time.Since(c.minute) < time.Minute {
		return calm
	}
	c.strikes = 0
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
		case st == nil && len(f.PseudoFields()) > 0: // a request, and not trailers that were on their way
			return protocolError
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
		return c.strike() // the client knows that it is not answered
	}
	c.served = id
	if c.running >= limits.ServeStreams {
		if err := c.strike(); err != nil {
			return err
		}
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
	if st.room -= n; st.room < 0 { // if there are several streams; for one alone the connection's window is as large
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
