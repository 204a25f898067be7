package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/manifest"
)

// TestManifestInit writes a first manifest, with which the model runs, and replaces none.
func TestManifestInit(t *testing.T) {
	model := copyModel(t, digits(t, "model.nnef"))
	if err := os.Remove(filepath.Join(model, manifest.FileName)); err != nil {
		t.Fatal(err)
	}
	if out, code := execute(t, "manifest", "check", model); code != exitInput || !strings.Contains(out, "no manifest was found: looked for "+filepath.Join(model, manifest.FileName)) {
		t.Errorf("without a manifest: code %d: %s", code, out)
	}
	out, code := execute(t, "manifest", "init", model)
	if code != 0 || !strings.Contains(out, "gray, NCHW") || !strings.Contains(out, "written: "+filepath.Join(model, manifest.FileName)) {
		t.Fatalf("code %d: %s", code, out)
	}
	if text := readString(t, model, manifest.FileName); strings.Contains(text, "softmax") || !strings.Contains(text, `"note": "guessed`) {
		t.Errorf("the manifest is\n%s", text)
	}
	if out, code := execute(t, "manifest", "check", model); code != 0 || !strings.Contains(out, "it fits the model") {
		t.Errorf("code %d: %s", code, out)
	}
	if out, code := execute(t, "run", model, digits(t, "drawings", "seven.png")); code != 0 || !strings.Contains(out, "class ") {
		t.Errorf("code %d: %s", code, out)
	}
	if out, code := execute(t, "manifest", "init", model); code != exitUsage || !strings.Contains(out, "--force replaces it") {
		t.Errorf("a manifest is replaced: code %d: %s", code, out)
	}
	if out, code := execute(t, "manifest", "init", model, "-o", "-"); code != 0 || !strings.HasPrefix(out, "{\n") {
		t.Errorf("code %d: %s", code, out)
	}
	if err := os.WriteFile(filepath.Join(model, manifest.FileName), []byte(`{"version": 1, "inputs": {"y": {"kind": "tensor"}}, "outputs": {"x": {"kind": "classes", "top": -1}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	drawing := digits(t, "drawings", "seven.png")
	for _, line := range [][]string{{"manifest", "check", model}, {"run", model, drawing}, {"bulk", model, drawing, "-o", t.TempDir()}, {"diff", model, model, drawing}} {
		if out, code := execute(t, line...); code != exitInput || strings.Count(out, "the model has no ") != 2 || !strings.Contains(out, "outputs.x.top: this is the number -1") {
			t.Errorf("%s with a manifest of another model: code %d: %s", line[0], code, out)
		}
	}
	for expression, logits := range map[string]bool{"softmax(x)": false, "reshape(sigmoid(x), shape = [1, 1, 10])": false, "relu(x)": true, "x * sigmoid(x)": true} {
		file := filepath.Join(t.TempDir(), "graph.nnef")
		text := "version 1.0;\nextension KHR_enable_operator_expressions;\ngraph g(x) -> (y) { x = external<scalar>(shape = [1, 10]); y = " + expression + "; }"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, code := execute(t, "manifest", "init", file, "-o", "-"); code != 0 || strings.Contains(out, `"softmax": true`) != logits {
			t.Errorf("%s: code %d: %s", expression, code, out)
		}
	}
	open := writeFiles(t, map[string]string{
		"graph.nnef": "version 1.0;\nextension tract_registry tract_core;\nextension tract_symbol H;\ngraph g(y, x) -> (z) {\n" +
			"    y = tract_core_external(shape = [1, 3, H, 4], datum_type = 'f32');\n    x = tract_core_external(shape = [1, 3, H, 4], datum_type = 'f32');\n    z = add(x, y);\n}\n",
		manifest.FileName: `{"version": 1, "inputs": {"x": {"kind": "image", "size": [4, 8]}}, "outputs": {}}`})
	if out, code := execute(t, "manifest", "check", open, "--shape", "y=1,3,9,4"); code != exitInput || strings.Contains(out, "--shape x") {
		t.Errorf("a shape of the manifest that does not fit one of the command line: code %d: %s", code, out)
	}
	if out, code := execute(t, "manifest", "nothing"); code != exitUsage {
		t.Errorf("code %d: %s", code, out)
	}
}
