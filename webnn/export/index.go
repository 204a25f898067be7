package export

import (
	"slices"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Operators with indices, and linear quantisation.

const indexNote = "indices of other types, and those that may be negative where that means 0: cast, clamp"

var indexRows = []row{
	direct("gather", "gather", func(c *emission) []*webnn.Operand {
		return c.one("gather", options{"axis": c.Int("axis")}, c.in[0], c.indices())
	}, indexNote),
	direct("gather_elements", "gatherElements", func(c *emission) []*webnn.Operand {
		return c.one("gatherElements", options{"axis": c.Int("axis")}, c.in[0], c.indices())
	}, indexNote),
	direct("gather_nd", "gatherND", func(c *emission) []*webnn.Operand { return c.one("gatherND", nil, c.in[0], c.indices()) }, indexNote),
	direct("scatter_elements", "scatterElements", func(c *emission) []*webnn.Operand {
		return c.one("scatterElements", options{"axis": c.Int("axis")}, c.in[0], c.indices(), c.in[2])
	}, indexNote),
	direct("scatter_nd", "scatterND", func(c *emission) []*webnn.Operand {
		return c.one("scatterND", nil, c.in[0], c.indices(), c.in[2])
	}, indexNote),
	direct("quantize_linear", "quantizeLinear", quantization("quantizeLinear"), quantizationNote),
	direct("dequantize_linear", "dequantizeLinear", quantization("dequantizeLinear"), quantizationNote),
}

// indexTypes are the types that methods take for indices.
var indexTypes = []tensor.DType{tensor.Int32, tensor.Uint32, tensor.Int64}

// indices returns the operand of indices in a type that methods take. Negative indices count from the end in WebNN; where the
// operator takes them for 0, they become 0.
func (c *emission) indices() *webnn.Operand {
	i, d := c.in[1], c.in[1].DataType()
	most := int64(1)<<31 - 1
	switch {
	case d == tensor.Uint64:
		i = c.cast(c.do("clamp", options{"maxValue": webnn.Int(most)}, i), tensor.Int64)
	case !slices.Contains(indexTypes, d):
		i = c.cast(i, tensor.Int32)
	}
	if c.Bool("negative") || !d.IsSigned() || c.nonNegative() {
		return i
	}
	return c.do("clamp", options{"minValue": webnn.Int(0)}, i)
}

// nonNegative reports whether the indices are constants of which none is negative.
func (c *emission) nonNegative() bool {
	t := c.Known(1)
	if t == nil {
		return false
	}
	wide, err := tensor.Cast(t, tensor.Int64)
	return err == nil && !slices.ContainsFunc(tensor.Data[int64](wide.Contiguous()), func(i int64) bool { return i < 0 })
}

const quantizationNote = "scalars: reshape, expand; blocks that do not divide an extent are refused"

func quantization(method string) func(c *emission) []*webnn.Operand {
	return func(c *emission) []*webnn.Operand {
		scale := c.served(c.in[1])
		return c.one(method, nil, c.in[0], scale, c.like(scale, c.in[2]))
	}
}

// served returns a scale in the rank of operand 0, of which it must serve equal blocks.
func (c *emission) served(scale *webnn.Operand) *webnn.Operand {
	in := shape(c.in[0])
	for d, size := range c.Ints("block") {
		if in[d] != size*shape(scale)[d] {
			kit.Refuse("its blocks of %d in an extent of %d are not of one size; WebNN divides an extent into equal ones", size, in[d])
		}
	}
	if rank(scale) == 0 {
		return c.reshape(scale, slices.Repeat(ints{1}, len(in)))
	}
	return scale
}

// like gives a scalar the shape of another operand.
func (c *emission) like(other, o *webnn.Operand) *webnn.Operand {
	if rank(o) == 0 && rank(other) > 0 {
		o = c.do("expand", nil, c.reshape(o, slices.Repeat(ints{1}, rank(other))), shape(other))
	}
	return o
}
