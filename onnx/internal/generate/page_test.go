package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

func TestPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testdata.Root(t), "docs", "onnx-operators.md"))
	if err != nil || string(text) != page() {
		t.Errorf("docs/onnx-operators.md is not what the tables say (%v): run go generate ./onnx", err)
	}
}
