package operators

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Operators that move elements.
var transformOperators = []*Operator{
	{Name: "repeat", Shape: func(c *Call) []tensor.Shape {
		repeats := c.int("repeats", 1, math.MaxInt32)
		out := c.In[0].Shape.Clone()
		axis := c.axis(out.Rank())
		out[axis] = times(out[axis], repeats)
		return []tensor.Shape{out}
	}, Precision: same, Lower: one(func(a *Application) *graph.Value {
		// It tiles a new dimension behind the axis and joins the two.
		axis := a.axis(a.In[0].Shape.Rank())
		reps := slices.Repeat([]int{1}, len(a.Out[0])+1)
		reps[axis+1] = a.Attrs.Int("repeats")
		return a.Reshape(a.Node("tile", emit.Attr("repeats", reps), a.Unsqueeze(a.Args[0], axis+1)), a.Out[0]...)
	})},
	{Name: "tile", Shape: func(c *Call) []tensor.Shape {
		reps := items("reps", c.Attrs.Ints("reps"), 1, maxAttr)
		if len(reps) == 0 {
			refuse("reps", "one or more items", "the tuple is empty")
		}
		out := leadingOnes(c.In[0].Shape, len(reps))
		for i, n := range reps {
			d := len(out) - len(reps) + i
			out[d] = times(out[d], n)
		}
		return []tensor.Shape{out}
	}, Precision: same, Lower: one(func(a *Application) *graph.Value {
		n := a.Out[0].Rank()
		return a.Node("tile", emit.Attr("repeats", []int(leadingOnes(a.Attrs.Ints("reps"), n))), a.Reshape(a.Args[0], leadingOnes(a.In[0].Shape, n)...))
	})},
	{Name: "flatten", Shape: func(c *Call) []tensor.Shape {
		data := c.In[0].Shape
		return []tensor.Shape{{data[0], data[1:].Len()}}
	}, Precision: same, Lower: reshaped},
	{Name: "concatenate", Shape: func(c *Call) []tensor.Shape {
		if len(c.In) == 0 {
			refuse("data", "one or more", "there are no inputs")
		}
		out := c.In[0].Shape.Clone()
		axis := c.axis(out.Rank())
		for i := 1; i < len(c.In); i++ {
			c.rank(i, out.Rank())
			s := c.In[i].Shape
			for d := range out {
				if d != axis && s[d] != out[d] {
					refuse(c.operand(i), strconv.Itoa(out[d]), "dimension %d is %d", d, s[d])
				}
			}
			out[axis] = nearest(int64(out[axis]) + int64(s[axis]))
		}
		return []tensor.Shape{out}
	}, Precision: greatest, Lower: one(func(a *Application) *graph.Value {
		return a.Node("concat", emit.Attr("axis", a.axis(a.Out[0].Rank())), a.all(a.Want[0])...)
	})},
	{Name: "transpose", Shape: func(c *Call) []tensor.Shape {
		out := tensor.Shape{}
		for _, axis := range permutation(c) {
			out = append(out, c.In[0].Shape[axis])
		}
		return []tensor.Shape{out}
	}, Precision: same, Lower: one(func(a *Application) *graph.Value {
		return a.Node("transpose", emit.Attr("axes", permutation(a.Call)), a.Args[0])
	})},
	{Name: "strided_slice", Shape: func(c *Call) []tensor.Shape {
		out := c.In[0].Shape.Clone()
		for i := range out {
			r := c.sliceRange(i)
			if r.stride == 0 {
				refuse("stride", "a number that is not 0", "the stride of axis %d is 0", i)
			}
			step := 1
			if r.stride < 0 {
				step = -1
			}
			if (r.end-r.begin)*step <= 0 {
				refuse("end", "one or more elements in each axis", "the slice %d:%d:%d of axis %d has none", r.begin, r.end, r.stride, i)
			}
			out[i] = (r.end-r.begin-step)/r.stride + 1
		}
		return []tensor.Shape{out}
	}, Precision: same, Lower: one(func(a *Application) *graph.Value {
		var begin, end, stride []int
		for i, n := range a.In[0].Shape {
			r := a.sliceRange(i)
			if r.end < 0 {
				r.end -= n // slice counts from the end: this one is below index 0
			}
			begin, end, stride = append(begin, r.begin), append(end, r.end), append(stride, r.stride)
		}
		return a.Node("slice", emit.Attr("axes", emit.Counting(0, len(begin)), "begin", begin, "end", end, "stride", stride), a.Args[0])
	})},
	{Name: "slice_like", Shape: func(c *Call) []tensor.Shape {
		data, like, axes := c.In[0].Shape, c.In[1].Shape, c.Attrs.Ints("axis")
		if len(axes) == 0 {
			c.rank(1, data.Rank())
			axes = emit.Counting(0, data.Rank())
		}
		out := data.Clone()
		for _, axis := range axes {
			if axis < 0 {
				axis += data.Rank()
			}
			within(fault.Shape, "axis", axis, 0, min(data.Rank(), like.Rank())-1)
			if like[axis] > data[axis] {
				refuse(c.operand(1), fmt.Sprintf("at most %d", data[axis]), "dimension %d is %d", axis, like[axis])
			}
			out[axis] = like[axis]
		}
		return []tensor.Shape{out}
		// Of the other operand only the shape counts.
	}, Precision: firstOf, Lower: one(func(a *Application) *graph.Value { return First(a.Emitter, a.Args[0], a.Out[0]...) })},
	{Name: "take", Shape: func(c *Call) []tensor.Shape {
		data, indices := c.In[0].Shape, c.In[1].Shape
		axis, ok := c.OptionalInt("axis")
		if !ok {
			return []tensor.Shape{indices}
		}
		axis = axisOf("axis", axis, data.Rank())
		return []tensor.Shape{slices.Concat(data[:axis], indices, data[axis+1:])}
	}, Precision: firstOf, Lower: one(func(a *Application) *graph.Value {
		axis, ok := a.OptionalInt("axis")
		if !ok {
			return a.Node("lookup", nil, a.Args[1], a.Args[0])
		}
		return a.Node("gather", emit.Attr("axis", axisOf("axis", axis, a.In[0].Shape.Rank())), a.Args[0], a.Args[1])
	})},
	{Name: "cvm_lut", Shape: func(c *Call) []tensor.Shape {
		if n, want := c.Attrs.Int("in_dim"), c.In[1].Shape.Len(); n != want {
			refuse("in_dim", fmt.Sprintf("%d, the elements of the table", want), "the value is %d", n)
		}
		return sameShape(c)
	}, Precision: secondOf, Lower: one(func(a *Application) *graph.Value { return a.Node("lookup", nil, a.Args[0], a.Args[1]) })},
	{Name: "expand_dims", Shape: func(c *Call) []tensor.Shape {
		data := c.In[0].Shape
		axis := c.axis(data.Rank() + 1)
		return []tensor.Shape{slices.Insert(data.Clone(), axis, slices.Repeat([]int{1}, c.int("num_newaxis", 0, maxAttr))...)}
	}, Precision: same, Lower: one(func(a *Application) *graph.Value {
		rank := a.In[0].Shape.Rank()
		return a.Unsqueeze(a.Args[0], emit.Counting(a.axis(rank+1), a.Out[0].Rank()-rank)...)
	})},
	{Name: "reshape", Shape: reshapeShape, Precision: same, Lower: reshaped},
	{Name: "squeeze", Shape: func(c *Call) []tensor.Shape {
		data, out := c.In[0].Shape, tensor.Shape{}
		axes := c.axes("axis", data.Rank())
		for i, d := range data {
			switch listed := slices.Contains(axes, i); {
			case listed && d != 1:
				refuse("axis", "axes whose extent is 1", "the extent of axis %d is %d", i, d)
			case !listed && (d != 1 || len(axes) > 0):
				out = append(out, d)
			}
		}
		return []tensor.Shape{orOne(out)}
	}, Precision: same, Lower: reshaped},
	{Name: "where", Shape: func(c *Call) []tensor.Shape {
		condition, x, y := c.In[0].Shape, c.In[1].Shape, c.In[2].Shape
		if !x.Equal(y) {
			refuse(c.operand(2), x.String(), "the shape is %v", y)
		}
		if rows := x[:1]; !condition.Equal(x) && !condition.Equal(rows) {
			refuse(c.operand(0), fmt.Sprintf("%v or %v", x, rows), "the shape is %v", condition)
		}
		return []tensor.Shape{x}
	}, Precision: wherePrecision, Lower: one(func(a *Application) *graph.Value {
		// It selects elements, or rows if the condition is 1-D.
		d := widest(a.Args[1].Type.DType, a.Args[2].Type.DType)
		rows := a.In[0].Shape
		holds := a.Reshape(a.Cast(a.Args[0], tensor.Bool), append(rows.Clone(), slices.Repeat(tensor.Shape{1}, a.Out[0].Rank()-len(rows))...)...)
		return a.Node("select", nil, holds, a.Cast(a.Args[1], d), a.Cast(a.Args[2], d))
	})},
}

