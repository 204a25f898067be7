package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/serve/internal/metrics"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// service has models, and gives the errors that requests name.
type service struct {
	oip.Service
	models []oip.ModelStatistics
	index  []oip.IndexEntry
	errs   map[string]error // by the id of a request
	answer oip.Response
}

func (s *service) Ready() bool { return true }
func (s *service) Server() oip.ServerMetadata {
	return oip.ServerMetadata{Name: "concord", Version: "v1"}
}

func (s *service) Statistics(string, string) ([]oip.ModelStatistics, error) { return s.models, nil }
func (s *service) Index(bool) ([]oip.IndexEntry, error)                     { return s.index, nil }

func (s *service) Model(name, version string) (*oip.ModelMetadata, error) {
	d := &oip.ModelMetadata{Name: name}
	for _, x := range s.models {
		if x.Name == name {
			d.Versions = append(d.Versions, x.Version)
		}
	}
	if len(d.Versions) == 0 || version != "" && !slices.Contains(d.Versions, version) {
		return nil, oip.Errorf(oip.NotFound, "there is no model %q", name)
	}
	return d, nil
}

func (s *service) Infer(_ context.Context, r *oip.Request) (*oip.Response, error) {
	if err := s.errs[r.ID]; err != nil {
		return nil, err
	}
	return &s.answer, nil
}

func digits() *service {
	x := oip.ModelStatistics{Name: "digits", Version: "3", LastInference: time.Unix(1500, 250e6), InferenceCount: 7, ExecutionCount: 3, Pending: 2, Memory: 4096,
		Cuts:    map[string]uint64{"full": 1, "delay": 2},
		Batches: []oip.BatchStatistics{{Size: 2}, {Size: 3}, {Size: 1000}}}
	for _, took := range []time.Duration{5 * time.Microsecond, 10 * time.Microsecond, 2 * time.Millisecond, time.Minute} {
		x.Success.Add(took)
	}
	x.Queue.Add(time.Second)
	x.ComputeInfer.Add(30 * time.Millisecond)
	x.ComputeInput.Add(1500 * time.Microsecond)
	x.ComputeOutput.Add(0)
	x.Batches[0].Infer.Add(1)
	x.Batches[0].Infer.Add(1)
	x.Batches[1].Infer.Add(1)
	x.Batches[2].Infer.Add(1)
	return &service{
		models: []oip.ModelStatistics{x},
		index:  []oip.IndexEntry{{Name: "digits", Version: "3", State: oip.ReadyState}, {Name: "broken\"\\\n", State: oip.Unavailable, Reason: "it is"}},
		errs:   map[string]error{"full": oip.Errorf(oip.Exhausted, "full"), "gone": oip.Errorf(oip.NotFound, "gone"), "other": errors.New("other")},
		answer: oip.Response{Model: "digits", Version: "3"},
	}
}

