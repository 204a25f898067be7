package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// execute runs the command and returns what it printed and the exit code.
func execute(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	var b bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&b)
	root.SetErr(&b)
	err := root.ExecuteContext(t.Context())
	if err != nil {
		code = exitCode(err)
		b.WriteString(err.Error())
	}
	return b.String(), code
}

func digits(t *testing.T, elem ...string) string {
	return filepath.Join(append([]string{testdata.Root(t), "examples", "digits"}, elem...)...)
}

// TestDigits is the README's first command, on all drawings.
func TestDigits(t *testing.T) {
	names := []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
	args := []string{"run", "--json", digits(t, "model.nnef")}
	var want []int
	for i, name := range names {
		for _, suffix := range []string{"", "-2"} {
			args = append(args, digits(t, "drawings", name+suffix+".png"))
			want = append(want, i)
		}
	}
	out, code := execute(t, args...)
	if code != 0 {
		t.Fatal(out)
	}
	var report struct {
		Runs []struct {
			Outputs []struct {
				Classes []struct {
					Label       string
					Index       int
					Probability float64
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, r := range report.Runs {
		if r.Outputs[0].Classes[0].Index == want[i] {
			right++
		}
	}
	if len(report.Runs) != 20 || right < 18 {
		t.Errorf("%d of %d drawings are read right; at least 18 of 20 must be", right, len(report.Runs))
	}
}

func TestRunText(t *testing.T) {
	out, code := execute(t, "run", digits(t, "model.nnef"), digits(t, "drawings", "seven.png"))
	if code != 0 || !strings.HasPrefix(out, "7  █") {
		t.Errorf("code %d:\n%s", code, out)
	}
}

// TestRunArrays feeds an array and reads the raw outputs back; threads do not change them.
func TestRunArrays(t *testing.T) {
	dir := t.TempDir()
	in, err := os.Create(filepath.Join(dir, "in.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if err := tensor.WriteNPY(in, op.NewRand(1, 1).Uniform(tensor.Float32, tensor.Shape{1, 1, 28, 28}, 0, 1)); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	var first []byte
	for _, threads := range []string{"1", "2"} {
		out, code := execute(t, "run", "--raw", "--force", "--threads", threads, digits(t, "model.nnef"), "x="+in.Name())
		if code != 0 || !strings.Contains(out, "written: "+filepath.Join(dir, "in-outputs.npz")) {
			t.Fatalf("code %d:\n%s", code, out)
		}
		arrays, err := os.ReadFile(filepath.Join(dir, "in-outputs.npz"))
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !bytes.Equal(first, arrays) {
			t.Error("the number of threads changes the result")
		}
		first = arrays
	}
}

// TestRunFloat64 gives an input of float32 the same numbers as float64, which is what NumPy makes of them.
func TestRunFloat64(t *testing.T) {
	dir := t.TempDir()
	x := op.NewRand(1, 1).Uniform(tensor.Float32, tensor.Shape{1, 1, 28, 28}, 0, 1)
	wide, err := tensor.Cast(x, tensor.Float64)
	if err != nil {
		t.Fatal(err)
	}
	var results [][]byte
	for name, array := range map[string]*tensor.Tensor{"narrow": x, "wide": wide} {
		saveNPZ(t, filepath.Join(dir, name+".npz"), tensor.Named{Name: "x", Tensor: array})
		if out, code := execute(t, "run", "--raw", digits(t, "model.nnef"), filepath.Join(dir, name+".npz")); code != 0 {
			t.Fatalf("%s: code %d:\n%s", name, code, out)
		}
		data, err := os.ReadFile(filepath.Join(dir, name+"-outputs.npz"))
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, data)
	}
	if !bytes.Equal(results[0], results[1]) {
		t.Error("float64 gives other results than the float32 that it holds")
	}
}

// TestFaces finds the faces in a photograph with a detector that others made.
func TestFaces(t *testing.T) {
	model := testdata.Shared(t, "models", "ultraface", "slim-320_simplified.nnef.tgz")
	dir := t.TempDir()
	out, code := execute(t, "run", model, testdata.Shared(t, "models", "ultraface", "photos", "2.jpg"), "--output", dir)
	if code != 0 || !strings.Contains(out, "4 found\nwritten: "+filepath.Join(dir, "2-boxes.png")) {
		t.Errorf("code %d:\n%s", code, out)
	}
}

// TestRunNaN runs a model on numbers that are none: the result is said as text and as valid JSON.
func TestRunNaN(t *testing.T) {
	dir := t.TempDir()
	values := make([]float32, 28*28)
	for i := range values {
		values[i] = float32(math.NaN())
	}
	x, err := tensor.FromSlice(values, 1, 1, 28, 28)
	if err != nil {
		t.Fatal(err)
	}
	saveNPZ(t, filepath.Join(dir, "nan.npz"), tensor.Named{Name: "x", Tensor: x})
	saveNPZ(t, filepath.Join(dir, "other.npz"), tensor.Named{Name: "image", Tensor: x})
	if out, code := execute(t, "run", digits(t, "model.nnef"), filepath.Join(dir, "nan.npz")); code != 0 || !strings.Contains(out, "NaN") {
		t.Errorf("code %d: %s", code, out)
	}
	out, code := execute(t, "run", "--json", digits(t, "model.nnef"), filepath.Join(dir, "nan.npz"))
	if code != 0 || !json.Valid([]byte(out)) || !strings.Contains(out, `"probability": null`) {
		t.Errorf("code %d: %s", code, out)
	}
	out, code = execute(t, "run", digits(t, "model.nnef"), filepath.Join(dir, "other.npz"))
	if code != exitInput || !strings.Contains(out, `other.npz: there is no array "x" in it; there are "image"`) {
		t.Errorf("code %d: %s", code, out)
	}
}

// TestWithoutManifest runs a model that nothing describes.
func TestWithoutManifest(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "double.nnef")
	text := "version 1.0;\ngraph double( x ) -> ( y )\n{\n    x = external<scalar>(shape = [3]);\n    y = add(x, x);\n}\n"
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := execute(t, "run", model, "--random", "--output", dir)
	if code != 0 || !strings.Contains(out, "y: float32[3]") || !strings.Contains(out, "random-outputs.npz") {
		t.Errorf("code %d: %s", code, out)
	}
	out, code = execute(t, "run", model, "--random", "--output", dir, "--profile", "--json", "--force")
	var report struct {
		Profile []struct {
			Operator string
			Runs     int
		}
	}
	if err := json.Unmarshal([]byte(out), &report); code != 0 || err != nil || len(report.Profile) != 1 || report.Profile[0].Operator != "add" || report.Profile[0].Runs != 1 {
		t.Errorf("code %d, %v: %s", code, err, out)
	}
	out, code = execute(t, "run", model, "--manifest", filepath.Join(dir, "absent.json"), "--random")
	if code != exitInput || !strings.Contains(out, "absent.json") {
		t.Errorf("a manifest that is asked for is not there: code %d: %s", code, out)
	}
}

// TestRandomKeepsValues: a value that the manifest states is not random.
func TestRandomKeepsValues(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "double.nnef")
	for name, text := range map[string]string{
		file:                             "version 1.0;\ngraph double( x ) -> ( y )\n{\n    x = external<scalar>(shape = [3]);\n    y = add(x, x);\n}\n",
		filepath.Join(dir, "fixed.json"): `{"version": 1, "inputs": {"x": {"kind": "tensor", "value": 2.5}}, "outputs": {}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, code := execute(t, "run", file, "--random", "--output", dir, "--manifest", filepath.Join(dir, "fixed.json"))
	if code != 0 || !strings.Contains(out, "from 5 to 5") {
		t.Errorf("code %d: %s", code, out)
	}
}

func saveNPZ(t *testing.T, name string, arrays ...tensor.Named) {
	t.Helper()
	var b bytes.Buffer
	if err := tensor.WriteNPZ(&b, arrays, false); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestExitCodes(t *testing.T) {
	model := digits(t, "model.nnef")
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 0, "Available Commands"},
		{[]string{model, "x.png"}, exitUsage, "it is a model, which concord run takes"},
		{[]string{"run", digits(t, "drawings", "seven.png"), model}, exitInput, "the model comes first, and " + model + " is one"},
		{[]string{"run", digits(t), digits(t, "drawings", "seven.png")}, exitInput, model + " in it is one"},
		{[]string{"bulk", digits(t, "drawings", "seven.png"), model, "-o", t.TempDir()}, exitInput, "the model comes first, and " + model + " is one"},
		{[]string{"manifest", "init", model, "-o", filepath.Join(t.TempDir(), "absent", "x.json")}, exitInput, "nothing can be written there"},
		{[]string{"insp"}, exitUsage, "do you mean inspect?"},
		{[]string{"run"}, exitUsage, "usage: concord run MODEL"},
		{[]string{"run", "--no-such-flag"}, exitUsage, "see: concord run --help"},
		{[]string{"run", model}, exitUsage, "x: float32[1,1,28,28]; 0 are given"},
		{[]string{"run", model, "--random", "x.png"}, exitUsage, "--random takes no INPUT"},
		{[]string{"run", model, "--rate", "1", "x.png"}, exitUsage, "no sound is described"},
		{[]string{"run", model, "--colour", "blue", "x.png"}, exitUsage, `it must be "rgb", "bgr" or "gray"`},
		{[]string{"run", model, "--mean", "1,2,3", "x.png"}, exitUsage, "one for each of the 1 channels"},
		{[]string{"run", model, "--std", "0", "x.png"}, exitUsage, "other than zero"},
		{[]string{"run", model, "--top", "-1", "x.png"}, exitUsage, "an integer from 0 to"},
		{[]string{"run", model, "--threads", "-1", "x.png"}, exitUsage, "from 0 to 4096"},
		{[]string{"run", model, "q=x.png"}, exitUsage, `no input "q"; it has x: float32[1,1,28,28]`},
		{[]string{"run", "absent.nnef"}, exitInput, "absent.nnef"},
		{[]string{"run", model, "absent.png"}, exitInput, "absent.png"},
		{[]string{"run", digits(t, "drawings", "seven.png")}, exitInput, "format of the model is not known"},
		{[]string{"inspect", model, "--shape", "x"}, exitUsage, "NAME=EXTENTS"},
		{[]string{"inspect", model, "--shape", "y=1"}, exitUsage, `--shape y=1: a shape is given for "y"; the inputs are x`},
		{[]string{"run", model, "--random", "--shape", "x=0,1"}, exitUsage, `--shape x=0,1: the shape [0,1] is given for "x"; extents are 1 or more`},
		{[]string{"shapes", model, "--shape", "x=0,1"}, exitUsage, "--shape x=0,1: "},
		{[]string{"explain", model, "--shape", "x=0,1"}, exitUsage, "--shape x=0,1: "},
		{[]string{"check", model, "--shape", "x=0,1"}, exitUsage, "--shape x=0,1: "},
		{[]string{"diff", model, model, "--shape", "x=0,1"}, exitUsage, "--shape x=0,1: "},
		{[]string{"ops", "softplu"}, exitUsage, "do you mean softplus?"},
		{[]string{"conform", "--timeout", "0", "."}, exitUsage, "above 0"},
		{[]string{"conform", "--filter", "nowhere", filepath.Join(testdata.Root(t), "internal", "conform", "testdata")}, exitUsage, `--filter "nowhere" matches none of the 15 cases`},
		{[]string{"conform", "--engine", "warp", "."}, exitUsage, `no engine "warp"`},
		{[]string{"conform", filepath.Join(testdata.Root(t), "internal", "conform", "testdata")}, exitFailure, "6 passed, 8 failed (1 by the class of an error only), 1 skipped"},
		{[]string{"conform", "--hash", "--threads", "2", filepath.Join(testdata.Root(t), "internal", "conform", "testdata")}, exitFailure, "  all\n6 passed"},
		{[]string{"conform", "--json", filepath.Join(testdata.Root(t), "internal", "conform", "testdata")}, exitFailure, `"sha256": "`},
		{[]string{"conform", "--threads", "-1", "."}, exitUsage, "from 0 to 4096"},
		{[]string{"version"}, 0, "concord "},
	} {
		out, code := execute(t, tt.args...)
		if code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%v: code %d; want %d and %q:\n%s", tt.args, code, tt.code, tt.want, out)
		}
	}
}

func TestInspect(t *testing.T) {
	out, code := execute(t, "inspect", digits(t, "model.nnef"))
	for _, want := range []string{"x: float32[1,1,28,28]", "y: float32[1,10]", "20,602 (80.5 KiB)", "999,552", "softmax"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("code %d, or %q is missing:\n%s", code, want, out)
		}
	}
	out, code = execute(t, "inspect", "--json", digits(t, "model.nnef"))
	var report modelReport
	if err := json.Unmarshal([]byte(out), &report); code != 0 || err != nil || report.MACs != 999552 || len(report.Nodes) != 12 {
		t.Errorf("code %d, %v: %+v", code, err, report)
	}
	for _, flag := range []string{"--text", "--compiled"} {
		out, code = execute(t, "inspect", "--text", flag, digits(t, "model.nnef"))
		if code != 0 || !strings.HasPrefix(out, "version 1.0;") {
			t.Errorf("%s: code %d:\n%s", flag, code, out)
		}
	}
}

// TestOperators holds the command ops to saying every operator that there is, as text and as JSON; what it says of one is in the operator reference.
func TestOperators(t *testing.T) {
	list, _ := execute(t, "ops")
	for _, d := range op.All() {
		if !strings.Contains(list, "\n"+d.Name+" ") {
			t.Errorf("%s is not listed", d.Name)
		}
		for _, args := range [][]string{{"ops", d.Name}, {"ops", "--json", d.Name}} {
			if out, code := execute(t, args...); code != 0 || !strings.Contains(out, d.Name) {
				t.Errorf("%v: exit code %d\n%s", args, code, out)
			}
		}
	}
}

// TestOperatorPages holds the operator reference to the definitions.
func TestOperatorPages(t *testing.T) {
	testdata.Wide(t) // some bounds are those of an int
	dir := t.TempDir()
	if err := writeOperatorPages(dir, op.All(), false); err != nil {
		t.Fatal(err)
	}
	pages := filepath.Join(testdata.Root(t), "docs", "operators")
	want, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range want {
		fresh, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(filepath.Join(pages, entry.Name()))
		if err != nil || !bytes.Equal(fresh, kept) {
			t.Errorf("docs/operators/%s is not what the definition says (%v): run go generate ./op", entry.Name(), err)
		}
	}
	if got, err := os.ReadDir(pages); err != nil || len(got) != len(want) {
		t.Errorf("docs/operators has %d pages, %v; want %d", len(got), err, len(want))
	}
}

// TestInFileName keeps the names of outputs within their folder and free of what a terminal obeys.
func TestInFileName(t *testing.T) {
	for name, want := range map[string]string{"y": "y", "../../y": ".._.._y", `c:\y`: "c__y", "a\x1b[2J": "a_x1b[2J"} {
		if got := inFileName(name); got != want {
			t.Errorf("%q gives %q; want %q", name, got, want)
		}
	}
}
