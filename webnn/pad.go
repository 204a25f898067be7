package webnn

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// paddingModes are the borders of the operator by MLPaddingMode.
var paddingModes = map[PaddingMode]string{PadConstant: "constant", PadEdge: "replicate", PadReflection: "reflect"}

// pad is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pad.
func pad(l *lowering) []*graph.Value {
	x := l.operand("input")
	in := x.Type.Shape
	begin, end := l.ints("beginningPadding"), l.ints("endingPadding")
	l.perDimension("beginningPadding", begin, len(in))
	l.perDimension("endingPadding", end, len(in))
	if l.Err != nil {
		return nil
	}
	mode := PaddingMode(l.string("mode"))
	padding := make([]int, 0, 2*len(in))
	for i, n := range in {
		if most := max(begin[i], end[i]); mode == PadReflection && most >= n {
			l.reject("mode.reflection", "the padding %d of dimension %d must be less than the extent %d for reflection", most, i, n)
		}
		l.outputSize(nth(i), int64(n)+int64(begin[i])+int64(end[i]))
		padding = append(padding, begin[i], end[i])
	}
	var fill *graph.Value
	if mode == PadConstant {
		fill = l.number("value", x.Type.DType)
	}
	return one(l.Node("pad", emit.Attr("padding", padding, "border", paddingModes[mode]), x, fill))
}
