package page_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/concord-nn/concord/serve/internal/page"
)

// get asks a router that has the page.
func get(t *testing.T, method, path string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	mux := http.NewServeMux()
	for _, p := range page.Paths {
		mux.Handle(p, page.Handler())
	}
	r := httptest.NewRequest(method, path, nil)
	r.Header = header
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w
}

// TestFiles asks for the page and for what it needs.
func TestFiles(t *testing.T) {
	html := get(t, "GET", "/", nil)
	paths := []string{"/"}
	for _, m := range regexp.MustCompile(`(?:href|src)="(page/[^"]*)"`).FindAllStringSubmatch(html.Body.String(), -1) {
		paths = append(paths, "/"+m[1])
	}
	script := get(t, "GET", "/page/page.js", nil).Body.String()
	for _, m := range regexp.MustCompile(`from "\./([^"]*)"`).FindAllStringSubmatch(script, -1) {
		paths = append(paths, "/page/"+m[1])
	}
	if len(paths) != 5 {
		t.Errorf("the page consists of %v", paths)
	}
	for _, path := range paths {
		w := get(t, "GET", path, nil)
		header := w.Header()
		if w.Code != http.StatusOK || w.Body.Len() == 0 || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d, %v", path, w.Code, header)
		}
		if policy := header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
		if again := get(t, "GET", path, http.Header{"If-None-Match": {header.Get("ETag")}}); again.Code != http.StatusNotModified {
			t.Errorf("%s: %d for what the client has", path, again.Code)
		}
		if head := get(t, "HEAD", path, nil); head.Code != http.StatusOK || head.Body.Len() > 0 {
			t.Errorf("%s: %d, %d bytes for HEAD", path, head.Code, head.Body.Len())
		}
		if post := get(t, "POST", path, nil); post.Code != http.StatusMethodNotAllowed || post.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d, %v for POST", path, post.Code, post.Header())
		}
	}
	for _, path := range []string{"/page/", "/page/other.js", "/page/page.go", "/other"} {
		if w := get(t, "GET", path, nil); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestNames holds the page to the names by which its parts know each other, and to what its policy lets it do.
func TestNames(t *testing.T) {
	html, script := get(t, "GET", "/", nil).Body.String(), get(t, "GET", "/page/page.js", nil).Body.String()
	ids := make(map[string]bool)
	for _, m := range regexp.MustCompile(`id="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if ids[m[1]] {
			t.Errorf("there are two %s", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`(?:at|fill)\("([^"]*)"`).FindAllStringSubmatch(script, -1) {
		if !ids[m[1]] {
			t.Errorf("the script asks for %s, which is not there", m[1])
		}
	}
	if m := regexp.MustCompile(`style="|<style| on[a-z]+="|<script(?: type="module")?>`).FindString(html); m != "" {
		t.Errorf("the page has %s, which its policy forbids", m)
	}
	all := script + get(t, "GET", "/page/show.js", nil).Body.String()
	if m := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Storage|cookie`).FindString(all); m != "" {
		t.Errorf("the scripts have %s", m)
	}
}
