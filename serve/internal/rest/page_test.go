package rest_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/serve/internal/rest"
)

// restPage returns the section of the page on serving.
func restPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata.Root(t), "docs", "serve.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## REST\n")
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// TestPageListsPaths: those of the page are all that the server knows.
func TestPageListsPaths(t *testing.T) {
	listed := make(map[string]bool)
	for _, m := range regexp.MustCompile("(?m)^\\| `((?:GET|POST) /v2\\S*)` \\|").FindAllStringSubmatch(restPage(t), -1) {
		listed[m[1]] = true
	}
	for _, p := range rest.Paths() {
		p = strings.TrimSuffix(strings.Replace(p, "/versions/{version}", "", 1), "/{$}")
		if !listed[p] {
			t.Errorf("docs/serve.md does not list %s", p)
		}
	}
	for p := range listed {
		method, path, _ := strings.Cut(p, " ")
		if w := ask(rest.New(&fake{ready: true}, rest.Options{}), method, strings.Replace(path, "{model}", "pair", 1), `{"inputs":[]}`); w.Code != 200 {
			t.Errorf("docs/serve.md lists %s, which is answered with %d %s", p, w.Code, w.Body)
		}
	}
}

// TestPageExamples runs the commands of the page.
func TestPageExamples(t *testing.T) {
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	server := httptest.NewServer(rest.New(&fake{ready: true}, rest.Options{}))
	defer server.Close()
	dir := t.TempDir()
	n := 0
	for i, block := range strings.Split(restPage(t), "```") {
		if i%2 == 0 {
			continue
		}
		for _, example := range strings.Split(block, "\n$ ")[1:] {
			command, want, _ := strings.Cut(strings.TrimSpace(example), "\n")
			line := strings.Replace(command, "curl localhost:8080", "curl -s "+server.URL, 1)
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir = dir
			got, err := cmd.CombinedOutput()
			if err != nil || string(got) != want {
				t.Errorf("%s\n%s, %v\nwant\n%s", command, got, err, want)
			}
			n++
		}
	}
	if n < 5 {
		t.Errorf("the page has %d commands", n)
	}
}
