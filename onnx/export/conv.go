package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
)

// Convolutions.

const convNote = "other borders, negative padding, zero points that differ, and other integers: own"

var convRows = []row{
	direct("conv", "Conv, or ConvInteger, Add", floats|bytes, func(c *emission) []val {
		w := c.filterWindow()
		if c.Str("border") != "constant" || w.Crops() || c.unslid() {
			return nil
		}
		if bytes.Has(c.in[0].DType) {
			return c.convInteger(w)
		}
		return one(c.filtered(c.out(0), w, c.groups(), c.in[0], c.in[1], c.bias()))
	}, convNote),
	direct("deconv", "ConvTranspose", floats, func(c *emission) []val {
		w := c.filterWindow()
		if c.Str("border") != "constant" || w.Crops() || c.Has(3) || c.Has(4) {
			return nil
		}
		attrs := append(w.attrs(0), at("group", c.groups(), "output_padding", c.longer(w))...)
		return one(c.node1("ConvTranspose", c.out(0), attrs, c.in[0], c.in[1], c.bias()))
	}, convNote),
	direct("deform_conv", "DeformConv", floats, func(c *emission) []val {
		w := c.filterWindow()
		if w.Crops() {
			return nil
		}
		attrs := append(w.attrs(0), at("group", c.Int("groups"), "offset_group", c.Int("offset_groups"))...)
		return one(c.node1("DeformConv", c.out(0), attrs, c.in...))
	}, "negative padding: own, without a function"),
}

// filterWindow returns the window of a filter, over the dimensions behind batch and channels.
func (c *emission) filterWindow() *window {
	return &window{*geometry.WindowOf(c.Attrs, c.in[1].Shape[2:])}
}

// unslid reports whether a function is to say windows of float64 otherwise: ONNX Runtime has neither convolutions nor averages of them.
func (c *emission) unslid() bool { return c.function && c.in[0].DType == tensor.Float64 }

// filtered adds a convolution of floats.
func (c *emission) filtered(t graph.Type, w *window, groups int, in ...val) val {
	return c.node1("Conv", t, append(w.attrs(0), at("group", groups)...), in...)
}

// convInteger multiplies integers of 8 bits, and adds the bias to their sums.
func (c *emission) convInteger(w *window) []val {
	if !bytes.Has(c.in[1].DType) || c.out(0).DType != tensor.Int32 {
		return nil
	}
	zero, ok := c.uniform(4)
	if !ok {
		return nil
	}
	attrs := append(w.attrs(0), at("group", c.groups())...)
	return one(c.shift(c.node1("ConvInteger", c.out(0), attrs, c.in[0], c.in[1], c.reshape(c.in[3]), zero)))
}

// uniform returns a zero point as a scalar, and whether it is the same for all channels: ONNX Runtime has no others.
func (c *emission) uniform(i int) (val, bool) {
	x, t := c.in[i], c.Known(i)
	switch {
	case !c.Has(i) || x.Shape.Len() == 1:
		return c.reshape(x), true
	case t == nil || x.Shape.Len() == 0:
		return val{}, false
	}
	list := tensor.Data[int64](kit.Must(tensor.Cast(t, tensor.Int64)))
	if slices.ContainsFunc(list, func(n int64) bool { return n != list[0] }) {
		return val{}, false
	}
	return c.integer(x.DType, list[0]), true
}

// longer returns by how many elements each dimension of a transposed convolution is longer than the windows reach.
func (c *emission) longer(w *window) ints {
	out := make(ints, len(w.Size))
	for d := range out {
		out[d] = c.out(0).Shape[2+d] - int(w.Reach(d, c.in[0].Shape[2+d])-w.Added(d))
	}
	return out
}

// groups returns the number of groups of channels.
func (c *emission) groups() int {
	if geometry.SlidesUp(c.Attrs) {
		return c.Groups(c.out(0).Shape[1] / c.in[1].Shape[1])
	}
	return c.Groups(c.in[0].Shape[1])
}

// bias returns the bias with one element for each channel of the result.
func (c *emission) bias() val {
	if !c.Has(2) {
		return val{}
	}
	return c.perChannel(2, c.out(0).Shape[1], 0)
}

// shift adds the bias to sums, behind whose channels there are as many dimensions.
func (c *emission) shift(y val) val {
	b := c.bias()
	if b.name == "" {
		return y
	}
	return c.do("Add", y, c.reshape(b, append(ints{b.Shape[0]}, slices.Repeat(ints{1}, y.rank()-2)...)...))
}
