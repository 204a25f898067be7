package operators

import (
	"slices"

	"github.com/concord-nn/concord/tensor"
)

// Operators on two tensors whose shapes are aligned on the right.
var broadcastOperators = []*Operator{
	broadcast("broadcast_add", "The sum", oneMore, maxPrecisionAndOne, "__add_symbol__", "add"),
	broadcast("broadcast_sub", "The difference", oneMore, maxPrecisionAndOne, "__sub_symbol__", "subtract"),
	broadcast("broadcast_mul", "The product", "the sum of the inputs'", func(c *Call) int { return c.In[0].Precision + c.In[1].Precision },
		"__mul_symbol__", "multiply"),
	broadcast("broadcast_div", "The quotient, truncated, and 0 for a divisor of 0", firstOf, firstPrecision, "__div_symbol__"),
	broadcast("broadcast_max", "The greater", greatest, maxPrecision, "__max_symbol__"),
	fills(broadcast("broadcast_greater", "1 where the first is greater, else 0; not in the formalisation", firstOf, firstPrecision,
		"__greater_symbol__")),
}

func broadcast(name, doc, precision string, infer func(*Call) int, aliases ...string) *Operator {
	return &Operator{
		Name:       name,
		Aliases:    aliases,
		Doc:        doc + " (Broadcast Operators).",
		Operands:   []string{"lhs", "rhs"},
		Outputs:    1,
		Inputs:     inputs(2),
		Shapes:     broadcastShape,
		Precision:  precision,
		Precisions: one(infer),
	}
}

// fills marks an operator whose one output may have numbers of its own.
func fills(o *Operator) *Operator {
	o.Fillers = []int{0}
	return o
}

func broadcastShape(c *Call) ([]tensor.Shape, error) {
	n := max(c.In[0].Shape.Rank(), c.In[1].Shape.Rank())
	out, rhs := leadingOnes(c.In[0].Shape, n), leadingOnes(c.In[1].Shape, n)
	for i, r := range rhs {
		switch {
		case out[i] == 1:
			out[i] = r
		case r != 1 && r != out[i]:
			return nil, refuse(c.operand(1), "extents that are equal or 1, from the right",
				"the shapes %v and %v do not broadcast", c.In[0].Shape, c.In[1].Shape)
		}
	}
	return []tensor.Shape{out}, nil
}

// leadingOnes returns a copy of s with ones in front to n dimensions, if it has fewer.
func leadingOnes(s tensor.Shape, n int) tensor.Shape {
	return append(slices.Repeat(tensor.Shape{1}, max(n-len(s), 0)), s...)
}

// Aligned returns the shape of operand i with ones added to the rank of the output: leading ones for the broadcast operators, as these
// align shapes on the right, and trailing ones for those with AlignLeft.
func (c *Call) Aligned(i int) tensor.Shape {
	s, n := c.In[i].Shape, c.Out[0].Rank()
	if c.Operator.AlignLeft {
		return append(s.Clone(), slices.Repeat(tensor.Shape{1}, n-len(s))...)
	}
	return leadingOnes(s, n)
}
