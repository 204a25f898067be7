package operators

import (
	"fmt"
	"slices"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// The shape rules of operators that only give the elements another shape.

func flattenShape(c *Call) ([]tensor.Shape, error) {
	data := c.In[0].Shape
	return []tensor.Shape{{data[0], data[1:].Len()}}, nil
}

func expandDimsShape(c *Call) ([]tensor.Shape, error) {
	data, count := c.In[0].Shape, c.Attrs.Int("num_newaxis")
	axis, err := axisOf("axis", c.Attrs.Int("axis"), data.Rank()+1)
	if err != nil {
		return nil, err
	}
	if err := within(fault.Shape, "num_newaxis", count, 0, MaxAttr); err != nil {
		return nil, err
	}
	return []tensor.Shape{slices.Insert(data.Clone(), axis, slices.Repeat([]int{1}, count)...)}, nil
}

func squeezeShape(c *Call) ([]tensor.Shape, error) {
	data := c.In[0].Shape
	axes, err := axesOf("axis", c.Attrs.Tuple("axis"), data.Rank())
	if err != nil {
		return nil, err
	}
	out := tensor.Shape{}
	for i, d := range data {
		switch listed := slices.Contains(axes, i); {
		case listed && d != 1:
			return nil, refuse("axis", "axes whose extent is 1", "the extent of axis %d is %d", i, d)
		case !listed && (d != 1 || len(axes) > 0):
			out = append(out, d)
		}
	}
	return []tensor.Shape{orOne(out)}, nil
}

// The items of reshape's attribute that are not extents.
const (
	keepExtent   = 0
	inferExtent  = -1
	keepRest     = -2
	mergeExtents = -3
	splitExtent  = -4
)

// reshapeShape follows the original: the formalisation knows extents only. Products that do not fit are refused.
func reshapeShape(c *Call) ([]tensor.Shape, error) {
	data, target := c.In[0].Shape, c.Attrs.Tuple("shape")
	if len(target) == 0 {
		return nil, refuse("shape", "one or more items", "the tuple is empty")
	}
	out := tensor.Shape{}
	inferred := -1
	source := 0 // the next extent of data
	left := func(n int) error {
		if source+n > len(data) {
			return refuse("shape", "items for the extents of data", "%d extents are asked for behind the first %d of %d", n, source, len(data))
		}
		return nil
	}
	for i := 0; i < len(target); i++ {
		switch v := target[i]; {
		case v > 0:
			out = append(out, v)
			source++
		case v == keepExtent:
			if err := left(1); err != nil {
				return nil, err
			}
			out = append(out, data[source])
			source++
		case v == inferExtent:
			if inferred >= 0 {
				return nil, refuse("shape", "at most one -1", "items %d and %d are -1", inferred, i)
			}
			inferred = i
			out = append(out, 1)
			source++
		case v == keepRest:
			for ; source < len(data); source++ {
				out = append(out, data[source])
			}
		case v == mergeExtents:
			if err := left(2); err != nil {
				return nil, err
			}
			out = append(out, data[source]*data[source+1])
			source += 2
		case v == splitExtent:
			if i+2 >= len(target) {
				return nil, refuse("shape", "two items behind -4", "there are %d", len(target)-1-i)
			}
			if err := left(1); err != nil {
				return nil, err
			}
			parts, err := split(data[source], target[i+1], target[i+2])
			if err != nil {
				return nil, err
			}
			out = append(out, parts...)
			source++
			i += 2
		}
	}
	if inferred >= 0 {
		if err := infer(out, inferred, data.Len()); err != nil {
			return nil, err
		}
	}
	if n, ok := product(out); !ok || n != data.Len() {
		return nil, refuse("shape", fmt.Sprintf("%d elements", data.Len()), "the shape would be %v", out)
	}
	return []tensor.Shape{out}, nil
}

// split divides an extent into two, of which one may be -1.
func split(extent, a, b int) ([]int, error) {
	switch {
	case a == inferExtent && b > 0:
		a = extent / b
	case b == inferExtent && a > 0:
		b = extent / a
	}
	if n, ok := product([]int{a, b}); !ok || n != extent {
		return nil, refuse("shape", "a product of two extents, of which one may be -1", "-4 splits the extent %d into %d and %d", extent, a, b)
	}
	return []int{a, b}, nil
}

// infer sets the extent that is left. The original puts it at the place that -1 has in the attribute, even if items before it stand for
// more or fewer extents than one. The number of elements is then right only if that makes no difference, or the extent at that place
// was 1.
func infer(out tensor.Shape, place, elements int) error {
	n, ok := product(out)
	if !ok {
		return refuse("shape", fmt.Sprintf("at most %d elements", elements), "the shape would be at least %v", out)
	}
	if place < len(out) {
		out[place] = elements / n
	}
	return nil
}

// product multiplies extents, and returns false if one is not positive or the product is beyond what a tensor may have.
func product(extents []int) (int, bool) {
	n := 1
	for _, d := range extents {
		if d <= 0 || d > MaxElements/n {
			return 0, false
		}
		n *= d
	}
	return n, true
}
