package onnx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

func lowerScan(c *lowering) []item {
	if c.opset < 9 {
		return c.batchedScan()
	}
	l := c.scanning(c.All(0), c.Ints("scan_input_axes"), c.Ints("scan_input_directions"), c.Ints("scan_output_axes"), c.Ints("scan_output_directions"))
	if out, ok := c.scan(l); ok {
		return out
	}
	return c.scanTurn(l, 0, make([][]*graph.Value, l.parts))
}

// scanning describes a Scan.
type scanning struct {
	net                   *network
	values                []*graph.Value // states, and what is scanned
	states, parts         int
	axes, outAxes         []int
	chunks, outDirections []int // 1, or -1 from the end on
}

// scanning reads the attributes. Axes may be nil for 0, directions for forward.
func (c *lowering) scanning(values []*graph.Value, axes, directions, outAxes, outDirections []int) *scanning {
	net := c.Graph("body")
	scanned := c.Int("num_scan_inputs")
	states := len(values) - scanned
	switch {
	case scanned < 1 || states < 0:
		c.failf("num_scan_inputs", "it is %d; there are %d operands", scanned, len(values))
	case len(net.inputs) != len(values):
		c.failf("body", "the graph has %d inputs; it must have %d", len(net.inputs), len(values))
	case len(net.outputs) < states:
		c.failf("body", "the graph has %d outputs; it must have %d or more", len(net.outputs), states)
	}
	axes = c.perItem("scan_input_axes", axes, scanned)
	chunks := c.perItem("scan_input_directions", directions, scanned)
	parts := len(net.outputs) - states
	outAxes = c.perItem("scan_output_axes", outAxes, parts)
	outDirections = c.perItem("scan_output_directions", outDirections, parts)
	for _, list := range [][]int{chunks, outDirections} {
		for i, d := range list {
			list[i] = 1 - 2*min(d&1, 1)
		}
	}
	for i := range axes {
		axes[i] = c.Axis("scan_input_axes", axes[i], len(values[states+i].Type.Shape))
	}
	return &scanning{net, values, states, parts, axes, outAxes, chunks, outDirections}
}

// scan makes the operator scan, if the shapes in the body are known.
func (c *lowering) scan(l *scanning) ([]item, bool) {
	types := graph.TypesOf(l.values)
	for i, axis := range l.axes {
		t := &types[l.states+i]
		t.Shape = t.Shape.Clone()
		t.Shape[axis] = 1
	}
	outAxes := slices.Clone(l.outAxes)
	captured := c.captured(l.net)
	body, err := c.block(l.net, types, captured, func(in []*graph.Value, inner *lowering) []item {
		for i, axis := range l.axes {
			in[l.states+i] = inner.Squeeze(in[l.states+i], axis)
		}
		return tensors(in...)
	}, func(out []*graph.Value, inner *lowering) []*graph.Value {
		for i := range l.parts {
			v := out[l.states+i]
			outAxes[i] = inner.Axis("scan_output_axes", outAxes[i], len(v.Type.Shape)+1)
			out[l.states+i] = inner.Unsqueeze(v, outAxes[i])
		}
		return out
	})
	if errors.Is(err, errOpen) {
		return nil, false
	}
	c.Fail(err)
	return tensors(c.add(graph.Node{Op: "scan", In: append(slices.Clone(l.values), captured...), Blocks: []*graph.Graph{body},
		Attrs: emit.Attr("states", l.states, "scanned", len(l.axes), "axes", l.axes, "chunks", l.chunks, "out_axes", outAxes,
			"out_directions", l.outDirections)})...), true
}

// scanTurn takes turn i of a Scan that is unrolled: the nodes of the body follow, and then the next turn.
func (c *lowering) scanTurn(l *scanning, i int, parts [][]*graph.Value) []item {
	states, scanned := l.values[:l.states], l.values[l.states:]
	turns := scanned[0].Type.Shape[l.axes[0]]
	for k, v := range scanned {
		if n := v.Type.Shape[l.axes[k]]; n != turns {
			c.failf(c.operandName(l.states+k), "it is %v; it must have %d elements along dimension %d, as what is scanned before", v.Type, turns, l.axes[k])
		}
	}
	if turns == 0 {
		return append(tensors(states...), c.noParts(l)...)
	}
	if i == turns {
		out := tensors(states...)
		for k, p := range parts {
			if p = slices.Clone(p); l.outDirections[k] < 0 {
				slices.Reverse(p)
			}
			axis := c.Axis("scan_output_axes", l.outAxes[k], len(p[0].Type.Shape)+1)
			out = append(out, item{kind: aTensor, value: c.Node("stack", emit.Attr("axis", axis), p...)})
		}
		return out
	}
	s := c.repeated(l.net, fmt.Sprintf("in turn %d of %s: ", i, c.node.OpType), int64(i))
	for k, v := range l.values {
		if k >= l.states {
			axis, at := l.axes[k-l.states], i
			if l.chunks[k-l.states] < 0 {
				at = turns - 1 - i
			}
			v = c.Squeeze(c.Section(v, axis, at, at+1), axis)
		}
		s.items[l.net.inputs[k]] = item{kind: aTensor, value: v}
	}
	operands := tensors(scanned...)
	for _, p := range parts {
		operands = append(operands, item{kind: sequence, list: p})
	}
	form, attrs, opset := c.form, c.attrs, c.opset
	next := func(d *lowering) []item {
		d.form, d.attrs, d.opset = form, attrs, opset
		out, rest := d.in[:len(l.net.outputs)], d.in[len(l.net.outputs):]
		after := *l // with values of the graph that d is for
		after.values = nil
		for k, x := range out[:l.states] {
			after.values = append(after.values, d.tensor(x, l.net.outputs[k]))
		}
		for _, x := range rest[:len(scanned)] {
			after.values = append(after.values, x.value)
		}
		joined := make([][]*graph.Value, l.parts)
		for k := range joined {
			at := l.states + k
			joined[k] = d.longer(rest[len(scanned)+k].list, d.tensor(out[at], l.net.outputs[at]))
		}
		return d.scanTurn(&after, i+1, joined)
	}
	c.then(s, l.net.outputs, operands, next)
	c.follow(s)
	return nil
}

