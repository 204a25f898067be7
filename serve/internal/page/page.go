package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/concord-nn/concord/internal/looks"
)

//go:embed index.html
var index []byte

//go:embed page.css
var style []byte

//go:embed page.js
var script []byte

// policy lets the page load its own files, ask its own server, and show what a person opens; nothing else, and no markup in scripts.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data: blob:; media-src blob:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const (
	css        = "text/css; charset=utf-8"
	javascript = "text/javascript; charset=utf-8"
)

// file is one of the page's.
type file struct {
	contentType string
	content     []byte
}

var files = map[string]file{
	"/":               {"text/html; charset=utf-8", index},
	"/page/style.css": {css, []byte(looks.Style)},
	"/page/page.css":  {css, style},
	"/page/page.js":   {javascript, script},
	"/page/show.js":   {javascript, []byte(looks.Segments + looks.Show)},
}

// Paths are the paths that the page has; a router can take them as patterns.
var Paths = []string{"/{$}", "/page/"}

// Handler returns the handler of the page's paths.
func Handler() http.Handler {
	marks := make(map[string]string)
	for name, f := range files {
		sum := sha256.Sum256(f.content)
		marks[name] = `"` + hex.EncodeToString(sum[:8]) + `"`
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[r.URL.Path]
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		switch {
		case !ok:
			http.NotFound(w, r)
			return
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "ask with GET", http.StatusMethodNotAllowed)
			return
		}
		header.Set("Content-Type", f.contentType)
		header.Set("Content-Security-Policy", policy)
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cross-Origin-Opener-Policy", "same-origin")
		header.Set("Cache-Control", "no-cache") // another program may serve another page, which is seen at once
		header.Set("ETag", marks[r.URL.Path])
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
	})
}
