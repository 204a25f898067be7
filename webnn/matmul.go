package webnn

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Products of matrices.

func gemm(l *lowering) []*graph.Value {
	a, b, c := l.operand("a"), l.operand("b"), l.operand("c")
	left, right := slices.Clone(a.Type.Shape), slices.Clone(b.Type.Shape)
	if l.bool("aTranspose") {
		slices.Reverse(left)
	}
	if l.bool("bTranspose") {
		slices.Reverse(right)
	}
	if left[1] != right[0] {
		l.reject("shape", "a has %d columns, transposed if that is asked for; it must have as many as b has rows, %d", left[1], right[0])
	}
	if out := (tensor.Shape{left[0], right[1]}); c != nil && !unidirectional(c.Type.Shape, out) {
		l.reject("c.shape", "the shape %v of c does not broadcast to that of the product, %v", c.Type.Shape, out)
	}
	return one(l.Node("gemm", emit.Attr("alpha", l.floatAs("alpha", a), "beta", l.floatAs("beta", a),
		"transposeA", l.bool("aTranspose"), "transposeB", l.bool("bTranspose")), a, b, c))
}

func matmul(l *lowering) []*graph.Value {
	a, b := l.operand("a"), l.operand("b")
	left, right := a.Type.Shape, b.Type.Shape
	m, n := len(left)-2, len(right)-2
	if left[m+1] != right[n] {
		l.reject("shape", "a has %d columns; it must have as many as b has rows, %d", left[m+1], right[n])
	}
	if _, ok := bidirectional(left[:m], right[:n]); !ok {
		l.reject("broadcast", "the leading dimensions %v of a and %v of b do not broadcast with each other", left[:m], right[:n])
	}
	return one(l.Node("matmul", nil, l.AlignRight(a, b)...))
}
