package serve_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// traced is what the log says of a request with headers of a trace.
func traced(t testing.TB, headers ...string) (got struct {
	Trace  string `json:"trace_id"`
	Parent string `json:"parent_id"`
	Span   string `json:"span_id"`
}) {
	t.Helper()
	h, log := logged(t)
	r := httptest.NewRequest(http.MethodGet, "/v2", nil)
	r.Header["Traceparent"] = headers
	h.ServeHTTP(httptest.NewRecorder(), r)
	if err := json.Unmarshal(log.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestTraceparent has the cases of https://www.w3.org/TR/trace-context/#traceparent-header.
func TestTraceparent(t *testing.T) {
	const trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	for header, ok := range map[string]bool{
		"00-" + trace + "-" + parent + "-01":                   true,
		"00-" + trace + "-" + parent + "-00":                   true,
		"cc-" + trace + "-" + parent + "-01":                   true, // a later version
		"cc-" + trace + "-" + parent + "-01-what":              true,
		"cc-" + trace + "-" + parent + "-01.what":              false,
		"00-" + trace + "-" + parent + "-01-what":              false,
		"00-" + trace + "-" + parent + "-01 ":                  false,
		"ff-" + trace + "-" + parent + "-01":                   false,
		"00-" + trace + "-" + parent + "-0":                    false,
		"00-" + trace + "-" + parent:                           false,
		"00-" + trace + "-" + parent + "-0G":                   false,
		"0G-" + trace + "-" + parent + "-01":                   false,
		"00_" + trace + "-" + parent + "-01":                   false,
		"00-" + trace + "_" + parent + "-01":                   false,
		"00-" + trace + "-" + parent + "_01":                   false,
		"00-" + strings.ToUpper(trace) + "-" + parent + "-01":  false,
		"00-" + trace + "-" + strings.ToUpper(parent) + "-01":  false,
		"00-" + strings.Repeat("0", 32) + "-" + parent + "-01": false,
		"00-" + trace + "-" + strings.Repeat("0", 16) + "-01":  false,
		"": false,
	} {
		got := traced(t, header)
		if (got.Trace == trace && got.Parent == parent) != ok || len(got.Trace) != 32 || len(got.Span) != 16 {
			t.Errorf("%q gives %+v", header, got)
		}
	}
	two := "00-" + trace + "-" + parent + "-01"
	if got := traced(t, two, two); got.Parent != "" {
		t.Errorf("two headers give %+v", got)
	}
}

func FuzzTraceparent(f *testing.F) {
	f.Add("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	f.Add("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more")
	f.Fuzz(func(t *testing.T, header string) {
		got := traced(t, header)
		if len(got.Trace) != 32 || len(got.Span) != 16 || got.Parent != "" && len(got.Parent) != 16 || strings.Trim(got.Trace+got.Parent, "0123456789abcdef") != "" {
			t.Errorf("%q gives %+v", header, got)
		}
	})
}
