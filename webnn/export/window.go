package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Operators on windows. WebNN has windows in two dimensions of four, so that other tensors are brought into that form. Windows in more than two
// dimensions, and borders that a method has not, the operators' expansions say.

const windowNote = "other dimensions than the last two of four: transpose, reshape; "

var windowRows = []row{
	pooling("max_pool", "maxPool2d", "borders other than ignore: pad; more than two dimensions: one pair after the other", "ignore"),
	nearly("box", "averagePool2d", box, windowNote+"borders other than ignore: pad; sums: conv2d with ones; integers: "+
		"slices that are added; more than two dimensions: one pair after the other, within the tolerance"),
	pooling("l2_pool", "l2Pool2d", "borders other than constant and ignore: pad; more than two dimensions: one pair after the other, within the tolerance",
		"ignore", "constant"), // squares of zeros add nothing
	nearly("conv", "conv2d", conv, convNote),
	nearly("deconv", "convTranspose2d", deconv, convNote+", as is negative padding"),
	nearly("resample", "resample2d", resample, windowNote+"more than two dimensions, scales that are not the quotient "+
		"of the extents, and other types: gather for the nearest elements, matmul with the weights for linear interpolation, "+
		"which is refused for integers"),
	nearly("multilinear_upsample", "resample2d", upsample, "other methods and borders than symmetric with replicate: matmul with the weights"),
}

const convNote = "one spatial dimension: reshape; borders other than constant: pad; more than two dimensions and integers: slices and " +
	"products for each window position, within the tolerance for floats"

// tolerance is that of the body of an operator.
func tolerance(name string) float64 {
	d, _ := op.Lookup(name)
	return d.BodyTol
}

// skips reports whether a method does with the padding what one of the borders means; none takes elements away.
func (c *emission) skips(w *geometry.Window, borders ...string) bool {
	return !slices.ContainsFunc(w.Padding(), func(n int) bool { return n < 0 || n > 0 && !slices.Contains(borders, c.Str("border")) })
}

// planar brings an operand into four dimensions, of which the last two are those listed, of which there are at most two; back
// brings a result of other extents there into the old form.
func (c *emission) planar(x *webnn.Operand, axes ints) (flat *webnn.Operand, back func(y *webnn.Operand) *webnn.Operand) {
	if rank(x) == 4 && (len(axes) == 0 || axes[0] >= 2) {
		return x, func(y *webnn.Operand) *webnn.Operand { return y }
	}
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
		return c.transpose(c.reshape(y, s), op.Inverse(perm))
	}
}

// spatial returns an item of each list for the last two of four dimensions, in which there may be one or none of a window.
func spatial(list ints, neutral int) ints {
	out := ints{neutral, neutral}
	copy(out[2-len(list):], list)
	return out
}

// windowOptions returns the window as options of a method, without those that are defaults.
func windowOptions(w *geometry.Window) options {
	o := options{}
	for _, list := range []struct {
		name     string
		values   ints
		standard int
	}{
		{"strides", w.Stride, 1},
		{"dilations", w.Dilation, 1},
		{"padding", w.Padding(), 0},
	} {
		if slices.ContainsFunc(list.values, func(n int) bool { return n != list.standard }) {
			o[list.name] = list.values
		}
	}
	return o
}

// pooled calls a method on the operand in four dimensions, with the window in the last two of them; nil if it is in more.
func (c *emission) pooled(w *geometry.Window, f func(x *webnn.Operand, w *geometry.Window) *webnn.Operand) []*webnn.Operand {
	active := w.Active()
	if len(active) > 2 {
		return nil
	}
	flat, back := c.planar(c.in[0], active)
	if rank(c.in[0]) == 4 && flat == c.in[0] {
		active = ints{2, 3}
	}
	return one(back(f(flat, w.Choose(spatial(active, -1)))))
}

// pool calls a pooling method, unless it does not do what the border means.
func (c *emission) pool(method string, borders ...string) []*webnn.Operand {
	w := geometry.WindowOf(c.Attrs, c.Ints("size"))
	if !c.skips(w, borders...) {
		return nil
	}
	return c.pooled(w, func(x *webnn.Operand, w *geometry.Window) *webnn.Operand {
		o := windowOptions(w)
		o["windowDimensions"] = w.Size
		return c.do(method, o, x)
	})
}

func pooling(name, method, note string, borders ...string) row {
	r := direct(name, method, func(c *emission) []*webnn.Operand { return c.pool(method, borders...) }, windowNote+note)
	if name != "max_pool" { // of the greatest elements the greatest
		r.Tolerance = tolerance("box")
	}
	return r
}

