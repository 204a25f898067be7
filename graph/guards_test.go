package graph_test

import (
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// refused holds an error to beginning with a text.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v; want %s…", err, want)
	}
}

// scattered returns a tensor whose elements do not lie side by side.
func scattered(t *testing.T) *tensor.Tensor {
	t.Helper()
	return must[*tensor.Tensor](t)(floats(t, []int{2, 2}, 1, 2, 3, 4).Slice(1, 0, 1, 1))
}

// TestBuilderRefuses gives every method what it must refuse, and holds the builder to going on as if nothing had been.
func TestBuilderRefuses(t *testing.T) {
	v := must[*graph.Value](t)
	foreign := v(graph.NewBuilder(op.Rules, "other").Input("x", typeOf(tensor.Float32, 2)))
	b := graph.NewBuilder(op.Rules, "g")
	x, s := v(b.Input("x", typeOf(tensor.Float32, 2))), v(b.State("s", "", floats(t, []int{2}, 0, 0)))
	half := v(b.One("cast", []*graph.Value{x}, graph.AttrsOf("dtype", tensor.Float16), ""))
	value := func(_ *graph.Value, err error) error { return err }
	refused(t, value(b.Input("x", typeOf(tensor.Float32, 2))), `input "x": the name is already in use`)
	refused(t, value(b.Input("z", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{-1}})), `input "z": `)
	refused(t, value(b.Constant("k", "", nil)), `constant "k": the tensor is nil`)
	refused(t, value(b.Constant("k", "", scattered(t))), `constant "k": the tensor float32[2,1] is not contiguous`)
	refused(t, value(b.State("k", "", nil)), `state "k": the tensor is nil`)
	refused(t, value(b.State("k", "", scattered(t))), `state "k": the tensor float32[2,1] is not contiguous`)
	refused(t, b.Update(s, foreign), "update: the new value does not belong to this graph")
	refused(t, b.Update(s, half), "update: state s is float32[2]; the new value cast1 is float16[2]")
	refused(t, b.Update(x, x), "update: the value is not a state of this graph")
	refused(t, value(b.One("neg", []*graph.Value{foreign}, nil, "")), "neg: operand 0 does not belong to this graph")
	refused(t, value(b.One("neg", []*graph.Value{foreign}, nil, "label")), "neg [label]: operand 0 does not belong to this graph")
	refused(t, value(b.One("no such", nil, nil, "label")), "[label] ")
	refused(t, value(b.One("split", []*graph.Value{x}, graph.AttrsOf("axis", 0, "ratios", []int{1, 1}), "")), "split yields 2 results where one is expected")
	refused(t, b.Output("y", foreign), `output "y": the value does not belong to this graph`)
	if _, err := b.Build(); err == nil || err.Error() != "graph g has no output" {
		t.Errorf("without an output: %v", err)
	}
	for _, err := range []error{b.Update(s, x), b.Output("y", half)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	refused(t, b.Update(s, x), "update: state s is updated twice")
	refused(t, b.Output("y", x), `output "y" is named twice`)
	b.Rename(foreign, "mine")
	b.Rename(x, "mine")
	b.Rename(half, half.Name)
	if foreign.Name != "x" || x.Name != "x" || half.Name != "cast1" {
		t.Errorf("renamed to %s, %s and %s", foreign.Name, x.Name, half.Name)
	}
	if err := b.Try(func() error { v(b.Constant("tried", "", floats(t, []int{1}, 0))); return nil }); err != nil {
		t.Error(err)
	}
	if again := v(b.Constant("tried", "", floats(t, []int{1}, 0))); again.Name == "tried" {
		t.Error("what was tried with success is taken back")
	}
	for i, want := range []string{"const1", "const2"} {
		if got := v(b.Constant("", "", floats(t, []int{1}, 0))); got.Name != want {
			t.Errorf("constant %d is named %s; want %s", i, got.Name, want)
		}
	}
	if _, err := b.Input("const3", typeOf(tensor.Float32)); err != nil {
		t.Fatal(err)
	}
	if got := v(b.Constant("", "", floats(t, []int{1}, 0))); got.Name != "const4" {
		t.Errorf("beside the input const3 a constant is named %s", got.Name)
	}
	v(b.One("abs", []*graph.Value{v(b.One("neg", []*graph.Value{x}, nil, ""))}, nil, "")) // which nothing needs
	b.Prune()
	if g := must[*graph.Graph](t)(b.Build()); len(g.Nodes) != 1 || g.Nodes[0].Out[0] != half {
		t.Errorf("after pruning there are %d nodes", len(g.Nodes))
	}
}

