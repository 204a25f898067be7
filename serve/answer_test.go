package serve_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/serve"
)

// TestPictureBudget: a picture counts as large as it is decoded.
func TestPictureBudget(t *testing.T) {
	s := start(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none", MaxBodies: 1 << 20})
	for side, want := range map[int]int{270: 200, 280: 413} {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
			t.Fatal(err)
		}
		if status, text := s.ask("POST", "/models/digits/answer", b.String()); status != want {
			t.Errorf("%d×%d pixels: %d %s; want %d", side, side, status, text, want)
		}
	}
}

// TestEncoded: a CVM model's answer has the encoded outputs, as concord run --json does.
func TestEncoded(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "digits"), os.DirFS("../examples/ledger/digits.cvm")); err != nil {
		t.Fatal(err)
	}
	picture, err := os.ReadFile("../examples/digits/drawings/seven.png")
	if err != nil {
		t.Fatal(err)
	}
	start(t, serve.Options{Dir: dir, Control: "none"}).wants("POST", "/models/digits/answer", string(picture), 200, `"encoded":`)
}
