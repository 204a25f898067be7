package concord_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/model"
	onnxexport "github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	webnnexport "github.com/concord-nn/concord/webnn/export"
)

// forms writes the model of the example in every form, and a CVM model, below a folder.
func forms(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	digits := filepath.Join("examples", "digits", "model.nnef")
	must(os.CopyFS(filepath.Join(dir, "folder"), os.DirFS(digits)))
	c, err := container.Open(digits)
	must(err)
	defer c.Close()
	must(container.Write(filepath.Join(dir, "a.nnef.tgz"), c.Members()))
	must(container.Write(filepath.Join(dir, "a.tar"), c.Members()))
	must(os.CopyFS(filepath.Join(dir, "cvm"), os.DirFS(filepath.Join("cmd", "concord", "testdata", "cvm", "strokes"))))
	m, err := concord.Open(digits)
	must(err)
	defer m.Close()
	g, err := m.Graph(nil)
	must(err)
	for _, external := range []bool{false, true} {
		p, err := onnxexport.New(g, onnxexport.Options{})
		must(err)
		name := filepath.Join(dir, "sub", "a.onnx")
		if external {
			name = filepath.Join(dir, "external.onnx")
		}
		must(os.MkdirAll(filepath.Dir(name), 0o755))
		must(proto.WriteFile(name, p, external))
	}
	w, err := webnnexport.New(g, webnnexport.Options{})
	must(err)
	files, err := w.Files("w.bin")
	must(err)
	must(os.WriteFile(filepath.Join(dir, "w.bin"), testdata.Written(t, files.Weights), 0o600))
	must(os.WriteFile(filepath.Join(dir, "session.json"), files.Session, 0o600))
	return dir
}

// TestOpenFS reads models of every form from a file system as from files.
func TestOpenFS(t *testing.T) {
	dir := forms(t)
	for name, format := range map[string]string{"folder": "NNEF", "folder/graph.nnef": "NNEF", "a.nnef.tgz": "NNEF", "a.tar": "NNEF", "sub/a.onnx": "ONNX",
		"external.onnx": "ONNX", "session.json": "WebNN", "cvm": "CVM", "cvm/graph.json": "CVM"} {
		var sums [2][]byte
		for i, open := range []func() (*concord.Model, error){
			func() (*concord.Model, error) { return concord.Open(filepath.Join(dir, filepath.FromSlash(name))) },
			func() (*concord.Model, error) { return concord.OpenFS(os.DirFS(dir), name) },
		} {
			m, err := open()
			if err != nil {
				t.Fatal(err)
			}
			if m.Format() != format {
				t.Errorf("%s is %s", name, m.Format())
			}
			p, err := m.Compile(concord.Options{})
			if err != nil {
				t.Fatal(err)
			}
			in := p.Inputs()[0]
			outputs, err := p.Run(t.Context(), model.Values{in.Name: op.NewRand(1, 2).Uniform(in.Type.DType, in.Type.Shape, 0, 1)})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range p.Outputs() {
				sums[i] = append(sums[i], outputs[o.Name].Bytes()...)
			}
			p.Close()
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
		if !bytes.Equal(sums[0], sums[1]) {
			t.Errorf("%s: a file system gives other results", name)
		}
	}
}

// TestFormatOf names formats without reading models.
func TestFormatOf(t *testing.T) {
	for path, want := range map[string]string{"examples/digits/model.nnef": "NNEF", "examples/ledger/digits.cvm": "CVM", "cmd/concord/testdata/cvm/strokes/graph.json": "CVM"} {
		if got, err := concord.FormatOf(filepath.FromSlash(path)); got != want || err != nil {
			t.Errorf("%s is %q, %v; want %s", path, got, err, want)
		}
	}
	for _, path := range []string{"examples", "go.mod", "none"} {
		if got, err := concord.FormatOf(path); err == nil {
			t.Errorf("%s is %s", path, got)
		}
	}
}

// TestOpenFSErrors says what would be a model, and reads nothing that is no file.
func TestOpenFSErrors(t *testing.T) {
	pipe := &fstest.MapFile{Mode: fs.ModeNamedPipe}
	files := fstest.MapFS{"empty/notes": {}, "a.onnx": {}, "pipe.onnx": pipe, "pipe.tgz": pipe, "pipe.nnef": pipe, "folder/graph.nnef": pipe, "x.bin": {}}
	for name, want := range map[string]string{
		"missing":           "missing: there is no such file or folder",
		"empty":             "empty: the folder holds no model",
		"x.bin":             "x.bin: the format of the model is not known",
		"a.onnx":            "a.onnx: the file holds no graph",
		"pipe.onnx":         "pipe.onnx: it is no regular file",
		"pipe.tgz":          "pipe.tgz: it is no regular file",
		"pipe.nnef":         "pipe.nnef: it is no regular file",
		"folder/graph.nnef": "folder/graph.nnef: it is no regular file",
		"../outside":        "../outside: ",
	} {
		if _, err := concord.OpenFS(files, name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v; want %s", name, err, want)
		}
	}
	if _, err := concord.OpenFS(nil, "a.onnx"); err == nil {
		t.Error("a nil file system holds a model")
	}
}
