package nnef_test

import (
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestExpandGraph holds a model whose operators are all expanded to the outputs of the model.
func TestExpandGraph(t *testing.T) {
	m, err := nnef.Load(filepath.Join(testdata.Root(t), "examples", "digits", "model.nnef"), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g, err := nnef.ExpandGraph(m.Graph, func(*op.Def) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if err := graph.Verify(g, op.Rules); err != nil {
		t.Fatal(err)
	}
	for _, n := range g.Nodes {
		if d, _ := op.Lookup(n.Op); d.Body != "" {
			t.Errorf("%s is not expanded", n.Op)
		}
	}
	x, err := tensor.New(tensor.Float32, tensor.Shape{1, 1, 28, 28})
	if err != nil {
		t.Fatal(err)
	}
	for i := range tensor.Data[float32](x) {
		tensor.Data[float32](x)[i] = float32(i%7) / 7
	}
	in := map[string]*tensor.Tensor{"x": x}
	if far := farthest(t, run(t, g, in)["y"], run(t, m.Graph, in)["y"]); far > 1e-5 {
		t.Errorf("the outputs differ by %v", far)
	}
}
