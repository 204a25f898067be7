package export_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/engine/wasm/export"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func TestFiles(t *testing.T) {
	g := stateful(t)
	files, _, err := export.Files(g, "net", engine.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := export.Files(g, "net", engine.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(export.Endings) {
		t.Errorf("there are %d files", len(files))
	}
	for i, f := range files {
		if f.Name != "net"+export.Endings[i] {
			t.Errorf("file %d is %s", i, f.Name)
		}
		content := testdata.Written(t, f.Write)
		if !bytes.Equal(content, testdata.Written(t, again[i].Write)) {
			t.Errorf("%s is another one at the second time", f.Name)
		}
		if strings.HasSuffix(f.Name, ".js") && len(content) > 15<<10 {
			t.Errorf("the loader has %d bytes", len(content))
		}
	}
}

// TestMemory holds what an export allocates to less than the weights: nothing copies them all, for any module or file.
func TestMemory(t *testing.T) {
	const width, layers = 1024, 8
	n := exported.NewNet(t, "wide")
	x := n.Input("x", tensor.Float32, 4, width)
	for i := range layers {
		x = n.Node("matmul", nil, x, n.Constant(fmt.Sprint("w", i), op.NewRand(1, i).Uniform(tensor.Float32, tensor.Shape{width, width}, -1, 1)))
	}
	g := n.Graph(x)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	files, _, err := export.Files(g, "net", engine.Limits{})
	check(t, err)
	for _, f := range files {
		check(t, f.Write(io.Discard))
	}
	runtime.ReadMemStats(&after)
	if got, weights := after.TotalAlloc-before.TotalAlloc, uint64(layers*width*width*4); got > weights {
		t.Errorf("the export of %d bytes of weights allocates %d", weights, got)
	}
}

// stateful returns a network that adds its inputs up, of which something is worth dividing.
func stateful(t *testing.T) *graph.Graph {
	t.Helper()
	n := exported.NewNet(t, "sums")
	x := n.Input("x", tensor.Float32, 1, 16, 28, 28)
	w := n.Constant("w", op.NewRand(1, 1).Uniform(tensor.Float32, tensor.Shape{32, 16, 3, 3}, -1, 1))
	zero, err := tensor.New(tensor.Float32, tensor.Shape{1, 32, 28, 28})
	check(t, err)
	sum := n.Must(n.B.State("sum", "", zero))
	y := n.Node("conv", graph.AttrsOf("padding", []int{1, 1, 1, 1}, "stride", []int{1, 1}, "dilation", []int{1, 1}, "groups", 1), x, w)
	y = n.Node("add", nil, sum, y)
	check(t, n.B.Update(sum, y))
	return n.Output("y", y).Graph()
}

// written exports a graph into a folder of the test, and returns the files.
func written(t *testing.T, g *graph.Graph) (dir string, content map[string][]byte) {
	t.Helper()
	files, _, err := export.Files(g, "net", engine.Limits{})
	check(t, err)
	dir, content = t.TempDir(), make(map[string][]byte)
	for _, f := range files {
		content[f.Name] = testdata.Written(t, f.Write)
		check(t, os.WriteFile(filepath.Join(dir, f.Name), content[f.Name], 0o600))
	}
	return dir, content
}

// node returns what a script of Node says.
func node(t *testing.T, args ...string) string {
	t.Helper()
	command, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed")
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), command, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.Bytes())
	}
	return string(out)
}

