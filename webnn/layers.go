package webnn

import (
	"github.com/concord-nn/concord/graph"
)

// Normalisation and recurrent networks.

func batchNormalization(l *lowering) []*graph.Value {
	x := l.operand("input")
	return one(l.node("batch_normalization", attr("epsilon", l.floatAs("epsilon", x), "axis", l.int("axis")), x,
		l.operand("mean"), l.operand("variance"), l.operand("bias"), l.operand("scale")))
}

func instanceNormalization(l *lowering) []*graph.Value {
	x := l.fromLayout(l.operand("input"), "layout", inputLayouts)
	y := l.node("instance_normalization", attr("epsilon", l.floatAs("epsilon", x)), x, l.operand("scale"), l.operand("bias"))
	return one(l.toLayout(y, "layout"))
}

func layerNormalization(l *lowering) []*graph.Value {
	x := l.operand("input")
	return one(l.node("layer_normalization", attr("axes", l.axes(x, 1), "epsilon", l.floatAs("epsilon", x)),
		x, l.operand("scale"), l.operand("bias")))
}

// recurrent collects the attributes that recurrent networks share.
func (l *lowering) recurrent(activations ...string) attrs {
	if l.has("activations") {
		activations = l.strings("activations")
	}
	return attr("hidden_size", l.int("hiddenSize"), "layout", l.string("layout"), "activations", activations)
}

// sequence adds the attributes of a network over several steps.
func (l *lowering) sequence(a attrs) attrs {
	return append(a, attr("steps", l.int("steps"), "return_sequence", l.bool("returnSequence"), "direction", l.string("direction"))...)
}

func gru(l *lowering) []*graph.Value {
	a := append(l.sequence(l.recurrent("sigmoid", "tanh")), attr("reset_after", l.bool("resetAfter"))...)
	return l.nodes("gru", a, l.operand("input"), l.operand("weight"), l.operand("recurrentWeight"),
		l.operand("bias"), l.operand("recurrentBias"), l.operand("initialHiddenState"))
}

func gruCell(l *lowering) []*graph.Value {
	a := append(l.recurrent("sigmoid", "tanh"), attr("reset_after", l.bool("resetAfter"))...)
	return l.nodes("gru_cell", a, l.operand("input"), l.operand("weight"), l.operand("recurrentWeight"),
		l.operand("hiddenState"), l.operand("bias"), l.operand("recurrentBias"))
}

func lstm(l *lowering) []*graph.Value {
	return l.nodes("lstm", l.sequence(l.recurrent("sigmoid", "tanh", "tanh")),
		l.operand("input"), l.operand("weight"), l.operand("recurrentWeight"), l.operand("bias"), l.operand("recurrentBias"),
		l.operand("peepholeWeight"), l.operand("initialHiddenState"), l.operand("initialCellState"))
}

func lstmCell(l *lowering) []*graph.Value {
	return l.nodes("lstm_cell", l.recurrent("sigmoid", "tanh", "tanh"),
		l.operand("input"), l.operand("weight"), l.operand("recurrentWeight"), l.operand("hiddenState"), l.operand("cellState"),
		l.operand("bias"), l.operand("recurrentBias"), l.operand("peepholeWeight"))
}
