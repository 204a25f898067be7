package webnn

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
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
	want := inputs[0].Type.Shape
	if axis >= len(want) {
		l.reject("axis", "axis %d is no dimension of the inputs, of which the first has shape %v", axis, want)
		return nil
	}
	for i, v := range inputs {
		got := v.Type.Shape
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
	return one(l.Node("concat", emit.Attr("axis", axis), inputs...))
}

func expand(l *lowering) []*graph.Value {
	x, to := l.operand("input"), tensor.Shape(l.ints("newShape"))
	if !unidirectional(x.Type.Shape, to) {
		l.reject("newShape", "the shape %v of input does not broadcast to %v", x.Type.Shape, to)
	}
	l.checkResult(x.Type.DType, to)
	return one(l.Node("expand", emit.Attr("shape", []int(to)), l.unsqueezeTo(x, len(to))))
}

func reshape(l *lowering) []*graph.Value {
	x, to := l.operand("input"), tensor.Shape(l.ints("newShape"))
	l.checkResult(x.Type.DType, to)
	if l.Err == nil && to.Len() != x.Type.Shape.Len() {
		l.reject("newShape", "newShape %v has %d elements; it must have the %d of input", to, to.Len(), x.Type.Shape.Len())
	}
	return one(l.Node("reshape", emit.Attr("shape", []int(to)), x))
}

func reverse(l *lowering) []*graph.Value {
	x := l.operand("input")
	return one(l.Node("reverse", emit.Attr("axes", l.axes(x, 0)), x))
}

func transpose(l *lowering) []*graph.Value {
	x := l.operand("input")
	rank := len(x.Type.Shape)
	perm := l.ints("permutation")
	if !l.has("permutation") {
		perm = emit.Counting(0, rank)
		slices.Reverse(perm)
	}
	if len(perm) != rank {
		l.reject("permutation.size", "the permutation has %d items; it must have %d, the rank of input", len(perm), rank)
	}
	l.checkDimensions("permutation", perm, rank)
	return one(l.Node("transpose", emit.Attr("axes", perm), x))
}

func triangular(l *lowering) []*graph.Value {
	return one(l.Node("triangular", emit.Attr("upper", l.bool("upper"), "diagonal", l.int("diagonal")), l.operand("input")))
}
