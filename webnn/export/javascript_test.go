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

// sameResults compares what two graphs compute from the same inputs, to the bit.
func sameResults(t testing.TB, got, want *graph.Graph, inputs map[string]*tensor.Tensor) {
	t.Helper()
	a, b := run(t, got, inputs), run(t, want, inputs)
	if len(a) != len(b) {
		t.Fatalf("there are %d outputs; there must be %d", len(a), len(b))
	}
	for name, w := range b {
		if a[name] == nil || !equal(a[name], w) {
			t.Errorf("output %s is %v; want %v", name, a[name], w)
		}
	}
}

// inputsOf draws inputs of a graph.
func inputsOf(g *graph.Graph, seed uint64) map[string]*tensor.Tensor {
	r := op.NewRand(seed, 4)
	inputs := make(map[string]*tensor.Tensor)
	for _, v := range g.Inputs {
		s := v.Type.Shape
		inputs[v.Name] = r.Tensor(v.Type.DType, s)
	}
	return inputs
}

// TestModules executes a module with applications of all operators in Node.js: the calls that it makes must build a graph that
// computes the same.
func TestModules(t *testing.T) {
	node(t)
	b := graph.NewBuilder(op.Rules, "all")
	inputs := make(map[string]*tensor.Tensor)
	for i, r := range export.Table() {
		if r.Form == kit.Refused {
			continue
		}
		d, _ := op.Lookup(r.Op)
		for seed := uint64(i); ; seed++ {
			c := d.Draw(op.NewRand(seed, 3))
			g, values := single.Graph(t, d, c, func(i int) bool { return i > 0 })
			if _, err := export.New(g, export.Options{}); err != nil {
				continue // types that WebNN lacks; other cases have others
			}
			embed(t, b, g, r.Op, values, inputs)
			break
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m := model(t, g)
	sameResults(t, played(t, m), replayed(t, m), inputs)
}

// embed adds the one node of a graph to another graph, and its inputs, which begin with a name of their own.
func embed(t testing.TB, b *graph.Builder, g *graph.Graph, prefix string, values, inputs map[string]*tensor.Tensor) {
	t.Helper()
	n := g.Nodes[0]
	in := make([]*graph.Value, len(n.In))
	for i, v := range n.In {
		var err error
		switch {
		case v == nil:
		case v.Const != nil:
			in[i], err = b.Constant(prefix+"_"+v.Name, "", v.Const)
		default:
			in[i], err = b.Input(prefix+" "+v.Name, v.Type)
			inputs[prefix+" "+v.Name] = values[v.Name]
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out, err := b.Node(n.Op, in, n.Attrs, "label of "+prefix)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range out {
		if err := b.Output(fmt.Sprintf("%s.%d", prefix, i), v); err != nil {
			t.Fatal(err)
		}
	}
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
	inputs := inputsOf(n.Graph, 1)
	sameResults(t, replayed(t, m), n.Graph, inputs)
	f, err := m.Files("digits.bin")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "testdata/digits.js.golden", string(f.JavaScript))
	t.Run("node", func(t *testing.T) { sameResults(t, played(t, m), n.Graph, inputs) })
}

// TestHostileNames holds names of all kinds to survive the way through JavaScript.
func TestHostileNames(t *testing.T) {
	names := []string{"class", "builder", "weights", "__proto__", "constructor", "</script><!--", "line\u2028separator\n\"'`${x}\\", "日本",
		"1st", "view_2", "view", "toString", "$buffer", "await", "x y", "x_y", "\x00"}
	b := graph.NewBuilder(op.Rules, "names")
	inputs := make([]*graph.Value, len(names))
	for i, name := range names {
		var err error
		if inputs[i], err = b.Input(name, graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1 + i}}); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range names {
		y, err := b.One("neg", inputs[i:i+1], nil, name, name)
		if err == nil {
			err = b.Output(name, y)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
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
	sameResults(t, replayed(t, m), g, inputsOf(g, 1))
	t.Run("node", func(t *testing.T) { sameResults(t, played(t, m), g, inputsOf(g, 1)) })
}

// TestLargeModule executes a module of many calls.
func TestLargeModule(t *testing.T) {
	n := testdata.Cases(4000, 20_000)
	b := graph.NewBuilder(op.Rules, "large")
	x, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1}})
	for i := 0; i < n && err == nil; i++ {
		x, err = b.One([]string{"neg", "abs"}[i%2], []*graph.Value{x}, nil, "")
	}
	if err == nil {
		err = b.Output("y", x)
	}
	g := built(t, b, err)
	if got := len(played(t, model(t, g)).Nodes); got != n {
		t.Errorf("the module builds %d nodes; want %d", got, n)
	}
}

// TestSpecialNumbers holds scalars of all kinds to keep their bits.
func TestSpecialNumbers(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "scalars")
	add := func(name string, x *tensor.Tensor) {
		v, err := b.Constant(name, "", x)
		if err == nil {
			err = b.Output(name, v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
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
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m := model(t, g)
	sameResults(t, replayed(t, m), g, nil)
	t.Run("node", func(t *testing.T) { sameResults(t, played(t, m), g, nil) })
}

// TestNamesOfModule holds the addresses of files and the text on the use of a module to the names that those really have.
func TestNamesOfModule(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "names")
	x, err := b.Input("an input", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1}})
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.One("neg", []*graph.Value{x}, nil, "")
	if err == nil {
		err = b.Output("out", y)
	}
	g := built(t, b, err)
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
