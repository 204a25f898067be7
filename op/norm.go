package op

import (
	"cmp"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Normalizations.
var normOps = []*Def{
	softmaxDef,
	batchNormalization,
	instanceNormalization,
	layerNormalization,
	rmsNormalization,
	localResponseNormalization,
}

// normalizationDoc says what the normalizations have in common.
const normalizationDoc = "It is computed as fma(x - mean, k, bias) with k = (1/√(variance + epsilon)) · scale, " +
	"each operation rounded, the reciprocal root as by rsqrt. An absent scale is 1, an absent bias +0."

// momentsDoc says how the normalizations find mean and variance.
const momentsDoc = " The mean is that of mean_reduce. The variance is the mean of (x - mean)², summed in the same 16 lanes with one rounding for each square and sum. " +
	"Where it overflows, the group is computed again of elements times 2^-80 (float64: 2^-600)."

func epsilonAttr(value any) Attr {
	return Attr{Name: "epsilon", Kind: graph.KindFloat, Default: value, Doc: "small number that is added to the variance"}
}

// rsqrtOf returns 1/√(variance + epsilon).
func rsqrtOf[T fmath.Float](variance, epsilon T) T { return fmath.Rsqrt(variance + epsilon) }

// moments returns the mean and the population variance of the current group.
func moments[T fmath.Float](r *reduction, x []T) (mean, variance T) {
	n := T(r.count)
	mean = fold(r, x, 0, floatAdd[T], floatAdd[T]) / n
	variance = fold(r, x, 0, func(acc, v T) T { return floatAddSquare(acc, v-mean) }, floatAdd[T]) / n
	return mean, variance
}

var batchNormalization = &Def{
	Name: "batch_normalization",
	Doc: "Batch_normalization returns (x - mean) / √(variance + epsilon) · scale + offset, with the parameters of each channel (NNEF and WebNN, batch normalization). " +
		normalizationDoc,
	Spec: Spec{NNEF: "batch_normalization", WebNN: "batchNormalization"},
	In: []Operand{
		{Name: "input", Types: Floats, Rank: AtLeast(1), Doc: "elements x"},
		{Name: "mean", Types: Floats, Like: "input", Rank: AnyRank, Doc: "mean of each channel: a number for each, in shape [C] or as extent of the axis among ones; or a single number"},
		{Name: "variance", Types: Floats, Like: "input", Rank: AnyRank, Doc: "variance of each channel, shaped as mean may be"},
		{Name: "offset", Types: Floats, Like: "input", Rank: AnyRank, Optional: true, Doc: "bias of each channel, shaped as mean may be; 0 if absent"},
		{Name: "scale", Types: Floats, Like: "input", Rank: AnyRank, Optional: true, Doc: "factor of each channel, shaped as mean may be; 1 if absent"},
	},
	Out: []Result{{Name: "output", Like: "input", Doc: "normalized elements"}},
	Attrs: []Attr{
		epsilonAttr(nil),
		{Name: "axis", Kind: graph.KindInt, Default: 1, Doc: "axis of the channels"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		axis, err := s.axis("axis", s.In[0].Shape)
		if err != nil {
			return nil, err
		}
		return s.perChannel(axis)
	},
	Ref:    Reference{Kernels: floatKernels(batchNormalize[float32], batchNormalize[float64]), PerElement: true},
	Traits: Elementwise,
	Body: "k = rsqrt(variance + epsilon) * scale;\n" +
		"output = (input - reshape(mean, shape = [for i in range_of(shape_of(input)) yield -1 if i == axis else 1]))\n" +
		"    * reshape(k, shape = [for i in range_of(shape_of(input)) yield -1 if i == axis else 1])\n" +
		"    + reshape(offset, shape = [for i in range_of(shape_of(input)) yield -1 if i == axis else 1]);",
	BodyTol: 1e-4,
	Work:    mulAddWork,
	Lane:    channelLane,
	Generate: func(r *Rand) Case {
		d, shape := r.DType(Floats), r.Shape(1, 4)
		axis := r.IntN(len(shape))
		channel := tensor.Shape{shape[axis]}
		switch r.IntN(4) {
		case 0:
			channel = slices.Repeat(tensor.Shape{1}, len(shape))
			channel[axis] = shape[axis]
		case 1:
			channel = append(slices.Repeat(tensor.Shape{1}, axis), shape[axis])
		}
		in := []*tensor.Tensor{r.Tensor(d, shape), r.Tensor(d, channel), r.Uniform(d, channel, 0.25, 4), r.Tensor(d, channel), r.Tensor(d, channel)}
		if r.IntN(8) == 0 {
			in[0] = r.Extremes(d, shape)
		}
		return Case{In: r.drop(in, 3), Attrs: graph.Attrs{{Name: "epsilon", Value: 1e-5}, {Name: "axis", Value: axis}}}
	},
}

// perChannel is sameShape where all operands but the first have one element, or one for each index of the axis of operand 0.
func (s *Sig) perChannel(axis int) ([]tensor.Shape, error) {
	in, channels := s.In[0].Shape, s.In[0].Shape[axis]
	for i, o := range s.In[1:] { // the shape of an operand that is absent has one element
		one := o.Shape.Len() == 1 && len(o.Shape) <= len(in) || len(o.Shape) == 1 && o.Shape[0] == channels
		if !one && (len(o.Shape) <= axis || len(o.Shape) > len(in) || o.Shape[axis] != channels || o.Shape.Len() != channels) {
			return nil, s.Errorf(s.Def.In[1+i].Name, "shape %v; it must be [%d], or have extent %d in dimension %d and 1 in all others, for input %v",
				o.Shape, channels, channels, axis, in)
		}
	}
	return sameShape(s)
}

// perChannelValue returns the element of optional operand k for channel i, or its only one, or the given value if it is
// absent.
func perChannelValue[T fmath.Float](c *Call, k, i int, absent T) T {
	switch data := optional[T](c, k); len(data) {
	case 0:
		return absent
	case 1:
		return data[0]
	default:
		return data[i]
	}
}

// optional returns the elements of operand k, nil if it is absent.
func optional[T fmath.Float](c *Call, k int) []T {
	if !c.Has(k) {
		return nil
	}
	return tensor.Data[T](c.In[k])
}

// batchNormalize makes each element a piece.
func batchNormalize[T fmath.Float](c *Call, lo, hi int) {
	x, y, shape, axis := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), c.In[0].Shape(), c.Int("axis")
	epsilon := T(c.Float("epsilon"))
	channels, inner := shape[axis], shape[axis+1:].Len()
	for lo < hi {
		channel, end := lo/inner%channels, min(hi, lo-lo%inner+inner)
		mean, offset := perChannelValue[T](c, 1, channel, 0), perChannelValue[T](c, 3, channel, 0)
		k := rsqrtOf(perChannelValue[T](c, 2, channel, 0), epsilon) * perChannelValue[T](c, 4, channel, 1)
		for ; lo < end; lo++ {
			y[lo] = fma(x[lo]-mean, k, offset)
		}
	}
}

var instanceNormalization = &Def{
	Name: "instance_normalization",
	Doc: "Instance_normalization returns (x - mean) / √(variance + epsilon) · scale + bias, with mean and variance of each channel of each item over its spatial axes (WebNN). " +
		normalizationDoc + momentsDoc,
	Spec: Spec{WebNN: "instanceNormalization"},
	In: []Operand{
		{Name: "input", Types: Floats, Rank: AtLeast(2), Doc: "elements x: batch, channels, spatial dimensions"},
		{Name: "scale", Types: Floats, Like: "input", Rank: AnyRank, Optional: true, Doc: "factor of each channel, [C] or [1,C,1…]; 1 if absent"},
		{Name: "bias", Types: Floats, Like: "input", Rank: AnyRank, Optional: true, Doc: "bias of each channel, shaped as scale may be; 0 if absent"},
	},
	Out:   []Result{{Name: "output", Like: "input", Doc: "normalized elements"}},
	Attrs: []Attr{epsilonAttr(1e-5)},
	Shape: func(s *Sig) ([]tensor.Shape, error) { return s.perChannel(1) },
	Ref:   Reference{Kernels: floatKernels(instanceNormalize[float32], instanceNormalize[float64]), Pieces: perChannelOfItem},
	Body: "axes = [for i in range_of(shape_of(input)) if i > 1 yield i];\n" +
		"x = input - mean_reduce(input, axes = axes);\n" +
		"output = x * rsqrt(mean_reduce(sqr(x), axes = axes) + epsilon)\n" +
		"    * reshape(scale, shape = [for i in range_of(shape_of(input)) yield -1 if i == 1 else 1])\n" +
		"    + reshape(bias, shape = [for i in range_of(shape_of(input)) yield -1 if i == 1 else 1]);",
	BodyTol: 1e-4,
	Work:    normalizationWork,
	Lane:    itemLane("input"),
	Generate: func(r *Rand) Case {
		d, shape := r.DType(Floats), r.Shape(2, 4)
		in := []*tensor.Tensor{r.Tensor(d, shape), r.Tensor(d, shape[1:2]), r.Tensor(d, shape[1:2])}
		return Case{In: r.drop(in, 1), Attrs: graph.Attrs{{Name: "epsilon", Value: 1e-5}}}
	},
}

// normalizationWork counts the sum, the sum of squares and the normalization.
func normalizationWork(s *Sig, _ []tensor.Shape) Work {
	n := int64(s.In[0].Shape.Len())
	return Work{MACs: 2 * n, Ops: 3 * n}
}

// drop replaces some of the tensors from number first on by nil.
func (r *Rand) drop(in []*tensor.Tensor, first int) []*tensor.Tensor {
	for i := first; i < len(in); i++ {
		if r.IntN(3) == 0 {
			in[i] = nil
		}
	}
	return in
}

// perChannelOfItem makes each pair of indices of the first two dimensions of operand 0 a piece.
func perChannelOfItem(s *Sig, _ []Type) int { return s.In[0].Shape[:2].Len() }

// spatialAxes holds every axis, to be sliced from the third on.
var spatialAxes = [tensor.MaxRank]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

func instanceNormalize[T fmath.Float](c *Call, lo, hi int) {
	x, y, shape := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), c.In[0].Shape()
	epsilon := T(c.Float("epsilon"))
	var r reduction
	r.start(shape, spatialAxes[2:len(shape)], lo)
	for i := lo; i < hi; i++ {
		mean, inv, x := standardize(&r, x, y, epsilon)
		k := inv * perChannelValue[T](c, 1, i%shape[1], 1)
		bias := perChannelValue[T](c, 2, i%shape[1], 0)
		r.each(func(p, _ int) { y[p] = fma(x[p]-mean, k, bias) })
		r.groups.next()
	}
}

