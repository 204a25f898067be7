package concord_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/pipeline"
)

// TestDocumentedGo holds the Go code of pages to being that of examples, which are compiled and run. A line … stands for what is left out.
func TestDocumentedGo(t *testing.T) {
	for page, sources := range map[string][]string{
		"docs/go.md":     {"example_test.go", "pipeline/example_test.go", "pipeline/example_server_test.go"},
		"README.md":      {"example_test.go", "pipeline/example_test.go", "pipeline/example_server_test.go", "webnn/example_page_test.go"},
		"docs/openvx.md": {"openvx/example_page_test.go"},
		"docs/webnn.md":  {"webnn/example_page_test.go"},
		"docs/cvm.md":    {"cvm/example_test.go"},
	} {
		var code []string
		for _, s := range sources {
			code = append(code, strings.Join(lines(t, s), "\n")+"\n")
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		blocks := strings.Split(string(text), "```go\n")
		if len(blocks) < 2 {
			t.Errorf("%s has no Go code", page)
		}
		for _, b := range blocks[1:] {
			b, _, _ = strings.Cut(b, "```")
			for _, part := range strings.Split("\n"+b, "\n…\n") {
				if want := trimmed(strings.Trim(part, "\n")); !contains(code, "\n"+want+"\n") {
					t.Errorf("%s: no example in %v has\n%s", page, sources, want)
				}
			}
		}
	}
}

// TestDocumentedAnswer holds the answer on the page for Go programmers to what the server there says.
func TestDocumentedAnswer(t *testing.T) {
	p, err := pipeline.Open(filepath.Join("examples", "digits", "model.nnef"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	drawing, err := media.OpenPicture(filepath.Join("examples", "digits", "drawings", "seven.png"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := p.Picture(t.Context(), drawing)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("docs", "go.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "localhost:8080\n{")
	if want, _, ok := strings.Cut("{"+rest, "…"); !ok || !strings.HasPrefix(string(got), want) {
		t.Errorf("docs/go.md has the answer %.200s; it is %s", want, got)
	}
}

func contains(code []string, want string) bool {
	for _, c := range code {
		if strings.Contains(c, want) {
			return true
		}
	}
	return false
}

// lines returns the lines of a file without their indentation.
func lines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(trimmed(string(text)), "\n")
}

func trimmed(text string) string {
	list := strings.Split(text, "\n")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return strings.Join(list, "\n")
}
