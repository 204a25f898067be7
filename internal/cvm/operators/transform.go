package operators

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// Operators that move elements.
var transformOperators = []*Operator{
	transform("repeat", "Each element, several times in a row (Transform Operators, repeat).", repeatShape,
		Attr{Name: "repeats", Kind: Int, Doc: "how often, from 1"},
		Attr{Name: "axis", Kind: Int, Default: 0, Doc: "the axis, from the end if negative"}),
	transform("tile", "The whole tensor, several times along each axis (Transform Operators, tile).", tileShape,
		Attr{Name: "reps", Kind: Tuple, Default: []int{0},
			Doc: "how often along each axis, 1…4096, aligned on the right; the default is not legal"}),
	inPlace(transform("flatten", "The tensor as a matrix with its first axis (Transform Operators, flatten).", flattenShape)),
	concatenateOperator,
	transform("transpose", "The axes in another order (Transform Operators, transpose).", transposeShape,
		Attr{Name: "axes", Kind: Tuple, Default: []int{},
			Doc: "for each axis of the output that of the data, from the end if negative; empty for the reverse order"}),
	transform("strided_slice", "Elements at equal distances (Transform Operators, slice).", sliceShape,
		Attr{Name: "begin", Kind: Tuple, Default: []int{0},
			Doc: "the first index by axis, from the end if negative; 0 where it is missing"},
		Attr{Name: "end", Kind: Tuple, Default: []int{1},
			Doc: "the index before which to stop, from the end if negative; the extent where it is missing"},
		Attr{Name: "stride", Kind: Tuple, Default: []int{}, Doc: "the distance, not 0; 1 where it is missing"}),
	sliceLikeOperator,
	takeOperator,
	lutOperator,
	newAxes(transform("expand_dims", "New axes with an extent of 1 (Transform Operators, expand_dims).", expandDimsShape,
		Attr{Name: "axis", Kind: Int, Doc: "before which axis they stand, from behind the last if negative"},
		Attr{Name: "num_newaxis", Kind: Int, Min: 1, Max: math.MaxInt32, Default: 1, Doc: "how many"})),
	inPlace(transform("reshape", "The elements in another shape (Transform Operators, reshape).", reshapeShape,
		Attr{Name: "shape", Kind: Tuple, Doc: "the shape; 0 copies an extent, -1 is what is left, -2 copies the rest, -3 merges two extents, " +
			"-4 splits one into the next two items, of which one may be -1; other negatives are skipped"})),
	inPlace(transform("squeeze", "Without axes whose extent is 1 (Transform Operators, squeeze).", squeezeShape,
		Attr{Name: "axis", Kind: Tuple, Default: []int{}, Doc: "the axes, from the end if negative; empty for all whose extent is 1"})),
	whereOperator,
}

// transform is an operator on one tensor that keeps its precision.
func transform(name, doc string, shape func(*Call) ([]tensor.Shape, error), attrs ...Attr) *Operator {
	return &Operator{
		Name:       name,
		Doc:        doc,
		Operands:   []string{"data"},
		Attrs:      attrs,
		Outputs:    1,
		Inputs:     inputs(1),
		Shapes:     shape,
		Precision:  same,
		Precisions: one(firstPrecision),
	}
}

// newAxes marks an operator that adds axes, which it can do in place.
func newAxes(o *Operator) *Operator {
	o.NewAxes = true
	return inPlace(o)
}

var concatenateOperator = &Operator{
	Name:     "concatenate",
	Doc:      "The tensors one behind the other along an axis (Transform Operators, concatenate).",
	Operands: []string{"data"},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Default: 1, Doc: "the axis, from the end if negative"},
	},
	Outputs:    1,
	Inputs:     inputs(-1),
	Shapes:     concatenateShape,
	Precision:  greatest,
	Precisions: one(maxPrecision),
}

var sliceLikeOperator = &Operator{
	Name:     "slice_like",
	Doc:      "The front part of a tensor that has the shape of another (Transform Operators, slice_like).",
	Operands: []string{"data", "shape_like"},
	Attrs: []Attr{
		{Name: "axis", Kind: Tuple, Min: math.MinInt32, Max: math.MaxInt32, Default: []int{},
			Doc: "the axes to cut, from the end of data if negative; empty for all"},
	},
	Outputs:    1,
	Inputs:     inputs(2),
	Shapes:     sliceLikeShape,
	Precision:  firstOf,
	Precisions: one(firstPrecision),
}

var takeOperator = &Operator{
	Name:     "take",
	Doc:      "Elements or slices by index, where indices are clamped to the legal ones (Transform Operators, take).",
	Operands: []string{"data", "indices"},
	Attrs: []Attr{
		{Name: "axis", Kind: OptionalInt, Default: none, Doc: "the axis, from the end if negative; None for the flattened data"},
	},
	Outputs:    1,
	Inputs:     inputs(2),
	Shapes:     takeShape,
	Precision:  firstOf,
	Precisions: one(firstPrecision),
}

var lutOperator = &Operator{
	Name: "cvm_lut",
	Doc: "Elements of a table by index, where indices are clamped to the legal ones " +
		"(Transform Operators, cvm_lut, which lists the table first).",
	Operands: []string{"indices", "table"},
	Attrs: []Attr{
		{Name: "in_dim", Kind: Int, Doc: "the number of elements of the table"},
	},
	Outputs:    1,
	Inputs:     inputs(2),
	Shapes:     lutShape,
	Precision:  secondOf,
	Precisions: one(secondPrecision),
}

var whereOperator = &Operator{
	Name:       "where",
	Doc:        "The element of x where the condition is not 0, else that of y; a 1-D condition selects rows (Transform Operators, where).",
	Operands:   []string{"condition", "x", "y"},
	Outputs:    1,
	AlignLeft:  true, // a 1-D condition has an element for each row
	Inputs:     inputs(3),
	Shapes:     whereShape,
	Precision:  "the greater of x and y; that of the condition in compat mode",
	Precisions: one(wherePrecision),
}

