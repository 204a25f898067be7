package onnx

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Operators that read or write elements at indices, of which negative ones count from the end.
var gatherRows = family{"Indices", []row{
	{name: "Gather", forms: forms("1 11 13", "data, indices; axis=0 -> output"), lower: func(c *lowering) []*graph.Value {
		return one(c.Node("gather", c.indexed("axis", c.Axis("axis", c.Int("axis"), len(c.Shape(0)))), c.In(0), c.In(1)))
	}},
	{name: "GatherElements", forms: forms("11 13", "data, indices; axis=0 -> output"), lower: gatherElements},
	{name: "GatherND", forms: forms("11", "data, indices: integer -> output", "12 13", "data, indices: integer; batch_dims=0 -> output"), lower: gatherND},
	{name: "ReverseSequence", forms: forms("10", "input, sequence_lens; batch_axis=1, time_axis=0"), lower: func(c *lowering) []*graph.Value {
		rank := len(c.Shape(0))
		axes := emit.Attr("batch_axis", c.Axis("batch_axis", c.Int("batch_axis"), rank), "time_axis", c.Axis("time_axis", c.Int("time_axis"), rank))
		return one(c.Node("reverse_sequence", axes, c.In(0), c.In(1)))
	}},
	{name: "Scatter", forms: forms("9 11", "data, indices, updates; axis=0 -> output"), lower: scatterElements},
	{name: "ScatterElements", forms: forms("11 13", "data, indices, updates; axis=0 -> output",
		"16 18", `data, indices, updates; axis=0, reduction="none" -> output`), lower: scatterElements},
	{name: "ScatterND", forms: forms("11 13", "data, indices, updates -> output", "16 18", `data, indices, updates; reduction="none" -> output`),
		lower: func(c *lowering) []*graph.Value {
			operator, attrs := c.updating("scatter_nd", c.DType(0))
			return one(c.logical(operator, c.In(0), c.In(2), func(data, updates *graph.Value) *graph.Value {
				return c.Node(operator, attrs, data, c.In(1), updates)
			}))
		}},
	{name: "TensorScatter", forms: forms("24", `past_cache, update, write_indices?; axis=-2, mode="linear" -> present_cache`), lower: tensorScatter},
}}

// indexed returns attributes of an operator at indices.
func (c *lowering) indexed(pairs ...any) graph.Attrs {
	return emit.Attr(append(pairs, "negative", true)...)
}

// updating returns the operator that puts updates in the places of elements of type d or, as the attribute reduction says, combines them.
func (c *lowering) updating(operator string, d tensor.DType, pairs ...any) (string, graph.Attrs) {
	if c.form.declared("reduction") == nil {
		return operator, c.indexed(pairs...)
	}
	how := c.OneOf("reduction", "none", "add", "mul", "max", "min")
	if how == "none" {
		return operator, c.indexed(pairs...)
	}
	if d == tensor.Bool { // which are computed with as 0 and 1
		how = map[string]string{"add": "max", "mul": "min", "max": "max", "min": "min"}[how]
	}
	return operator + "_reduce", c.indexed(append(pairs, "reduction", how)...)
}

// logical has a function combine bools as the numbers 0 and 1, if the operator is one that combines.
func (c *lowering) logical(operator string, a, b *graph.Value, combine func(a, b *graph.Value) *graph.Value) *graph.Value {
	if d := a.Type.DType; d == tensor.Bool && strings.HasSuffix(operator, "_reduce") {
		if b.Type.DType != d {
			c.failf(c.operandName(2), "the element type is %v; it must be %v, as in %s", b.Type.DType, d, c.operandName(0))
		}
		return c.Cast(combine(c.Cast(a, tensor.Uint8), c.Cast(b, tensor.Uint8)), d)
	}
	return combine(a, b)
}

