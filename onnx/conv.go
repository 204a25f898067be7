package onnx

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

const convAttrs = `auto_pad="NOTSET", dilations: ints, group=1, kernel_shape: ints, pads: ints, strides: ints`

const quantisedConvOperands = "x, x_scale: float, x_zero_point, w, w_scale: float, w_zero_point, y_scale: float, y_zero_point, B?: integer; "

// Convolutions.
var convRows = family{"Convolution", []row{
	{name: "Conv", forms: forms("1 11 22", "X, W, B?; "+convAttrs), lower: func(c *lowering) []*graph.Value {
		return one(c.conv())
	}},
	{name: "com.microsoft.FusedConv", forms: forms("1", "X, W, B?, Z?; "+convAttrs+`, activation="", activation_params: floats`), lower: fusedConv},
	{name: "ConvTranspose", forms: forms("1 11 22", "X, W, B?; "+convAttrs+", output_padding: ints, output_shape: ints"), lower: convTranspose},
	{name: "ConvInteger", forms: forms("10", "x, w, x_zero_point?, w_zero_point?; "+convAttrs), lower: func(c *lowering) []*graph.Value {
		w := c.filterWindow(1)
		c.autoPad(w, c.spatial(0))
		return one(c.Node("conv", append(w.convAttrs(c.groups("group")), emit.Attr("dtype", tensor.Int32)...),
			c.In(0), c.In(1), nil, c.scalar(2), c.plain(c.In(3))))
	}},
	{name: "QLinearConv", forms: forms("10", quantisedConvOperands+convAttrs+" -> y"), lower: func(c *lowering) []*graph.Value { return one(c.quantisedConv()) }},
	{name: "com.microsoft.QLinearConv", forms: forms("1", quantisedConvOperands+convAttrs+", channels_last=0 -> y"), lower: func(c *lowering) []*graph.Value {
		return one(c.channelsFirst(c.Flag("channels_last"), c.quantisedConv))
	}},
	{name: "DeformConv", forms: forms("19 22", "X, W, offset, B?, mask?; dilations: ints, group=1, kernel_shape: ints, offset_group=1, pads: ints, strides: ints"),
		lower: func(c *lowering) []*graph.Value {
			w := c.filterWindow(1)
			return one(c.Node("deform_conv", append(w.convAttrs(c.groups("group")), emit.Attr("offset_groups", c.groups("offset_group"))...),
				c.In(0), c.In(1), c.In(2), c.In(3), c.In(4)))
		}},
	{name: "Col2Im", forms: forms("18", "input, image_shape, block_shape; dilations: ints, pads: ints, strides: ints -> output"), lower: col2im},
	{name: "CausalConvWithState", forms: forms("27", `input, weight, bias?, past_state?; activation="none" -> output, present_state`), lower: causalConv},
}}

// filterWindow returns the window of a filter that slides over operand 0, and checks what kernel_shape says of it.
func (c *lowering) filterWindow(filter int) *sliding {
	extents := c.spatial(0)
	size := []int(c.spatial(filter).Clone())
	if len(size) != len(extents) {
		c.failf(c.operandName(filter), "it has %d spatial dimensions; it must have %d, those of %s", len(size), len(extents), c.operandName(0))
	}
	if given := c.Ints("kernel_shape"); given != nil && !slices.Equal(given, size) {
		c.failf("kernel_shape", "it is %v; the window of %s is %v", given, c.operandName(filter), size)
	}
	if slices.Contains(size, 0) {
		c.failf(c.operandName(filter), "it is %v; no extent of its window may be 0", c.In(filter).Type)
	}
	return c.sliding(size)
}

// groups returns the number of groups of channels, or of heads.
func (c *lowering) groups(name string) int {
	n := c.Int(name)
	if n < 1 || n > windowBound {
		c.failf(name, "it is %d; it must be from 1 to %d", n, windowBound)
	}
	return n
}

// convAttrs returns the attributes that our convolutions have.
func (w *sliding) convAttrs(groups int) graph.Attrs {
	return emit.Attr("padding", w.Padding(), "stride", w.Stride, "dilation", w.Dilation, "groups", groups)
}

// conv is the convolution of operands 0 and 1, with the bias in operand 2.
func (c *lowering) conv() *graph.Value {
	w := c.filterWindow(1)
	c.autoPad(w, c.spatial(0))
	return c.Node("conv", w.convAttrs(c.groups("group")),
		c.In(0), c.In(1), c.In(2))
}

