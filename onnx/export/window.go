package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Windows that slide over dimensions.

// window is what slides over the dimensions of an operand.
type window struct {
	size, stride, dilation []int
	before, after          []int
}

// window returns the window that the attributes describe.
func (c *call) window() *window {
	w := &window{size: slices.Clone(c.Ints("size"))}
	w.fill(c, len(w.size))
	return w
}

// fill reads what the attributes say of each of n dimensions.
func (w *window) fill(c *call, n int) {
	w.stride, w.dilation = onesIfEmpty(c.Ints("stride"), n), onesIfEmpty(c.Ints("dilation"), n)
	w.pad(c.Ints("padding"))
}

// pad reads what is added before and after each dimension.
func (w *window) pad(padding ints) {
	for d := range len(padding) / 2 {
		w.before, w.after = append(w.before, padding[2*d]), append(w.after, padding[2*d+1])
	}
}

// onesIfEmpty returns a list, or n ones if it is empty.
func onesIfEmpty(list ints, n int) ints {
	if len(list) > 0 {
		return slices.Clone(list)
	}
	return slices.Repeat(ints{1}, n)
}

// idle reports whether the window does nothing along a dimension.
func (w *window) idle(d int) bool {
	return w.size[d] == 1 && w.stride[d] == 1 && w.before[d] == 0 && w.after[d] == 0
}

// span returns how many elements the window covers along a dimension.
func (w *window) span(d int) int { return (w.size[d]-1)*w.dilation[d] + 1 }

// spatial reports whether the window is one as the standard has it: it slides over the dimensions behind the first two only, and its
// padding is smaller than it.
func (w *window) spatial() bool {
	return len(w.size) > 2 && w.idle(0) && w.idle(1) && w.growing() && w.reaches()
}

// reaches reports whether the padding is smaller than the window, so that each window reaches elements.
func (w *window) reaches() bool {
	for d, n := range w.size {
		if max(w.before[d], w.after[d]) >= n {
			return false
		}
	}
	return true
}

// growing reports whether the padding takes nothing away.
func (w *window) growing() bool { return slices.Min(append(slices.Clone(w.before), w.after...)) >= 0 }

// attrs returns the attributes that the standard has for the dimensions from first on.
func (w *window) attrs(first int) graph.Attrs {
	return at("kernel_shape", w.size[first:], "strides", w.stride[first:], "dilations", w.dilation[first:],
		"pads", slices.Concat(w.before[first:], w.after[first:]))
}

// choose returns the window of some dimensions.
func (w *window) choose(dims ints) *window {
	out := &window{}
	for _, d := range dims {
		out.size, out.stride, out.dilation = append(out.size, w.size[d]), append(out.stride, w.stride[d]), append(out.dilation, w.dilation[d])
		out.before, out.after = append(out.before, w.before[d]), append(out.after, w.after[d])
	}
	return out
}

// extents returns the extents of the results of windows.
func (w *window) extents(in []int) tensor.Shape {
	out := make(tensor.Shape, len(in))
	for d, n := range in {
		out[d] = (w.before[d]+n+w.after[d]-w.span(d))/w.stride[d] + 1
	}
	return out
}

// taps joins, position by position of a window without padding, the elements there.
func (c *call) taps(x val, w *window, join func(sum, part val) val) val {
	first := x.rank() - len(w.size)
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
func (c *call) positions(w *window) func(yield func(k ints) bool) {
	if n := tensor.Shape(w.size).Len(); n > limits.ONNXTaps {
		kit.Refuse("a window of %d positions is not said one by one", n)
	}
	return func(yield func(k ints) bool) {
		k := make(ints, len(w.size))
		for {
			if !yield(k) {
				return
			}
			d := len(k) - 1
			for ; d >= 0; d-- {
				if k[d]++; k[d] < w.size[d] {
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
func (c *call) tap(x val, first int, w *window, k ints) val {
	if len(k) == 0 {
		return x
	}
	begin, end, axes, step := make(ints, len(k)), make(ints, len(k)), make(ints, len(k)), make(ints, len(k))
	out := w.extents(x.Shape[first:])
	for d := range k {
		axes[d], step[d] = first+d, w.stride[d]
		begin[d] = k[d] * w.dilation[d]
		end[d] = begin[d] + (out[d]-1)*step[d] + 1
	}
	t := graph.Type{DType: x.DType, Shape: append(x.Shape[:first:first], out...)}
	return c.node1("Slice", t, nil, x, c.list(begin...), c.list(end...), c.list(axes...), c.list(step...))
}
