package export_test

import (
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/networks"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/export"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// inputsOf draws inputs of a graph.
func inputsOf(g *graph.Graph, seed uint64) map[string]*tensor.Tensor {
	r := op.NewRand(seed, 1)
	in := make(map[string]*tensor.Tensor)
	for _, v := range g.Inputs {
		in[v.Name] = r.Tensor(v.Type.DType, v.Type.Shape)
	}
	return in
}

// computed draws inputs of a graph and returns what it makes of them, nil if it cannot be exported and run.
func computed(t *testing.T, g *graph.Graph) (in, out map[string]*tensor.Tensor) {
	t.Helper()
	p, err := engine.Compile(g, engine.Options{Threads: 1})
	if err != nil {
		return nil, nil // cases of limits, and of types that there is no evaluation for
	}
	defer p.Close()
	for _, s := range g.States {
		if s.Next != nil {
			return nil, nil
		}
	}
	in = inputsOf(g, 1)
	if out, err = p.Run(t.Context(), in); err != nil {
		return nil, nil
	}
	return in, out
}

// roundTrip exports a graph, reads it again and compares what both compute. It reports whether the graph can be run.
func roundTrip(t *testing.T, path string, g *graph.Graph) bool {
	t.Helper()
	in, want := computed(t, g)
	if want == nil {
		return false
	}
	m, err := export.New(g, export.Options{})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return true
	}
	got, err := runs(again(t, m), in)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return true
	}
	for name, w := range want {
		if !same(got[name], w) {
			t.Errorf("%s: the bits of output %s differ", path, name)
		}
	}
	return true
}

// TestDocuments exports documents and runs what was exported.
func TestDocuments(t *testing.T) {
	ran := 0
	networks.Documents(t, func(path string, g *graph.Graph) {
		if roundTrip(t, path, g) {
			ran++
		}
	})
	if ran == 0 {
		t.Error("there are none")
	}
	t.Logf("%d documents", ran)
}

// TestModels exports the ONNX models of the conformance cases again that have one graph.
func TestModels(t *testing.T) {
	root := testdata.Shared(t, "conformance", "onnx")
	paths, err := filepath.Glob(filepath.Join(root, "*", "*", "model.onnx"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are %d models, error %v", len(paths), err)
	}
	ran := 0
	for _, path := range testdata.Some(paths, 4) {
		if g := graphOf(path); g != nil && roundTrip(t, path, g) {
			ran++
		}
	}
	t.Logf("%d of %d models", ran, len(paths))
}

// graphOf returns the graph of an ONNX model for inputs of which open extents are 2, nil if there is none.
func graphOf(path string) *graph.Graph {
	f, err := onnx.Open(path)
	if err != nil {
		return nil
	}
	n, err := f.Network()
	if err != nil {
		return nil
	}
	shapes := make(model.Shapes)
	for _, in := range n.Inputs() {
		shape := make(tensor.Shape, len(in.Shape))
		for i, d := range in.Shape {
			if shape[i] = d.Extent; d.Symbol != "" {
				shape[i] = 2
			}
		}
		shapes[in.Name] = shape
	}
	g, err := n.Graph(shapes)
	if err != nil {
		return nil
	}
	return g
}
