package onnx

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

const (
	recurrentAttrs   = `; activation_alpha: floats, activation_beta: floats, activations: strings, clip: float, direction="forward", hidden_size: int`
	recurrentIn      = "X, W, R, B?, sequence_lens?, initial_h?"
	lstmIn           = recurrentIn + ", initial_c?, P?" + recurrentAttrs + ", input_forget=0"
	recurrentOut     = " -> Y?, Y_h?"
	outputSequence   = ", output_sequence=0"
	withLayout       = ", layout=0"
	linearReset      = ", linear_before_reset=0"
	sequenceRemark   = "output_sequence, of opsets before 7, has no effect: results are there if they are named"
	recurrentLengths = 4 // the operand sequence_lens
)

// Recurrent networks.
var recurrentRows = family{"Recurrent networks", []row{
	{name: "RNN", forms: forms("1", recurrentIn+recurrentAttrs+outputSequence+recurrentOut, "7", recurrentIn+recurrentAttrs+recurrentOut,
		"14 22", recurrentIn+recurrentAttrs+withLayout+recurrentOut), lower: rnn, remark: sequenceRemark},
	{name: "GRU", forms: forms("1", recurrentIn+recurrentAttrs+outputSequence+recurrentOut, "3", recurrentIn+recurrentAttrs+outputSequence+linearReset+recurrentOut,
		"7", recurrentIn+recurrentAttrs+linearReset+recurrentOut, "14 22", recurrentIn+recurrentAttrs+linearReset+withLayout+recurrentOut),
		lower: gru, remark: sequenceRemark},
	{name: "LSTM", forms: forms("1", lstmIn+outputSequence+recurrentOut+", Y_c?", "7", lstmIn+recurrentOut+", Y_c?", "14 22", lstmIn+withLayout+recurrentOut+", Y_c?"),
		lower: lstm, remark: sequenceRemark},
	{name: "com.microsoft.DynamicQuantizeLSTM", forms: forms("1", recurrentIn+", initial_c?, P?, W_scale: float, W_zero_point, R_scale: float, R_zero_point"+
		recurrentAttrs+", input_forget=0"+recurrentOut+", Y_c?"), lower: dynamicLSTM},
}}

// directionNames are the names that our operators have for directions.
var directionNames = map[string]string{"forward": "forward", "foward": "forward", "reverse": "backward", "bidirectional": "both"} // the default of version 1

// recurrent is a network as its operators have it: time first, the weights of the gates in the order in which the standard has them.
type recurrent struct {
	attrs    graph.Attrs
	x        *graph.Value
	biases   []*graph.Value // of input and state, nil for none
	lengths  *graph.Value   // of the sequences, nil for all steps
	empty    bool           // there is no step: our operators take one that is beyond all lengths
	batched  bool           // whether operands and results have the batch first
	sequence bool           // whether the states of all steps are asked for
}

// recurrent reads what all networks have, for one with that many gates and functions.
func (c *lowering) recurrent(gates, functions int) *recurrent {
	n := &recurrent{x: c.In(0), biases: []*graph.Value{nil, nil}, lengths: c.In(recurrentLengths), sequence: c.Wants(0)}
	n.batched = c.form.declared("layout") != nil && c.Flag("layout")
	n.x = c.timeFirst(n, n.x)
	s := n.x.Type.Shape
	if len(s) != 3 {
		c.failf("X", "it is %v; it must have three dimensions: steps, batch, elements", c.In(0).Type)
	}
	if n.empty = s[0] == 0; n.empty {
		n.x, n.lengths = c.zeros(n.x.Type.DType, 1, s[1], s[2]), c.zeros(tensor.Int32, s[1])
	}
	if s := c.Shape(2); len(s) != 3 {
		c.failf("R", "it is %v; it must have three dimensions: directions, gates, elements of the state", c.In(2).Type)
	}
	hidden := c.Shape(2)[2]
	if c.Given("hidden_size") && c.Int("hidden_size") != hidden {
		c.failf("hidden_size", "it is %d; R, %v, has states of %d elements", c.Int("hidden_size"), c.In(2).Type, hidden)
	}
	if b := c.In(3); b != nil {
		if s := b.Type.Shape; len(s) != 2 || s[1]%2 != 0 {
			c.failf("B", "it is %v; it must have %d elements for each direction", b.Type, 2*gates*hidden)
		}
		n.biases = c.Sections(b, 1, b.Type.Shape[1]/2, b.Type.Shape[1]/2)
	}
	direction, ok := directionNames[c.Str("direction")]
	if !ok {
		c.failf("direction", "%q is not allowed; it must be \"forward\", \"reverse\" or \"bidirectional\"", c.Str("direction"))
	}
	n.attrs = emit.Attr("steps", n.x.Type.Shape[0], "hidden_size", hidden, "return_sequence", n.sequence, "direction", direction)
	if clip := c.Float("clip"); clip > 0 {
		n.attrs = append(n.attrs, emit.Attr("clip", clip)...)
	}
	if names := c.Strs("activations"); names != nil {
		all := functions
		if direction == "both" {
			all *= 2
		}
		n.attrs = append(n.attrs, c.functions(names, functions, all)...)
	}
	return n
}

