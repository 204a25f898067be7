package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Convolutions.

const convNote = "other borders, negative padding, zero points that differ, and other integers: own"

var convRows = []row{
	direct("conv", "Conv, or ConvInteger, Add", floats|bytes, func(c *call) []val {
		w := c.filterWindow()
		if c.str("border") != "constant" || !w.growing() {
			return nil
		}
		if bytes.Has(c.in[0].DType) {
			return c.convInteger(w)
		}
		return one(c.node1("Conv", c.out(0), append(w.attrs(0), at("group", c.groups())...), c.in[0], c.in[1], c.bias()))
	}, convNote).otherwise(conv),
	direct("deconv", "ConvTranspose", floats, func(c *call) []val {
		w := c.filterWindow()
		if c.str("border") != "constant" || !w.growing() || c.has(3) || c.has(4) {
			return nil
		}
		attrs := append(w.attrs(0), at("group", c.groups(), "output_padding", c.longer(w))...)
		return one(c.node1("ConvTranspose", c.out(0), attrs, c.in[0], c.in[1], c.bias()))
	}, convNote).otherwise(deconv),
	direct("deform_conv", "DeformConv", floats, func(c *call) []val {
		w := c.filterWindow()
		if !w.growing() {
			return nil
		}
		attrs := append(w.attrs(0), at("group", c.int("groups"), "offset_group", c.int("offset_groups"))...)
		return one(c.node1("DeformConv", c.out(0), attrs, c.in...))
	}, "negative padding: own, without a function"),
}

// filterWindow returns the window of a filter, over the dimensions behind batch and channels.
func (c *call) filterWindow() *window {
	w := &window{size: slices.Clone(c.in[1].Shape[2:])}
	w.fill(c, len(w.size))
	return w
}

// growing reports whether the padding takes nothing away.
func (w *window) growing() bool { return slices.Min(append(slices.Clone(w.before), w.after...)) >= 0 }

