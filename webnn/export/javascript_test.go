package export_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/internal/testdata/single"
	"github.com/concord-nn/concord/internal/testing/exported"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/export"
	"github.com/concord-nn/concord/webnn/session"
)

// node returns the command of Node.js.
func node(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node.js is not installed")
	}
	return path
}

// model exports a graph.
func model(t testing.TB, g *graph.Graph) *export.Model {
	t.Helper()
	m, err := export.New(g, export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// played executes the module of a model with a builder that records the calls, and returns the graph that they build.
func played(t testing.TB, m *export.Model) *graph.Graph {
	t.Helper()
	command := node(t)
	f, err := m.Files("weights.bin")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range map[string][]byte{"model.js": f.JavaScript, "weights.bin": testdata.Written(t, f.Weights), "package.json": []byte(`{"type":"module"}`)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	fake, err := filepath.Abs("testdata/fake.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command, fake, filepath.Join(dir, "model.js"), filepath.Join(dir, "weights.bin"))
	var problems bytes.Buffer
	cmd.Stderr = &problems
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, problems.String(), f.JavaScript)
	}
	s, err := session.Decode(text, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.Graph(nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, f.JavaScript)
	}
	return g
}

// replayed returns the graph that the files of a model build in Go.
func replayed(t testing.TB, m *export.Model) *graph.Graph {
	t.Helper()
	f, err := m.Files("weights.bin")
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.Decode(f.Session, testdata.Written(t, f.Weights), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, f.Session)
	}
	g, err := s.Graph(nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, f.Session)
	}
	return g
}

// TestModules executes a module with applications of all operators in Node.js: the calls that it makes must build a graph that
// computes the same.
func TestModules(t *testing.T) {
	node(t)
	n := exported.NewNet(t, "all")
	inputs := make(map[string]*tensor.Tensor)
	for i, r := range export.Table() {
		if r.Form == kit.Refused {
			continue
		}
		d, _ := op.Lookup(r.Op)
		for seed := uint64(i); ; seed++ {
			c := d.Draw(op.NewRand(seed, 3))
			constant := func(i int) bool { return i > 0 }
			g, _ := single.Graph(t, d, c, constant)
			if _, err := export.New(g, export.Options{}); err == nil {
				single.Add(t, n.B, d, c, r.Op+" ", inputs, constant)
				break
			} // types that WebNN lacks; other cases have others
		}
	}
	m := model(t, n.Graph())
	exported.Same(t, played(t, m), replayed(t, m), inputs)
}

// TestDigits exports the model of an example, and runs what was exported.
func TestDigits(t *testing.T) {
	n, err := nnef.Load("../../examples/digits/model.nnef", nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	m := model(t, n.Graph)
	if len(m.Approximations) > 0 {
		t.Errorf("the results may differ: %v", m.Approximations)
	}
	inputs := exported.Inputs(n.Graph, 1)
	exported.Same(t, replayed(t, m), n.Graph, inputs)
	f, err := m.Files("digits.bin")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/digits.js.golden", string(f.JavaScript))
	t.Run("node", func(t *testing.T) { exported.Same(t, played(t, m), n.Graph, inputs) })
}

// TestHostileNames holds names of all kinds to survive the way through JavaScript.
func TestHostileNames(t *testing.T) {
	names := []string{"class", "builder", "weights", "__proto__", "constructor", "</script><!--", "line\u2028separator\n\"'`${x}\\", "日本",
		"1st", "view_2", "view", "toString", "$buffer", "await", "x y", "x_y", "\x00"}
	n := exported.NewNet(t, "names")
	inputs := make([]*graph.Value, len(names))
	for i, name := range names {
		inputs[i] = n.Input(name, tensor.Float32, 1+i)
	}
	for i, name := range names {
		n.Output(name, n.Must(n.B.One("neg", inputs[i:i+1], nil, name, name)))
	}
	g := n.Graph()
	m := model(t, g)
	f, err := m.Files("weights.bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"</script", "<!--", "\u2028", "\x00"} {
		if strings.Contains(string(f.JavaScript), bad) {
			t.Errorf("the module contains %q", bad)
		}
	}
	exported.Same(t, replayed(t, m), g, exported.Inputs(g, 1))
	t.Run("node", func(t *testing.T) { exported.Same(t, played(t, m), g, exported.Inputs(g, 1)) })
}

// TestLargeModule executes a module of many calls.
func TestLargeModule(t *testing.T) {
	nodes := testdata.Cases(4000, 20_000)
	n := exported.NewNet(t, "large")
	x := n.Input("x", tensor.Float32, 1)
	for i := range nodes {
		x = n.Node([]string{"neg", "abs"}[i%2], nil, x)
	}
	if got := len(played(t, model(t, n.Graph(x))).Nodes); got != nodes {
		t.Errorf("the module builds %d nodes; want %d", got, nodes)
	}
}

// TestSpecialNumbers holds scalars of all kinds to keep their bits.
func TestSpecialNumbers(t *testing.T) {
	n := exported.NewNet(t, "scalars")
	add := func(name string, x *tensor.Tensor) { n.Output(name, n.Constant(name, x)) }
	r := op.NewRand(3, 4)
	for i := range 40 {
		add(fmt.Sprintf("f%d", i), r.Extremes(tensor.Float32, tensor.Shape{}))
		add(fmt.Sprintf("h%d", i), r.Extremes(tensor.Float16, tensor.Shape{}))
	}
	for _, d := range []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Int32, tensor.Uint32, tensor.Int64, tensor.Uint64} {
		lo, hi := d.IntRange()
		least, err1 := tensor.Cast(tensor.Scalar(lo), d)
		most, err2 := tensor.Cast(tensor.Scalar(hi), d)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		add("least_"+d.String(), least)
		add("most_"+d.String(), most)
	}
	g := n.Graph()
	m := model(t, g)
	exported.Same(t, replayed(t, m), g, nil)
	t.Run("node", func(t *testing.T) { exported.Same(t, played(t, m), g, nil) })
}

// TestNamesOfModule holds the addresses of files and the text on the use of a module to the names that those really have.
func TestNamesOfModule(t *testing.T) {
	n := exported.NewNet(t, "names")
	g := n.Output("out", n.Node("neg", nil, n.Input("an input", tensor.Float32, 1))).Graph()
	f, err := model(t, g).Files("a#b?c%41.bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`new URL("./a%23b%3Fc%2541.bin", import.meta.url)`,
		`from "./a%23b%3Fc%2541.js"`,
		`"an input": await context.createTensor({ ...inputs["an input"], writable: true }),`,
		`writeTensor(given["an input"], `,
		`readTensor(results.out)`,
	} {
		if !strings.Contains(string(f.JavaScript), want) {
			t.Errorf("the module does not contain %s:\n%s", want, f.JavaScript)
		}
	}
}
