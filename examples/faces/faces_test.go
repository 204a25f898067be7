package main

import (
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// TestPage asserts that the page has all that it loads.
func TestPage(t *testing.T) {
	s, err := page([]string{testdata.Shared(t, "models", "ultraface", "version-RFB-320.onnx")})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"index.html", "page.js", "paint.js", "faces.media.js", "faces.js", "faces.wasm", "faces.threads.wasm", "faces.bin", "style.css"} {
		if len(s[name]) == 0 {
			t.Errorf("the page has no %s", name)
		}
	}
}

func TestNoModel(t *testing.T) {
	if _, err := page(nil); err == nil {
		t.Error("a page is made without a model")
	}
}
