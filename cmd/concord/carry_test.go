package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/manifest"
)

// reads runs a model on the drawing of a seven and returns what it says, without a manifest being named.
func reads(t *testing.T, model string) string {
	t.Helper()
	out, code := execute(t, "run", model, digits(t, "drawings", "seven.png"))
	if code != 0 || !strings.HasPrefix(out, "7 ") {
		t.Fatalf("%s: code %d: %s", model, code, out)
	}
	table, _, _ := strings.Cut(out, "encoded: ") // of CVM models
	return table
}

// TestManifestTravels takes a model with a manifest through all formats: whatever it becomes reads the same drawing, and back in a folder it
// has the same manifest.
func TestManifestTravels(t *testing.T) {
	dir, model := t.TempDir(), digits(t, "model.nnef")
	at := func(name string) string { return filepath.Join(dir, name) }
	want := reads(t, model)
	for _, step := range [][]string{
		{"convert", model, at("a.nnef.tgz")},
		{"convert", at("a.nnef.tgz"), at("a.onnx")},
		{"export", "--webnn", at("a.onnx"), "-o", at("site")},
		{"convert", at("site/a.json"), at("b.tar"), "--canonical"},
		{"convert", at("b.tar"), at("c"), "--flatten"},
		{"convert", at("c/graph.nnef"), at("d")},
		{"convert", at("d"), at("d"), "--canonical", "--force"},
	} {
		if out, code := execute(t, step...); code != 0 {
			t.Fatalf("%v: code %d: %s", step, code, out)
		}
		became := step[2]
		if step[0] == "export" {
			became = at("site/a.json")
		}
		if got := reads(t, became); got != want {
			t.Errorf("%v: it says\n%s\nin place of\n%s", step, got, want)
		}
	}
	if before, after := readString(t, model, manifest.FileName), readString(t, at("d"), manifest.FileName); before != after {
		t.Errorf("the manifest has become\n%s", after)
	}
	if out, code := execute(t, "convert", model, at("new.onnx")); code != 0 || !strings.Contains(out, "new.onnx.concord.json (") {
		t.Errorf("code %d: %s", code, out)
	}
	if err := os.Remove(at("new.onnx")); err != nil {
		t.Fatal(err)
	}
	if out, code := execute(t, "convert", model, at("new.onnx")); code != exitUsage || !strings.Contains(out, "new.onnx.concord.json: it exists") {
		t.Errorf("a manifest is replaced: code %d: %s", code, out)
	}
}

// TestManifestRenamed follows the names that a CVM model gives inputs and outputs, and folds names of classes in.
func TestManifestRenamed(t *testing.T) {
	dir := t.TempDir()
	text, back := filepath.Join(dir, "text"), filepath.Join(dir, "back")
	model := filepath.Join(digits(t), "..", "ledger", "digits.cvm")
	want := reads(t, model)
	convert(t, model, text)
	if got := reads(t, text); got != want {
		t.Errorf("in NNEF it says\n%s", got)
	}
	for name, replace := range map[string]*strings.Replacer{
		"graph.nnef":      strings.NewReplacer("data", "drawing"),
		manifest.FileName: strings.NewReplacer(`"data"`, `"drawing"`, `"labels": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]`, `"labels_file": "digits.txt"`),
	} {
		if err := os.WriteFile(filepath.Join(text, name), []byte(replace.Replace(readString(t, text, name))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(text, "digits.txt"), []byte("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	reads(t, text)
	convert(t, text, filepath.Join(dir, "packed.tgz"))
	reads(t, filepath.Join(dir, "packed.tgz"))
	if out, code := execute(t, "convert", text, back, "--to", "cvm"); code != 0 {
		t.Fatalf("code %d: %s", code, out)
	}
	if got := reads(t, back); got != want {
		t.Errorf("in CVM again it says\n%s", got)
	}
	if before, after := readString(t, model, manifest.FileName), readString(t, back, manifest.FileName); before != after {
		t.Errorf("the manifest has become\n%s", after)
	}
	if out, code := execute(t, "convert", text, back, "--to", "cvm", "--force"); code != 0 { // a manifest is part of the model that is replaced
		t.Errorf("code %d: %s", code, out)
	}
}

// TestManifestMissing says where a manifest was looked for.
func TestManifestMissing(t *testing.T) {
	model := copyModel(t, digits(t, "model.nnef"))
	if err := os.Remove(filepath.Join(model, manifest.FileName)); err != nil {
		t.Fatal(err)
	}
	looked := "no manifest was found: looked for " + filepath.Join(model, manifest.FileName)
	for _, args := range [][]string{{}, {"--rate", "16000"}, {"--score", "0.5"}} {
		out, code := execute(t, append([]string{"run", model, digits(t, "drawings", "seven.png")}, args...)...)
		if code == 0 || !strings.Contains(out, looked) {
			t.Errorf("%v: code %d: %s", args, code, out)
		}
	}
}

// TestManifestThatDoesNotFit: what a model becomes has no manifest with which neither of them would run. All that is wrong with it is told.
func TestManifestThatDoesNotFit(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	model, open := copyModel(t, digits(t, "model.nnef")), writeFiles(t, map[string]string{"graph.nnef": "version 1.0;\nextension concord_symbol N;\n" +
		"graph g(x) -> (y)\n{\n    x = external<scalar>(shape = [N, 2]);\n    y = relu(x);\n}\n"})
	for _, folder := range []string{model, open} {
		if err := os.WriteFile(filepath.Join(folder, manifest.FileName), []byte(`{"version": 2, "inputs": {"z": {"kind": "tensor"}}, "outputs": {}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"convert", model, at("a.nnef.tgz")}, {"convert", model, at("a.onnx")}, {"convert", open, at("a")},
		{"export", "--webnn", model, "-o", at("site")}, {"export", "--wasm", model, "-o", at("site")},
	} {
		out, code := execute(t, args...)
		if code != exitInput || !strings.Contains(out, "it must be 1") || !strings.Contains(out, `the model has no input "z"`) {
			t.Errorf("%v: code %d: %s", args, code, out)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("%v was written, %v", list, err)
	}
}

// TestBuiltInManifestThatDoesNotFit: a model that is known, and is written with other shapes, has no manifest, and no mistakes either.
func TestBuiltInManifestThatDoesNotFit(t *testing.T) {
	model, dst := testdata.Shared(t, "models", "silero-vad", "silero_vad_op18_ifless.onnx"), filepath.Join(t.TempDir(), "batch")
	if out, code := execute(t, "convert", model, dst, "--set", "sr=16000", "--shape", "input=4,576", "--shape", "state=2,4,128"); code != 0 {
		t.Fatalf("code %d: %s", code, out)
	}
	if _, err := os.Stat(filepath.Join(dst, manifest.FileName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a manifest was written, %v", err)
	}
}

// TestManifestUntold: a model that nobody can be told of has its manifest all the same.
func TestManifestUntold(t *testing.T) {
	dst, root := filepath.Join(t.TempDir(), "a.onnx"), newRoot()
	root.SetArgs([]string{"convert", digits(t, "model.nnef"), dst})
	r, w := io.Pipe()
	_ = r.Close() // so that nothing can be written
	root.SetOut(w)
	root.SetErr(io.Discard)
	if err := root.ExecuteContext(t.Context()); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the output cannot be written, and the command says %v", err)
	}
	if _, err := manifest.Open(manifest.Beside(dst)); err != nil {
		t.Error(err)
	}
}
