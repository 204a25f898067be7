package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Windows that slide over dimensions.

// window is what slides over the dimensions of an operand.
type window struct{ geometry.Window }

// window returns the window that the attributes describe.
func (c *emission) window() *window { return &window{*geometry.WindowOf(c.Attrs, c.Ints("size"))} }

// spatial reports whether the window is one as the standard has it: it slides over the dimensions behind the first two only, and always
// reaches elements.
func (w *window) spatial(in []int) bool {
	return len(w.Size) > 2 && w.Idle(0) && w.Idle(1) && !w.Crops() && w.reaches(in)
}

// reaches reports whether each window reaches elements: the padding is smaller than the window, and there are not so few elements that all
// lie between two of its positions.
func (w *window) reaches(in []int) bool {
	for d, n := range w.Size {
		if before, after := w.Before[d], w.After[d]; max(before, after) >= n || min(before, after) > 0 && w.Dilation[d] > in[d] {
			return false
		}
	}
	return true
}

// attrs returns the attributes that the standard has for the dimensions from first on.
func (w *window) attrs(first int) graph.Attrs {
	return at("kernel_shape", w.Size[first:], "strides", w.Stride[first:], "dilations", w.Dilation[first:],
		"pads", slices.Concat(w.Before[first:], w.After[first:]))
}

// extents returns the extents of the results of windows.
func (w *window) extents(in []int) tensor.Shape {
	out := make(tensor.Shape, len(in))
	for d, n := range in {
		out[d] = (w.Before[d]+n+w.After[d]-w.Span(d))/w.Stride[d] + 1
	}
	return out
}

// taps joins, position by position of a window without padding, the elements there.
func (c *emission) taps(x val, w *window, join func(sum, part val) val) val {
	first := x.rank() - len(w.Size)
	var sum val
	for k := range c.positions(w) {
		part := c.tap(x, first, w, k)
		if sum.name == "" {
			sum = part
		} else {
			sum = join(sum, part)
		}
	}
	return sum
}

// positions yields the positions in a window, in row-major order.
func (c *emission) positions(w *window) func(yield func(k ints) bool) {
	if n := tensor.Shape(w.Size).Len(); n > limits.ONNXTaps {
		kit.Refuse("a window of %d positions is not said one by one", n)
	}
	return func(yield func(k ints) bool) {
		k := make(ints, len(w.Size))
		for {
			if !yield(k) {
				return
			}
			d := len(k) - 1
			for ; d >= 0; d-- {
				if k[d]++; k[d] < w.Size[d] {
					break
				}
				k[d] = 0
			}
			if d < 0 {
				return
			}
		}
	}
}

// tap returns, for each window, the element at position k of it, in the dimensions from first on.
func (c *emission) tap(x val, first int, w *window, k ints) val {
	if len(k) == 0 {
		return x
	}
	begin, end, axes, step := make(ints, len(k)), make(ints, len(k)), make(ints, len(k)), make(ints, len(k))
	out := w.extents(x.Shape[first:])
	for d := range k {
		axes[d], step[d] = first+d, w.Stride[d]
		begin[d] = k[d] * w.Dilation[d]
		end[d] = begin[d] + (out[d]-1)*step[d] + 1
	}
	t := graph.Type{DType: x.DType, Shape: append(x.Shape[:first:first], out...)}
	return c.node1("Slice", t, nil, x, c.list(begin...), c.list(end...), c.list(axes...), c.list(step...))
}
