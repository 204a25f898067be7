package grpc_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/grpc"
	"github.com/concord-nn/concord/serve/internal/h2"
)

// serve starts a server on a port of its own, and returns its address and a client.
func serve(t testing.TB, methods map[string]grpc.Method, opts grpc.Options) (string, *http.Client) {
	t.Helper()
	if opts.Message == 0 {
		opts.Message = 1 << 20
	}
	if opts.Idle == 0 {
		opts.Idle = time.Minute
	}
	return listen(t, grpc.New(methods, opts))
}

func listen(t testing.TB, h http.Handler) (string, *http.Client) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	p.SetHTTP1(true)
	s := &http.Server{Handler: h, Protocols: &p}
	done := make(chan error)
	h2.Configure(s)
	go func() { done <- s.Serve(l) }()
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	tr := &http.Transport{Protocols: &only}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		_ = s.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String(), &http.Client{Transport: tr}
}

// frame is a message as it is sent.
func frame(flag byte, b []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{flag}, uint32(len(b))), b...)
}

// answer is what a call ends with.
type answer struct {
	http     int
	code     int // -1 without
	message  string
	header   http.Header
	trailer  http.Header
	messages [][]byte
	flags    []byte
	err      error // in reading the messages
}

func call(t testing.TB, c *http.Client, url string, body io.Reader, header ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set("Te", "trailers")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if m, ok := strings.CutPrefix(r.Header.Get("Content-Type"), "method "); ok {
		r.Method = m
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	a := answer{http: resp.StatusCode, code: -1, header: resp.Header}
	for resp.StatusCode == http.StatusOK {
		var head [5]byte
		if _, err := io.ReadFull(resp.Body, head[:]); err != nil {
			if !errors.Is(err, io.EOF) {
				a.err = err
			}
			break
		}
		b := make([]byte, binary.BigEndian.Uint32(head[1:]))
		if _, a.err = io.ReadFull(resp.Body, b); a.err != nil {
			break
		}
		a.messages, a.flags = append(a.messages, b), append(a.flags, head[0])
	}
	a.trailer = resp.Trailer
	from := resp.Trailer
	if resp.Header.Get("Grpc-Status") != "" {
		from = resp.Header
	}
	if n, err := strconv.Atoi(from.Get("Grpc-Status")); err == nil {
		a.code, a.message = n, from.Get("Grpc-Message")
	}
	return a
}

func zip(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(b)
	_ = z.Close()
	return out.Bytes()
}

var echo = grpc.Unary(func(_ context.Context, b []byte) (grpc.Message, error) { return grpc.Bytes(b), nil })

// TestUnary holds calls with one message to their answers.
func TestUnary(t *testing.T) {
	methods := map[string]grpc.Method{
		"/t/Echo": echo,
		"/t/Fail": grpc.Unary(func(context.Context, []byte) (grpc.Message, error) {
			return nil, &grpc.Status{Code: grpc.Aborted, Message: "100% ü\n", Details: []byte{255}}
		}),
		"/t/Other": grpc.Unary(func(context.Context, []byte) (grpc.Message, error) { return nil, io.ErrNoProgress }),
	}
	url, c := serve(t, methods, grpc.Options{Message: 1000})
	large := bytes.Repeat([]byte("0123456789"), 100)
	for name, r := range map[string]struct {
		path   string
		body   []byte
		header []string
		code   grpc.Code
		want   string // the message, or a part of the error's
	}{
		"echo":                 {"/t/Echo", frame(0, []byte("hello")), nil, 0, "hello"},
		"empty":                {"/t/Echo", frame(0, nil), nil, 0, ""},
		"subtype":              {"/t/Echo", frame(0, []byte("hello")), []string{"Content-Type", "application/grpc+proto"}, 0, "hello"},
		"parameter":            {"/t/Echo", frame(0, []byte("hello")), []string{"Content-Type", "application/grpc; a=b"}, 0, "hello"},
		"largest":              {"/t/Echo", frame(0, large), nil, 0, string(large)},
		"too large":            {"/t/Echo", frame(0, append(large, 0)), nil, grpc.ResourceExhausted, "1001 bytes or more; at most 1000"},
		"a length that lies":   {"/t/Echo", []byte("\x00\xFF\xFF\xFF\xFFxyz"), nil, grpc.ResourceExhausted, "4294967295 bytes or more"},
		"cut":                  {"/t/Echo", frame(0, large)[:100], nil, grpc.Internal, "ends within a message"},
		"cut before":           {"/t/Echo", []byte("\x00\x00"), nil, grpc.Internal, "ends within a message"},
		"no message":           {"/t/Echo", nil, nil, grpc.Unimplemented, "there is none"},
		"two messages":         {"/t/Echo", append(frame(0, nil), frame(0, nil)...), nil, grpc.Unimplemented, "there is a second one"},
		"flag":                 {"/t/Echo", frame(2, nil), nil, grpc.Internal, "begins with 0x2"},
		"no encoding":          {"/t/Echo", frame(1, zip(nil)), nil, grpc.Internal, "does not say how"},
		"identity":             {"/t/Echo", frame(1, zip(nil)), []string{"Grpc-Encoding", "identity"}, grpc.Internal, "does not say how"},
		"compressed":           {"/t/Echo", frame(1, zip([]byte("hello"))), []string{"Grpc-Encoding", "gzip"}, 0, "hello"},
		"compressed, largest":  {"/t/Echo", frame(1, zip(large)), []string{"Grpc-Encoding", "gzip"}, 0, string(large)},
		"compressed or not":    {"/t/Echo", frame(0, []byte("hello")), []string{"Grpc-Encoding", "gzip"}, 0, "hello"},
		"bomb":                 {"/t/Echo", frame(1, zip(make([]byte, 1001))), []string{"Grpc-Encoding", "gzip"}, grpc.ResourceExhausted, "1001 bytes or more"},
		"larger bomb":          {"/t/Echo", frame(1, zip(make([]byte, 500_000))), []string{"Grpc-Encoding", "gzip"}, grpc.ResourceExhausted, "at most 1000"},
		"no gzip":              {"/t/Echo", frame(1, []byte("hello")), []string{"Grpc-Encoding", "gzip"}, grpc.Internal, "is not gzip"},
		"cut gzip":             {"/t/Echo", frame(1, zip(large)[:30]), []string{"Grpc-Encoding", "gzip"}, grpc.Internal, "cannot be decompressed"},
		"other encoding":       {"/t/Echo", frame(0, nil), []string{"Grpc-Encoding", "br"}, grpc.Unimplemented, `as "br"`},
		"no such method":       {"/t/None", frame(0, nil), nil, grpc.Unimplemented, "no method /t/None"},
		"status":               {"/t/Fail", frame(0, nil), nil, grpc.Aborted, "100%25 %C3%BC%0A"},
		"another error":        {"/t/Other", frame(0, nil), nil, grpc.Unknown, "multiple Read calls"},
		"no timeout":           {"/t/Echo", frame(0, nil), []string{"Grpc-Timeout", "1"}, grpc.InvalidArgument, "grpc-timeout"},
		"timeout of 9 digits":  {"/t/Echo", frame(0, nil), []string{"Grpc-Timeout", "123456789S"}, grpc.InvalidArgument, "grpc-timeout"},
		"signed timeout":       {"/t/Echo", frame(0, nil), []string{"Grpc-Timeout", "-1S"}, grpc.InvalidArgument, "grpc-timeout"},
		"timeout of no unit":   {"/t/Echo", frame(0, nil), []string{"Grpc-Timeout", "1s"}, grpc.InvalidArgument, "grpc-timeout"},
		"timeout of centuries": {"/t/Echo", frame(0, []byte("hello")), []string{"Grpc-Timeout", "99999999H"}, 0, "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			a := call(t, c, url+r.path, bytes.NewReader(r.body), r.header...)
			if a.http != http.StatusOK || a.code != int(r.code) || a.header.Get("Content-Type") != "application/grpc" || a.err != nil {
				t.Fatalf("%+v; want the code %d", a, r.code)
			}
			if r.code != 0 {
				if !strings.Contains(a.message, r.want) || len(a.messages) != 0 || a.header.Get("Grpc-Status") == "" {
					t.Errorf("%+v; want %q", a, r.want)
				}
				return
			}
			if len(a.messages) != 1 {
				t.Fatalf("%+v; want a message", a)
			}
			b := a.messages[0]
			if zipped := len(r.header) > 1 && r.header[1] == "gzip"; zipped != (a.flags[0] == 1) || zipped && a.header.Get("Grpc-Encoding") != "gzip" {
				t.Errorf("compressed: %v, %v", a.flags, a.header)
			} else if zipped {
				z, err := gzip.NewReader(bytes.NewReader(b))
				if err != nil {
					t.Fatal(err)
				}
				if b, err = io.ReadAll(z); err != nil {
					t.Fatal(err)
				}
			}
			if string(b) != r.want {
				t.Errorf("%q; want %q", b, r.want)
			}
		})
	}
	a := call(t, c, url+"/t/Fail", bytes.NewReader(frame(0, nil)))
	if b, err := base64.RawStdEncoding.DecodeString(a.header.Get("Grpc-Status-Details-Bin")); err != nil || string(b) != "\xFF" {
		t.Errorf("details: %v, %v", a.header, err)
	}
}

