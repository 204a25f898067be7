package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Operators at indices.

const indexNote = "indices of other types, and those that may be negative where that means 0: Cast, Clip"

var indexRows = []row{
	direct("gather", "Gather", moved, func(c *call) []val {
		return one(c.node1("Gather", c.out(0), at("axis", c.int("axis")), c.in[0], c.indices()))
	}, indexNote),
	direct("gather_elements", "GatherElements", moved, func(c *call) []val {
		return one(c.node1("GatherElements", c.out(0), at("axis", c.int("axis")), c.in[0], c.indices()))
	}, indexNote),
	direct("gather_nd", "GatherND", moved, func(c *call) []val {
		return one(c.node1("GatherND", c.out(0), nil, c.in[0], c.cast(c.indices(), tensor.Int64)))
	}, indexNote),
	direct("scatter_elements", "ScatterElements", moved, scatterElements, indexNote),
	direct("scatter_elements_reduce", "ScatterElements", moved, scatterElements, indexNote),
	direct("scatter_nd", "ScatterND", moved, scatterND, indexNote),
	direct("scatter_nd_reduce", "ScatterND", moved, scatterND, indexNote),
	direct("top_k", "TopK", numbers, func(c *call) []val {
		attrs := at("axis", c.int("axis"), "largest", c.bool("largest"), "sorted", c.bool("sorted"))
		return c.nodes("TopK", []graph.Type{c.out(0), c.out(1)}, attrs, c.in[0], c.list(c.int("k")))
	}),
}

func scatterElements(c *call) []val {
	attrs := append(at("axis", c.int("axis")), c.reduction()...)
	return one(c.node1("ScatterElements", c.out(0), attrs, c.in[0], c.indices(), c.in[2]))
}

func scatterND(c *call) []val {
	return one(c.node1("ScatterND", c.out(0), c.reduction(), c.in[0], c.cast(c.indices(), tensor.Int64), c.in[2]))
}

// reduction says how an element and an update are combined, if they are.
func (c *call) reduction() graph.Attrs {
	if how := c.str("reduction"); how != "" {
		return at("reduction", how)
	}
	return nil
}

// indices returns the operand of indices in a type that the standard takes. Negative indices count from the end there; where the operator
// takes them for 0, they become 0.
func (c *call) indices() val {
	i := c.in[1]
	switch d := i.DType; {
	case d == tensor.Uint64:
		i = c.cast(c.do("Min", i, c.integer(d, math.MaxInt32)), tensor.Int64)
	case d == tensor.Uint32:
		i = c.cast(i, tensor.Int64)
	case d != tensor.Int32 && d != tensor.Int64:
		i = c.cast(i, tensor.Int32)
	}
	if c.bool("negative") || c.in[1].DType.IsUnsigned() || c.nonNegative() {
		return i
	}
	return c.do("Max", i, c.integer(i.DType, 0))
}

// nonNegative reports whether the indices are constants of which none is negative.
func (c *call) nonNegative() bool {
	t := c.known(1)
	if t == nil {
		return false
	}
	wide, err := tensor.Cast(t, tensor.Int64)
	return err == nil && !slices.ContainsFunc(tensor.Data[int64](wide.Contiguous()), func(i int64) bool { return i < 0 })
}
