package serve

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPanics makes mistakes in handlers: one before anything was answered, one in the middle.
func TestPanics(t *testing.T) {
	var log bytes.Buffer
	s, err := New(Options{Dir: ".", Log: slog.New(slog.NewJSONHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	h := s.front(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/half" {
			_, _ = w.Write([]byte("half"))
		}
		panic("what was that")
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "what was that") {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
	for _, want := range []string{`"stack":"goroutine`, `"level":"ERROR","msg":"request"`, `"error":"panic: what was that"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, &log)
		}
	}
	defer func() {
		if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // it is compared as package http does
			t.Errorf("half an answer is not cut off: %v", p)
		}
	}()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/half", nil))
}
