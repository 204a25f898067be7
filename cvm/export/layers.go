package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
)

var layerRows = []row{
	{op: "sum_reduce", emit: func(c *emission) []operand {
		if c.Bool("normalize") {
			kit.Refuse("it divides by the number of elements; shift the sum instead")
		}
		return one(c.reduced("sum", c.in[0].entry))
	}},
	{op: "max_reduce", emit: func(c *emission) []operand {
		return one(c.reduced("max", c.in[0].entry))
	}},
	{op: "min_reduce", emit: func(c *emission) []operand {
		return c.negated(func(in ...int) int { return c.reduced("max", in[0]) }, c.in[0].entry)
	}},
	{op: "conv", emit: func(c *emission) []operand {
		x, w := c.in[0].entry, c.in[1].entry
		filter := c.shape(w)
		if len(filter) != 4 {
			kit.Refuse("CVM's convolution has two spatial dimensions; this one has %d", len(filter)-2)
		}
		win := c.planar(filter[2:])
		x = c.window(win, x, "constant", 0)
		return c.multiplied("conv2d", graph.AttrsOf(
			"channels", filter[0], "kernel_size", []int(filter[2:]), "strides", win.Stride, "dilation", win.Dilation, "padding", win.padding[:],
			"groups", c.Groups(c.shape(x)[1]),
		), filter[0], x, w)
	}},
	{op: "linear", emit: func(c *emission) []operand { return c.dense(c.in[0].entry, c.in[1].entry) }},
	{op: "matmul", emit: func(c *emission) []operand {
		x, w := c.in[0].entry, c.in[1].entry
		if len(c.shape(x)) != 2 || len(c.shape(w)) != 2 {
			kit.Refuse("CVM multiplies matrices, not lists of matrices")
		}
		turned := func(x int) int { return c.do("transpose", graph.AttrsOf("axes", []int{1, 0}), x) }
		if c.Bool("transposeA") {
			x = turned(x)
		}
		if !c.Bool("transposeB") {
			w = turned(w)
		}
		return c.dense(x, w)
	}},
	{op: "max_pool", emit: func(c *emission) []operand {
		x := c.in[0].entry
		if len(c.shape(x)) != 4 {
			kit.Refuse("CVM's max_pool2d has operands of rank 4; the rank is %d", len(c.shape(x)))
		}
		win := c.planar(c.Ints("size"))
		if win.Dilation[0] != 1 || win.Dilation[1] != 1 {
			kit.Refuse("CVM's max_pool2d has no dilation")
		}
		x = c.window(win, x, "ignore", -operators.Bound(c.outs[x].Precision))
		return one(c.do("max_pool2d", graph.AttrsOf(
			"pool_size", win.Size, "strides", win.Stride, "padding", win.padding[:], "ceil_mode", win.ceil), x))
	}},
	{op: "resample", emit: func(c *emission) []operand {
		// It repeats rows and columns.
		x, a := c.in[0].entry, c.Attrs
		if mode := a.String("mode"); mode != "nearest-neighbor" {
			kit.Refuse("the mode is %s; CVM has nearest-neighbor", mode)
		}
		if len(a.Floats("scales")) > 0 {
			kit.Refuse("it has scales; CVM repeats elements a whole number of times")
		}
		in, out := c.shape(x), c.outShape()
		factors := make([]int, len(in))
		for d := range in {
			if out[d]%in[d] != 0 {
				kit.Refuse("an extent of %d becomes %d; CVM repeats elements a whole number of times", in[d], out[d])
			}
			factors[d] = out[d] / in[d]
		}
		if len(in) == 4 && factors[0] == 1 && factors[1] == 1 && factors[2] == factors[3] {
			return one(c.do("upsampling", graph.AttrsOf("scale", factors[2]), x))
		}
		for d, n := range factors {
			if n > 1 {
				x = c.do("repeat", graph.AttrsOf("axis", d, "repeats", n), x)
			}
		}
		return one(x)
	}},
	{op: "valid_count", emit: func(c *emission) []operand {
		e := c.do("get_valid_counts", graph.AttrsOf("score_threshold", c.Int("score_threshold")), c.in[0].entry)
		return []operand{{entry: e}, {entry: e + 1}}
	}},
	{op: "non_max_suppression", emit: func(c *emission) []operand {
		var attrs graph.Attrs
		for _, name := range []string{"iou_threshold", "max_output_size", "top_k", "force_suppress"} {
			attrs = attrs.With(name, c.Attrs.Get(name))
		}
		return one(c.do("non_max_suppression", attrs, c.in[0].entry, c.in[1].entry))
	}},
}

