package webnn

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Methods that find elements by indices, which are known only when the graph runs: the operators let negative ones count
// from the end and clamp those out of range.

func gather(l *lowering) []*graph.Value {
	return one(l.Node("gather", emit.Attr("axis", l.axis("input"), "negative", true), l.operand("input"), l.operand("indices")))
}

func gatherElements(l *lowering) []*graph.Value {
	x, indices := l.operand("input"), l.operand("indices")
	axis := l.axis("input")
	l.checkAlongAxis(indices.Type.Shape, x.Type.Shape, axis)
	return one(l.Node("gather_elements", emit.Attr("axis", axis, "negative", true), x, indices))
}

// checkAlongAxis checks that indices have the extents of the input except along the axis.
func (l *lowering) checkAlongAxis(indices, input tensor.Shape, axis int) {
	for d := range input {
		if d != axis && indices[d] != input[d] {
			l.reject("indices.shape", "the shape %v of indices differs from that of input, %v, in dimension %d, which is not the axis",
				indices, input, d)
		}
	}
}

func gatherND(l *lowering) []*graph.Value {
	x, indices := l.operand("input"), l.operand("indices")
	l.itemsByCoordinates(indices.Type.Shape, x.Type.Shape)
	return one(l.Node("gather_nd", emit.Attr("negative", true), x, indices))
}

// itemsByCoordinates checks that the last dimension of indices holds coordinates of the input's leading dimensions, and
// returns the shape of all items that they name.
func (l *lowering) itemsByCoordinates(indices, input tensor.Shape) tensor.Shape {
	last := len(indices) - 1
	size := indices[last]
	if size > len(input) {
		l.reject("indices.coordinates", "the last dimension of indices holds %d coordinates; it must be at most %d, the rank of input",
			size, len(input))
		return nil
	}
	return slices.Concat(indices[:last], input[size:])
}

func scatterElements(l *lowering) []*graph.Value {
	x, indices, updates := l.operand("input"), l.operand("indices"), l.operand("updates")
	axis := l.axis("input")
	l.checkAlongAxis(indices.Type.Shape, x.Type.Shape, axis)
	l.checkUpdates(updates.Type.Shape, indices.Type.Shape)
	return one(l.Node("scatter_elements", emit.Attr("axis", axis, "negative", true), x, indices, updates))
}

func scatterND(l *lowering) []*graph.Value {
	x, indices, updates := l.operand("input"), l.operand("indices"), l.operand("updates")
	l.checkUpdates(updates.Type.Shape, l.itemsByCoordinates(indices.Type.Shape, x.Type.Shape))
	return one(l.Node("scatter_nd", emit.Attr("negative", true), x, indices, updates))
}

func (l *lowering) checkUpdates(got, want tensor.Shape) {
	if !slices.Equal(got, want) {
		l.reject("updates.shape", "the shape of updates is %v; it must be %v", got, want)
	}
}
