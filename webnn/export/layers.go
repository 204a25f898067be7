package export

import (
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Normalisation, matrix products and recurrent networks.

var layerRows = []row{
	direct("batch_normalization", "batchNormalization", said(batchNormalization), roundedNote),
	direct("instance_normalization", "instanceNormalization", said(instanceNormalization), "other ranks than 4: reshape; "+roundedNote),
	direct("linear", "gemm", func(c *emission) []*webnn.Operand {
		if c.in[0].DataType().IsInteger() {
			return nil
		}
		return c.one("gemm", options{"c": c.operand(2), "bTranspose": true}, c.in[0], c.in[1])
	}, "integers: the operator's body"),
	direct("matmul", "matmul", where(func(c *emission) bool { return !c.Bool("transposeA") && !c.Bool("transposeB") }),
		"transposed operands: transpose; integers: mul and reduceSum, up to 2^24 products"),
	direct("lstm", "lstm", said(sequence)),
	direct("gru", "gru", said(sequence)),
}

// sequence refuses what only ONNX has of networks over several steps.
func sequence(c *emission) {
	functions := c.Attrs.Strings("activations")
	for _, f := range functions {
		if f != "relu" && f != "sigmoid" && f != "tanh" {
			kit.Refuse("a gate applies %s; WebNN has relu, sigmoid and tanh", f)
		}
	}
	switch {
	case c.operand(len(c.Def.In)-1) != nil:
		kit.Refuse("the sequences of the batch have lengths of their own")
	case len(functions) != c.Def.GateFunctions():
		kit.Refuse("the directions have functions of their own")
	case c.Float("clip") != 0:
		kit.Refuse("the arguments of its functions are bounded")
	case c.Bool("coupled"):
		kit.Refuse("the gates f and i are coupled")
	case c.Str("peephole_output") == "after" && c.operand(5) != nil:
		kit.Refuse("the peephole of the gate o sees the cell state after the step")
	}
}

// channels returns a parameter of each channel in the shape [n]: it may have other dimensions of extent 1, or be one number.
func (c *emission) channels(o *webnn.Operand, n int) *webnn.Operand {
	if o == nil {
		return nil
	}
	size := o.Shape().Len()
	o = c.reshape(o, ints{size})
	if size == 1 && n != 1 {
		o = c.do("expand", nil, o, ints{n})
	}
	return o
}

func batchNormalization(c *emission) {
	n := shape(c.in[0])[c.Int("axis")]
	for _, list := range [][]*webnn.Operand{c.in[3:], c.in[1:3]} {
		for i, o := range list {
			list[i] = c.channels(o, n)
		}
	}
}

func instanceNormalization(c *emission) {
	s := shape(c.in[0])
	for i, o := range c.in[1:] {
		c.in[1+i] = c.channels(o, s[1])
	}
	if len(s) != 4 {
		c.in[0] = c.reshape(c.in[0], ints{s[0], s[1], tensor.Shape(s[2:]).Len(), 1})
	}
}
