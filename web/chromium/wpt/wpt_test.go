package wpt_test

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/concord-nn/concord/web/chromium/browser"
	"github.com/concord-nn/concord/web/chromium/wpt"
)

// harness stands in for testharness.js.
const harness = `
const tests = [], callbacks = [];
function setup() {}
function add_completion_callback(f) { callbacks.push(f); }
function test(f, name) {
  const t = { name, status: 0 };
  try { f(); } catch (e) { t.status = 1; t.message = e.message; }
  tests.push(t);
}
function finish() { callbacks.forEach((f) => f(tests, { status: 0 })); }
if (self.document) addEventListener("load", () => { if (!self.worker) finish(); });
else self.done = () => postMessage(tests);
function fetch_tests_from_worker(w) { self.worker = w; w.onmessage = (e) => { tests.push(...e.data); finish(); }; }
`

var checkout = fstest.MapFS{
	"resources/testharness.js": {Data: []byte(harness)},
	"webnn/resources/utils.js": {Data: []byte("self.helped = true;")},
	"webnn/a.https.any.js": {Data: []byte(`// META: title=A <test>
// META: variant=?cpu
// META: variant=?gpu
// META: script=resources/utils.js
test(() => { if (!self.helped || !self.installed) throw new Error("scripts are missing"); }, "scripts");
test(() => { if (GLOBAL.isWorker() !== !self.document) throw new Error("another global"); }, "global");
test(() => { if (location.search !== "?cpu") throw new Error(location.search); }, "variant");
`)},
	"webnn/window.https.any.js":         {Data: []byte("// META: global=window\ntest(() => { if (!crossOriginIsolated) throw new Error('not'); }, 'isolated');\n")},
	"webnn/window.https.any.js.headers": {Data: []byte("Cross-Origin-Embedder-Policy: require-corp\nCross-Origin-Opener-Policy: same-origin\n")},
	"webnn/worker.https.any.js":         {Data: []byte("// META: global=worker\n// META: timeout=long\n")},
	"webnn/page.https.html": {Data: []byte(`<!doctype html><script src="/resources/testharness.js"></script>
<script src="/resources/testharnessreport.js"></script><script>test(() => { if (!installed) throw new Error(); }, "in a page");</script>`)},
	"webnn/old.window.js": {Data: []byte("test(() => {}, 'window');\n")},
}

