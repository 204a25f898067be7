package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

var cumulativeSum = &Def{
	Name: "cumulative_sum",
	Doc: "Cumulative_sum returns the running sum along an axis, yₖ = x₀ + … + xₖ, or without xₖ if exclusive (WebNN, cumulativeSum). " +
		"The elements are added one after the other, from +0 on; reversed begins at the end of the axis. Integers wrap.",
	Spec: Spec{WebNN: "cumulativeSum"},
	In:   []Operand{{Name: "input", Types: Numbers, Rank: AtLeast(1), Doc: "elements to add"}},
	Out:  []Result{{Name: "output", Like: "input", Doc: "sums, in the shape of input"}},
	Attrs: []Attr{
		{Name: "axis", Kind: graph.KindInt, Doc: "axis along which the sum runs"},
		{Name: "exclusive", Kind: graph.KindBool, Default: false, Doc: "whether a sum leaves out the element at its own index"},
		{Name: "reversed", Kind: graph.KindBool, Default: false, Doc: "whether the sum runs from the last element to the first"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		if _, err := s.axis("axis", s.In[0].Shape); err != nil {
			return nil, err
		}
		return sameShape(s)
	},
	Ref: Reference{
		Kernels: merge(floatKernel(cumulative(canonical)),
			integerKernels(cumulative(itself[int8]), cumulative(itself[int16]), cumulative(itself[int32]), cumulative(itself[int64]),
				cumulative(itself[uint8]), cumulative(itself[uint16]), cumulative(itself[uint32]), cumulative(itself[uint64]))),
		Pieces: perLine,
	},
	Work: addWork,
	Generate: func(r *Rand) Case {
		shape, d := r.Shape(1, 4), r.DType(Numbers)
		x := r.Tensor(d, shape)
		if d.IsFloat() && r.IntN(6) == 0 {
			x = r.Extremes(d, shape)
		}
		return Case{In: []*tensor.Tensor{x}, Attrs: graph.Attrs{
			{Name: "axis", Value: r.IntN(len(shape))},
			{Name: "exclusive", Value: r.Bool()},
			{Name: "reversed", Value: r.Bool()},
		}}
	},
}

func itself[T any](v T) T { return v }

// perLine makes each line of operand 0 along the attribute axis a piece.
func perLine(s *Sig, _ []Type) int {
	n := 1
	for d, extent := range s.In[0].Shape {
		if d != s.Int("axis") {
			n *= extent
		}
	}
	return n
}

// cumulative makes the kernel; result is applied to each sum before it is stored.
func cumulative[T tensor.Number](result func(T) T) Kernel {
	return func(c *Call, lo, hi int) {
		x, y, shape, axis := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), c.In[0].Shape(), c.Int("axis")
		exclusive, reversed := c.Bool("exclusive"), c.Bool("reversed")
		n, inner := shape[axis], shape[axis+1:].Len()
		if n == 0 || inner == 0 {
			return
		}
		for line := lo; line < hi; line++ {
			at, step := line/inner*n*inner+line%inner, inner
			if reversed {
				at, step = at+(n-1)*inner, -inner
			}
			var sum T
			for range n {
				v := x[at]
				if exclusive {
					y[at] = result(sum)
				}
				sum += v
				if !exclusive {
					y[at] = result(sum)
				}
				at += step
			}
		}
	}
}