var layerNormalization = &Def{
	Name: "layer_normalization",
	Doc: "Layer_normalization returns (x - mean) / √(variance + epsilon) · scale + bias, with mean and variance over the axes (WebNN, layerNormalization). " +
		normalizationDoc + momentsDoc,
	Spec: Spec{WebNN: "layerNormalization"},
	In: []Operand{
		{Name: "input", Types: Floats, Rank: AnyRank, Doc: "elements x"},
		{Name: "scale", Types: Floats, Like: "input", Rank: AnyRank, Optional: true, Doc: "factors, with the extents of the axes in the order in which they are listed; 1 if absent"},
		{Name: "bias", Types: Floats, Like: "input", Rank: AnyRank, Optional: true, Doc: "biases, shaped as scale; 0 if absent"},
	},
	Out:   []Result{{Name: "output", Like: "input", Doc: "normalized elements"}},
	Attrs: []Attr{axesAttr, epsilonAttr(1e-5)},
	Shape: layerShape,
	Ref:   Reference{Kernels: floatKernels(layerNormalize[float32], layerNormalize[float64]), Pieces: perGroup},
	Body: "order = [for d in range_of(shape_of(input)) if d in axes yield ([for i in range_of(axes) if axes[i] == d yield i])[0]];\n" +
		"shape = [for d in range_of(shape_of(input)) yield shape_of(input)[d] if d in axes else 1];\n" +
		"x = input - mean_reduce(input, axes = axes);\n" +
		"output = x * rsqrt(mean_reduce(sqr(x), axes = axes) + epsilon)\n" +
		"    * reshape(transpose(scale, axes = order), shape = shape) + reshape(transpose(bias, axes = order), shape = shape);",
	BodyTol:  1e-4,
	Work:     normalizationWork,
	Lane:     firstLane(besideAxes),
	Generate: func(r *Rand) Case { return r.layer(2) },
}

