package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("it tries thousands of models")
	}
	text, err := os.ReadFile(filepath.Join(testdata.Root(t), "docs", "onnx-operators.md"))
	if err != nil || string(text) != page() {
		t.Errorf("docs/onnx-operators.md is not what the tables say (%v): run go generate ./onnx", err)
	}
	if i := bytes.Index(text, []byte("` |  | ")); i >= 0 {
		t.Errorf("there are no types in %.60q…: it needs random models or a sample", text[max(i-20, 0):])
	}
}
