package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
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
	ofLast("layer_normalization", "LayerNormalization", Version{}),
	ofLast("rms_normalization", "RMSNormalization", Versions[2]),
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

// ofLast is the row of a normalization over the last dimensions, with a scale as operand 1, of a version of the standard.
func ofLast(name, to string, since Version) row {
	return direct(name, to, floats, func(c *emission) []val {
		x, axes := c.in[0], c.Ints("axes")
		first := x.rank() - len(axes)
		if len(axes) == 0 || !slices.Equal(axes, emit.Counting(first, len(axes))) {
			return nil
		}
		c.needs(since)
		in := slices.Clone(c.in)
		if !c.Has(1) {
			in[1] = c.full(graph.Type{DType: x.DType, Shape: slices.Clone(x.Shape[first:])}, 1)
		}
		return one(c.node1(to, c.out(0), at("axis", first, "epsilon", c.Float("epsilon")), in...))
	}, "axes that are not the last ones: own")
}
