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
	b.Reserve(map[string]bool{"const1": true})
	for i, want := range []string{"const2", "const3"} {
		if got := v(b.Constant("", "", floats(t, []int{1}, 0))); got.Name != want {
			t.Errorf("constant %d is named %s; want %s", i, got.Name, want)
		}
	}
	if _, err := b.Input("const4", typeOf(tensor.Float32)); err != nil {
		t.Fatal(err)
	}
	if got := v(b.Constant("", "", floats(t, []int{1}, 0))); got.Name != "const5" {
		t.Errorf("beside the input const4 a constant is named %s", got.Name)
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

// TestVerifyReports damages a graph in one way after the other.
func TestVerifyReports(t *testing.T) {
	of := func(g *graph.Graph, op string) *graph.Node {
		return g.Nodes[slices.IndexFunc(g.Nodes, func(n *graph.Node) bool { return n.Op == op })]
	}
	turned := must[*tensor.Tensor](t)(floats(t, []int{2, 3}, 1, 2, 3, 4, 5, 6).Transpose())
	for want, damage := range map[string]func(g *graph.Graph){
		"input x is also a constant or a result":                  func(g *graph.Graph) { g.Inputs[0].Const = tensor.Scalar(float32(1)) },
		"input x: shape [4,-2] has the negative":                  func(g *graph.Graph) { g.Inputs[0].Type.Shape[1] = -2 },
		"state count is float32[]; its first content is int8[]":   func(g *graph.Graph) { g.States[0].Init = tensor.Scalar(int8(1)) },
		"state count is float32[]; its update linear1 is":         func(g *graph.Graph) { g.States[0].Next = of(g, "linear").Out[0] },
		"the graph has no output":                                 func(g *graph.Graph) { g.Outputs = nil },
		"value x is defined twice":                                func(g *graph.Graph) { g.Inputs = append(g.Inputs, g.Inputs[0]) },
		"constant w is declared as float32[3,2] and holds int8[]": func(g *graph.Graph) { of(g, "linear").In[1].Const = tensor.Scalar(int8(1)) },
		"constant w is not contiguous":                            func(g *graph.Graph) { of(g, "linear").In[1].Const = turned },
		"(linear [dense layer]): its attributes are not complete": func(g *graph.Graph) { n := of(g, "linear"); n.Attrs = n.Attrs[1:] },
		"(cast) has 2 results; there must be 1": func(g *graph.Graph) {
			n := of(g, "cast")
			n.Out = append(n.Out, &graph.Value{Name: "more", Producer: n})
		},
		"(cast): result cast1 names another producer or is":        func(g *graph.Graph) { n := of(g, "cast"); n.Out[0].Producer = nil },
		"(cast): result cast1 names another producer or is a cons": func(g *graph.Graph) { n := of(g, "cast"); n.Out[0].Const = tensor.Scalar(int8(1)) },
	} {
		g := sample(t)
		damage(g)
		if err := graph.Verify(g, op.Rules); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want %s", err, want)
		}
	}
	g, states := blocks(t), sample(t)
	g.Nodes[0].Blocks[0] = states
	refused(t, graph.Verify(g, op.Rules), "node 0 (if): block a_sample has states; only a whole graph can")
}

// TestOrigins rewrites a graph and its blocks, in two steps that put one of the blocks in the place of its node.
func TestOrigins(t *testing.T) {
	g := blocks(t)
	var again func(b *graph.Graph) (*graph.Graph, error)
	again = func(b *graph.Graph) (*graph.Graph, error) { return graph.Rewrite(b, op.Rules, again, keep) }
	must := must[*graph.Graph](t)
	first := must(graph.Rewrite(g, op.Rules, again, keep))
	second := must(graph.Rewrite(first, op.Rules, nil, func(r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error) {
		if n.Op == "if" && n.Label != "" {
			return r.Inline(n.Blocks[0], in[1:])
		}
		return r.Keep(in)
	}))
	for old := range g.Graphs() {
		if len(old.Nodes) == 0 {
			continue
		}
		if y := old.Nodes[0].Out[0]; first.Origin().Values[y] == nil || first.Origin().Values[y] == y {
			t.Errorf("nothing new stands for the result of the first node of %s", old.Name)
		}
	}
	o := first.Origin().Then(second.Origin())
	if o.Values[g.Inputs[0]] != second.Inputs[0] || o.Nodes[second.Nodes[0]] != g.Nodes[0] || o.Nodes[second.Nodes[1]] != g.Nodes[1] {
		t.Errorf("the origin of two steps leads elsewhere: %v", o)
	}
	if o.Inlined[second.Nodes[0]] || !o.Inlined[second.Nodes[1]] {
		t.Errorf("nodes of a block: %v", o.Inlined)
	}
	if back := second.Origin().Then(must(graph.Rewrite(second, op.Rules, nil, keep)).Origin()); len(back.Inlined) != 1 {
		t.Errorf("a third step leaves %d nodes of a block", len(back.Inlined))
	}
}

