package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/codes"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef/syntax"
)

// TestCodeExamples runs the examples of all codes: the wrong one yields the code, the right one yields nothing.
func TestCodeExamples(t *testing.T) {
	for _, e := range codes.All() {
		if _, err := reportCode(e); err != nil {
			t.Error(err)
		}
		if e.Right == "" {
			continue
		}
		found, err := checkExample(e.Right, false)
		for i := range found {
			t.Errorf("the right example of %v: %s", e.Code, found[i].Render())
		}
		if err != nil {
			t.Errorf("the right example of %v: %v", e.Code, err)
		}
	}
}

// TestLongExamples yields the codes whose examples would fill pages.
func TestLongExamples(t *testing.T) {
	many := "y = relu(x);\n"
	for i := range 60 {
		many += fmt.Sprintf("y%d = foo(x);\n", i)
	}
	for code, example := range map[syntax.Code]string{
		syntax.CodeLiteralLength: "y = relu(" + strings.Repeat("x", 1<<17) + ");",
		syntax.CodeDepth:         "y = " + strings.Repeat("relu(", 2000) + "x" + strings.Repeat(")", 2000) + ";",
		syntax.CodeTooMany:       many,
	} {
		found, err := checkExample(example, false)
		if err != nil || !slices.ContainsFunc(found, func(d syntax.Diagnostic) bool { return d.Code == code }) {
			t.Errorf("%v: got %v, %v", code, found, err)
		}
	}
}

// TestCodesPage holds the reference of codes to the table and to the messages of today.
func TestCodesPage(t *testing.T) {
	want, err := codesPage()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(testdata.Root(t), "docs", "diagnostics.md"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("docs/diagnostics.md is not what the table says (%v): run go generate ./internal/nnef/codes", err)
	}
}

// TestLenient reads a document that mixes the dialects and leaves an extent open, with the flags that make up for it.
func TestLenient(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "mixed.nnef")
	text := "version 1.0\ngraph net( x ) -> ( y )\n{\nx = external(shape = [0, 3]);\ny = exp(relu(x))\n}\n"
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"run", "--random", "--output", dir}, {"inspect"}, {"shapes"}, {"explain"}, {"flatten"}, {"check"}} {
		if out, code := execute(t, append(command, model)...); code == 0 || !strings.Contains(out, "NNEF0209") {
			t.Errorf("%v: code %d: %s", command, code, out)
		}
		out, code := execute(t, append(command, "--lenient", "--shape", "x=2,3", model)...)
		if code != 0 {
			t.Errorf("%v --lenient: code %d: %s", command, code, out)
		}
	}
}
