package serve_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/serve"
	"github.com/concord-nn/concord/tensor"
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
	s.wants("GET", "/v2/models/digits/stats", "", 200, `"last_inference":0,"inference_count":0,"execution_count":0`) // the server's own run does not count
	s.wants("POST", "/v2/models/digits/infer", one(0.5), 200, `"shape":[1,10]`)
	s.wants("GET", "/v2/models/digits/stats", "", 200, `"inference_count":1,"execution_count":1`)
	s.wants("POST", "/v2/models/none/infer", one(0.5), 404, `there is no model \"none\"`)
	s.wants("POST", "/v2/models/digits/versions/2/infer", one(0.5), 404, "has no version")
	s.wants("GET", "/v2/models/digits/stats", "", 200, `"model_stats":[{"name":"digits"`)
	s.wants("POST", "/v2/repository/index", "", 200, `[{"name":"digits","version":"1","state":"READY","reason":""}]`)
	s.wants("GET", "/metrics", "", 200, "concord_")
	s.wants("GET", "/nothing", "", 404, "")
}

// TestSoundWithStates asks about a sound of two windows a model that has a state in its graph, and one as input and output.
func TestSoundWithStates(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "both", "1")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	b := graph.NewBuilder(op.Rules, "both")
	one := graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1, 1}}
	zero, err := tensor.New(one.DType, one.Shape)
	must := func(v *graph.Value, e error) *graph.Value {
		err = errors.Join(err, e)
		return v
	}
	sound := must(b.Input("sound", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1, 4}}))
	before := must(b.Input("before", one))
	state := must(b.State("state", "state", zero))
	sum := must(b.One("sum_reduce", []*graph.Value{sound}, graph.AttrsOf("axes", []int{1}), ""))
	after := must(b.One("add", []*graph.Value{before, sum}, nil, ""))
	next := must(b.One("add", []*graph.Value{state, sum}, nil, ""))
	level := must(b.One("add", []*graph.Value{after, next}, nil, ""))
	err = errors.Join(err, b.Update(state, next), b.Output("level", level), b.Output("after", after))
	g, e := b.Build()
	if err = errors.Join(err, e); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "model.nnef.tgz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(nnef.WriteArchive(file, g, true), file.Close(), os.WriteFile(filepath.Join(dir, "model.concord.json"), []byte(
		`{"version": 1, "inputs": {"sound": {"kind": "audio", "rate": 8000, "window": 4}, "before": {"kind": "state", "from": "after"}},
			"outputs": {"level": {"kind": "track", "label": "loud", "threshold": 1}}}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	s := start(t, serve.Options{Dir: filepath.Dir(filepath.Dir(dir)), Control: "none"})
	for range 2 { // the second one begins anew
		s.wants("POST", "/models/both/answer", twoWindows, http.StatusOK, `"values": [
          2,
          4
        ]`)
	}
}

// begin starts a server that listens, until somebody stops it; then it says how it ended.
func begin(t testing.TB, opts serve.Options) (s *server, address string, stop func(), ended <-chan error) {
	t.Helper()
	srv, err := serve.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, l) }()
	return &server{srv, t, "http://" + l.Addr().String()}, l.Addr().String(), stop, done
}

// listen starts a server that listens as long as the test runs.
func listen(t testing.TB, opts serve.Options) *server {
	t.Helper()
	s, address, stop, done := begin(t, opts)
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	url := "http://" + address
	if opts.TLS != nil {
		url = "https://" + address
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true} // this waits only
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if got := status(&http.Client{Transport: transport}, url+"/v2/health/ready"); strings.HasPrefix(got, "200") {
			break
		}
	}
	return &server{s.Server, t, url}
}

// twoWindows is a sound of eight samples, a quarter of what 16 bits can say.
const twoWindows = "RIFF\x34\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x10\x00\x00\x00" + quarter + quarter

const quarter = "\x00\x20\x00\x20\x00\x20\x00\x20" // four samples

// TestSound asks about a sound of two windows a model that has a state as input and output, and looks at the metrics.
func TestSound(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "loud", "1")
	if err := os.MkdirAll(model, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"graph.nnef": "version 1.0;\nextension KHR_enable_operator_expressions;\ngraph loud(sound, before) -> (level, after)\n{\n    sound = external(shape = [1, 4]);\n" +
			"    before = external(shape = [1, 1]);\n    level = before + sum_reduce(sound, axes = [1]);\n    after = copy(level);\n}\n",
		"concord.json": `{"version": 1, "inputs": {"sound": {"kind": "audio", "rate": 8000, "window": 4}, "before": {"kind": "state", "from": "after"}},
			"outputs": {"level": {"kind": "track", "label": "loud", "threshold": 1}}}`,
	} {
		if err := os.WriteFile(filepath.Join(model, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, serve.Options{Dir: dir, Control: "none"})
	s.wants("POST", "/models/loud/answer", twoWindows, http.StatusOK, `"values": [
          1,
          2
        ]`)
	s.wants("POST", "/models/loud/versions/1/answer", twoWindows, http.StatusOK, "loud")
	s.wants("POST", "/models/loud/versions/2/answer", twoWindows, http.StatusNotFound, "version")
	s.wants("POST", "/models/quiet/answer", twoWindows, http.StatusNotFound, "quiet")
	s.wants("GET", "/metrics", "", http.StatusOK, `concord_requests_total{model="loud",version="1",method="infer",protocol="page",code="ok"} 2`)
	s.wants("GET", "/metrics", "", http.StatusOK, `concord_requests_total{model="",version="",method="infer",protocol="page",code="not_found"} 2`)
	s.wants("GET", "/metrics", "", http.StatusOK, `concord_http_responses_total{status="404"} 2`)
	s.wants("GET", "/metrics", "", http.StatusOK, `concord_model_loads_total{model="loud",result="success"} 1`)
}
