package h2_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve/internal/h2"
)

// start serves a handler, with TLS or without.
func start(t testing.TB, h http.HandlerFunc, secure bool, options ...func(*http.Server)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	for _, set := range options {
		set(s.Config)
	}
	h2.Configure(s.Config)
	if secure {
		s.TLS = &tls.Config{NextProtos: []string{"h2", "http/1.1"}}
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// client speaks HTTP/2 alone.
func client(t testing.TB, s *httptest.Server) *http.Client {
	tr := &http.Transport{Protocols: new(http.Protocols)}
	if s.TLS != nil {
		tr.TLSClientConfig = s.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		tr.TLSClientConfig.NextProtos = nil
		tr.Protocols.SetHTTP2(true)
	} else {
		tr.Protocols.SetUnencryptedHTTP2(true)
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// ask asks and returns the answer with its body read.
func ask(t testing.TB, c *http.Client, method, url string, body io.Reader, header ...string) (*http.Response, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	answer, err := c.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer, string(text), err
}

// TestAnswers holds requests and answers to being what they are by net/http.
func TestAnswers(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789"), 1<<17)
	handlers := map[string]http.HandlerFunc{
		"/nothing": func(http.ResponseWriter, *http.Request) {},
		"/text":    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"/status": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			w.WriteHeader(http.StatusOK)
			fmt.Fprint(w, "tea")
		},
		"/none": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			if _, err := fmt.Fprint(w, "x"); !errors.Is(err, http.ErrBodyNotAllowed) {
				t.Error("a body beside status 204:", err)
			}
		},
		"/echo": func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) },
		"/parts": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "x/y")
			for range 3 {
				fmt.Fprint(w, "part ")
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
			}
			w.Header().Set(http.TrailerPrefix+"After", "all")
		},
		"/trailers": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(http.TrailerPrefix+"After", "all") },
		"/early":    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "early") }, // without reading the body
		"/header": func(w http.ResponseWriter, r *http.Request) {
			w.Header()["X-Bad"] = []string{"a\nb"}
			w.Header()["Connection"] = []string{"close"}
			w.Header()["Date"] = nil
			w.Header()["X-Long"] = []string{strings.Repeat("x", 40_000)}
			fmt.Fprintln(w, r.Method, r.URL, r.Host != "", r.ProtoMajor, r.Header["X-A"], r.Header["Cookie"], r.ContentLength, r.TLS != nil, r.RemoteAddr != "")
		},
		"/abort": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(large)
			panic(http.ErrAbortHandler)
		},
		"/panic": func(http.ResponseWriter, *http.Request) { panic("at the handler") },
	}
	for _, secure := range []bool{false, true} {
		s := start(t, func(w http.ResponseWriter, r *http.Request) { handlers[r.URL.Path](w, r) }, secure)
		c := client(t, s)
		for _, w := range []struct {
			method, path, body string
			header             []string
			status             int
			text               string
			length             int64
			more               map[string]string
		}{
			{"GET", "/nothing", "", nil, 200, "", 0, nil},
			{"GET", "/text", "", nil, 200, "<html>", 6, map[string]string{"Content-Type": "text/html; charset=utf-8"}},
			{"HEAD", "/text", "", nil, 200, "", -1, nil},
			{"GET", "/status", "", nil, 418, "tea", 3, nil},
			{"GET", "/none", "", nil, 204, "", 0, nil},
			{"POST", "/echo", "abc", nil, 200, "abc", 3, nil},
			{"POST", "/echo", string(large), nil, 200, string(large), -1, nil},
			{"POST", "/echo", "expected", []string{"Expect", "100-continue"}, 200, "expected", 8, nil},
			{"GET", "/parts", "", nil, 200, "part part part ", -1, map[string]string{"After": "all", "Content-Type": "x/y"}},
			{"GET", "/trailers", "", nil, 200, "", -1, map[string]string{"After": "all"}},
			{"POST", "/early", string(large), nil, 200, "early", 5, nil},
			{"GET", "/header?q=1", "", []string{"X-A", "b", "X-A", "c", "Cookie", "d=e", "Cookie", "f=g"}, 200,
				fmt.Sprintln("GET /header?q=1 true 2 [b c] [d=e; f=g] 0", secure, true), -1, map[string]string{"X-Bad": "", "Date": "", "X-Long": strings.Repeat("x", 40_000)}},
		} {
			a, text, err := ask(t, c, w.method, s.URL+w.path, strings.NewReader(w.body), w.header...)
			if err != nil {
				t.Errorf("%s %s: %v", w.method, w.path, err)
				continue
			}
			if a.StatusCode != w.status || text != w.text || a.ProtoMajor != 2 || w.length >= 0 && a.ContentLength != w.length {
				t.Errorf("%s %s: %d, %.100q, %d bytes; want %d, %.100q, %d", w.method, w.path, a.StatusCode, text, a.ContentLength, w.status, w.text, w.length)
			}
			if _, ok := w.more["Date"]; !ok && a.Header.Get("Date") == "" {
				t.Errorf("%s: there is no date", w.path)
			}
			for name, value := range w.more {
				if got := a.Header.Get(name) + a.Trailer.Get(name); got != value {
					t.Errorf("%s: %s is %.100q; want %.100q", w.path, name, got, value)
				}
			}
		}
		for _, path := range []string{"/abort", "/panic"} {
			if a, _, err := ask(t, c, "GET", s.URL+path, nil); err == nil {
				t.Errorf("%s is answered as if nothing had happened: %v", path, a)
			}
		}
	}
}

