package nnef_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
)

const smallModel = `version 1.0;
graph small( x ) -> ( y )
{
    x = external(shape = [2]);
    w = variable(shape = [2], label = 'layer/w');
    y = mul(x, w);
}
`

func encoded(t *testing.T, x *tensor.Tensor) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tensorfile.Encode(&b, x); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func vector(t *testing.T, values ...float32) *tensor.Tensor {
	t.Helper()
	x, err := tensor.FromSlice(values, len(values))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestLoad reads one model as a folder, a file in it, archives and a file system.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "model")
	if err := os.MkdirAll(filepath.Join(folder, "layer"), 0o777); err != nil {
		t.Fatal(err)
	}
	w := encoded(t, vector(t, 3, 4))
	files := fstest.MapFS{"sub/graph.nnef": {Data: []byte(smallModel)}, "sub/layer/w.dat": {Data: w}}
	for name, text := range map[string][]byte{"graph.nnef": []byte(smallModel), "net.nnef": []byte(smallModel), "layer/w.dat": w} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	first, err := nnef.Load(folder, nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	archive := filepath.Join(dir, "m.nnef.tar")
	if err := nnef.Save(archive, first.Graph); err != nil {
		t.Fatal(err)
	}
	for name, load := range map[string]func() (*nnef.Model, error){
		"folder":      func() (*nnef.Model, error) { return nnef.Load(folder, nnef.Options{}) },
		"file":        func() (*nnef.Model, error) { return nnef.Load(filepath.Join(folder, "net.nnef"), nnef.Options{}) },
		"archive":     func() (*nnef.Model, error) { return nnef.Load(archive, nnef.Options{}) },
		"file system": func() (*nnef.Model, error) { return loadFS(files, "sub") },
	} {
		m, err := load()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if m.Document == nil || m.Document.Graph.Name.Name != "small" {
			t.Errorf("%s: the document is not that of the model", name)
		}
		y := evaluate(t, m.Graph, map[string]*tensor.Tensor{"x": vector(t, 1, 2)})["y"]
		if got := fmt.Sprint(tensor.Data[float32](y)); got != "[3 8]" {
			t.Errorf("%s: got %s", name, got)
		}
		if err := m.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	w := encoded(t, vector(t, 3, 4))
	for _, c := range []struct {
		name  string
		files fstest.MapFS
		want  string
	}{
		{"no graph", fstest.MapFS{"x.dat": {Data: w}}, ".: there is no graph.nnef in it, so that it is no model of NNEF"},
		{"no data", fstest.MapFS{"graph.nnef": {Data: []byte(smallModel)}}, "graph.nnef:5:39: graph error [NNEF0906]: the model has no file layer/w.dat"},
		{"broken data", fstest.MapFS{"graph.nnef": {Data: []byte(smallModel)}, "layer/w.dat": {Data: w[:100]}}, "graph.nnef:5:39: graph error [NNEF0906]: layer/w.dat: byte"},
		{"broken text", fstest.MapFS{"graph.nnef": {Data: []byte("version 1.0; graph")}}, "graph.nnef:1:19: syntax error"},
		{"open extents", fstest.MapFS{"graph.nnef": {Data: []byte("version 1.0\ngraph g( x ) -> ( y ) { x = external(shape = [0]) y = relu(x) }")}},
			"graph.nnef:2:46: graph error [NNEF0908]: the input x has the shape [0]; extents of 0 are not specified"},
		{"escape", fstest.MapFS{"graph.nnef": {Data: []byte(strings.Replace(smallModel, "layer/w", "../w", 1))}}, "../w"},
		{"broken quantization", fstest.MapFS{"graph.nnef": {Data: []byte(smallModel)}, "layer/w.dat": {Data: w}, "graph.quant": {Data: []byte("w: x")}}, "graph.quant:1:1"},
	} {
		_, err := loadFS(c.files, ".")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; want %s", c.name, err, c.want)
		}
	}
	if _, err := nnef.Load(filepath.Join(t.TempDir(), "missing"), nnef.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing model gives %v", err)
	}
}

func TestRecognizes(t *testing.T) {
	root := testdata.Root(t)
	for path, want := range map[string]bool{
		"a.nnef": true, "a.nnef.tar": true, "a.nnef.tgz": true, "a.tgz": true, "a.tar.gz": true, "A.TAR": true, "a.onnx": false, "a.dat": false,
		filepath.Join(root, "examples", "digits", "model.nnef") + "/": true, filepath.Join(root, "docs") + "/": false,
	} {
		if got := nnef.Recognizes(path, strings.HasSuffix(path, "/")); got != want {
			t.Errorf("%s: got %v", path, got)
		}
	}
}

// TestConformanceModels loads models of the final dialect and runs them step by step in one session.
func TestConformanceModels(t *testing.T) {
	dir := testdata.Shared(t, "conformance", "nnef", "models")
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	type data struct {
		Shape []int
		Data  []float32
	}
	var index []struct {
		ID, Path string
		Expect   struct {
			Verdict string
			Steps   []struct{ Inputs, Outputs map[string]data }
		}
		RTol, ATol float64
	}
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	for _, c := range index {
		t.Run(c.ID, func(t *testing.T) {
			m, err := nnef.Load(filepath.Join(dir, c.Path), nnef.Options{})
			if (err == nil) != (c.Expect.Verdict == "accept") {
				t.Fatalf("got %v; want %s", err, c.Expect.Verdict)
			}
			if err != nil {
				return
			}
			defer m.Close()
			p, err := engine.Compile(m.Graph, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			s, err := p.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			for i, step := range c.Expect.Steps {
				for k, port := range p.Inputs() {
					in := step.Inputs[port.Name]
					x, err := tensor.FromSlice(in.Data, in.Shape...)
					if err != nil {
						t.Fatal(err)
					}
					if err := s.SetInput(k, x); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				for k, port := range p.Outputs() {
					out := step.Outputs[port.Name]
					want, err := tensor.FromSlice(out.Data, out.Shape...)
					if err != nil {
						t.Fatal(err)
					}
					if far := farthest(t, s.Output(k), want); far > 1e-4 {
						t.Errorf("step %d: output %s is %v away", i, port.Name, far)
					}
				}
			}
		})
	}
}

func loadFS(files fs.FS, dir string) (*nnef.Model, error) {
	f, err := nnef.OpenFS(files, dir, nnef.Options{})
	if err != nil {
		return nil, err
	}
	return f.Model()
}

// TestVariablesInFragments reads variables in fragments as the first text of NNEF 1.0 had them, if the reading is lenient.
func TestVariablesInFragments(t *testing.T) {
	text := []byte(`version 1.0;
extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;
fragment layer( x: tensor<scalar>, scope: string ) -> ( y: tensor<scalar> )
{
    v = variable(shape = [1, shape_of(x)[1]], label = scope + '/bias');
    y = x + v;
}
graph net( x ) -> ( y )
{
    x = external(shape = [1, 3]);
    y = layer(layer(x, scope = 'a'), scope = 'b');
}
`)
	for _, lenient := range []bool{false, true} {
		f, err := nnef.OpenText("net", text, nnef.Options{Lenient: lenient})
		if err != nil {
			t.Fatal(err)
		}
		found := f.Check()
		if len(found) == 0 || found.Err() == nil != lenient {
			t.Errorf("lenient %v: %v", lenient, found)
		}
		if g, err := f.Flatten(flat.User); lenient && (err != nil || len(g.Ops) != 5) {
			t.Errorf("%v, %v", g, err)
		}
	}
}
