package operators

import (
	"math/bits"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Reductions over axes.
var reduceOperators = []*Operator{
	{Name: "sum", Shape: reduceShape, Gas: Gas{"the number of elements in each sum", summed}, Lower: one(func(a *Application) *graph.Value {
		// It adds in the type of the result, which holds the sum.
		return a.reduce("sum_reduce", a.Cast(a.Args[0], widest(a.Want[0], a.Args[0].Type.DType)))
	}),
		Precision: Precision{"that of the input + the bits of the number of elements in each sum",
			func(c *Call, _ int) int { return c.In[0].Precision + bits.Len64(uint64(summed(c))) }}},
	{Name: "max", Shape: reduceShape, Precision: same, Lower: one(func(a *Application) *graph.Value {
		// It takes the true maximum over all elements, too.
		return a.reduce("max_reduce", a.Args[0])
	})},
}

// summed returns how many elements each element of the output is made of.
func summed(c *Call) int64 { return int64(c.In[0].Shape.Len() / c.Out[0].Len()) }

// reduced returns the axes that sum and max reduce, ascending; none for the identity.
func reduced(c *Call) []int {
	n := c.In[0].Shape.Rank()
	axes := distinct("axis", c.axes("axis", n))
	exclude := len(axes) == 0 || c.Attrs.Bool("exclude")
	out := emit.Counting(0, n)
	return slices.DeleteFunc(out, func(i int) bool { return slices.Contains(axes, i) == exclude })
}

func reduceShape(c *Call) []tensor.Shape {
	axes, out := reduced(c), tensor.Shape{}
	for i, d := range c.In[0].Shape {
		switch {
		case !slices.Contains(axes, i):
			out = append(out, d)
		case c.Attrs.Bool("keepdims"):
			out = append(out, 1)
		}
	}
	return []tensor.Shape{orOne(out)}
}

// orOne returns the shape (1) in the place of that without dimensions.
func orOne(s tensor.Shape) tensor.Shape {
	if len(s) == 0 {
		return tensor.Shape{1}
	}
	return s
}

func (a *Application) reduce(operator string, x *graph.Value) *graph.Value {
	axes := reduced(a.Call)
	if len(axes) == 0 {
		return x
	}
	y := a.Node(operator, emit.Attr("axes", axes), x)
	if a.Attrs.Bool("keepdims") {
		return y
	}
	return a.Reshape(y, a.Out[0]...)
}
