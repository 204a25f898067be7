package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Operators on windows that slide over all dimensions. Those of the standard slide over the dimensions behind batch and channels.

const windowNote = "other borders, windows over batch or channels or that may reach no elements, and other types: own"

var windowRows = []row{
	direct("max_pool", "MaxPool", floats|op.TypeSet(tensor.Int8, tensor.Uint8), func(c *emission) []val {
		w := c.window()
		if c.Str("border") != "ignore" || !w.spatial(c.in[0].Shape) {
			return nil
		}
		return one(c.node1("MaxPool", c.out(0), w.attrs(2), c.in[0]))
	}, windowNote).otherwise(maxPool),
	direct("box", "AveragePool", floats, func(c *emission) []val {
		w, border := c.window(), c.Str("border")
		if !c.Bool("normalize") || border != "ignore" && border != "constant" || !w.spatial(c.in[0].Shape) {
			return nil
		}
		attrs := append(w.attrs(2), at("count_include_pad", border == "constant")...)
		return one(c.node1("AveragePool", c.out(0), attrs, c.in[0]))
	}, "sums, and "+windowNote).otherwise(box),
	direct("l2_pool", "LpPool", floats, func(c *emission) []val {
		w := c.window()
		if c.Str("border") != "ignore" || !w.spatial(c.in[0].Shape) {
			return nil
		}
		return one(c.node1("LpPool", c.out(0), append(w.attrs(2), at("p", 2)...), c.in[0]))
	}, windowNote),
	direct("argmax_pool", "MaxPool", floats|op.TypeSet(tensor.Int8, tensor.Uint8), argmaxPool,
		"places in the window, and "+windowNote).otherwise(placesInWindow),
	own("sample", "Mod, Div, Gather, Where", sample),
	own("desample", "Mod, Div, Where, ScatterElements", desample),
	own("debox", "Div, ConvTranspose", debox),
}

// pooled lets a body compute on windows of a tensor whose dimensions with windows are the last ones, behind one for all others and one of
// extent 1. The border is added before, but for one that is ignored.
func (c *emission) pooled(x val, w *window, border string, f func(x val, w *window) val) val {
	var idle, moved ints
	for d := range w.Size {
		if w.Idle(d) {
			idle = append(idle, d)
		} else {
			moved = append(moved, d)
		}
	}
	switch border {
	case "ignore":
		x = c.cropped(x, w)
	case "constant": // by -0, as ONNX Runtime makes padding by +0 that of the pool behind it, where max_pool does not count it
		x = c.zeros(x, 0, w, c.number(x.DType, math.Copysign(0, -1)))
	default:
		x = c.padded(x, w, border)
	}
	if len(moved) == 0 {
		moved, idle = idle, nil
		if len(moved) == 0 {
			x, w = c.reshape(x, 1), &window{*geometry.WindowOf(at("padding", ints{0, 0}), ints{1})}
			moved = ints{0}
		}
	}
	perm := slices.Concat(idle, moved)
	turned := c.transpose(x, perm...)
	lead := turned.Shape[:len(idle)]
	y := f(c.reshape(turned, append(ints{lead.Len(), 1}, turned.Shape[len(idle):]...)...), &window{*w.Choose(moved)})
	y = c.reshape(y, append(slices.Clone(lead), y.Shape[2:]...)...)
	back := make(ints, len(perm))
	for i, d := range perm {
		back[d] = i
	}
	return c.reshape(c.transpose(y, back...), c.out(0).Shape...)
}

// pool adds a pooling of the standard.
func (c *emission) pool(to string, x val, w *window, more ...any) val {
	t := graph.Type{DType: x.DType, Shape: append(x.Shape[:2:2], w.extents(x.Shape[2:])...)}
	return c.node1(to, t, append(w.attrs(0), at(more...)...), x)
}

// exactFloat returns a type of floats that holds all integers of a type and that pools take, or the type itself.
func exactFloat(d tensor.DType) tensor.DType {
	switch {
	case small.Has(d) || d.IsHalf():
		return tensor.Float32
	case d.IsInteger() && d.Size() == 4:
		return tensor.Float64
	}
	return d
}

// maxPool pools in floats that hold the integers; those of 64 bits it compares position by position. Where windows reach no elements, or
// that is not known to the operator, the border is made of least elements.
func maxPool(c *emission) []val {
	w, border, d := c.window(), c.Str("border"), c.in[0].DType
	x := c.cast(c.in[0], exactFloat(d))
	if border == "ignore" && (!w.reaches(x.Shape) || x.DType.IsInteger()) {
		least := c.lowest(x.DType)
		if d.IsInteger() {
			least = c.cast(c.lowest(d), x.DType)
		}
		x = c.zeros(x, 0, w, least)
	}
	y := c.pooled(x, w, border, func(x val, w *window) val {
		if x.DType.IsInteger() {
			return c.taps(x, w, func(sum, part val) val { return c.do("Max", sum, part) })
		}
		return c.pool("MaxPool", x, w)
	})
	return one(c.cast(y, d))
}

