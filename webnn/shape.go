package webnn

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Methods that rearrange elements.

// maxTensorCount is the greatest "valid tensor count" of the standard: of the inputs of concat and the results of split.
const maxTensorCount = limits.WebNNTensors

func concat(l *lowering) []*graph.Value {
	inputs, axis := l.operands("inputs"), l.int("axis")
	if n := len(inputs); n == 0 || n > maxTensorCount {
		l.reject("inputs.count", "%d inputs are given; there must be from 1 to %d", n, maxTensorCount)
		return nil
	}
	first := inputs[0].Type.DType
	want := shape(inputs[0])
	if axis >= len(want) {
		l.reject("axis", "axis %d is no dimension of the inputs, of which the first has shape %v", axis, want)
		return nil
	}
	for i, v := range inputs {
		got := shape(v)
		if v.Type.DType != first {
			l.reject("inputs.dataType", "inputs: item %d is %v; it must be %v as the first one", i, v.Type.DType, first)
		}
		if len(got) != len(want) {
			l.reject("inputs.rank", "inputs: item %d has rank %d; it must have %d as the first one", i, len(got), len(want))
			return nil
		}
		for d := range got {
			if d != axis && got[d] != want[d] {
				l.reject("inputs.shape", "inputs: the shape %v of item %d differs from %v in dimension %d", got, i, want, d)
			}
		}
	}
	return one(l.node("concat", attr("axis", axis), inputs...))
}

func expand(l *lowering) []*graph.Value {
	x, to := l.operand("input"), tensor.Shape(l.ints("newShape"))
	if !unidirectional(shape(x), to) {
		l.reject("newShape", "the shape %v of input does not broadcast to %v", shape(x), to)
	}
	l.checkResult(x.Type.DType, to)
	return one(l.node("expand", attr("shape", []int(to)), l.unsqueezeTo(x, len(to))))
}

func reshape(l *lowering) []*graph.Value {
	x, to := l.operand("input"), tensor.Shape(l.ints("newShape"))
	l.checkResult(x.Type.DType, to)
	if l.err == nil && to.Len() != shape(x).Len() {
		l.reject("newShape", "newShape %v has %d elements; it must have the %d of input", to, to.Len(), shape(x).Len())
	}
	return one(l.reshape(x, to...))
}

func reverse(l *lowering) []*graph.Value {
	x := l.operand("input")
	return one(l.node("reverse", attr("axes", l.axes(x, 0)), x))
}

func transpose(l *lowering) []*graph.Value {
	x := l.operand("input")
	rank := len(shape(x))
	perm := l.ints("permutation")
	if !l.has("permutation") {
		for i := range rank {
			perm = append(perm, i)
		}
		slices.Reverse(perm)
	}
	if len(perm) != rank {
		l.reject("permutation.size", "the permutation has %d items; it must have %d, the rank of input", len(perm), rank)
	}
	l.checkDimensions("permutation", perm, rank)
	return one(l.node("transpose", attr("axes", perm), x))
}

func triangular(l *lowering) []*graph.Value {
	return one(l.node("triangular", attr("upper", l.bool("upper"), "diagonal", l.int("diagonal")), l.operand("input")))
}