// broken returns graphs with a mistake each, by what is said of it where they are inlined and rewritten.
func broken(t *testing.T) map[string]*graph.Graph {
	t.Helper()
	f2 := typeOf(tensor.Float32, 2)
	x, lost := &graph.Value{Name: "x", Type: f2}, &graph.Value{Name: "lost", Type: f2}
	state := func(init *tensor.Tensor, next *graph.Value) *graph.State {
		return &graph.State{Value: &graph.Value{Name: "s", Type: f2}, Init: init, Next: next}
	}
	wide := &graph.Value{Name: "wide", Type: typeOf(tensor.Float32, 3), Const: floats(t, []int{3}, 1, 2, 3)}
	uneven := &graph.Value{Name: "uneven", Type: f2, Const: scattered(t)}
	zeros := floats(t, []int{2}, 0, 0)
	y := []graph.Output{{Name: "y", Value: x}}
	neg := func(in *graph.Value) *graph.Node {
		return &graph.Node{Op: "neg", In: []*graph.Value{in}, Out: []*graph.Value{{Name: "n", Type: f2}}}
	}
	return map[string]*graph.Graph{
		"value lost is used before it is computed":                     {Name: "g", Inputs: []*graph.Value{x}, Outputs: y, Nodes: []*graph.Node{neg(lost)}},
		"value lost is used before it is computed ":                    {Name: "g", Inputs: []*graph.Value{x}, Outputs: []graph.Output{{Name: "y", Value: lost}}},
		"value lost is used before it is computed  ":                   {Name: "g", Inputs: []*graph.Value{x}, Outputs: y, States: []*graph.State{state(zeros, lost)}},
		`state "s": the tensor float32[2,1] is not contiguous`:         {Name: "g", Inputs: []*graph.Value{x}, Outputs: y, States: []*graph.State{state(scattered(t), nil)}},
		"update: state s is float32[2]; the new value wide is":         {Name: "g", Inputs: []*graph.Value{x}, Outputs: y, States: []*graph.State{state(zeros, wide)}},
		`constant "uneven": the tensor float32[2,1] is not contiguous`: {Name: "g", Inputs: []*graph.Value{x}, Outputs: y, Nodes: []*graph.Node{neg(uneven)}},
		"": {Name: "g", Inputs: []*graph.Value{x}, Outputs: y, States: []*graph.State{state(zeros, nil)}},
	}
}

// keep rewrites nothing.
func keep(r *graph.Rewriter, _ *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
	return r.Keep(in)
}

// TestBrokenGraphs inlines and rewrites graphs that no builder has made.
func TestBrokenGraphs(t *testing.T) {
	for want, g := range broken(t) {
		want = strings.TrimSpace(want)
		b := graph.NewBuilder(op.Rules, "into")
		x := must[*graph.Value](t)(b.Input("x", typeOf(tensor.Float32, 2)))
		_, inlined := b.Inline(g, []*graph.Value{x})
		_, rewritten := graph.Rewrite(g, op.Rules, nil, keep)
		for _, err := range []error{inlined, rewritten} {
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("got %v; want %q", err, want)
			}
		}
	}
	x := &graph.Value{Name: "x", Type: typeOf(tensor.Float32, 2)}
	double := &graph.Graph{Name: "g", Inputs: []*graph.Value{x, {Name: "x", Type: x.Type}}, Outputs: []graph.Output{{Name: "y", Value: x}}}
	if _, err := graph.Rewrite(double, op.Rules, nil, keep); err == nil {
		t.Error("two inputs of one name are rewritten")
	}
	double.Inputs, double.Outputs = double.Inputs[:1], append(double.Outputs, double.Outputs...)
	if _, err := graph.Rewrite(double, op.Rules, nil, keep); err == nil {
		t.Error("two outputs of one name are rewritten")
	}
}