// TestTogether asks much at the same time over one connection.
func TestTogether(t *testing.T) {
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			time.Sleep(5 * time.Millisecond)
		}
		_, _ = io.Copy(w, r.Body)
	}, false)
	c := client(t, s)
	var wait sync.WaitGroup
	for i := range 32 {
		wait.Go(func() {
			for n := range 20 {
				body := strings.Repeat(fmt.Sprint(i, " "), 1+i*n*20)
				path := "/"
				if n%7 == 0 {
					path = "/slow"
				}
				if _, text, err := ask(t, c, "POST", s.URL+path, strings.NewReader(body)); err != nil || text != body {
					t.Errorf("%d bytes come back as %d, %v", len(body), len(text), err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// peer is a client that knows no rules.
type peer struct {
	t testing.TB
	net.Conn
	*http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
}

func dial(t testing.TB, s *httptest.Server) *peer {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	p := &peer{t: t, Conn: c, Framer: http2.NewFramer(c, c)}
	p.AllowIllegalWrites = true
	p.encoder = hpack.NewEncoder(&p.block)
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	return p
}

// greet sends settings.
func (p *peer) greet(settings ...http2.Setting) *peer {
	p.must(p.WriteSettings(settings...))
	return p
}

func (p *peer) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// fields are those of a header: a POST of / unless they say something else.
func (p *peer) fields(list ...string) []byte {
	p.block.Reset()
	if len(list) == 0 || !strings.HasPrefix(list[0], ":") {
		list = append([]string{":method", "POST", ":scheme", "http", ":path", "/", ":authority", "x"}, list...)
	}
	for i := 0; i < len(list); i += 2 {
		_ = p.encoder.WriteField(hpack.HeaderField{Name: list[i], Value: list[i+1]})
	}
	return p.block.Bytes()
}

// open begins a stream.
func (p *peer) open(id uint32, end bool, list ...string) {
	p.must(p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: p.fields(list...), EndStream: end, EndHeaders: true}))
}

// next returns the next frame of a kind, or fails when the connection ends.
func next[F http2.Frame](p *peer) (f F) {
	p.t.Helper()
	for {
		frame, err := p.ReadFrame()
		if err != nil {
			p.t.Errorf("there is no %T: %v", f, err)
			return f
		}
		if f, ok := frame.(F); ok {
			return f
		}
	}
}

// ends waits for the end of the connection, and returns what was said last about streams and about the connection.
func (p *peer) ends() (connection, stream http2.ErrCode) {
	connection, stream = 0xFF, 0xFF
	for {
		f, err := p.ReadFrame()
		switch f := f.(type) {
		case *http2.GoAwayFrame:
			connection = f.ErrCode
		case *http2.RSTStreamFrame:
			stream = f.ErrCode
		case *http2.PingFrame:
			if f.IsAck() && f.Data == [8]byte{'e', 'n', 'd'} { // the connection lives
				return connection, stream
			}
		}
		if err != nil {
			if e := net.Error(nil); errors.As(err, &e) && e.Timeout() {
				p.t.Error("the connection does not end")
			}
			return connection, stream
		}
	}
}

// alive asks for an answer, which ends sees.
func (p *peer) alive() { _ = p.WritePing(false, [8]byte{'e', 'n', 'd'}) }

func echo(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }

// TestMistakes holds what clients must not send to the errors of RFC 9113.
func TestMistakes(t *testing.T) {
	const none = http2.ErrCode(0xFF)
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		if echo(w, r); r.URL.Path == "/wait" {
			<-r.Context().Done()
		}
	}, false)
	for name, c := range map[string]struct {
		send               func(p *peer)
		connection, stream http2.ErrCode
	}{
		"nothing wrong":      {func(p *peer) { p.greet().open(1, true) }, none, none},
		"no settings":        {func(p *peer) { p.open(1, true) }, http2.ErrCodeProtocol, none},
		"settings, acked":    {func(p *peer) { p.must(p.WriteSettingsAck()) }, http2.ErrCodeProtocol, none},
		"a stream of ours":   {func(p *peer) { p.greet().open(2, true) }, http2.ErrCodeProtocol, none},
		"an older stream":    {func(p *peer) { p.greet().open(3, true); p.open(1, true) }, http2.ErrCodeProtocol, none},
		"data, no stream":    {func(p *peer) { p.must(p.greet().WriteData(1, true, nil)) }, http2.ErrCodeProtocol, none},
		"reset, no stream":   {func(p *peer) { p.must(p.greet().WriteRSTStream(1, 0)) }, http2.ErrCodeProtocol, none},
		"window, no stream":  {func(p *peer) { p.must(p.greet().WriteWindowUpdate(1, 1)) }, http2.ErrCodeProtocol, none},
		"window of nothing":  {func(p *peer) { p.must(p.greet().WriteWindowUpdate(0, 0)) }, http2.ErrCodeProtocol, none},
		"window, connection": {func(p *peer) { p.must(p.greet().WriteWindowUpdate(0, 1<<31-1)) }, http2.ErrCodeFlowControl, none},
		"window, stream":     {func(p *peer) { p.greet().open(1, false); p.must(p.WriteWindowUpdate(1, 1<<31-1)) }, none, http2.ErrCodeFlowControl},
		"windows, settings": {func(p *peer) {
			p.greet().open(1, false)
			p.must(p.WriteWindowUpdate(1, 1<<30))
			p.greet(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1})
		}, http2.ErrCodeFlowControl, none},
		"a wrong setting": {func(p *peer) { p.greet(http2.Setting{ID: http2.SettingEnablePush, Val: 2}) }, http2.ErrCodeProtocol, none},
		"data, ended": {func(p *peer) {
			p.greet().open(1, true, ":method", "GET", ":scheme", "http", ":path", "/wait")
			p.must(p.WriteData(1, true, []byte("x")))
		}, none, http2.ErrCodeStreamClosed},
		"a header, ended": {func(p *peer) {
			p.greet().open(1, true, ":method", "GET", ":scheme", "http", ":path", "/wait")
			p.open(1, true, "a", "b")
		}, none, http2.ErrCodeStreamClosed},
		"too much data": {func(p *peer) {
			p.greet().open(1, false, "content-length", "1")
			p.must(p.WriteData(1, true, []byte("xx")))
		}, none, http2.ErrCodeProtocol},
		"too little data": {func(p *peer) {
			p.greet().open(1, false, "content-length", "3")
			p.must(p.WriteData(1, true, []byte("xx")))
		}, none, http2.ErrCodeProtocol},
		"no data":            {func(p *peer) { p.greet().open(1, true, "content-length", "3") }, none, http2.ErrCodeProtocol},
		"no length":          {func(p *peer) { p.greet().open(1, true, "content-length", "-3") }, none, http2.ErrCodeProtocol},
		"trailers":           {func(p *peer) { p.greet().open(1, false); p.open(1, true, ":a", "b") }, none, http2.ErrCodeProtocol},
		"trailers, not last": {func(p *peer) { p.greet().open(1, false); p.open(1, false) }, none, http2.ErrCodeProtocol},
		"a push": {func(p *peer) {
			p.must(p.greet().WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, BlockFragment: p.fields(), EndHeaders: true}))
		}, http2.ErrCodeProtocol, none},
		"no continuation": {func(p *peer) {
			p.must(p.greet().WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.fields(), EndStream: true}))
			p.must(p.WritePing(false, [8]byte{}))
		}, http2.ErrCodeProtocol, none},
		"a continuation":   {func(p *peer) { p.must(p.greet().WriteContinuation(1, true, p.fields())) }, http2.ErrCodeProtocol, none},
		"a large frame":    {func(p *peer) { p.must(p.greet().WriteRawFrame(http2.FrameData, 0, 1, make([]byte, 20_000))) }, http2.ErrCodeFrameSize, none},
		"a short ping":     {func(p *peer) { p.must(p.greet().WriteRawFrame(http2.FramePing, 0, 0, nil)) }, http2.ErrCodeFrameSize, none},
		"no compression":   {func(p *peer) { p.must(p.greet().WriteRawFrame(http2.FrameHeaders, 5, 1, []byte{0xFF, 0xFF, 0xFF})) }, http2.ErrCodeCompression, none},
		"an unknown frame": {func(p *peer) { p.must(p.greet().WriteRawFrame(99, 0, 7, []byte("x"))) }, none, none},
		"a priority":       {func(p *peer) { p.must(p.greet().WritePriority(7, http2.PriorityParam{StreamDep: 1})) }, none, none},
		"connection":       {func(p *peer) { p.greet().open(1, true, "connection", "close") }, none, http2.ErrCodeProtocol},
		"te":               {func(p *peer) { p.greet().open(1, true, "te", "gzip") }, none, http2.ErrCodeProtocol},
		"upper case":       {func(p *peer) { p.greet().open(1, true, "Upper", "x") }, none, http2.ErrCodeProtocol},
		"no path":          {func(p *peer) { p.greet().open(1, true, ":method", "GET", ":scheme", "http") }, none, http2.ErrCodeProtocol},
		"no method":        {func(p *peer) { p.greet().open(1, true, ":path", "/", ":scheme", "http") }, none, http2.ErrCodeProtocol},
		"no scheme":        {func(p *peer) { p.greet().open(1, true, ":path", "/", ":method", "GET") }, none, http2.ErrCodeProtocol},
		"a wrong path":     {func(p *peer) { p.greet().open(1, true, ":path", "x y", ":method", "GET", ":scheme", "http") }, none, http2.ErrCodeProtocol},
		"connect":          {func(p *peer) { p.greet().open(1, true, ":authority", "x", ":method", "CONNECT") }, none, http2.ErrCodeProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			p := dial(t, s)
			c.send(p)
			p.alive()
			if connection, stream := p.ends(); connection != c.connection || stream != c.stream {
				t.Errorf("%v, and of the stream %v; want %v, %v", connection, stream, c.connection, c.stream)
			}
		})
	}
}

