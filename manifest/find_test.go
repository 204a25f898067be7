package manifest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/manifest"
)

func titled(title string) []byte {
	return []byte(`{"version": 1, "title": "` + title + `", "inputs": {}, "outputs": {}}`)
}

// packed makes an archive of a model and more files.
func packed(t *testing.T, pairs ...string) []byte {
	t.Helper()
	pairs = append([]string{"graph.nnef", ""}, pairs...)
	var b bytes.Buffer
	err := container.WriteTar(&b, func(yield func(string, func(io.Writer) error) bool) {
		for i := 0; i < len(pairs) && yield(pairs[i], stage.Content([]byte(pairs[i+1]))); i += 2 {
		}
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLabelsInArchive reads names of classes that stand in a file of the archive.
func TestLabelsInArchive(t *testing.T) {
	text := `{"version": 1, "inputs": {}, "outputs": {"y": {"kind": "classes", "labels_file": "l/names"}}}`
	files := fstest.MapFS{
		"m.tgz":      {Data: packed(t, "concord.json", text, "l/names", "cat\ndog\n")},
		"no.tgz":     {Data: packed(t, "concord.json", text)},
		"escape.tgz": {Data: packed(t, "concord.json", text, "l/names", "a\x1b[2J")},
	}
	if m, err := manifest.FindFS(files, "m.tgz"); err != nil || strings.Join(m.Output("y").(*manifest.Classes).Names, "|") != "cat|dog" {
		t.Errorf("%+v, %v", m, err)
	}
	for name, want := range map[string]string{
		"no.tgz":     "no.tgz:concord.json:1:82: outputs.y.labels_file: l/names: file does not exist",
		"escape.tgz": "escape.tgz:concord.json:1:82: outputs.y.labels_file: l/names:1: a label must have at most 256 bytes of UTF-8 without control characters",
	} {
		if _, err := manifest.FindFS(files, name); err == nil || err.Error() != want {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("folder/graph.nnef", nil)
	write("folder/concord.json", titled("folder"))
	write("bare/graph.nnef", nil)
	write("a.nnef.tgz", nil)
	write("a.concord.json", titled("a"))
	write("b.nnef.tgz", nil)
	write("b.nnef.tgz.concord.json", titled("b whole"))
	write("b.concord.json", titled("b"))
	write("v1.5.onnx", nil)
	write("v1.concord.json", titled("another model"))
	write("named/graph.nnef", nil)
	write("named/concord.json", titled("named"))
	write("cvm/symbol", nil)
	write("cvm/concord.json", titled("cvm"))
	write("both.tgz", packed(t, "concord.json", string(titled("inside"))))
	write("both.concord.json", titled("beside"))
	write("inside.tar.gz", packed(t, "concord.json", string(titled("inside"))))
	write("none.tgz", packed(t))
	write("c.onnx", nil)
	write("c.concord.json", []byte("{"))
	for _, test := range []struct{ model, want string }{
		{"folder", "folder"},
		{"a.nnef.tgz", "a"},
		{"b.nnef.tgz", "b whole"},
		{"named/graph.nnef", "named"},
		{"cvm/symbol", "cvm"},
		{"both.tgz", "beside"},
		{"inside.tar.gz", "inside"},
	} {
		m, err := manifest.Find(filepath.Join(dir, test.model))
		if err != nil || m.Title != test.want {
			t.Errorf("%s: %v, %v; want %q", test.model, m, err, test.want)
		}
		if m, err = manifest.FindFS(os.DirFS(dir), test.model); err != nil || m.Title != test.want {
			t.Errorf("%s in a file system: %v, %v; want %q", test.model, m, err, test.want)
		}
	}
	for model, want := range map[string]string{
		"bare":            "bare/concord.json",
		"none.tgz":        "none.tgz.concord.json, none.concord.json, none.tgz:concord.json",
		"bare/graph.nnef": "bare/graph.nnef.concord.json, bare/graph.concord.json, bare/concord.json",
	} {
		_, err := manifest.FindFS(os.DirFS(dir), model)
		if e := (*manifest.NotFoundError)(nil); !errors.As(err, &e) || err.Error() != "no manifest was found: looked for "+want {
			t.Errorf("%s: %v; want %s", model, err, want)
		}
	}
	for _, model := range []string{"bare", "v1.5.onnx", "missing", "bare/graph.nnef", "none.tgz"} {
		if m, err := manifest.Find(filepath.Join(dir, filepath.FromSlash(model))); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, %v; want none", model, m, err)
		}
	}
	if _, err := manifest.Find(filepath.Join(dir, "c.onnx")); err == nil || !strings.Contains(err.Error(), "c.concord.json:1:2: ") {
		t.Errorf("a damaged manifest gives %v", err)
	}
}

// TestNamesAreBounded refuses a manifest that would take time in the square of its length.
func TestNamesAreBounded(t *testing.T) {
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf(`"o%d": {"kind": "tensor"}`, i))
	}
	_, err := manifest.Parse("m", []byte(`{"version": 1, "inputs": {}, "outputs": {`+strings.Join(names, ",")+`}}`))
	if err == nil || err.Error() != "m:1:41: outputs: there are 2000 names; at most 1024 are allowed" {
		t.Errorf("got %v", err)
	}
}

// TestLabelsAreAFile refuses labels that are no regular file, naming the key.
func TestLabelsAreAFile(t *testing.T) {
	text := `{"version": 1, "inputs": {}, "outputs": {"y": {"kind": "classes", "labels_file": "names"}}}`
	_, err := manifest.Load(fstest.MapFS{"concord.json": {Data: []byte(text)}, "names/a": {}}, "concord.json")
	if want := "concord.json:1:82: outputs.y.labels_file: names: it is a folder; a file must stand there"; err == nil || err.Error() != want {
		t.Errorf("got %v; want %s", err, want)
	}
	if _, err := manifest.Load(fstest.MapFS{}, "concord.json"); !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "concord.json: ") {
		t.Errorf("a missing manifest gives %v", err)
	}
}

func TestLoadLabels(t *testing.T) {
	text := `{"version": 1, "inputs": {}, "outputs": {"y": {"kind": "classes", "labels_file": "l/names.txt"}}}`
	for _, test := range []struct{ labels, want string }{
		{"cat\r\ndog\n", "cat|dog"},
		{"cat\n\ndog", "cat||dog"},
		{"\ufeffcat\ndog", "cat|dog"},
		{"cat\n\x1b[2J\n", `m/concord.json:1:82: outputs.y.labels_file: m/l/names.txt:2: a label must have at most 256 bytes of UTF-8 without control characters`},
		{"", ""},
	} {
		m, err := manifest.Load(fstest.MapFS{
			"m/concord.json": {Data: []byte(text)},
			"m/l/names.txt":  {Data: []byte(test.labels)},
		}, "m/concord.json")
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = strings.Join(m.Output("y").(*manifest.Classes).Names, "|")
		}
		if got != test.want {
			t.Errorf("%q gives %q, want %q", test.labels, got, test.want)
		}
	}
	if _, err := manifest.Load(fstest.MapFS{"m": {Data: []byte(text)}}, "m"); err == nil || !strings.Contains(err.Error(), "l/names.txt") {
		t.Errorf("missing labels give %v", err)
	}
	if _, err := manifest.Load(fstest.MapFS{"m": {Data: bytes.Repeat([]byte(" "), manifest.MaxBytes+1)}}, "m"); err == nil {
		t.Error("a file that is too large was read")
	}
}