// gatherElements reads from the first places of the dimensions that are not indexed.
func gatherElements(c *lowering) []*graph.Value {
	data, indices := c.In(0), c.In(1)
	axis := c.Axis("axis", c.Int("axis"), len(data.Type.Shape))
	if len(indices.Type.Shape) == len(data.Type.Shape) {
		for d, n := range indices.Type.Shape {
			if d != axis && n < data.Type.Shape[d] {
				data = c.Section(data, d, 0, n)
			}
		}
	}
	return one(c.Node("gather_elements", c.indexed("axis", axis), data, indices))
}

// gatherND makes the number of the batch an index like the others.
func gatherND(c *lowering) []*graph.Value {
	data, indices := c.In(0), c.In(1)
	b := 0
	if c.form.declared("batch_dims") != nil {
		b = c.Int("batch_dims")
	}
	from, at := data.Type.Shape, indices.Type.Shape
	if b == 0 {
		return one(c.Node("gather_nd", c.indexed(), data, indices))
	}
	if b < 0 || b >= len(from) || b >= len(at) || !from[:b].Equal(at[:b]) {
		c.failf("batch_dims", "it is %d; data, %v, and indices, %v, must have as many dimensions in common, and more", b, data.Type, indices.Type)
	}
	k := len(at) - 1
	batches, each := from[:b].Len(), at[b:k].Len()
	numbers := c.Broadcast(c.IotaAlong(0, 3, batches, tensor.Int64), batches, each, 1)
	indices = c.Node("concat", emit.Attr("axis", 2), numbers, c.Reshape(c.Cast(indices, tensor.Int64), batches, each, at[k]))
	data = c.Reshape(data, append([]int{batches}, from[b:]...)...)
	y := c.Node("gather_nd", c.indexed(), data, indices)
	return one(c.Reshape(y, slices.Concat(at[:k], y.Type.Shape[2:])...))
}

func scatterElements(c *lowering) []*graph.Value {
	axis := c.Axis("axis", c.Int("axis"), len(c.Shape(0)))
	operator, attrs := c.updating("scatter_elements", c.DType(0), "axis", axis)
	return one(c.logical(operator, c.In(0), c.In(2), func(data, updates *graph.Value) *graph.Value {
		return c.scatter(operator, attrs, data, c.In(1), updates)
	}))
}

// scatter writes to the first places of the dimensions that are not indexed, and leaves what is behind them as it is.
func (c *lowering) scatter(operator string, attrs graph.Attrs, data, indices, updates *graph.Value) *graph.Value {
	axis := attrs.Int("axis")
	if len(indices.Type.Shape) == len(data.Type.Shape) {
		for d, n := range indices.Type.Shape {
			if all := data.Type.Shape[d]; d != axis && n < all {
				written := c.scatter(operator, attrs, c.Section(data, d, 0, n), indices, updates)
				return c.Node("concat", emit.Attr("axis", d), written, c.Section(data, d, n, all))
			}
		}
	}
	return c.Node(operator, attrs, data, indices, updates)
}

// tensorScatter writes updates one behind the other, from an index for each item of the batch on.
func tensorScatter(c *lowering) []*graph.Value {
	cache, update := c.In(0), c.In(1)
	s := update.Type.Shape
	rank := len(cache.Type.Shape)
	axis := c.Axis("axis", c.Int("axis"), rank)
	circular := c.OneOf("mode", "linear", "circular") == "circular"
	if len(s) != rank {
		c.failf("update", "it is %v; it must have the rank of past_cache, %v", update.Type, cache.Type)
	}
	places := c.IotaAlong(axis, rank, s[axis], tensor.Int64)
	if first := c.In(2); first != nil {
		shape := slices.Repeat([]int{1}, rank)
		shape[0] = s[0]
		places = c.Node("add", nil, c.Reshape(first, shape...), places)
	}
	if circular {
		places = c.Node("mod", nil, places, c.Constant(tensor.Scalar(int64(cache.Type.Shape[axis]))))
	}
	places = c.Broadcast(places, s...)
	return one(c.moved(func(v ...*graph.Value) *graph.Value {
		return c.scatter("scatter_elements", c.indexed("axis", axis), v[0], places, v[1])
	}, cache, update))
}
