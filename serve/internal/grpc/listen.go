package grpc

import (
	"bufio"
	"net"
	"runtime"
	"sync"
	"time"
)

// Listen wraps a listener for a server of net/http. That reads and writes each frame of HTTP/2 by itself: a small call costs it eight reads and four
// writes of the system. The connections here read what has come, and write what has gathered, at once, which is a third of the time of a small
// call. It stands below TLS. Connections of HTTP/1 without TLS write by themselves: that has nothing to gather.
func Listen(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g := &conn{Conn: c, in: bufio.NewReaderSize(c, 16<<10)}
	g.changed.L = &g.mu
	return g, nil
}

// gathered is how many bytes may wait until they are written.
const gathered = 256 << 10

// lastWrite is how long what has gathered may take when the connection is closed.
const lastWrite = time.Second

// conn is a connection whose writes may be made by a goroutine of its own.
type conn struct {
	net.Conn
	in    *bufio.Reader
	known bool // what the client speaks; it is the first to do so

	mu      sync.Mutex
	gathers bool // there is a goroutine that writes
	changed sync.Cond
	out     []byte // what has gathered
	err     error  // of a write, or of one after Close
}

func (c *conn) Read(b []byte) (int, error) {
	if !c.known {
		c.known = true
		if start, err := c.in.Peek(3); err == nil && (string(start) == "PRI" || start[0] == handshake) {
			c.gather()
		}
	}
	return c.in.Read(b)
}

// handshake is the first byte of a connection with TLS.
const handshake = 0x16

// gather leaves writing to a goroutine.
func (c *conn) gather() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.gathers = true
		go c.write()
	}
}

// Write leaves bytes to the goroutine, and waits if there are too many. It fails with the error of a former write.
func (c *conn) Write(b []byte) (int, error) {
	c.mu.Lock()
	if !c.gathers {
		c.mu.Unlock()
		return c.Conn.Write(b)
	}
	defer c.mu.Unlock()
	for len(c.out) > 0 && len(c.out)+len(b) > gathered && c.err == nil {
		c.changed.Wait()
	}
	if c.err != nil {
		return 0, c.err
	}
	c.out = append(c.out, b...)
	c.changed.Broadcast()
	return len(b), nil
}

// Close ends the connection when what has gathered is written, or cannot be.
func (c *conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return c.err
	}
	c.err = net.ErrClosed
	if !c.gathers {
		return c.Conn.Close()
	}
	c.changed.Broadcast()
	return c.SetWriteDeadline(time.Now().Add(lastWrite))
}

func (c *conn) write() {
	defer func() { _ = c.Conn.Close() }() // all that matters was written
	var spare []byte
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for len(c.out) == 0 && c.err == nil {
			c.changed.Wait()
		}
		if len(c.out) == 0 {
			return
		}
		c.mu.Unlock()
		runtime.Gosched() // whoever wrote often has more to write
		c.mu.Lock()
		b := c.out
		c.out = spare[:0]
		c.changed.Broadcast()
		c.mu.Unlock()
		_, err := c.Conn.Write(b)
		spare = b
		if cap(spare) > gathered {
			spare = nil
		}
		c.mu.Lock()
		if err != nil {
			c.err, c.out = err, nil
			c.changed.Broadcast()
			return
		}
	}
}
