package operators

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// Operators element by element.
var elemwiseOperators = []*Operator{
	inPlace(unary("abs", "The absolute value (Elemwise Operators, abs).", same, firstPrecision)),
	inPlace(unary("cvm_precision", "The number of bits of the absolute value, and 1 for 0 (Elemwise Operators, cvm_precision).", "6",
		func(*Call) int { return 6 })),
	binary("elemwise_add", "The sum of tensors of one shape (Elemwise Operators, elemwise_add)."),
	binary("elemwise_sub", "The difference of tensors of one shape (Elemwise Operators, elemwise_sub)."),
	// Not in place: the original means to allow it, but misspells the name.
	unary("negative", "The negation (Elemwise Operators, negative).", same, firstPrecision),
	clipOperator,
	cvmClipOperator,
	rightShiftOperator,
	leftShiftOperator,
}

// unary is an operator on one tensor without attributes.
func unary(name, doc, precision string, infer func(*Call) int, aliases ...string) *Operator {
	return &Operator{
		Name:       name,
		Aliases:    aliases,
		Doc:        doc,
		Operands:   []string{"data"},
		Outputs:    1,
		Inputs:     inputs(1),
		Shapes:     sameShape,
		Precision:  precision,
		Precisions: one(infer),
	}
}

func binary(name, doc string) *Operator {
	return &Operator{
		Name:       name,
		Doc:        doc,
		Operands:   []string{"lhs", "rhs"},
		Outputs:    1,
		InPlace:    true,
		Inputs:     inputs(2),
		Shapes:     equalShapes,
		Precision:  oneMore,
		Precisions: one(maxPrecisionAndOne),
	}
}

var clipOperator = &Operator{
	Name:     "clip",
	Doc:      "The element, but at least a_min and at most a_max (Elemwise Operators, clip).",
	Operands: []string{"data"},
	Attrs: []Attr{
		{Name: "a_min", Kind: Int, Doc: "the lower bound, at least -(2^31-2)"},
		{Name: "a_max", Kind: Int, Doc: "the upper bound, greater than a_min and at most 2^31-2"},
	},
	Outputs:   1,
	InPlace:   true,
	Inputs:    inputs(1),
	Shapes:    sameShape,
	Precision: "the bits of (the greater absolute bound + 1), + 1",
	Precisions: func(c *Call) ([]int, error) {
		low, high := c.Attrs.Int("a_min"), c.Attrs.Int("a_max")
		if err := within(fault.Precision, "a_max", high, -math.MaxInt32, math.MaxInt32); err != nil {
			return nil, err
		}
		if err := within(fault.Precision, "a_min", low, -math.MaxInt32, math.MaxInt32); err != nil {
			return nil, err
		}
		if low >= high {
			return nil, refuseAt(fault.Precision, "a_min", fmt.Sprintf("less than a_max, %d", high), "the value is %d", low)
		}
		return []int{numberPrecision(max(low, -low, high, -high))}, nil
	},
}

// numberPrecision returns the precision that the original gives to numbers whose absolute value is at most n. It is one more than
// needed if n + 1 is a power of two.
func numberPrecision(n int) int { return bits.Len(uint(n)+1) + 1 }

var (
	precisionAttr = Attr{Name: "precision", Kind: Int, Doc: "the precision of the output, 1…32"}
	signAttr      = Attr{Name: "is_sign", Kind: Bool, Default: true, Doc: "has no effect"}
	shiftAttr     = Attr{Name: "shift_bit", Kind: Int, Doc: "by how many bits, 1…32"}
)

var cvmClipOperator = &Operator{
	Name:      "cvm_clip",
	Doc:       "The element, clipped to the range of a precision (Elemwise Operators, cvm_clip).",
	Operands:  []string{"data"},
	Attrs:     []Attr{precisionAttr, signAttr},
	Outputs:   1,
	InPlace:   true,
	Clips:     true,
	Inputs:    inputs(1),
	Shapes:    sameShape,
	Precision: givenPrecision,
	Precisions: func(c *Call) ([]int, error) {
		p := c.Attrs.Int("precision")
		return []int{p}, within(fault.Precision, "precision", p, 1, MaxPrecision)
	},
}

var rightShiftOperator = &Operator{
	Name: "cvm_right_shift",
	Doc: "The quotient by a power of two, rounded to nearest, ties up, then clipped to the range of a precision " +
		"(Elemwise Operators, cvm_right_shift).",
	Operands:   []string{"data"},
	Attrs:      []Attr{precisionAttr, shiftAttr, signAttr},
	Outputs:    1,
	InPlace:    true,
	Clips:      true,
	Inputs:     inputs(1),
	Shapes:     sameShape,
	Precision:  givenPrecision,
	Precisions: shiftPrecision,
}

var leftShiftOperator = &Operator{
	Name:      "cvm_left_shift",
	Doc:       "The product with a power of two, clipped to the range of a precision (Elemwise Operators, cvm_left_shift).",
	Operands:  []string{"data"},
	Attrs:     []Attr{precisionAttr, shiftAttr, signAttr},
	Outputs:   1,
	InPlace:   true,
	Clips:     true,
	Inputs:    inputs(1),
	Shapes:    sameShape,
	Precision: givenPrecision + "; that of the input + `shift_bit` must be at most 32",
	Precisions: func(c *Call) ([]int, error) {
		out, err := shiftPrecision(c)
		if err != nil {
			return nil, err
		}
		if p := c.In[0].Precision + c.Attrs.Int("shift_bit"); p > MaxPrecision {
			e := fault.Runtimef(fault.Precision, "the shifted input has the precision %d", p)
			e.Part, e.Want = "shift_bit", fmt.Sprintf("at most %d for an input of precision %d", MaxPrecision-c.In[0].Precision, c.In[0].Precision)
			return nil, e
		}
		return out, nil
	},
}

func shiftPrecision(c *Call) ([]int, error) {
	p := c.Attrs.Int("precision")
	if err := within(fault.Precision, "precision", p, 1, MaxPrecision); err != nil {
		return nil, err
	}
	return []int{p}, within(fault.Precision, "shift_bit", c.Attrs.Int("shift_bit"), 1, 32)
}

func equalShapes(c *Call) ([]tensor.Shape, error) {
	a, b := c.In[0].Shape, c.In[1].Shape
	if !a.Equal(b) {
		return nil, refuse(c.operand(1), a.String(), "the shape is %v", b)
	}
	return []tensor.Shape{a}, nil
}

// Bound returns the greatest value of a precision, 2^(precision-1) - 1; its negation is the smallest. It is 0 of what is
// no precision.
func Bound(precision int) int {
	if precision < 1 || precision > 32 {
		return 0
	}
	return int(int64(1)<<(precision-1) - 1)
}
