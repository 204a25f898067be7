package graph_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func floats(t *testing.T, shape []int, values ...float32) *tensor.Tensor {
	t.Helper()
	return must[*tensor.Tensor](t)(tensor.FromSlice(values, shape...))
}

func typeOf(d tensor.DType, shape ...int) graph.Type {
	return graph.Type{DType: d, Shape: shape}
}

// sample builds a graph that uses every construct: types that NNEF lacks, constants of all forms, a state,
// absent operands, lists of operands and results, labels, and outputs that need names of their own.
func sample(t *testing.T) *graph.Graph {
	t.Helper()
	v, vs := must[*graph.Value](t), must[[]*graph.Value](t)
	b := graph.NewBuilder(op.Rules, "a sample")
	x := v(b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{4, 2}}))
	half := v(b.Input("half precision", typeOf(tensor.Float16, 2, 3)))
	w := v(b.Constant("w", "fc/weight", floats(t, []int{3, 2}, 1, 2, 3, 4, 5, 6)))
	scale := v(b.Constant("scale", "", tensor.Scalar(float32(0.1))))
	inf := v(b.Constant("inf", "", tensor.Scalar(float32(math.Inf(1)))))
	count := v(b.State("count", "", tensor.Scalar(float32(0))))
	one := v(b.Constant("", "", tensor.Scalar(float32(1))))
	next := v(b.One("add", []*graph.Value{count, one}, nil, ""))
	if err := b.Update(count, next); err != nil {
		t.Fatal(err)
	}
	y := v(b.One("linear", []*graph.Value{x, w}, nil, "dense layer"))
	y = v(b.One("mul", []*graph.Value{y, scale}, nil, ""))
	y = v(b.One("clamp", []*graph.Value{y, nil, inf}, nil, ""))
	h := v(b.One("cast", []*graph.Value{half}, graph.Attrs{{Name: "dtype", Value: tensor.Int8}}, ""))
	parts := vs(b.Node("split", []*graph.Value{half}, graph.Attrs{{Name: "axis", Value: 1}, {Name: "ratios", Value: []int{1, 2}}}, "", "left", "right"))
	back := v(b.One("concat", []*graph.Value{parts[1], parts[0]}, graph.Attrs{{Name: "axis", Value: 1}}, ""))
	padded := v(b.One("pad", []*graph.Value{back}, graph.Attrs{{Name: "padding", Value: []int{0, 0, 1, 2}}}, ""))
	for _, o := range []graph.Output{{"y", y}, {"again", y}, {"bytes", h}, {"padded picture", padded}, {"x", x}, {"total", next}} {
		if err := b.Output(o.Name, o.Value); err != nil {
			t.Fatal(err)
		}
	}
	return must[*graph.Graph](t)(b.Build())
}

func TestPrint(t *testing.T) {
	g := sample(t)
	golden.Compare(t, filepath.Join("testdata", "sample.nnef"), graph.Text(g, op.Rules))
}

func TestVerifyAcceptsWhatIsBuilt(t *testing.T) {
	if err := graph.Verify(sample(t), op.Rules); err != nil {
		t.Error(err)
	}
}

func TestVerifyReportsAll(t *testing.T) {
	g := sample(t)
	g.Nodes[0], g.Nodes[1] = g.Nodes[1], g.Nodes[0] // mul's operand is still linear's result: only add and linear are swapped
	linear := slices.IndexFunc(g.Nodes, func(n *graph.Node) bool { return n.Op == "linear" })
	mul := slices.IndexFunc(g.Nodes, func(n *graph.Node) bool { return n.Op == "mul" })
	g.Nodes[linear], g.Nodes[mul] = g.Nodes[mul], g.Nodes[linear]
	g.Nodes[len(g.Nodes)-1].Out[0].Type.DType = tensor.Int8
	g.Inputs[1].Name = "x"
	g.Outputs[1].Name = "y"
	err := graph.Verify(g, op.Rules)
	if err == nil {
		t.Fatal("a broken graph is accepted")
	}
	for _, want := range []string{
		"two values are named x",
		`output "y" is named twice`,
		"before it is computed",
		"(pad): result pad1 is declared as int8[2,6]; it must be float16[2,6]",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the report lacks %q:\n%v", want, err)
		}
	}
}

// TestVerifyNil holds the verifier to reporting what is missing in graphs made by hand.
func TestVerifyNil(t *testing.T) {
	g := &graph.Graph{
		Inputs: []*graph.Value{nil}, Outputs: []graph.Output{{Name: "y"}},
		States: []*graph.State{nil, {}}, Nodes: []*graph.Node{nil, {Op: "relu", In: []*graph.Value{nil}, Out: []*graph.Value{nil}}},
	}
	err := graph.Verify(g, op.Rules)
	if err == nil {
		t.Fatal("a broken graph is accepted")
	}
	for _, want := range []string{"nil stands for the input", "a state is nil", "node 0 is nil", "node 1 (relu): relu: x: the operand is missing", `output "y" is nil`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the report lacks %q:\n%v", want, err)
		}
	}
}

