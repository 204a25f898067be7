package nnef

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// provisional has the operations of the provisional dialect that the final one does not have, or has with another formula or other shapes. Where there is
// nil, the body that std/provisional.nnef gives is meant, although there is an operator of the name.
var provisional = map[string]func(l *lowering) []*graph.Value{
	"idn":                  applied("copy"),
	"matmul":               lowerMatrices,
	"select":               after(uniform, applied("select")),
	"linear_quantize":      nil,
	"logarithmic_quantize": nil,
}

// In the provisional dialect extents of 1 at the end of a shape do not count, so that a tensor has as many dimensions as
// an operation asks for; and where a list has an item for each dimension, those at the end may be left out.

// rank returns the number of dimensions of a value whose shape is known.
func (l *lowering) rank(v *graph.Value) int { return len(l.Shape(v)) }

// extended gives a value of the provisional dialect at least so many dimensions.
func (l *lowering) extended(v *graph.Value, rank int) *graph.Value {
	if l.dialect != syntax.Provisional || v == nil || l.Err != nil || rank > maxRank {
		return v
	}
	have := l.rank(v)
	return l.Unsqueeze(v, emit.Counting(have, rank-have)...)
}

// maxRank bounds the dimensions that attributes can ask for.
const maxRank = limits.NNEFRank

// filled adds neutral items to a list that is shorter than n, in the provisional dialect.
func (l *lowering) filled(list []int, n, neutral int) []int {
	if l.dialect == syntax.Provisional && len(list) > 0 && len(list) < n {
		return append(slices.Clip(list), slices.Repeat([]int{neutral}, n-len(list))...)
	}
	return list
}

// each returns an argument that has an item for each of n dimensions, or none.
func (l *lowering) each(name string, n, neutral int) []int { return l.filled(l.ints(name), n, neutral) }

// reach returns how many dimensions the arguments of an operation ask for, which counts in the provisional dialect.
func (l *lowering) reach() int {
	n := 0
	for i := range l.c.Op.Params {
		switch p := l.c.Op.Params[i].Name; p {
		case "axes":
			for _, a := range l.ints(p) {
				n = max(n, a+1)
			}
		case "axis":
			n = max(n, l.int(p)+1)
		case "perm", "size":
			n = max(n, len(l.ints(p)))
		}
	}
	return n
}

// kernel returns the arguments input and filter with equal ranks, in the provisional dialect.
func (l *lowering) kernel() (input, filter *graph.Value) {
	input, filter = l.tensor("input"), l.tensor("filter")
	filter = l.reduced(filter, max(l.rank(input), 3))
	rank := max(l.rank(input), l.rank(filter), 3)
	return l.extended(input, rank), l.extended(filter, rank)
}

// reduced takes away dimensions at the end that have the extent 1 and are more than rank, in the provisional dialect.
func (l *lowering) reduced(v *graph.Value, rank int) *graph.Value {
	if l.dialect != syntax.Provisional {
		return v
	}
	shape := l.Shape(v)
	n := max(rank, len(trimmed(shape)))
	return l.Squeeze(v, emit.Counting(n, len(shape)-n)...)
}

// matrix returns an argument with two dimensions, in the provisional dialect.
func (l *lowering) matrix(name string) *graph.Value {
	v := l.extended(l.tensor(name), 2)
	if v = l.reduced(v, 2); l.rank(v) > 2 && l.dialect == syntax.Provisional {
		l.fail(eval.CodeShape, name, "the shape %v is not that of a matrix; only the first two extents may differ from 1", l.Shape(v))
	}
	return v
}

func lowerMatrices(l *lowering) []*graph.Value {
	return l.result("matmul", []*graph.Value{l.matrix("A"), l.matrix("B")}, attr("transposeA", l.bool("trA")), attr("transposeB", l.bool("trB")))
}

// uniform is the rule of the provisional select: the arguments have equal shapes, or one element.
func uniform(l *lowering) {
	var shape tensor.Shape
	for _, p := range l.c.Op.Params {
		v, _ := l.ValueOf(l.c.Arg(p.Name))
		s := l.Shape(v) // no dimensions for a literal
		if l.Err != nil || s.Len() == 1 {
			continue
		}
		own := trimmed(s)
		if shape == nil {
			shape = own
		}
		if !shape.Equal(own) {
			l.fail(eval.CodeShape, p.Name, "the shape %v differs from that of another argument; the shapes must be equal, or of one element", s)
		}
	}
}
