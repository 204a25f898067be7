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
		if !c.Bool("normalize") || border != "ignore" && border != "constant" || !w.spatial(c.in[0].Shape) || c.unslid() {
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
		"places in the window, and "+windowNote).otherwise(wider),
	own("sample", "Slice, Equal, Where", wider),
	own("desample", "Gather, Slice, Equal, Where, Add", wider),
	own("debox", "Gather, Conv, Div", wider),
}

// pooled lets a body compute on windows of a tensor whose dimensions with windows are the last ones, behind one for all others and one of
// extent 1.
func (c *emission) pooled(x val, w *window, f func(x val, t graph.Type, w *window) val) val {
	var idle, moved ints
	for d := range w.Size {
		if w.Idle(d) {
			idle = append(idle, d)
		} else {
			moved = append(moved, d)
		}
	}
	if len(moved) == 0 {
		moved, idle = idle, nil
		if len(moved) == 0 {
			x, w = c.reshape(x, 1), &window{*geometry.WindowOf(at("padding", ints{0, 0}), ints{1})}
			moved = ints{0}
		}
	}
	perm := slices.Concat(idle, moved)
	turned, slid := c.transpose(x, perm...), &window{*w.Choose(moved)}
	lead, rest := turned.Shape[:len(idle)], turned.Shape[len(idle):]
	out := slid.extents(rest)
	flat := c.reshape(turned, append(ints{lead.Len(), 1}, rest...)...)
	y := f(flat, graph.Type{DType: x.DType, Shape: append(flat.Shape[:2:2], out...)}, slid)
	y = c.reshape(y, append(slices.Clone(lead), out...)...)
	return c.reshape(c.transpose(y, op.Inverse(perm)...), c.out(0).Shape...)
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

// maxPool pools in floats that hold the integers. Where windows reach no elements, or elements are taken away, the border that is ignored is
// made of least elements.
func maxPool(c *emission) []val {
	w, border, d := c.window(), c.Str("border"), c.in[0].DType
	if d.IsInteger() && d.Size() == 8 {
		return nil
	}
	x := c.cast(c.in[0], exactFloat(d))
	switch {
	case border != "ignore":
		x = c.beside(x, w, border)
	case !w.reaches(x.Shape) || w.Crops():
		least := c.lowest(x.DType)
		if d.IsInteger() {
			least = c.cast(c.lowest(d), x.DType)
		}
		x = c.zeros(x, 0, w, least)
	}
	y := c.pooled(x, w, func(x val, t graph.Type, w *window) val { return c.node1("MaxPool", t, w.attrs(0), x) })
	return one(c.cast(y, d))
}

// beside adds the border to what is pooled: zeros as -0, since ONNX Runtime makes padding by +0 that of the pool behind it, which leaves it out of maxima.
func (c *emission) beside(x val, w *window, border string) val {
	if border == "constant" || border == "ignore" {
		return c.zeros(x, 0, w, c.number(x.DType, math.Copysign(0, -1)))
	}
	return c.padded(x, w, border)
}

// box adds up elements by a convolution with ones, of those for which ONNX Runtime has one.
func box(c *emission) []val {
	d, w, border, normalize := c.in[0].DType, c.window(), c.Str("border"), c.Bool("normalize")
	if normalize && border == "ignore" || !d.IsFloat() || d == tensor.Float64 {
		return wider(c)
	}
	x := c.beside(c.cast(c.in[0], tensor.Float32), w, border)
	y := c.pooled(x, w, func(x val, t graph.Type, w *window) val {
		if normalize {
			return c.node1("AveragePool", t, w.attrs(0), x)
		}
		return c.filtered(t, w, 1, x, c.full(graph.Type{DType: x.DType, Shape: append(tensor.Shape{1, 1}, w.Size...)}, 1))
	})
	return one(c.cast(y, d))
}

// argmaxPool is the second result of MaxPool for places in the whole input, counted in row-major order or, in each channel, by columns.
func argmaxPool(c *emission) []val {
	w := c.window()
	if c.Str("border") != "ignore" || !w.spatial(c.in[0].Shape) || c.Attrs.DType("dtype") != tensor.Int64 {
		return nil
	}
	for order := range 2 {
		same := func(n int, step int64) bool { return int64(n) == step }
		if slices.EqualFunc(c.Ints("steps"), geometry.Steps(c.in[0].Shape, order == 1), same) {
			attrs := append(w.attrs(2), at("storage_order", order)...)
			values := graph.Type{DType: c.in[0].DType, Shape: c.out(0).Shape}
			return c.nodes("MaxPool", []graph.Type{values, c.out(0)}, attrs, c.in[0])[1:]
		}
	}
	return nil
}
