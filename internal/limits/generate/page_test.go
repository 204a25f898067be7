package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

func TestPageIsFresh(t *testing.T) {
	testdata.Wide(t) // some limits are those of an int
	text, err := os.ReadFile(filepath.Join(testdata.Root(t), "docs", "limits.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != page() {
		t.Error("docs/limits.md is not what the table says: run go generate ./internal/limits")
	}
}
