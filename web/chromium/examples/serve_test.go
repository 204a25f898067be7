package examples_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/concord-nn/concord/web/chromium/browser"
)

// serve starts the server on a folder of models, and returns its address.
func serve(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), concord(t), append([]string{"serve", dir, "--http", "127.0.0.1:0"}, flags...)...)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the test's context has ended it
	address := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if m := regexp.MustCompile(`listening.*127\.0\.0\.1:(\d+)`).FindStringSubmatch(lines.Text()); m != nil {
				address <- "http://localhost:" + m[1] + "/"
			}
		}
		close(address)
	}()
	if url := <-address; url != "" {
		return url
	}
	t.Fatal("the server does not listen")
	return ""
}

// odd is the name of a model that pages must not take for markup.
const odd = `<img src=x onerror=document.title='bad'>`

// repository makes a folder of models: digits, the sum of two vectors, and one that is broken.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "digits", "1"), os.DirFS(filepath.Join(root, "examples/digits/model.nnef"))); err != nil {
		t.Fatal(err)
	}
	sum := "version 1.0;\nextension KHR_enable_operator_expressions;\ngraph sum(a, b) -> (y)\n{\n    a = external(shape = [3]);\n    b = external(shape = [3]);\n    y = a + b;\n}\n"
	for name, text := range map[string]string{odd + "/1/graph.nnef": sum, "broken/1/graph.nnef": "version 1.0;\ngraph <b>"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// page opens the page of a server.
func page(t *testing.T, url string) *browser.Page {
	t.Helper()
	b, err := browser.Start(t.Context(), browser.Options{})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(b.Close)
	p, err := b.Open(true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Picture("", 1000, 900); err != nil { // gives the window its size
		t.Fatal(err)
	}
	if err := p.Go(url, limit); err != nil {
		t.Fatal(err)
	}
	return p
}

// text waits until an element says something that matches.
func text(t *testing.T, p *browser.Page, id, pattern string) {
	t.Helper()
	wait(t, p, fmt.Sprintf(`new RegExp(%q, "s").test(document.getElementById(%q).textContent)`, pattern, id))
}

// give gives the page a file, as if somebody had chosen it.
func give(t *testing.T, p *browser.Page, contents []byte) {
	t.Helper()
	eval[any](t, p, fmt.Sprintf(`(() => {
		const files = new DataTransfer();
		files.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], "drawing.png", { type: "image/png" }));
		document.getElementById("file").files = files.files;
		document.getElementById("file").dispatchEvent(new Event("change"));
	})()`, base64.StdEncoding.EncodeToString(contents)))
}

// TestServe asks models on the page of a server.
func TestServe(t *testing.T) {
	p := page(t, serve(t, repository(t)))
	choose := func(name string) {
		eval[any](t, p, fmt.Sprintf(`[...document.querySelectorAll("#models button")].find((b) => b.dataset.model === %q).click()`, name))
		text(t, p, "name", "^"+regexp.QuoteMeta(name)+"$")
	}
	text(t, p, "models", "broken.*unavailable.*digits.*ready")
	wait(t, p, `document.querySelectorAll("#models .READY").length === 2`)

	choose("broken")
	text(t, p, "reason", "graph.nnef:2:7: ")
	wait(t, p, `document.getElementById("asking").hidden && !document.querySelector("#ports td, #numbers textarea")`)

	choose(odd)
	text(t, p, "ports", "takes.*a.*FP32.*[3].*b.*yields.*y")
	eval[any](t, p, `(() => {
		const [a, b] = document.querySelectorAll("#numbers textarea");
		a.value = "1 2 3";
		b.value = "0.5";
		document.getElementById("numbers").requestSubmit();
	})()`)
	text(t, p, "answer", "1.5 2.5 3.5$")
	eval[any](t, p, `document.querySelector("#numbers textarea").value = "1 2"; document.getElementById("numbers").requestSubmit()`)
	text(t, p, "wrong", "a: there are 2 numbers; give 3, or one for all")
	eval[any](t, p, `document.querySelector("#numbers textarea").value = "1e400"; document.getElementById("numbers").requestSubmit()`)
	text(t, p, "wrong", "a: 1e400 is not a number")
	eval[any](t, p, `document.querySelector("#numbers textarea").value = "NaN Infinity -Infinity"; document.getElementById("numbers").requestSubmit()`)
	text(t, p, "answer", "NaN Infinity -Infinity$")

	choose("digits")
	text(t, p, "ports", "x.*FP32.*1, 1, 28, 28")
	seven, err := os.ReadFile(filepath.Join(root, "examples/digits/drawings/seven.png"))
	if err != nil {
		t.Fatal(err)
	}
	text(t, p, "memory", "iB") // since when requests are counted
	for range 3 {              // so that there is something to be seen of times and batches
		eval[any](t, p, `document.getElementById("answer").replaceChildren()`)
		give(t, p, seven)
		text(t, p, "answer", `^71\.000`)
		text(t, p, "rate", `[1-9]`)
	}
	wait(t, p, `document.querySelector("#times .all").getAttribute("d") && document.querySelector("#sizes .bar") && !document.getElementById("picture").hidden`)
	if wide := eval[int](t, p, `document.documentElement.scrollWidth`); wide > 1000 {
		t.Errorf("the page is %d pixels wide", wide)
	}
	if _, err := p.Picture("", 360, 700); err != nil {
		t.Fatal(err)
	}
	if wide := eval[int](t, p, `document.documentElement.scrollWidth`); wide > 360 {
		t.Errorf("on a narrow screen the page is %d pixels wide", wide)
	}
	if title := eval[string](t, p, `document.title`); title != "Concord" || len(p.Errors()) > 0 {
		t.Errorf("the title is %s; the page reports %v", title, p.Errors())
	}
	give(t, p, []byte("no picture"))
	text(t, p, "wrong", "picture") // the console tells of the answer, too
}

// TestServeToken gives the page a wrong token, and the right one.
func TestServeToken(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := page(t, serve(t, repository(t), "--token-file", tokens))
	use := func(token string) {
		wait(t, p, `!document.getElementById("access").hidden`)
		eval[any](t, p, fmt.Sprintf(`document.getElementById("token").value = %q; document.getElementById("access").requestSubmit()`, token))
	}
	use("wrong")
	text(t, p, "message", "does not take this token")
	use("secret")
	text(t, p, "models", "digits.*ready")
	text(t, p, "message", "^$")
	text(t, p, "ports", "takes")
	if kept := eval[int](t, p, `localStorage.length + sessionStorage.length + document.cookie.length + document.getElementById("token").value.length`); kept > 0 {
		t.Error("the page keeps the token")
	}
}

// TestServePicture takes the picture of a server that is asked some times.
func TestServePicture(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	dir := repository(t)
	for _, name := range []string{odd, "broken"} {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, map[string]string{odd: "vectors", "broken": "outline"}[name])); err != nil {
			t.Fatal(err)
		}
	}
	p := page(t, serve(t, dir))
	wait(t, p, `document.querySelectorAll("#models .READY").length === 2`)
	seven, err := os.ReadFile(filepath.Join(root, "examples/digits/drawings/seven.png"))
	if err != nil {
		t.Fatal(err)
	}
	give(t, p, seven)
	eval[any](t, p, fmt.Sprintf(`(async () => {
		const drawing = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0));
		for (const begin = performance.now(), end = begin + 25000; performance.now() < end; ) {
			const several = 1 + Math.round(6 * Math.sin((performance.now() - begin) / 4000) ** 2);
			await Promise.all(Array.from({ length: several }, () => fetch("models/digits/answer", { method: "POST", body: drawing })));
			await new Promise((next) => setTimeout(next, 100));
		}
	})()`, base64.StdEncoding.EncodeToString(seven)))
	picture(t, p, "serve/page.png", 1000, 1110, 64)
}
