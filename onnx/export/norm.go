package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Normalizations. Those of the standard want all their parameters.

var normRows = []row{
	direct("batch_normalization", "BatchNormalization", floats, func(c *emission) []val {
		if c.Int("axis") != 1 || c.in[0].rank() < 2 {
			return nil
		}
		channels := c.in[0].Shape[1]
		scale, offset := c.perChannel(4, channels, 1), c.perChannel(3, channels, 0)
		return one(c.node1("BatchNormalization", c.out(0), at("epsilon", c.Float("epsilon")), c.in[0], scale, offset,
			c.perChannel(1, channels, 0), c.perChannel(2, channels, 0)))
	}, "channels in another dimension than the second: own"),
	direct("instance_normalization", "InstanceNormalization", floats, func(c *emission) []val {
		if c.in[0].rank() < 3 {
			return nil
		}
		channels := c.in[0].Shape[1]
		return one(c.node1("InstanceNormalization", c.out(0), at("epsilon", c.Float("epsilon")), c.in[0],
			c.perChannel(1, channels, 1), c.perChannel(2, channels, 0)))
	}, "no spatial dimensions: own"),
	direct("layer_normalization", "LayerNormalization", floats, func(c *emission) []val {
		inner, ok := c.trailing()
		if !ok {
			return nil
		}
		scale := c.in[1]
		if !c.Has(1) {
			scale = c.full(inner, 1)
		}
		return one(c.node1("LayerNormalization", c.out(0), c.from(inner), c.in[0], scale, c.in[2]))
	}, "axes that are not the last ones: own"),
	direct("rms_normalization", "RMSNormalization", floats, func(c *emission) []val {
		inner, ok := c.trailing()
		if !ok {
			return nil
		}
		c.needs(Versions[2])
		scale := c.in[1]
		if !c.Has(1) {
			scale = c.full(inner, 1)
		}
		return one(c.node1("RMSNormalization", c.out(0), c.from(inner), c.in[0], scale))
	}, "axes that are not the last ones: own"),
	direct("local_response_normalization", "LRN", floats, func(c *emission) []val {
		size := c.Ints("size")
		for d, n := range size {
			if d != 1 && n != 1 {
				return nil
			}
		}
		if len(size) < 3 || size[1]%2 == 0 {
			return nil
		}
		return one(c.node1("LRN", c.out(0), at("size", size[1], "alpha", c.Float("alpha"), "beta", c.Float("beta"), "bias", c.Float("bias")), c.in[0]))
	}, "windows over other dimensions than the channels, or of an even extent: own"),
}

// perChannel returns an operand with one element for each channel; n everywhere if it is absent.
func (c *emission) perChannel(i, channels int, n float64) val {
	t := graph.Type{DType: c.out(0).DType, Shape: tensor.Shape{channels}}
	if !c.Has(i) {
		return c.full(t, n)
	}
	x := c.reshape(c.in[i], c.in[i].Shape.Len())
	if x.Shape[0] == channels {
		return x
	}
	return c.node1("Expand", t, nil, x, c.list(channels))
}

// trailing returns the type of the part of the operand that the axes make, and whether they are its last ones, in order.
func (c *emission) trailing() (graph.Type, bool) {
	axes, rank := c.Ints("axes"), c.in[0].rank()
	for i, a := range axes {
		if a != rank-len(axes)+i {
			return graph.Type{}, false
		}
	}
	return graph.Type{DType: c.in[0].DType, Shape: slices.Clone(c.in[0].Shape[rank-len(axes):])}, len(axes) > 0
}

// from returns the attributes of a normalization over that part.
func (c *emission) from(inner graph.Type) graph.Attrs {
	return at("axis", c.in[0].rank()-len(inner.Shape), "epsilon", c.Float("epsilon"))
}
