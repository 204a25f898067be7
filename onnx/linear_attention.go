package onnx

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// turns evaluates a body for each element of some tensors along an axis, in order. The body is given states, elements, which keep the axis, and what
// every turn takes, where nil stays nil. It returns the next states and the elements of the results; these are joined along the same axis and returned
// behind the last states.
func (c *lowering) turns(axis int, states, parts, others []*graph.Value, body func(c *lowering, states, parts, others []*graph.Value) []*graph.Value) []*graph.Value {
	if parts[0].Type.Shape[axis] == 1 {
		return body(c, states, parts, others)
	}
	b := graph.NewBuilder(op.Rules, "block")
	inner := &lowering{w: &walker{file: c.w.file, b: b, folder: c.w.folder, work: c.w.work}, step: c.step, scope: c.scope, node: c.node,
		form: c.form, opset: c.opset, attrs: c.attrs}
	inner.Emitter = inner.emitter()
	input := func(i int, v *graph.Value, extent bool) *graph.Value {
		t := v.Type
		if extent {
			t.Shape = t.Shape.Clone()
			t.Shape[axis] = 1
		}
		x, err := b.Input(name("in", i), t)
		c.Fail(err)
		return x
	}
	in := make([][]*graph.Value, 3)
	for i, v := range states {
		in[0] = append(in[0], input(i, v, false))
	}
	axes := make([]int, len(parts))
	for i, v := range parts {
		in[1] = append(in[1], input(len(states)+i, v, true))
		axes[i] = axis
	}
	values := slices.Concat(states, parts)
	for _, v := range others {
		if v != nil {
			if t := c.constant(v); t != nil { // which kernels pack
				v = inner.Stored(v.Name, v.Label, t)
			} else {
				values = append(values, v)
				v = input(len(values)-1, v, false)
			}
		}
		in[2] = append(in[2], v)
	}
	out := body(inner, in[0], in[1], in[2])
	for i, v := range out {
		c.Fail(b.Output(name("out", i), v))
	}
	made, err := b.Build()
	c.Fail(err)
	outAxes := make([]int, len(out)-len(states))
	for i := range outAxes {
		outAxes[i] = axis
	}
	return c.add(graph.Node{Op: "scan", In: values, Blocks: []*graph.Graph{made},
		Attrs: emit.Attr("states", len(states), "scanned", len(parts), "axes", axes, "out_axes", outAxes)})
}

// linearAttention keeps a matrix for each head to which each turn adds the product of key and value, and which the queries are multiplied with.
func linearAttention(c *lowering) []*graph.Value {
	rule := c.OneOf("update_rule", "linear", "gated", "delta", "gated_delta")
	gated, delta := rule == "gated" || rule == "gated_delta", rule == "delta" || rule == "gated_delta"
	if gated != (c.In(4) != nil) || delta != (c.In(5) != nil) {
		c.failf("update_rule", "with %q decay and beta must be given or left out as it says", rule)
	}
	queries, heads := c.groups("q_num_heads"), c.groups("kv_num_heads")
	if queries%heads != 0 {
		c.failf("q_num_heads", "it is %d; it must be a multiple of kv_num_heads, %d", queries, heads)
	}
	per := func(i, n int) int { // the size of the parts of an operand
		if s := c.Shape(i); len(s) != 3 || s[2]%n != 0 {
			c.failf(c.operandName(i), "it is %v; it must have three dimensions, the last one divisible by %d", c.In(i).Type, n)
		}
		return c.Shape(i)[2] / n
	}
	size, width := per(0, queries), per(2, heads)
	batch := c.Shape(0)[0]
	if n := per(1, heads); n != size {
		c.failf("key", "its vectors have %d elements; they must have %d, as the queries", n, size)
	}
	wide := func(i int) *graph.Value { return c.Cast(c.In(i), tensor.Float32) }
	scale := c.Float("scale")
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(max(size, 1)))
	}
	parts := []*graph.Value{c.scaled(wide(0), "scale", scale), wide(1), wide(2)}
	if gated {
		per(4, 1)
		parts = append(parts, c.Node("exp", nil, wide(4)))
	}
	if delta {
		per(5, 1)
		parts = append(parts, wide(5))
	}
	state := c.Cast(c.In(3), tensor.Float32)
	d := c.DType(0)
	if state == nil {
		state = c.Broadcast(c.Number(0, tensor.Float32), batch, heads, size, width)
	} else {
		d = c.DType(3)
	}
	out := c.turns(1, []*graph.Value{state}, parts, nil, func(c *lowering, states, parts, _ []*graph.Value) []*graph.Value {
		matrices := func(v *graph.Value, heads, rows, columns int) *graph.Value {
			return c.Reshape(v, batch, heads, rows, columns)
		}
		q, k, v := matrices(parts[0], heads, queries/heads, size), matrices(parts[1], heads, size, 1), matrices(parts[2], heads, 1, width)
		state := states[0]
		if gated {
			decay := parts[3]
			state = c.Node("mul", nil, state, matrices(decay, heads, decay.Type.Shape[2]/heads, 1))
		}
		if delta {
			beta := parts[len(parts)-1]
			v = c.Node("sub", nil, v, c.Node("matmul", emit.Attr("transposeA", true), k, state))
			v = c.Node("mul", nil, matrices(beta, beta.Type.Shape[2], 1, 1), v)
		}
		state = c.Node("add", nil, state, c.Node("mul", nil, k, v))
		y := c.Node("matmul", nil, q, state)
		return []*graph.Value{state, c.Reshape(y, batch, 1, queries*width)}
	})
	return []*graph.Value{c.Cast(out[1], c.DType(0)), c.Cast(out[0], d)}
}
