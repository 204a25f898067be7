package concord_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// TestLoadErrors holds a path that is no model to saying what would be one.
func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]string{
		dir:                         "the folder holds no model; that of an NNEF model has a file graph.nnef",
		write("net.onnx", ""):       "net.onnx: the file holds no graph; it is no ONNX model",
		write("net.bin", ""):        "it must be an NNEF folder, .nnef, .tar, .tgz or .tar.gz, an .onnx",
		write("net.nnef", "graph"):  "net.nnef:1:1: syntax error",
		write("net.tgz", "no tar"):  "net.tgz: the archive is cut off",
		filepath.Join(dir, "other"): "no such file",
	} {
		_, err := concord.Open(path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want %s", path, err, want)
		}
	}
	var list syntax.Diagnostics
	if _, err := concord.Open(filepath.Join(dir, "net.nnef")); !errors.As(err, &list) {
		t.Errorf("a broken document gives %T", err)
	}
	if _, err := concord.Open(filepath.Join(dir, "other")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing model gives %v", err)
	}
}

// TestLoader reads a model that mixes the dialects, with another shape of its input.
func TestLoader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mixed.nnef")
	text := "version 1.0\ngraph net( x ) -> ( y )\n{\nx = external(shape = [0, 3]);\ny = exp(relu(x))\n}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	shapes := map[string]tensor.Shape{"x": {2, 3}}
	if _, err := concord.Open(path); err == nil {
		t.Error("a mixture of dialects is read without being asked for")
	}
	m, err := concord.Loader{Lenient: true}.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Graph(nil); err == nil {
		t.Error("an extent that is open is given no number")
	}
	g, err := m.Graph(shapes)
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Outputs[0].Value.Type.String(); got != "float32[2,3]" {
		t.Errorf("the output is %s", got)
	}
}