// reshaped is the lowering of all operators that only give elements a new shape.
var reshaped = one(func(a *Application) *graph.Value { return a.Reshape(a.Args[0], a.Out[0]...) })

// permutation returns for each axis of transpose's output the axis of its data.
func permutation(c *Call) []int {
	n := c.In[0].Shape.Rank()
	switch given := len(c.Attrs.Ints("axes")); given {
	case 0:
		axes := emit.Counting(0, n)
		slices.Reverse(axes)
		return axes
	case n:
		return distinct("axes", c.axes("axes", n))
	default:
		refuse("axes", fmt.Sprintf("0 or %d", n), "the number of items is %d", given)
		return nil
	}
}

// sliceRange is where strided_slice begins and ends along an axis, clamped, and its stride: its element i is begin + i·stride. Ends are
// exclusive, and -1 where a negative stride reaches the first element.
type sliceRange struct{ begin, end, stride int }

func (c *Call) sliceRange(axis int) sliceRange {
	n := c.In[0].Shape[axis]
	item := func(name string, missing int) int {
		if t := c.Attrs.Ints(name); axis < len(t) {
			return t[axis]
		}
		return missing
	}
	r := sliceRange{item("begin", 0), item("end", n), item("stride", 1)}
	r.begin, r.end = geometry.Places(r.begin, r.end, r.stride, n)
	return r
}

// wherePrecision is the greater of what may be chosen. The deployed runtime takes the condition's, and values may not fit.
var wherePrecision = Precision{"the greater of x and y; that of the condition in compat mode", func(c *Call, _ int) int {
	if c.Compat {
		return c.In[0].Precision
	}
	return max(c.In[1].Precision, c.In[2].Precision)
}}

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
	if n, ok := product(out); inferred >= 0 && !ok {
		refuse("shape", fmt.Sprintf("at most %d elements", data.Len()), "the shape would be at least %v", out)
	} else if inferred >= 0 && inferred < len(out) {
		// The original puts the extent that is left at the place that -1 has in the attribute, even if items before it stand for more or fewer
		// extents than one. The number of elements is then right only if that makes no difference, or the extent at that place was 1.
		out[inferred] = data.Len() / n
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
