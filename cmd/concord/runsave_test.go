package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestRunSave keeps values that a run computes together with others: one follows from the other, and the outputs stay as they are.
func TestRunSave(t *testing.T) {
	dir := t.TempDir()
	input := digits(t, "drawings", "seven.png")
	want, _ := execute(t, "run", digits(t, "model.nnef"), input, "-o", dir)
	out, code := execute(t, "run", digits(t, "model.nnef"), input, "-o", dir, "--save", "conv1,relu1", "--save", "y", "--save", "conv1", "--save", "x")
	if out != want+"written: "+filepath.Join(dir, "seven-saved.npz")+"\n" || code != 0 {
		t.Errorf("code %d, %s; want %s", code, out, want)
	}
	data, err := os.ReadFile(filepath.Join(dir, "seven-saved.npz"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := tensor.ReadNPZ(bytes.NewReader(data), int64(len(data)), tensor.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	saved := make(map[string]*tensor.Tensor)
	for _, a := range all {
		saved[a.Name] = a.Tensor
	}
	if len(saved) != 4 || saved["y"].Len() != 10 || !saved["x"].Shape().Equal(tensor.Shape{1, 1, 28, 28}) {
		t.Fatalf("%v is saved", saved)
	}
	before, after := tensor.Data[float32](saved["conv1"]), tensor.Data[float32](saved["relu1"])
	negative := 0
	for i, x := range before {
		if x < 0 {
			negative++
		}
		if after[i] != max(x, 0) {
			t.Fatalf("element %d: %v becomes %v", i, x, after[i])
		}
	}
	if negative == 0 {
		t.Error("nothing is negative before relu")
	}
}

func TestRunSaveMistakes(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--random --save pool", `--save: the model has no value or node "pool"; do you mean "pool1"?`},
		{"--random --save completely-other", `no value or node "completely-other"; see: concord inspect `},
		{"--random --save y", "so that it needs --output"},
		{"--random --save y --hash", "--hash, --encoded=- and --hex write none"},
	} {
		args := append([]string{"run", digits(t, "model.nnef")}, strings.Fields(c.args)...)
		if out, code := execute(t, args...); code != exitUsage || !strings.Contains(out, c.want) {
			t.Errorf("%s: code %d, %s; want %s", c.args, code, out, c.want)
		}
	}
}
