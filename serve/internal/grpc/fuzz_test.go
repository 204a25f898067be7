package grpc_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/concord-nn/concord/serve/internal/grpc"
)

// FuzzCall makes calls of any bytes. Each ends with a status, and no message is larger than is allowed.
func FuzzCall(f *testing.F) {
	const largest = 1000
	h := grpc.New(map[string]grpc.Method{"/t/All": {Stream: true, Serve: func(_ context.Context, s *grpc.Stream) error {
		for {
			b, err := s.Receive()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if len(b) > largest {
				panic("the message is too large")
			}
			if err := s.Send(grpc.Bytes(b)); err != nil {
				return err
			}
		}
	}}, "/t/One": echo}, grpc.Options{Message: largest, Idle: time.Second})
	f.Add([]byte{}, "", "", false)
	f.Add(frame(0, []byte("hello")), "", "1S", true)
	f.Add(append(frame(1, zip([]byte("hello"))), frame(0, nil)...), "gzip", "", true)
	f.Add(frame(1, zip(make([]byte, 5000))), "gzip", "99999999H", false)
	f.Add(frame(1, zip([]byte("hello"))[:20]), "gzip", "x", false)
	f.Add([]byte("\x00\x00\x00\x00\x09hello"), "identity", "0n", false)
	f.Add([]byte("\x00\xFF\xFF\xFF\xFF"), "br", "", true)
	f.Fuzz(func(t *testing.T, body []byte, encoding, timeout string, all bool) {
		path := "/t/One"
		if all {
			path = "/t/All"
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, bytes.NewReader(body))
		r.ProtoMajor = 2
		for name, value := range map[string]string{"Content-Type": "application/grpc", "Grpc-Encoding": encoding, "Grpc-Timeout": timeout} {
			if value != "" {
				r.Header[name] = []string{value}
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		status := w.Header().Get("Grpc-Status") + w.Header().Get(http.TrailerPrefix+"Grpc-Status")
		if n, err := strconv.Atoi(status); err != nil || n < 0 || n > 16 || w.Code != http.StatusOK {
			t.Errorf("the status is %q, %d", status, w.Code)
		}
	})
}