// TestNilParts gives every function of a graph what has nil in it.
func TestNilParts(t *testing.T) {
	x := &graph.Value{Name: "x", Type: typeOf(tensor.Float32, 2)}
	y := []graph.Output{{Name: "y", Value: x}}
	block := &graph.Node{Op: "if", Blocks: []*graph.Graph{nil}}
	for name, g := range map[string]*graph.Graph{
		"graph": nil, "input": {Inputs: []*graph.Value{nil}, Outputs: y}, "output": {Outputs: []graph.Output{{Name: "y"}}}, "state": {Outputs: y, States: []*graph.State{nil}},
		"node": {Outputs: y, Nodes: []*graph.Node{nil}}, "result": {Outputs: y, Nodes: []*graph.Node{{Op: "neg", Out: []*graph.Value{nil}}}}, "block": {Outputs: y, Nodes: []*graph.Node{block}},
	} {
		if err := graph.Print(io.Discard, g, op.Rules); err == nil || !strings.Contains(err.Error(), "nil") {
			t.Errorf("a nil %s is printed: %v", name, err)
		}
		if _, err := graph.Rewrite(g, op.Rules, nil, keep); err == nil || !strings.Contains(err.Error(), "nil") {
			t.Errorf("a nil %s is rewritten: %v", name, err)
		}
		if err := graph.Verify(g, op.Rules); err == nil {
			t.Errorf("a nil %s is verified", name)
		}
		if graph.Identifiers(g) != nil || len(graph.Identity(g).Values) != 0 {
			t.Errorf("a nil %s has identifiers", name)
		}
	}
	g := &graph.Graph{Name: "g", Inputs: []*graph.Value{x}, Outputs: y}
	refused(t, graph.Print(io.Discard, g, nil), "the rules of operators are nil")
	refused(t, graph.Verify(g, nil), "the rules of operators are nil")
	g.Nodes = []*graph.Node{{Op: "no such", In: []*graph.Value{x, x}, Out: []*graph.Value{{Name: "n", Type: x.Type}}}}
	refused(t, graph.Print(io.Discard, g, op.Rules), `there is no operator "no such"`)
	if text := graph.Text(g, op.Rules); text != `# there is no operator "no such"` {
		t.Errorf("the text is %s", text)
	}
	if got := graph.TypeOf(nil); !got.Equal(graph.Type{}) {
		t.Errorf("the type of no tensor is %v", got)
	}
}

// TestRewriteRefuses makes the functions of a rewriting fail.
func TestRewriteRefuses(t *testing.T) {
	no := errors.New("no")
	g := blocks(t)
	rewrite := func(block func(*graph.Graph) (*graph.Graph, error), f func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error)) error {
		_, err := graph.Rewrite(g, op.Rules, block, f)
		return err
	}
	refused(t, rewrite(nil, func(*graph.Rewriter, *graph.Node, []*graph.Value) ([]*graph.Value, error) { return nil, no }), "no")
	refused(t, rewrite(nil, func(*graph.Rewriter, *graph.Node, []*graph.Value) ([]*graph.Value, error) { return nil, nil }), "rewriting if yields 0 values for 1 results")
	refused(t, rewrite(func(*graph.Graph) (*graph.Graph, error) { return nil, no }, keep), "block plain: no")
	refused(t, rewrite(nil, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		if n.Op != "if" {
			return nil, no
		}
		return r.Inline(slices.MaxFunc(n.Blocks, func(a, b *graph.Graph) int { return len(a.Nodes) - len(b.Nodes) }), in[1:])
	}), "no")
	if err := rewrite(nil, keep); err != nil {
		t.Error(err)
	}
	if _, err := graph.Rewrite(sample(t), op.Rules, nil, keep); err != nil { // with operands that are absent
		t.Error(err)
	}
	halved := func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		if n.Op != "neg" {
			return r.Keep(in)
		}
		half, err := r.One("cast", in, graph.AttrsOf("dtype", tensor.Float16), "")
		return []*graph.Value{half}, err
	}
	b := graph.NewBuilder(op.Rules, "g")
	x := must[*graph.Value](t)(b.Input("x", typeOf(tensor.Float32, 2)))
	y := must[*graph.Value](t)(b.One("abs", []*graph.Value{must[*graph.Value](t)(b.One("neg", []*graph.Value{x}, nil, ""))}, nil, "", "kept"))
	if err := b.Output("y", y); err != nil {
		t.Fatal(err)
	}
	made := must[*graph.Graph](t)(graph.Rewrite(must[*graph.Graph](t)(b.Build()), op.Rules, nil, halved))
	if v := made.Output("y"); v.Type.DType != tensor.Float16 || v.Name != "kept" {
		t.Errorf("behind a cast the result is %s: %v", v.Name, v.Type)
	}
}

