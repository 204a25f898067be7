package nnef_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// evaluate computes the outputs of a graph by the references of the operators.
func evaluate(t *testing.T, g *graph.Graph, inputs map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	out, err := op.NewInterpreter(g).RunNamed(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func run(t *testing.T, g *graph.Graph, inputs map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	p, err := engine.Compile(g, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out, err := p.Run(context.Background(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func farthest(t *testing.T, got, want *tensor.Tensor) float64 {
	t.Helper()
	if got == nil || got.Describe() != want.Describe() {
		t.Fatalf("got %v; want %v", got, want)
	}
	far := 0.0
	a, b := tensor.Data[float32](got.Contiguous()), tensor.Data[float32](want.Contiguous())
	for i := range a {
		far = max(far, math.Abs(float64(a[i])-float64(b[i])))
	}
	return far
}

// TestUltraFace holds a face detector that another tool exported to the outputs that ONNX Runtime gives for it.
func TestUltraFace(t *testing.T) {
	dir := testdata.Shared(t, "models", "ultraface")
	m, err := nnef.Load(filepath.Join(dir, "slim-320_simplified.nnef.tgz"), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	input, err := readNPY(filepath.Join(dir, "input_1.npy"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, "expected_slim320_simplified_1.npz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	want, err := tensor.ReadNPZ(f, info.Size(), tensor.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, m.Graph, map[string]*tensor.Tensor{m.Graph.Inputs[0].Name: input})
	if len(got) != len(want) {
		t.Fatalf("%d outputs; want %d", len(got), len(want))
	}
	for _, named := range want {
		w := named.Tensor
		best := math.Inf(1)
		for _, o := range got { // the export renamed the outputs
			if o.Describe() == w.Describe() {
				best = min(best, farthest(t, o, w))
			}
		}
		if !(best <= 1e-4) {
			t.Errorf("no output of type %v is within 1e-4; the nearest is %v away", w, best)
		}
	}
}

func readNPY(path string) (*tensor.Tensor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return tensor.ReadNPY(f, tensor.Limits{})
}

func TestDigits(t *testing.T) {
	m, err := nnef.Load(filepath.Join(testdata.Root(t), "examples", "digits", "model.nnef"), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	x, err := tensor.New(tensor.Float32, tensor.Shape{1, 1, 28, 28})
	if err != nil {
		t.Fatal(err)
	}
	y := run(t, m.Graph, map[string]*tensor.Tensor{"x": x})["y"]
	sum := 0.0
	for _, p := range tensor.Data[float32](y) {
		sum += float64(p)
	}
	if math.Abs(sum-1) > 1e-5 {
		t.Errorf("the weights of the ten digits add up to %v", sum)
	}
}
