package serve

import (
	"bytes"
	"cmp"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// TestPanic has a handler that panics: the client is told, and the log has the place.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	s, err := New(Options{Dir: ".", Log: slog.New(slog.NewJSONHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		contentType, path, status string
	}{{"application/json", "/", "500"}, {"application/grpc", "/", "13"}, {"application/json", "/half", "cut off"}} {
		log.Reset()
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, c.path, nil)
		r.Header.Set("Content-Type", c.contentType)
		got := ""
		func() {
			defer func() {
				if p := recover(); p == http.ErrAbortHandler { //nolint:errorlint // it is compared as package http does
					got = "cut off"
				}
			}()
			s.front(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/half" {
					_, _ = w.Write([]byte("{"))
				}
				panic("a mistake")
			})).ServeHTTP(w, r)
			got = cmp.Or(w.Header().Get("Grpc-Status"), strconv.Itoa(w.Code))
		}()
		if text := log.String(); got != c.status || !strings.Contains(text, `"error":"a mistake"`) || !strings.Contains(text, "front_internal_test.go") {
			t.Errorf("%s, %s: got %s; the log: %s", c.path, c.contentType, got, text)
		}
	}
}
