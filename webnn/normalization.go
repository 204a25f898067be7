package webnn

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// batchNormalization is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-batchnorm.
func batchNormalization(l *lowering) []*graph.Value {
	x, axis := l.operand("input"), l.axis("input")
	if l.Err != nil {
		return nil
	}
	from := fmt.Sprintf("the extent of dimension %d of the input %v", axis, x.Type.Shape)
	for _, name := range []string{"mean", "variance", "scale", "bias"} {
		l.shaped(name, from, int64(x.Type.Shape[axis]))
	}
	return one(l.Node("batch_normalization", emit.Attr("epsilon", l.floatAs("epsilon", x), "axis", axis), x,
		l.operand("mean"), l.operand("variance"), l.operand("bias"), l.operand("scale")))
}

// instanceNormalization is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-instancenorm.
func instanceNormalization(l *lowering) []*graph.Value {
	x := l.fromLayout("input", "layout", inputOrder)
	from := fmt.Sprintf("the channels of the input %v as %s", l.operand("input").Type.Shape, l.string("layout"))
	l.shaped("scale", from, int64(x.Type.Shape[1]))
	l.shaped("bias", from, int64(x.Type.Shape[1]))
	y := l.Node("instance_normalization", emit.Attr("epsilon", l.floatAs("epsilon", x)), x, l.operand("scale"), l.operand("bias"))
	return one(l.toLayout(y, "layout"))
}

// layerNormalization is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-layernorm. The extents of scale and bias are in the
// order of the axes.
func layerNormalization(l *lowering) []*graph.Value {
	x := l.operand("input")
	axes := l.axes(x, 1)
	if l.Err != nil {
		return nil
	}
	extents := make([]int64, len(axes))
	for i, axis := range axes {
		extents[i] = int64(x.Type.Shape[axis])
	}
	from := fmt.Sprintf("the extents of the input %v along axes %v", x.Type.Shape, tensor.Shape(axes))
	l.shaped("scale", from, extents...)
	l.shaped("bias", from, extents...)
	return one(l.Node("layer_normalization", emit.Attr("axes", axes, "epsilon", l.floatAs("epsilon", x)),
		x, l.operand("scale"), l.operand("bias")))
}