// taken counts what a loop gets that ends at some item.
func taken[T any](seq iter.Seq[T], end int) (n int) {
	for range seq {
		if n++; n == end {
			break
		}
	}
	return n
}

// TestLoopsEnd ends loops over values, constants and graphs everywhere.
func TestLoopsEnd(t *testing.T) {
	g := blocks(t)
	b := graph.NewBuilder(op.Rules, "g")
	v := must[*graph.Value](t)
	x, s := v(b.Input("x", typeOf(tensor.Float32, 2))), v(b.State("s", "", floats(t, []int{2}, 0, 0)))
	k := v(b.Constant("k", "", floats(t, []int{2}, 1, 2)))
	sum := v(b.One("add", []*graph.Value{x, k}, nil, ""))
	for _, err := range []error{b.Update(s, sum), b.Output("y", sum), b.Output("k", v(b.Constant("", "", floats(t, []int{2}, 1, 2)))),
		b.Output("l", v(b.Constant("", "", floats(t, []int{2}, 1, 2))))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	plain := must[*graph.Graph](t)(b.Build())
	for name, seq := range map[string]iter.Seq[*graph.Value]{"values": plain.Values(), "constants": plain.Constants()} {
		for end := range len(slices.Collect(seq)) {
			if n := taken(seq, end+1); n != end+1 {
				t.Errorf("%s: %d of %d are taken", name, n, end+1)
			}
		}
	}
	for end := range len(slices.Collect(g.Graphs())) {
		if n := taken(g.Graphs(), end+1); n != end+1 {
			t.Errorf("graphs: %d of %d are taken", n, end+1)
		}
	}
	if plain.Input("x") != x || plain.Input("y") != nil || plain.Output("y") != sum || plain.Output("x") != nil {
		t.Error("inputs and outputs are not found by name")
	}
}

// TestAttrsOf makes attributes of what is none.
func TestAttrsOf(t *testing.T) {
	a := graph.AttrsOf("a", 1, 2, 3, "b")
	if len(a) != 3 || a[0] != (graph.Attr{Name: "a", Value: 1}) || a[1].Name != "!(2)" || a[2].Name != "!(b)" {
		t.Errorf("made are %v", a)
	}
	if with := a.With("a", 2); len(with) != 3 || with.Int("a") != 2 || a.Int("a") != 1 || len(a.With("c", 1)) != 4 {
		t.Errorf("changed is %v", with)
	}
	if got := graph.Kind(0).String() + graph.Kind(99).String() + graph.KindInts.String(); got != "kind(0)kind(99)integer[]" {
		t.Errorf("the kinds are %s", got)
	}
	for _, s := range []string{"", "x", "ab'", `"x`, "'x"} {
		if _, _, ok := graph.UnquoteText(s); ok {
			t.Errorf("%s is read as a text", s)
		}
	}
	if s := graph.StorageLabel(&graph.Value{Name: "n", Label: "l"}) + graph.StorageLabel(&graph.Value{Name: "n"}); s != "ln" {
		t.Errorf("the labels are %s", s)
	}
}
