// Package exported tests the pages that concord export --wasm writes.
package exported

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/concord-nn/concord/web/chromium/browser"
)

const limit = 3 * time.Minute

// export writes a model with its page into a folder.
func export(t *testing.T, model, dir string) {
	t.Helper()
	cmd := exec.Command("go", "run", "./cmd/concord", "export", "--wasm", model, "-o", dir, "--name", "net")
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// exportSum writes what adds, or combines in another way, two inputs.
func exportSum(t *testing.T, operator, dir string) {
	t.Helper()
	text := "version 1.0;\nextension KHR_enable_operator_expressions;\ngraph sum(append, onsubmit) -> (y)\n{\n    append = external(shape = [3]);\n    onsubmit = external(shape = [3]);\n    y = append " + operator + " onsubmit;\n}\n"
	model := filepath.Join(t.TempDir(), "sum.nnef")
	if err := os.Mkdir(model, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(model, "graph.nnef"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	export(t, model, dir)
}

// given gives the page a file of its folder, as if somebody had chosen it.
const given = `(async () => {
	const files = new DataTransfer();
	files.items.add(new File([await (await fetch("given")).blob()], "given"));
	const input = document.getElementById("file");
	input.files = files.files;
	await input.onchange();
	return document.getElementById("said").className + " " + document.getElementById("answer").textContent;
})()`

// page opens the page of a folder, whose server adds headers, and waits until it has loaded the model.
func page(t *testing.T, b *browser.Browser, dir string, headers func(http.Handler) http.Handler) *browser.Page {
	t.Helper()
	s, err := browser.Serve(headers(browser.Folder(dir)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	p, err := b.Open(true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.Go(s.URL+"/", limit); err != nil {
		t.Fatal(err)
	}
	if _, err := browser.Wait[bool](p, `"ready" in document.documentElement.dataset`, limit); err != nil {
		t.Fatal(err, p.Errors())
	}
	return p
}

func plain(h http.Handler) http.Handler { return h }

// TestPages answers on pages with and without threads, and with fields for numbers.
func TestPages(t *testing.T) {
	b, err := browser.Start(t.Context(), browser.Options{})
	if err != nil {
		t.Skip(err)
	}
	defer b.Close()
	digits, numbers := t.TempDir(), t.TempDir()
	export(t, "examples/digits/model.nnef", digits)
	seven, err := os.ReadFile("../../../examples/digits/drawings/seven.png")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(digits, "given"), seven, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, headers := range map[string]func(http.Handler) http.Handler{"alone": plain, "isolated": browser.Isolated} {
		p := page(t, b, digits, headers)
		if shown, err := browser.Eval[bool](p, `document.getElementById("picture").getClientRects().length > 0`, limit); err != nil || shown {
			t.Errorf("%s: a picture is shown before there is one: %v", name, err)
		}
		answer, err := browser.Eval[string](p, given, limit)
		if err != nil {
			t.Fatal(err, p.Errors())
		}
		if !strings.HasPrefix(answer, " 7") || len(p.Errors()) > 0 {
			t.Errorf("%s: the answer is %q; errors: %v", name, answer, p.Errors())
		}
		if _, err := p.Picture("", 360, 700); err != nil { // gives the window the size of a phone's
			t.Fatal(err)
		}
		if width, err := browser.Eval[float64](p, `document.querySelector(".bar i").getBoundingClientRect().width`, limit); err != nil || width < 80 {
			t.Errorf("%s: on a phone the bar of the first class is %g pixels wide, %v", name, width, err)
		}
		answer, err = browser.Eval[string](p, strings.Replace(given, `fetch("given")`, `fetch("net.js")`, 1), limit)
		if err != nil || answer != "wrong " {
			t.Errorf("%s: behind a file that is no picture the answer is %q, %v", name, answer, err)
		}
		if shown, err := browser.Eval[bool](p, `document.getElementById("picture").getClientRects().length > 0`, limit); err != nil || shown {
			t.Errorf("%s: a file that is no picture leaves the one before: %v", name, err)
		}
	}
	exportSum(t, "+", numbers)
	p := page(t, b, numbers, plain)
	for _, test := range []struct{ one, other, want string }{
		{"1 2 3", "0.5", "y: float32[3]1.5 2.5 3.5"},
		{"NaN, Infinity, -Infinity", "1", "y: float32[3]NaN Infinity -Infinity"},
		{"1e400", "1", "append: 1e400 is not a number"},
		{"1 2 3", "0.5x", "onsubmit: 0.5x is not a number"},
	} {
		answer, err := browser.Eval[string](p, fmt.Sprintf(`(async () => {
			const form = document.getElementById("inputs");
			const [one, other] = form.querySelectorAll("textarea"); // whose names, which forms have, do no harm
			[one.value, other.value] = [%q, %q];
			await form.onsubmit(new Event("submit", { cancelable: true }));
			return document.querySelector("#said.wrong")?.textContent.concat(document.getElementById("outputs").textContent) ?? document.getElementById("outputs").textContent;
		})()`, test.one, test.other), limit)
		if err != nil || answer != test.want || len(p.Errors()) > 0 {
			t.Errorf("the answer to %s and %s is %q, %v; errors: %v", test.one, test.other, answer, err, p.Errors())
		}
	}
}

// TestCaches replaces an export by another one while the browser keeps some of its files: the page takes the new ones together. One that asks for its script
// without a mark may have the old one, says so, and has the new one when it is loaded again, which Chromium, with scripts in memory, needs twice.
func TestCaches(t *testing.T) {
	b, err := browser.Start(t.Context(), browser.Options{})
	if err != nil {
		t.Skip(err)
	}
	defer b.Close()
	sum, difference := t.TempDir(), t.TempDir()
	exportSum(t, "+", sum)
	exportSum(t, "-", difference)
	marks := regexp.MustCompile(`\.js\?[\w-]+`)
	// replaced returns what the page says behind the replacement, and how often it has said an error before that.
	replaced := func(kept string, marked bool) (y string, said int) {
		var now atomic.Pointer[http.Handler]
		serve := func(dir string) { h := browser.Folder(dir); now.Store(&h) }
		serve(sum)
		s, err := browser.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-cache")
			if strings.HasSuffix(r.URL.Path, kept) {
				w.Header().Set("Cache-Control", "max-age=3600")
			}
			r.Header.Del("If-Modified-Since") // both may be of the same second
			if r.URL.Path != "/" || marked {
				(*now.Load()).ServeHTTP(w, r)
				return
			}
			page := httptest.NewRecorder()
			(*now.Load()).ServeHTTP(page, r)
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, marks.ReplaceAllString(page.Body.String(), ".js"))
		}))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		p, err := b.Open(true)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		answer := func() string {
			if err := p.Go(s.URL+"/", limit); err != nil {
				t.Fatal(err)
			}
			text, err := browser.Wait[string](p, `(async () => {
				const [said, form] = [document.getElementById("said"), document.getElementById("inputs")];
				if (said.className === "wrong") {
					return said.textContent;
				}
				if (!("ready" in document.documentElement.dataset)) {
					return undefined;
				}
				const [one, other] = form.querySelectorAll("textarea");
				[one.value, other.value] = ["3", "2"];
				await form.onsubmit(new Event("submit", { cancelable: true }));
				return document.querySelector("pre").textContent;
			})()`, limit)
			if err != nil {
				t.Fatal(err, p.Errors())
			}
			return text
		}
		if y := answer(); y != "5 5 5" {
			t.Fatalf("the first answer is %q", y)
		}
		serve(difference)
		y = answer()
		for ; said < 10 && !marked && strings.Contains(y, " is of another export than "); said++ {
			y = answer()
		}
		return y, said
	}
	for _, kept := range []string{".wasm", ".bin", ".js"} {
		if y, _ := replaced(kept, true); y != "1 1 1" {
			t.Errorf("with %s from the cache the page says %q", kept, y)
		}
	}
	said := 0
	for i := 0; i < 6 && said == 0; i++ { // a browser on a busy machine may not have kept the script yet when the page is loaded again
		var y string
		if y, said = replaced(".js", false); y != "1 1 1" {
			t.Errorf("with a script without a mark the page says %q, after %d errors", y, said)
		}
	}
	if said == 0 {
		t.Error("a page with the script of another export says nothing")
	}
}