// none is the value None.
var none *int

func repeatShape(c *Call) ([]tensor.Shape, error) {
	repeats := c.Attrs.Int("repeats")
	if err := within(fault.Shape, "repeats", repeats, 1, math.MaxInt32); err != nil {
		return nil, err
	}
	axis, err := axisOf("axis", c.Attrs.Int("axis"), c.In[0].Shape.Rank())
	if err != nil {
		return nil, err
	}
	out := c.In[0].Shape.Clone()
	out[axis] = times(out[axis], repeats)
	return []tensor.Shape{out}, nil
}

func tileShape(c *Call) ([]tensor.Shape, error) {
	reps := c.Attrs.Tuple("reps")
	if len(reps) == 0 {
		return nil, refuse("reps", "one or more items", "the tuple is empty")
	}
	if err := items("reps", reps, 1, MaxAttr); err != nil {
		return nil, err
	}
	out := leadingOnes(c.In[0].Shape, len(reps))
	for i := range reps {
		d := len(out) - 1 - i
		out[d] = times(out[d], reps[len(reps)-1-i])
	}
	return []tensor.Shape{out}, nil
}

// Tiling returns the shape of tile's data and the repetitions, both with leading ones to the rank of the output.
func (c *Call) Tiling() (shape tensor.Shape, reps []int) {
	n := c.Out[0].Rank()
	return leadingOnes(c.In[0].Shape, n), leadingOnes(c.Attrs.Tuple("reps"), n)
}

func concatenateShape(c *Call) ([]tensor.Shape, error) {
	if len(c.In) == 0 {
		return nil, refuse("data", "one or more", "there are no inputs")
	}
	out := c.In[0].Shape.Clone()
	axis, err := axisOf("axis", c.Attrs.Int("axis"), out.Rank())
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(c.In); i++ {
		s := c.In[i].Shape
		if err := c.rank(i, out.Rank()); err != nil {
			return nil, err
		}
		for d := range out {
			if d != axis && s[d] != out[d] {
				return nil, refuse(c.operand(i), strconv.Itoa(out[d]), "dimension %d is %d", d, s[d])
			}
		}
		out[axis] = nearest(int64(out[axis]) + int64(s[axis]))
	}
	return []tensor.Shape{out}, nil
}

func permutation(c *Call) ([]int, error) {
	axes, n := c.Attrs.Tuple("axes"), c.In[0].Shape.Rank()
	if len(axes) == 0 {
		reversed := make([]int, n)
		for i := range reversed {
			reversed[i] = n - 1 - i
		}
		return reversed, nil
	}
	if len(axes) != n {
		return nil, refuse("axes", fmt.Sprintf("0 or %d", n), "the number of items is %d", len(axes))
	}
	axes, err := axesOf("axes", axes, n)
	if err != nil {
		return nil, err
	}
	return axes, distinct("axes", axes)
}

func transposeShape(c *Call) ([]tensor.Shape, error) {
	axes, err := permutation(c)
	if err != nil {
		return nil, err
	}
	out := make(tensor.Shape, len(axes))
	for i, a := range axes {
		out[i] = c.In[0].Shape[a]
	}
	return []tensor.Shape{out}, nil
}

// Permutation returns for each axis of transpose's output the axis of its data.
func (c *Call) Permutation() []int {
	axes, _ := permutation(c)
	return axes
}

func takeShape(c *Call) ([]tensor.Shape, error) {
	data, indices := c.In[0].Shape, c.In[1].Shape
	given, ok := c.Attrs.OptionalInt("axis")
	if !ok {
		return []tensor.Shape{indices}, nil
	}
	axis, err := axisOf("axis", given, data.Rank())
	if err != nil {
		return nil, err
	}
	return []tensor.Shape{slices.Concat(data[:axis], indices, data[axis+1:])}, nil
}

func lutShape(c *Call) ([]tensor.Shape, error) {
	if n, want := c.Attrs.Int("in_dim"), c.In[1].Shape.Len(); n != want {
		return nil, refuse("in_dim", fmt.Sprintf("%d, the elements of the table", want), "the value is %d", n)
	}
	return sameShape(c)
}

// Axis returns the attribute axis of concatenate, repeat, take and expand_dims, counted from the front: with NewAxes that before which
// the new ones stand. It returns false for a take from the flattened data.
func (c *Call) Axis() (axis int, ok bool) {
	n := c.In[0].Shape.Rank()
	switch v := c.Attrs["axis"].(type) {
	case *int:
		if v == nil {
			return 0, false
		}
		axis = *v
	case int:
		axis = v
	}
	if c.Operator.NewAxes {
		n++
	}
	axis, err := axisOf("axis", axis, n)
	return axis, err == nil
}

func whereShape(c *Call) ([]tensor.Shape, error) {
	condition, x, y := c.In[0].Shape, c.In[1].Shape, c.In[2].Shape
	if !x.Equal(y) {
		return nil, refuse(c.operand(2), x.String(), "the shape is %v", y)
	}
	if rows := x[:1]; !condition.Equal(x) && !condition.Equal(rows) {
		return nil, refuse(c.operand(0), fmt.Sprintf("%v or %v", x, rows), "the shape is %v", condition)
	}
	return []tensor.Shape{x}, nil
}

// wherePrecision is the greater of what may be chosen. The deployed runtime takes the condition's, and values may not fit.
func wherePrecision(c *Call) int {
	if c.Compat {
		return c.In[0].Precision
	}
	return max(c.In[1].Precision, c.In[2].Precision)
}
