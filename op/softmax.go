package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

var softmaxDef = &Def{
	Name: "softmax",
	Doc: "Softmax turns the elements along the axes into positive weights that sum to one, y = e^(x-m) / ∑e^(x-m) with m the greatest (NNEF, softmax; WebNN, softmax). " +
		"The exponentials are added in 16 lanes as by sum_reduce, and each is divided by the sum. " +
		"If m is infinite or NaN, so is every weight of its group NaN.",
	Spec:     Spec{NNEF: "softmax", WebNN: "softmax", OpenVX: "vxSoftmaxLayer"},
	In:       []Operand{{Name: "x", Types: Floats, Rank: AnyRank, Doc: "elements"}},
	Out:      []Result{{Name: "y", Like: "x", Doc: "weights"}},
	Attrs:    []Attr{{Name: "axes", Kind: graph.KindInts, Default: []int{1}, Doc: "axes that share one sum, distinct and in any order"}},
	Shape:    axesShape,
	Ref:      Reference{Kernels: floatKernels(softmaxKernel[float32], softmaxKernel[float64]), Pieces: perGroup},
	Traits:   Weights | Fractions,
	Body:     "m = max_reduce(x, axes = axes);\ne = exp(x - m);\ny = e / sum_reduce(e, axes = axes);",
	Work:     func(s *Sig, _ []tensor.Shape) Work { return Work{Ops: 5 * int64(s.In[0].Shape.Len())} },
	Lane:     firstLane(besideAxes),
	Generate: func(r *Rand) Case { return reduceCase(r, Floats) },
}

// axesShape is the shape rule of operators that look at axes and keep the shape.
func axesShape(s *Sig) ([]tensor.Shape, error) {
	if _, err := s.axes(s.In[0].Shape); err != nil {
		return nil, err
	}
	return sameShape(s)
}

// softmaxKernel makes each group a piece.
func softmaxKernel[T fmath.Float](c *Call, lo, hi int) {
	x, y := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0])
	var r reduction
	r.start(c.In[0].Shape(), c.Ints("axes"), lo)
	for range hi - lo {
		m := fold(&r, x, T(math.Inf(-1)), floatMax, floatMax)
		r.each(func(p, _ int) { y[p] = fmath.Exp(x[p] - m) })
		sum := fold(&r, y, 0, floatAdd, floatAdd)
		r.each(func(p, _ int) { y[p] = canonical(y[p] / sum) })
		r.groups.next()
	}
}