// draw returns an input of [stateful], and what its runs yield.
func draw(t *testing.T, g *graph.Graph, runs int) (x *tensor.Tensor, want [][]byte) {
	t.Helper()
	x = op.NewRand(2, 1).Uniform(tensor.Float32, tensor.Shape{1, 16, 28, 28}, -1, 1)
	p := op.NewInterpreter(g)
	for range runs {
		y, err := p.RunNamed(t.Context(), map[string]*tensor.Tensor{"x": x})
		check(t, err)
		want = append(want, bytes.Clone(tensor.Raw(y["y"])))
	}
	return x, want
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestNode runs what is exported in Node, in both modules if it knows relaxed SIMD, and compares the bits.
func TestNode(t *testing.T) {
	g := stateful(t)
	dir, _ := written(t, g)
	x, want := draw(t, g, 2)
	check(t, os.WriteFile(filepath.Join(dir, "x.bin"), tensor.Raw(x), 0o600))
	var got []struct {
		Options json.RawMessage `json:"options"`
		Exact   bool            `json:"exact"`
		Threads int             `json:"threads"`
		Runs    []string        `json:"runs"`
		Errors  []string        `json:"errors"`
	}
	check(t, json.Unmarshal([]byte(node(t, "testdata/run.mjs", dir)), &got))
	ways := []int{1, 1, 2, 3, 2, 1} // of loading it, by threads
	if len(got) != 2*len(ways) {
		t.Fatalf("there are %d results", len(got))
	}
	for i, g := range got {
		if asked := bytes.Contains(g.Options, []byte(`"exact":true`)); g.Threads != ways[i%len(ways)] || asked && !g.Exact {
			t.Errorf("%d, %s: %d threads compute, exact is %t", i, g.Options, g.Threads, g.Exact)
		}
		for run, y := range []int{0, 1, 0} { // the third one follows a reset
			if g.Runs[run] != fmt.Sprintf("%x", sha256.Sum256(want[y])) {
				t.Errorf("%d, %s: run %d yields other bits", i, g.Options, run)
			}
		}
		for j, e := range []string{`TypeError: the model has no input "z"; it has "x"`, `TypeError: input "x" must be a Float32Array of 12544 elements`,
			`RangeError: input "x" has 2 elements; it must have 12544`} {
			if g.Errors[j] != e {
				t.Errorf("%d, %s: error %d is %q; want %q", i, g.Options, j, g.Errors[j], e)
			}
		}
	}
}

// TestNames runs a model of 64-bit integers whose names mean something in scripts and in HTML.
func TestNames(t *testing.T) {
	names := []string{"__proto__", "a'\"`${$POOL}\u2028</script>\n*/ \\\\"}
	n := exported.NewNet(t, "names")
	for _, name := range names {
		n.Output(name, n.Node("neg", nil, n.Input(name, tensor.Int64, 2)))
	}
	dir, content := written(t, n.Graph())
	if types := string(content["net.d.ts"]); strings.Contains(types, "</") || strings.Count(types, ": BigInt64Array | ArrayLike<bigint>;") != len(names) {
		t.Errorf("the types are\n%s", types)
	}
	text, err := json.Marshal(names)
	check(t, err)
	script := `import { load } from "./net.js";
const names = ` + string(text) + `;
const model = await load({ worker: true });
const y = await model.run(Object.fromEntries(names.map((name, i) => [name, BigInt64Array.of(1n, BigInt(i))])));
model.close();
process.stdout.write(names.map((name) => y[name].join()).join(" "));
`
	check(t, os.WriteFile(filepath.Join(dir, "test.mjs"), []byte(script), 0o600))
	if out := node(t, filepath.Join(dir, "test.mjs")); out != "-1,0 -1,-1" {
		t.Errorf("the model says %q", out)
	}
}

// TestMixed has files of another export of the same name among those of one, as a cache may.
func TestMixed(t *testing.T) {
	args := []string{"testdata/mixed.mjs"}
	for _, name := range []string{"neg", "abs"} {
		n := exported.NewNet(t, "net")
		dir, _ := written(t, n.Graph(n.Node(name, nil, n.Input("x", tensor.Float32, 2))))
		args = append(args, dir)
	}
	out := node(t, args...)
	if n := strings.Count(out, " is of another export than file:"); n != 4 || strings.Count(out, "\n") != n {
		t.Errorf("four ways to load it come to\n%s", out)
	}
}

// TestEndedThread runs a graph of which a helper ends between two runs, and another one in the middle of one, which fails: the next run computes alone, and has
// states and weights as they were.
func TestEndedThread(t *testing.T) {
	g := stateful(t)
	m, err := wasm.Compile(g, wasm.Options{Threads: 3})
	check(t, err)
	x, want := draw(t, g, 3)
	dir := t.TempDir()
	places, err := json.Marshal(map[string]int{"pages": m.Pages, "weights": m.WeightsAt, "input": m.Inputs[0].At, "output": m.Outputs[0].At, "bytes": len(tensor.Raw(x)) * 2})
	check(t, err)
	for name, content := range map[string][]byte{"pool.mjs": []byte(export.Pool), "code": m.Code, "weights": testdata.Written(t, m.WriteWeights), "x": tensor.Raw(x), "places": places} {
		check(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	sums := make([]any, len(want))
	for i, y := range want {
		sums[i] = sha256.Sum256(y)
	}
	says := fmt.Sprintf("%x 2\n%x 1\nError: a thread has ended in the middle of a run; from now on there is one\n%x 0\n", sums...)
	if out := node(t, "testdata/ended.mjs", dir); out != says {
		t.Errorf("the runs come to\n%s\nwant\n%s", out, says)
	}
}
