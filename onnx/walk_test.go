package onnx_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
)

var two = model.Values{"x": array([]int{2}, float32(1), 2)}

// TestGraphs: what graphs may say, and what they may not.
func TestGraphs(t *testing.T) {
	add := func() *proto.Graph {
		return stored(graphOf("x: float[2] -> y: float[2]", node("Add", "x, c -> y")), "c", []int{2}, float32(10), 20)
	}
	expect(t, modelOf(13, add()), two, "y", []int{2}, float32(11), 22)

	listed := add()
	listed.Input = append(listed.Input, infos("c: float[2]")...)
	expect(t, modelOf(13, listed), two, "y", []int{2}, float32(11), 22)

	unsorted := stored(graphOf("x: float[2] -> y", node("Add", "z, c -> y"), node("Abs", "x -> z")), "c", []int{2}, float32(10), 20)
	expect(t, modelOf(13, unsorted), two, "y", []int{2}, float32(11), 22)

	expect(t, modelOf(13, graphOf("x: float[2] -> x")), two, "x", []int{2}, float32(1), 2)

	texts := stored(graphOf("x: float[2] -> y", node("Constant", "-> s", "value_string", "a"), node("Constant", "-> t", "value", &proto.Tensor{DataType: proto.String}),
		node("Add", "x, c -> y")), "c", []int{2}, float32(10), 20)
	texts.Initializer = append(texts.Initializer, &proto.Tensor{Name: "u", DataType: proto.String, StringData: []string{"b"}, Dims: []int64{1}})
	expect(t, modelOf(13, texts), two, "y", []int{2}, float32(11), 22)

	for want, g := range map[string]*proto.Graph{
		`value_strings: tensors of strings are not supported`:                                       graphOf("x: float[2] -> y", node("Constant", "-> s", "value_strings", []string{"a"}), node("Add", "x, s -> y")),
		`the value "w" is read, but nothing yields it`:                                              graphOf("x: float[2] -> y", node("Add", "x, w -> y")),
		"the operator is not supported":                                                             graphOf("x: float[2] -> y", node("own.Odd", "x -> y")),
		"alpha: the operator has no such attribute":                                                 graphOf("x: float[2] -> y", node("Abs", "x -> y", "alpha", 1)),
		"node #0 (Abs, opset 13): 2 operands are named":                                             graphOf("x: float[2] -> y", node("Abs", "x, x -> y")),
		"(Add, opset 13): B: the operand is missing":                                                graphOf("x: float[2] -> y", node("Add", "x -> y")),
		"out of scope: tensors of strings":                                                          graphOf("x: float[2] -> y", node("StringSplit", "x -> y")),
		"tensors of strings are not supported":                                                      graphOf("x: string[2] -> x"),
		"the model has no outputs":                                                                  graphOf("x: float[2] ->"),
		"dimension 0 has the extent 4611686018427387904":                                            graphOf("x: float[4611686018427387904] -> x"),
		"then_branch: the attribute is an integer":                                                  graphOf("x: float[2] -> y", node("If", "x -> y", "then_branch", 1, "else_branch", graphOf("-> x"))),
		"shape [3] does not broadcast with [2]":                                                     stored(graphOf("x: float[2] -> y", node("Add", "x, c -> y")), "c", []int{3}, float32(1), 2, 3),
		"with [1,2]: the extents 3 and 2 of dimension 1 differ (aligned to one rank: [2] as [1,2])": stored(graphOf("x: float[2] -> y", node("Add", "x, c -> y")), "c", []int{2, 3}, float32(1), 2, 3, 4, 5, 6),
	} {
		refused(t, modelOf(13, g), two, want)
	}
	refused(t, modelOf(0, add()), two, "opset 0 is not supported; it must be from 1")
	refused(t, modelOf(99, add()), two, "opset 99 is not supported")
	refused(t, &proto.Model{IRVersion: 8}, nil, "the file holds no graph")
	refused(t, &proto.Model{IRVersion: 2, Graph: add()}, nil, "IR version 2 is not supported")
}

// TestTraining: what a model has for its training does not matter.
func TestTraining(t *testing.T) {
	m := modelOf(13, graphOf("x: float[2] -> y", node("Neg", "x -> y")))
	m.TrainingInfo = []*proto.TrainingInfo{{Algorithm: graphOf("-> z", node("Nothing", "w -> z"))}}
	expect(t, m, two, "y", []int{2}, float32(-1), -2)
}

