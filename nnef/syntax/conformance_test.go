package syntax_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef/syntax"
)

// sharedCase is what this layer needs of a case of the shared set.
type sharedCase struct {
	ID, File, Dialect, Rule string
	Expect                  struct {
		Verdict, Class string
		Line           int
		LineChecked    bool `json:"line_checked"`
	}
}

func sharedCases(t *testing.T, dir string) (string, []sharedCase) {
	t.Helper()
	dir = testdata.Shared(t, "conformance", "nnef", dir)
	raw, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []sharedCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	return dir, cases
}

// TestSharedParse holds the verdicts of the shared documents as far as the text alone decides them.
func TestSharedParse(t *testing.T) {
	dir, cases := sharedCases(t, "parse")
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, c.File))
			if err != nil {
				t.Fatal(err)
			}
			doc, err := syntax.Parse(c.File, text, syntax.Options{Strict: true})
			// An unknown extension is for the caller to refuse.
			here := c.Expect.Class == "lexical" || c.Expect.Class == "syntax" ||
				c.Expect.Class == "extension" && c.Rule != "unknown extension"
			if c.Expect.Verdict == "accept" || !here {
				if err != nil {
					t.Fatalf("%s\n%v", c.Rule, err)
				}
				if got := doc.Dialect.String(); got != c.Dialect {
					t.Errorf("dialect %s, want %s", got, c.Dialect)
				}
				checkRoundTrip(t, doc, syntax.Options{Strict: true})
				return
			}
			var list syntax.Diagnostics
			if !errors.As(err, &list) {
				t.Fatalf("accepted, want a %s error: %s", c.Expect.Class, c.Rule)
			}
			if got := list[0].Class().String(); got != c.Expect.Class {
				t.Errorf("class %s, want %s\n%s", got, c.Expect.Class, list.Render())
			}
			if got := list[0].Position().Line; c.Expect.LineChecked && got != c.Expect.Line {
				t.Errorf("line %d, want %d\n%s", got, c.Expect.Line, list.Render())
			}
		})
	}
}

// TestSharedRobust reads hostile documents; what has to be evaluated is left to the layers above.
func TestSharedRobust(t *testing.T) {
	dir, cases := sharedCases(t, "robust")
	rejected := map[string]syntax.Code{"rob-01": syntax.CodeRange, "rob-10": syntax.CodeStringContent, "rob-11": syntax.CodeDepth,
		"rob-13": syntax.CodeUnterminated, "rob-15": syntax.CodeRange, "rob-17": syntax.CodeTuple}
	for _, c := range cases {
		text, err := os.ReadFile(filepath.Join(dir, c.File))
		if err != nil {
			t.Fatal(err)
		}
		_, err = syntax.Parse(c.File, text, syntax.Options{})
		var list syntax.Diagnostics
		switch want := rejected[c.ID]; {
		case want == 0 && err != nil:
			t.Errorf("%s: %v", c.ID, err)
		case want != 0 && !errors.As(err, &list):
			t.Errorf("%s: accepted, want %v", c.ID, want)
		case want != 0 && list[0].Code != want:
			t.Errorf("%s: %v, want %v", c.ID, err, want)
		}
	}
}

// TestSharedModels reads the graph of every model folder of the shared set.
func TestSharedModels(t *testing.T) {
	root := testdata.Shared(t, "conformance", "nnef", "models")
	files, err := filepath.Glob(filepath.Join(root, "*", "graph.nnef"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := syntax.Parse(file, text, syntax.Options{Strict: true})
		if err != nil {
			t.Error(err)
			continue
		}
		checkRoundTrip(t, doc, syntax.Options{Strict: true})
	}
}
