package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/serve/internal/rest"
)

// fake answers like a server with models of version 3 that yield their inputs. They take x, FP32 [-1,2], and echo z, too.
type fake struct {
	infer func(context.Context, *oip.Request) (*oip.Response, error) // in place of what it does
	last  *oip.Request
	ready bool
}

func (f *fake) Live() bool  { return true }
func (f *fake) Ready() bool { return f.ready }

func (f *fake) Server() oip.ServerMetadata {
	return oip.ServerMetadata{Name: "concord", Version: "1", Extensions: []string{"binary_tensor_data"}}
}

func (f *fake) known(name, version string) error {
	if !slices.Contains([]string{"echo", "pair", "a/b", "batch", "open", "strange"}, name) || version != "" && version != "3" {
		return oip.Errorf(oip.NotFound, "there is no model %q of version %q", name, version)
	}
	return nil
}

func (f *fake) ModelReady(name, version string) (bool, error) { return f.ready, f.known(name, version) }

func (f *fake) Model(name, version string) (*oip.ModelMetadata, error) {
	if err := f.known(name, version); err != nil {
		return nil, err
	}
	m := &oip.ModelMetadata{Name: name, Versions: []string{"3"}, Platform: "onnx_concord",
		Inputs: []oip.TensorMetadata{{Name: "x", Datatype: "FP32", Shape: []int64{-1, 2}}}, Outputs: []oip.TensorMetadata{{Name: "x", Datatype: "FP32", Shape: []int64{-1, 2}}}}
	switch name {
	case "echo":
		m.Inputs = append(m.Inputs, oip.TensorMetadata{Name: "z", Datatype: "BOOL", Shape: []int64{-1, -1}})
	case "open":
		m.Inputs[0].Shape[1] = -1
	case "strange":
		m.Inputs[0].Datatype = "INT4"
	}
	return m, nil
}

func (f *fake) Config(name, version string) (*oip.ModelConfig, error) {
	m, err := f.Model(name, version)
	if err != nil {
		return nil, err
	}
	c := &oip.ModelConfig{Name: name, Platform: "nnef", Inputs: m.Inputs}
	if name == "echo" || name == "batch" {
		c.MaxBatchSize, c.PreferredBatch, c.MaxQueueDelay, c.PriorityLevels, c.DefaultPriority = 8, []int64{4, 8}, 100*time.Microsecond, 2, 1
	} else {
		c.Sequences = true
	}
	return c, nil
}

func (f *fake) Statistics(name, version string) ([]oip.ModelStatistics, error) {
	if err := f.known(name, version); name != "" && err != nil {
		return nil, err
	}
	d := oip.Duration{Count: 2, Took: 3}
	return []oip.ModelStatistics{
		{Name: "echo", Version: "3", LastInference: time.UnixMilli(1234), InferenceCount: 5, ExecutionCount: 2, Success: d, Queue: d, ComputeInfer: d, Memory: 7,
			Batches: []oip.BatchStatistics{{Size: 4, Infer: d}}, Cuts: map[string]uint64{"full": 1}, Pending: 1},
		{Name: "pair", Version: "3"},
	}, nil
}

func (f *fake) Infer(ctx context.Context, r *oip.Request) (*oip.Response, error) {
	f.last = r
	if f.infer != nil {
		return f.infer(ctx, r)
	}
	if err := f.known(r.Model, r.Version); err != nil {
		return nil, err
	}
	out := &oip.Response{Model: r.Model, Version: "3", ID: r.ID, Parameters: r.Parameters}
	for _, in := range r.Inputs {
		if len(r.Outputs) == 0 || slices.ContainsFunc(r.Outputs, func(o oip.Requested) bool { return o.Name == in.Name }) {
			out.Outputs = append(out.Outputs, in)
		}
	}
	return out, nil
}

func (f *fake) Index(ready bool) ([]oip.IndexEntry, error) {
	list := []oip.IndexEntry{{Name: "echo", Version: "3", State: oip.ReadyState}, {Name: "new", State: oip.Unavailable, Reason: "it has no file"}}
	if ready {
		list = list[:1]
	}
	return list, nil
}