// TestShapes: symbols are bound before anything is inferred, whatever their names are.
func TestShapes(t *testing.T) {
	g := func(shape string) *proto.Graph {
		return graphOf("x: float"+shape+", w: float"+shape+" -> y", node("Add", "x, w -> y"))
	}
	in := model.Values{"x": array([]int{2}, float32(1), 2), "w": array([]int{2}, float32(10), 20)}
	for _, shape := range []string{"[N]", "[2 * n + 1]", "[?]", "[]]", ""} {
		expect(t, modelOf(13, g(shape)), in, "y", []int{2}, float32(11), 22)
	}
	matrix := model.Values{"x": array([]int{1, 2}, float32(1), 2), "w": array([]int{2, 1}, float32(10), 20)}
	expect(t, modelOf(13, g("[?,?]")), matrix, "y", []int{2, 2}, float32(11), 12, 21, 22) // is no name: each is another one
	n, err := network(t, modelOf(13, g("[N]")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Graph(nil); err == nil || err.Error() != "input x: float32[N]: the extent N must be given a number" {
		t.Error(err)
	}
}

// TestFunctions: functions of the model are inlined, with their attributes, in scopes of their own.
func TestFunctions(t *testing.T) {
	twice := &proto.Function{Name: "Twice", Domain: "own", Input: []string{"a"}, Output: []string{"b"}, OpsetImport: []*proto.OperatorSet{{Version: 13}},
		Node: []*proto.Node{node("Add", "a, a -> b")}}
	four := &proto.Function{Name: "Four", Domain: "own", Input: []string{"a", "unused"}, Output: []string{"c", "b"}, OpsetImport: []*proto.OperatorSet{{Version: 13}, {Domain: "own", Version: 1}},
		Node: []*proto.Node{node("own.Twice", "a -> b"), node("own.Twice", "b -> c")}}
	expect(t, modelOf(13, graphOf("x: float[2] -> y", node("own.Four", "x -> y")), twice, four), two, "y", []int{2}, float32(4), 8)
	expect(t, modelOf(13, graphOf("x: float[2] -> b", node("own.Four", "x -> , b")), twice, four), two, "b", []int{2}, float32(2), 4)

	// One with the name of an operator of the standard that there is not, or not yet, and one in place of a row.
	for _, name := range []string{"Newest", "Neg"} {
		f := &proto.Function{Name: name, Input: []string{"a"}, Output: []string{"b"}, Node: []*proto.Node{node("Add", "a, a -> b")}}
		expect(t, modelOf(13, graphOf("x: float[2] -> y", node(name, "x -> y")), f), two, "y", []int{2}, float32(2), 4)
	}

	refused(t, modelOf(13, graphOf("x: float[2] -> y", node("own.Four", "x -> y", "k", 1)), twice, four), two, "has no such attribute")
	outside := &proto.Function{Name: "Outside", Domain: "own", Input: []string{"a"}, Output: []string{"b"}, OpsetImport: []*proto.OperatorSet{{Version: 13}},
		Node: []*proto.Node{node("Add", "a, x -> b")}}
	refused(t, modelOf(13, graphOf("x: float[2] -> y", node("own.Outside", "x -> y")), outside), two, `reads the value "x"`)
}

// TestIf: a condition that is known chooses a branch; one that is not runs both as blocks, or in parts if their shapes differ.
func TestIf(t *testing.T) {
	branches := func(then, other *proto.Graph) *proto.Graph {
		return stored(graphOf("x: float[2], c: bool[] -> y", node("If", "c -> y", "then_branch", then, "else_branch", other)), "long", []int{3}, float32(7), 8, 9)
	}
	in := func(c bool) model.Values { return model.Values{"x": two["x"], "c": array(nil, c)} }
	same := branches(graphOf("-> t", node("Add", "x, x -> t")), graphOf("-> e", node("Abs", "x -> e")))
	expect(t, modelOf(13, same), in(true), "y", []int{2}, float32(2), 4)
	expect(t, modelOf(13, same), in(false), "y", []int{2}, float32(1), 2)
	n, err := network(t, modelOf(13, same))
	if err != nil {
		t.Fatal(err)
	}
	if g, err := n.Graph(nil); err != nil || len(g.Nodes) != 1 || g.Nodes[0].Op != "if" {
		t.Errorf("%v\n%v", graph.Text(g, op.Rules), err)
	}
	differ := branches(graphOf("-> t", node("Add", "x, x -> t")), graphOf("-> e", node("Abs", "long -> e")))
	expect(t, modelOf(13, differ), in(true), "y", []int{2}, float32(2), 4)
	expect(t, modelOf(13, differ), in(false), "y", []int{3}, float32(7), 8, 9)
	wrong := branches(graphOf("-> t", node("Add", "x, x -> t")), graphOf("-> e", node("Add", "x, long -> e")))
	expect(t, modelOf(13, wrong), in(true), "y", []int{2}, float32(2), 4)
	refused(t, modelOf(13, wrong), in(false), "in If: #0 (Add, opset 13)")
}

// TestLoop: loops run as such where shapes stay, and turn by turn where they do not.
func TestLoop(t *testing.T) {
	body := func(nodes ...*proto.Node) *proto.Graph {
		return graphOf("i: int64[], c: bool[], v: float -> c, w, p", nodes...)
	}
	add := node("Add", "v, x -> w")
	loop := func(b *proto.Graph, operands string) *proto.Graph {
		return graphOf("x: float[2], m: int64[], c: bool[] -> last, all", node("Loop", operands+" -> last, all", "body", b))
	}
	in := model.Values{"x": two["x"], "m": array(nil, int64(3)), "c": array(nil, true)}
	asLoop := loop(body(add, node("Abs", "w -> p")), "m, , x")
	expect(t, modelOf(13, asLoop), in, "last", []int{2}, float32(4), 8)
	expect(t, modelOf(13, asLoop), in, "all", []int{3, 2}, float32(2), 4, 3, 6, 4, 8)
	asLoop = stored(loop(body(add, node("Abs", "w -> p")), "three, , x"), "three", nil, int64(3))
	expect(t, modelOf(13, asLoop), in, "all", []int{3, 2}, float32(2), 4, 3, 6, 4, 8)
	n, err := network(t, modelOf(13, asLoop))
	if err != nil {
		t.Fatal(err)
	}
	if g, err := n.Graph(nil); err != nil || len(g.Nodes) != 1 || g.Nodes[0].Op != "loop" {
		t.Errorf("%v, %v", g, err)
	}
}

// TestTimeInLoops: the limit of time holds in loops without an end, also in one another; see TestBadInput for that of operations.
func TestTimeInLoops(t *testing.T) {
	body := graphOf("i: int64[], c: bool[], v: float -> c, w", node("Add", "v, x -> w"))
	for range 3 {
		n, err := network(t, modelOf(13, graphOf("x: float[2] -> last", node("Loop", ", , x -> last", "body", body))))
		if err != nil {
			t.Fatal(err)
		}
		p := model.NewPrograms(n, engine.Options{Limits: engine.Limits{Operations: math.MaxInt64, Time: 50 * time.Millisecond}}, 0)
		if _, err := p.Run(context.Background(), two); !like(err, &engine.LimitError{What: "time"}) {
			t.Errorf("the error is %v", err)
		}
		p.Close()
		body = graphOf("i: int64[], c: bool[], v: float -> c, w", node("Loop", ", c, v -> w", "body", body))
	}
}

// doubling returns functions F0 to Fn, each of which calls the one before twice.
func doubling(n int) []*proto.Function {
	out := []*proto.Function{{Name: "F0", Domain: "own", Input: []string{"a"}, Output: []string{"b"}, OpsetImport: []*proto.OperatorSet{{Version: 13}},
		Node: []*proto.Node{node("Abs", "a -> b")}}}
	for i := 1; i <= n; i++ {
		before := fmt.Sprintf("own.F%d", i-1)
		out = append(out, &proto.Function{Name: fmt.Sprintf("F%d", i), Domain: "own", Input: []string{"a"}, Output: []string{"c"},
			OpsetImport: []*proto.OperatorSet{{Version: 13}, {Domain: "own", Version: 1}}, Node: []*proto.Node{node(before, "a -> b"), node(before, "b -> c")}})
	}
	return out
}

// TestWorkLimit: each turn of a loop in parts is within the limit of a part.
func TestWorkLimit(t *testing.T) {
	testdata.Exhaustive(t, "it takes seconds")
	g, in := trips(graphOf("x: float[2] -> y", node("Loop", "m, , x -> y", "body", graphOf("i, c, v -> c, w", node("own.F14", "i -> f"), node("Concat", "v, x -> u", "axis", 0),
		node("Greater", "u, two -> some"), node("Compress", "u, some -> w", "axis", 0)))), false, 100)
	refused(t, modelOf(13, stored(g, "two", nil, float32(1)), doubling(14)...), in, fmt.Sprintf("all parts of the model takes more than %d steps", limits.ONNXWork))
}

// TestImportLimits reaches the bounds of what a model may make the importer do.
func TestImportLimits(t *testing.T) {
	testdata.Wide(t)
	functions := doubling(40)
	refused(t, modelOf(13, graphOf("x: float[2] -> y", node("own.F40", "x -> y")), functions...), two, fmt.Sprintf("takes more than %d steps", limits.ONNXSteps))

	long := strings.Repeat("x", limits.ONNXName+1)
	refused(t, modelOf(13, graphOf("x: float[2] -> y", node("Abs", "x -> "+long), node("Abs", "x -> y"))), two, fmt.Sprintf("has %d bytes", len(long)))

	wrong := graphOf("x: float[2] -> x")
	for i := range limits.ONNXErrors + 5 {
		wrong.Node = append(wrong.Node, node("Odd", fmt.Sprintf("x -> y%d", i)))
	}
	var all onnx.Errors
	if _, err := network(t, modelOf(13, wrong)); !errors.As(err, &all) || len(all) != limits.ONNXErrors+1 || all[limits.ONNXErrors].Msg != "there are more mistakes" {
		t.Errorf("%d mistakes, %v", len(all), err)
	}

	deep := graphOf("-> z", node("Abs", "x -> z"))
	for range limits.ONNXNesting {
		deep = graphOf("-> z", node("If", "c -> z", "then_branch", deep, "else_branch", graphOf("-> x")))
	}
	deep = graphOf("x: float[2], c: bool[] -> z", node("If", "c -> z", "then_branch", deep, "else_branch", graphOf("-> x")))
	refused(t, modelOf(13, deep), nil, fmt.Sprintf("more than %d deep", limits.ONNXNesting))
	for i := range functions { // each calls the one before, once
		functions[i].Node = functions[i].Node[:1]
		functions[i].Output = functions[i].Node[0].Output
	}
	for i := len(functions); i <= limits.ONNXNesting; i++ {
		f := *functions[i-1]
		f.Name, f.Node = fmt.Sprintf("F%d", i), []*proto.Node{node(fmt.Sprintf("own.F%d", i-1), "a -> b")}
		functions = append(functions, &f)
	}
	slices.Reverse(functions)
	refused(t, modelOf(13, graphOf("x: float[2] -> y", node("own.F0", "x -> y")), functions...), nil, fmt.Sprintf("more than %d deep", limits.ONNXNesting))

	list := stored(graphOf("x: float[2] -> y", node("Reshape", "x, s -> y")), "s", []int{limits.ONNXList + 1}, make([]int64, limits.ONNXList+1)...)
	refused(t, modelOf(13, list), two, fmt.Sprintf("may have at most %d numbers", limits.ONNXList))

	pieces := graphOf("x: float[2000000000] -> y", node("SplitToSequence", "x -> q"), node("SequenceLength", "q -> y"))
	refused(t, modelOf(13, pieces), nil, fmt.Sprintf("at most %d are allowed", limits.ONNXList))

	sparse := graphOf("-> y")
	for i := range int64(limits.ONNXSparse/limits.ONNXDense) + 2 {
		name := fmt.Sprintf("s%d", i)
		sparse.SparseInitializer = append(sparse.SparseInitializer, &proto.SparseTensor{Dims: []int64{limits.ONNXDense},
			Values: message(name, []int{1}, uint8(1)), Indices: message("", []int{1}, i)})
		sparse.Node = append(sparse.Node, node("Shape", name+" -> n"+name))
	}
	sparse.Node = append(sparse.Node, node("Shape", "s0 -> y"))
	refused(t, modelOf(13, sparse), nil, fmt.Sprintf("more than %d bytes with their zeros", limits.ONNXSparse))

	n := limits.ONNXAsked/8 + 1
	shape := array([]int{n}, make([]int64, n)...)
	asks := graphOf("x: float[2], s: int64[N] -> y", node("Reshape", "x, s -> y"))
	refused(t, modelOf(13, asks), model.Values{"x": two["x"], "s": shape}, "may decide how to go on")

	// Beyond the bound the elements are not computed when the graph is made, but asked for.
	count := strconv.Itoa(limits.ONNXFolded/8 + 1)
	made := graphOf("x: float["+count+"] -> y", node("Shape", "x -> n"), node("ConstantOfShape", "n -> z", "value", message("", []int{1}, int64(1))),
		node("ReduceMax", "z -> k", "keepdims", 1), node("ConstantOfShape", "k -> y", "value", message("", []int{1}, float32(7))))
	m, err := network(t, modelOf(13, made))
	if err != nil {
		t.Fatal(err)
	}
	var parts *model.PartsError
	if _, err := m.Graph(nil); !errors.As(err, &parts) {
		t.Errorf("%v", err)
	}
}
