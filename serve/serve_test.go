package serve_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/serve"
)

// digits is the model of the example.
const digits = "../examples/digits/model.nnef"

// folder makes a folder of models: digits under some paths.
func folder(t testing.TB, paths ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range paths {
		install(t, filepath.Join(dir, p))
	}
	return dir
}

// install copies the model of the example.
func install(t testing.TB, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(digits)); err != nil {
		t.Fatal(err)
	}
}

// server is a server that has looked at its folder.
type server struct {
	*serve.Server
	t   testing.TB
	url string
}

func start(t testing.TB, opts serve.Options) *server {
	t.Helper()
	s, err := serve.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		web.Close()
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &server{s, t, web.URL}
}

// ask sends a request and returns the answer.
func (s *server) ask(method, path, body string) (status int, text string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

// wants asks, and compares the status and a part of the answer.
func (s *server) wants(method, path, body string, status int, part string) {
	s.t.Helper()
	got, text := s.ask(method, path, body)
	if got != status || !strings.Contains(text, part) {
		s.t.Errorf("%s %s: status %d, %s\nwant %d, %s", method, path, got, text, status, part)
	}
}

// one is a request with a picture of one grey.
func one(grey float64) string {
	return fmt.Sprintf(`{"inputs": [{"name": "x", "shape": [1, 1, 28, 28], "datatype": "FP32", "data": [%s%g]}]}`, strings.Repeat(fmt.Sprint(grey, ","), 783), grey)
}

func TestServer(t *testing.T) {
	s := start(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none", Version: "v1"})
	s.wants("GET", "/v2", "", 200, `"name":"concord","version":"v1"`)
	s.wants("GET", "/v2/health/live", "", 200, "")
	s.wants("GET", "/v2/health/ready", "", 200, "")
	s.wants("GET", "/v2/models/digits", "", 200, `{"name":"digits","versions":["1"],"platform":"nnef_concord","inputs":[{"name":"x","datatype":"FP32","shape":[1,1,28,28]}],"outputs":[{"name":"y","datatype":"FP32","shape":[1,10]}]}`)
	s.wants("GET", "/v2/models/digits/config", "", 200, `"name":"digits"`)
	s.wants("POST", "/v2/models/digits/infer", one(0.5), 200, `"shape":[1,10]`)
	s.wants("POST", "/v2/models/none/infer", one(0.5), 404, `there is no model \"none\"`)
	s.wants("POST", "/v2/models/digits/versions/2/infer", one(0.5), 404, "has no version")
	s.wants("GET", "/v2/models/digits/stats", "", 200, `"model_stats":[{"name":"digits"`)
	s.wants("POST", "/v2/repository/index", "", 200, `[{"name":"digits","version":"1","state":"READY","reason":""}]`)
	s.wants("GET", "/metrics", "", 200, "concord_")
	s.wants("GET", "/nothing", "", 404, "")
}

// listen starts a server that listens.
func listen(t testing.TB, opts serve.Options) *server {
	t.Helper()
	s, err := serve.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	scheme := "http://"
	if opts.TLS != nil {
		scheme = "https://"
	}
	return &server{s, t, scheme + l.Addr().String()}
}
