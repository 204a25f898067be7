package export_test

import (
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/tensor"
)

// TestDocuments exports NNEF documents of the conformance cases.
func TestDocuments(t *testing.T) { exporter.Documents(t, 0) }

// TestModels exports the ONNX models of the conformance cases again that have one graph.
func TestModels(t *testing.T) {
	root := testdata.Shared(t, "conformance", "onnx")
	paths, err := filepath.Glob(filepath.Join(root, "*", "*", "model.onnx"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are %d models, error %v", len(paths), err)
	}
	ran := 0
	for _, path := range testdata.Some(paths, 4) {
		if g := graphOf(path); g != nil && exporter.Graph(t, path, g) {
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