func (f *fake) Load(_ context.Context, name string) error   { return f.known(name, "") }
func (f *fake) Unload(_ context.Context, name string) error { return f.known(name, "") }

// ask sends a request. Headers are pairs of names and values.
func ask(h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const metadata = `{"name":"pair","versions":["3"],"platform":"onnx_concord","inputs":[{"name":"x","datatype":"FP32","shape":[-1,2]}],"outputs":[{"name":"x","datatype":"FP32","shape":[-1,2]}]}`

// none is a duration of the statistics that never was, three one that was.
const none, three = `{"count":0,"ns":0}`, `{"count":2,"ns":3}`

var echoStats = `{"name":"echo","version":"3","last_inference":1234,"inference_count":5,"execution_count":2,"inference_stats":{"success":` + three +
	`,"fail":` + none + `,"queue":` + three + `,"compute_input":` + none + `,"compute_infer":` + three + `,"compute_output":` + none + `,"cache_hit":` + none +
	`,"cache_miss":` + none + `,"cancel":` + none + `},"response_stats":{},"batch_stats":[{"batch_size":4,"compute_input":` + none + `,"compute_infer":` + three +
	`,"compute_output":` + none + `}],"memory_usage":[{"type":"CPU","id":0,"byte_size":7}],"batch_cuts":{"full":1},"pending_request_count":1}`

var pairStats = `{"name":"pair","version":"3","last_inference":0,"inference_count":0,"execution_count":0,"inference_stats":{"success":` + none +
	`,"fail":` + none + `,"queue":` + none + `,"compute_input":` + none + `,"compute_infer":` + none + `,"compute_output":` + none + `,"cache_hit":` + none +
	`,"cache_miss":` + none + `,"cancel":` + none + `},"response_stats":{},"batch_stats":[],"memory_usage":[{"type":"CPU","id":0,"byte_size":0}],` +
	`"batch_cuts":{},"pending_request_count":0}`

// exchanges are requests other than for inference, and their answers.
var exchanges = []struct {
	method, path, body string
	status             int
	answer             string // or the beginning of it, before "…"
}{
	{"GET", "/v2", "", 200, `{"name":"concord","version":"1","extensions":["binary_tensor_data"]}`},
	{"GET", "/v2/", "", 200, `{"name":"concord","version":"1","extensions":["binary_tensor_data"]}`},
	{"GET", "/v2/health/live", "", 200, `{"live":true}`},
	{"GET", "/v2/health/ready", "", 200, `{"live":true,"ready":true}`},
	{"GET", "/v2/models/pair", "", 200, metadata},
	{"GET", "/v2/models/pair/versions/3", "", 200, metadata},
	{"GET", "/v2/models/a%2Fb", "", 200, strings.Replace(metadata, "pair", "a/b", 1)},
	{"GET", "/v2/models/pair/versions/4", "", 404, `{"error":"there is no model \"pair\" of version \"4\""}`},
	{"GET", "/v2/models/pair/ready", "", 200, `{"name":"pair","ready":true}`},
	{"GET", "/v2/models/pair/versions/3/ready", "", 200, `{"name":"pair","ready":true}`},
	{"GET", "/v2/models/nobody/ready", "", 404, `{"error":"there is no model…`},
	{"GET", "/v2/models/pair/config", "", 200, `{"name":"pair","platform":"nnef","max_batch_size":0,"input":[{"name":"x","data_type":"TYPE_FP32","dims":[-1,2]}],` +
		`"output":[],"sequence_batching":{},"model_transaction_policy":{"decoupled":false}}`},
	{"GET", "/v2/models/echo/versions/3/config", "", 200, `{"name":"echo","platform":"nnef","max_batch_size":8,"input":[{"name":"x","data_type":"TYPE_FP32","dims":[-1,2]},` +
		`{"name":"z","data_type":"TYPE_BOOL","dims":[-1,-1]}],"output":[],"dynamic_batching":{"preferred_batch_size":[4,8],"max_queue_delay_microseconds":100,` +
		`"priority_levels":2,"default_priority_level":1},"model_transaction_policy":{"decoupled":false}}`},
	{"GET", "/v2/models/nobody/config", "", 404, `{"error":"…`},
	{"GET", "/v2/models/stats", "", 200, `{"model_stats":[` + echoStats + `,` + pairStats + `]}`},
	{"GET", "/v2/models/echo/stats", "", 200, `{"model_stats":[` + echoStats + `,…`},
	{"GET", "/v2/models/echo/versions/3/stats", "", 200, `{"model_stats":[` + echoStats + `,…`},
	{"GET", "/v2/models/nobody/stats", "", 404, `{"error":"…`},
	{"POST", "/v2/repository/index", "", 200, `[{"name":"echo","version":"3","state":"READY","reason":""},{"name":"new","version":"","state":"UNAVAILABLE","reason":"it has no file"}]`},
	{"POST", "/v2/repository/index", ` {"ready" : true, "repository_name": {"a": [1, null, {}]}} `, 200, `[{"name":"echo","version":"3","state":"READY","reason":""}]`},
	{"POST", "/v2/repository/index", `{"ready":1}`, 400, `{"error":"byte 9 of the request: there is \"1}\" where true or false has to be"}`},
	{"POST", "/v2/repository/models/pair/load", "", 200, `{"load":true,"name":"pair"}`},
	{"POST", "/v2/repository/models/pair/load", `{"parameters":{"config":"{}"}}`, 501, `{"error":"the parameter \"config\": models are loaded as they lie in the repository…`},
	{"POST", "/v2/repository/models/pair/load", `{"parameters":{"file:1/model.onnx":""}}`, 501, `{"error":"…`},
	{"POST", "/v2/repository/models/nobody/load", "", 404, `{"error":"…`},
	{"POST", "/v2/repository/models/pair/unload", `{"parameters":{"unload_dependents":true}}`, 200, `{"name":"pair","unload":true}`},
	{"POST", "/v2/repository/models/pair/unload", `[]`, 400, `{"error":"byte 0 of the request: there is \"[]\" where the request, an object, has to be"}`},
	{"POST", "/v2/repository/models/pair/unload", `{} {}`, 400, `{"error":"byte 3 of the request: there is \"{}\" where the end has to be"}`},
	{"POST", "/v2/repository/models/nobody/unload", "", 404, `{"error":"…`},

	{"GET", "/", "", 404, `{"error":"there is nothing at \"/\""}`},
	{"GET", "/v2/model/pair", "", 404, `{"error":"there is nothing at \"/v2/model/pair\""}`},
	{"GET", "/v2/models//ready", "", 404, `{"error":"there is nothing at \"/v2/models//ready\""}`},
	{"GET", "/v2/../v2/health/live", "", 404, `{"error":"there is nothing at…`},
	{"DELETE", "/v2/health/live", "", 405, `{"error":"the method is DELETE; this path has GET, HEAD"}`},
	{"GET", "/v2/models/pair/infer", "", 405, `{"error":"the method is GET; this path has POST"}`},
}

func TestExchanges(t *testing.T) {
	h := rest.New(&fake{ready: true}, rest.Options{})
	for _, e := range exchanges {
		w := ask(h, e.method, e.path, e.body)
		got := w.Body.String()
		begin, _, open := strings.Cut(e.answer, "…")
		if w.Code != e.status || got != e.answer && (!open || !strings.HasPrefix(got, begin)) {
			t.Errorf("%s %s %s:\n%d %s\nwant\n%d %s", e.method, e.path, e.body, w.Code, got, e.status, e.answer)
		}
		if ct, length := w.Header().Get("Content-Type"), w.Header().Get("Content-Length"); ct != "application/json" || length != strconv.Itoa(len(got)) {
			t.Errorf("%s %s: content type %q, length %s", e.method, e.path, ct, length)
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %s: the answer is no JSON", e.method, e.path)
		}
	}
}

func TestNotReady(t *testing.T) {
	h := rest.New(&fake{}, rest.Options{})
	for path, want := range map[string]string{
		"/v2/health/live":       `200 {"live":true}`,
		"/v2/health/ready":      `503 {"live":true,"ready":false}`,
		"/v2/models/pair/ready": `503 {"name":"pair","ready":false}`,
	} {
		if w := ask(h, "GET", path, ""); fmt.Sprintf("%d %s", w.Code, w.Body) != want {
			t.Errorf("%s: %d %s; want %s", path, w.Code, w.Body, want)
		}
	}
}

// TestStatuses holds the status of each code, and the headers that belong to some.
func TestStatuses(t *testing.T) {
	for code, want := range map[oip.Code]string{
		oip.Internal: "500", oip.InvalidArgument: "400", oip.NotFound: "404", oip.TooLarge: "413", oip.Exhausted: "429 Retry-After: 1",
		oip.NotReady: "503 Retry-After: 1", oip.DeadlineExceeded: "504", oip.Canceled: "499", oip.Unauthenticated: "401 WWW-Authenticate: Bearer",
		oip.PermissionDenied: "403", oip.Unimplemented: "501",
	} {
		h := rest.New(&fake{infer: func(context.Context, *oip.Request) (*oip.Response, error) {
			return nil, fmt.Errorf("model: %w", oip.Errorf(code, "so it is"))
		}}, rest.Options{})
		w := ask(h, "POST", "/v2/models/echo/infer", `{"inputs":[]}`)
		got := strconv.Itoa(w.Code)
		for _, name := range []string{"Retry-After", "WWW-Authenticate"} {
			if v := w.Header().Get(name); v != "" {
				got += " " + name + ": " + v
			}
		}
		if got != want || w.Body.String() != `{"error":"model: so it is"}` {
			t.Errorf("code %d: %s %s; want %s", code, got, w.Body, want)
		}
	}
	for _, c := range []struct {
		err    error
		status int
	}{{io.ErrNoProgress, 500}, {context.DeadlineExceeded, 504}, {context.Canceled, 499}} {
		h := rest.New(&fake{infer: func(context.Context, *oip.Request) (*oip.Response, error) { return nil, c.err }}, rest.Options{})
		if w := ask(h, "POST", "/v2/models/echo/infer", `{"inputs":[]}`); w.Code != c.status {
			t.Errorf("%v: %d; want %d", c.err, w.Code, c.status)
		}
	}
}

func TestMethods(t *testing.T) {
	h := rest.New(&fake{ready: true}, rest.Options{})
	for _, c := range [][3]string{{"POST", "/v2", "GET, HEAD"}, {"PUT", "/v2/models/pair/infer", "POST"}, {"HEAD", "/v2/repository/index", "POST"}} {
		if w := ask(h, c[0], c[1], ""); w.Code != 405 || w.Header().Get("Allow") != c[2] {
			t.Errorf("%s %s: %d, Allow: %s; want 405 and %s", c[0], c[1], w.Code, w.Header().Get("Allow"), c[2])
		}
	}
	server := httptest.NewServer(h)
	defer server.Close()
	r, err := http.Head(server.URL + "/v2/models/pair")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if body, _ := io.ReadAll(r.Body); r.StatusCode != http.StatusOK || r.ContentLength != int64(len(metadata)) || len(body) > 0 {
		t.Errorf("HEAD: %d, length %d, body %q; want 200, %d and none", r.StatusCode, r.ContentLength, body, len(metadata))
	}
}

// TestOrigins: a page that somebody reads elsewhere must not load models here.
func TestOrigins(t *testing.T) {
	h := rest.New(&fake{}, rest.Options{})
	for site, want := range map[string]int{"cross-site": 403, "same-site": 403, "same-origin": 200, "none": 200} {
		if w := ask(h, "POST", "/v2/repository/models/pair/load", "", "Sec-Fetch-Site", site); w.Code != want {
			t.Errorf("%s: %d; want %d", site, w.Code, want)
		}
	}
	if w := ask(h, "GET", "/v2/models/pair", "", "Sec-Fetch-Site", "cross-site"); w.Code != 200 {
		t.Errorf("GET: %d", w.Code)
	}
}
