package nnef

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/tensor"
)

// gates divides the last dimension of a tensor into gates of a recurrent cell.
func (l *tractLowering) gates(arg string, n int) []*graph.Value {
	v, hidden := l.tensor(arg), l.int("hidden")
	shape := l.shape(v)
	if l.Err == nil && (len(shape) == 0 || hidden < 1 || hidden > limits.TractCount || shape[len(shape)-1] != n*hidden) {
		l.fail(eval.CodeShape, arg, "the shape %v does not hold %d gates of %d elements", shape, n, hidden)
	}
	out := make([]*graph.Value, n)
	for i := range out {
		if l.Err == nil {
			out[i] = l.part(v, len(shape)-1, i*hidden, (i+1)*hidden)
		}
	}
	return out
}

// tractLSTM makes the states of a cell from the sums at its gates i, o, f and c.
func tractLSTM(l *tractLowering) []*graph.Value {
	g := l.gates("preact", 4)
	kept := l.op("mul", l.op("sigmoid", g[2]), l.tensor("c_prev"))
	cell := l.Named(l.named(1), "add", nil, kept, l.op("mul", l.op("sigmoid", g[0]), l.op("tanh", g[3])))
	if l.Err != nil {
		return nil
	}
	hidden := l.Named(l.named(0), "mul", nil, l.op("sigmoid", g[1]), l.op("tanh", cell[0]))
	return append(hidden, cell...)
}

// tractGRU makes the state of a cell from the sums at its gates z, r and h, of the input and of the state.
func tractGRU(l *tractLowering) []*graph.Value {
	x, r, h := l.gates("xh", 3), l.gates("rh", 3), l.tensor("h_prev")
	update := l.op("sigmoid", l.op("add", x[0], r[0]))
	reset := l.op("sigmoid", l.op("add", x[1], r[1]))
	next := l.op("tanh", l.op("add", x[2], l.op("mul", reset, r[2])))
	return l.result("add", []*graph.Value{next, l.op("mul", update, l.op("sub", h, next))})
}

// tractRope turns pairs of elements, half the last dimension apart, by angles.
func tractRope(l *tractLowering) []*graph.Value {
	x := l.tensor("input")
	shape := l.shape(x)
	if l.Err == nil && (len(shape) == 0 || shape[len(shape)-1]%2 != 0) {
		l.fail(eval.CodeShape, "input", "the last extent of %v is not even", shape)
	}
	if l.Err != nil {
		return nil
	}
	last := len(shape) - 1
	half := shape[last] / 2
	turned := x
	if half > 0 {
		parts := []*graph.Value{l.op("neg", l.part(x, last, half, 2*half)), l.part(x, last, 0, half)}
		turned = l.step("concat", parts, attr("axis", last))
	}
	cos, sin := l.unsqueezed(l.tensor("cos"), len(shape)), l.unsqueezed(l.tensor("sin"), len(shape))
	return l.result("add", []*graph.Value{l.op("mul", x, cos), l.op("mul", turned, sin)})
}

// masked adds a mask to scores, or leaves out those where a mask of truth values does not hold.
func (l *tractLowering) masked(scores, mask *graph.Value) *graph.Value {
	if mask == nil || scores == nil {
		return scores
	}
	mask = l.unsqueezed(mask, rank(scores))
	if mask != nil && mask.Type.DType == tensor.Bool {
		return l.op("select", mask, scores, l.like(scores, math.Inf(-1)))
	}
	return l.op("add", scores, l.Cast(mask, scores.Type.DType))
}

func tractMaskedSoftmax(l *tractLowering) []*graph.Value {
	x, mask := l.tensor("input"), l.tensor("mask")
	scores := l.masked(l.op("mul", x, l.like(x, l.float("scale"))), mask)
	axes := attr("axes", []int{rank(x) - 1})
	if l.Err == nil && l.bool("post_softmax_mask") && mask.Type.DType == tensor.Bool {
		weights := l.step("softmax", []*graph.Value{scores}, axes)
		return l.result("select", []*graph.Value{l.unsqueezed(mask, rank(x)), weights, l.like(x, 0)})
	}
	return l.result("softmax", []*graph.Value{scores}, axes)
}