// convInteger multiplies integers of 8 bits, and adds the bias to their sums.
func (c *call) convInteger(w *window) []val {
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
func (c *call) uniform(i int) (val, bool) {
	x, t := c.in[i], c.known(i)
	switch {
	case !c.has(i) || x.Shape.Len() == 1:
		return c.reshape(x), true
	case t == nil || x.Shape.Len() == 0:
		return val{}, false
	}
	list := tensor.Data[int64](must(tensor.Cast(t, tensor.Int64)))
	if slices.ContainsFunc(list, func(n int64) bool { return n != list[0] }) {
		return val{}, false
	}
	return c.integer(x.DType, list[0]), true
}

// groups returns the number of groups of channels, of which 0 makes as many as there are: those of the input or, of a transposed
// convolution, those of the result.
func (c *call) groups() int {
	switch n := c.int("groups"); {
	case n > 0:
		return n
	case c.n.Op == "deconv":
		return c.out(0).Shape[1] / c.in[1].Shape[1]
	}
	return c.in[0].Shape[1]
}

// bias returns the bias with one element for each channel of the result.
func (c *call) bias() val {
	if !c.has(2) {
		return val{}
	}
	return c.perChannel(2, c.out(0).Shape[1], 0)
}

// longer returns by how many elements each dimension of a transposed convolution is longer than the windows reach.
func (c *call) longer(w *window) ints {
	out := make(ints, len(w.size))
	for d := range out {
		out[d] = c.out(0).Shape[2+d] - ((c.in[0].Shape[2+d]-1)*w.stride[d] + w.span(d) - w.before[d] - w.after[d])
	}
	return out
}

// shift adds the bias to sums, behind whose channels there are as many dimensions.
func (c *call) shift(y val) val {
	b := c.bias()
	if b.name == "" {
		return y
	}
	return c.do("Add", y, c.reshape(b, append(ints{b.Shape[0]}, slices.Repeat(ints{1}, y.rank()-2)...)...))
}

// convolved reports whether ONNX Runtime has convolutions of a type, and not only matrix products.
func convolved(d tensor.DType) bool { return d.IsFloat() && d != tensor.Float64 }

// conv adds the border first. Where there is no convolution, elements are multiplied position by position, in the type of the result.
func conv(c *call) []val {
	w, d := c.filterWindow(), c.out(0).DType
	if convolved(d) {
		x := c.padded(c.in[0], w, c.str("border"))
		return one(c.node1("Conv", c.out(0), append(w.attrs(0), at("group", c.groups())...), x, c.in[1], c.bias()))
	}
	x := c.centred(c.in[0], c.flat(c.in[3]), d)
	return one(c.shift(c.product(c.padded(x, w, c.str("border")), c.weights(d), w, c.groups())))
}

// flat returns a zero point of one element as a scalar.
func (c *call) flat(zero val) val { return c.reshape(zero) }

// weights returns the filter of integers in the type of the result, without its zero point.
func (c *call) weights(d tensor.DType) val {
	zero := c.in[4]
	if n := zero.Shape.Len(); zero.name != "" && n > 1 {
		zero = c.reshape(zero, append(ints{n}, slices.Repeat(ints{1}, c.in[1].rank()-1)...)...)
	} else if zero.name != "" {
		zero = c.flat(zero)
	}
	return c.centred(c.in[1], zero, d)
}

// product adds up, position by position of the window, the products of the elements there and the filter.
func (c *call) product(x, filter val, w *window, groups int) val {
	out := w.extents(x.Shape[2:])
	n, channels := x.Shape[0], filter.Shape[0]
	// (groups, channels of a group, inputs of a group, positions)
	parts := c.reshape(filter, groups, channels/groups, filter.Shape[1], tensor.Shape(w.size).Len())
	at := 0
	var sum val
	for k := range c.positions(w) {
		part := c.reshape(c.tap(x, 2, w, k), n, groups, filter.Shape[1], out.Len())
		t := graph.Type{DType: x.DType, Shape: parts.Shape[:3]}
		factor := c.node1("Gather", t, attrsLast, parts, c.integer(tensor.Int64, int64(at)))
		if y := c.matmul(factor, part); at == 0 {
			sum = y
		} else {
			sum = c.do("Add", sum, y)
		}
		at++
	}
	return c.reshape(sum, append(ints{n, channels}, out...)...)
}

var attrsLast = at("axis", 3)

// deconv cuts what the windows reach to size. Where there is no convolution, it is one of the elements with zeros between them with the filter
// turned around, position by position.
func deconv(c *call) []val {
	w, d, groups, extents := c.filterWindow(), c.out(0).DType, c.groups(), c.out(0).Shape[2:]
	x := c.extended(c.centred(c.in[0], c.flat(c.in[3]), d), w, extents)
	if convolved(d) {
		return one(c.shift(c.transposed(x, c.in[1], w, extents, groups)))
	}
	x = c.inverse(x, w, extents)
	filter := c.weightsOf(d, groups)
	for i := range w.size {
		filter = c.flip(filter, 2+i)
	}
	return one(c.shift(c.product(x, filter, w, groups)))
}

// extended adds the border to the dimensions behind the first two, as far as the transposed windows reach.
func (c *call) extended(x val, w *window, extents tensor.Shape) val {
	border := c.str("border")
	if border == "constant" || border == "ignore" {
		return x
	}
	padding := make(ints, 0, 2*len(w.size))
	for d, s := range w.stride {
		before := max((w.span(d)-1-w.before[d])/s, 0)
		padding = append(padding, before, max((extents[d]-1+w.before[d])/s-(x.Shape[2+d]-1), 0))
		w.before[d] += before * s
	}
	return c.bordered(x, 2, padding, border)
}

// inverse makes of transposed windows such as slide, by one element, over x with zeros between its elements, and returns that.
func (c *call) inverse(x val, w *window, extents tensor.Shape) val {
	x = c.spread(x, w)
	for d := range w.size {
		w.before[d], w.after[d] = w.span(d)-1-w.before[d], extents[d]-x.Shape[2+d]+w.before[d]
		w.stride[d] = 1
	}
	return c.padded(x, w, "constant")
}

// weightsOf returns the filter of a transposed convolution as that of a convolution: (O, C/groups, f…).
func (c *call) weightsOf(d tensor.DType, groups int) val {
	f, zero := c.in[1], c.in[4]
	rest := f.Shape[2:]
	parts := func(x val) val { // (C, O/groups, …) as (groups, C/groups, O/groups, …)
		return c.reshape(x, append(ints{groups, f.Shape[0] / groups, f.Shape[1]}, x.Shape[2:]...)...)
	}
	x := parts(f)
	if n := zero.Shape.Len(); zero.name != "" && n > 1 { // one for each output channel
		zero = c.reshape(zero, append(ints{groups, 1, f.Shape[1]}, slices.Repeat(ints{1}, len(rest))...)...)
	} else if zero.name != "" {
		zero = c.flat(zero)
	}
	x = c.centred(x, zero, d)
	perm := ints{0, 2, 1}
	for i := range rest {
		perm = append(perm, 3+i)
	}
	return c.reshape(c.transpose(x, perm...), append(ints{groups * f.Shape[1], f.Shape[0] / groups}, rest...)...)
}

// spread puts zeros between the elements of each dimension behind the first two, as many as the stride skips.
func (c *call) spread(x val, w *window) val {
	for i, s := range w.stride {
		if s == 1 {
			continue
		}
		d := 2 + i
		n := x.Shape[d]
		split := slices.Insert(ints(x.Shape.Clone()), d+1, 1)
		more := &window{size: make(ints, len(split)), before: make(ints, len(split)), after: make(ints, len(split))}
		more.after[d+1] = s - 1
		x = c.zeros(c.reshape(x, split...), 0, more, c.integer(x.DType, 0))
		joined := slices.Delete(ints(x.Shape.Clone()), d+1, d+2)
		joined[d] = n * s
		x = c.cut(c.reshape(x, joined...), d, (n-1)*s+1)
	}
	return x
}

// cut takes the first n elements along a dimension.
func (c *call) cut(x val, d, n int) val {
	if x.Shape[d] == n {
		return x
	}
	shape := x.Shape.Clone()
	shape[d] = n
	return c.node1("Slice", graph.Type{DType: x.DType, Shape: shape}, nil, x, c.list(0), c.list(n), c.list(d))
}

// flip reverses a dimension.
func (c *call) flip(x val, d int) val {
	return c.node1("Slice", x.Type, nil, x, c.list(-1), c.list(-x.Shape[d]-1), c.list(d), c.list(-1))
}
