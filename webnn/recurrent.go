package webnn

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// gru is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-gru.
func gru(l *lowering) []*graph.Value {
	a := append(l.sequence(3, ActivationSigmoid, ActivationTanh), emit.Attr("reset_after", l.bool("resetAfter"))...)
	return l.Nodes("gru", a,
		l.operand("input"), l.operand("weight"), l.operand("recurrentWeight"),
		l.operand("bias"), l.operand("recurrentBias"), l.operand("initialHiddenState"))
}

// gruCell is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-grucell.
func gruCell(l *lowering) []*graph.Value {
	a := append(l.recurrent(3, nil, ActivationSigmoid, ActivationTanh), emit.Attr("reset_after", l.bool("resetAfter"))...)
	return l.Nodes("gru_cell", a,
		l.operand("input"), l.operand("weight"), l.operand("recurrentWeight"),
		l.operand("hiddenState"), l.operand("bias"), l.operand("recurrentBias"))
}

// lstm is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstm.
func lstm(l *lowering) []*graph.Value {
	return l.Nodes("lstm", l.sequence(4, ActivationSigmoid, ActivationTanh, ActivationTanh),
		l.operand("input"), l.operand("weight"), l.operand("recurrentWeight"), l.operand("bias"), l.operand("recurrentBias"),
		l.operand("peepholeWeight"), l.operand("initialHiddenState"), l.operand("initialCellState"))
}

// lstmCell is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-lstmcell.
func lstmCell(l *lowering) []*graph.Value {
	return l.Nodes("lstm_cell", l.recurrent(4, nil, ActivationSigmoid, ActivationTanh, ActivationTanh),
		l.operand("input"), l.operand("weight"), l.operand("recurrentWeight"), l.operand("hiddenState"), l.operand("cellState"),
		l.operand("bias"), l.operand("recurrentBias"), l.operand("peepholeWeight"))
}

// sequence checks the operands of a network of that many gates over several steps, and returns its attributes.
func (l *lowering) sequence(gates int64, activations ...RecurrentNetworkActivation) graph.Attrs {
	in := l.operand("input").Type.Shape
	if steps := l.int("steps"); steps != in[0] {
		l.reject("steps", "steps is %d; it must be %d, the first extent of the input", steps, in[0])
	}
	directions := int64(1)
	if l.string("direction") == string(DirectionBoth) {
		directions = 2
	}
	return append(l.recurrent(gates, []int64{directions}, activations...), emit.Attr("steps", l.int("steps"),
		"return_sequence", l.bool("returnSequence"), "direction", l.string("direction"))...)
}

// recurrent checks the operands of a network or cell of that many gates, and returns the attributes that all have. The outer
// extents of weights and states are the number of directions, or nothing for a cell. The defaults are those of the activations.
func (l *lowering) recurrent(gates int64, outer []int64, defaults ...RecurrentNetworkActivation) graph.Attrs {
	in := l.operand("input").Type.Shape
	batch, features, hidden := int64(in[len(in)-2]), int64(in[len(in)-1]), int64(l.int("hiddenSize"))
	if n := 2 * gates * hidden; n < 1 || n > maxDimension {
		l.reject("hiddenSize", "hiddenSize is %d; %d times that must be from 1 to %d", hidden, 2*gates, maxDimension)
	}
	from := fmt.Sprintf("for the input %v, %d gates and a hidden size of %d", in, gates, hidden)
	for _, o := range []struct {
		name    string
		extents []int64
	}{
		{"weight", []int64{gates * hidden, features}}, {"recurrentWeight", []int64{gates * hidden, hidden}},
		{"hiddenState", []int64{batch, hidden}}, {"cellState", []int64{batch, hidden}},
		{"bias", []int64{gates * hidden}}, {"recurrentBias", []int64{gates * hidden}}, {"peepholeWeight", []int64{3 * hidden}},
		{"initialHiddenState", []int64{batch, hidden}}, {"initialCellState", []int64{batch, hidden}},
	} {
		l.shaped(o.name, from, slices.Concat(outer, o.extents)...)
	}
	activations := words(defaults...)
	if l.has("activations") {
		activations = l.strings("activations")
		if len(activations) != len(defaults) {
			l.reject("activations", "%d activations are given; there must be %d", len(activations), len(defaults))
		}
	}
	return emit.Attr("hidden_size", l.int("hiddenSize"), "layout", l.string("layout"), "activations", activations)
}
