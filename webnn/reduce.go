package webnn

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Methods that combine the elements along dimensions.

// argReduction binds argMin or argMax. The text also asks that the output type can hold the extent: every extent fits int32.
func argReduction(name, op string) method {
	options := list(boolean("keepDimensions", false), dataType("outputDataType", tensor.Int32))
	return method{name, list(operand("input"), integer("axis", nil)), options, func(l *lowering) []*graph.Value {
		l.checkOutputType("outputDataType")
		axes := []int{l.axis("input")}
		y := l.Node(op, emit.Attr("axes", axes, "dtype", l.dtype("outputDataType")), l.operand("input"))
		return one(l.squeeze(y, axes))
	}}
}

func reduction(name, op string) method {
	options := list(integers("axes"), boolean("keepDimensions", false))
	return method{name, list(operand("input")), options, func(l *lowering) []*graph.Value {
		x := l.operand("input")
		axes := l.axes(x, 0)
		return one(l.squeeze(l.Node(op, emit.Attr("axes", axes), x), axes))
	}}
}

// axis returns the argument or option "axis", which must be a dimension of the operand of that name.
func (l *lowering) axis(of string) int {
	axis := l.int("axis")
	if s := l.operand(of).Type.Shape; axis >= len(s) {
		l.reject("axis", "axis %d is no dimension of %s, whose shape is %v", axis, of, s)
	}
	return axis
}

// axes returns the option "axes", which must be different dimensions of x, by default all dimensions from first on.
func (l *lowering) axes(x *graph.Value, first int) []int {
	rank := len(x.Type.Shape)
	if l.has("axes") {
		l.checkDimensions("axes", l.ints("axes"), rank)
		return l.ints("axes")
	}
	return emit.Counting(first, rank-first)
}

// checkDimensions checks that a list names different dimensions of a tensor of that rank.
func (l *lowering) checkDimensions(name string, list []int, rank int) {
	var seen [MaxRank]bool
	for _, d := range list {
		switch {
		case d >= rank:
			l.reject(name+".bounds", "%s: %d is no dimension of a tensor of rank %d", name, d, rank)
			return
		case seen[d]:
			l.reject(name+".unique", "%s: dimension %d occurs twice", name, d)
			return
		}
		seen[d] = true
	}
}

// squeeze removes reduced dimensions unless the option keepDimensions is set.
func (l *lowering) squeeze(v *graph.Value, axes []int) *graph.Value {
	if l.bool("keepDimensions") {
		return v
	}
	return l.Squeeze(v, axes...)
}

func cumulativeSum(l *lowering) []*graph.Value {
	a := emit.Attr("axis", l.axis("input"), "exclusive", l.bool("exclusive"), "reversed", l.bool("reversed"))
	return one(l.Node("cumulative_sum", a, l.operand("input")))
}

func softmax(l *lowering) []*graph.Value {
	return one(l.Node("softmax", emit.Attr("axes", []int{l.axis("input")}), l.operand("input")))
}
