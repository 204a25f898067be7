package main_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/export"
)

// TestExportedModule exports the digits model and lets its module build and run the graph by the interface of this example: the
// bits must be those of the model.
func TestExportedModule(t *testing.T) {
	p := compile(t)
	m, err := concord.Open("../digits/model.nnef")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g, err := m.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	exported, err := export.New(g, export.Options{Expand: nnef.ExpandBody})
	if err != nil {
		t.Fatal(err)
	}
	files, err := exported.Files("digits.bin")
	if err != nil {
		t.Fatal(err)
	}
	x, err := tensor.New(tensor.Float32, tensor.Shape{1, 1, 28, 28})
	if err != nil {
		t.Fatal(err)
	}
	for i := range tensor.Data[float32](x) {
		tensor.Data[float32](x)[i] = float32(i%29) / 28
	}
	module := p.write(t, "digits.mjs", files.JavaScript)
	weights, input := p.write(t, "digits.bin", files.Weights), p.write(t, "x.bin", x.Bytes())
	var got map[string][]byte
	if err := json.Unmarshal(p.run(t, "exported_test.mjs", module, weights, input), &got); err != nil {
		t.Fatal(err)
	}

	program, err := m.Compile(concord.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	want, err := program.Run(t.Context(), map[string]*tensor.Tensor{"x": x})
	if err != nil {
		t.Fatal(err)
	}
	for _, builder := range []string{"MLGraphBuilder", "SessionBuilder"} {
		if !bytes.Equal(got[builder], want["y"].Bytes()) {
			t.Errorf("%s gives %x; want %x, as the model", builder, got[builder], want["y"].Bytes())
		}
	}
}
