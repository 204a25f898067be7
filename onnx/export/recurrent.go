package export

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Recurrent networks. All have input, weights of input and state, and biases of both as operands 0 to 4.

var recurrentRows = []row{
	network("rnn", "RNN", "", ""),
	network("gru", "GRU", "zrn", `layout = "rzn": own`, "reset_after", "linear_before_reset"),
	network("lstm", "LSTM", "iofg", `layout = "ifgo": own; peepholes with peephole_output = "before": own, without a function`, "coupled", "input_forget"),
}

// network is the row of a network with the gates in the order that the standard has, and with attributes: names of ours and of the standard, in turn. A
// function may bring gates into that order.
func network(name, to, gates, note string, pairs ...string) row {
	return direct(name, to, floats, func(c *emission) []val {
		layout := c.Str("layout")
		if layout != gates && !c.function || c.operand("peephole_weight").name != "" && c.Str("peephole_output") != "after" {
			return nil
		}
		return c.recurrent(to, c.renamed(pairs), order(gates, layout))
	}, note)
}

// order returns where the gates of one layout stand in another one, nil if that is the same.
func order(gates, layout string) (places ints) {
	if gates == layout {
		return nil
	}
	for _, g := range gates {
		places = append(places, strings.IndexRune(layout, g))
	}
	return places
}

// directionNames are the names that the standard has for directions.
var directionNames = map[string]string{"forward": "forward", "backward": "reverse", "both": "bidirectional"}

// recurrent adds a network whose weights have their gates in the given order, nil for that of the standard.
func (c *emission) recurrent(to string, attrs graph.Attrs, order ints) []val {
	attrs = append(attrs, at("hidden_size", c.Int("hidden_size"), "direction", directionNames[c.Str("direction")])...)
	attrs = append(attrs, c.functions()...)
	if clip := c.Float("clip"); clip > 0 {
		attrs = append(attrs, at("clip", clip)...)
	}
	in := []val{c.in[0], c.gates(c.in[1], order), c.gates(c.in[2], order), c.biases(order), c.cast(c.operand("lengths"), tensor.Int32),
		c.operand("initial_hidden_state"), c.operand("initial_cell_state"), c.operand("peephole_weight")}
	types := []graph.Type{{}}
	for _, v := range c.Out {
		types = append(types, v.Type)
	}
	if c.Bool("return_sequence") {
		last := len(types) - 1
		sequence := types[last].Shape // (steps, directions, batch, elements)
		types = append([]graph.Type{{DType: types[last].DType, Shape: sequence}}, types[1:last]...)
	}
	out := c.nodes(to, types, attrs, in...)
	if c.Bool("return_sequence") {
		return append(out[1:], out[0])
	}
	return out[1:]
}

// functions returns the attributes for the functions of gates. Parameters are listed for those that have some, also if none are given, as ONNX Runtime
// has others, but not for float64, of which they would lose digits.
func (c *emission) functions() graph.Attrs {
	names := c.Attrs.Strings("activations")
	given := [2][]float64{c.Attrs.Floats("activation_alpha"), c.Attrs.Floats("activation_beta")}
	out := make([]string, len(names))
	var lists [2][]float64
	for i, name := range names {
		for word := range strings.SplitSeq(name, "_") {
			out[i] += strings.ToUpper(word[:1]) + word[1:]
		}
		for k, v := range op.GateParameters(name) {
			if len(given[k]) > 0 {
				v = given[k][i]
			} else if c.in[0].DType == tensor.Float64 {
				continue
			}
			lists[k] = append(lists[k], v)
		}
	}
	times := 1
	if c.in[1].Shape[0] == 2 && len(names) == c.Def.GateFunctions() { // each direction has its own
		times = 2
	}
	attrs := at("activations", slices.Repeat(out, times))
	for k, name := range []string{"activation_alpha", "activation_beta"} {
		if len(lists[k]) > 0 {
			attrs = append(attrs, graph.Attr{Name: name, Value: slices.Repeat(lists[k], times)})
		}
	}
	return attrs
}

// gates brings the gates along dimension 1 into the order that the standard has.
func (c *emission) gates(x val, order ints) val {
	if order == nil || x.name == "" {
		return x
	}
	h := c.Int("hidden_size")
	room(len(order), h)
	var rows ints
	for _, g := range order {
		for i := range h {
			rows = append(rows, g*h+i)
		}
	}
	return c.node1("Gather", x.Type, at("axis", 1), x, c.list(rows...))
}

// biases joins the biases of input and state.
func (c *emission) biases(order ints) val {
	if !c.Has(3) && !c.Has(4) {
		return val{}
	}
	parts := []val{c.gates(c.in[3], order), c.gates(c.in[4], order)}
	t := graph.Type{DType: c.in[0].DType, Shape: c.in[1].Shape[:2:2]}
	for i := range parts {
		if parts[i].name == "" {
			parts[i] = c.full(t, 0)
		}
	}
	return c.node1("Concat", graph.Type{DType: t.DType, Shape: tensor.Shape{t.Shape[0], 2 * t.Shape[1]}}, at("axis", 1), parts...)
}
