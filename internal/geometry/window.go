package geometry

import (
	"slices"

	"github.com/concord-nn/concord/graph"
)

// Window is what slides over dimensions, with an item of each list for each of them.
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

// Span returns how many elements the window covers along a dimension.
func (w *Window) Span(d int) int { return (w.Size[d]-1)*w.Dilation[d] + 1 }

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
