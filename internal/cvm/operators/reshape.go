package operators

import (
	"fmt"

	"github.com/concord-nn/concord/tensor"
)

// The items of reshape's attribute that are not extents.
const (
	keepExtent   = 0
	inferExtent  = -1
	keepRest     = -2
	mergeExtents = -3
	splitExtent  = -4
)

// reshapeShape follows the original: the formalisation knows extents only. Products that do not fit are refused.
func reshapeShape(c *Call) []tensor.Shape {
	data, target := c.In[0].Shape, c.Attrs.Ints("shape")
	if len(target) == 0 {
		refuse("shape", "one or more items", "the tuple is empty")
	}
	out := tensor.Shape{}
	inferred := -1
	source := 0 // the next extent of data; what only counts on may count beyond them
	next := func(n int) []int {
		if source+n > len(data) {
			refuse("shape", "items for the extents of data", "%d extents are asked for behind the first %d of %d", n, source, len(data))
		}
		source += n
		return data[source-n : source]
	}
	for i := 0; i < len(target); i++ {
		switch v := target[i]; {
		case v > 0:
			out = append(out, v)
			source++
		case v == keepExtent:
			out = append(out, next(1)...)
		case v == inferExtent:
			if inferred >= 0 {
				refuse("shape", "at most one -1", "items %d and %d are -1", inferred, i)
			}
			inferred = i
			out = append(out, 1)
			source++
		case v == keepRest:
			if n := len(data) - source; n > 0 {
				out = append(out, next(n)...)
			}
		case v == mergeExtents:
			merged := next(2)
			out = append(out, merged[0]*merged[1])
		case v == splitExtent:
			if i+2 >= len(target) {
				refuse("shape", "two items behind -4", "there are %d", len(target)-1-i)
			}
			out = append(out, split(next(1)[0], target[i+1], target[i+2])...)
			i += 2
		}
	}
	if inferred >= 0 {
		infer(out, inferred, data.Len())
	}
	if n, ok := product(out); !ok || n != data.Len() {
		refuse("shape", fmt.Sprintf("%d elements", data.Len()), "the shape would be %v", out)
	}
	return []tensor.Shape{out}
}

// split divides an extent into two, of which one may be -1.
func split(extent, a, b int) []int {
	switch {
	case a == inferExtent && b > 0:
		a = extent / b
	case b == inferExtent && a > 0:
		b = extent / a
	}
	if n, ok := product([]int{a, b}); !ok || n != extent {
		refuse("shape", "a product of two extents, of which one may be -1", "-4 splits the extent %d into %d and %d", extent, a, b)
	}
	return []int{a, b}
}

// infer sets the extent that is left. The original puts it at the place that -1 has in the attribute, even if items before it stand for
// more or fewer extents than one. The number of elements is then right only if that makes no difference, or the extent at that place
// was 1.
func infer(out tensor.Shape, place, elements int) {
	n, ok := product(out)
	if !ok {
		refuse("shape", fmt.Sprintf("at most %d elements", elements), "the shape would be at least %v", out)
	}
	if place < len(out) {
		out[place] = elements / n
	}
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