// TestHTTP holds what is no gRPC to statuses of HTTP.
func TestHTTP(t *testing.T) {
	url, c := serve(t, map[string]grpc.Method{"/t/Echo": echo}, grpc.Options{})
	if a := call(t, c, url+"/t/Echo", strings.NewReader("x"), "Content-Type", "application/json"); a.http != http.StatusUnsupportedMediaType {
		t.Errorf("another content type: %+v", a)
	}
	if a := call(t, c, url+"/t/Echo", strings.NewReader("x"), "Content-Type", "method GET"); a.http != http.StatusMethodNotAllowed {
		t.Errorf("another method: %+v", a)
	}
	if a := call(t, http.DefaultClient, url+"/t/Echo", strings.NewReader("x")); a.http != http.StatusHTTPVersionNotSupported {
		t.Errorf("HTTP/1.1: %+v", a)
	}
}

// TestMetadata holds headers and trailers of a method to reaching a client, and those of a client to reaching a method.
func TestMetadata(t *testing.T) {
	serveIt := func(fail bool) grpc.Method {
		return grpc.Method{Serve: func(_ context.Context, s *grpc.Stream) error {
			b, err := s.Only()
			if err != nil {
				return err
			}
			for _, v := range s.Metadata()["X-Asked"] {
				s.SetHeader("X-Header", v)
				s.SetTrailer("X-Trailer", v)
			}
			if fail {
				return grpc.Errorf(grpc.NotFound, "gone")
			}
			return s.Send(grpc.Bytes(b))
		}}
	}
	url, c := serve(t, map[string]grpc.Method{"/t/Fail": serveIt(true), "/t/Echo": serveIt(false)}, grpc.Options{})
	for path, code := range map[string]grpc.Code{"/t/Fail": grpc.NotFound, "/t/Echo": grpc.OK} {
		a := call(t, c, url+path, bytes.NewReader(frame(0, nil)), "X-Asked", "a,b")
		if a.code != int(code) || a.header.Get("X-Header") != "a,b" || a.trailer.Get("X-Trailer") != "a,b" || a.header.Get("Grpc-Status") != "" {
			t.Errorf("%s: %+v", path, a)
		}
	}
}

