package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Operators at indices.

const indexNote = "indices of other types: Cast; those that need not be in range, unless negative = true: Max, Min"

var indexRows = []row{
	direct("gather", "Gather", moved, func(c *emission) []val {
		return one(c.node1("Gather", c.out(0), at("axis", c.Int("axis")), c.in[0], c.indices(c.in[0].Shape[c.Int("axis")])))
	}, indexNote),
	direct("gather_elements", "GatherElements", moved, func(c *emission) []val {
		return one(c.node1("GatherElements", c.out(0), at("axis", c.Int("axis")), c.in[0], c.indices(c.in[0].Shape[c.Int("axis")])))
	}, indexNote),
	direct("gather_nd", "GatherND", moved, func(c *emission) []val {
		return one(c.node1("GatherND", c.out(0), nil, c.in[0], c.cast(c.indices(c.coordinates()...), tensor.Int64)))
	}, indexNote),
	direct("scatter_elements", "ScatterElements", moved, scatterElements, indexNote),
	direct("scatter_elements_reduce", "ScatterElements", moved, scatterElements, indexNote),
	direct("scatter_nd", "ScatterND", moved, scatterND, indexNote),
	direct("scatter_nd_reduce", "ScatterND", moved, scatterND, indexNote),
	direct("reverse_sequence", "ReverseSequence", moved, func(c *emission) []val {
		batch, time := c.Int("batch_axis"), c.Int("time_axis")
		if max(batch, time) != 1 || min(batch, time) != 0 || c.in[0].DType == tensor.BFloat16 {
			return nil
		}
		attrs := at("batch_axis", batch, "time_axis", time)
		return one(c.node1("ReverseSequence", c.out(0), attrs, c.in[0], c.cast(c.in[1], tensor.Int64)))
	}, "other axes than the first two: own").otherwise(reverseSequence),
	direct("top_k", "TopK", numbers, func(c *emission) []val {
		if c.in[0].DType == tensor.BFloat16 {
			c.needs(Versions[3])
		}
		attrs := at("axis", c.Int("axis"), "largest", c.Bool("largest"), "sorted", c.Bool("sorted"))
		return c.nodes("TopK", []graph.Type{c.out(0), c.out(1)}, attrs, c.in[0], c.list(c.Int("k")))
	}),
}

// coordinates returns the extents of the dimensions along which the last dimension of the indices holds coordinates.
func (c *emission) coordinates() ints {
	at := c.in[1].Shape
	return c.in[0].Shape[:at[len(at)-1]]
}

func scatterElements(c *emission) []val {
	attrs := append(at("axis", c.Int("axis")), c.reduction()...)
	return one(c.node1("ScatterElements", c.out(0), attrs, c.in[0], c.indices(c.in[0].Shape[c.Int("axis")]), c.in[2]))
}

func scatterND(c *emission) []val {
	return one(c.node1("ScatterND", c.out(0), c.reduction(), c.in[0], c.cast(c.indices(c.coordinates()...), tensor.Int64), c.in[2]))
}

// reduction says how an element and an update are combined, if they are.
func (c *emission) reduction() graph.Attrs {
	if how := c.Str("reduction"); how != "" {
		return at("reduction", how)
	}
	return nil
}

// indices returns the operand of indices in a type that the standard takes, of which the last dimension holds the coordinates along as many
// dimensions, or else all count along one, of the given extents. Negative indices count from the end in the standard, and those that are
// out of range are mistakes: where the operator takes them for the nearest ones, they become so.
func (c *emission) indices(extents ...int) val {
	i := c.in[1]
	if len(extents) == 0 || slices.Contains(extents, 0) {
		return c.cast(i, tensor.Int64) // there is nothing to index
	}
	negative := c.Bool("negative")
	known, inside := c.inside(negative, extents)
	if i.DType == tensor.Uint64 && !inside {
		i = c.do("Min", i, c.integer(i.DType, int64(slices.Max(extents)-1)))
	}
	if i.DType != tensor.Int32 {
		i = c.cast(i, tensor.Int64)
	}
	if inside || negative && !known {
		return i
	}
	least, most := make(ints, len(extents)), make(ints, len(extents))
	for k, n := range extents {
		if most[k] = n - 1; negative {
			least[k] = -n
		}
	}
	bound := func(list ints) val {
		if len(list) == 1 {
			return c.integer(i.DType, int64(list[0]))
		}
		return c.cast(c.list(list...), i.DType)
	}
	return c.do("Min", c.do("Max", i, bound(least)), bound(most))
}

// inside reports whether the indices are constants, and then whether all are in range.
func (c *emission) inside(negative bool, extents ints) (known, inside bool) {
	t := c.Known(1)
	if t == nil || len(extents) == 0 {
		return len(extents) == 0, len(extents) == 0
	}
	wide, err := tensor.Cast(t, tensor.Int64)
	if err != nil || t.DType() == tensor.Uint64 {
		return false, false
	}
	for k, i := range tensor.Data[int64](wide.Contiguous()) {
		n := int64(extents[k%len(extents)])
		if i >= n || i < 0 && !negative || i < -n {
			return true, false
		}
	}
	return true, true
}

// reverseSequence reads at places that are reversed up to a length.
func reverseSequence(c *emission) []val {
	x, batch, time := c.in[0], c.Int("batch_axis"), c.Int("time_axis")
	n, steps, rank := x.Shape[batch], x.Shape[time], x.rank()
	shape := slices.Repeat(ints{1}, rank)
	shape[batch] = n
	lengths := c.reshape(c.index(c.in[1], 0, int64(steps)), shape...)
	number := c.counting(steps, time, rank)
	mirrored := c.do("Sub", c.do("Sub", lengths, c.integer(tensor.Int64, 1)), number)
	places := c.do("Where", c.test("Less", number, lengths), mirrored, number)
	places = c.node1("Expand", graph.Type{DType: tensor.Int64, Shape: x.Shape}, nil, places, c.list(x.Shape...))
	return one(c.node1("GatherElements", x.Type, at("axis", time), x, places))
}
