package export

import (
	"slices"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Normalisation, matrix products and recurrent networks.

var layerRows = []row{
	direct("batch_normalization", "batchNormalization", rounded(batchNormalization, "epsilon"), roundedNote),
	direct("instance_normalization", "instanceNormalization", rounded(instanceNormalization, "epsilon"),
		"other ranks than 4: reshape; "+roundedNote),
	direct("layer_normalization", "layerNormalization", rounded(func(c *call) []*webnn.Operand {
		return one(c.do("layerNormalization", options{"scale": c.operand(1), "bias": c.operand(2),
			"axes": c.ints("axes"), "epsilon": c.float("epsilon")}, c.in[0]))
	}, "epsilon"), roundedNote),
	direct("matmul", "matmul", matmul, "transposed operands: transpose; integers: mul and reduceSum, up to 2^24 products"),
	direct("linear", "gemm", func(c *call) []*webnn.Operand {
		if c.in[0].DataType().IsInteger() {
			return c.byBody(c.d)
		}
		return one(c.do("gemm", options{"c": c.operand(2), "bTranspose": true}, c.in[0], c.in[1]))
	}, "integers: the operator's body"),
	direct("gemm", "gemm", rounded(func(c *call) []*webnn.Operand {
		return one(c.do("gemm", options{"c": c.operand(2), "alpha": c.float("alpha"), "beta": c.float("beta"),
			"aTranspose": c.bool("transposeA"), "bTranspose": c.bool("transposeB")}, c.in[0], c.in[1]))
	}, "alpha", "beta"), roundedNote),
	direct("lstm", "lstm", func(c *call) []*webnn.Operand {
		o := c.recurrent(c.sequence(nil), "bias", "recurrentBias", "peepholeWeight", "initialHiddenState", "initialCellState")
		return c.all("lstm", o, c.in[0], c.in[1], c.in[2], c.int("steps"), c.int("hidden_size"))
	}),
	direct("lstm_cell", "lstmCell", func(c *call) []*webnn.Operand {
		o := c.recurrent(nil, "", "", "bias", "recurrentBias", "peepholeWeight")
		return c.all("lstmCell", o, c.in[0], c.in[1], c.in[2], c.in[3], c.in[4], c.int("hidden_size"))
	}),
	direct("gru", "gru", func(c *call) []*webnn.Operand {
		o := c.recurrent(c.sequence(options{"resetAfter": c.bool("reset_after")}), "bias", "recurrentBias", "initialHiddenState")
		return c.all("gru", o, c.in[0], c.in[1], c.in[2], c.int("steps"), c.int("hidden_size"))
	}),
	direct("gru_cell", "gruCell", func(c *call) []*webnn.Operand {
		o := c.recurrent(options{"resetAfter": c.bool("reset_after")}, "", "bias", "recurrentBias")
		return c.all("gruCell", o, c.in[0], c.in[1], c.in[2], c.in[3], c.int("hidden_size"))
	}),
}

// recurrent adds the options that recurrent networks share; names are those of the operands from the fourth on.
func (c *call) recurrent(o options, names ...string) options {
	if o == nil {
		o = options{}
	}
	o["layout"], o["activations"] = c.str("layout"), c.n.Attrs.Strings("activations")
	for i, name := range names {
		if name != "" {
			o[name] = c.operand(3 + i)
		}
	}
	return o
}

// sequence adds the options of networks over several steps, and refuses what only ONNX has.
func (c *call) sequence(o options) options {
	functions, shared := c.n.Attrs.Strings("activations"), map[string]int{"lstm": 3, "gru": 2}
	for _, f := range functions {
		if f != "relu" && f != "sigmoid" && f != "tanh" {
			refuse("a gate applies %s; WebNN has relu, sigmoid and tanh", f)
		}
	}
	switch {
	case c.operand(len(c.d.In)-1) != nil:
		refuse("the sequences of the batch have lengths of their own")
	case len(functions) != shared[c.d.Name]:
		refuse("the directions have functions of their own")
	case c.float("clip") != 0:
		refuse("the arguments of its functions are bounded")
	case c.bool("coupled"):
		refuse("the gates f and i are coupled")
	case c.str("peephole_output") == "after" && c.operand(5) != nil:
		refuse("the peephole of the gate o sees the cell state after the step")
	}
	if o == nil {
		o = options{}
	}
	o["returnSequence"], o["direction"] = c.bool("return_sequence"), c.str("direction")
	return o
}

// channels returns a parameter of each channel in the shape [n]: it may have other dimensions of extent 1, or be one number.
func (c *call) channels(o *webnn.Operand, n int) *webnn.Operand {
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

func batchNormalization(c *call) []*webnn.Operand {
	x, axis := c.in[0], c.int("axis")
	n := shape(x)[axis]
	return one(c.do("batchNormalization", options{"bias": c.channels(c.operand(3), n), "scale": c.channels(c.operand(4), n),
		"axis": axis, "epsilon": c.float("epsilon")}, x, c.channels(c.in[1], n), c.channels(c.in[2], n)))
}

func instanceNormalization(c *call) []*webnn.Operand {
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
		"epsilon": c.float("epsilon")}, c.reshape(x, flat))
	return one(c.reshape(y, s))
}

// maxProducts bounds the products of integers that are laid out in memory.
const maxProducts = limits.WebNNProducts

func matmul(c *call) []*webnn.Operand {
	a, b := c.lastSwapped(c.in[0], c.bool("transposeA")), c.lastSwapped(c.in[1], c.bool("transposeB"))
	if d := c.outType(0); d.IsInteger() {
		a, b = c.cast(a, d), c.cast(b, d)
	}
	return one(c.product(a, b))
}

// product multiplies matrices. WebNN does so with floats; of integers, all products are made, and added.
func (c *call) product(a, b *webnn.Operand) *webnn.Operand {
	if !a.DataType().IsInteger() {
		return c.do("matmul", nil, a, b)
	}
	r, rows, k, columns := rank(a), shape(a)[rank(a)-2], shape(a)[rank(a)-1], shape(b)[rank(b)-1]
	batch := 1
	for d := range r - 2 {
		batch *= max(shape(a)[d], shape(b)[d])
	}
	if n := tensor.Shape(ints{batch, rows, columns}).Len(); n > maxProducts/k || r == webnn.MaxRank {
		refuse("WebNN multiplies no matrices of integers, and these, %v and %v, have more than %d products, or %d dimensions",
			shape(a), shape(b), maxProducts, webnn.MaxRank)
	}
	left := append(slices.Clone(shape(a)), 1)
	right := slices.Insert(slices.Clone(shape(b)), r-2, 1)
	products := c.do("mul", nil, c.reshape(a, left), c.reshape(b, right))
	return c.do("reduceSum", options{"axes": ints{r - 1}}, products)
}

// lastSwapped exchanges the last two dimensions, if asked to.
func (c *call) lastSwapped(o *webnn.Operand, swap bool) *webnn.Operand {
	if !swap {
		return o
	}
	perm := make(ints, rank(o))
	for i := range perm {
		perm[i] = i
	}
	n := len(perm)
	perm[n-1], perm[n-2] = n-2, n-1
	return c.transpose(o, perm)
}