// layer generates a case of a normalization over axes with n parameters.
func (r *Rand) layer(n int) Case {
	d, shape := r.DType(Floats), r.Shape(0, 4)
	axes, params := r.someAxes(len(shape)), tensor.Shape{}
	for _, a := range axes {
		params = append(params, shape[a])
	}
	in := []*tensor.Tensor{r.Tensor(d, shape)}
	for range n {
		in = append(in, r.Tensor(d, params))
	}
	return Case{In: r.drop(in, 1), Attrs: graph.Attrs{{Name: "axes", Value: axes}, {Name: "epsilon", Value: 1e-5}}}
}

// layerShape is the shape rule of normalizations whose parameters have the extents of the axes.
func layerShape(s *Sig) ([]tensor.Shape, error) {
	out, err := axesShape(s)
	if err != nil {
		return nil, err
	}
	want := tensor.Shape{}
	for _, a := range s.Ints("axes") {
		want = append(want, s.In[0].Shape[a])
	}
	for i := 1; i < len(s.In); i++ {
		if s.Has(i) && !s.In[i].Shape.Equal(want) {
			return nil, s.Errorf(s.Def.In[i].Name, "shape %v; it must be %v, the extents of the axes %v of %v",
				s.In[i].Shape, want, s.Ints("axes"), s.In[0].Shape)
		}
	}
	return out, nil
}

func layerNormalize[T fmath.Float](c *Call, lo, hi int) {
	x, y, axes := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), c.Ints("axes")
	epsilon := T(c.Float("epsilon"))
	scales, biases := optional[T](c, 1), optional[T](c, 2)
	var r reduction
	r.start(c.In[0].Shape(), axes, lo)
	if params := cmp.Or(c.In[1], c.In[2]); params != nil { // both have one shape
		r.parameters(params.Shape(), axes)
	}
	for range hi - lo {
		mean, inv, x := standardize(&r, x, y, epsilon)
		r.each(func(p, q int) {
			k, bias := inv, T(0)
			if scales != nil {
				k *= scales[q]
			}
			if biases != nil {
				bias = biases[q]
			}
			y[p] = fma(x[p]-mean, k, bias)
		})
		r.groups.next()
	}
}
