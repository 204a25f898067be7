package export

import (
	"slices"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// Windows that WebNN does not have are written out, position by position.

var tapRows = []row{
	decomposed("debox", "convTranspose2d with ones, div", 0, wide(debox),
		windowNote+"integers, and more than two dimensions: shifted copies that are added"),
	decomposed("argmax_pool", "pad, slice, greater, where", 0, argmaxPool, "at most 256 window positions"),
	decomposed("sample", "pad, slice, equal, where", 0, sample, "at most 256 window positions"),
	decomposed("desample", "equal, where, pad, reshape, slice, add", 0, wide(desample), "at most 256 window positions"),
}

// maxTaps bounds the window positions that are written out.
const maxTaps = limits.WebNNTaps

// positions lists the window positions in row-major order.
func (w *window) positions() []ints {
	list := []ints{{}}
	for _, n := range w.size {
		if n > maxTaps/len(list) {
			refuse("each position of the window %v would take calls of its own; at most %d are written out", w.size, maxTaps)
		}
		var longer []ints
		for _, p := range list {
			for k := range n {
				longer = append(longer, append(slices.Clone(p), k))
			}
		}
		list = longer
	}
	return list
}

// tap returns the elements at one window position for all windows of an operand without padding.
func (c *call) tap(x *webnn.Operand, w *window, position, out ints) *webnn.Operand {
	start := make(ints, len(position))
	for i, k := range position {
		start[i] = k * w.dilation[i]
	}
	return c.slice(x, start, out, w.stride)
}

// integerBox adds the window positions. A sum wraps in its type; an average is that of the exact sum.
func integerBox(c *call, w *window) []*webnn.Operand {
	x := c.in[0]
	d, average := x.DataType(), c.bool("normalize")
	if average && d.Size() < 8 {
		x = c.cast(x, tensor.Int64)
	}
	out := c.outShape(0)
	sum := c.taps(x, w, out)
	if average {
		count := c.number(x.DataType(), float64(tensor.Shape(w.size).Len()))
		if w.border == "ignore" && w.padded() {
			ones := c.do("expand", nil, c.number(x.DataType(), 1), shape(x))
			count = c.do("max", nil, c.taps(ones, w, out), c.number(x.DataType(), 1))
		}
		sum = c.cast(c.do("div", nil, sum, count), d)
	}
	return one(sum)
}

// taps adds all window positions; what lies outside counts as 0 with the borders constant and ignore.
func (c *call) taps(x *webnn.Operand, w *window, out ints) *webnn.Operand {
	v := *w
	if v.border == "ignore" {
		v.border = "constant"
	}
	x, in := c.border(x, &v, 0)
	var sum *webnn.Operand
	for _, p := range in.positions() {
		t := c.tap(x, in, p, out)
		if sum != nil {
			t = c.do("add", nil, sum, t)
		}
		sum = t
	}
	return sum
}

func argmaxPool(c *call) []*webnn.Operand {
	if len(c.ints("steps")) > 0 {
		refuse("it counts places in the whole input")
	}
	x, w, out, d := c.in[0], c.window(), c.outShape(0), c.outType(0)
	var inside *webnn.Operand // whether an element is one of the input, if others must not count
	v := *w
	if w.border == "ignore" && w.padded() {
		inside = c.do("expand", nil, c.number(tensor.Uint8, 1), shape(x))
		v.border = "constant"
		inside, _ = c.border(inside, &v, 0)
	}
	if w.border == "ignore" {
		v.border = "constant"
	}
	x, in := c.border(x, &v, 0)
	zero := c.do("expand", nil, c.number(d, 0), out)
	var best, index, seen *webnn.Operand
	for k, p := range in.positions() {
		t := c.tap(x, in, p, out)
		var here *webnn.Operand
		if inside != nil {
			here = c.tap(inside, in, p, out)
		}
		if best == nil {
			best, index, seen = t, zero, here
			continue
		}
		better := c.do("greater", nil, t, best)
		if !x.DataType().IsInteger() { // NaN counts as greater than any number
			first := c.do("logicalAnd", nil, c.do("isNaN", nil, t), c.do("logicalNot", nil, c.do("isNaN", nil, best)))
			better = c.do("logicalOr", nil, better, first)
		}
		if here != nil {
			better = c.do("logicalAnd", nil, here, c.do("logicalOr", nil, better, c.do("logicalNot", nil, seen)))
			seen = c.do("logicalOr", nil, seen, here)
		}
		best = c.do("where", nil, better, t, best)
		index = c.do("where", nil, better, c.number(d, float64(k)), index)
	}
	return one(index)
}

// picks returns, for each window position, where the index names it. An index beyond the window is the nearest position.
func (c *call) picks(index *webnn.Operand, w *window) []*webnn.Operand {
	list := w.positions()
	out := make([]*webnn.Operand, len(list))
	for k := range list {
		method := "equal"
		switch {
		case k == 0 && k == len(list)-1:
			method = "" // every index is the one position
		case k == 0:
			method = "lesserOrEqual"
		case k == len(list)-1:
			method = "greaterOrEqual"
		}
		if method != "" {
			out[k] = c.do(method, nil, index, c.number(index.DataType(), float64(k)))
		}
	}
	return out
}

func sample(c *call) []*webnn.Operand {
	w, out := c.window(), c.outShape(0)
	x, in := c.border(c.in[0], w, 0)
	picks := c.picks(c.in[1], in)
	var y *webnn.Operand
	for k, p := range in.positions() {
		t := c.tap(x, in, p, out)
		if y != nil {
			t = c.do("where", nil, picks[k], t, y)
		}
		y = t
	}
	return one(y)
}

func desample(c *call) []*webnn.Operand {
	x, w := c.in[0], c.window()
	picks, positions := c.picks(c.in[1], w), w.positions()
	sum := c.do("expand", nil, c.number(x.DataType(), 0), c.outShape(0))
	// Elements that meet are added in their own order, which is the opposite of that of the positions.
	for k, p := range slices.Backward(positions) {
		t := x
		if picks[k] != nil {
			t = c.do("where", nil, picks[k], x, c.number(x.DataType(), 0))
		}
		sum = c.do("add", nil, sum, c.place(t, w, p, c.outShape(0)))
	}
	return one(sum)
}

// place puts the elements where a position of their windows lies in a larger tensor; the rest are zeros.
func (c *call) place(x *webnn.Operand, w *window, position, out ints) *webnn.Operand {
	for d, k := range position {
		n := shape(x)[d]
		if s := w.stride[d]; s > 1 && n > 1 {
			apart := c.reshape(x, slices.Insert(shape(x), d+1, 1))
			after := make(ints, rank(apart))
			after[d+1] = s - 1
			flat := slices.Clone(shape(x))
			flat[d] = n * s
			x = c.reshape(c.padded(apart, make(ints, rank(apart)), after, "constant", nil), flat)
			n = (n-1)*s + 1 // zeros at the end are cut off
		}
		first := k*w.dilation[d] - w.before[d]
		from, to := max(0, -first), min(n, out[d]-first)
		if from >= to {
			return c.do("expand", nil, c.number(x.DataType(), 0), out)
		}
		start, count := make(ints, rank(x)), slices.Clone(shape(x))
		start[d], count[d] = from, to-from
		x = c.slice(x, start, count, slices.Repeat(ints{1}, rank(x)))
		before, after := make(ints, rank(x)), make(ints, rank(x))
		before[d], after[d] = first+from, out[d]-first-to
		x = c.padded(x, before, after, "constant", nil)
	}
	return x
}

func debox(c *call) []*webnn.Operand {
	w := c.window()
	out := c.outShape(0)
	x, w := c.extended(c.in[0], w, 0, out)
	d, average := x.DataType(), c.bool("normalize")
	if d.IsInteger() && average && d.Size() < 8 {
		x = c.cast(x, tensor.Int64)
	}
	sum := c.adjoint(x, w, out)
	if average {
		count := c.number(x.DataType(), float64(tensor.Shape(w.size).Len()))
		if w.border == "ignore" {
			ones := c.do("expand", nil, c.number(x.DataType(), 1), shape(x))
			count = c.do("max", nil, c.adjoint(ones, w, out), c.number(x.DataType(), 1))
		}
		sum = c.do("div", nil, sum, count)
	}
	return one(c.cast(sum, d))
}

// adjoint adds each element to all places that its window covers in a larger tensor.
func (c *call) adjoint(x *webnn.Operand, w *window, out ints) *webnn.Operand {
	active := w.active()
	if x.DataType().IsInteger() || len(active) > 2 || w.crops() {
		sum := c.do("expand", nil, c.number(x.DataType(), 0), out)
		for _, p := range w.positions() {
			sum = c.do("add", nil, sum, c.place(x, w, p, out))
		}
		return sum
	}
	if len(active) == 0 { // sums begin with +0
		return c.do("add", nil, x, c.number(x.DataType(), 0))
	}
	flat, back := c.planar(x, active)
	v := w.only(active)
	result := *w
	result.size = out
	o := v.convolution()
	o["outputSizes"] = result.only(active).spatial().size
	return back(c.do("convTranspose2d", o, flat, c.ones(x.DataType(), v)))
}
