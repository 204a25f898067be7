package h1_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/concord-nn/concord/serve/internal/h1"
)

// start serves a handler, with a lane or without one.
func start(t testing.TB, h http.Handler, lane bool, options ...func(*http.Server)) (*httptest.Server, *h1.Lane) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/lane":
			h.ServeHTTP(w, r)
		case inLane(r) || !lane:
			w.WriteHeader(http.StatusNoContent)
		default:
			w.WriteHeader(http.StatusResetContent)
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	for _, set := range options {
		set(s.Config)
	}
	var l *h1.Lane
	if lane {
		l = h1.Configure(s.Config)
		s.Listener = l.Listener(s.Listener)
	}
	s.Start()
	t.Cleanup(s.Close)
	return s, l
}

// dial connects, and asks until the lane answers: the first request of a connection is net/http's, and more may be that come at once.
func dial(t testing.TB, s *httptest.Server) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	in := bufio.NewReader(c)
	for {
		send(t, c, post("/lane", ""))
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode == http.StatusNoContent {
			return c.(*net.TCPConn)
		}
	}
}

func send(t testing.TB, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
}

// post is a simple request.
func post(path, body string, fields ...string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n%s", path, len(body), strings.Join(append(fields, ""), "\r\n"), body)
}

// last ends a connection.
const last = "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

// inLane reports whether a request was not net/http's.
func inLane(r *http.Request) bool { return r.Context().Value(http.ServerContextKey) == nil }

var large = bytes.Repeat([]byte("0123456789"), 1<<17)

func handlers(t testing.TB) http.Handler {
	mux := http.NewServeMux()
	for path, h := range map[string]http.HandlerFunc{
		"/nothing": func(http.ResponseWriter, *http.Request) {},
		"/none":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"/body204": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
			if _, err := fmt.Fprint(w, "x"); !errors.Is(err, http.ErrBodyNotAllowed) {
				t.Error("a body beside status 204:", err)
			}
		},
		"/echo": func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, "no body", http.StatusBadRequest)
				return
			}
			w.Header().Set("X-Request", fmt.Sprint(r.Method, r.URL, r.Host, r.Proto, r.ContentLength, r.Header, r.Close, r.RequestURI, r.RemoteAddr != ""))
			_, _ = w.Write(body)
		},
		"/html": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"/status": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			w.WriteHeader(http.StatusOK)
			fmt.Fprint(w, "tea")
		},
		"/large": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(large) },
		"/sized": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(2*len(large)))
			_, _ = w.Write(large)
			_, _ = w.Write(large)
		},
		"/less": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			fmt.Fprint(w, "less")
		},
		"/more": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "4")
			fmt.Fprint(w, "more")
			if _, err := fmt.Fprint(w, "!"); !errors.Is(err, http.ErrContentLength) {
				t.Error("more than the length:", err)
			}
		},
		"/parts": func(w http.ResponseWriter, _ *http.Request) {
			for range 3 {
				fmt.Fprint(w, "part ")
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
			}
		},
		"/gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z, _ := gzip.NewWriterLevel(w, gzip.NoCompression)
			_, _ = z.Write(large)
			_ = z.Close()
		},
		"/header": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["X-Bad"] = []string{"a\nb"}
			w.Header()["Bad Name"] = []string{"a"}
			w.Header()["Date"] = []string{"never"}
			w.Header()["X-Two"] = []string{"1", "2"}
		},
		"/close": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			fmt.Fprint(w, "bye")
		},
		"/abort": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(large)
			panic(http.ErrAbortHandler)
		},
		"/panic": func(http.ResponseWriter, *http.Request) { panic("on purpose") },
	} {
		mux.HandleFunc(path, h)
	}
	return mux
}

