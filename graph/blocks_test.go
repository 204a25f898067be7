package graph_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// branch builds a block with the inputs x and "a scale" (float16), whose output is what f makes of them.
func branch(t *testing.T, name string, f func(b *graph.Builder, x, scale *graph.Value) *graph.Value) *graph.Graph {
	t.Helper()
	v := must[*graph.Value](t)
	b := graph.NewBuilder(op.Rules, name)
	x, scale := v(b.Input("x", typeOf(tensor.Float32, 2))), v(b.Input("a scale", typeOf(tensor.Float16, 2)))
	if err := b.Output("y", f(b, x, scale)); err != nil {
		t.Fatal(err)
	}
	return must[*graph.Graph](t)(b.Build())
}

// blocks builds a graph with two nodes that own the same blocks, one of which has a node with blocks of its own.
func blocks(t *testing.T) *graph.Graph {
	t.Helper()
	v, vs := must[*graph.Value](t), must[[]*graph.Value](t)
	plain := branch(t, "plain", func(_ *graph.Builder, x, _ *graph.Value) *graph.Value { return x })
	scaled := branch(t, "scaled", func(b *graph.Builder, x, scale *graph.Value) *graph.Value {
		k := v(b.Constant("k", "", floats(t, []int{2}, 3, 4)))
		half := v(b.Constant("half", "", must[*tensor.Tensor](t)(tensor.Cast(floats(t, []int{2}, 1, 2), tensor.Float16))))
		large := v(b.Constant("large", "", floats(t, []int{17, 2}, make([]float32, 34)...)))
		stored := v(b.Constant("stored", "fc/weight", floats(t, []int{1}, 5)))
		scale = v(b.One("add", []*graph.Value{scale, half}, nil, "the scale"))
		wide := v(b.One("cast", []*graph.Value{scale}, graph.AttrsOf("dtype", tensor.Float32), ""))
		y := v(b.One("mul", []*graph.Value{x, wide}, nil, ""))
		y = v(b.One("mul", []*graph.Value{y, stored}, nil, ""))
		most := v(b.One("max_reduce", []*graph.Value{large}, graph.AttrsOf("axes", []int{0}), ""))
		y = v(b.One("mul", []*graph.Value{y, v(b.One("reshape", []*graph.Value{most}, graph.AttrsOf("shape", []int{2}), ""))}, nil, ""))
		return v(b.One("mul", []*graph.Value{y, k}, nil, ""))
	})
	nested := branch(t, "nested", func(b *graph.Builder, x, scale *graph.Value) *graph.Value {
		yes := v(b.Constant("", "", tensor.Scalar(true)))
		return vs(b.Add(graph.Node{Op: "if", In: []*graph.Value{yes, x, scale}, Blocks: []*graph.Graph{scaled, plain}}, "inner"))[0]
	})
	b := graph.NewBuilder(op.Rules, "choices")
	c, x := v(b.Input("c", typeOf(tensor.Bool))), v(b.Input("x", typeOf(tensor.Float32, 2)))
	scale := v(b.Input("scale", typeOf(tensor.Float16, 2)))
	y := vs(b.Add(graph.Node{Op: "if", In: []*graph.Value{c, x, scale}, Blocks: []*graph.Graph{plain, nested}}, "first"))[0]
	z := vs(b.Add(graph.Node{Op: "if", In: []*graph.Value{c, y, scale}, Blocks: []*graph.Graph{nested, plain}, Label: "the second"}, "second"))[0]
	if err := b.Output("z", z); err != nil {
		t.Fatal(err)
	}
	return must[*graph.Graph](t)(b.Build())
}

func TestPrintBlocks(t *testing.T) {
	g := blocks(t)
	if err := graph.Verify(g, op.Rules); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "blocks.nnef"), graph.Text(g, op.Rules))
	var labels []string
	for _, s := range graph.Storages(g, op.Rules) {
		labels = append(labels, s.Label)
	}
	if want := []string{"first_else_y_then.large", "fc/weight", "z_then_y_then.large", "fc/weight"}; !slices.Equal(slices.Sorted(slices.Values(labels)), slices.Sorted(slices.Values(want))) {
		t.Errorf("the storages are %v; want %v", labels, want)
	}
}

// TestVerifyBlocks breaks a block of a block.
func TestVerifyBlocks(t *testing.T) {
	g := blocks(t)
	inner := g.Nodes[0].Blocks[1].Nodes[0].Blocks[0]
	inner.Nodes[len(inner.Nodes)-1].Out[0].Type.DType = tensor.Int8
	err := graph.Verify(g, op.Rules)
	if err == nil || !strings.HasPrefix(err.Error(), "node 0 (if): block nested: node 0 (if): block scaled: node 7 (mul): result") || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("got %v", err)
	}
}

// TestInline puts a graph in place of a node, and refuses what does not fit.
func TestInline(t *testing.T) {
	v := must[*graph.Value](t)
	b := graph.NewBuilder(op.Rules, "sums")
	x := v(b.Input("x", typeOf(tensor.Float32, 2)))
	k := v(b.Constant("k", "", floats(t, []int{2}, 1, 2)))
	total := v(b.State("total", "", floats(t, []int{2}, 0, 0)))
	sum := v(b.One("add", []*graph.Value{x, k}, nil, "", "sum"))
	next := v(b.One("add", []*graph.Value{total, sum}, nil, "", "next"))
	if err := b.Update(total, next); err != nil {
		t.Fatal(err)
	}
	for _, o := range []graph.Output{{"y", next}, {"x", x}, {"k", k}} {
		if err := b.Output(o.Name, o.Value); err != nil {
			t.Fatal(err)
		}
	}
	inner := must[*graph.Graph](t)(b.Build())

	b = graph.NewBuilder(op.Rules, "twice")
	x = v(b.Input("x", typeOf(tensor.Float32, 2)))
	first := must[[]*graph.Value](t)(b.Inline(inner, []*graph.Value{x}))
	second := must[[]*graph.Value](t)(b.Inline(inner, first[:1]))
	if first[1] != x || second[1] != first[0] || first[2].Const == nil {
		t.Error("outputs that are inputs or constants do not stay so")
	}
	wrong := v(b.Input("wrong", typeOf(tensor.Float32, 3)))
	for _, in := range [][]*graph.Value{nil, {x, x}, {wrong}, {sum}} {
		if _, err := b.Inline(inner, in); err == nil {
			t.Errorf("%v are accepted as inputs", in)
		}
	}
	if err := b.Output("y", second[0]); err != nil {
		t.Fatal(err)
	}
	g := must[*graph.Graph](t)(b.Build())
	if err := graph.Verify(g, op.Rules); err != nil {
		t.Error(err)
	}
	golden.Compare(t, filepath.Join("testdata", "inline.nnef"), graph.Text(g, op.Rules))
}
