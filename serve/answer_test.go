package serve_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/concord-nn/concord/serve"
)

// TestMediaBudget: a picture counts as large as it is decoded, a sound as it is when its rate is changed, and numbers as the tensors that they become.
func TestMediaBudget(t *testing.T) {
	dir := folder(t, "digits.nnef")
	for name, text := range map[string]string{
		"graph.nnef":   "version 1.0;\n\ngraph ear(x) -> (y)\n{\n    x = external<scalar>(shape = [1, 16]);\n    y = copy(x);\n}\n",
		"concord.json": `{"version": 1, "inputs": {"x": {"kind": "audio", "rate": 8000, "hop": 65536}}, "outputs": {"y": {"kind": "tensor"}}}`,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "ear"), 0o755), os.WriteFile(filepath.Join(dir, "ear", name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, serve.Options{Dir: dir, Control: "none", MaxBodies: 1 << 20})
	picture := func(side int) string {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	sound := func(rate uint32) func(n int) string {
		return func(n int) string {
			b := append([]byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"), binary.LittleEndian.AppendUint32(nil, rate)...)
			b = append(b, "\x00\x00\x00\x00\x01\x00\x08\x00data"...)
			return string(append(binary.LittleEndian.AppendUint32(b, uint32(n)), make([]byte, n)...))
		}
	}
	for _, c := range []struct {
		model         string
		body          func(n int) string
		fits, too     int
		status, large int
	}{
		{"digits", picture, 270, 280, 200, 413},
		{"digits", sound(8000), 110000, 120000, 400, 413},
		{"ear", sound(8000), 110000, 120000, 200, 413},
		{"ear", sound(1000), 22000, 24000, 200, 413},
		{"ear", func(n int) string { return `{"x": [` + strings.Repeat("0,", n-1) + `0]}` }, 150000, 190000, 400, 413},
	} {
		for n, want := range map[int]int{c.fits: c.status, c.too: c.large} {
			if status, text := s.ask("POST", "/models/"+c.model+"/answer", c.body(n)); status != want {
				t.Errorf("%s, %d: %d %s; want %d", c.model, n, status, text, want)
			}
		}
	}
}

// TestPicturesRunTogether: no more than there are processors are decoded at the same time, but any number wait for a run.
func TestPicturesRunTogether(t *testing.T) {
	n := min(runtime.GOMAXPROCS(0)+1, serve.MostBatch)
	s := start(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "none", Batch: n, BatchDelay: time.Hour}) // but a full batch runs at once
	picture, err := os.ReadFile("../examples/digits/drawings/seven.png")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range n {
		all.Go(func() { s.wants("POST", "/models/digits/answer", string(picture), 200, `"label": "7"`) })
	}
	all.Wait()
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
