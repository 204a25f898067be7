package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Transposed convolutions, and transposed windows such as theirs.

// deconv cuts what the windows reach to size. Where there is no convolution, it is one of the elements with zeros between them with the filter
// turned around, position by position.
func deconv(c *emission) []val {
	w, d, groups, extents := c.filterWindow(), c.out(0).DType, c.groups(), c.out(0).Shape[2:]
	x := c.extended(c.centred(c.in[0], c.reshape(c.in[3]), d), w, extents)
	if convolved(d) {
		return one(c.shift(c.transposed(x, c.in[1], w, extents, groups)))
	}
	x = c.inverse(x, w, extents)
	filter := c.weightsOf(d, groups)
	for i := range w.Size {
		filter = c.flip(filter, 2+i)
	}
	return one(c.shift(c.product(x, filter, w, groups)))
}

// longer returns by how many elements each dimension of a transposed convolution is longer than the windows reach.
func (c *emission) longer(w *window) ints {
	out := make(ints, len(w.Size))
	for d := range out {
		out[d] = c.out(0).Shape[2+d] - ((c.in[0].Shape[2+d]-1)*w.Stride[d] + w.Span(d) - w.Before[d] - w.After[d])
	}
	return out
}

// extended adds the border to the dimensions behind the first two, as far as the transposed windows reach.
func (c *emission) extended(x val, w *window, extents tensor.Shape) val {
	border := c.Str("border")
	if border == "constant" || border == "ignore" {
		return x
	}
	padding := make(ints, 0, 2*len(w.Size))
	for d, s := range w.Stride {
		before := max((w.Span(d)-1-w.Before[d])/s, 0)
		padding = append(padding, before, max((extents[d]-1+w.Before[d])/s-(x.Shape[2+d]-1), 0))
		w.Before[d] += before * s
	}
	return c.bordered(x, 2, padding, border)
}

// inverse makes of transposed windows such as slide, by one element, over x with zeros between its elements, and returns that.
func (c *emission) inverse(x val, w *window, extents tensor.Shape) val {
	x = c.spread(x, w)
	for d := range w.Size {
		w.Before[d], w.After[d] = w.Span(d)-1-w.Before[d], extents[d]-x.Shape[2+d]+w.Before[d]
		w.Stride[d] = 1
	}
	return c.padded(x, w, "constant")
}

// transposed adds a transposed convolution whose result has the given extents behind batch and channels.
func (c *emission) transposed(x, filter val, w *window, extents tensor.Shape, groups int) val {
	full := append(tensor.Shape{x.Shape[0], filter.Shape[1] * groups}, extents...)
	for d := range w.Size {
		full[2+d] = (x.Shape[2+d]-1)*w.Stride[d] + w.Span(d)
	}
	more := &window{geometry.Window{Size: w.Size, Before: make(ints, len(w.Size)), After: make(ints, len(w.Size))}}
	for d := range w.Size {
		more.Before[d] = -w.Before[d]
		more.After[d] = extents[d] - full[2+d] + w.Before[d]
	}
	attrs := at("kernel_shape", w.Size, "strides", w.Stride, "dilations", w.Dilation, "group", groups)
	y := c.node1("ConvTranspose", graph.Type{DType: x.DType, Shape: full}, attrs, x, filter)
	return c.zeros(y, 2, more, val{})
}

// weightsOf returns the filter of a transposed convolution as that of a convolution: (O, C/groups, f…).
func (c *emission) weightsOf(d tensor.DType, groups int) val {
	f, zero := c.in[1], c.in[4]
	rest := f.Shape[2:]
	parts := func(x val) val { // (C, O/groups, …) as (groups, C/groups, O/groups, …)
		return c.reshape(x, append(ints{groups, f.Shape[0] / groups, f.Shape[1]}, x.Shape[2:]...)...)
	}
	x := parts(f)
	if n := zero.Shape.Len(); zero.name != "" && n > 1 { // one for each output channel
		zero = c.reshape(zero, append(ints{groups, 1, f.Shape[1]}, slices.Repeat(ints{1}, len(rest))...)...)
	} else if zero.name != "" {
		zero = c.reshape(zero)
	}
	x = c.centred(x, zero, d)
	perm := ints{0, 2, 1}
	for i := range rest {
		perm = append(perm, 3+i)
	}
	return c.reshape(c.transpose(x, perm...), append(ints{groups * f.Shape[1], f.Shape[0] / groups}, rest...)...)
}

// debox is a transposed convolution with ones. Where there is no convolution, elements are added position by position.
func debox(c *emission) []val {
	d, border, out := c.in[0].DType, c.Str("border"), c.out(0)
	w := c.window()
	if len(w.Size) == 0 {
		return one(c.node1("Identity", out, nil, c.in[0]))
	}
	x := c.summed(c.in[0])
	x = c.extended(c.reshape(x, append(ints{1, 1}, x.Shape...)...), w, out.Shape)
	var y val
	if convolved(d) {
		ones := c.full(graph.Type{DType: x.DType, Shape: append(tensor.Shape{1, 1}, w.Size...)}, 1)
		y = c.transposed(x, ones, w, out.Shape, 1)
	} else {
		y = c.taps(c.inverse(x, w, out.Shape), w, func(sum, part val) val { return c.do("Add", sum, part) })
	}
	y = c.reshape(y, out.Shape...)
	if !c.Bool("normalize") {
		return one(c.cast(y, d))
	}
	n := c.integer(tensor.Int64, int64(tensor.Shape(w.Size).Len()))
	if border == "ignore" {
		n = c.reaching(c.window(), c.in[0].Shape, out.Shape)
	}
	return one(c.cast(c.do("Div", y, c.cast(n, y.DType)), d))
}

// reaching returns how many elements reach each of a larger tensor, never 0.
func (c *emission) reaching(w *window, in, out tensor.Shape) val {
	n := c.constant(tensor.Scalar(int64(1)))
	for d, extent := range out {
		room(extent)
		room(in[d], w.Size[d])
		list := make([]int64, extent)
		for x := range in[d] {
			for k := range w.Size[d] {
				if i := x*w.Stride[d] - w.Before[d] + k*w.Dilation[d]; i >= 0 && i < extent {
					list[i]++
				}
			}
		}
		for i := range list {
			list[i] = max(list[i], 1)
		}
		n = c.do("Mul", n, c.along(d, len(out), list))
	}
	return n
}
