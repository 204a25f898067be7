// Package exported tests the pages that concord export --wasm writes.
package exported

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/web/chromium/browser"
)

const limit = time.Minute

// export writes a model with its page into a folder.
func export(t *testing.T, model, dir string) {
	t.Helper()
	cmd := exec.Command("go", "run", "./cmd/concord", "export", "--wasm", model, "-o", dir, "--name", "net")
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
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
		answer, err := browser.Eval[string](p, given, limit)
		if err != nil {
			t.Fatal(err, p.Errors())
		}
		if !strings.HasPrefix(answer, " 7") || len(p.Errors()) > 0 {
			t.Errorf("%s: the answer is %q; errors: %v", name, answer, p.Errors())
		}
	}
	text := "version 1.0;\nextension KHR_enable_operator_expressions;\ngraph sum(append, onsubmit) -> (y)\n{\n    append = external(shape = [3]);\n    onsubmit = external(shape = [3]);\n    y = append + onsubmit;\n}\n"
	model := filepath.Join(t.TempDir(), "sum.nnef")
	if err := os.Mkdir(model, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(model, "graph.nnef"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	export(t, model, numbers)
	p := page(t, b, numbers, plain)
	answer, err := browser.Eval[string](p, `(async () => {
		const form = document.getElementById("inputs");
		const [one, other] = form.querySelectorAll("textarea"); // whose names, which forms have, do no harm
		one.value = "1 2 3";
		other.value = "0.5";
		await form.onsubmit(new Event("submit", { cancelable: true }));
		return document.getElementById("outputs").textContent;
	})()`, limit)
	if err != nil || answer != "y: float32[3]1.5 2.5 3.5" || len(p.Errors()) > 0 {
		t.Errorf("the answer is %q, %v; errors: %v", answer, err, p.Errors())
	}
}