// TestDeadline holds the deadline of a client, and its going, to ending the context of the call.
func TestDeadline(t *testing.T) {
	begun, ended := make(chan bool, 2), make(chan error, 1)
	wait := grpc.Method{Serve: func(ctx context.Context, s *grpc.Stream) error {
		defer func() { ended <- ctx.Err() }()
		begun <- true
		if _, err := s.Only(); err != nil {
			return err
		}
		<-ctx.Done()
		return errors.New("something else")
	}}
	receive := grpc.Method{Stream: true, Serve: func(_ context.Context, s *grpc.Stream) error {
		for {
			if _, err := s.Receive(); err != nil {
				return err
			}
		}
	}}
	url, c := serve(t, map[string]grpc.Method{"/t/Wait": wait, "/t/Receive": receive}, grpc.Options{})
	a := call(t, c, url+"/t/Wait", bytes.NewReader(frame(0, nil)), "Grpc-Timeout", "20m")
	if err := <-ended; a.code != int(grpc.DeadlineExceeded) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%+v, %v", a, err)
	}
	body, hold := io.Pipe()
	defer hold.Close()
	if a := call(t, c, url+"/t/Receive", body, "Grpc-Timeout", "20000u"); a.code != int(grpc.DeadlineExceeded) {
		t.Errorf("waiting for a message: %+v", a)
	}

	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/t/Wait", bytes.NewReader(frame(0, nil)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	<-begun // of the first call
	go func() {
		<-begun
		cancel()
	}()
	if resp, err := c.Do(r); err == nil {
		resp.Body.Close()
		t.Errorf("a call that was cancelled has an answer: %v", resp)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the context ends with %v", err)
	}
}

