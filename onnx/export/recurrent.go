package export

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Recurrent networks. Operands are the input, weights of input and state, biases of both, and then what each has by itself.

var recurrentRows = []row{
	direct("rnn", "RNN", floats, func(c *emission) []val {
		return c.recurrent("RNN", nil, nil, c.in[5], c.in[6], val{}, val{})
	}),
	direct("gru", "GRU", floats, func(c *emission) []val {
		if c.Str("layout") != "zrn" {
			return nil
		}
		return c.gru(nil)
	}, `layout = "rzn": own`).otherwise(func(c *emission) []val { return c.gru(ints{1, 0, 2}) }),
	direct("lstm", "LSTM", floats, func(c *emission) []val {
		if c.Str("layout") != "iofg" || c.Has(5) && c.Str("peephole_output") != "after" {
			return nil
		}
		return c.lstm(nil)
	}, `layout = "ifgo": own; peepholes with peephole_output = "before": own, without a function`).otherwise(func(c *emission) []val {
		if c.Has(5) && c.Str("peephole_output") != "after" {
			return nil
		}
		if c.Str("layout") == "iofg" {
			return c.lstm(nil)
		}
		return c.lstm(ints{0, 3, 1, 2})
	}),
}

func (c *emission) gru(order ints) []val {
	return c.recurrent("GRU", at("linear_before_reset", c.Bool("reset_after")), order, c.in[5], c.in[6], val{}, val{})
}

func (c *emission) lstm(order ints) []val {
	return c.recurrent("LSTM", at("input_forget", c.Bool("coupled")), order, c.in[6], c.in[8], c.in[7], c.in[5])
}

// directionNames are the names that the standard has for directions.
var directionNames = map[string]string{"forward": "forward", "backward": "reverse", "both": "bidirectional"}

// recurrent adds a network whose weights have their gates in the given order, nil for that of the standard.
func (c *emission) recurrent(to string, attrs graph.Attrs, order ints, hidden, lengths, cell, peephole val) []val {
	attrs = append(attrs, at("hidden_size", c.Int("hidden_size"), "direction", directionNames[c.Str("direction")])...)
	attrs = append(attrs, c.functions()...)
	if clip := c.Float("clip"); clip > 0 {
		attrs = append(attrs, at("clip", clip)...)
	}
	in := []val{c.in[0], c.gates(c.in[1], order), c.gates(c.in[2], order), c.biases(order), c.cast(lengths, tensor.Int32), hidden, cell, peephole}
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
	if c.in[1].Shape[0] == 2 && c.each(len(names)) { // each direction has its own
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

// each reports whether n functions are those of one direction.
func (c *emission) each(n int) bool { return n == map[string]int{"rnn": 1, "gru": 2, "lstm": 3}[c.Op] }

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
