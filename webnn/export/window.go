package export

import (
	"slices"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Operators on windows. WebNN has windows in two dimensions of four, so that other tensors are brought into that form, and
// windows in more than two dimensions are divided.

const windowNote = "other dimensions than the last two of four: transpose, reshape; "

var windowRows = []row{
	direct("max_pool", "maxPool2d", maxPool,
		windowNote+"borders other than ignore: pad; more than two dimensions: one pair after the other"),
	{Row{"box", Direct, "averagePool2d", pairTolerance, windowNote + "borders other than ignore: pad; sums: conv2d with ones; integers: " +
		"slices that are added; more than two dimensions: one pair after the other, within the tolerance"}, box},
	{Row{"l2_pool", Direct, "l2Pool2d", pairTolerance, windowNote + "borders other than constant and ignore: pad; " +
		"more than two dimensions: one pair after the other, within the tolerance"}, func(c *call) []*webnn.Operand {
		w := c.window()
		pool := func(c *call) []*webnn.Operand { return one(c.pool("l2Pool2d", c.in[0], w)) }
		if len(w.active()) > 2 {
			return wide(pool)(c)
		}
		return pool(c)
	}},
}

// window holds the attributes of a window over some dimensions.
type window struct {
	size, stride, dilation, before, after ints
	border                                string
}

// window returns the attributes of the node, one of each list for each dimension that the attribute padding counts.
func (c *call) window() *window {
	padding := c.ints("padding")
	n := len(padding) / 2
	w := &window{stride: c.ints("stride"), dilation: c.ints("dilation"), border: c.str("border"), size: c.ints("size")}
	if len(w.stride) == 0 {
		w.stride = slices.Repeat(ints{1}, n)
	}
	if len(w.dilation) == 0 {
		w.dilation = slices.Repeat(ints{1}, n)
	}
	for i := range n {
		w.before, w.after = append(w.before, padding[2*i]), append(w.after, padding[2*i+1])
	}
	return w
}

// active lists the dimensions in which the window does anything.
func (w *window) active() ints {
	out := ints{}
	for i := range w.size {
		if w.size[i] > 1 || w.stride[i] > 1 || w.before[i] != 0 || w.after[i] != 0 {
			out = append(out, i)
		}
	}
	return out
}

// padded reports whether anything is added or taken away.
func (w *window) padded() bool { return !zeros(w.before) || !zeros(w.after) }

// crops reports whether padding takes elements away.
func (w *window) crops() bool {
	negative := func(n int) bool { return n < 0 }
	return slices.ContainsFunc(w.before, negative) || slices.ContainsFunc(w.after, negative)
}

// without returns the window without padding.
func (w *window) without() *window {
	v := *w
	v.before, v.after = make(ints, len(w.before)), make(ints, len(w.after))
	return &v
}

// only returns the window in the listed dimensions.
func (w *window) only(axes ints) *window {
	return w.each(func(list ints, _ int) ints {
		var out ints
		for _, a := range axes {
			out = append(out, list[a])
		}
		return out
	})
}

// each returns the window with other lists of attributes. The neutral item of a list is that of a dimension in which the window
// does nothing.
func (w *window) each(other func(list ints, neutral int) ints) *window {
	return &window{other(w.size, 1), other(w.stride, 1), other(w.dilation, 1), other(w.before, 0), other(w.after, 0), w.border}
}

// spatial returns the window in the last two of four dimensions.
func (w *window) spatial() *window { return w.each(spatial) }

// planar brings an operand into four dimensions, of which the last two are those listed, of which there are at most two; back
// brings a result of other extents there into the old form.
func (c *call) planar(x *webnn.Operand, axes ints) (flat *webnn.Operand, back func(y *webnn.Operand) *webnn.Operand) {
	var perm ints
	n := 1
	for d := range rank(x) {
		if !slices.Contains(axes, d) {
			perm = append(perm, d)
			n *= shape(x)[d]
		}
	}
	perm = append(perm, axes...)
	t := c.transpose(x, perm)
	to := ints{n, 1}
	for len(to)+len(axes) < 4 {
		to = append(to, 1)
	}
	for _, a := range axes {
		to = append(to, shape(x)[a])
	}
	return c.reshape(t, to), func(y *webnn.Operand) *webnn.Operand {
		s := slices.Clone(shape(t))
		copy(s[len(s)-len(axes):], shape(y)[4-len(axes):])
		inverse := make(ints, len(perm))
		for i, p := range perm {
			inverse[p] = i
		}
		return c.transpose(c.reshape(y, s), inverse)
	}
}

// spatial returns an item of each list for the last two of four dimensions, in which there may be one or none of a window.
func spatial(list ints, neutral int) ints {
	out := ints{neutral, neutral}
	copy(out[2-len(list):], list)
	return out
}

// options are the window as options of a pooling method in the last two of four dimensions, without those that are defaults.
func (w *window) options() options {
	w = w.spatial()
	o := options{"windowDimensions": w.size}
	for _, list := range []struct {
		name     string
		values   ints
		standard int
	}{
		{"strides", w.stride, 1},
		{"dilations", w.dilation, 1},
		{"padding", ints{w.before[0], w.after[0], w.before[1], w.after[1]}, 0},
	} {
		if slices.ContainsFunc(list.values, func(n int) bool { return n != list.standard }) {
			o[list.name] = list.values
		}
	}
	return o
}

// pairTolerance is how far sums may differ that are added one pair of dimensions after the other.
const pairTolerance = 1e-5

// pool applies a pooling method, which skips what lies outside, one pair of dimensions after the other.
func (c *call) pool(method string, x *webnn.Operand, w *window) *webnn.Operand {
	skips := []string{"ignore"}
	if method == "l2Pool2d" {
		skips = append(skips, "constant") // squares of zeros add nothing
	}
	x, w = c.border(x, w, 0, skips...)
	tolerance := pairTolerance
	if method == "maxPool2d" {
		tolerance = 0 // of the greatest elements the greatest
	}
	return c.pairs(x, w, tolerance, func(x *webnn.Operand, w *window) *webnn.Operand { return c.do(method, w.options(), x) })
}

// pairs applies a function to operands of four dimensions, for one pair of the window's dimensions after the other.
func (c *call) pairs(x *webnn.Operand, w *window, tolerance float64, f func(x *webnn.Operand, w *window) *webnn.Operand) *webnn.Operand {
	active := w.active()
	if rank(x) == 4 && (len(active) == 0 || active[0] >= 2) {
		return f(x, w.only(ints{2, 3}))
	}
	if len(active) == 0 {
		flat, back := c.planar(x, ints{})
		return back(f(flat, w.only(ints{})))
	}
	if len(active) > 2 {
		c.near(tolerance)
	}
	for axes := range slices.Chunk(active, 2) {
		flat, back := c.planar(x, axes)
		x = back(f(flat, w.only(axes)))
	}
	return x
}

func maxPool(c *call) []*webnn.Operand { return one(c.pool("maxPool2d", c.in[0], c.window())) }

func box(c *call) []*webnn.Operand {
	w := c.window()
	if c.in[0].DataType().IsInteger() {
		return integerBox(c, w)
	}
	if len(w.active()) > 2 {
		return wide(func(c *call) []*webnn.Operand { return floatBox(c, w) })(c)
	}
	return floatBox(c, w)
}

func floatBox(c *call, w *window) []*webnn.Operand {
	if c.bool("normalize") {
		return one(c.pool("averagePool2d", c.in[0], w))
	}
	x, w := c.border(c.in[0], w, 0, "ignore", "constant")
	return one(c.pairs(x, w, pairTolerance, func(x *webnn.Operand, w *window) *webnn.Operand {
		// Each channel becomes an item of the batch, so that one filter serves all.
		s := shape(x)
		y := c.do("conv2d", w.convolution(), c.reshape(x, ints{s[0] * s[1], 1, s[2], s[3]}), c.ones(x.DataType(), w))
		return c.reshape(y, ints{s[0], s[1], shape(y)[2], shape(y)[3]})
	}))
}

// convolution are the window as options of conv2d and convTranspose2d.
func (w *window) convolution() options {
	o := w.options()
	delete(o, "windowDimensions")
	return o
}

// ones is a filter that adds the elements of a window.
func (c *call) ones(d tensor.DType, w *window) *webnn.Operand {
	one, err := tensor.Cast(tensor.Scalar(float32(1)), d)
	if err == nil {
		one, err = one.Reshape(1, 1, 1, 1)
	}
	if err != nil {
		refuse("%v", err)
	}
	return c.constant(c.eval("expand", attrs("shape", append(ints{1, 1}, spatial(w.size, 1)...)), one))
}
