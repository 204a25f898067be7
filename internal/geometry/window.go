package geometry

import (
	"slices"

	"github.com/concord-nn/concord/graph"
)

// Window is what slides over dimensions, with an item of each list for each of them. Numbers that nobody has checked yet may be any of 32 bits, and sizes
// and extents any of a tensor: what is computed of them are int64, for which products are cut at [far].
type Window struct {
	Size, Stride, Dilation []int
	Before, After          []int // the padding; negative where elements are taken away
}

// WindowOf returns the window of a size that the attributes stride, dilation and padding describe.
func WindowOf(a graph.Attrs, size []int) *Window {
	w := &Window{Size: slices.Clone(size), Stride: slices.Clone(a.Ints("stride")), Dilation: slices.Clone(a.Ints("dilation"))}
	if len(w.Stride) == 0 {
		w.Stride = slices.Repeat([]int{1}, len(size))
	}
	if len(w.Dilation) == 0 {
		w.Dilation = slices.Repeat([]int{1}, len(size))
	}
	w.Pad(a.Ints("padding"))
	return w
}

// Pad adds dimensions to the padding, of which there are two numbers for each.
func (w *Window) Pad(padding []int) {
	for d := range len(padding) / 2 {
		w.Before, w.After = append(w.Before, padding[2*d]), append(w.After, padding[2*d+1])
	}
}

// Idle reports whether the window does nothing along a dimension.
func (w *Window) Idle(d int) bool {
	return w.Size[d] == 1 && w.Stride[d] == 1 && w.Before[d] == 0 && w.After[d] == 0
}

// Active lists the dimensions in which the window does anything.
func (w *Window) Active() []int {
	list := []int{}
	for d := range w.Size {
		if !w.Idle(d) {
			list = append(list, d)
		}
	}
	return list
}

// far is beyond every extent, also after paddings are taken away.
const far = int64(1) << 61

// Times returns a·b for b that is not negative, at most [far].
func Times(a, b int) int64 {
	if b != 0 && int64(a) > far/int64(b) {
		return far
	}
	return int64(a) * int64(b)
}

// Span returns how many elements the window covers along a dimension, its gaps included.
func (w *Window) Span(d int) int64 { return Times(w.Size[d]-1, w.Dilation[d]) + 1 }

// Reach returns how many elements n windows cover along a dimension, from the first one of the first to the last one of the last.
func (w *Window) Reach(d, n int) int64 { return Times(n-1, w.Stride[d]) + w.Span(d) }

// Added returns how many elements the padding adds to a dimension.
func (w *Window) Added(d int) int64 { return int64(w.Before[d]) + int64(w.After[d]) }

// Room returns how many elements the window can move along a dimension of that extent. It is negative if the window is larger than that with its padding.
func (w *Window) Room(d, extent int) int64 { return int64(extent) + w.Added(d) - w.Span(d) }

// Count returns how many windows there are along a dimension of that extent, 0 or less if there is no room for one. By ceiling a last one counts that
// reaches beyond the padding.
func (w *Window) Count(d, extent int, ceiling bool) int64 {
	room, stride := w.Room(d, extent), int64(w.Stride[d])
	if ceiling {
		return CeilDiv(room, stride) + 1
	}
	return FloorDiv(room, stride) + 1
}

// Strides returns how many windows begin in a dimension of that extent if there is one in each stride: what padding that is called automatic makes.
func (w *Window) Strides(d, extent int) int64 { return CeilDiv(int64(extent), int64(w.Stride[d])) }

// Halves returns the padding with which n windows cover a dimension of that extent, divided among both sides; the odd element is in the second half.
func (w *Window) Halves(d, extent, n int) (less, more int64) {
	total := max(w.Reach(d, n)-int64(extent), 0)
	return total / 2, total - total/2
}

// Padding returns the padding as the attribute of that name has it: two numbers for each dimension.
func (w *Window) Padding() []int {
	list := make([]int, 0, 2*len(w.Before))
	for d := range w.Before {
		list = append(list, w.Before[d], w.After[d])
	}
	return list
}

// Crops reports whether the padding takes elements away.
func (w *Window) Crops() bool {
	return slices.ContainsFunc(slices.Concat(w.Before, w.After), func(n int) bool { return n < 0 })
}

// Choose returns the window in some dimensions; it does nothing in one that is negative.
func (w *Window) Choose(dims []int) *Window {
	out := &Window{}
	for _, d := range dims {
		size, stride, dilation, before, after := 1, 1, 1, 0, 0
		if d >= 0 {
			size, stride, dilation, before, after = w.Size[d], w.Stride[d], w.Dilation[d], w.Before[d], w.After[d]
		}
		out.Size, out.Stride, out.Dilation = append(out.Size, size), append(out.Stride, stride), append(out.Dilation, dilation)
		out.Before, out.After = append(out.Before, before), append(out.After, after)
	}
	return out
}
