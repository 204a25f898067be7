package webnn

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Broadcasting in WebNN aligns dimensions at the end. The operators want operands of one rank, or scalars.

// bidirectional returns the shape to which two shapes broadcast each other, and whether they do; if not, the shape means
// nothing.
func bidirectional(a, b tensor.Shape) (tensor.Shape, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := a.Clone()
	for i, n := range b {
		d := len(a) - len(b) + i
		if out[d] != n && out[d] != 1 && n != 1 {
			return a, false
		}
		out[d] = max(out[d], n)
	}
	return out, true
}

// unidirectional reports whether a shape broadcasts to another one, which stays as it is.
func unidirectional(from, to tensor.Shape) bool {
	if len(from) > len(to) {
		return false
	}
	for i, n := range from {
		if n != 1 && n != to[len(to)-len(from)+i] {
			return false
		}
	}
	return true
}

// broadcast returns the operands of the given names, which must broadcast to one another, aligned to one rank.
func (l *lowering) broadcast(names ...string) []*graph.Value {
	values := make([]*graph.Value, len(names))
	to := tensor.Shape{}
	for i, name := range names {
		values[i] = l.operand(name)
		both, ok := bidirectional(to, values[i].Type.Shape)
		if !ok {
			l.reject("broadcast", "the shape %v of %s does not broadcast with %v", values[i].Type.Shape, name, to)
		}
		to = both
	}
	return l.AlignRight(values...)
}
