package operators

import (
	"fmt"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// The shape rules of strided_slice and slice_like.

// sliceRange is where strided_slice begins and ends along an axis, clamped, and its stride.
type sliceRange struct{ begin, end, stride int }

// len returns the number of elements of a range that is not empty.
func (r sliceRange) len() int {
	if r.stride > 0 {
		return (r.end-r.begin-1)/r.stride + 1
	}
	return (r.end-r.begin+1)/r.stride + 1
}

// empty reports whether the range has no elements.
func (r sliceRange) empty() bool {
	if r.stride > 0 {
		return r.begin >= r.end
	}
	return r.begin <= r.end
}

func (c *Call) sliceRange(axis int) sliceRange {
	n := c.In[0].Shape[axis]
	item := func(name string, missing int) int {
		if t := c.Attrs.Tuple(name); axis < len(t) {
			return t[axis]
		}
		return missing
	}
	r := sliceRange{item("begin", 0), item("end", n), item("stride", 1)}
	low, high := 0, n
	if r.stride < 0 {
		low, high = -1, n-1
	}
	for _, p := range []*int{&r.begin, &r.end} {
		if *p < 0 {
			*p += n
		}
		*p = min(max(*p, low), high)
	}
	return r
}

func sliceShape(c *Call) ([]tensor.Shape, error) {
	out := c.In[0].Shape.Clone()
	for i := range out {
		r := c.sliceRange(i)
		if r.stride == 0 {
			return nil, refuse("stride", "a number that is not 0", "the stride of axis %d is 0", i)
		}
		if r.empty() {
			return nil, refuse("end", "one or more elements in each axis", "the slice %d:%d:%d of axis %d has none", r.begin, r.end, r.stride, i)
		}
		out[i] = r.len()
	}
	return []tensor.Shape{out}, nil
}

// SliceRange returns for each axis of strided_slice's data where the slice begins and ends, clamped, and its stride. The element i of
// the slice is begin + i·stride. Ends are exclusive, and -1 where a negative stride reaches the first element.
func (c *Call) SliceRange() (begin, end, stride []int) {
	for i := range c.In[0].Shape {
		r := c.sliceRange(i)
		begin, end, stride = append(begin, r.begin), append(end, r.end), append(stride, r.stride)
	}
	return begin, end, stride
}

func sliceLikeShape(c *Call) ([]tensor.Shape, error) {
	data, like := c.In[0].Shape, c.In[1].Shape
	axes := c.Attrs.Tuple("axis")
	if len(axes) == 0 {
		if err := c.rank(1, data.Rank()); err != nil {
			return nil, err
		}
		axes = make([]int, data.Rank())
		for i := range axes {
			axes[i] = i
		}
	}
	out := data.Clone()
	for _, axis := range axes {
		if axis < 0 {
			axis += data.Rank()
		}
		if err := within(fault.Shape, "axis", axis, 0, min(data.Rank(), like.Rank())-1); err != nil {
			return nil, err
		}
		if like[axis] > data[axis] {
			return nil, refuse(c.operand(1), fmt.Sprintf("at most %d", data[axis]), "dimension %d is %d", axis, like[axis])
		}
		out[axis] = like[axis]
	}
	return []tensor.Shape{out}, nil
}
