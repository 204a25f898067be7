package onnx_test

import (
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// handMade returns models of what few cases of the standard have: functions, loops in loops, quantised networks, operators of com.microsoft, and others whose
// operands hardly ever fit together by chance.
func handMade(tb testing.TB) []*sound {
	tb.Helper()
	var out []*sound
	add := func(name string, m *proto.Model, in model.Values) {
		b, err := proto.Encode(m)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, &sound{name: name, encoded: b, in: in})
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range patterns {
		add("quantised "+patterns[i].name, patterns[i].quantised(r, true), nil)
	}
	row := func(opset int64, n *proto.Node, in ...*tensor.Tensor) {
		c := rowCase{opset: opset, node: n, in: in}
		m, values := c.model(tb, false)
		add(n.OpType, m, values)
	}
	q, k, v := waves(1, batch, length, heads*size), waves(2, batch, length, heads*size), waves(3, batch, length, heads*size)
	flags := array([]int{batch, length}, int32(1), 1, 0, 1, 0, 0)
	row(1, node("com.microsoft.MultiHeadAttention", "q, k, v, b, m, a -> y, pk, pv", "num_heads", heads), q, k, v, waves(4, 3*heads*size), flags,
		waves(5, batch, heads, length, length))
	row(1, node("com.microsoft.MultiHeadAttention", "q, , , , , , pk, pv -> y, nk, nv", "num_heads", heads), waves(1, batch, length, heads, 3, size),
		waves(2, batch, heads, 2, size), waves(3, batch, heads, 2, size))
	row(1, node("com.microsoft.GroupQueryAttention", "q, k, v, pk, pv, n, total, cos, sin -> y, nk, nv", "num_heads", heads, "kv_num_heads", heads, "do_rotary", 1),
		q, k, v, waves(4, batch, heads, 2, size), waves(5, batch, heads, 2, size), array([]int{batch}, int32(length+1), length+1), array([]int{1}, int32(length+2)),
		waves(6, 8, size/2), waves(7, 8, size/2))
	row(12, node("Einsum", "a, b, c -> y", "equation", "bij,bjk,...k->b...i"), waves(1, 2, 3, 4), waves(2, 2, 4, 5), waves(3, 6, 5))
	row(12, node("Einsum", "a, b -> y", "equation", "iij,jkk->ki"), waves(1, 3, 3, 4), waves(2, 4, 2, 2))

	twice := &proto.Function{Name: "Twice", Domain: "own", Input: []string{"a", "b"}, Output: []string{"c", "d"}, Attribute: []string{"axis"},
		OpsetImport: []*proto.OperatorSet{{Version: 18}, {Domain: "own", Version: 1}}, Node: []*proto.Node{
			node("Concat", "a, a -> c", "axis", reference{"axis", proto.AttributeInt}), node("own.Scaled", "c -> d")}}
	scaled := &proto.Function{Name: "Scaled", Domain: "own", Input: []string{"x", "by"}, Output: []string{"y"}, AttributeProto: []*proto.Attribute{attr("alpha", float32(2))},
		OpsetImport: []*proto.OperatorSet{{Version: 18}}, Node: []*proto.Node{node("LeakyRelu", "x -> y", "alpha", reference{"alpha", proto.AttributeFloat})}}
	in := model.Values{"x": two["x"], "m": array(nil, int64(3)), "t": array(nil, true)}
	add("functions", modelOf(18, graphOf("x: float[2] -> y, z", node("own.Twice", "x -> y, z", "axis", 0)), twice, scaled), in)
	add("loops", modelOf(18, graphOf("x: float[N], m: int64[], t: bool[] -> y, n", node("Loop", "m, t, x -> y, n", "body", graphOf("i, c, v -> t, w, k",
		node("Cast", "i -> f", "to", int(proto.Float)), node("Greater", "v, f -> some"), node("Compress", "v, some -> u", "axis", 0), node("Size", "u -> k"),
		node("If", "t -> z", "then_branch", graphOf("-> x"), "else_branch", graphOf("-> u")),
		node("Loop", "k, , z -> w", "body", graphOf("j, go, s -> go, r", node("own.Scaled", "s -> r")))))), scaled), in)
	add("lists", modelOf(18, graphOf("x: float[2] -> y", node("SplitToSequence", "x -> q", "axis", 0),
		node("SequenceMap", "q, x -> p", "body", graphOf("e, x -> r", node("Add", "e, x -> r"))), node("SequenceErase", "p -> o"), node("SequenceInsert", "o, x -> n"),
		node("ConcatFromSequence", "n -> y", "axis", 0, "new_axis", 1))), in)
	return out
}

// TestHandMade: the models run, so that changed ones reach far.
func TestHandMade(t *testing.T) {
	for _, s := range handMade(t) {
		if !try(t, s.decoded(), s.in) {
			t.Errorf("%s: it does not run: %v", s.name, attempt(s.decoded(), s.in))
		}
	}
}
