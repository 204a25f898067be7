package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// sliding is a window that slides over the spatial dimensions of an operand, those behind batch and channels.
type sliding struct{ geometry.Window }

// windowBound is beyond what attributes of windows sensibly are, and extentBound beyond the extents over which they slide: no sum of products of
// both overflows int64.
const (
	windowBound = 1 << 30
	extentBound = 1 << 32
)

// sliding returns the window of that size that the attributes describe.
func (c *lowering) sliding(size []int) *sliding {
	n := len(size)
	pads := c.perDimension("pads", 2*n, -windowBound, 0)
	return &sliding{geometry.Window{Size: c.bounded("kernel_shape", 1, size), Stride: c.perDimension("strides", n, 1, 1),
		Dilation: c.perDimension("dilations", n, 1, 1), Before: pads[:n], After: pads[n:]}}
}

// perDimension returns a list of n numbers that are not less than least, all of them value if the attribute is not given or not declared.
func (c *lowering) perDimension(name string, n, least, value int) []int {
	var list []int
	if c.form.declared(name) != nil {
		list = c.Ints(name)
	}
	if list == nil {
		list = make([]int, n)
		for i := range list {
			list[i] = value
		}
	}
	if len(list) != n {
		c.failf(name, "there are %d numbers; there must be %d", len(list), n)
	}
	return c.bounded(name, least, list)
}

// bounded returns a list after checking that no number is less than least, or very large.
func (c *lowering) bounded(name string, least int, list []int) []int {
	for i, x := range list {
		if x < least || x > windowBound {
			c.failf(name, "number %d is %d; it must be from %d to %d", i, x, least, windowBound)
		}
	}
	return list
}

// spatial returns the extents of an operand behind batch and channels, of which there must be one or more.
func (c *lowering) spatial(i int) tensor.Shape {
	s := c.Shape(i)
	if len(s) < 3 {
		c.failf(c.operandName(i), "it is %v; it must have batch, channels and one or more spatial dimensions", c.In(i).Type)
	}
	for d, n := range s[2:] {
		if int64(n) > extentBound {
			c.failf(c.operandName(i), "dimension %d has %d elements; a window slides over at most %d", 2+d, n, int64(extentBound))
		}
	}
	return s[2:]
}

// small makes an int of a number that a tensor's extent may be.
func (c *lowering) small(name string, n int64) int {
	if n < -tensor.MaxElements || n > tensor.MaxElements || int64(int(n)) != n {
		c.failf(name, "%d elements are too many", n)
	}
	return int(n)
}

// autoPad replaces the padding as auto_pad says: so that there are as many windows as strides in the extents, the odd element of padding
// behind or in front.
func (c *lowering) autoPad(w *sliding, extents tensor.Shape) {
	mode := c.OneOf("auto_pad", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER", "")
	if mode == "NOTSET" || mode == "" {
		return
	}
	w.Before, w.After = make([]int, len(extents)), make([]int, len(extents))
	if mode == "VALID" {
		return
	}
	for d, n := range extents {
		c.cover(w, d, n, int(w.Strides(d, n)), mode)
	}
}

// cover gives a dimension the padding with which n windows cover that extent, the odd element behind or in front.
func (c *lowering) cover(w *sliding, d, extent, n int, mode string) {
	less, more := w.Halves(d, extent, n)
	if w.Before[d], w.After[d] = c.small("pads", less), c.small("pads", more); mode != "SAME_UPPER" {
		w.Before[d], w.After[d] = w.After[d], w.Before[d]
	}
}

// roundUp adds padding behind so that a window for which it is not whole elements remain is not left out, if it does not begin behind the
// input and the padding in front of it. The number that it adds to each dimension is returned.
func (c *lowering) roundUp(w *sliding, extents tensor.Shape) []int {
	added := make([]int, len(extents))
	for d, n := range extents {
		room, last := w.Room(d, n), (w.Count(d, n, true)-1)*int64(w.Stride[d])
		if room >= 0 && last < int64(n)+int64(w.Before[d]) {
			added[d] = c.small("pads", last-room)
		}
	}
	return added
}

// everywhere returns numbers for all dimensions of an operand: those of the spatial ones, and for batch and channels the number one.
func everywhere(one int, spatial []int) []int { return append([]int{one, one}, spatial...) }

// spatialAxes returns the axes behind batch and channels.
func spatialAxes(v *graph.Value) []int { return emit.Counting(2, len(v.Type.Shape)-2) }
