package export

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
)

// reduced reduces over the axes of the node, which stay.
func (c *call) reduced(operator string, x int) int {
	axes := c.Ints("axes")
	if len(axes) == 0 {
		return x // which CVM would take for all
	}
	return c.do(operator, attributes("axis", axes, "keepdims", true), x)
}

func sum(c *call) []operand {
	if c.Bool("normalize") {
		kit.Refuse("it divides by the number of elements; shift the sum instead")
	}
	return one(c.reduced("sum", c.in[0].entry))
}

func maximum(c *call) []operand { return one(c.reduced("max", c.in[0].entry)) }

func minimum(c *call) []operand {
	return c.negated(func(in ...int) int { return c.reduced("max", in[0]) }, c.in[0].entry)
}

// narrow refuses operands of products that CVM does not multiply.
func (c *call) narrow(entries ...int) {
	for i, x := range entries {
		if p := c.precision(x); p > operators.MaxFactor {
			kit.Refuse("operand %d has %d bits; CVM multiplies at most %d here. Rescale it, or bound it with clamp_precision", i, p, operators.MaxFactor)
		}
	}
}

// multiplied applies conv2d or dense and adds the bias, which has an element for each of n channels.
func (c *call) multiplied(operator string, attrs graph.Attrs, n int, in ...int) []operand {
	c.narrow(in...)
	biased := c.Has(2) && c.shape(c.in[2].entry).Len() == n
	if biased {
		in = append(in, c.parameter(2, tensor.Shape{n}))
	}
	x := c.do(operator, attrs.With("use_bias", biased), in...)
	if c.Has(2) && !biased {
		x = c.do("broadcast_add", nil, x, c.in[2].entry) // a number
	}
	return one(x)
}

// parameter gives an operand another shape: without an operator if it is a parameter that nothing else reads.
func (c *call) parameter(i int, shape tensor.Shape) int {
	x, v := c.in[i].entry, c.In[i]
	if v.Const != nil && len(c.readers[v]) == 1 && c.outputs[v] == "" {
		p := &c.nodes[c.outs[x].node]
		if data, err := p.data.Reshape(shape...); err == nil {
			p.data, c.outs[x].Shape = data, shape
			return x
		}
	}
	return c.reshaped(x, shape)
}

func linear(c *call) []operand {
	x, w := c.in[0].entry, c.in[1].entry
	n := c.shape(w)[0]
	return c.multiplied("dense", attributes("units", n), n, x, w)
}

func matmul(c *call) []operand {
	x, w := c.in[0].entry, c.in[1].entry
	if len(c.shape(x)) != 2 || len(c.shape(w)) != 2 {
		kit.Refuse("CVM multiplies matrices, not lists of matrices")
	}
	turned := func(x int) int { return c.do("transpose", attributes("axes", []int{1, 0}), x) }
	if c.Bool("transposeA") {
		x = turned(x)
	}
	if !c.Bool("transposeB") {
		w = turned(w)
	}
	n := c.shape(w)[0]
	return c.multiplied("dense", attributes("units", n), n, x, w)
}

func conv(c *call) []operand {
	x, w := c.in[0].entry, c.in[1].entry
	filter := c.shape(w)
	if len(filter) != 4 {
		kit.Refuse("CVM's convolution has two spatial dimensions; this one has %d", len(filter)-2)
	}
	win := c.planar(filter[2:])
	x = c.window(win, x, "constant", 0)
	return c.multiplied("conv2d", attributes(
		"channels", filter[0], "kernel_size", []int(filter[2:]), "strides", win.Stride, "dilation", win.Dilation, "padding", win.padding[:],
		"groups", c.Groups(c.shape(x)[1]),
	), filter[0], x, w)
}

func maxPool(c *call) []operand {
	x := c.in[0].entry
	if len(c.shape(x)) != 4 {
		kit.Refuse("CVM's max_pool2d has operands of rank 4; the rank is %d", len(c.shape(x)))
	}
	win := c.planar(c.Ints("size"))
	if win.Dilation[0] != 1 || win.Dilation[1] != 1 {
		kit.Refuse("CVM's max_pool2d has no dilation")
	}
	x = c.window(win, x, "ignore", -operators.Bound(c.precision(x)))
	return one(c.do("max_pool2d", attributes(
		"pool_size", win.Size, "strides", win.Stride, "padding", win.padding[:], "ceil_mode", win.ceil), x))
}

// resample repeats rows and columns.
func resample(c *call) []operand {
	x, a := c.in[0].entry, c.Attrs
	if mode := a.String("mode"); mode != "nearest-neighbor" {
		kit.Refuse("the mode is %s; CVM has nearest-neighbor", mode)
	}
	if len(a.Floats("scales")) > 0 {
		kit.Refuse("it has scales; CVM repeats elements a whole number of times")
	}
	in, out := c.shape(x), c.outShape(0)
	factors := make([]int, len(in))
	for d := range in {
		if out[d]%in[d] != 0 {
			kit.Refuse("an extent of %d becomes %d; CVM repeats elements a whole number of times", in[d], out[d])
		}
		factors[d] = out[d] / in[d]
	}
	if len(in) == 4 && factors[0] == 1 && factors[1] == 1 && factors[2] == factors[3] {
		return one(c.do("upsampling", attributes("scale", factors[2]), x))
	}
	for d, n := range factors {
		if n > 1 {
			x = c.do("repeat", attributes("axis", d, "repeats", n), x)
		}
	}
	return one(x)
}

func validCount(c *call) []operand {
	e := c.do("get_valid_counts", attributes("score_threshold", c.Int("score_threshold")), c.in[0].entry)
	return []operand{{entry: e}, {entry: e + 1}}
}

func suppress(c *call) []operand {
	var attrs graph.Attrs
	for _, name := range []string{"iou_threshold", "max_output_size", "top_k", "force_suppress"} {
		attrs = attrs.With(name, c.Attrs.Get(name))
	}
	return one(c.do("non_max_suppression", attrs, c.in[0].entry, c.in[1].entry))
}

// attributes is shorthand for [graph.AttrsOf].
func attributes(pairs ...any) graph.Attrs { return graph.AttrsOf(pairs...) }
