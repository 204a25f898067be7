package operators

import (
	"math/bits"
	"slices"

	"github.com/concord-nn/concord/tensor"
)

// Reductions over axes.
var reduceOperators = []*Operator{sumOperator, maxOperator}

var sumOperator = &Operator{
	Name:       "sum",
	Doc:        "The sum over axes (Reduce Operators).",
	Operands:   []string{"data"},
	Attrs:      reduceAttrs,
	Outputs:    1,
	Inputs:     inputs(1),
	Shapes:     reduceShape,
	Precision:  "that of the input + the bits of the number of elements in each sum",
	Precisions: one(func(c *Call) int { return c.In[0].Precision + bits.Len64(uint64(summed(c))) }),
	Gas:        "the number of elements in each sum",
	Base:       summed,
}

var maxOperator = &Operator{
	Name:       "max",
	Doc:        "The maximum over axes (Reduce Operators).",
	Operands:   []string{"data"},
	Attrs:      reduceAttrs,
	Outputs:    1,
	Inputs:     inputs(1),
	Shapes:     reduceShape,
	Precision:  same,
	Precisions: one(firstPrecision),
}

var reduceAttrs = []Attr{
	{Name: "axis", Kind: Tuple, Default: []int{}, Doc: "the axes, from the end if negative; empty for all"},
	{Name: "keepdims", Kind: Bool, Default: false, Doc: "whether reduced axes stay, with an extent of 1"},
	{Name: "exclude", Kind: Bool, Default: false, Doc: "whether axis lists those that are not reduced, unless it is empty"},
	{Name: "dtype", Kind: Enum, Enum: dtypes, Default: "int32", Doc: "has no effect"},
}

// summed returns how many elements each element of the output is made of.
func summed(c *Call) int64 { return int64(c.In[0].Shape.Len() / c.Out[0].Len()) }

func reduceAxes(c *Call) ([]int, error) {
	n := c.In[0].Shape.Rank()
	axes, err := axesOf("axis", c.Attrs.Tuple("axis"), n)
	if err != nil {
		return nil, err
	}
	if err := distinct("axis", axes); err != nil {
		return nil, err
	}
	exclude := len(axes) == 0 || c.Attrs.Bool("exclude")
	reduced := []int{}
	for i := range n {
		if slices.Contains(axes, i) != exclude {
			reduced = append(reduced, i)
		}
	}
	return reduced, nil
}

func reduceShape(c *Call) ([]tensor.Shape, error) {
	axes, err := reduceAxes(c)
	if err != nil {
		return nil, err
	}
	out := tensor.Shape{}
	for i, d := range c.In[0].Shape {
		switch {
		case !slices.Contains(axes, i):
			out = append(out, d)
		case c.Attrs.Bool("keepdims"):
			out = append(out, 1)
		}
	}
	return []tensor.Shape{orOne(out)}, nil
}

// orOne returns the shape (1) in the place of that without dimensions.
func orOne(s tensor.Shape) tensor.Shape {
	if len(s) == 0 {
		return tensor.Shape{1}
	}
	return s
}

// ReduceAxes returns the axes that sum and max reduce, ascending; none for the identity. If keep is set they stay as extents of 1,
// else they are dropped, and if all are, the result has the shape (1).
func (c *Call) ReduceAxes() (axes []int, keep bool) {
	axes, _ = reduceAxes(c)
	return axes, c.Attrs.Bool("keepdims")
}
