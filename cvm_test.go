package concord_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// TestLoadCVM reads CVM models from a folder and from a graph, by the strict and the deployed rules.
func TestLoadCVM(t *testing.T) {
	models := filepath.Join("cmd", "concord", "testdata", "cvm")
	for _, path := range []string{"strokes", filepath.Join("strokes", "graph.json")} {
		m, err := concord.Open(filepath.Join(models, path))
		if err != nil {
			t.Fatal(err)
		}
		g, err := m.Graph(map[string]tensor.Shape{"data": {1, 1, 3, 3}})
		if err != nil {
			t.Fatal(err)
		}
		if out := g.Outputs[0]; m.Format() != "CVM" || out.Name != "scores" || out.Value.Type.String() != "int32[1,4]" {
			t.Errorf("the output of the %s model is %q, %v", m.Format(), out.Name, out.Value.Type)
		}
		bytes, err := m.CVM().Run(t.Context(), []byte("\x00\x7f\x00\x00\x7f\x00\x00\x7f\x00"))
		if err != nil || string(bytes) != "\x01\x00\x00\x00" {
			t.Errorf("the bytes are %x, %v; want those of 1", bytes, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	var why *cvm.Error
	overlap := filepath.Join(models, "overlap")
	if _, err := concord.Open(overlap); !errors.As(err, &why) || why.Stage != fault.Storage {
		t.Errorf("an overlapping storage plan gives %v", err)
	}
	m, err := concord.Loader{Compat: true, Threads: 1}.Open(overlap)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if m, err = concord.Open(filepath.Join(models, "strokes")); err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for name, want := range map[string]string{"data": "which the model fixes", "x": `a shape is given for "x"`} {
		if _, err := m.Compile(concord.Options{Shapes: map[string]tensor.Shape{name: {1, 1, 3, 4}}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a shape for %s gives %v; want %q", name, err, want)
		}
	}
}