// A link out of the manifest's folder is not followed.
func TestOpenStaysInside(t *testing.T) {
	dir := t.TempDir()
	inside := filepath.Join(dir, "model")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "secret"), filepath.Join(inside, "labels")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	name := filepath.Join(inside, manifest.FileName)
	text := `{"version": 1, "inputs": {}, "outputs": {"y": {"kind": "classes", "labels_file": "labels"}}}`
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := manifest.Open(name); err == nil {
		t.Error("the link was followed")
	}
}

// The manifests that are part of the program can be read, and the one that the example shows is the same.
func TestKnown(t *testing.T) {
	names, err := filepath.Glob("known/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no manifests: %v", err)
	}
	for _, name := range names {
		if _, err := manifest.Open(name); err != nil {
			t.Error(err)
		}
	}
	embedded, err := os.ReadFile("known/ultraface-slim-320.concord.json")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join(testdata.Root(t), "examples", "ultraface", "slim-320_simplified.concord.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(embedded, example) {
		t.Error("examples/ultraface shows another manifest than the one that is embedded")
	}
}

func TestFindKnownModel(t *testing.T) {
	m, err := manifest.Find(testdata.Shared(t, "models", "ultraface", "slim-320_simplified.nnef.tgz"))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.Output("concat2").(*manifest.Boxes); !ok {
		t.Errorf("the manifest is %+v", m)
	}
}
