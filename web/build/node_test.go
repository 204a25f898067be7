package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/export"
)

func write(t *testing.T, dir, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// built makes the package in a folder, or skips the test.
func built(t *testing.T) (node, dir string) {
	t.Helper()
	testdata.Exhaustive(t, "it compiles for js/wasm")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed; it runs the package as a browser would")
	}
	dir = t.TempDir()
	if err := build(dir, false, false); err != nil {
		t.Fatal(err)
	}
	return node, dir
}

// TestUnderNode runs ../testdata/page.mjs, which holds the interface to what pages see of it, and builds and runs the digits model by the module that
// package webnn/export writes: the bits must be those of the model.
func TestUnderNode(t *testing.T) {
	node, dir := built(t)
	m, err := concord.Open("../../examples/digits/model.nnef")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g, err := m.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	exported, err := export.New(g, export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := exported.Files("digits.bin")
	if err != nil {
		t.Fatal(err)
	}
	x, err := tensor.New(tensor.Float32, tensor.Shape{1, 1, 28, 28})
	if err != nil {
		t.Fatal(err)
	}
	for i := range tensor.Data[float32](x) {
		tensor.Data[float32](x)[i] = float32(i%29) / 28
	}
	var stderr bytes.Buffer
	run := exec.Command(node, "--experimental-wasm-relaxed-simd", "../testdata/page.mjs", dir, write(t, dir, "digits.mjs", files.JavaScript),
		write(t, dir, "digits.bin", testdata.Written(t, files.Weights)), write(t, dir, "x.bin", x.Bytes()))
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, &stderr)
	}
	program, err := m.Compile(concord.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	want, err := program.Run(t.Context(), map[string]*tensor.Tensor{"x": x})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := base64.StdEncoding.DecodeString(string(out)); err != nil || !bytes.Equal(got, want["y"].Bytes()) {
		t.Errorf("the module gives %x, %v; want %x, as the model", got, err, want["y"].Bytes())
	}
}