// box adds up elements of float32 by a convolution with ones. Others, for which ONNX Runtime has none, it adds position by position.
func box(c *emission) []val {
	d, border, normalize := c.in[0].DType, c.Str("border"), c.Bool("normalize")
	w := c.window()
	if convolved(d) && (border != "ignore" || w.reaches(c.in[0].Shape)) {
		y := c.pooled(c.cast(c.in[0], tensor.Float32), w, border, func(x val, w *window) val {
			if normalize {
				return c.pool("AveragePool", x, w)
			}
			ones := c.full(graph.Type{DType: x.DType, Shape: append(tensor.Shape{1, 1}, w.Size...)}, 1)
			t := graph.Type{DType: x.DType, Shape: append(x.Shape[:2:2], w.extents(x.Shape[2:])...)}
			return c.filtered(t, w, 1, x, ones)
		})
		return one(c.cast(y, d))
	}
	counts := c.counts(w, c.in[0].Shape, border)
	y := c.taps(c.padded(c.summed(c.in[0]), w, border), w, func(sum, part val) val { return c.do("Add", sum, part) })
	if normalize {
		y = c.do("Div", y, c.cast(counts, y.DType))
	}
	return one(c.cast(y, d))
}

// summed converts elements to a type in which their sums are computed.
func (c *emission) summed(x val) val {
	switch d := x.DType; {
	case d.IsFloat():
		return c.cast(x, realOf(d))
	case d == tensor.Uint64:
		return x
	}
	return c.cast(x, tensor.Int64)
}

// counts returns how many positions of each window count: those inside the tensor if the border is ignored, else all. Never 0.
func (c *emission) counts(w *window, in tensor.Shape, border string) val {
	if border != "ignore" {
		return c.integer(tensor.Int64, int64(tensor.Shape(w.Size).Len()))
	}
	n := c.constant(tensor.Scalar(int64(1)))
	for d, out := range w.extents(in) {
		room(out, w.Size[d])
		list := make([]int64, out)
		for o := range list {
			for k := range w.Size[d] {
				if i := o*w.Stride[d] - w.Before[d] + k*w.Dilation[d]; i >= 0 && i < in[d] {
					list[o]++
				}
			}
			list[o] = max(list[o], 1)
		}
		n = c.do("Mul", n, c.along(d, len(in), list))
	}
	return n
}

// argmaxPool is the second result of MaxPool for places in the whole input, counted in row-major order or, in each channel, by columns.
func argmaxPool(c *emission) []val {
	w := c.window()
	if c.Str("border") != "ignore" || !w.spatial(c.in[0].Shape) || c.Attrs.DType("dtype") != tensor.Int64 {
		return nil
	}
	for order := range 2 {
		if slices.Equal(c.Ints("steps"), steps(c.in[0].Shape, order == 1)) {
			attrs := append(w.attrs(2), at("storage_order", order)...)
			values := graph.Type{DType: c.in[0].DType, Shape: c.out(0).Shape}
			return c.nodes("MaxPool", []graph.Type{values, c.out(0)}, attrs, c.in[0])[1:]
		}
	}
	return nil
}

// steps returns how far neighbours are from each other in each dimension.
func steps(shape tensor.Shape, columns bool) ints {
	out, step := make(ints, len(shape)), 1
	for i := range shape {
		d := len(shape) - 1 - i
		if columns && d >= 2 {
			d = 2 + i
		}
		out[d] = step
		step *= max(shape[d], 1)
	}
	return out
}

// placesInWindow makes places in the input those in windows.
func placesInWindow(c *emission) []val {
	d := exactFloat(c.in[0].DType)
	if len(c.Ints("steps")) > 0 || !d.IsFloat() {
		return nil
	}
	y := c.pooled(c.cast(c.in[0], d), c.window(), c.Str("border"), func(x val, w *window) val {
		t := graph.Type{DType: x.DType, Shape: append(x.Shape[:2:2], w.extents(x.Shape[2:])...)}
		places := graph.Type{DType: tensor.Int64, Shape: t.Shape}
		at := c.nodes("MaxPool", []graph.Type{t, places}, w.attrs(0), x)[1]
		number := func(n int) val { return c.integer(tensor.Int64, int64(n)) }
		step, factor := 1, 1
		var sum val
		for k := len(w.Size) - 1; k >= 0; k-- {
			n := max(x.Shape[2+k], 1)
			room(t.Shape[2+k])
			i := c.node1("Mod", at.Type, nil, c.do("Div", at, number(step)), number(n))
			begins := make([]int64, t.Shape[2+k])
			for o := range begins {
				begins[o] = int64(o*w.Stride[k] - w.Before[k])
			}
			begin := c.along(2+k, len(t.Shape), begins)
			i = c.do("Mul", c.do("Div", c.do("Sub", i, begin), number(w.Dilation[k])), number(factor))
			if sum.name == "" {
				sum = i
			} else {
				sum = c.do("Add", sum, i)
			}
			step, factor = step*n, factor*w.Size[k]
		}
		return sum
	})
	return one(c.cast(y, c.out(0).DType))
}
