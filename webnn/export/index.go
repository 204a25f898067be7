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
	direct("gather", "gather", said(indices), indexNote),
	direct("gather_elements", "gatherElements", said(indices), indexNote),
	direct("gather_nd", "gatherND", said(indices), indexNote),
	direct("scatter_elements", "scatterElements", said(indices), indexNote),
	direct("scatter_nd", "scatterND", said(indices), indexNote),
	direct("quantize_linear", "quantizeLinear", said(quantization), quantizationNote),
	direct("dequantize_linear", "dequantizeLinear", said(quantization), quantizationNote),
}

// indexTypes are the types that methods take for indices.
var indexTypes = []tensor.DType{tensor.Int32, tensor.Uint32, tensor.Int64}

// indices brings the operand of indices into a type that methods take. Negative indices count from the end in WebNN; where the
// operator takes them for 0, they become 0.
func indices(c *emission) {
	i, d := c.in[1], c.in[1].DataType()
	most := int64(1)<<31 - 1
	switch {
	case d == tensor.Uint64:
		i = c.cast(c.do("clamp", options{"maxValue": webnn.Int(most)}, i), tensor.Int64)
	case !slices.Contains(indexTypes, d):
		i = c.cast(i, tensor.Int32)
	}
	if !c.Bool("negative") && d.IsSigned() && !c.nonNegative() {
		i = c.do("clamp", options{"minValue": webnn.Int(0)}, i)
	}
	c.in[1] = i
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

func quantization(c *emission) {
	c.in[1] = c.served(c.in[1])
	c.in[2] = c.like(c.in[1], c.in[2])
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