// quantisedConv is the convolution of codes, operands 0 and 3.
func (c *lowering) quantisedConv() *graph.Value {
	window := c.filterWindow(3)
	c.autoPad(window, c.spatial(0))
	w := coded{c.In(3), quantisation{scale: c.plain(c.In(4)), zero: c.plain(c.In(5))}}
	return c.convolve("conv", window.convAttrs(c.groups("group")), c.single(0, 1, 2), w, c.In(8), c.target(6, 7, c.DType(0)))
}

// channelsFirst returns what a function makes of operand 0, which, like the result, has its channels behind the spatial dimensions if they are last.
func (c *lowering) channelsFirst(last bool, of func() *graph.Value) *graph.Value {
	rank := len(c.Shape(0))
	if !last || rank <= 2 {
		return of()
	}
	x := c.Transpose(c.In(0), append([]int{0, rank - 1}, emit.Counting(1, rank-2)...)...)
	c.in = append(tensors(x), c.in[1:]...)
	return c.Transpose(of(), append(append([]int{0}, emit.Counting(2, rank-2)...), 1)...)
}

func fusedConv(c *lowering) []*graph.Value {
	y := c.conv()
	if z := c.In(3); z != nil {
		y = c.Node("add", nil, y, z)
	}
	return one(c.activation(c.Str("activation"), y, c.Floats("activation_params")))
}

func convTranspose(c *lowering) []*graph.Value {
	w, extents := c.filterWindow(1), c.spatial(0)
	more := c.perDimension("output_padding", len(extents), 0, 0)
	wanted := c.Ints("output_shape")
	if len(wanted) == len(extents)+2 {
		wanted = wanted[2:] // some say batch and channels, too
	}
	mode := c.OneOf("auto_pad", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", "")
	if mode == "VALID" {
		c.autoPad(w, extents)
	}
	if wanted == nil && (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
		for d, n := range extents {
			wanted = append(wanted, c.small("strides", int64(n)*int64(w.Stride[d])))
		}
	}
	if wanted != nil {
		if len(wanted) != len(extents) {
			c.failf("output_shape", "there are %d numbers; there must be %d", len(wanted), len(extents))
		}
		for d, n := range extents {
			lack := int64(wanted[d]) - w.Reach(d, n) - int64(more[d])
			c.cover(w, d, wanted[d]-more[d], n, mode)
			more[d] += c.small("output_shape", max(lack, 0))
		}
	}
	for d := range more {
		w.After[d] -= more[d] // elements behind those that any window reaches
	}
	return one(c.Node("deconv", w.convAttrs(c.groups("group")),
		c.In(0), c.In(1), c.In(2)))
}

func col2im(c *lowering) []*graph.Value {
	image, block := c.KnownInts(1), c.KnownInts(2)
	if len(image) != len(block) {
		c.failf("block_shape", "there are %d extents; there must be %d, as in image_shape", len(block), len(image))
	}
	w := c.sliding(block)
	return one(c.Node("col_to_im", emit.Attr("output_size", image, "size", block, "padding", w.Padding(), "stride", w.Stride,
		"dilation", w.Dilation), c.In(0)))
}

// causalConv is a convolution of each channel by itself along the last dimension, in front of which what came before is kept.
func causalConv(c *lowering) []*graph.Value {
	x, w := c.In(0), c.In(1)
	activation := c.OneOf("activation", "none", "silu", "swish")
	extent, taps := c.spatial(0), c.spatial(1)
	if len(extent) != 1 || len(taps) != 1 {
		c.failf(c.operandName(0), "it is %v; it must have one spatial dimension", x.Type)
	}
	before := taps[0] - 1
	var all *graph.Value
	if past := c.In(3); past != nil {
		all = c.Node("concat", emit.Attr("axis", 2), past, x)
	} else {
		all = c.Node("pad", emit.Attr("padding", []int{0, 0, 0, 0, before, 0}), x)
	}
	y := c.Node("conv", emit.Attr("padding", []int{0, 0}, "groups", c.Shape(0)[1]), all, w, c.In(2))
	if activation != "none" {
		y = c.Node("silu", nil, y)
	}
	n := all.Type.Shape[2]
	return []*graph.Value{y, c.Section(all, 2, n-before, n)}
}