// TestStreamsLimit has the most streams run, and refuses the next one, also when the client has given them up.
func TestStreamsLimit(t *testing.T) {
	there, wait := make(chan bool, 1<<20), make(chan bool)
	s := start(t, func(http.ResponseWriter, *http.Request) {
		there <- true
		<-wait
	}, false)
	p := dial(t, s).greet()
	id := uint32(1)
	for range limits.ServeStreams {
		p.open(id, true)
		<-there
		p.must(p.WriteRSTStream(id, http2.ErrCodeCancel))
		id += 2
	}
	p.open(id, true)
	if f := next[*http2.RSTStreamFrame](p); f != nil && (f.StreamID != id || f.ErrCode != http2.ErrCodeRefusedStream) {
		t.Errorf("one stream more: %v", f)
	}
	close(wait)
	for answered := false; !answered; { // by when some handlers have ended
		id += 2
		p.open(id, true)
		f := next[http2.Frame](p)
		for f != nil && f.Header().StreamID != id {
			f = next[http2.Frame](p)
		}
		_, answered = f.(*http2.HeadersFrame)
		if f == nil {
			return
		}
	}
}

// TestFramesLimit sends the most frames that bring nothing, and one more.
func TestFramesLimit(t *testing.T) {
	s := start(t, echo, false)
	for name, send := range map[string]func(p *peer) error{
		"ping":     func(p *peer) error { return p.WritePing(false, [8]byte{}) },
		"settings": func(p *peer) error { return p.WriteSettings() },
		"priority": func(p *peer) error { return p.WritePriority(1, http2.PriorityParam{}) },
		"window":   func(p *peer) error { return p.WriteWindowUpdate(0, 1) },
		"data":     func(p *peer) error { return p.WriteData(1, false, nil) },
		"unknown":  func(p *peer) error { return p.WriteRawFrame(99, 0, 0, nil) },
	} {
		for more, want := range map[int]http2.ErrCode{0: 0xFF, 1: http2.ErrCodeEnhanceYourCalm} {
			p := dial(t, s)
			out := new(bytes.Buffer) // all comes at once, within the minute
			p.Framer = http2.NewFramer(out, p.Conn)
			p.greet().open(1, false)
			for range limits.ServeFrames - 1 - 1 + more { // settings, and the ping that follows
				p.must(send(p))
			}
			p.alive()
			go func() { _, _ = p.Write(out.Bytes()) }()
			if got, _ := p.ends(); got != want {
				t.Errorf("%s, %d more: %v; want %v", name, more, got, want)
			}
		}
	}
}