// functions returns the attributes for the functions of gates, of which there must be all or as many as each direction has. Parameters are given for
// those that have some, one after the other.
func (c *lowering) functions(names []string, each, all int) graph.Attrs {
	if len(names) < each {
		c.failf("activations", "there are %d; there must be %d", len(names), all)
	}
	if len(names) < all {
		names = append(names[:each:each], names[:each]...)
	}
	given := [2][]float64{c.Floats("activation_alpha"), c.Floats("activation_beta")}
	var ours []string
	var values [2][]float64
	for _, name := range names[:all] {
		which := slices.IndexFunc(op.GateNames, func(n string) bool { return strings.ReplaceAll(n, "_", "") == strings.ToLower(name) })
		if which < 0 {
			c.failf("activations", "%q is not supported", name)
		}
		ours = append(ours, op.GateNames[which])
		parameters := op.GateParameters(op.GateNames[which])
		for i := range values {
			v := 0.0
			if i < len(parameters) {
				if v = parameters[i]; len(given[i]) > 0 {
					v, given[i] = given[i][0], given[i][1:]
				}
			}
			values[i] = append(values[i], v)
		}
	}
	return emit.Attr("activations", ours, "activation_alpha", values[0], "activation_beta", values[1])
}

// timeFirst exchanges the first two dimensions of an operand or result that has the batch first.
func (c *lowering) timeFirst(n *recurrent, v *graph.Value) *graph.Value {
	if !n.batched || v == nil {
		return v
	}
	if len(v.Type.Shape) != 3 {
		c.failf("X", "it is %v; it must have three dimensions", v.Type)
	}
	return c.Transpose(v, 1, 0, 2)
}

// results puts states and sequence in the order that the standard has.
func (c *lowering) results(n *recurrent, out []*graph.Value, states int) []*graph.Value {
	results := []*graph.Value{nil}
	if n.sequence {
		// (steps, directions, batch, elements)
		results[0] = out[states]
		if n.empty {
			results[0] = c.Section(results[0], 0, 0, 0)
		}
		if n.batched {
			results[0] = c.Transpose(results[0], 2, 0, 1, 3)
		}
	}
	for _, v := range out[:states] {
		results = append(results, c.timeFirst(n, v))
	}
	return results
}

func rnn(c *lowering) []*graph.Value {
	n := c.recurrent(1, 1)
	out := c.Nodes("rnn", n.attrs, n.x, c.In(1), c.In(2), n.biases[0], n.biases[1], c.timeFirst(n, c.In(5)), n.lengths)
	return c.results(n, out, 1)
}

func gru(c *lowering) []*graph.Value {
	n := c.recurrent(3, 2)
	after := c.Flag("linear_before_reset")
	attrs := append(n.attrs, emit.Attr("layout", "zrn", "reset_after", after)...)
	out := c.Nodes("gru", attrs, n.x, c.In(1), c.In(2), n.biases[0], n.biases[1], c.timeFirst(n, c.In(5)), n.lengths)
	return c.results(n, out, 1)
}

func lstm(c *lowering) []*graph.Value {
	n := c.recurrent(4, 3)
	attrs := append(n.attrs, c.lstmAttrs()...)
	out := c.Nodes("lstm", attrs, n.x, c.In(1), c.In(2), n.biases[0], n.biases[1], c.In(7),
		c.timeFirst(n, c.In(5)), c.timeFirst(n, c.In(6)), n.lengths)
	return c.results(n, out, 2)
}

func (c *lowering) lstmAttrs() graph.Attrs {
	attrs := emit.Attr("layout", "iofg")
	if c.In(7) != nil {
		attrs = append(attrs, emit.Attr("peephole_output", "after")...)
	}
	if c.Flag("input_forget") {
		attrs = append(attrs, emit.Attr("coupled", true)...)
	}
	return attrs
}