func find(t *testing.T, fsys fs.FS, everywhere bool) []wpt.Test {
	t.Helper()
	tests, err := wpt.Find(fsys, "webnn", everywhere)
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

func TestFind(t *testing.T) {
	urls := func(everywhere bool) (urls []string) {
		for _, x := range find(t, checkout, everywhere) {
			urls = append(urls, strings.TrimPrefix(x.URL, "/webnn/"))
		}
		return urls
	}
	want := []string{"a.https.any.html?cpu", "a.https.any.html?gpu", "a.https.any.worker.html?cpu", "a.https.any.worker.html?gpu",
		"old.window.html", "page.https.html", "window.https.any.html", "worker.https.any.worker.html"}
	if got := urls(false); !slices.Equal(got, want) {
		t.Errorf("tests are %q; want %q", got, want)
	}
	if got := len(urls(true)); got != len(want)+2 {
		t.Errorf("%d tests everywhere; want 2 more than %d", got, len(want))
	}
}

// TestRun runs pages of all kinds in Chromium.
func TestRun(t *testing.T) {
	b, err := browser.Start(t.Context(), browser.Options{})
	if err != nil {
		t.Skip(err)
	}
	defer b.Close()
	dist := t.TempDir()
	if err := os.WriteFile(filepath.Join(dist, "package.js"), []byte("self.installed = true;"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := wpt.Runner{Checkout: checkout, Package: browser.Folder(dist), Before: []string{"package.js"}, Browser: b, Tabs: 2, Limit: time.Minute}
	tests := find(t, checkout, false)
	tests = slices.DeleteFunc(tests, func(t wpt.Test) bool { return strings.Contains(t.URL, "/worker.") })
	results, err := r.Run(t.Context(), tests)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		for _, s := range r.Subtests {
			got = append(got, strings.TrimPrefix(r.URL, "/webnn/")+" "+s.Name+" "+s.Status)
		}
	}
	want := []string{
		"a.https.any.html?cpu scripts PASS", "a.https.any.html?cpu global PASS", "a.https.any.html?cpu variant PASS",
		"a.https.any.html?gpu scripts PASS", "a.https.any.html?gpu global PASS", "a.https.any.html?gpu variant FAIL",
		"a.https.any.worker.html?cpu scripts PASS", "a.https.any.worker.html?cpu global PASS", "a.https.any.worker.html?cpu variant PASS",
		"a.https.any.worker.html?gpu scripts PASS", "a.https.any.worker.html?gpu global PASS", "a.https.any.worker.html?gpu variant FAIL",
		"old.window.html window PASS", "page.https.html in a page PASS", "window.https.any.html isolated PASS",
	}
	if !slices.Equal(got, want) {
		t.Errorf("results:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestLimit ends a page that never reports.
func TestLimit(t *testing.T) {
	b, err := browser.Start(t.Context(), browser.Options{})
	if err != nil {
		t.Skip(err)
	}
	defer b.Close()
	fsys := fstest.MapFS{"webnn/page.html": {Data: []byte("<script>throw new Error('early');</script>")}}
	r := wpt.Runner{Checkout: fsys, Package: http.NotFoundHandler(), Browser: b, Tabs: 1, Limit: time.Second}
	results, err := r.Run(t.Context(), find(t, fsys, false))
	if err != nil {
		t.Fatal(err)
	}
	if got := results[0]; got.Status != "TIMEOUT" || !strings.Contains(got.Message, "early") {
		t.Errorf("the result is %+v", got)
	}
}

func TestExpectations(t *testing.T) {
	results := []wpt.Result{
		{URL: "/a.html?cpu", Status: "OK", Subtests: []wpt.Subtest{{Name: "one", Status: "PASS"}, {Name: "two # \"", Status: "FAIL", Message: "why"}}},
		{URL: "/a.html?gpu", Status: "OK", Subtests: []wpt.Subtest{{Name: "one", Status: "FAIL"}, {Name: "two # \"", Status: "FAIL"}}},
		{URL: "/b.html", Status: "TIMEOUT"},
	}
	name := filepath.Join(t.TempDir(), "expectations.txt")
	e, err := wpt.ReadExpectations(name)
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Compare(results); len(got) != 4 {
		t.Errorf("%v differ without expectations; want 4", got)
	}
	e.Update(results)
	write := func() string {
		var b strings.Builder
		if _, err := e.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()[strings.Index(b.String(), "\nFAIL")+1:]
	}
	want := "FAIL /a.html \"two # \\\"\" # unknown\nFAIL /a.html?gpu \"one\" # unknown\nTIMEOUT /b.html - # unknown\n"
	if got := write(); got != want || e.Reasonless() != 3 {
		t.Fatalf("the list is %q with %d reasons missing; want %q", got, e.Reasonless(), want)
	}
	if got := e.Compare(results); got != nil {
		t.Errorf("%v differ from their own expectations", got)
	}
	text := strings.NewReplacer("unknown", "the text says so").Replace(want)
	if err := os.WriteFile(name, []byte(text+"FAIL /c.html \"kept\" # of a page that does not run\nFAIL /b.html \"gone\" # was there\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if e, err = wpt.ReadExpectations(name); err != nil {
		t.Fatal(err)
	}
	results[1].Subtests[0].Status = "PASS"
	got := e.Compare(results)
	wantDifferences := []wpt.Difference{
		{URL: "/a.html?gpu", Test: "one", Want: "FAIL", Got: "PASS"},
		{URL: "/b.html", Test: "gone", Want: "FAIL", Got: "no such test"},
	}
	if !reflect.DeepEqual(got, wantDifferences) {
		t.Errorf("%v differ; want %v", got, wantDifferences)
	}
	e.Update(results)
	want = "FAIL /a.html \"two # \\\"\" # the text says so\nTIMEOUT /b.html - # the text says so\nFAIL /c.html \"kept\" # of a page that does not run\n"
	if got := write(); got != want {
		t.Errorf("the list is %q; want %q", got, want)
	}
}

func TestExpectationErrors(t *testing.T) {
	name := filepath.Join(t.TempDir(), "expectations.txt")
	for _, line := range []string{"FAIL /a.html", "FAIL /a.html one # why", "FAIL /a.html \"one\"", "FAIL /a.html - #"} {
		if err := os.WriteFile(name, []byte("# a comment\n\n"+line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := wpt.ReadExpectations(name); err == nil || !strings.Contains(err.Error(), ":3: ") {
			t.Errorf("%q: the error is %v", line, err)
		}
	}
}

func TestCauses(t *testing.T) {
	var b strings.Builder
	wpt.Causes(&b, []wpt.Result{
		{URL: "/a.html", Status: "ERROR", Message: "broken"},
		{URL: "/b.html", Status: "OK", Subtests: []wpt.Subtest{
			{Name: "one", Status: "FAIL", Message: "got 1.5"}, {Name: "two", Status: "FAIL", Message: "got 2"}, {Name: "three", Status: "PASS"}}},
	})
	want := "2 × FAIL: got 1.5\n    /b.html \"one\"\n    /b.html \"two\"\n1 × page ERROR: broken\n    /a.html\n"
	if b.String() != want {
		t.Errorf("causes are %q; want %q", b.String(), want)
	}
}

func TestReadIDL(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.bs")
	text := "<p>\n<script type=idl>\ninterface A {};\n</script>\n<pre class=\"idl\">\ntypedef sequence&lt;A> B;\n</pre>\n<pre>no</pre>"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := wpt.ReadIDL(name)
	if want := "interface A {};\n\ntypedef sequence<A> B;\n\n"; err != nil || string(got) != want {
		t.Errorf("the IDL is %q, %v; want %q", got, err, want)
	}
}