// talk sends parts of a conversation and returns the answers, in a form that does not depend on the order of fields and on the time.
func talk(t testing.TB, s *httptest.Server, parts ...string) string {
	t.Helper()
	c := dial(t, s)
	go func() {
		for i, part := range parts {
			if i > 0 {
				time.Sleep(2 * time.Millisecond)
			}
			if _, err := io.WriteString(c, part); err != nil {
				return
			}
		}
		_ = c.CloseWrite()
	}()
	var out strings.Builder
	in := bufio.NewReader(c)
	for {
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			fmt.Fprintln(&out, "end")
			return out.String()
		}
		body, err := io.ReadAll(answer.Body)
		date := answer.Header.Get("Date")
		if _, bad := http.ParseTime(date); date != "never" && answer.StatusCode >= 200 && answer.StatusCode < 400 && bad != nil {
			t.Errorf("the date is %q", date)
		}
		answer.Header.Del("Date")
		answer.Header.Del("Content-Length") // which is said of longer ones by the lane; else they come in chunks
		if len(body) > 1<<10 {
			body = fmt.Appendf(nil, "%d bytes", len(body))
		}
		// A connection that is closed before the client has sent all is reset, which is an end, too, where an answer has no other.
		toEnd := answer.ContentLength < 0 && len(answer.TransferEncoding) == 0
		if err != nil && (!toEnd || !errors.Is(err, syscall.ECONNRESET)) {
			body = []byte("incomplete")
		}
		fmt.Fprintln(&out, answer.Proto, answer.Status, answer.Header, answer.Close, string(body))
	}
}

// TestAnswers holds requests and answers to being what they are by net/http alone.
func TestAnswers(t *testing.T) {
	inside := post("/html", "x")
	var taken atomic.Int64
	h := handlers(t)
	with, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if inLane(r) {
			taken.Add(1)
		}
		h.ServeHTTP(w, r)
	}), true)
	without, _ := start(t, h, false)
	for _, c := range []struct {
		name  string
		parts []string
		lane  int64 // requests that it answers
	}{
		{"simple", []string{post("/echo", "body")}, 1},
		{"three", []string{post("/echo", "one"), post("/html", "two"), post("/echo", strings.Repeat("3", 3000))}, 3},
		{"no body", []string{"POST /echo HTTP/1.1\r\nHost: x\r\n\r\n"}, 1},
		{"empty body", []string{post("/echo", "")}, 1},
		{"fields", []string{post("/echo?a=b%20c", "body", "X-A: 1", "x-a: 2", "Cookie: a=b", "Connection: keep-alive", "Accept-Encoding: gzip")}, 1},
		{"body behind its header", []string{strings.TrimSuffix(post("/echo", "body"), "body"), "bo", "dy"}, 1},
		{"never a body", []string{strings.TrimSuffix(post("/echo", "body"), "dy")}, 1}, // it takes the next request for one
		{"header in pieces", []string{"POST /echo HTTP/1.1\r\nHo", "st: x\r\n\r\n"}, 0},
		{"two at once", []string{post("/echo", "one") + post("/echo", "two")}, 0},
		{"line ends before", []string{post("/echo", "one") + "\r\n", post("/echo", "two")}, 0},
		{"line ends between", []string{post("/echo", "one"), "\r\n", post("/echo", "two")}, 2},
		{"a rest before", []string{post("/echo", "one") + "A", post("/echo", "two")}, 0},
		{"a request in a body", []string{strings.TrimSuffix(post("/echo", strings.Repeat("x", 5000)+inside), inside), inside}, 0},
		{"large body", []string{post("/echo", strings.Repeat("x", 100_000)), post("/echo", "small")}, 1},
		{"chunks", []string{"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"}, 0},
		{"chunks and length", []string{"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n4\r\nbody\r\n0\r\n\r\n"}, 0},
		{"two lengths", []string{"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody"}, 0},
		{"equal lengths", []string{"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nbody"}, 1},
		{"bad length", []string{"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: +4\r\n\r\nbody"}, 0},
		{"expects", []string{post("/echo", "body", "Expect: 100-continue")}, 0},
		{"expects too much", []string{post("/echo", "body", "Expect: wonders")}, 0},
		{"upgrades", []string{post("/echo", "body", "Connection: Upgrade", "Upgrade: h2c")}, 0},
		{"closes", []string{post("/echo", "body", "Connection: close")}, 0},
		{"no host", []string{"POST /echo HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody"}, 0},
		{"two hosts", []string{post("/echo", "body", "Host: y")}, 0},
		{"bad host", []string{strings.Replace(post("/echo", "body"), "Host: x", "Host: x{", 1)}, 0},
		{"a host in the line", []string{post("http://y/echo", "body")}, 1},
		{"version 1.0", []string{strings.Replace(post("/echo", "body"), "1.1", "1.0", 1)}, 0},
		{"version 1.2", []string{strings.Replace(post("/echo", "body"), "1.1", "1.2", 1)}, 0},
		{"version 2", []string{strings.Replace(post("/echo", "body"), "1.1", "2.0", 1)}, 0},
		{"bad field", []string{post("/echo", "body", "X A: 1")}, 0},
		{"bad value", []string{post("/echo", "body", "X-A: a\x01b")}, 0},
		{"folded", []string{post("/echo", "body", "X-A: a", " b")}, 1},
		{"no request", []string{"POST\r\n\r\n"}, 0},
		{"other method", []string{"PUT /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody"}, 0},
		{"nothing", []string{post("/nothing", "body")}, 1},
		{"204", []string{post("/none", "body")}, 1},
		{"204 with a body", []string{post("/body204", "body")}, 1},
		{"status", []string{post("/status", "body")}, 1},
		{"not found", []string{post("/nowhere", "body")}, 1},
		{"large answer", []string{post("/large", "body")}, 1},
		{"large answer with its size", []string{post("/sized", "body")}, 1},
		{"less than the size", []string{post("/less", "body")}, 1},
		{"more than the size", []string{post("/more", "body")}, 1},
		{"parts", []string{post("/parts", "body")}, 1},
		{"compressed", []string{post("/gzip", "body")}, 1},
		{"header of an answer", []string{post("/header", "body")}, 1},
		{"closed by the handler", []string{post("/close", "body")}, 1},
		{"aborted", []string{post("/abort", "body")}, 1},
		{"panic", []string{post("/panic", "body")}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts := append(c.parts, last)
			want := talk(t, without, parts...)
			for tries := 10; ; tries-- { // on a busy machine parts come at once, which are net/http's then
				taken.Store(0)
				if got := talk(t, with, parts...); got != want {
					t.Fatalf("with the lane:\n%.2000s\nwithout:\n%.2000s", got, want)
				}
				if n := taken.Load(); n > c.lane || n < c.lane && tries == 0 {
					t.Fatalf("the lane has answered %d requests; want %d", n, c.lane)
				} else if n == c.lane {
					return
				}
			}
		})
	}
}

