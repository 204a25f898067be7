package nnef_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/nnef/tensorfile"
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
	first, err := nnef.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	archive := filepath.Join(dir, "m.nnef.tar")
	if err := nnef.Save(archive, first.Graph); err != nil {
		t.Fatal(err)
	}
	for name, load := range map[string]func() (*nnef.Model, error){
		"folder":      func() (*nnef.Model, error) { return nnef.Load(folder) },
		"file":        func() (*nnef.Model, error) { return nnef.Load(filepath.Join(folder, "net.nnef")) },
		"archive":     func() (*nnef.Model, error) { return nnef.Load(archive) },
		"file system": func() (*nnef.Model, error) { return nnef.LoadFS(files, "sub") },
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
		{"no graph", fstest.MapFS{"x.dat": {Data: w}}, "graph.nnef"},
		{"no data", fstest.MapFS{"graph.nnef": {Data: []byte(smallModel)}}, "graph.nnef:5:39: graph error [NNEF0906]: the model has no file layer/w.dat for the variable layer/w"},
		{"broken data", fstest.MapFS{"graph.nnef": {Data: []byte(smallModel)}, "layer/w.dat": {Data: w[:100]}}, "graph.nnef:5:39: graph error [NNEF0906]: layer/w.dat: byte"},
		{"broken text", fstest.MapFS{"graph.nnef": {Data: []byte("version 1.0; graph")}}, "graph.nnef:1:19: syntax error"},
		{"provisional", fstest.MapFS{"graph.nnef": {Data: []byte("version 1.0\ngraph g( x ) -> ( y ) { x = external(shape = [1]) y = relu(x) }")}}, "NNEF0305"},
		{"escape", fstest.MapFS{"graph.nnef": {Data: []byte(strings.Replace(smallModel, "layer/w", "../w", 1))}}, "../w"},
		{"broken quantization", fstest.MapFS{"graph.nnef": {Data: []byte(smallModel)}, "layer/w.dat": {Data: w}, "graph.quant": {Data: []byte("w: x")}}, "graph.quant:1:1"},
	} {
		_, err := nnef.LoadFS(c.files, ".")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; want %s", c.name, err, c.want)
		}
	}
	if _, err := nnef.Load(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, os.ErrNotExist) {
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

// quantizedFile returns a tensor file of 8-bit codes.
func quantizedFile(signed bool, codes ...byte) []byte {
	data := make([]byte, 128, 128+len(codes))
	copy(data, []byte{0x4E, 0xEF, 1, 0})
	binary.LittleEndian.PutUint32(data[4:], uint32(len(codes)))
	binary.LittleEndian.PutUint32(data[8:], 1)
	binary.LittleEndian.PutUint32(data[12:], uint32(len(codes)))
	binary.LittleEndian.PutUint32(data[44:], 8)
	data[48] = 2
	if signed {
		data[48] = 3
	}
	return append(data, codes...)
}

func TestQuantizedVariables(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		signed      bool
		want        string // numbers, or a part of the error
	}{
		{"zero point", `"w": zero_point_linear_quantize(zero_point = 1, scale = 0.5, bits = 8, signed = false, symmetric = false);`, false, "[1.5 127]"},
		{"signed", `"w": zero_point_linear_quantize(zero_point = 1, scale = 0.5, bits = 8, signed = true, symmetric = false);`, true, "[1.5 -1]"},
		{"by element", `"w": zero_point_linear_quantize(zero_point = [0, 1], scale = 0.5, bits = 8, signed = true, symmetric = false);`, true, "[2 -1]"},
		{"range", `"w": linear_quantize(min = -1.0, max = 254.0, bits = 8);`, false, "[3 254]"},
		{"signed range", `"w": min_max_linear_quantize(min = -128.0, max = 127.0, bits = 8, signed = true, symmetric = false);`, true, "[4 -1]"},
		{"symmetric range", `"w": min_max_linear_quantize(min = -127.0, max = 127.0, bits = 8, signed = true, symmetric = true);`, true, "[4 -1]"},
		{"no entry", `"v": linear_quantize(min = -1.0, max = 254.0, bits = 8);`, false, "no entry \"w\""},
		{"another operation", `"w": logarithmic_quantize(max = 254.0, bits = 8);`, false, "logarithmic_quantize"},
		{"missing argument", `"w": linear_quantize(min = -1.0, bits = 8);`, false, "must give max"},
		{"ragged", `"w": linear_quantize(min = [[1.0], 2.0], max = 3.0, bits = 8);`, false, "must give min"},
		{"bits", `"w": linear_quantize(min = 1.0, max = 3.0, bits = 99);`, false, "bits must be"},
		{"zero point out of range", `"w": zero_point_linear_quantize(zero_point = 256, scale = 0.5, bits = 8, signed = false, symmetric = false);`, false, "256 is no element"},
	} {
		files := fstest.MapFS{"graph.nnef": {Data: []byte(smallModel)}, "graph.quant": {Data: []byte(c.entry)},
			"layer/w.dat": {Data: quantizedFile(c.signed, 4, 255)}}
		m, err := nnef.LoadFS(files, ".")
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %v; want %s", c.name, err, c.want)
			}
			continue
		}
		y := evaluate(t, m.Graph, map[string]*tensor.Tensor{"x": vector(t, 1, 1)})["y"]
		if got := fmt.Sprint(tensor.Data[float32](y)); got != c.want {
			t.Errorf("%s: got %s; want %s", c.name, got, c.want)
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
			m, err := nnef.Load(filepath.Join(dir, c.Path))
			var list syntax.Diagnostics
			if errors.As(err, &list) && list[0].Code == nnef.CodeProvisional {
				t.Skip(err)
			}
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
