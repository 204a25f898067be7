package h2_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/concord-nn/concord/serve/internal/h2"
)

// pipes listens for connections in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// FuzzConnection sends any bytes behind the preface. The connection ends when they do, and what is sent back is frames.
func FuzzConnection(f *testing.F) {
	listener, ended := make(pipes), make(chan bool, 1)
	s := &http.Server{Protocols: new(http.Protocols), ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(echo), ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			ended <- true
		}
	}}
	s.Protocols.SetUnencryptedHTTP2(true)
	h2.Configure(s)
	go func() { _ = s.Serve(listener) }()
	f.Cleanup(func() { close(listener) })

	seed := func(write func(p *peer)) {
		var out bytes.Buffer
		p := &peer{t: f, Framer: http2.NewFramer(&out, nil)}
		p.AllowIllegalWrites = true
		p.encoder = hpack.NewEncoder(&p.block)
		write(p.greet())
		f.Add(out.Bytes())
	}
	seed(func(p *peer) { p.open(1, true) })
	seed(func(p *peer) {
		p.open(1, false, "content-length", "4", "expect", "100-continue")
		p.open(3, true, ":method", "HEAD", ":scheme", "http", ":path", "/x?y", "cookie", "a=b", "cookie", "c=d")
		p.must(p.WriteDataPadded(1, false, []byte("ab"), make([]byte, 20)))
		p.must(p.WriteWindowUpdate(0, 100))
		p.must(p.WriteWindowUpdate(1, 100))
		p.must(p.WriteData(1, false, []byte("cd")))
		p.open(1, true, "trailer", "x")
	})
	seed(func(p *peer) {
		p.greet(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1}, http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0})
		p.open(1, false)
		p.must(p.WriteData(1, true, []byte("abc")))
		p.greet(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 2})
		p.must(p.WritePing(false, [8]byte{1}))
		p.must(p.WriteRSTStream(1, http2.ErrCodeCancel))
		p.must(p.WriteGoAway(0, http2.ErrCodeNo, nil))
		p.open(3, true)
	})
	seed(func(p *peer) {
		b := p.fields("x", "y")
		p.must(p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: b[:3], EndStream: true}))
		p.must(p.WriteContinuation(1, true, b[3:]))
		p.must(p.WritePriority(1, http2.PriorityParam{StreamDep: 3}))
		p.must(p.WriteRawFrame(99, 1, 1, []byte("?")))
	})
	f.Fuzz(func(t *testing.T, sent []byte) {
		client, server := net.Pipe()
		listener <- server
		back := make(chan error)
		go func() {
			frames := http2.NewFramer(nil, client)
			frames.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
			for {
				if _, err := frames.ReadFrame(); err != nil {
					back <- err
					return
				}
			}
		}()
		_, _ = io.WriteString(client, http2.ClientPreface)
		_, _ = client.Write(sent) // which the server may not want to have all of
		_ = client.Close()
		if err := <-back; err != nil && (bytes.Contains([]byte(err.Error()), []byte("error: "))) {
			t.Errorf("what comes back is no HTTP/2: %v", err)
		}
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatal("the connection does not end")
		}
	})
}