// TestClientGoes lets clients go away, and send more, while their request is answered.
func TestClientGoes(t *testing.T) {
	begun, ended, goOn := make(chan bool), make(chan error), make(chan bool)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- inLane(r)
		select {
		case <-r.Context().Done():
			ended <- r.Context().Err()
		case <-goOn:
			fmt.Fprint(w, "slow ", r.Context().Err())
		}
	})
	s, _ := start(t, h, true)
	brief, _ := start(t, h, true, func(s *http.Server) { s.IdleTimeout = time.Second }) // in which a client sends a request on a busy machine, too
	for _, s := range []*httptest.Server{s, s, brief} {
		c := dial(t, s)
		send(t, c, post("/wait", ""))
		if !<-begun {
			t.Error("the lane has not answered")
		}
		if idle := s.Config.IdleTimeout; idle > 0 {
			select {
			case <-time.After(idle * 5 / 4):
			case err := <-ended:
				t.Fatal("a connection that is in use was closed: ", err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	for early, tries := 0, 20; early < 3; tries-- { // on a busy machine nobody may have watched yet when the first answer goes
		if tries == 0 {
			t.Fatal("the lane has answered what came while it answered")
		}
		c := dial(t, s)
		send(t, c, post("/slow", ""))
		if !<-begun {
			t.Error("the lane has not answered")
		}
		send(t, c, post("/slow", ""))
		time.Sleep(10 * time.Millisecond)
		in := bufio.NewReader(c)
		for i := range 2 {
			if i == 1 && !<-begun {
				early++
			}
			goOn <- true
			answer, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "slow <nil>" {
				t.Fatalf("%q, %v", body, err)
			}
		}
	}
}

// TestShutdown ends servers while a request is answered.
func TestShutdown(t *testing.T) {
	begun, goOn := make(chan bool), make(chan bool)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- inLane(r)
		select {
		case <-goOn:
		case <-r.Context().Done():
		}
		fmt.Fprint(w, r.Context().Err())
	})
	for _, patient := range []bool{true, false} {
		s, lane := start(t, h, true)
		idle := dial(t, s)
		c := dial(t, s)
		send(t, c, post("/wait", ""))
		if !<-begun {
			t.Error("the lane has not answered")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if patient {
			ctx = t.Context()
			time.AfterFunc(20*time.Millisecond, func() { goOn <- true })
		}
		if err := s.Config.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := lane.Shutdown(ctx); (err == nil) != patient {
			t.Error(err)
		}
		answer, err := io.ReadAll(c)
		if err != nil || !strings.HasSuffix(string(answer), map[bool]string{true: "<nil>", false: "context canceled"}[patient]) {
			t.Errorf("%q, %v", answer, err)
		}
		if n, err := idle.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
			t.Error("a connection that was idle:", n, err)
		}
	}
}

// TestCutOff ends a server while a client does not read.
func TestCutOff(t *testing.T) {
	begun, failed := make(chan bool), make(chan error, 1)
	s, lane := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- inLane(r)
		var err error
		for err == nil {
			_, err = w.Write(large)
		}
		failed <- err
	}), true)
	send(t, dial(t, s), post("/", ""))
	if !<-begun {
		t.Error("the lane has not answered")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Config.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := lane.Shutdown(ctx); err == nil {
		t.Error("the request has ended")
	}
	<-failed // which it does when the connection is closed
}

