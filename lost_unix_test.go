//go:build unix

package concord_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/diff"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/nnef"
	onnxexport "github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	webnnexport "github.com/concord-nn/concord/webnn/export"
)

// TestLostFiles makes the files of loaded models shorter, and reads what is not there any more in everything that reads weights: each is an error
// that names the file.
func TestLostFiles(t *testing.T) {
	g := weighed(t)
	x := op.NewRand(1, 2).Tensor(tensor.Float32, g.Inputs[0].Type.Shape)
	for form, file := range map[string]string{"folder": "net/w.dat", "tar": "net.tar", "onnx": "onnx.onnx", "onnx with data": "onnx with data.onnx.data"} {
		names := saved(t, g)
		out := t.TempDir()
		m, err := concord.Open(names[form])
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		g, err := m.Graph(nil)
		if err != nil {
			t.Fatal(err)
		}
		exported, err := onnxexport.New(g, onnxexport.Options{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(filepath.Dir(names[form]), file)
		if err := os.Truncate(path, 200); err != nil {
			t.Fatal(err)
		}
		for what, f := range map[string]func() error{
			"save":      func() error { return nnef.Save(filepath.Join(out, "other"), g) },
			"archive":   func() error { return nnef.Save(filepath.Join(out, "other.tgz"), g) },
			"onnx":      func() error { return proto.WriteFile(filepath.Join(out, "o.onnx"), exported, false) },
			"data":      func() error { return proto.WriteFile(filepath.Join(out, "o.onnx"), exported, true) },
			"webnn":     func() error { return exportWebNN(g) },
			"interpret": func() error { _, err := op.NewInterpreter(g).Run(t.Context(), []*tensor.Tensor{x}); return err },
			"run": func() error {
				p, err := m.Compile(concord.Options{})
				if err == nil {
					_, err = p.Run(t.Context(), map[string]*tensor.Tensor{"x": x})
				}
				return err
			},
			"diff": func() error {
				s := diff.Subject{Graph: g}
				_, err := diff.Run(t.Context(), s, s, diff.RunOptions{Inputs: func(int) ([]*tensor.Tensor, error) { return []*tensor.Tensor{x}, nil }})
				return err
			},
		} {
			err := f()
			runtime.GC()
			lost, is := errors.AsType[*fs.PathError](err)
			if !is || !strings.HasSuffix(lost.Path, file) || !errors.Is(err, mapfile.ErrLost) {
				t.Errorf("%s, %s: got %v", form, what, err)
			}
		}
		if left, err := filepath.Glob(filepath.Join(out, "*", "*")); err != nil || len(left) > 0 {
			t.Errorf("%s: there are %v, %v", form, left, err)
		}
	}
}

func exportWebNN(g *graph.Graph) error {
	m, err := webnnexport.New(g, webnnexport.Options{})
	if err == nil {
		_, err = m.Files("net.bin")
	}
	return err
}