// TestWindowLimit sends as much as may be without being read, and a byte more.
func TestWindowLimit(t *testing.T) {
	wait := make(chan bool)
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		<-wait
		_, _ = io.Copy(w, r.Body)
	}, false)
	for more, want := range map[int]http2.ErrCode{0: 0xFF, 1: http2.ErrCodeFlowControl} {
		p := dial(t, s).greet()
		p.open(1, false)
		for left := limits.ServeWindow + more; left > 0; left -= 16 << 10 {
			p.must(p.WriteData(1, false, make([]byte, min(left, 16<<10))))
		}
		p.alive()
		if got, _ := p.ends(); got != want {
			t.Errorf("%d bytes more than the window: %v; want %v", more, got, want)
		}
	}
	close(wait)
}

// TestLinger: who sends all of a request that is answered before is not told to stop, unless that is too much or the server goes down.
func TestLinger(t *testing.T) {
	minute := func(s *http.Server) { s.ReadTimeout = time.Minute }
	s := start(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "early") }, false, minute)
	part := make([]byte, 16<<10)
	for _, bytes := range []int{4 * limits.ServeWindow, limits.ServeLinger + 2*limits.ServeWindow} {
		p := dial(t, s).greet()
		p.open(1, false)
		if f := next[*http2.DataFrame](p); f != nil && (string(f.Data()) != "early" || !f.StreamEnded()) {
			t.Errorf("the answer is %v", f)
		}
		stopped := http2.ErrCode(0xFF)
		room := [2]int{limits.ServeWindow, limits.ServeWindow} // of the connection and of the stream
		for sent := 0; stopped == 0xFF; {
			for ; sent < bytes && min(room[0], room[1]) >= len(part); sent += len(part) {
				p.must(p.WriteData(1, false, part))
				room[0], room[1] = room[0]-len(part), room[1]-len(part)
			}
			if sent >= bytes {
				p.alive()
				_, stopped = p.ends()
				break
			}
			f, err := p.ReadFrame()
			p.must(err)
			switch f := f.(type) {
			case *http2.WindowUpdateFrame:
				room[f.StreamID] += int(f.Increment)
			case *http2.RSTStreamFrame:
				stopped = f.ErrCode
			}
		}
		if many := bytes > limits.ServeLinger; many != (stopped == http2.ErrCodeNo) {
			t.Errorf("%d bytes: %v", bytes, stopped)
		}
		if stopped == 0xFF {
			go func() { _ = s.Config.Shutdown(t.Context()) }()
			if f := next[*http2.RSTStreamFrame](p); f != nil && f.ErrCode != http2.ErrCodeNo {
				t.Errorf("a server that goes down says %v", f.ErrCode)
			}
			s = start(t, s.Config.Handler.ServeHTTP, false, minute)
		}
	}
}

