package concord_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/tensor"
)

// TestONNXModels compares real models with what ONNX Runtime says, within 1e-4.
func TestONNXModels(t *testing.T) {
	dir := testdata.Shared(t, "models", "ultraface")
	for _, c := range []struct{ model, want string }{
		{"version-RFB-320.onnx", "expected_rfb320_1.npz"},
		{"version-slim-320.onnx", "expected_slim320_1.npz"},
		{"version-slim-320_simplified.onnx", "expected_slim320_simplified_1.npz"},
	} {
		m, err := concord.Open(filepath.Join(dir, c.model))
		if err != nil {
			t.Fatal(err)
		}
		programs := m.Programs(concord.Options{})
		in := readArray(t, filepath.Join(dir, "input_1.npy"))
		out, err := programs.Run(context.Background(), model.Values{"input": in})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range readArchive(t, filepath.Join(dir, c.want)) {
			got := out[name]
			if got == nil || !got.Shape().Equal(want.Shape()) {
				t.Fatalf("%s: %s is %v, want %v", c.model, name, got, want)
			}
			worst := 0.0
			x, y := tensor.Data[float32](got), tensor.Data[float32](want)
			for i := range x {
				worst = max(worst, math.Abs(float64(x[i])-float64(y[i])))
			}
			if !(worst <= 1e-4) {
				t.Errorf("%s: %s differs by %g", c.model, name, worst)
			}
		}
		programs.Close()
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

func readArray(t *testing.T, path string) *tensor.Tensor {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	x, err := tensor.ReadNPY(f, tensor.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func readArchive(t *testing.T, path string) model.Values {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	list, err := tensor.ReadNPZ(f, info.Size(), tensor.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	out := make(model.Values)
	for _, n := range list {
		out[n.Name] = n.Tensor
	}
	return out
}

// TestONNXOpen: a file that is no model, a model that is wrong, one that leaves extents open.
func TestONNXOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, []byte("not a model"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := concord.Open(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	m, err := concord.Open(testdata.Shared(t, "models", "silero-vad", "silero_vad_op18_ifless.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var open *model.OpenError
	if _, err := m.Graph(nil); !errors.As(err, &open) || open.Symbol != "batch" {
		t.Error(err)
	}
	if m.Format() != "ONNX" || fmt.Sprint(m.Inputs()[0]) != "input: float32[batch,sequence]" {
		t.Error(m.Format(), m.Inputs())
	}
	if _, err := m.Graph(model.Shapes{"batch": {1}, "sequence": {576}}); err != nil {
		t.Error(err)
	}
	var parts *model.PartsError // of a frame that one of the branches cannot take
	if _, err := m.Graph(model.Shapes{"batch": {1}, "sequence": {1}}); !errors.As(err, &parts) {
		t.Error(err)
	}
}