// noParts returns what no turns yield, of the shapes that the graph declares.
func (c *lowering) noParts(l *scanning) []item {
	out := make([]*graph.Value, l.parts)
	for k := range out {
		t := empty(l.net.types[l.states+k])
		if t.DType == tensor.Invalid {
			c.failf("body", "the scan takes no turn, and the shapes of its outputs are not known")
		}
		axis := c.Axis("scan_output_axes", l.outAxes[k], len(t.Shape))
		out[k] = c.zeros(t.DType, slices.Insert(t.Shape[1:], axis, 0)...)
	}
	return tensors(out...)
}

// zeros returns a value of zeros.
func (c *lowering) zeros(d tensor.DType, shape ...int) *graph.Value {
	zero, err := tensor.New(d, tensor.Shape{})
	c.Fail(err)
	return c.Broadcast(c.Constant(zero), shape...)
}

// perItem returns a list of n numbers: a copy of the given one, or zeros if there is none.
func (c *lowering) perItem(name string, list []int, n int) []int {
	if list != nil && len(list) != n {
		c.failf(name, "there are %d items; there must be %d", len(list), n)
	}
	out := make([]int, n)
	copy(out, list)
	return out
}

// batchedScan is Scan of opset 8, which scans each item of a batch by itself, as far as it has elements. Behind these its results are 0.
func (c *lowering) batchedScan() []item {
	values, lengths := c.All(1), c.KnownInts(0)
	batch := 0
	for i, v := range values {
		if len(v.Type.Shape) == 0 || i > 0 && v.Type.Shape[0] != batch {
			c.failf(c.operandName(1+i), "it is %v; dimension 0 must be the batch", v.Type)
		}
		batch = v.Type.Shape[0]
	}
	if batch < 1 || batch > limits.ONNXSteps/max(len(values), 1) {
		c.failf(c.operandName(1), "a batch of %d cannot be scanned item by item", batch)
	}
	if lengths != nil && len(lengths) != batch {
		c.failf("sequence_lens", "there are %d lengths; there must be %d, one for each item of the batch", len(lengths), batch)
	}
	var columns [][]*graph.Value
	for b := range batch {
		row := make([]*graph.Value, len(values))
		for i, v := range values {
			row[i] = c.Squeeze(c.Section(v, 0, b, b+1), 0)
		}
		l := c.scanning(row, nil, c.Ints("directions"), nil, nil)
		beyond := 0
		if lengths != nil {
			beyond = c.cut(l, lengths[b])
		}
		items, ok := c.scan(l)
		if !ok {
			c.failf("body", "the shapes in the graph depend on what only a run knows")
		}
		for i, x := range items {
			if i >= len(columns) {
				columns = append(columns, nil)
			}
			v := x.value
			if i >= l.states && beyond > 0 {
				s := v.Type.Shape.Clone()
				s[0] = beyond
				v = c.Node("concat", emit.Attr("axis", 0), v, c.zeros(v.Type.DType, s...))
			}
			columns[i] = append(columns[i], v)
		}
	}
	var out []*graph.Value
	for _, column := range columns {
		out = append(out, c.Node("stack", emit.Attr("axis", 0), column...))
	}
	return tensors(out...)
}

// cut leaves n elements of what is scanned, and returns how many lie behind.
func (c *lowering) cut(l *scanning, n int) (beyond int) {
	for k := l.states; k < len(l.values); k++ {
		steps := l.values[k].Type.Shape[0]
		if n < 0 || n > steps {
			c.failf("sequence_lens", "a sequence of %d elements is not possible: there are %d", n, steps)
		}
		l.values[k], beyond = c.Section(l.values[k], 0, 0, n), steps-n
	}
	return beyond
}
