package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Rotary embeddings.
var rotaryRows = family{"Rotary embeddings", []row{
	{name: "RotaryEmbedding", forms: forms("23", "X, cos_cache, sin_cache, position_ids?; interleaved=0, num_heads: int, rotary_embedding_dim=0"),
		lower: func(c *lowering) []*graph.Value {
			cos, sin := c.In(1), c.In(2)
			if positions := c.In(3); positions != nil {
				cos, sin = c.rows(cos, positions), c.rows(sin, positions)
			}
			return one(c.rotary(cos, sin))
		}},
	{name: "com.microsoft.RotaryEmbedding", forms: forms("1", "input, position_ids: integer, cos_cache, sin_cache; interleaved=0, is_packed_batching=0, num_heads=0, "+
		"rotary_embedding_dim=0, scale=1.0 -> output"), lower: microsoftRotary, remark: "is_packed_batching and scale, which ONNX Runtime reads and does not use, have no effect"},
}}

// rows returns rows of a matrix.
func (c *lowering) rows(table, indices *graph.Value) *graph.Value {
	if len(table.Type.Shape) != 2 {
		c.failf("cos_cache", "it is %v; it must have two dimensions", table.Type)
	}
	return c.Node("gather", emit.Attr("axis", 0), table, indices)
}

func microsoftRotary(c *lowering) []*graph.Value {
	positions, shape := c.In(1), c.Shape(0)
	if len(shape) < 3 {
		c.failf("input", "it is %v; it must have three or four dimensions", c.In(0).Type)
	}
	sequence := shape[len(shape)-2]
	if positions.Type.Shape.Len() == 1 && len(positions.Type.Shape) < 2 { // the position of the first element, others follow
		positions = c.Node("add", nil, c.IotaAlong(1, 2, sequence, tensor.Int64), c.Cast(c.Reshape(positions, 1, 1), tensor.Int64))
	}
	return one(c.rotary(c.rows(c.In(2), positions), c.rows(c.In(3), positions)))
}

// rotary turns pairs of elements of operand 0, (batch, heads, sequence, size) or (batch, sequence, heads·size), by angles whose cosines and sines,
// (batch, sequence, pairs), are given.
func (c *lowering) rotary(cos, sin *graph.Value) *graph.Value {
	x, shape := c.In(0), c.Shape(0)
	// In a tensor of rank 3 the heads stand behind the sequence, where they may stay.
	heads, parts := 1, x
	if len(shape) == 3 {
		n := c.Int("num_heads")
		if n < 1 && len(cos.Type.Shape) == 3 { // as many as the angles lead to
			n = shape[2] / max(2*cos.Type.Shape[2], 1)
		}
		if n < 1 || shape[2]%n != 0 {
			c.failf("num_heads", "it is %d, by which the last extent of %v must be divisible", n, x.Type)
		}
		heads, parts = 2, c.Reshape(x, shape[0], shape[1], n, shape[2]/n)
	} else if len(shape) != 4 {
		c.failf(c.operandName(0), "it is %v; it must have three or four dimensions", x.Type)
	}
	n := c.Int("rotary_embedding_dim")
	if n == 0 {
		n = parts.Type.Shape[3]
	}
	y := c.rotated(parts, c.Unsqueeze(cos, heads), c.Unsqueeze(sin, heads), n, c.Flag("interleaved"))
	return c.Reshape(y, shape...)
}

// rotated turns the first n elements along the last of four dimensions in pairs: each of the first half with one of the second, or interleaved
// neighbours.
func (c *lowering) rotated(x, cos, sin *graph.Value, n int, interleaved bool) *graph.Value {
	size := x.Type.Shape[3]
	if n < 0 || n > size || n%2 != 0 {
		c.failf("rotary_embedding_dim", "%d elements of vectors of %d cannot be turned; it must be an even number of them", n, size)
	}
	if s := cos.Type.Shape; len(s) != 4 || s[3] != n/2 || !s.Equal(sin.Type.Shape) {
		c.failf("cos_cache", "there are angles for %v, and sines for %v; there must be %d for each vector", s, sin.Type.Shape, n/2)
	}
	if interleaved {
		return c.turnedNeighbours(x, cos, sin, n)
	}
	out := c.turned(c.Section(x, 3, 0, n/2), c.Section(x, 3, n/2, n), cos, sin)
	if n < size {
		out = append(out, c.Section(x, 3, n, size))
	}
	return c.Node("concat", emit.Attr("axis", 3), out...)
}

// turned turns (a, b).
func (c *lowering) turned(a, b, cos, sin *graph.Value) []*graph.Value {
	return []*graph.Value{
		c.Node("sub", nil, c.Node("mul", nil, a, cos), c.Node("mul", nil, b, sin)),
		c.Node("add", nil, c.Node("mul", nil, a, sin), c.Node("mul", nil, b, cos)),
	}
}

// turnedNeighbours turns each of the first n elements with an even index together with the next.
func (c *lowering) turnedNeighbours(x, cos, sin *graph.Value, n int) *graph.Value {
	size := x.Type.Shape[3]
	every := func(first int) *graph.Value {
		return c.Node("slice", emit.Attr("axes", []int{3}, "begin", []int{first}, "end", []int{n}, "stride", []int{2}), x)
	}
	pairs := c.Node("stack", emit.Attr("axis", 4), c.turned(every(0), every(1), cos, sin)...)
	s := x.Type.Shape
	y := c.Reshape(pairs, s[0], s[1], s[2], n)
	if n == size {
		return y
	}
	return c.Node("concat", emit.Attr("axis", 3), y, c.Section(x, 3, n, size))
}