// TestSlowReaders holds clients that read nothing to being left: those that give no room for data, and those that do not read.
func TestSlowReaders(t *testing.T) {
	ended := make(chan error)
	flood := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/deadline" {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
		}
		for {
			if _, err := w.Write(make([]byte, 100_000)); err != nil {
				ended <- err
				return
			}
		}
	}
	s := start(t, flood, false, func(s *http.Server) { s.HTTP2 = &http.HTTP2Config{WriteByteTimeout: 50 * time.Millisecond} })
	p := dial(t, s).greet()
	p.open(1, true, ":method", "GET", ":scheme", "http", ":path", "/deadline")
	if err := <-ended; err == nil {
		t.Error("data beyond the window are written")
	}
	if f := next[*http2.RSTStreamFrame](p); f != nil && f.ErrCode != http2.ErrCodeInternal {
		t.Errorf("half an answer ends with %v", f)
	}
	p.greet(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1})
	p.must(p.WriteWindowUpdate(0, 1<<30))
	p.open(3, true)
	if err := <-ended; err == nil {
		t.Error("who does not read is written to")
	}
}

// TestSlowWriters holds clients that send nothing to being left.
func TestSlowWriters(t *testing.T) {
	const soon = 250 * time.Millisecond // in which a client of a busy machine has greeted and asked
	read := make(chan error, 1)
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		}
		switch r.URL.Path {
		case "/unread":
			read <- context.DeadlineExceeded
			return
		case "/never":
			time.AfterFunc(soon, func() { _ = http.NewResponseController(w).SetReadDeadline(time.Now()) })
		}
		_, err := io.ReadAll(r.Body)
		read <- err
	}, false, func(s *http.Server) { s.ReadTimeout, s.IdleTimeout = 2*soon, soon })
	for _, path := range []string{"/", "/never", "/unread"} {
		p := dial(t, s).greet()
		p.open(1, false, ":method", "POST", ":scheme", "http", ":path", path)
		if err := <-read; err == nil || !errors.Is(err, context.DeadlineExceeded) && !strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: reading ends with %v", path, err)
		}
		if connection, _ := p.ends(); connection != http2.ErrCodeNo {
			t.Errorf("%s: a connection without requests ends with %v", path, connection)
		}
	}
	p := dial(t, s).greet()
	if connection, _ := p.ends(); connection != http2.ErrCodeNo {
		t.Errorf("a connection that nobody uses ends with %v", connection)
	}
}

