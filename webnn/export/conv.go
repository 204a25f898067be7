package export

import (
	"slices"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Convolutions. WebNN convolves floats in two dimensions. One dimension is brought into that form; what else there is becomes a
// sum over the window positions, each of them a product of matrices.

// convTolerance is how far sums may differ that are added in another order.
const convTolerance = 1e-4

const convNote = "one spatial dimension: reshape; borders other than constant: pad; more than two dimensions and integers: slices and " +
	"products for each window position, within the tolerance for floats"

var convRows = []row{
	{Row{"conv", Direct, "conv2d", convTolerance, convNote}, conv},
	{Row{"deconv", Direct, "convTranspose2d", convTolerance, convNote + ", as is negative padding"}, deconv},
}

// planarWindow returns input, filter and window of a convolution in two dimensions.
func (c *call) planarWindow() (x, f *webnn.Operand, w *window) {
	x, f, w = c.in[0], c.in[1], c.window()
	w.size = slices.Clone(shape(f)[2:])
	if rank(x) == 3 {
		s, k := shape(x), shape(f)
		x, f = c.reshape(x, ints{s[0], s[1], 1, s[2]}), c.reshape(f, ints{k[0], k[1], 1, k[2]})
		w = w.spatial()
	}
	return x, f, w
}

// groups returns the number of groups; 0 stands for as many as there are channels.
func (c *call) groups(channels int) int {
	if g := c.int("groups"); g != 0 {
		return g
	}
	return channels
}

// convolve calls a method with a window, and with the options that are no defaults.
func (c *call) convolve(method string, x, f *webnn.Operand, w *window, groups, channels int, more options) []*webnn.Operand {
	o := w.convolution()
	o["bias"] = c.channels(c.operand(2), channels)
	if groups != 1 {
		o["groups"] = groups
	}
	for name, v := range more {
		o[name] = v
	}
	return one(c.reshape(c.do(method, o, x, f), c.outShape(0)))
}

func conv(c *call) []*webnn.Operand {
	if c.in[0].DataType().IsInteger() || rank(c.in[0]) > 4 {
		return wide(convByTaps)(c)
	}
	x, f, w := c.planarWindow()
	x, w = c.border(x, w, 2, "constant")
	return c.convolve("conv2d", x, f, w, c.groups(shape(x)[1]), shape(f)[0], nil)
}

func deconv(c *call) []*webnn.Operand {
	if c.in[0].DataType().IsInteger() || rank(c.in[0]) > 4 || c.window().crops() {
		return wide(deconvByTaps)(c)
	}
	x, f, w := c.planarWindow()
	out := c.outShape(0)
	if len(out) == 3 {
		out = ints{out[0], out[1], 1, out[2]}
	}
	x, w = c.extended(x, w, 2, out)
	more := options{}
	for i := range w.size { // sizes that follow from the rest are not written
		if least := (shape(x)[2+i]-1)*w.stride[i] + (w.size[i]-1)*w.dilation[i] + 1 - w.before[i] - w.after[i]; out[2+i] != least {
			more["outputSizes"] = out[2:]
		}
	}
	return c.convolve("convTranspose2d", x, f, w, c.groups(out[1]), out[1], more)
}

// whole returns the window with the dimensions of batch and channels, in which it does nothing.
func (w *window) whole() *window {
	return w.each(func(list ints, neutral int) ints { return append(ints{neutral, neutral}, list...) })
}

// convByTaps adds, for each window position, the products of its elements and weights.
func convByTaps(c *call) []*webnn.Operand {
	x, f, out := c.in[0], c.in[1], c.outShape(0)
	w := c.window()
	w.size = shape(f)[2:]
	x, w = c.border(x, w.whole(), 0)
	at := append(ints{}, out...)
	at[1] = shape(x)[1]
	var sum *webnn.Operand
	for _, p := range w.positions() {
		t := c.mix(c.tap(x, w, p, at), c.weights(f, p), c.groups(shape(x)[1]))
		if sum != nil {
			t = c.do("add", nil, sum, t)
		}
		sum = t
	}
	return one(c.biased(sum))
}

// deconvByTaps adds, for each window position, the products of all elements and its weights at the place that it covers.
func deconvByTaps(c *call) []*webnn.Operand {
	x, f, out := c.in[0], c.in[1], c.outShape(0)
	w := c.window()
	w.size = shape(f)[2:]
	x, w = c.extended(x, w, 2, out)
	w = w.whole()
	g := c.groups(out[1])
	sum := c.do("expand", nil, c.number(c.sumType(), 0), out)
	for _, p := range w.positions() {
		m := c.weights(f, p) // input channels × output channels of a group
		s := shape(m)
		m = c.transpose(c.reshape(m, ints{g, s[0] / g, s[1]}), ints{0, 2, 1})
		t := c.mix(x, c.reshape(m, ints{s[1] * g, s[0] / g}), g)
		sum = c.do("add", nil, sum, c.place(t, w, p, out))
	}
	return one(c.biased(sum))
}

// weights returns the matrix of a filter at a window position.
func (c *call) weights(f *webnn.Operand, position ints) *webnn.Operand {
	s := shape(f)
	count := append(ints{s[0], s[1]}, slices.Repeat(ints{1}, len(s)-2)...)
	return c.reshape(c.slice(f, position, count, slices.Repeat(ints{1}, len(s))), s[:2])
}

// sumType is the type in which products are added.
func (c *call) sumType() tensor.DType {
	if d := c.outType(0); d.IsInteger() {
		return d
	}
	return tensor.Float32
}

// mix multiplies the channels of x, in groups, by a matrix of output channels and input channels of a group.
func (c *call) mix(x, m *webnn.Operand, groups int) *webnn.Operand {
	s, k := shape(x), shape(m)
	n := tensor.Shape(s[2:]).Len()
	d := c.sumType()
	x = c.reshape(c.cast(x, d), ints{s[0], groups, s[1] / groups, n})
	m = c.reshape(c.cast(m, d), ints{1, groups, k[0] / groups, k[1]})
	if !d.IsInteger() {
		c.near(convTolerance)
	}
	return c.reshape(c.product(m, x), append(ints{s[0], k[0]}, s[2:]...))
}

// biased adds the bias to each channel.
func (c *call) biased(y *webnn.Operand) *webnn.Operand {
	if c.operand(2) == nil {
		return y
	}
	s := slices.Repeat(ints{1}, rank(y))
	s[1] = c.operand(2).Shape().Len()
	return c.do("add", nil, y, c.reshape(c.cast(c.operand(2), y.DataType()), s))
}