// TestTimeouts lets clients wait in all ways that there are.
func TestTimeouts(t *testing.T) {
	failed := make(chan error, 1)
	s, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
			var err error
			for range 100 {
				if _, err = w.Write(large); err != nil {
					break
				}
			}
			failed <- err
		default:
			_, _ = io.Copy(w, r.Body)
		}
	}), true, func(s *http.Server) {
		s.ReadTimeout, s.IdleTimeout = 50*time.Millisecond, 100*time.Millisecond
	})
	closed := func(c net.Conn, what string) {
		t.Helper()
		if text, err := io.ReadAll(c); err != nil {
			t.Errorf("%s: %v after %q", what, err, text)
		}
	}
	closed(dial(t, s), "nothing more after a request of net/http")
	c := dial(t, s)
	send(t, c, post("/echo", "body"))
	closed(c, "nothing more after a request of the lane")
	c = dial(t, s)
	send(t, c, strings.TrimSuffix(post("/echo", "body"), "dy"))
	closed(c, "half a body")
	send(t, dial(t, s), post("/large", ""))
	if err := <-failed; err == nil {
		t.Error("a client that does not read has got everything")
	}
}

// FuzzLane sends the same bytes with the lane and without it.
func FuzzLane(f *testing.F) {
	f.Add([]byte(post("/echo", "body")), uint(0))
	f.Add([]byte(post("/parts", "body", "X-A: b")+post("/close", "x")), uint(40))
	f.Add([]byte("POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: x\r\n\r\n2\r\nab\r\n0\r\n\r\n"), uint(70))
	with, _ := start(f, handlers(f), true)
	without, _ := start(f, handlers(f), false)
	f.Fuzz(func(t *testing.T, data []byte, cut uint) {
		if len(data) > 10_000 {
			return
		}
		cut %= uint(len(data) + 1)
		parts := []string{string(data[:cut]), string(data[cut:]), last}
		if got, want := talk(t, with, parts...), talk(t, without, parts...); got != want {
			t.Errorf("with the lane:\n%.2000s\nwithout:\n%.2000s", got, want)
		}
	})
}