// TestSlowHeaders: a client that does not say what it wants loses the connection, whatever else it sends. One that has greeted may be quiet.
func TestSlowHeaders(t *testing.T) {
	const soon = 100 * time.Millisecond
	s := start(t, echo, false, func(s *http.Server) { s.ReadHeaderTimeout = soon })
	for name, begin := range map[string]func(p *peer){
		"a preface":        func(*peer) {},
		"half of a frame":  func(p *peer) { _, _ = p.Write([]byte{0, 0, 20, byte(http2.FrameHeaders), 0}) },
		"half of a header": func(p *peer) { _, _ = p.Write([]byte{0, 0, 20, byte(http2.FrameHeaders), 0x4, 0, 0, 0, 1, 0x83}) },
		"some continuations": func(p *peer) {
			p.must(p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x83}}))
		},
	} {
		p := dial(t, s)
		if name != "a preface" {
			p.greet()
		}
		begin(p)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for name == "some continuations" && p.WriteContinuation(1, false, nil) == nil {
				time.Sleep(soon / 10)
			}
		}()
		p.ends()
		_ = p.Close()
		<-done
	}
	p := dial(t, s).greet()
	next[*http2.SettingsFrame](p)
	time.Sleep(2 * soon)
	p.open(1, true)
	if f := next[*http2.HeadersFrame](p); f == nil {
		t.Error("a connection that was quiet is not answered")
	}
}