// reduced reduces over the axes of the node, which stay.
func (c *emission) reduced(operator string, x int) int {
	axes := c.Ints("axes")
	if len(axes) == 0 {
		return x // which CVM would take for all
	}
	return c.do(operator, graph.AttrsOf("axis", axes, "keepdims", true), x)
}

// dense multiplies by the transposed second factor.
func (c *emission) dense(x, w int) []operand {
	n := c.shape(w)[0]
	return c.multiplied("dense", graph.AttrsOf("units", n), n, x, w)
}

// multiplied applies conv2d or dense and adds the bias, which has an element for each of n channels.
func (c *emission) multiplied(operator string, attrs graph.Attrs, n int, in ...int) []operand {
	for i, x := range in {
		if p := c.outs[x].Precision; p > operators.MaxFactor {
			kit.Refuse("operand %d has %d bits; CVM multiplies at most %d here. Rescale it, or bound it with clamp_precision", i, p, operators.MaxFactor)
		}
	}
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
func (c *emission) parameter(i int, shape tensor.Shape) int {
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

// window is how conv2d and max_pool2d move over height and width.
type window struct {
	*geometry.Window
	padding [2]int // on both sides alike
	ceil    bool   // whether the last windows may end beyond the padding
}

// planar returns the window of the node over height and width, its last dimensions.
func (c *emission) planar(size []int) *window {
	w := geometry.WindowOf(c.Attrs, size)
	last := len(size) - 2
	if slices.ContainsFunc(w.Active(), func(d int) bool { return d < last }) {
		kit.Refuse("the window covers more than height and width")
	}
	if w.Crops() {
		kit.Refuse("its padding is negative; cut the operand with slice instead")
	}
	return &window{Window: w.Choose([]int{last, last + 1})}
}

// window finds the padding that makes the result of the node as large as it is. CVM pads both sides of height and of width alike, with
// what the border means: zeros (constant), or what is no element (ignore), where a pool may also round up. Other paddings are concatenated
// to the operand; value is what stands for elements of that border.
func (c *emission) window(w *window, x int, border string, value int) int {
	before, after := [2]int(w.Before), [2]int(w.After)
	padded := before != [2]int{} || after != [2]int{}
	got := c.Str("border")
	in, out := c.shape(x)[2:], c.outShape()[2:]
	if !padded || got == border {
		for _, ceil := range []bool{false, border == "ignore"} {
			if w.fits(before, ceil, in, out) {
				w.padding, w.ceil = before, ceil
				return x
			}
		}
	}
	if padded && got != border {
		if got != "constant" {
			kit.Refuse("the border is %s; CVM has %s", got, border)
		}
		value = 0
	}
	for d := range before {
		if got == "ignore" && (before[d] >= w.Size[d] || (out[d]-1)*w.Stride[d]-before[d] >= in[d]) {
			kit.Refuse("a window lies outside of the operand")
		}
		x = c.surrounded(x, 2+d, before[d], after[d], value)
	}
	return x
}

// fits reports whether a padding on both sides gives the extents of the result.
func (w *window) fits(padding [2]int, ceil bool, in, out tensor.Shape) bool {
	both := *w.Window
	both.Before, both.After = padding[:], padding[:]
	for d, p := range padding {
		inside := !ceil || (out[d]-1)*w.Stride[d]-p < in[d]
		if out[d] < 1 || both.Count(d, in[d], ceil) != int64(out[d]) || !inside {
			return false
		}
	}
	return true
}

// surrounded adds elements of one value before and behind a dimension.
func (c *emission) surrounded(x, axis, before, after, value int) int {
	parts := []int{x}
	for i, n := range []int{before, after} {
		if n == 0 {
			continue
		}
		part := c.shape(x).Clone()
		part[axis] = n
		parts = slices.Insert(parts, i*len(parts), c.do("tile", graph.AttrsOf("reps", []int(part)), c.parameterOf(value)))
	}
	if len(parts) == 1 {
		return x
	}
	return c.do("concatenate", graph.AttrsOf("axis", axis), parts...)
}
