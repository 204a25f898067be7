package h1

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Lane is what stands in front of a server. Its connections are plain ones.
type Lane struct {
	server  *http.Server
	base    context.Context // it is that of all requests
	cut     context.CancelFunc
	busy    atomic.Int64 // connections that are not net/http's at the moment
	readers sync.Pool
}

// Configure makes the lane of a server, whose ConnState it sets. Of the server count Handler, ReadTimeout, IdleTimeout and ErrorLog.
func Configure(s *http.Server) *Lane {
	l := &Lane{server: s, readers: sync.Pool{New: func() any { return bufio.NewReader(nil) }}}
	l.base, l.cut = context.WithCancel(context.Background())
	s.ConnState = func(nc net.Conn, state http.ConnState) {
		if c, ok := nc.(*conn); ok {
			c.idle.Store(state == http.StateIdle)
		}
	}
	return l
}

// Listener returns a listener for the server.
func (l *Lane) Listener(nl net.Listener) net.Listener { return listener{nl, l} }

type listener struct {
	net.Listener
	lane *Lane
}

func (l listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return newConn(nc, l.lane), nil
}

// Shutdown waits until the requests that run are answered, after the Shutdown of the server. When the context ends, theirs do, and it is an error; their
// connections are closed a second later.
func (l *Lane) Shutdown(ctx context.Context) error {
	defer l.cut()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for l.busy.Load() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
	}
	return nil
}