func scrape(t testing.TB, m *metrics.Metrics, accept string) string {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	m.ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// lines asserts that lines are there, and that no other line begins as they do up to the brace.
func lines(t *testing.T, text string, want ...string) {
	t.Helper()
	var got []string
	names := make(map[string]bool)
	for _, line := range want {
		names[name(line)] = true
	}
	for line := range strings.Lines(text) {
		if names[name(line)] {
			got = append(got, strings.TrimSuffix(line, "\n"))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func name(line string) string { return regexp.MustCompile(`^\w*`).FindString(line) }

func TestOwn(t *testing.T) {
	s := digits()
	m := metrics.New(s, metrics.Own)
	m.Load("digits", nil)
	m.Load("digits", nil)
	m.Load("digits", errors.New("broken"))
	m.Load("gone", nil)
	for _, status := range []int{200, 404, 200, -1, 1000} {
		m.Status(status)
	}
	text := scrape(t, m, "")
	lines(t, text, `concord_build_info{version="v1"} 1`)
	lines(t, text, `concord_ready 1`)
	lines(t, text, `concord_http_responses_total{status="200"} 2`, `concord_http_responses_total{status="404"} 1`)
	lines(t, text,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="1e-05"} 2`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="2.5e-05"} 2`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="5e-05"} 2`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.0001"} 2`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.00025"} 2`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.0005"} 2`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.001"} 2`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.0025"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.005"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.01"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.025"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.05"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.1"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.25"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="0.5"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="1"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="2.5"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="5"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="10"} 3`,
		`concord_request_duration_seconds_bucket{model="digits",version="3",le="+Inf"} 4`)
	lines(t, text, `concord_request_duration_seconds_sum{model="digits",version="3"} 60.002015`)
	lines(t, text, `concord_request_duration_seconds_count{model="digits",version="3"} 4`)
	lines(t, text, `concord_queue_duration_seconds_sum{model="digits",version="3"} 1`)
	lines(t, text, `concord_compute_duration_seconds_sum{model="digits",version="3"} 0.03`)
	lines(t, text, `concord_join_seconds_total{model="digits",version="3"} 0.0015`)
	lines(t, text, `concord_split_seconds_total{model="digits",version="3"} 0`)
	lines(t, text, `concord_samples_total{model="digits",version="3"} 7`)
	lines(t, text, `concord_runs_total{model="digits",version="3"} 3`)
	lines(t, text,
		`concord_batch_size_bucket{model="digits",version="3",le="1"} 0`, `concord_batch_size_bucket{model="digits",version="3",le="2"} 2`,
		`concord_batch_size_bucket{model="digits",version="3",le="4"} 3`, `concord_batch_size_bucket{model="digits",version="3",le="8"} 3`,
		`concord_batch_size_bucket{model="digits",version="3",le="16"} 3`, `concord_batch_size_bucket{model="digits",version="3",le="32"} 3`,
		`concord_batch_size_bucket{model="digits",version="3",le="64"} 3`, `concord_batch_size_bucket{model="digits",version="3",le="128"} 3`,
		`concord_batch_size_bucket{model="digits",version="3",le="256"} 3`, `concord_batch_size_bucket{model="digits",version="3",le="+Inf"} 4`)
	lines(t, text, `concord_batch_size_sum{model="digits",version="3"} 1007`)
	lines(t, text, `concord_batch_size_count{model="digits",version="3"} 4`)
	lines(t, text,
		`concord_batch_cuts_total{model="digits",version="3",reason="delay"} 2`, `concord_batch_cuts_total{model="digits",version="3",reason="full"} 1`)
	lines(t, text, `concord_queue_length{model="digits",version="3"} 2`)
	lines(t, text, `concord_model_memory_bytes{model="digits",version="3"} 4096`)
	lines(t, text, `concord_model_last_inference_timestamp_seconds{model="digits",version="3"} 1500.25`)
	var states []string
	for _, x := range []struct{ labels, state string }{{`model="broken\"\\\n",version=""`, oip.Unavailable}, {`model="digits",version="3"`, oip.ReadyState}} {
		for _, state := range []string{oip.Unknown, oip.Loading, oip.ReadyState, oip.Unloading, oip.Unavailable} {
			is := 0
			if state == x.state {
				is = 1
			}
			states = append(states, fmt.Sprintf(`concord_model_state{%s,state="%s"} %d`, x.labels, state, is))
		}
	}
	lines(t, text, states...)
	lines(t, text, `concord_model_loads_total{model="digits",result="success"} 2`, `concord_model_loads_total{model="digits",result="failure"} 1`)
	if !regexp.MustCompile(`\nconcord_model_last_load_timestamp_seconds{model="digits"} 1.7\d*e\+09\n`).MatchString(text) {
		t.Error("there is no time of the last load")
	}
}

func TestCalls(t *testing.T) {
	s := digits()
	m := metrics.New(s, metrics.Own)
	rest, grpc := m.Service(metrics.REST), m.Service(metrics.GRPC)
	for _, r := range []oip.Request{
		{Model: "digits"}, {Model: "digits", Version: "3"}, // the answer says which version it is of
		{Model: "digits", ID: "full"}, {Model: "digits", Version: "3", ID: "full"}, {Model: "digits", Version: "03", ID: "full"}, {Model: "digits", ID: "other"},
		{Model: "hostile", ID: "gone"}, {Model: "hostile", ID: "full"},
	} {
		rest.Infer(t.Context(), &r)
	}
	grpc.Infer(t.Context(), &oip.Request{Model: "digits"})
	grpc.Model("digits", "")
	grpc.Model("digits", "4")
	m.Refuse(metrics.REST, oip.Unauthenticated)
	m.Infer(metrics.Page, "digits", "3", nil)
	m.Infer(metrics.Page, "hostile", "", oip.Errorf(oip.NotFound, "gone"))
	want := []string{
		`concord_requests_total{model="",version="",method="",protocol="rest",code="unauthenticated"} 1`,
		`concord_requests_total{model="",version="",method="infer",protocol="rest",code="not_found"} 1`,
		`concord_requests_total{model="",version="",method="infer",protocol="rest",code="exhausted"} 1`,
		`concord_requests_total{model="",version="",method="metadata",protocol="grpc",code="not_found"} 1`,
		`concord_requests_total{model="",version="",method="infer",protocol="page",code="not_found"} 1`,
		`concord_requests_total{model="digits",version="",method="infer",protocol="rest",code="internal"} 1`,
		`concord_requests_total{model="digits",version="",method="infer",protocol="rest",code="exhausted"} 2`,
		`concord_requests_total{model="digits",version="",method="metadata",protocol="grpc",code="ok"} 1`,
		`concord_requests_total{model="digits",version="3",method="infer",protocol="rest",code="exhausted"} 1`,
		`concord_requests_total{model="digits",version="3",method="infer",protocol="rest",code="ok"} 2`,
		`concord_requests_total{model="digits",version="3",method="infer",protocol="grpc",code="ok"} 1`,
		`concord_requests_total{model="digits",version="3",method="infer",protocol="page",code="ok"} 1`,
	}
	lines(t, scrape(t, m, ""), want...)

	// A model that is unloaded takes its series with it.
	s.models, s.index = nil, nil
	lines(t, scrape(t, m, ""), want[:5]...)
}

func TestTriton(t *testing.T) {
	m := metrics.New(digits(), metrics.Triton)
	rest := m.Service(metrics.REST)
	for _, id := range []string{"", "full", "full", "other"} {
		rest.Infer(t.Context(), &oip.Request{Model: "digits", Version: "3", ID: id})
	}
	var got []string
	for line := range strings.Lines(scrape(t, m, "")) {
		if strings.HasPrefix(line, "nv_") || strings.HasPrefix(line, "concord_") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{
		`nv_inference_request_success{model="digits",version="3"} 4`,
		`nv_inference_request_failure{model="digits",reason="BACKEND",version="3"} 1`,
		`nv_inference_request_failure{model="digits",reason="CANCELED",version="3"} 0`,
		`nv_inference_request_failure{model="digits",reason="OTHER",version="3"} 0`,
		`nv_inference_request_failure{model="digits",reason="REJECTED",version="3"} 2`,
		`nv_inference_count{model="digits",version="3"} 7`,
		`nv_inference_exec_count{model="digits",version="3"} 3`,
		`nv_inference_request_duration_us{model="digits",version="3"} 6.0002015e+07`,
		`nv_inference_queue_duration_us{model="digits",version="3"} 1e+06`,
		`nv_inference_compute_input_duration_us{model="digits",version="3"} 1500`,
		`nv_inference_compute_infer_duration_us{model="digits",version="3"} 30000`,
		`nv_inference_compute_output_duration_us{model="digits",version="3"} 0`,
		`nv_inference_pending_request_count{model="digits",version="3"} 2`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// Versions that go are forgotten, even if nobody asks for the metrics.
func TestVersionsGo(t *testing.T) {
	s := digits()
	m := metrics.New(s, metrics.Own)
	rest := m.Service(metrics.REST)
	for i := range 1000 {
		s.answer.Version = strconv.Itoa(i)
		s.models[0].Version, s.index[0].Version = s.answer.Version, s.answer.Version
		if _, err := rest.Infer(t.Context(), &oip.Request{Model: "digits"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := metrics.Versions(m); n > 100 {
		t.Errorf("%d versions are known", n)
	}
}

// A version that comes while the same one goes is one series.
func TestTwice(t *testing.T) {
	s := digits()
	s.models = append(s.models, oip.ModelStatistics{Name: "digits", Version: "3", InferenceCount: 1})
	s.index = append(s.index, oip.IndexEntry{Name: "digits", Version: "3", State: oip.Loading})
	text := scrape(t, metrics.New(s, metrics.Own), "")
	lines(t, text, `concord_samples_total{model="digits",version="3"} 1`)
	if n := strings.Count(text, `concord_model_state{model="digits",`); n != 5 {
		t.Errorf("there are %d states", n)
	}
}

func TestNoAllocation(t *testing.T) {
	s := digits()
	rest := metrics.New(s, metrics.Own).Service(metrics.REST)
	r := &oip.Request{Model: "digits"}
	if n := testing.AllocsPerRun(100, func() { rest.Infer(t.Context(), r) }); n > 0 {
		t.Errorf("counting allocates %g times", n)
	}
	var d oip.Duration
	if n := testing.AllocsPerRun(100, func() { d.Add(time.Hour) }); n > 0 {
		t.Errorf("adding allocates %g times", n)
	}
}

const openMetrics = "application/openmetrics-text;version=1.0.0,text/plain;q=0.1"

// TestForms asks for both forms. No family may have the name of another one, in OpenMetrics without _total.
func TestForms(t *testing.T) {
	for _, names := range []metrics.Names{metrics.Own, metrics.Triton} {
		m := metrics.New(digits(), names)
		plain, open := scrape(t, m, ""), scrape(t, m, openMetrics)
		if strings.Contains(plain, "# EOF") || !strings.HasSuffix(open, "\n# EOF\n") {
			t.Errorf("%s: only OpenMetrics has an end", names)
		}
		seen := make(map[string]bool)
		for _, m := range regexp.MustCompile(`(?m)^# TYPE (\w+)`).FindAllStringSubmatch(open, -1) {
			if seen[m[1]] {
				t.Errorf("%s: there are two families %s", names, m[1])
			}
			seen[m[1]] = true
		}
	}
}

// TestReaders lets Prometheus's own tools read what is told: those of Debian's packages prometheus and python3-prometheus-client.
func TestReaders(t *testing.T) {
	testdata.Exhaustive(t, "starts programs that few have")
	for _, x := range []struct {
		names  metrics.Names
		accept string
		reader []string
		tell   string // of what the reader says is wrong
	}{
		{metrics.Own, "", []string{"promtool", "check", "metrics"}, "."},
		{metrics.Triton, "", []string{"promtool", "check", "metrics"}, "(?m)^error"}, // the names break its rules
		{metrics.Own, openMetrics, []string{"/usr/bin/python3", "-c", python}, "."},
		{metrics.Triton, openMetrics, []string{"/usr/bin/python3", "-c", python}, "."},
	} {
		m := metrics.New(digits(), x.names)
		m.Load("digits", nil)
		if _, err := m.Service(metrics.REST).Infer(t.Context(), &oip.Request{Model: "digits"}); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(x.reader[0], x.reader[1:]...)
		cmd.Stdin = strings.NewReader(scrape(t, m, x.accept))
		out, err := cmd.CombinedOutput()
		if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok || regexp.MustCompile(x.tell).Match(out) {
			t.Errorf("%s: %v: %s says %s", x.names, err, x.reader[0], out)
		}
	}
}

const python = `
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
assert sum(len(f.samples) for f in text_string_to_metric_families(sys.stdin.read())) > 20
`

// The page has a row for each metric.
func TestPage(t *testing.T) {
	const page = "../../../docs/metrics.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	tables := metrics.Tables()
	made := regexp.MustCompile(`(?m)^\| metric (.*\n\|)*.*\n`).ReplaceAllFunc(text, func([]byte) []byte {
		table := tables[0]
		tables = tables[1:]
		return []byte(table)
	})
	if len(tables) > 0 {
		t.Fatalf("%s lacks %d tables", page, len(tables))
	}
	golden.Compare(t, page, string(made))
}

func BenchmarkInfer(b *testing.B) {
	s := digits()
	r := &oip.Request{Model: "digits"}
	for _, x := range []struct {
		name string
		oip.Service
	}{{"alone", s}, {"counted", metrics.New(s, metrics.Own).Service(metrics.REST)}} {
		b.Run(x.name, func(b *testing.B) {
			for b.Loop() {
				x.Infer(b.Context(), r)
			}
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	var d oip.Duration
	for b.Loop() {
		d.Add(time.Second)
	}
}

func BenchmarkScrape(b *testing.B) {
	m := metrics.New(digits(), metrics.Own)
	for b.Loop() {
		scrape(b, m, "")
	}
}
