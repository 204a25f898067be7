package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/testdata"
)

// copyModel returns a copy of a model's folder.
func copyModel(t *testing.T, model string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy.nnef")
	if err := os.CopyFS(dir, os.DirFS(model)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// flipBit changes a byte of a file.
func flipBit(t *testing.T, name string, at int) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data[at] ^= 1
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// filesOf returns the files below a path, or the file itself under the name ".".
func filesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(path, name)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestConvertQuantized keeps the entries of activations when a model is written anew.
func TestConvertQuantized(t *testing.T) {
	const quant = "\"x\": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n\"y\": logarithmic_quantize(max = 4.0, bits = 8);\n"
	dir := writeFiles(t, map[string]string{"graph.quant": quant,
		"graph.nnef": "version 1.0;\ngraph g( x ) -> ( y ) { x = external(shape = [2]); y = relu(x); }\n"})
	target := filepath.Join(t.TempDir(), "new")
	convert(t, dir, target, "--canonical")
	if got := readString(t, target, "graph.quant"); got != quant {
		t.Errorf("graph.quant is %q", got)
	}
}

func convert(t *testing.T, args ...string) {
	t.Helper()
	if out, code := execute(t, append([]string{"convert"}, args...)...); code != 0 || !strings.HasPrefix(out, "written: ") {
		t.Fatalf("%v: code %d: %s", args, code, out)
	}
}

// TestConvertForms takes a model through all forms and back to the same bytes.
func TestConvertForms(t *testing.T) {
	model, dir := digits(t, "model.nnef"), t.TempDir()
	want := filesOf(t, model)
	from := model
	for _, name := range []string{"a.nnef.tgz", "b.nnef", "c.tar", "d", "e.tar.gz", "f.nnef.tar", "g.nnef"} {
		to := filepath.Join(dir, name)
		convert(t, from, to)
		from = to
	}
	if got := filesOf(t, from); !sameFiles(got, want) {
		t.Errorf("the files are %v", fileNames(got))
	}
	for _, pair := range [][2]string{{"a.nnef.tgz", "e.tar.gz"}, {"c.tar", "f.nnef.tar"}} {
		x, y := filesOf(t, filepath.Join(dir, pair[0])), filesOf(t, filepath.Join(dir, pair[1]))
		if !sameFiles(x, y) {
			t.Errorf("%s and %s differ", pair[0], pair[1])
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 7 {
		t.Errorf("the folder holds %v", list)
	}
}

func sameFiles(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, data := range a {
		if other, ok := b[name]; !ok || other != data {
			return false
		}
	}
	return true
}

func fileNames(files map[string]string) []string {
	var list []string
	for name := range files {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}

// TestConvertRewrites holds that rewritten models are equal to what they were made of, and the same bytes each time.
func TestConvertRewrites(t *testing.T) {
	model, dir := digits(t, "model.nnef"), t.TempDir()
	for _, flag := range []string{"--flatten", "--canonical"} {
		first, second := filepath.Join(dir, flag[2:]+".tgz"), filepath.Join(dir, flag[2:]+"-2.tgz")
		convert(t, model, first, flag)
		convert(t, model, second, flag)
		if !sameFiles(filesOf(t, first), filesOf(t, second)) {
			t.Errorf("%s: the bytes change from one time to the next", flag)
		}
		if out, code := execute(t, "diff", model, first); code != 0 {
			t.Errorf("%s: code %d: %s", flag, code, out)
		}
		if out, code := execute(t, "diff", model, first, "--random"); code != 0 {
			t.Errorf("%s: code %d: %s", flag, code, out)
		}
		folder := filepath.Join(dir, flag[2:])
		convert(t, first, folder)
		if _, err := os.Stat(filepath.Join(folder, "concord.json")); err != nil {
			t.Errorf("%s: the manifest is lost: %v", flag, err)
		}
	}
}

// TestConvertGraphFile packs a document with the files beside it that it needs.
func TestConvertGraphFile(t *testing.T) {
	model := copyModel(t, digits(t, "model.nnef"))
	text := filepath.Join(model, "other.nnef")
	if err := os.Rename(filepath.Join(model, "graph.nnef"), text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(model, "unused.dat"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "packed")
	convert(t, text, to)
	want := filesOf(t, digits(t, "model.nnef"))
	delete(want, "concord.json")
	if got := filesOf(t, to); !sameFiles(got, want) {
		t.Errorf("the files are %v", fileNames(got))
	}
}

func TestConvertShared(t *testing.T) {
	for _, name := range []string{"mdl-mlp", "mdl-mlp-tgz.nnef.tgz", "mdl-provisional", "mdl-quant-zp", "mdl-shared-label", "mdl-state", "mdl-swap"} {
		model := testdata.Shared(t, "conformance", "nnef", "models", name)
		dir := t.TempDir()
		packed, folder, again := filepath.Join(dir, "a.tgz"), filepath.Join(dir, "b"), filepath.Join(dir, "c.tgz")
		convert(t, model, packed)
		convert(t, packed, folder)
		convert(t, folder, again)
		if !sameFiles(filesOf(t, packed), filesOf(t, again)) {
			t.Errorf("%s: the bytes change", name)
		}
		if info, err := os.Stat(model); err == nil && info.IsDir() && !sameFiles(filesOf(t, model), filesOf(t, folder)) {
			t.Errorf("%s: the files change", name)
		}
		out, code := execute(t, "convert", model, filepath.Join(dir, "d.tar"), "--canonical")
		if name == "mdl-provisional" {
			if code != exitInput || !strings.Contains(out, "concord migrate") {
				t.Errorf("%s: code %d: %s", name, code, out)
			}
			continue
		}
		if code != 0 {
			t.Errorf("%s: code %d: %s", name, code, out)
		}
		if out, code := execute(t, "diff", model, filepath.Join(dir, "d.tar"), "--lowered"); code != 0 {
			t.Errorf("%s: code %d: %s", name, code, out)
		}
	}
}

// TestConvertRefuses holds that a refused conversion leaves everything as it was.
func TestConvertRefuses(t *testing.T) {
	model, dir := digits(t, "model.nnef"), t.TempDir()
	there := filepath.Join(dir, "there.tgz")
	if err := os.WriteFile(there, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	mixed := copyModel(t, model)
	if err := os.WriteFile(filepath.Join(mixed, "notes.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := copyModel(t, model)
	if err := os.Truncate(filepath.Join(broken, "conv2_bias.dat"), 100); err != nil {
		t.Fatal(err)
	}
	missing := copyModel(t, model)
	if err := os.Remove(filepath.Join(missing, "conv2_bias.dat")); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(dir, "whole.tgz")
	convert(t, model, whole)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut.tgz")
	if err := os.WriteFile(cut, data[:len(data)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	before := filesOf(t, dir)
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{model}, exitUsage, "usage: concord convert SRC DST"},
		{[]string{model, filepath.Join(dir, "x.tflite")}, exitUsage, "the ending .tflite"},
		{[]string{model, filepath.Join(dir, "x"), "--flatten", "--canonical"}, exitUsage, "exclude each other"},
		{[]string{model, there}, exitUsage, "--force"},
		{[]string{model, mixed, "--force"}, exitUsage, "notes.txt"},
		{[]string{model, dir, "--force"}, exitUsage, "no part of a model"},
		{[]string{model, filepath.Join(dir, "absent", "x.tgz")}, exitInput, "nothing can be written there"},
		{[]string{filepath.Join(dir, "absent"), there, "--force"}, exitInput, "absent"},
		{[]string{cut, there, "--force"}, exitInput, "cut.tgz"},
		{[]string{broken, there, "--force"}, exitInput, "conv2_bias.dat"},
		{[]string{missing, there, "--force"}, exitInput, "conv2_bias.dat"},
		{[]string{missing, there, "--force", "--canonical"}, exitInput, "conv2_bias.dat"},
		{[]string{filepath.Join("testdata", "check", "shapes.nnef"), there, "--force"}, exitInput, "shapes.nnef"},
		{[]string{filepath.Join("testdata", "custom.nnef"), there, "--force", "--canonical"}, exitInput, "magic"},
		{[]string{digits(t, "drawings", "seven.png"), there, "--force"}, exitInput, "format of the model is not known"},
	} {
		out, code := execute(t, append([]string{"convert"}, tt.args...)...)
		if code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%v: code %d; want %d and %q:\n%s", tt.args, code, tt.code, tt.want, out)
		}
		if !sameFiles(filesOf(t, dir), before) {
			t.Fatalf("%v: the folder was changed: %v", tt.args, fileNames(filesOf(t, dir)))
		}
	}
	if data, err := os.ReadFile(filepath.Join(mixed, "notes.txt")); err != nil || string(data) != "mine" {
		t.Errorf("the file of somebody else is %q, %v", data, err)
	}
}

// TestConvertReplaces replaces models of either form, also by themselves.
func TestConvertReplaces(t *testing.T) {
	model, dir := digits(t, "model.nnef"), t.TempDir()
	folder, packed := filepath.Join(dir, "a.nnef"), filepath.Join(dir, "a.tgz")
	if err := os.CopyFS(folder, os.DirFS(model)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "stale.dat"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	convert(t, model, folder, "--force")
	if got := filesOf(t, folder); !sameFiles(got, filesOf(t, model)) {
		t.Errorf("the files are %v", fileNames(got))
	}
	convert(t, folder, packed)
	first, err := os.ReadFile(packed)
	if err != nil {
		t.Fatal(err)
	}
	convert(t, packed, packed, "--force")
	if again, err := os.ReadFile(packed); err != nil || !bytes.Equal(first, again) {
		t.Errorf("the archive changes when it replaces itself: %v", err)
	}
	convert(t, folder, folder, "--force", "--flatten")
	if out, code := execute(t, "diff", model, folder); code != 0 {
		t.Errorf("code %d: %s", code, out)
	}
}

// TestConvertTells holds what is said about what is not kept or not right.
func TestConvertTells(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model.nnef")
	text := "version 1.0;\ngraph net( x ) -> ( y )\n{\n    x = external<scalar>(shape = [2]);\n    y = x * 2.0;\n}\n"
	for name, content := range map[string]string{"graph.nnef": text, "labels.txt": "a\nb\n"} {
		if err := os.MkdirAll(model, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(model, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	packed := filepath.Join(dir, "a.tgz")
	if out, code := execute(t, "convert", model, packed); code != exitInput || !strings.Contains(out, "KHR_enable_operator_expressions") {
		t.Errorf("code %d: %s", code, out)
	}
	out, code := execute(t, "convert", model, packed, "--lenient")
	if code != 0 || !strings.Contains(out, "left out, as they are no part of the model: labels.txt") {
		t.Errorf("code %d: %s", code, out)
	}
	flat := filepath.Join(dir, "flat")
	if out, code := execute(t, "convert", packed, flat, "--lenient", "--flatten"); code != 0 {
		t.Errorf("code %d: %s", code, out)
	}
	if out, code := execute(t, "diff", flat, packed, "--lenient"); code != 0 {
		t.Errorf("code %d: %s", code, out)
	}
}

// TestConvertProgress hears how much of a model is written, of a large file, too, and each time that an archive asks for it.
func TestConvertProgress(t *testing.T) {
	var heard []float64
	var c counter
	all := container.Members(func(yield func(string, func(io.Writer) error) bool) {
		for _, name := range []string{"a", "b"} {
			if !yield(name, func(w io.Writer) error { _, err := w.Write(make([]byte, 2<<20)); return err }) {
				return
			}
		}
	})
	var list []func(io.Writer) error
	for _, write := range c.files(all, func(share float64) { heard = append(heard, share) }) {
		list = append(list, write)
	}
	for _, write := range list {
		for range 2 {
			if err := write(io.Discard); err != nil {
				t.Fatal(err)
			}
		}
	}
	if want := []float64{0.25, 0.5, 0.25, 0.5, 0.75, 1, 0.75, 1}; !slices.Equal(heard, want) || c.String() != "2 files, 4.0 MiB" {
		t.Errorf("%v, %s", heard, &c)
	}
}
