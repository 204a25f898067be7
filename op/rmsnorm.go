package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

var rmsNormalization = &Def{
	Name: "rms_normalization",
	Doc: "Rms_normalization returns x / √(mean(x²) + epsilon) · scale, the mean taken over the axes (ONNX, RMSNormalization). " +
		"It is computed as x · k with k = (1/√(mean + epsilon)) · scale, each operation rounded, the reciprocal root as by rsqrt. " +
		"The squares are summed as by sum_square_reduce, and their sum is divided by their number. " +
		"Where that overflows, the group is computed again of elements times 2^-80 (float64: 2^-600). An absent scale is 1.",
	In: []Operand{
		{Name: "input", Types: Floats, Rank: AnyRank, Doc: "elements x"},
		{Name: "scale", Types: Floats, Like: "input", Rank: AnyRank, Optional: true, Doc: "factors, with the extents of the axes in the order in which they are listed; 1 if absent"},
	},
	Out:   []Result{{Name: "output", Like: "input", Doc: "normalized elements"}},
	Attrs: []Attr{axesAttr, {Name: "epsilon", Kind: graph.KindFloat, Default: 1e-5, Doc: "small number that is added to the mean"}},
	Shape: layerShape,
	Ref:   Reference{Kernels: floatKernels(rmsNormalize[float32], rmsNormalize[float64]), Pieces: perGroup},
	Body: "order = [for d in range_of(shape_of(input)) if d in axes yield ([for i in range_of(axes) if axes[i] == d yield i])[0]];\n" +
		"shape = [for d in range_of(shape_of(input)) yield shape_of(input)[d] if d in axes else 1];\n" +
		"output = input * rsqrt(mean_reduce(sqr(input), axes = axes) + epsilon) * reshape(transpose(scale, axes = order), shape = shape);",
	BodyTol: 1e-4,
	Work: func(s *Sig, _ []tensor.Shape) Work {
		n := int64(s.In[0].Shape.Len())
		return Work{MACs: n, Ops: 2 * n}
	},
	Lane:     firstLane(besideAxes),
	Generate: func(r *Rand) Case { return r.layer(1) },
}

func rmsNormalize[T fmath.Float](c *Call, lo, hi int) {
	x, y, axes := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), c.Ints("axes")
	epsilon, scales := T(c.Float("epsilon")), optional[T](c, 1)
	var r reduction
	r.start(c.In[0].Shape(), axes, lo)
	if scales != nil {
		r.parameters(c.In[1].Shape(), axes)
	}
	for range hi - lo {
		x, square := x, fold(&r, x, 0, floatAddSquare[T], floatAdd[T])/T(r.count)
		inv := rsqrtOf(square, epsilon)
		if !finite(square) {
			shrink(&r, y, x)
			x = y
			inv = rsqrtOf(fold(&r, x, 0, floatAddSquare[T], floatAdd[T])/T(r.count), tinyEpsilon(epsilon))
		}
		r.each(func(p, q int) {
			k := inv
			if scales != nil {
				k *= scales[q]
			}
			y[p] = canonical(x[p] * k)
		})
		r.groups.next()
	}
}
