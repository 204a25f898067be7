package concord_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/tensor"
)

// TestLoadWebNN reads a session of a WebNN builder, as it is and with another shape of its input.
func TestLoadWebNN(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.json")
	const text = `{"webnnSession": 1, "weights": "model.bin", "calls": [
		{"call": "MLGraphBuilder", "args": [{"$ref": "context"}], "id": "b"},
		{"on": "b", "call": "input", "args": ["x", {"dataType": "int8", "shape": [3, 2]}], "id": "x"},
		{"on": "b", "call": "constant", "args": [{"dataType": "int8", "shape": [2]}, {"$buffer": {"at": [1, 2]}}], "id": "w"},
		{"on": "b", "call": "add", "args": [{"$ref": "x"}, {"$ref": "w"}], "id": "y"},
		{"on": "b", "call": "build", "args": [{"an output": {"$ref": "y"}}]}]}`
	for name, content := range map[string]string{path: text, filepath.Join(dir, "model.bin"): "\x00\x01\x02"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for want, shapes := range map[string]map[string]tensor.Shape{"int8[3,2]": nil, "int8[7,1,2]": {"x": {7, 1, 2}}} {
		m, err := concord.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		g, err := m.Graph(shapes)
		if err != nil {
			t.Fatal(err)
		}
		out := g.Outputs[0]
		if m.Format() != "WebNN" || out.Name != "an output" || out.Value.Type.String() != want {
			t.Errorf("the output of the %s model is %q, %v; want %s", m.Format(), out.Name, out.Value.Type, want)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	for want, shapes := range map[string]map[string]tensor.Shape{
		"call 3, add": {"x": {3}}, `a shape is given for "z"`: {"z": {3}},
	} {
		m, err := concord.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Graph(shapes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("shapes %v: the error is %v; want %q", shapes, err, want)
		}
	}
}
