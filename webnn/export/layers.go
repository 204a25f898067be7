package export

import (
	"slices"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/webnn"
)

// Normalisation, matrix products and recurrent networks.

var layerRows = []row{
	direct("batch_normalization", "batchNormalization", rounded(batchNormalization, "epsilon"), roundedNote),
	direct("instance_normalization", "instanceNormalization", rounded(instanceNormalization, "epsilon"),
		"other ranks than 4: reshape; "+roundedNote),
	direct("layer_normalization", "layerNormalization", rounded(func(c *emission) []*webnn.Operand {
		return c.one("layerNormalization", options{"scale": c.operand(1), "bias": c.operand(2),
			"axes": c.Ints("axes"), "epsilon": c.Float("epsilon")}, c.in[0])
	}, "epsilon"), roundedNote),
	direct("matmul", "matmul", func(c *emission) []*webnn.Operand {
		if c.outType(0).IsInteger() || c.Bool("transposeA") || c.Bool("transposeB") {
			return nil
		}
		return c.one("matmul", nil, c.in[0], c.in[1])
	}, "transposed operands: transpose; integers: mul and reduceSum, up to 2^24 products"),
	direct("linear", "gemm", func(c *emission) []*webnn.Operand {
		if c.in[0].DataType().IsInteger() {
			return nil
		}
		return c.one("gemm", options{"c": c.operand(2), "bTranspose": true}, c.in[0], c.in[1])
	}, "integers: the operator's body"),
	direct("gemm", "gemm", rounded(func(c *emission) []*webnn.Operand {
		return c.one("gemm", options{"c": c.operand(2), "alpha": c.Float("alpha"), "beta": c.Float("beta"),
			"aTranspose": c.Bool("transposeA"), "bTranspose": c.Bool("transposeB")}, c.in[0], c.in[1])
	}, "alpha", "beta"), roundedNote),
	direct("lstm", "lstm", func(c *emission) []*webnn.Operand {
		o := c.recurrent(c.sequence(nil), "bias", "recurrentBias", "peepholeWeight", "initialHiddenState", "initialCellState")
		return c.all("lstm", o, c.in[0], c.in[1], c.in[2], c.Int("steps"), c.Int("hidden_size"))
	}),
	direct("lstm_cell", "lstmCell", func(c *emission) []*webnn.Operand {
		o := c.recurrent(nil, "", "", "bias", "recurrentBias", "peepholeWeight")
		return c.all("lstmCell", o, c.in[0], c.in[1], c.in[2], c.in[3], c.in[4], c.Int("hidden_size"))
	}),
	direct("gru", "gru", func(c *emission) []*webnn.Operand {
		o := c.recurrent(c.sequence(options{"resetAfter": c.Bool("reset_after")}), "bias", "recurrentBias", "initialHiddenState")
		return c.all("gru", o, c.in[0], c.in[1], c.in[2], c.Int("steps"), c.Int("hidden_size"))
	}),
	direct("gru_cell", "gruCell", func(c *emission) []*webnn.Operand {
		o := c.recurrent(options{"resetAfter": c.Bool("reset_after")}, "", "bias", "recurrentBias")
		return c.all("gruCell", o, c.in[0], c.in[1], c.in[2], c.in[3], c.Int("hidden_size"))
	}),
}

// recurrent adds the options that recurrent networks share; names are those of the operands from the fourth on.
func (c *emission) recurrent(o options, names ...string) options {
	if o == nil {
		o = options{}
	}
	o["layout"], o["activations"] = c.Str("layout"), c.Attrs.Strings("activations")
	for i, name := range names {
		if name != "" {
			o[name] = c.operand(3 + i)
		}
	}
	return o
}

// sequence adds the options of networks over several steps, and refuses what only ONNX has.
func (c *emission) sequence(o options) options {
	functions, shared := c.Attrs.Strings("activations"), map[string]int{"lstm": 3, "gru": 2}
	for _, f := range functions {
		if f != "relu" && f != "sigmoid" && f != "tanh" {
			kit.Refuse("a gate applies %s; WebNN has relu, sigmoid and tanh", f)
		}
	}
	switch {
	case c.operand(len(c.Def.In)-1) != nil:
		kit.Refuse("the sequences of the batch have lengths of their own")
	case len(functions) != shared[c.Def.Name]:
		kit.Refuse("the directions have functions of their own")
	case c.Float("clip") != 0:
		kit.Refuse("the arguments of its functions are bounded")
	case c.Bool("coupled"):
		kit.Refuse("the gates f and i are coupled")
	case c.Str("peephole_output") == "after" && c.operand(5) != nil:
		kit.Refuse("the peephole of the gate o sees the cell state after the step")
	}
	if o == nil {
		o = options{}
	}
	o["returnSequence"], o["direction"] = c.Bool("return_sequence"), c.Str("direction")
	return o
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

func batchNormalization(c *emission) []*webnn.Operand {
	x, axis := c.in[0], c.Int("axis")
	n := shape(x)[axis]
	return c.one("batchNormalization", options{"bias": c.channels(c.operand(3), n), "scale": c.channels(c.operand(4), n),
		"axis": axis, "epsilon": c.Float("epsilon")}, x, c.channels(c.in[1], n), c.channels(c.in[2], n))
}

func instanceNormalization(c *emission) []*webnn.Operand {
	x := c.in[0]
	s := shape(x)
	flat := slices.Clone(s)
	if len(s) != 4 {
		n := 1
		for _, d := range s[2:] {
			n *= d
		}
		flat = ints{s[0], s[1], n, 1}
	}
	y := c.do("instanceNormalization", options{"scale": c.channels(c.operand(1), s[1]), "bias": c.channels(c.operand(2), s[1]),
		"epsilon": c.Float("epsilon")}, c.reshape(x, flat))
	return one(c.reshape(y, s))
}