// TestShutdown holds a server that ends to answering what was asked before, and nothing else.
func TestShutdown(t *testing.T) {
	there, wait := make(chan bool, 1), make(chan bool)
	s := start(t, func(w http.ResponseWriter, _ *http.Request) {
		there <- true
		<-wait
		fmt.Fprint(w, "late")
	}, false)
	idle, busy := dial(t, s).greet(), dial(t, s).greet()
	next[*http2.SettingsFrame](idle)
	busy.open(1, true)
	<-there
	done := make(chan error)
	go func() { done <- s.Config.Shutdown(t.Context()) }()
	if connection, _ := idle.ends(); connection != http2.ErrCodeNo {
		t.Errorf("an idle connection ends with %v", connection)
	}
	if f := next[*http2.GoAwayFrame](busy); f != nil && (f.ErrCode != http2.ErrCodeNo || f.LastStreamID != 1) {
		t.Errorf("a connection with a request is told %v", f)
	}
	busy.open(3, false)
	busy.must(busy.WriteData(3, true, []byte("x")))
	close(wait)
	if f := next[*http2.DataFrame](busy); f != nil && (string(f.Data()) != "late" || f.StreamID != 1) {
		t.Errorf("the answer is %v", f)
	}
	for {
		f, err := busy.ReadFrame()
		if err != nil {
			break
		}
		if id := f.Header().StreamID; id != 1 {
			t.Errorf("what was asked too late is answered: %v", f)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestLent holds that the connection is read while a handler runs which began on the goroutine that reads.
func TestLent(t *testing.T) {
	there, gone := make(chan bool, 2), make(chan bool)
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/quick" {
			return
		}
		there <- true
		<-r.Context().Done()
		gone <- true
	}, false)
	p := dial(t, s).greet()
	id := uint32(1)
	for range 3 {
		for range 10 {
			p.open(id, true, ":method", "GET", ":scheme", "http", ":path", "/quick")
			next[*http2.HeadersFrame](p)
			id += 2
		}
		p.open(id, true)
		<-there
		p.alive()
		p.ends()
		p.must(p.WriteRSTStream(id, http2.ErrCodeCancel))
		<-gone
		id += 2
	}
}

// TestHeaders holds headers that are too large to being refused, and those that do not end to ending the connection.
func TestHeaders(t *testing.T) {
	s := start(t, echo, false, func(s *http.Server) { s.MaxHeaderBytes = 10_000 })
	for length, want := range map[int]string{5_000: "200", 8_000: "431"} {
		p := dial(t, s).greet()
		p.open(1, true, "x", strings.Repeat("x", length), "y", strings.Repeat("y", length))
		p.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		if f := next[*http2.MetaHeadersFrame](p); f != nil && f.PseudoValue("status") != want {
			t.Errorf("two fields of %d bytes: %v; want status %s", length, f, want)
		}
	}
	p := dial(t, s).greet()
	b := p.fields("x", strings.Repeat("&", 10_000))
	p.must(p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: b[:len(b)-1]}))
	for range 100 {
		if p.WriteContinuation(1, false, []byte("\x00\x01x\x7f\xff\x05"+strings.Repeat("&", 10_000))) != nil {
			break
		}
	}
	if connection, _ := p.ends(); connection == http2.ErrCodeNo {
		t.Errorf("a header that does not end ends with %v", connection)
	}
}

// TestGone holds the context of a request to ending with the connection.
func TestGone(t *testing.T) {
	there, gone := make(chan bool), make(chan error)
	s := start(t, func(_ http.ResponseWriter, r *http.Request) {
		there <- true
		_, err := io.ReadAll(r.Body)
		<-r.Context().Done()
		gone <- err
	}, false)
	p := dial(t, s).greet()
	p.open(1, false)
	<-there
	_ = p.Close()
	if err := <-gone; err == nil {
		t.Error("a body that does not end is whole")
	}
}