// TestStream holds messages of streams to coming while others are sent.
func TestStream(t *testing.T) {
	both := grpc.Method{Stream: true, Serve: func(_ context.Context, s *grpc.Stream) error {
		for {
			b, err := s.Receive()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := s.Send(grpc.Bytes(bytes.ToUpper(b))); err != nil {
				return err
			}
		}
	}}
	url, c := serve(t, map[string]grpc.Method{"/t/Both": both}, grpc.Options{})
	body, send := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/t/Both", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	go func() { _, _ = send.Write(frame(0, []byte("a"))) }()
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for i := range 50 {
		if i > 0 {
			if _, err := send.Write(frame(0, []byte("a"))); err != nil {
				t.Fatal(err)
			}
		}
		b := make([]byte, 6)
		if _, err := io.ReadFull(resp.Body, b); err != nil || b[5] != 'A' {
			t.Fatalf("message %d: %q, %v", i, b, err)
		}
	}
	send.Close()
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) != 0 || resp.Trailer.Get("Grpc-Status") != "0" {
		t.Errorf("%q, %v, %v", rest, err, resp.Trailer)
	}
}

// TestSlowClient holds a client that accepts nothing to losing its call.
func TestSlowClient(t *testing.T) {
	ended := make(chan error, 1)
	flood := grpc.Method{Stream: true, Serve: func(ctx context.Context, s *grpc.Stream) error {
		for {
			if err := s.Send(grpc.Bytes(make([]byte, 1<<20))); err != nil {
				ended <- err
				return err
			}
		}
	}}
	url, c := serve(t, map[string]grpc.Method{"/t/Flood": flood}, grpc.Options{Idle: 50 * time.Millisecond})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/t/Flood", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := <-ended; err == nil {
		t.Error("a client that accepts nothing is sent any number of messages")
	}
}

// TestHeld holds the messages of all clients to a bound.
func TestHeld(t *testing.T) {
	wait, there := make(chan bool), make(chan bool)
	hold := grpc.Unary(func(_ context.Context, b []byte) (grpc.Message, error) {
		there <- true
		<-wait
		return grpc.Bytes(nil), nil
	})
	methods := map[string]grpc.Method{"/t/Hold": hold, "/t/Echo": echo}
	url, c := listen(t, budget.New(1000).Handler(grpc.New(methods, grpc.Options{Message: 1 << 20})))
	first := make(chan answer)
	go func() { first <- call(t, c, url+"/t/Hold", bytes.NewReader(frame(0, make([]byte, 600)))) }()
	<-there
	if a := call(t, c, url+"/t/Echo", bytes.NewReader(frame(0, make([]byte, 600)))); a.code != int(grpc.Unavailable) {
		t.Errorf("beyond the bound: %+v", a)
	}
	wait <- true
	if a := call(t, c, url+"/t/Echo", bytes.NewReader(frame(0, make([]byte, 1001)))); a.code != int(grpc.ResourceExhausted) {
		t.Errorf("beyond the bound alone: %+v", a)
	}
	if a := <-first; a.code != 0 {
		t.Errorf("%+v", a)
	}
	if a := call(t, c, url+"/t/Echo", bytes.NewReader(frame(0, make([]byte, 600)))); a.code != 0 {
		t.Errorf("when there is room again: %+v", a)
	}
}

// TestLarge holds answers of more than what connections gather, and messages beyond what is trusted, to arriving whole.
func TestLarge(t *testing.T) {
	url, c := serve(t, map[string]grpc.Method{"/t/Echo": echo}, grpc.Options{Message: 20 << 20})
	b := make([]byte, 9<<20+1)
	for i := range b {
		b[i] = byte(i >> 10)
	}
	if a := call(t, c, url+"/t/Echo", bytes.NewReader(frame(0, b))); a.code != 0 || len(a.messages) != 1 || !bytes.Equal(a.messages[0], b) {
		t.Errorf("%d, %s, %v", a.code, a.message, a.err)
	}
}

func BenchmarkUnary(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			url, c := serve(b, map[string]grpc.Method{"/t/Echo": echo}, grpc.Options{Message: 20 << 20})
			body := frame(0, make([]byte, size))
			b.SetBytes(int64(size))
			for b.Loop() {
				if a := call(b, c, url+"/t/Echo", bytes.NewReader(body)); a.code != 0 {
					b.Fatal(a)
				}
			}
		})
	}
}
