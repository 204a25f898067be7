package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// TestExport writes the model of an example, reads the session back, and refuses to replace files.
func TestExport(t *testing.T) {
	model, dir := digits(t, "model.nnef"), filepath.Join(t.TempDir(), "new", "folder")
	args := []string{"export", "--webnn", model, "-o", dir, "--name", "digits"}
	out, code := execute(t, args...)
	if code != 0 || strings.Count(out, "written: ") != 4 {
		t.Fatalf("code %d: %s", code, out)
	}
	files := filesOf(t, dir)
	if len(files) != 4 || files["digits.json.concord.json"] == "" || files["digits.js"] == "" || files["digits.bin"] == "" || files["digits.json"] == "" {
		t.Errorf("the folder holds %d files", len(files))
	}
	m, err := concord.Open(filepath.Join(dir, "digits.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if g, err := m.Graph(nil); err != nil || g.Input("x") == nil || g.Output("y") == nil {
		t.Errorf("the session has other inputs and outputs: %v", err)
	}
	if out, code := execute(t, args...); code != exitUsage || !strings.Contains(out, "--force") {
		t.Errorf("code %d: %s", code, out)
	}
	if out, code := execute(t, append(args, "--force")...); code != 0 {
		t.Errorf("code %d: %s", code, out)
	}
	// A session is a model, too, and gives the same code.
	if out, code := execute(t, "export", "--webnn", filepath.Join(dir, "digits.json"), "-o", filepath.Join(dir, "again")); code != 0 {
		t.Fatalf("code %d: %s", code, out)
	}
	if again := filesOf(t, filepath.Join(dir, "again")); len(again["digits.bin"]) != len(files["digits.bin"]) {
		t.Errorf("the weights of the session have %d bytes; want %d", len(again["digits.bin"]), len(files["digits.bin"]))
	}
}

// TestExportWASM writes modules that compute, in Node, what concord run does.
func TestExportWASM(t *testing.T) {
	model, dir := digits(t, "model.nnef"), t.TempDir()
	args := []string{"export", "--wasm", model, "-o", dir, "--name", "digits"}
	if out, code := execute(t, args...); code != 0 || strings.Count(out, "written: ") != 11 {
		t.Fatalf("code %d: %s", code, out)
	}
	if out, code := execute(t, args...); code != exitUsage || !strings.Contains(out, "--force") {
		t.Errorf("code %d: %s", code, out)
	}
	if out, code := execute(t, "export", "--wasm", model, "-o", filepath.Join(dir, "bare"), "--page", ""); code != 0 || strings.Contains(out, "html") {
		t.Errorf("without a page: code %d: %s", code, out)
	}
	if out, code := execute(t, "export", "--wasm", model, "-o", dir, "--page", "a/b.html"); code != exitUsage || !strings.Contains(out, "--page") {
		t.Errorf("a page in a folder: code %d: %s", code, out)
	}
	if out, code := execute(t, "export", "--wasm", "--webnn", model, "-o", dir); code != exitUsage {
		t.Errorf("two targets: code %d: %s", code, out)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed")
	}
	input, err := tensor.New(tensor.Float32, tensor.Shape{1, 1, 28, 28})
	if err != nil {
		t.Fatal(err)
	}
	for i := range tensor.Data[float32](input) {
		tensor.Data[float32](input)[i] = float32(i%29) / 32
	}
	saveNPZ(t, filepath.Join(dir, "x.npz"), tensor.Named{Name: "x", Tensor: input})
	hash, code := execute(t, "run", model, filepath.Join(dir, "x.npz"), "--hash")
	if code != 0 {
		t.Fatalf("code %d: %s", code, hash)
	}
	script := `import { load } from "./digits.js";
		const { y } = (await load()).run({ x: Float32Array.from({ length: 784 }, (_, i) => (i % 29) / 32) });
		process.stdout.write(Buffer.from(y.buffer));`
	if err := os.WriteFile(filepath.Join(dir, "run.mjs"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := exec.CommandContext(t.Context(), node, filepath.Join(dir, "run.mjs")).Output()
	if want := fmt.Sprintf("%x", sha256.Sum256(got)); err != nil || !strings.HasPrefix(hash, want) {
		t.Errorf("in Node the result has the hash %s, %v; want %s", want, err, hash)
	}
}

// TestExportCVM writes a model with int16, which WebNN has not, so that it computes the same.
func TestExportCVM(t *testing.T) {
	dir, input := t.TempDir(), strokes("rising.bin")
	if out, code := execute(t, "export", "--webnn", strokes(), "-o", dir); code != 0 {
		t.Fatalf("code %d: %s", code, out)
	}
	want, code := execute(t, "run", strokes(), input, "--hash")
	want, _, _ = strings.Cut(want, "\n") // without the encoded bytes
	if out, again := execute(t, "run", filepath.Join(dir, "strokes.json"), input, "--hash"); code != 0 || again != 0 || out != want+"\n" {
		t.Errorf("codes %d and %d:\n%swant %s", code, again, out, want)
	}
}

// TestExportMistakes holds the command to say what is wrong, and to write nothing then.
func TestExportMistakes(t *testing.T) {
	dir := t.TempDir()
	refused := writeFiles(t, map[string]string{"graph.nnef": `version 1.0;
graph g( x, rois, batch ) -> ( y, z ) {
    x = external(shape = [1, 1, 4, 4]); rois = external(shape = [2, 4]); batch = external<integer>(shape = [2]);
    y = avg_roi_pool(x, rois, batch, output_size = [2, 2]); z = max_roi_pool(x, rois, batch, output_size = [2, 2]);
}
`})
	greatest := writeFiles(t, map[string]string{"graph.nnef": `version 1.0;
graph g( x ) -> ( y, z ) {
    x = external(shape = [1, 1, 4, 4]);
    y = argmax_reduce(x, axes = [1]); z = max_pool(x, size = [1, 1, 3, 3], padding = [(0, 0), (0, 0), (1, 1), (1, 1)], border = 'ignore');
}
`})
	model := digits(t, "model.nnef")
	for _, c := range []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"nothing chosen", []string{model}, exitUsage, []string{"--webnn"}},
		{"no model", []string{"--webnn"}, exitUsage, nil},
		{"missing model", []string{"--webnn", filepath.Join(dir, "none.nnef")}, exitInput, []string{"none.nnef"}},
		{"a folder as name", []string{"--webnn", model, "--name", "a/b"}, exitUsage, []string{"--name"}},
		{"the folder above as name", []string{"--webnn", model, "--name", ".."}, exitUsage, []string{"--name"}},
		{"a drive as name", []string{"--webnn", model, "--name", "a:b"}, exitUsage, []string{`--name "a:b"`}},
		{"refused operators", []string{"--webnn", refused}, exitInput, []string{"avg_roi_pool (value y)", "max_roi_pool (value z)"}},
		{"two targets", []string{"--webnn", "--openvx", model}, exitUsage, []string{"--webnn, --openvx and --wasm exclude each other"}},
		{"another type", []string{"--openvx", model, "--type", "int4"}, exitUsage, []string{"--type int4: it must be q78 or float32"}},
		{"a check of another target", []string{"--webnn", model, "--check"}, exitUsage, []string{"--check goes with --openvx"}},
		{"an input without a check", []string{"--openvx", model, "seven.png"}, exitUsage, []string{"an INPUT goes with --check"}},
		{"refused operators of OpenVX", []string{"--openvx", greatest}, exitInput, []string{"argmax_reduce (value y)", "max_pool (value z)", "never negative"}},
		{"a model of wide integers", []string{"--openvx", strokes()}, exitInput, []string{"cannot be expressed in OpenVX"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, code := execute(t, slices.Concat([]string{"export", "-o", dir}, c.args)...)
			if code != c.code {
				t.Errorf("code %d; want %d: %s", code, c.code, out)
			}
			for _, s := range c.says {
				if !strings.Contains(out, s) {
					t.Errorf("%q does not say %q", out, s)
				}
			}
		})
	}
	if files := filesOf(t, dir); len(files) != 0 {
		t.Errorf("files are written: %v", files)
	}
}

// TestExportApproximations announces results that differ.
func TestExportApproximations(t *testing.T) {
	model := writeFiles(t, map[string]string{"graph.nnef": `version 1.0;
graph g( x ) -> ( y ) { x = external(shape = [1, 1, 4, 4]); y = multilinear_upsample(x, factor = [2, 2]); }
`})
	out, code := execute(t, "export", "--webnn", model, "-o", t.TempDir())
	if code != 0 || !strings.Contains(out, "multilinear_upsample") || !strings.Contains(out, "within 1e-06") {
		t.Errorf("code %d: %s", code, out)
	}
}

// TestExportName finds the names of files by those of models.
func TestExportName(t *testing.T) {
	for path, want := range map[string]string{
		"a/model.nnef": "model", "net.nnef.tgz": "net", "net.tar.gz": "net", "x.json": "x", "plain": "plain", ".nnef": ".nnef", "v1.5.nnef": "v1.5",
	} {
		if got := exportName(path); got != want {
			t.Errorf("%s gives %s; want %s", path, got, want)
		}
	}
}

// TestExportFaces exports a real model, whose module Node.js must be able to read.
func TestExportFaces(t *testing.T) {
	model := testdata.Shared(t, "models", "ultraface", "slim-320_simplified.nnef.tgz")
	dir := t.TempDir()
	if out, code := execute(t, "export", "--webnn", model, "-o", dir); code != 0 || strings.Contains(out, "differ") {
		t.Fatalf("code %d: %s", code, out)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed")
	}
	module := filepath.Join(dir, "slim-320_simplified.mjs")
	if err := os.Rename(filepath.Join(dir, "slim-320_simplified.js"), module); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(node, "--check", module).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestExportOpenVX writes the model of an example as C, and compares it with the model on the drawings: it reads all of them right.
func TestExportOpenVX(t *testing.T) {
	model, dir := digits(t, "model.nnef"), filepath.Join(t.TempDir(), "c")
	drawings, err := filepath.Glob(filepath.Join(digits(t, "drawings"), "*.png"))
	if err != nil || len(drawings) != 20 {
		t.Fatalf("there are %d drawings: %v", len(drawings), err)
	}
	out, code := execute(t, append([]string{"export", "--openvx", model, "-o", dir, "--check"}, drawings...)...)
	if code != 0 || strings.Count(out, "written: ") != 3 || !strings.Contains(out, "20 of 20") || !strings.Contains(out, "conv1_bias: of 16 elements 0 are out of range and 2 became 0") {
		t.Errorf("code %d: %s", code, out)
	}
	files := filesOf(t, dir)
	if len(files) != 3 || !strings.Contains(files["model.c"], "vxFullyConnectedLayer(graph, pool3, dense_filter") || files["model.h"] == "" || files["model.bin"] == "" {
		t.Errorf("the folder holds %d files", len(files))
	}
	if out, code := execute(t, "export", "--openvx", model, "-o", dir); code != exitUsage || !strings.Contains(out, "--force") {
		t.Errorf("code %d: %s", code, out)
	}
	out, code = execute(t, "export", "--openvx", model, "-o", dir, "--force", "--type", "float32", "--check")
	if code != 0 || strings.Contains(out, "became") || !strings.Contains(out, "1 of 1") {
		t.Errorf("code %d: %s", code, out)
	}
}