// tractAttention is scaled dot-product attention of tensors (batch, heads, rows, elements), or without heads. Several
// heads of q may share one of k and v.
func tractAttention(l *tractLowering) []*graph.Value {
	q, k, v, mask := l.tensor("q"), l.tensor("k"), l.tensor("v"), l.tensor("mask")
	qs, ks := l.shape(q), l.shape(k)
	if l.Err == nil && (len(qs) != len(ks) || len(ks) != rank(v) || len(qs) != 3 && len(qs) != 4) {
		l.fail(eval.CodeShape, "q", "q, k and v have the ranks %d, %d and %d; they must all be 3 or 4", len(qs), len(ks), rank(v))
	}
	if l.Err != nil {
		return nil
	}
	d := l.dtypeOr("acc_datum_type", q.Type.DType)
	element, rows, columns := q.Type.DType, qs[len(qs)-2], ks[len(ks)-2]
	q, k, v = l.Cast(q, d), l.Cast(k, d), l.Cast(v, d)
	shared := len(qs) == 4 && qs[1] != ks[1]
	if shared {
		q, k, v, mask = l.grouped(q, k, v, mask)
	}
	scale := 1 / math.Sqrt(float64(max(ks[len(ks)-1], 1)))
	if v := l.c.Arg("scale"); v != (eval.Absent{}) {
		scale, _ = l.converted("scale", v, attrTypes[graph.KindFloat]).(float64)
	}
	if l.bool("is_causal") {
		mask = l.causal(rows, columns)
	}
	if l.Err != nil {
		return nil
	}
	scores := l.step("matmul", []*graph.Value{q, k}, attr("transposeB", true))
	scores = l.masked(l.op("mul", scores, l.like(q, scale)), mask)
	weights := l.step("softmax", []*graph.Value{scores}, attr("axes", []int{rank(q) - 1}))
	if !shared && element == d {
		return l.result("matmul", []*graph.Value{weights, v})
	}
	out := l.step("matmul", []*graph.Value{weights, v})
	if shared {
		out = l.step("reshape", []*graph.Value{out}, attr("shape", []int{qs[1]}), attr("axis_start", 1), attr("axis_count", 2))
	}
	return l.result("cast", []*graph.Value{out}, attr("dtype", element))
}

// grouped gives the heads of q that share one of k and v a dimension of their own.
func (l *tractLowering) grouped(q, k, v, mask *graph.Value) (_, _, _, _ *graph.Value) {
	heads, groups := l.shape(q)[1], l.shape(k)[1]
	if groups == 0 || heads%groups != 0 {
		l.fail(eval.CodeShape, "k", "%d heads of q cannot share %d heads of k", heads, groups)
		return q, k, v, mask
	}
	split := func(x *graph.Value) *graph.Value {
		extents := []int{groups, heads / groups}
		return l.step("reshape", []*graph.Value{x}, attr("shape", extents), attr("axis_start", 1), attr("axis_count", 1))
	}
	if mask != nil {
		mask = l.unsqueezed(mask, 4)
		if shape := l.shape(mask); l.Err == nil && shape[1] == heads {
			mask = split(mask)
		} else {
			mask = l.Unsqueeze(mask, 2)
		}
	}
	return split(q), l.Unsqueeze(k, 2), l.Unsqueeze(v, 2), mask
}

// causal returns whether a row may see a column: those up to its own, counted from the end.
func (l *tractLowering) causal(rows, columns int) *graph.Value {
	own := l.Reshape(l.iota(rows, tensor.Int64), rows, 1)
	seen := l.Reshape(l.iota(columns, tensor.Int64), 1, columns)
	shift := l.constant([]eval.Value{int64(columns - rows)}, tensor.Int64, tensor.Shape{})
	return l.op("le", seen, l.op("add", own, shift))
}

// floats returns an argument of type scalar[].
func (l *tractLowering) floats(arg string) []float64 {
	list, _ := l.c.Arg(arg).(eval.Array)
	out := make([]float64, len(list))
	for i, v := range list {
		out[i], _ = v.(float64)
	}
	return out
}
