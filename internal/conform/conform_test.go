package conform_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/conform"
	"github.com/concord-nn/concord/internal/testdata"
)

func TestOutcomes(t *testing.T) {
	want := map[string]struct {
		status conform.Status
		detail string
	}{
		"add: holds":             {conform.Passed, ""},
		"add: is too far":        {conform.Failed, "output c: element 1 is 4; want 4.5"},
		"add: has another shape": {conform.Failed, "output c is float32[2]; want float32[2 1]"},
		"add: needs exact zeros": {conform.Failed, "element 0 is 0; want -0"},
		"add: is not required":   {conform.Skipped, "not required: int4 is no data type"},
		"add: compares 64 bits":  {conform.Passed, ""},
		"holds":                  {conform.Passed, ""},
		"differs":                {conform.Failed, "element 1 is 3; want 4"},

		"relu-holds":                 {conform.Passed, ""},
		"add-differs":                {conform.Failed, "output 0: element 1 is 3; want 4"},
		"add-costs-other-gas":        {conform.Failed, "gas: 32; want 31"},
		"dense-is-refused":           {conform.Passed, ""},
		"dense-is-refused-otherwise": {conform.Failed, "class: runtime; want logic: "},
		"abs-is-accepted":            {conform.Failed, "it is accepted; want a logic error in stage shape"},
		"relu":                       {conform.Passed, ""},
	}
	cases, err := conform.Find("testdata")
	if err != nil {
		t.Fatal(err)
	}
	var first []conform.Result
	for _, e := range conform.Engines {
		results := conform.Run(context.Background(), cases, conform.Options{Engine: &e})
		if first == nil {
			first = results
		}
		sameSums(t, &e, results, first)
		if len(results) != len(want) {
			t.Fatalf("%d results; want %d", len(results), len(want))
		}
		for _, r := range results {
			w, ok := want[r.Name]
			if !ok || r.Status != w.status || !strings.Contains(r.Detail, w.detail) {
				t.Errorf("%s, %s: %s, %q; want %s, %q", e.Name, r.Name, r.Status, r.Detail, w.status, w.detail)
			}
		}
		var report strings.Builder
		if err := conform.Write(&report, results, conform.Report{}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(report.String()), "\n")
		if got := lines[len(lines)-1]; got != "6 passed, 8 failed (1 by the class of an error only), 1 skipped" {
			t.Errorf("the last line is %q", got)
		}
		if !strings.Contains(report.String(), "FAIL testdata/webnn: add: is too far\n     output c: element 1 is 4") {
			t.Errorf("a failure is not named with its first difference:\n%s", report.String())
		}
	}
}

// sameSums checks that an engine has computed what another one has, to the bit.
func sameSums(t *testing.T, e *conform.Engine, got, want []conform.Result) {
	t.Helper()
	for i, r := range got {
		if e.Name != "bodies" && r.SHA256 != want[i].SHA256 {
			t.Errorf("%s, %s: the sum is %q; the first engine has %q", e.Name, r.Name, r.SHA256, want[i].SHA256)
		}
	}
}

// TestSums holds the sums to what cases compute: they do not depend on threads, and cases that compute nothing have none.
func TestSums(t *testing.T) {
	cases, err := conform.Find("testdata")
	if err != nil {
		t.Fatal(err)
	}
	results := conform.Run(t.Context(), cases, conform.Options{Threads: 1})
	of := make(map[string]string)
	for i, r := range conform.Run(t.Context(), cases, conform.Options{Threads: 2}) {
		if r.SHA256 != results[i].SHA256 {
			t.Errorf("%s: %q on two threads, %q on one", r.Name, r.SHA256, results[i].SHA256)
		}
		of[r.SHA256] = r.Name
	}
	if len(of) < 5 || of[""] == "" {
		t.Errorf("%d sums; there should be some, and cases without one", len(of))
	}
	var report strings.Builder
	if err := conform.Write(&report, results, conform.Report{Hashes: true}); err != nil {
		t.Fatal(err)
	}
	if want := conform.Sum(results) + "  all\n"; !strings.Contains(report.String(), want) {
		t.Errorf("the report does not have %q:\n%s", want, &report)
	}
}

func TestFilter(t *testing.T) {
	cases, err := conform.Find("testdata/webnn/add.json")
	if err != nil {
		t.Fatal(err)
	}
	results := conform.Run(context.Background(), cases, conform.Options{Filter: regexp.MustCompile("64 bits$")})
	if len(results) != 1 || results[0].Status != conform.Passed {
		t.Errorf("the filter lets pass %v", results)
	}
}

func TestFindRejects(t *testing.T) {
	empty, broken := t.TempDir(), t.TempDir()
	if err := os.WriteFile(broken+"/a.json", []byte(`{"schema":"webnn-wpt/1","kind":"conformance","cases":[`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"absent", empty, broken} {
		if _, err := conform.Find(path); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}

// TestShared runs the shared cases that are supported on every engine.
func TestShared(t *testing.T) {
	testdata.Exhaustive(t, "concord conform runs them, too")
	for _, folder := range [][]string{{"conformance", "webnn", "conformance"}, {"conformance", "nnef", "numeric"},
		{"conformance", "nnef", "tensors"}, {"conformance", "nnef", "quant"}, {"conformance", "nnef", "models"},
		{"conformance", "cvm"}} {
		cases, err := conform.Find(testdata.Shared(t, folder...))
		if err != nil {
			t.Fatal(err)
		}
		var first []conform.Result
		for _, e := range conform.Engines {
			results := conform.Run(context.Background(), cases, conform.Options{Engine: &e})
			for _, r := range results {
				if r.Status == conform.Failed {
					t.Errorf("%s, %s: %s", e.Name, r.Name, r.Detail)
				}
			}
			if first == nil {
				first = results
			}
			sameSums(t, &e, results, first)
		}
	}
}

// TestInterrupted skips the cases that have no result when the context ends.
func TestInterrupted(t *testing.T) {
	cases, err := conform.Find("testdata")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	results := conform.Run(ctx, cases, conform.Options{Workers: 1, Done: func(n, _ int) {
		if n == 2 {
			cancel()
		}
	}})
	interrupted := 0
	for _, r := range results {
		if r.Status == conform.Skipped && r.Detail == conform.Interrupted {
			interrupted++
		}
	}
	if interrupted != len(cases)-2 {
		t.Errorf("%d of %d cases are interrupted; want all but 2", interrupted, len(cases))
	}
}
