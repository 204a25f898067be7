package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
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
		out[d] = int(w.Count(d, n, false))
	}
	return out
}
