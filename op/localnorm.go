package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

var localResponseNormalization = &Def{
	Name: "local_response_normalization",
	Doc: "Local_response_normalization returns x / (bias + alpha · mean(x²))^beta, the mean taken over a window around the element (NNEF; OpenVX). " +
		"The window reaches (size-1)/2 elements back, rounded down, and the rest of size-1 forward; outside the tensor there are zeros, which count in the mean. " +
		"The squares are added one after the other in row-major order, from +0 on, and their sum is divided by the size of the window; each operation is rounded. Squares that overflow give 0.",
	Spec: Spec{NNEF: "local_response_normalization", OpenVX: "vxLocalResponseNormalizationLayer"},
	In:   []Operand{{Name: "input", Types: Floats, Rank: AtLeast(1), Doc: "elements x"}},
	Out:  []Result{{Name: "output", Like: "input", Doc: "normalized elements"}},
	Attrs: []Attr{
		{Name: "size", Kind: graph.KindInts, Range: [2]float64{1, limits.OpWindow}, Doc: "extent of the window in each dimension"},
		{Name: "alpha", Kind: graph.KindFloat, Default: 1.0, Doc: "factor of the mean"},
		{Name: "beta", Kind: graph.KindFloat, Default: 0.5, Doc: "exponent"},
		{Name: "bias", Kind: graph.KindFloat, Default: 1.0, Doc: "number to which the mean is added"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		size, volume := s.Ints("size"), 1
		if len(size) != len(s.In[0].Shape) {
			return nil, s.Errorf("size", "the number of items of %v is %d; it must be %d, one for each dimension of %v", size, len(size), len(s.In[0].Shape), s.In[0].Shape)
		}
		for _, n := range size {
			if n > limits.OpWindow/volume {
				return nil, s.Errorf("size", "the window %v has more than %d elements", size, limits.OpWindow)
			}
			volume *= n
		}
		return sameShape(s)
	},
	Ref: Reference{Kernels: floatKernels(localResponse[float32], localResponse[float64]), PerElement: true},
	Body: "sigma = bias + alpha * box(sqr(input), size = size, border = 'constant', normalize = true,\n" +
		"    padding = [for n in size yield ((n - 1) / 2, n - 1 - (n - 1) / 2)]);\n" +
		"output = input / (sigma ^ beta);",
	BodyTol: 1e-5,
	Work: func(s *Sig, _ []tensor.Shape) Work {
		n := int64(s.In[0].Shape.Len())
		return Work{MACs: times(s.In[0].Shape.Len(), tensor.Shape(s.Ints("size")).Len()), Ops: 4 * n}
	},
	Lane: firstLane(func(s *Sig, axis int) bool { return s.Ints("size")[axis] == 1 }),
	Generate: func(r *Rand) Case {
		shape := r.Shape(1, 4)
		size := make([]int, len(shape))
		for d := range size {
			size[d] = Pick(r, []int{1, 1, 2, 3, 5})
		}
		return Case{In: []*tensor.Tensor{r.Tensor(r.DType(Floats), shape)}, Attrs: graph.Attrs{
			{Name: "size", Value: size},
			{Name: "alpha", Value: Pick(r, []float64{1, 0.0001, 0.5})},
			{Name: "beta", Value: Pick(r, []float64{0.5, 0.75, 1})},
			{Name: "bias", Value: Pick(r, []float64{1, 2})},
		}}
	},
}

// localResponse makes each element a piece. Zeros outside the tensor are skipped, which leaves the sum as it is.
func localResponse[T fmath.Float](c *Call, lo, hi int) {
	x, y, shape, size := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), c.In[0].Shape(), c.Ints("size")
	alpha, beta, bias := T(c.Float("alpha")), T(c.Float("beta")), T(c.Float("bias"))
	volume := T(tensor.Shape(size).Len())
	at, window := newCursor(shape), newCursor(shape)
	window.operands(shape)
	at.seek(lo)
	watch := c.Watch()
	for i := lo; i < hi; i++ {
		first, count, stride := 0, 1, 1
		for d := len(shape) - 1; d >= 0; d-- {
			before := (size[d] - 1) / 2
			begin, end := max(0, at.index[d]-before), min(shape[d], at.index[d]-before+size[d])
			window.extent[d] = end - begin
			count *= end - begin
			first += begin * stride
			stride *= shape[d]
		}
		if watch.Stops(count) {
			return
		}
		sum := T(0)
		for range count {
			v := x[first+window.pos[0]]
			sum += T(v * v)
			window.next()
		}
		sigma := bias + T(alpha*(sum/volume))
		y[i] = canonical(x[i] / fmath.Pow(sigma, beta))
		at.next()
	}
}
