package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestRunShapes runs a model that leaves extents open with those of the array.
func TestRunShapes(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "x.npy"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	x, err := tensor.New(tensor.Float32, tensor.Shape{2, 8})
	if err != nil {
		t.Fatal(err)
	}
	if err := tensor.WriteNPY(file, x); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ input, want string }{
		{file.Name(), "y: float32[1,2,4]"},
		{"x=" + file.Name(), "y: float32[1,2,4]"},
		{filepath.Join(dir, "none.npy"), "the extent x.0 must be given a number"},
	} {
		got := terminalIn(t, "run", "open.nnef", c.input, "--output", dir, "--force")
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s; want %s", c.input, got, c.want)
		}
	}
}

// terminalIn is terminal in a subtest, so that the working folder is restored.
func terminalIn(t *testing.T, args ...string) (out string) {
	t.Helper()
	t.Run(strings.Join(args[:1], ""), func(t *testing.T) { out = terminal(t, "", args...) })
	return out
}