func TestBuilderRejects(t *testing.T) {
	b, other := graph.NewBuilder(op.Rules, "g"), graph.NewBuilder(op.Rules, "other")
	v := must[*graph.Value](t)
	x := v(b.Input("x", typeOf(tensor.Float32, 2)))
	foreign := v(other.Input("x", typeOf(tensor.Float32, 2)))
	state := v(b.State("s", "", floats(t, []int{2}, 0, 0)))
	strided, err := floats(t, []int{2, 2}, 1, 2, 3, 4).Transpose()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Update(state, x); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		do   func() error
		want string
	}{
		{"input twice", func() error { _, err := b.Input("x", x.Type); return err }, "already in use"},
		{"no constant", func() error { _, err := b.Constant("c", "", nil); return err }, "the tensor is nil"},
		{"no state", func() error { _, err := b.State("c", "", nil); return err }, "the tensor is nil"},
		{"no type", func() error { _, err := b.Input("n", graph.Type{}); return err }, "not an element type"},
		{"negative extent", func() error { _, err := b.Input("n", typeOf(tensor.Int8, -1)); return err }, "negative extent"},
		{"strided constant", func() error { _, err := b.Constant("c", "", strided); return err }, "not contiguous"},
		{"no operator", func() error { _, err := b.Node("nothing", nil, nil, ""); return err }, `no operator "nothing"`},
		{"foreign operand", func() error { _, err := b.Node("neg", []*graph.Value{foreign}, nil, ""); return err }, "does not belong"},
		{"label", func() error { _, err := b.Node("neg", nil, nil, "here"); return err }, "[here] neg: x: the operand is missing"},
		{"shapes", func() error {
			y := v(b.Input("y", typeOf(tensor.Float32, 3)))
			_, err := b.Node("add", []*graph.Value{x, y}, nil, "")
			return err
		}, "shape [3] does not broadcast with [2]"},
		{"update twice", func() error { return b.Update(state, x) }, "updated twice"},
		{"update of no state", func() error { return b.Update(x, x) }, "not a state"},
		{"foreign output", func() error { return b.Output("o", foreign) }, "does not belong"},
		{"no output", func() error { _, err := b.Build(); return err }, "no output"},
	} {
		if err := tt.do(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: the error is %v; want %q", tt.name, err, tt.want)
		}
	}
}

func TestIdentifier(t *testing.T) {
	for name, want := range map[string]string{
		"x": "x", "a/b:0": "a_b_0", "1x": "_1x", "": "_", "for": "_for", "extent": "_extent", "größe": "gr____e",
	} {
		if got := graph.Identifier(name); got != want {
			t.Errorf("Identifier(%q) = %q; want %q", name, got, want)
		}
	}
}

func ExampleBuilder() {
	b := graph.NewBuilder(op.Rules, "relu of a sum")
	x, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{2, 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := b.One("add", []*graph.Value{x, x}, nil, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	y, err := b.One("relu", []*graph.Value{sum}, nil, "", "y")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := b.Output("y", y); err != nil {
		fmt.Println(err)
		return
	}
	g, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(graph.Text(g, op.Rules))
	// Output:
	// version 1.0;
	//
	// extension concord_operators;
	//
	// graph relu_of_a_sum( x ) -> ( y )
	// {
	//     x = external<scalar>(shape = [2, 3]);
	//     add1 = add(x, x);  # float32[2,3]
	//     y = relu(add1);  # float32[2,3]
	// }
}

// TestUnquoteText reads back what QuoteText writes, and refuses what it does not.
func TestUnquoteText(t *testing.T) {
	for _, text := range []string{"", "a b", `it's`, `a\'b\\`, "a;b", "\n;'\x00", "é\"", `\`} {
		quoted := graph.QuoteText(text)
		if got, rest, ok := graph.UnquoteText(quoted + " more"); !ok || got != text || rest != " more" {
			t.Errorf("%s is read as %q, %q, %v", quoted, got, rest, ok)
		}
	}
	for _, text := range []string{"", "a", "'a", `'a\`, `'a\'`, `"a`, `"\q"`} {
		if got, _, ok := graph.UnquoteText(text); ok {
			t.Errorf("%s is read as %q", text, got)
		}
	}
}

// TestPrune: what no output depends on goes, and its name is free.
func TestPrune(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "g")
	x, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{2}})
	if err != nil {
		t.Fatal(err)
	}
	y, _ := b.One("relu", []*graph.Value{x}, nil, "", "y")
	z, _ := b.One("relu", []*graph.Value{y}, nil, "", "z")
	if err := b.Output("y", y); err != nil {
		t.Fatal(err)
	}
	b.Prune()
	if _, err := b.One("relu", []*graph.Value{z}, nil, ""); err == nil {
		t.Error("a value that was removed is still an operand")
	}
	again, err := b.One("relu", []*graph.Value{y}, nil, "", "z")
	if err != nil || again.Name != "z" || b.Nodes() != 2 {
		t.Errorf("%v, %v, %d nodes", again, err, b.Nodes())
	}
}
