package serve_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/concord-nn/concord/serve"
)

// logged is what a server answers with that has not looked at its folder, and its log.
func logged(t testing.TB) (http.Handler, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	s, err := serve.New(serve.Options{Dir: ".", Log: slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	return s.Handler(), log
}

// mistaken panics when it is read, and when it is answered to.
type mistaken struct{ *httptest.ResponseRecorder }

func (mistaken) Read([]byte) (int, error)  { panic("what was that") }
func (mistaken) Write([]byte) (int, error) { panic("what was that") }

// TestPanics makes mistakes in handlers: one before anything was answered, one in the middle.
func TestPanics(t *testing.T) {
	h, log := logged(t)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v2/repository/index", mistaken{}))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "what was that") {
		t.Errorf("status %d, %s", w.Code, w.Body)
	}
	for _, want := range []string{`"stack":"goroutine`, `"level":"ERROR","msg":"request"`, `"error":"panic: what was that"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s:\n%s", want, log)
		}
	}
	defer func() {
		if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // it is compared as package http does
			t.Errorf("half an answer is not cut off: %v", p)
		}
	}()
	h.ServeHTTP(mistaken{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/v2", nil))
}
