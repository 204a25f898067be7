package export

import (
	"slices"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/tensor"
)

// window is how conv2d and max_pool2d move over height and width.
type window struct {
	*geometry.Window
	padding [2]int // on both sides alike
	ceil    bool   // whether the last windows may end beyond the padding
}

// planar returns the window of the node over height and width, its last dimensions.
func (c *call) planar(size []int) *window {
	w := geometry.WindowOf(c.Attrs, size)
	last := len(size) - 2
	if slices.ContainsFunc(w.Active(), func(d int) bool { return d < last }) {
		kit.Refuse("the window covers more than height and width")
	}
	if w.Crops() {
		kit.Refuse("its padding is negative; cut the operand with slice instead")
	}
	return &window{Window: w.Choose([]int{last, last + 1})}
}

// window finds the padding that makes the result of the node as large as it is. CVM pads both sides of height and of width alike, with
// what the border means: zeros (constant), or what is no element (ignore), where a pool may also round up. Other paddings are concatenated
// to the operand; value is what stands for elements of that border.
func (c *call) window(w *window, x int, border string, value int) int {
	before, after := [2]int(w.Before), [2]int(w.After)
	padded := before != [2]int{} || after != [2]int{}
	got := c.Str("border")
	in, out := c.shape(x)[2:], c.outShape(0)[2:]
	if !padded || got == border {
		for _, ceil := range []bool{false, border == "ignore"} {
			if w.fits(before, ceil, in, out) {
				w.padding, w.ceil = before, ceil
				return x
			}
		}
	}
	if padded && got != border {
		if got != "constant" {
			kit.Refuse("the border is %s; CVM has %s", got, border)
		}
		value = 0
	}
	for d := range before {
		if got == "ignore" && (before[d] >= w.Size[d] || (out[d]-1)*w.Stride[d]-before[d] >= in[d]) {
			kit.Refuse("a window lies outside of the operand")
		}
		x = c.surrounded(x, 2+d, before[d], after[d], value)
	}
	return x
}

// fits reports whether a padding on both sides gives the extents of the result.
func (w *window) fits(padding [2]int, ceil bool, in, out tensor.Shape) bool {
	for d, p := range padding {
		rest := in[d] + 2*p - (w.Size[d]-1)*w.Dilation[d] - 1
		if ceil {
			rest += w.Stride[d] - 1
		}
		inside := !ceil || (out[d]-1)*w.Stride[d]-p < in[d]
		if rest < 0 || rest/w.Stride[d]+1 != out[d] || !inside {
			return false
		}
	}
	return true
}

// surrounded adds elements of one value before and behind a dimension.
func (c *call) surrounded(x, axis, before, after, value int) int {
	parts := []int{x}
	for i, n := range []int{before, after} {
		if n == 0 {
			continue
		}
		part := c.shape(x).Clone()
		part[axis] = n
		parts = slices.Insert(parts, i*len(parts), c.do("tile", attributes("reps", []int(part)), c.number(value)))
	}
	if len(parts) == 1 {
		return x
	}
	return c.do("concatenate", attributes("axis", axis), parts...)
}

// pad adds a border of one value. Others are gathered.
func pad(c *call) []operand {
	x, pairs := c.in[0].entry, c.Ints("padding")
	if slices.ContainsFunc(pairs, func(n int) bool { return n < 0 || n > 0 && c.Str("border") != "constant" }) {
		return nil
	}
	value := int(c.Float("value"))
	if c.Has(1) {
		n, ok := single(c.In[1])
		if !ok {
			kit.Refuse("what it fills with is no constant")
		}
		value = n
	}
	for d := range len(pairs) / 2 {
		x = c.surrounded(x, d, pairs[2*d], pairs[2*d+1], value)
	}
	return one(x)
}
