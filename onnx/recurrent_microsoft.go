package onnx

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// dynamicLSTM quantizes its input and, in front of each step, the hidden states of all items together, those of each direction by themselves.
func dynamicLSTM(c *lowering) []*graph.Value {
	c.in = slices.Clone(c.in)
	for i := 1; i <= 2; i++ {
		c.in[i].value = c.gateWeights(i, 6+2*i)
	}
	n := c.recurrent(4, 3)
	n.x = c.dequantize(c.dynamic(n.x))
	batch, hidden := n.x.Type.Shape[1], n.attrs.Int("hidden_size")
	passes := []string{n.attrs.String("direction")}
	if passes[0] == "both" {
		passes = []string{"forward", "backward"}
	}
	initial := func(i int) *graph.Value {
		if v := c.In(i); v != nil {
			return v
		}
		return c.zeros(n.x.Type.DType, len(passes), batch, hidden)
	}
	operands := []*graph.Value{c.In(1), c.In(2), n.biases[0], n.biases[1], c.In(7), initial(5), initial(6)}
	var all [3][]*graph.Value
	for d, pass := range passes {
		var own []*graph.Value
		for i, v := range operands {
			if v != nil {
				if s := v.Type.Shape; len(s) == 0 || s[0] != len(passes) {
					c.failf(c.operandName([]int{1, 2, 3, 3, 7, 5, 6}[i]), "its first extent must be %d, the number of directions", len(passes))
				}
				v = c.Section(v, 0, d, d+1)
			}
			own = append(own, v)
		}
		for i, v := range c.dynamicPass(n, pass == "backward", c.passAttrs(n.attrs, d, len(passes)), own) {
			all[i] = append(all[i], v)
		}
	}
	out := []*graph.Value{c.Node("concat", emit.Attr("axis", 0), all[0]...), c.Node("concat", emit.Attr("axis", 0), all[1]...)}
	return c.results(n, append(out, c.Node("stack", emit.Attr("axis", 1), all[2]...)), 2)
}

// gateWeights returns the numbers of weights (directions, elements, gates) with rows of gates as LSTM has them. Scales and zero points are for
// a direction or a column of it.
func (c *lowering) gateWeights(i, scale int) *graph.Value {
	s := c.Shape(i)
	if len(s) != 3 {
		c.failf(c.operandName(i), "it is %v; it must have three dimensions: directions, elements, gates", c.In(i).Type)
	}
	w := coded{codes: c.In(i)}
	for k, v := range []**graph.Value{&w.scale, &w.zero} {
		x := c.In(scale + k)
		if t := x.Type.Shape; !t.Equal(s[:1]) && !t.Equal(tensor.Shape{s[0], s[2]}) {
			c.failf(c.operandName(scale+k), "it is %v; it must have the shape %v or %v", x.Type, s[:1], tensor.Shape{s[0], s[2]})
		}
		*v = c.Reshape(x, s[0], 1, x.Type.Shape.Len()/max(s[0], 1))
	}
	if !w.zero.Type.Shape.Equal(w.scale.Type.Shape) {
		extents := tensor.Shape{s[0], 1, s[2]}
		w.scale, w.zero = c.Broadcast(w.scale, extents...), c.Broadcast(w.zero, extents...)
	}
	return c.Transpose(c.dequantize(w), 0, 2, 1)
}

// passAttrs returns the attributes of a step of direction d of several.
func (c *lowering) passAttrs(all graph.Attrs, d, directions int) graph.Attrs {
	attrs := append(c.lstmAttrs(), emit.Attr("steps", 1, "hidden_size", all.Int("hidden_size"))...)
	if clip := all.Float("clip"); clip > 0 {
		attrs = append(attrs, emit.Attr("clip", clip)...)
	}
	if names := all.Strings("activations"); names != nil {
		n := len(names) / directions
		at, end := d*n, d*n+n
		attrs = append(attrs, emit.Attr("activations", names[at:end], "activation_alpha", all.Floats("activation_alpha")[at:end],
			"activation_beta", all.Floats("activation_beta")[at:end])...)
	}
	return attrs
}

// dynamicPass returns the last states of a direction and the hidden ones of all steps, (steps, batch, elements).
func (c *lowering) dynamicPass(n *recurrent, backward bool, attrs graph.Attrs, operands []*graph.Value) []*graph.Value {
	steps, batch := n.x.Type.Shape[0], n.x.Type.Shape[1]
	lengths := n.lengths
	if lengths == nil {
		lengths = c.Broadcast(c.Number(float64(steps), tensor.Int32), batch)
	}
	turned := func(v *graph.Value) *graph.Value {
		if !backward {
			return v
		}
		return c.Node("reverse_sequence", emit.Attr("batch_axis", 1, "time_axis", 0), v, lengths)
	}
	parts := []*graph.Value{turned(n.x)}
	if n.lengths != nil {
		left := c.Node("sub", nil, c.Unsqueeze(lengths, 0), c.IotaAlong(0, 2, steps, lengths.Type.DType))
		parts = append(parts, c.Unsqueeze(c.Node("gt", nil, left, c.Number(0, lengths.Type.DType)), 2))
	}
	hidden, cell := operands[5], operands[6]
	out := c.turns(0, []*graph.Value{hidden, hidden, cell}, parts, operands[:5], func(c *lowering, states, parts, w []*graph.Value) []*graph.Value {
		step := c.Nodes("lstm", attrs, parts[0], w[0], w[1], w[2], w[3], w[4], c.dequantize(c.dynamic(states[0])), states[2])
		h, last, cell := step[0], step[0], step[1]
		if len(parts) > 1 { // where a sequence has ended ONNX Runtime quantizes 0
			goes := parts[1]
			h = c.Node("select", nil, goes, h, c.Number(0, h.Type.DType))
			last, cell = c.Node("select", nil, goes, last, states[1]), c.Node("select", nil, goes, cell, states[2])
		}
		return []*graph.Value{h, last, cell, h}
	})
	return []*graph.Value{out[1], out[2], turned(out[3])}
}
