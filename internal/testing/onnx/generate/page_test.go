package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
)

// TestPage holds the page to what models say that are tried, and runs every model that is translated with some types: what has no evaluation is
// refused before.
func TestPage(t *testing.T) {
	testdata.Exhaustive(t, "it tries thousands of models")
	text, err := os.ReadFile(filepath.Join(testdata.Root(t), "docs", "onnx-operators.md"))
	made := page(texts(onnx.Operators(), func(o *onnx.Operator, p *proto.Model) {
		if err := run(p); err != nil {
			t.Errorf("%s: %v", o.Name, err)
		}
	}))
	if err != nil || string(text) != made {
		t.Errorf("docs/onnx-operators.md is not what the tables say (%v): run go generate ./onnx", err)
	}
	if i := bytes.Index(text, []byte("` |  | ")); i >= 0 {
		t.Errorf("there are no types in %.60q…: it needs random models or a sample", text[max(i-20, 0):])
	}
}

// TestDeclarations holds all of the page but the types, which it takes from there, to what the tables say.
func TestDeclarations(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testdata.Root(t), "docs", "onnx-operators.md"))
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, o := range onnx.Operators() {
		_, rest, _ := strings.Cut(string(text), "\n| `"+o.Name+"` | ")
		found, _, _ := strings.Cut(rest, " | ")
		types = append(types, found)
	}
	if made := page(types); made != string(text) {
		t.Error("docs/onnx-operators.md is not what the tables say: run go generate ./onnx")
	}
}
