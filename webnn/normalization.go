package webnn

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// batchNormalization is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-batchnorm.
func batchNormalization(l *lowering) []*graph.Value {
	x, axis := l.operand("input"), l.axis("input")
	if l.err != nil {
		return nil
	}
	from := fmt.Sprintf("the extent of dimension %d of the input %v", axis, shape(x))
	for _, name := range []string{"mean", "variance", "scale", "bias"} {
		l.shaped(name, from, int64(shape(x)[axis]))
	}
	return one(l.node("batch_normalization", attr("epsilon", l.floatAs("epsilon", x), "axis", axis), x,
		l.operand("mean"), l.operand("variance"), l.operand("bias"), l.operand("scale")))
}

// instanceNormalization is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-instancenorm.
func instanceNormalization(l *lowering) []*graph.Value {
	x := l.fromLayout("input", "layout", inputOrder)
	from := fmt.Sprintf("the channels of the input %v as %s", shape(l.operand("input")), l.string("layout"))
	l.shaped("scale", from, int64(shape(x)[1]))
	l.shaped("bias", from, int64(shape(x)[1]))
	y := l.node("instance_normalization", attr("epsilon", l.floatAs("epsilon", x)), x, l.operand("scale"), l.operand("bias"))
	return one(l.toLayout(y, "layout"))
}

// layerNormalization is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-layernorm. The extents of scale and bias are in the
// order of the axes.
func layerNormalization(l *lowering) []*graph.Value {
	x := l.operand("input")
	axes := l.axes(x, 1)
	if l.err != nil {
		return nil
	}
	extents := make([]int64, len(axes))
	for i, axis := range axes {
		extents[i] = int64(shape(x)[axis])
	}
	from := fmt.Sprintf("the extents of the input %v along axes %v", shape(x), tensor.Shape(axes))
	l.shaped("scale", from, extents...)
	l.shaped("bias", from, extents...)
	return one(l.node("layer_normalization", attr("axes", axes, "epsilon", l.floatAs("epsilon", x)),
		x, l.operand("scale"), l.operand("bias")))
}