// TestReads holds what reads which values to absent operands, and to states that no run changes.
func TestReads(t *testing.T) {
	g := sample(t)
	if live := g.Reachable(); live[nil] || !live[g.Inputs[1]] {
		t.Error("an operand that is absent is reachable, or one that is there is not")
	}
	if uses := g.Uses(); uses[nil] != nil || len(uses[g.Inputs[1]]) != 2 {
		t.Error("an operand that is absent is used, or one that is there is not")
	}
	next := g.States[0].Next
	g.Outputs = g.Outputs[:1]
	if !slices.Contains(g.Roots(), next) || !g.Reachable()[next] {
		t.Error("the update of a state is not computed")
	}
	g.States[0].Next = nil
	if slices.Contains(g.Roots(), nil) || g.Reachable()[nil] {
		t.Error("a state without an update has one")
	}
	if text := graph.Text(g, op.Rules); !strings.Contains(text, "count_next = update(count, count);") {
		t.Errorf("a state that no run changes: %s", text)
	}
}

// TestTriedNames takes back names by the number, those that were there before not.
func TestTriedNames(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "g")
	x := must[*graph.Value](t)(b.Input("x", typeOf(tensor.Float32, 2)))
	neg := func() *graph.Value { return must[*graph.Value](t)(b.One("neg", []*graph.Value{x}, nil, "")) }
	neg()
	no := errors.New("no")
	if err := b.Try(func() error { neg(); neg(); return no }); !errors.Is(err, no) {
		t.Error(err)
	}
	if y := neg(); y.Name != "neg2" {
		t.Errorf("the next result is %s", y.Name)
	}
}

func TestDeclaration(t *testing.T) {
	sig := graph.Signature{
		Operands: []graph.OperandSig{{Name: "x", Type: "?"}, {Name: "bias", Type: "scalar", Optional: true}, {Name: "more", Type: "integer", Variadic: true}},
		Attrs:    []graph.AttrSig{{Name: "padding", Kind: graph.KindInts, Pairs: true}, {Name: "dtype", Kind: graph.KindDType}, {Name: "axis", Kind: graph.KindInt, Default: 1}},
		Results:  []graph.ResultSig{{Name: "y", Type: "scalar"}, {Name: "rest", Type: "integer", Variadic: true}},
		Blocks:   []string{"body"},
	}
	const want = "fragment of_own<?>( x: tensor<?>, bias: tensor<scalar> = 0.0, more: tensor<integer>[], padding: (integer,integer)[], dtype: string, " +
		"axis: integer = 1, body: string ) -> ( y: tensor<scalar>, rest: tensor<integer>[] );"
	if got := graph.Declaration("of own", sig); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestPrintStandard has labels in comments, and constants as they are written where they are used.
func TestPrintStandard(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "g")
	v := must[*graph.Value](t)
	x := v(b.Input("x", typeOf(tensor.Int64, 2)))
	three := v(b.Constant("three", "", must[*tensor.Tensor](t)(tensor.FromSlice([]int64{3, 4}, 2))))
	y := v(b.One("add", []*graph.Value{x, three}, nil, "the sum"))
	if err := b.Output("y", y); err != nil {
		t.Fatal(err)
	}
	g := must[*graph.Graph](t)(b.Build())
	var text strings.Builder
	if err := graph.PrintForm(&text, g, op.Rules, graph.Form{Standard: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`  # int64[2] "the sum"`, "[3, 4]"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the document lacks %q:\n%s", want, text.String())
		}
	}
	if names := graph.Identifiers(sample(t)); names["scale"] != "" || names["w"] == "" || names["half precision"] != "half_precision" {
		t.Errorf("identifiers: %v", names)
	}
}

func TestNoBuilder(t *testing.T) {
	var b graph.Builder
	_, err := b.Input("x", typeOf(tensor.Float32, 2))
	refused(t, err, "there is no builder")
	_, err = b.Inline(must[*graph.Graph](t)(sample(t), nil), nil)
	refused(t, err, "there is no builder")
	_, err = graph.NewBuilder(op.Rules, "g").Inline(nil, nil)
	refused(t, err, "the graph to put in is nil")
}
