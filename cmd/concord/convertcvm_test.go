package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hashes returns the hashes that a run prints.
func hashes(t *testing.T, args ...string) string {
	t.Helper()
	out, code := execute(t, append([]string{"run", "--hash"}, args...)...)
	if code != 0 {
		t.Fatalf("%v: code %d: %s", args, code, out)
	}
	var lines []string
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(fields) > 1 && len(fields[0]) == 64 && fields[1] != "encoded" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%v: there is no hash in %s", args, out)
	}
	return strings.Join(lines, "")
}

// TestConvertCVM takes a CVM model to text and back: it is admitted alike, and everything gives the same outputs.
func TestConvertCVM(t *testing.T) {
	dir, model := t.TempDir(), filepath.Join("testdata", "cvm", "strokes")
	text, archive, back, again := filepath.Join(dir, "text.nnef"), filepath.Join(dir, "text.nnef.tgz"), filepath.Join(dir, "back"), filepath.Join(dir, "again")
	convert(t, model, text)
	convert(t, text, archive, "--canonical")
	convert(t, archive, back, "--to", "cvm")
	convert(t, back, again, "--to", "cvm")
	if !sameFiles(filesOf(t, back), filesOf(t, again)) {
		t.Error("the files change from one time to the next")
	}
	want, _ := execute(t, "admit", model)
	got, code := execute(t, "admit", back)
	if want = strings.ReplaceAll(want, model, back); got != want || code != 0 {
		t.Errorf("admission says\n%s\nin place of\n%s", got, want)
	}
	input := filepath.Join(dir, "data.npy")
	writeNPY(t, input)
	for _, m := range []string{text, archive, back} {
		if got, want := hashes(t, m, input), hashes(t, model, input); got != want {
			t.Errorf("%s gives\n%s\nin place of\n%s", m, got, want)
		}
	}
}

// writeNPY writes a picture for the model of strokes.
func writeNPY(t *testing.T, name string) {
	t.Helper()
	const header = "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 1, 3, 3), }"
	text := "\x93NUMPY\x01\x00\x76\x00" + header + strings.Repeat(" ", 117-len(header)) + "\n" + "\x00\x7f\x00\x00\x7f\x00\x00\x7f\x80"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestConvertCVMRefused holds what cannot be converted, or written, to be refused with the reason.
func TestConvertCVMRefused(t *testing.T) {
	dir := t.TempDir()
	model, floats := filepath.Join("testdata", "cvm", "strokes"), digits(t, "model.nnef")
	foreign := filepath.Join(dir, "foreign")
	convert(t, model, foreign, "--to", "cvm")
	if err := os.WriteFile(filepath.Join(foreign, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"its type is float32; CVM computes with integers", []string{floats, filepath.Join(dir, "a"), "--to", "cvm"}},
		{"--to onnx: it must be nnef or cvm", []string{floats, filepath.Join(dir, "a"), "--to", "onnx"}},
		{"--flatten and --canonical are for --to nnef", []string{floats, filepath.Join(dir, "a"), "--to", "cvm", "--flatten"}},
		{"a CVM model is written as a folder", []string{model, filepath.Join(dir, "a.tgz"), "--to", "cvm"}},
		{"it exists; --force replaces it", []string{model, foreign, "--to", "cvm"}},
		{"files that are no part of a model: notes.txt", []string{model, foreign, "--to", "cvm", "--force"}},
		{"it is no CVM model", []string{model, dir, "--to", "cvm", "--force"}},
		{"there is no parameter file beside it", []string{filepath.Join("testdata", "cvm", "alone"), filepath.Join(dir, "a")}},
		{filepath.Join("overlap", "graph.json") + ":1:", []string{filepath.Join("testdata", "cvm", "overlap"), filepath.Join(dir, "a")}},
		{"has been overwritten", []string{filepath.Join("testdata", "cvm", "overlap"), filepath.Join(dir, "a")}},
	} {
		if out, code := execute(t, append([]string{"convert"}, c.args...)...); code == 0 || !strings.Contains(out, c.want) {
			t.Errorf("%v: code %d: %s\nin place of %s", c.args, code, out, c.want)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v", list)
	}
	if err := os.Remove(filepath.Join(foreign, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	convert(t, model, foreign, "--to", "cvm", "--force")
}
