package browser_test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/web/chromium/browser"
)

const limit = 3 * time.Minute

func TestPage(t *testing.T) {
	b, err := browser.Start(t.Context(), browser.Options{Flags: []string{"js-flags=--expose-gc"}})
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	page := `<!doctype html><title>page</title><p id=p style="width: 40px; height: 30px; margin: 0">text</p>
<script type="module" src="m.mjs"></script><script>console.error("an error of", 1);</script>`
	for name, text := range map[string]string{"index.html": page, "m.mjs": "globalThis.result = {isolated: crossOriginIsolated, gc: typeof gc};"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := browser.Serve(browser.Isolated(browser.Folder(dir)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p, err := b.Open(true)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Go(s.URL+"/", limit); err != nil {
		t.Fatal(err)
	}
	type result struct {
		Isolated bool   `json:"isolated"`
		GC       string `json:"gc"`
	}
	if got, err := browser.Wait[result](p, "globalThis.result", limit); err != nil || got != (result{true, "function"}) {
		t.Errorf("the result is %+v, %v", got, err)
	}
	if got, err := browser.Eval[int](p, "Promise.resolve(42)", limit); err != nil || got != 42 {
		t.Errorf("the value is %d, %v", got, err)
	}
	if _, err := browser.Wait[bool](p, "false", 100*time.Millisecond); err == nil {
		t.Error("what never comes is waited for")
	}
	picture, err := p.Picture("#p", 200, 100)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || c.Width != 40 || c.Height != 30 {
		t.Errorf("the picture is %+v, %v", c, err)
	}
	if got := p.Errors(); len(got) == 0 || !strings.HasPrefix(got[0], "an error of 1 (http://localhost:") {
		t.Errorf("the console has %q", got)
	}
	process := b.Process()
	p.Close()
	b.Close()
	if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(process), "exe")); err == nil {
		t.Errorf("process %d is left", process)
	}
}

func TestNotInstalled(t *testing.T) {
	if _, err := browser.Start(t.Context(), browser.Options{Path: "no-such-chromium"}); err == nil {
		t.Error("a program that is not there starts")
	}
}