func box(c *emission) []*webnn.Operand {
	w := geometry.WindowOf(c.Attrs, c.Ints("size"))
	switch {
	case c.in[0].DataType().IsInteger() || !c.skips(w, "ignore", "constant"):
		return nil
	case c.Bool("normalize"):
		return c.pool("averagePool2d", "ignore")
	}
	return c.pooled(w, func(x *webnn.Operand, w *geometry.Window) *webnn.Operand {
		// Each channel becomes an item of the batch, so that one filter serves all.
		s := shape(x)
		one := kit.Must(kit.Must(tensor.Cast(tensor.Scalar(float32(1)), x.DataType())).Reshape(1, 1, 1, 1))
		ones := kit.Eval(op.Expanding, "expand", graph.AttrsOf("shape", ints{1, 1, w.Size[0], w.Size[1]}), one)
		y := c.do("conv2d", windowOptions(w), c.reshape(x, ints{s[0] * s[1], 1, s[2], s[3]}), c.made(ones))
		return c.reshape(y, ints{s[0], s[1], shape(y)[2], shape(y)[3]})
	})
}

// convolution returns input, filter and window of a convolution in two dimensions; nil if WebNN does not convolve so.
func (c *emission) convolution() (x, f *webnn.Operand, w *geometry.Window) {
	x, f, w = c.in[0], c.in[1], geometry.WindowOf(c.Attrs, shape(c.in[1])[2:])
	if x.DataType().IsInteger() || rank(x) > 4 || !c.skips(w, "constant") {
		return nil, nil, nil
	}
	if rank(x) == 3 {
		s, k := shape(x), shape(f)
		x, f = c.reshape(x, ints{s[0], s[1], 1, s[2]}), c.reshape(f, ints{k[0], k[1], 1, k[2]})
		w = w.Choose(ints{-1, 0})
	}
	return x, f, w
}

// convolve calls a method with a window, and with the options that are no defaults.
func (c *emission) convolve(method string, x, f *webnn.Operand, w *geometry.Window, groups, channels int, more options) []*webnn.Operand {
	o := windowOptions(w)
	o["bias"] = c.channels(c.operand(2), channels)
	if groups != 1 {
		o["groups"] = groups
	}
	for name, v := range more {
		o[name] = v
	}
	return one(c.reshape(c.do(method, o, x, f), c.outShape(0)))
}

func conv(c *emission) []*webnn.Operand {
	x, f, w := c.convolution()
	if x == nil {
		return nil
	}
	return c.convolve("conv2d", x, f, w, c.Groups(shape(x)[1]), shape(f)[0], nil)
}

func deconv(c *emission) []*webnn.Operand {
	if b := c.Str("border"); b != "constant" { // which concerns the operand, not the padding
		return nil
	}
	x, f, w := c.convolution()
	if x == nil {
		return nil
	}
	out := c.outShape(0)
	channels := out[1]
	if out = out[2:]; len(out) == 1 {
		out = ints{1, out[0]}
	}
	more := options{}
	for i := range w.Size { // sizes that follow from the rest are not written
		if int64(out[i]) != w.Reach(i, shape(x)[2+i])-w.Added(i) {
			more["outputSizes"] = out
		}
	}
	return c.convolve("convTranspose2d", x, f, w, c.Groups(channels), channels, more)
}

// upsample is resample2d for the method that places results as it does, within the tolerance.
func upsample(c *emission) []*webnn.Operand {
	x, s, out := c.in[0], shape(c.in[0]), c.outShape(0)
	if c.Str("method") != "symmetric" || c.Str("border") != "replicate" || len(s) > 4 {
		return nil
	}
	c.Near(tolerance(c.Op))
	from, to := append(ints{s[0], s[1]}, spatial(s[2:], 1)...), spatial(out[2:], 1)
	return one(c.reshape(c.do("resample2d", options{"mode": "linear", "sizes": to}, c.reshape(x, from)), out))
}

func resample(c *emission) []*webnn.Operand {
	x, sizes, scales := c.in[0], c.Ints("sizes"), c.Attrs.Floats("scales")
	axes := ints{}
	for d, n := range shape(x) {
		if len(scales) > 0 && scales[d] != float64(sizes[d])/float64(n) {
			return nil
		}
		if sizes[d] != n {
			axes = append(axes, d)
		}
	}
	resizable := slices.Contains(floats, x.DataType()) || x.DataType() == tensor.Int8 || x.DataType() == tensor.Uint8
	switch {
	case len(axes) == 0:
		return c.one("identity", nil, x)
	case len(axes) > 2 || !resizable && c.Str("mode") != "linear":
		return nil
	}
	flat, back := c.planar(x, axes)
	to := ints{}
	for _, a := range axes {
		to = append(to, sizes[a])
	}
	if flat == x {
		to = sizes[2:]
	}
	return one(back(c.do("resample2d", options{"mode": c.Str("mode"), "sizes": spatial(to, 1)}, flat)))
}
