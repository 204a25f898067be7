package nnef_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// The rows that TestAddOperator adds to a family of package op: an operator that computes, and one that says it is a view and what
// it may be replaced by.
const addedRows = `
	primitive("cube", "Cube returns x · x · x, each product rounded.", Spec{},
		func(x float32) float32 { return float32(x*x) * x }, func(x float64) float64 { return float64(x*x) * x }),
	func() *Def {
		d := unary("keep", "Keep returns x, bit by bit.", Spec{}, AnyType, everyType(copyElements))
		d.View, d.Simplify = whole, ifSameType
		return d
	}(),
`

// TestAddOperator adds operators in one file, as CONTRIBUTING says, and looks whether what stands on package op knows them: it runs
// TestAddedOperator with that file in the place of the repository's.
func TestAddOperator(t *testing.T) {
	testdata.Exhaustive(t, "it compiles package op and what stands on it anew")
	if _, ok := op.Lookup("cube"); ok {
		t.Skip("this is the run with the operators added")
	}
	family := filepath.Join(testdata.Root(t), "op", "unary.go")
	source, err := os.ReadFile(family)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(source), "var unaryOps = []*Def{")
	if !ok {
		t.Fatal("the family has no list")
	}
	dir := t.TempDir()
	replaced, overlay := filepath.Join(dir, "unary.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{family: replaced}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{replaced: before + "var unaryOps = []*Def{" + addedRows + after, overlay: string(list)} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-overlay", overlay, "-vet=off", "-run", "^TestAddedOperator$", "-v", ".")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestAddedOperator")) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestAddedOperator looks at the operators that TestAddOperator adds.
func TestAddedOperator(t *testing.T) {
	cube, ok := op.Lookup("cube")
	if !ok {
		t.Skip("TestAddOperator runs it with the operators added")
	}
	g := addedGraph(t)
	if err := graph.Verify(g, op.Rules); err != nil {
		t.Error(err)
	}
	text := graph.Text(g, op.Rules)
	back, err := nnef.Parse("added.nnef", []byte(text), nnef.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again := graph.Text(back, op.Rules); again != text {
		t.Errorf("it is written as\n%s\nand read as\n%s", text, again)
	}

	x, err := tensor.FromSlice([]float32{-2, 0.1, 3}, 3)
	if err != nil {
		t.Fatal(err)
	}
	want, err := op.Eval(cube, []*tensor.Tensor{x}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, plain := range []bool{true, false} {
		p, err := engine.Compile(back, engine.Options{NoOptimize: plain})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		got, err := p.Run(t.Context(), map[string]*tensor.Tensor{"x": x})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got["y"].Bytes(), want[0].Bytes()) {
			t.Errorf("without passes %v: %v, want %v", plain, got["y"], want[0])
		}
		if nodes := len(p.Graph().Nodes); plain != (nodes == 3) {
			t.Errorf("without passes %v: %d nodes are left", plain, nodes)
		}
	}
}

// addedGraph returns the cubes of x, between two nodes that do nothing.
func addedGraph(t *testing.T) *graph.Graph {
	b := graph.NewBuilder(op.Rules, "added")
	v, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{3}})
	for _, name := range []string{"keep", "cube", "keep"} {
		if err == nil {
			v, err = b.One(name, []*graph.Value{v}, nil, "")
		}
	}
	if err == nil {
		err = b.Output("y", v)
	}
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}
