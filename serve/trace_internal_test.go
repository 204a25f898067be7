package serve

import (
	"net/http"
	"strings"
	"testing"
)

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
		got := traceOf(http.Header{"Traceparent": {header}})
		if (got.trace == trace && got.parent == parent) != ok || len(got.trace) != 32 || len(got.span) != 16 {
			t.Errorf("%q gives %+v", header, got)
		}
	}
	two := "00-" + trace + "-" + parent + "-01"
	if got := traceOf(http.Header{"Traceparent": {two, two}}); got.parent != "" {
		t.Errorf("two headers give %+v", got)
	}
}

func FuzzTraceparent(f *testing.F) {
	f.Add("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	f.Add("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more")
	f.Fuzz(func(t *testing.T, header string) {
		if trace, parent, ok := parseTraceparent(header); ok && (len(trace) != 32 || len(parent) != 16 || !isHex(trace+parent)) {
			t.Errorf("%q gives %q and %q", header, trace, parent)
		}
	})
}
