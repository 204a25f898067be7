package h2

import (
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// gather takes the frames that are written until they are sent.
type gather conn

func (g *gather) Write(b []byte) (int, error) {
	if g.err == nil {
		g.out = append(g.out, b...)
	}
	return len(b), nil
}

// flush sends what has gathered, unless somebody is sending: then that one sends this as well. The lock is given back meanwhile.
func (c *conn) flush() {
	if len(c.out) > 0 && !c.writing {
		c.writing = true
		c.send()
	}
}

func (c *conn) send() {
	b := c.out
	c.out = c.spare[:0]
	c.wake()
	by := time.Now().Add(c.accept)
	c.mu.Unlock()
	err := c.SetWriteDeadline(by)
	if err == nil {
		_, err = c.Write(b)
	}
	c.mu.Lock()
	if c.spare = nil; cap(b) <= 2*gathered {
		c.spare = b
	}
	if err != nil {
		c.fail(err)
		_ = c.Close() // which the reader sees
	}
	if len(c.out) > 0 {
		go func() { // nobody sends for others for longer than once
			c.mu.Lock()
			defer c.mu.Unlock()
			c.send()
		}()
		return
	}
	c.writing = false
	c.written.Broadcast()
}

// field adds a field to the header that is being made. The name of a request, which never comes again, must not take the place of others in the table
// that both sides keep.
func (c *conn) field(name, value string) {
	_ = c.encoder.WriteField(hpack.HeaderField{Name: name, Value: value, Sensitive: name == "x-request-id"}) // it goes to memory
}

// header writes the fields that were added.
func (c *conn) header(id uint32, end bool) {
	b := c.block.Next(min(frame, c.block.Len()))
	_ = c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b, EndStream: end, EndHeaders: c.block.Len() == 0})
	for c.block.Len() > 0 {
		b = c.block.Next(min(frame, c.block.Len()))
		_ = c.framer.WriteContinuation(id, c.block.Len() == 0, b)
	}
}
