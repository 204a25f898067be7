package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Convolutions.
var convOps = []*Def{
	{
		Name: "conv",
		Doc: `Conv returns the convolution of input (B, C, X…) with filter (O, C/groups, f…), plus bias, in any number of spatial dimensions.

y[b,o,x…] = bias[o] + Σ input[b, g·C/groups + c, x·stride - before + k·dilation] · filter[o,c,k…], where g is the group of
output channel o; the filter is not flipped. Extents: floor((before + X + after - (f-1)·dilation - 1) / stride) + 1 (NNEF,
conv; WebNN, conv2d; CVM, conv2d).

Floats: each element starts at +0 and takes one fused multiply-add per tap, in the order: blocks of 16 input channels of the
group, window positions in row-major order, channels of the block. Taps in the zeros of a constant border are skipped. The
bias, if given, is added last, with one rounding. Integers may have two types; all steps wrap in the type of the result. With
zero points the products are (input - input_zero)·(filter - filter_zero[o]), and the zeros of a constant border stand for
input_zero (ONNX, ConvInteger).`,
		Spec: Spec{NNEF: "conv", WebNN: "conv2d", OpenVX: "vxConvolutionLayer", CVM: "conv2d"},
		In:   convOperands("(O, C/groups, f…)"),
		Out:  []Result{{Name: "output", Like: "input", TypeAttr: "dtype", Doc: "(B, O, x…)"}},
		Attrs: append(append([]Attr{borderAttr("what lies in the padding", geometry.FillNames...)}, slideAttrs("spatial dimension")...),
			groupsAttr("0 makes each input channel a group"), sumsAttr),
		Shape:    convShape,
		Ref:      Reference{Kernels: convKernels, PerElement: true},
		Work:     convWork,
		Expand:   expandConv,
		BodyTol:  1e-4,
		Lane:     itemLane("input"),
		Generate: func(r *Rand) Case { return r.convolution(false, Numbers, false) },
		Further:  func(r *Rand) Case { return r.convolution(false, Integers, true) },
	},
	{
		Name: "deconv",
		Doc: `Deconv returns the transposed convolution of input (B, C, x…) with filter (C, O/groups, f…), plus bias: the adjoint of conv.

y[b,o,X…] = bias[o] + Σ input[b, g·C/groups + c, x…] · filter[g·C/groups + c, o mod O/groups, k…] over all channels c of the
group g of o, and all k and x with x·stride - before + k·dilation = X. The border rule concerns x. Extents: those of
output_shape, or (x-1)·stride + (f-1)·dilation + 1 - before - after (NNEF, deconv; WebNN, convTranspose2d).

Floats: each element starts at +0 and takes one fused multiply-add per tap that reaches it, in the order: blocks of 16 input
channels of the group, window positions in row-major order, channels of the block. Taps in the zeros of a constant border
are skipped. The bias, if given, is added last, with one rounding. Integers as in conv.`,
		Spec: Spec{NNEF: "deconv", WebNN: "convTranspose2d", OpenVX: "vxDeconvolutionLayer"},
		In:   convOperands("(C, O/groups, f…)"),
		Out:  []Result{{Name: "output", Like: "input", TypeAttr: "dtype", Doc: "(B, O, X…)"}},
		Attrs: append(append([]Attr{borderAttr("what lies outside the input", geometry.FillNames...)}, slideAttrs("spatial dimension")...),
			outputShapeAttr, groupsAttr("0 makes each output channel a group, as many as output_shape or else the filter's C says"), sumsAttr),
		Shape:    deconvShape,
		Ref:      Reference{Kernels: convKernels, PerElement: true},
		Work:     deconvWork,
		Expand:   expandDeconv,
		BodyTol:  1e-4,
		Lane:     single("output_shape", itemLane("input")),
		Generate: func(r *Rand) Case { return r.convolution(true, Numbers, false) },
		Further:  func(r *Rand) Case { return r.convolution(true, Integers, true) },
	},
	deformConvDef,
}

func convOperands(filter string) []Operand {
	return []Operand{
		{Name: "input", Types: Numbers, Rank: AtLeast(3), Doc: "batch, channels and one or more spatial dimensions"},
		{Name: "filter", Types: Numbers, Rank: AtLeast(3), Doc: filter + "; a float has the input's type, an integer any"},
		{Name: "bias", Types: Floats | TypeSet(tensor.Int32, tensor.Int64), Rank: Ranks{0, 2}, Optional: true,
			Doc: "one number or one for each output channel, shaped (O) or (1, O); it has the type of the result"},
		zeroOperand("input", Ranks{0, 1}, "one element"),
		zeroOperand("filter", Ranks{0, 2}, "one element or one for each output channel, shaped (O) or (1, O)"),
	}
}

// zeroSuffix is what the name of a zero point has behind that of the operand to which it belongs.
const zeroSuffix = "_zero"

// zeroOperand declares the zero point of an operand of a sum of products.
func zeroOperand(of string, rank Ranks, shape string) Operand {
	return Operand{Name: of + zeroSuffix, Types: Integers, Like: of, Rank: rank, Optional: true,
		Doc: "the integer that stands for 0 in " + of + ", 0 if absent: " + shape}
}

func groupsAttr(zero string) Attr {
	return Attr{Name: "groups", Kind: graph.KindInt, Default: 1, Range: [2]float64{0, math.MaxInt32},
		Doc: "number of groups into which the channels are divided; each maps its own input channels to its own output channels. " + zero}
}

// convShape is the shape rule of conv.
func convShape(s *Sig) ([]tensor.Shape, error) {
	in, filter := s.In[0].Shape, s.In[1].Shape
	if err := s.convTypes(); err != nil {
		return nil, err
	}
	groups := Groups(s.Attrs, in[1])
	if s.Int("groups") == 0 && (groups == 0 || filter[0]%groups != 0) {
		return nil, s.Misfit("groups", "0 makes one group for each of the %d input channels, which do not divide the %d output channels", in[1], filter[0])
	}
	shape, err := s.convExtents(groups)
	if err != nil {
		return nil, err
	}
	return []tensor.Shape{shape}, s.convAddends(shape)
}

// convExtents returns the extents of a convolution in groups.
func (s *Sig) convExtents(groups int) (tensor.Shape, error) {
	in, filter := s.In[0].Shape, s.In[1].Shape
	switch {
	case in[1]%groups != 0 || filter[0]%groups != 0:
		return nil, s.Misfit("groups", "%d groups do not divide %d input and %d output channels", groups, in[1], filter[0])
	case filter[1] != in[1]/groups:
		return nil, s.Errorf("filter", "shape %v has %d input channels; it must have %d, those of a group", filter, filter[1], in[1]/groups)
	}
	spatial, err := s.extents(in[2:], filter[2:], nil)
	return append(tensor.Shape{in[0], filter[0]}, spatial...), err
}

// Groups returns the number of groups of a convolution by its attributes; 0 stands for as many as there are channels: of the input, or of a
// transposed convolution of the result.
func Groups(attrs graph.Attrs, channels int) int {
	if g := attrs.Int("groups"); g != 0 {
		return g
	}
	return channels
}

// deconvShape is the shape rule of deconv.
func deconvShape(s *Sig) ([]tensor.Shape, error) {
	in, filter := s.In[0].Shape, s.In[1].Shape
	if err := s.convTypes(); err != nil {
		return nil, err
	}
	want, err := s.wanted(in)
	if err != nil {
		return nil, err
	}
	groups, perGroup := s.Int("groups"), filter[1]
	if groups == 0 {
		if groups, perGroup = filter[0], 1; len(want) > 0 {
			groups = want[1]
		}
	}
	switch {
	case filter[1] != perGroup:
		return nil, s.Errorf("filter", "shape %v has %d output channels in a group; it must have 1 if groups is 0", filter, filter[1])
	case filter[0] != in[1]:
		return nil, s.Errorf("filter", "shape %v has %d input channels; it must have %d", filter, filter[0], in[1])
	case groups == 0 || in[1]%groups != 0:
		return nil, s.Misfit("groups", "%d groups do not divide %d input channels", groups, in[1])
	case filter[1] > tensor.MaxElements/groups:
		return nil, s.Errorf("groups", "%d groups of %d output channels are too many", groups, filter[1])
	}
	channels := filter[1] * groups
	if len(want) > 0 {
		if want[0] != in[0] || want[1] != channels {
			return nil, s.Misfit("output_shape", "%v must begin with batch %d and %d output channels", want, in[0], channels)
		}
		want = want[2:]
	}
	spatial, err := s.extents(in[2:], filter[2:], want)
	if err != nil {
		return nil, err
	}
	shape := append(tensor.Shape{in[0], channels}, spatial...)
	return []tensor.Shape{shape}, s.convAddends(shape)
}

// convTypes checks what the declarations of conv and deconv leave open.
func (s *Sig) convTypes() error {
	in, filter := s.In[0], s.In[1]
	if filter.DType != in.DType && (in.DType.IsFloat() || filter.DType.IsFloat()) {
		return s.Errorf("filter", "the element type is %v; it must be %v, that of the input, unless both are integers", filter.DType, in.DType)
	}
	if len(filter.Shape) != len(in.Shape) {
		return s.Errorf("filter", "the rank of %v must be %d, that of the input", filter.Shape, len(in.Shape))
	}
	return nil
}

// convAddends checks the bias and the zero points against the shape of the result.
func (s *Sig) convAddends(out tensor.Shape) error {
	if s.Has(3) && s.In[3].Shape.Len() != 1 {
		return s.Errorf("input_zero", "shape %v; it must have one element", s.In[3].Shape)
	}
	if err := s.checkBias(out); err != nil {
		return err
	}
	return s.channelwise(4, out)
}

// checkBias checks the bias against the shape of the result.
func (s *Sig) checkBias(out tensor.Shape) error {
	if !s.Has(2) {
		return nil
	}
	if d, want := s.In[2].DType, s.Def.resultType(0, s); d != want {
		return s.Errorf("bias", "the element type is %v; it must be %v, that of the result", d, want)
	}
	return s.channelwise(2, out)
}

// channelwise checks that an operand, if it is given, has one element or one for each channel of the result.
func (s *Sig) channelwise(operand int, out tensor.Shape) error {
	shape := s.In[operand].Shape // of one element if it is absent
	if n := shape.Len(); n != 1 && (n != out[1] || shape[len(shape)-1] != n) {
		return s.Errorf(s.Def.In[operand].Name, "shape %v; it must be a single number, [%d] or [1,%d]", shape, out[1], out[1])
	}
	return nil
}

func convWork(s *Sig, out []tensor.Shape) Work {
	return Work{MACs: times(out[0].Len(), s.In[1].Shape[1:].Len())}
}

// deconvWork counts each element of the input once for every filter element of its group, border taps left aside, and
// for each row of the result the window positions and blocks of channels among which the taps are found.
func deconvWork(s *Sig, out []tensor.Shape) Work {
	filter := s.In[1].Shape
	channels := filter[0] / max(out[0][1]/max(filter[1], 1), 1) // of the input, in a group
	return Work{
		MACs: times(s.In[0].Shape.Len(), filter[1:].Len()),
		Ops:  times(rows(out[0]), filter[2:].Len(), geometry.CeilDiv(channels, channelBlock)),
	}
}

// channelBlock is the number of input channels in a block of the order of accumulation, which is part of the definition of the result bits.
const channelBlock = 16

// convKernels are the kernels of conv and deconv. Each element of the result is a piece.
var convKernels = productKernels(convolve(fma[float32]), convolve(fma[float64]), convolve(mulAdd[int32]), convolve(mulAdd[int64]))

// convolve returns the kernel for a result of A, whose elements take one tap after the other by the function add.
//
//go:noinline // tables of kernels would hold it three times
func convolve[A tensor.Number](add func(x, w, sum A) A) Kernel {
	return func(c *Call, lo, hi int) {
		v := geometry.NewConvolution(c.Attrs, c.In[0].Shape(), c.In[1].Shape(), c.Out[0].Shape())
		taps, watch, y, inputZero := v.WithoutZeros(), c.Watch(), tensor.Data[A](c.Out[0]), zeroPoint[A](c, 3, 0)
		var x, w [channelBlock]A
		for i := lo; i < hi; i++ {
			plane := i / v.OutPlane
			o, at := plane%v.Channels, v.Result(i%v.OutPlane)
			input := v.Input(plane/v.Channels, o)
			filter, step := v.Weights(o)
			filterZero := zeroPoint[A](c, 4, o)
			sum := A(0)
			for block := 0; block < v.GroupIn; block += channelBlock {
				n := min(channelBlock, v.GroupIn-block)
				for k, more := taps.FirstMet(&at, taps.Rank, 1); more; more = taps.NextMet(&k, &at, taps.Rank, 1) {
					if watch.Stops(n) {
						return
					}
					from := taps.Source(&at, &k)
					if from < 0 {
						continue
					}
					geometry.Load(x[:n], c.In[0], input+block*v.InPlane+from, v.InPlane)
					geometry.Load(w[:n], c.In[1], filter+block*step+taps.Number(&k), step)
					subtract(x[:n], inputZero)
					subtract(w[:n], filterZero)
					for j := range n {
						sum = add(x[j], w[j], sum)
					}
				}
			}
			y[i] = sum
		}
		addBias(c, y, v.OutPlane, lo, hi)
	}
}

// addBias adds operand 2, if it is given, to the elements lo…hi-1 of a result in which so many neighbours have one element of the bias.
// Every NaN becomes the canonical one, as fma has made those before.
func addBias[A tensor.Number](c *Call, y []A, run, lo, hi int) {
	if !c.Has(2) {
		return
	}
	bias, channels, nan := tensor.Data[A](c.In[2]), c.Out[0].Shape()[1], fmath.NaN()
	for i := lo; i < hi; i++ {
		if y[i] += bias[i/run%channels%len(bias)]; y[i] != y[i] {
			y[i] = A(nan)
		}
	}
}

// convolution generates a case of conv or deconv on inputs of the given types, with zero points or without.
func (r *Rand) convolution(up bool, types Types, zeros bool) Case {
	rank := r.Between(1, 3)
	groups := Pick(r, []int{1, 1, 2, 3})
	perGroup, outPerGroup := r.Extent(), r.Between(1, 3)
	if r.IntN(4) == 0 {
		perGroup += lanes // more than one block
	}
	in := tensor.Shape{r.Between(1, 2), groups * perGroup}
	filter := tensor.Shape{groups * outPerGroup, perGroup}
	if up {
		filter = tensor.Shape{groups * perGroup, outPerGroup}
	}
	n, f, large, attrs := r.window(rank, up)
	in, filter = append(in, n...), append(filter, f...)
	attrs = append(attrs, graph.Attr{Name: "border", Value: Pick(r, geometry.FillNames)})
	if up && r.Bool() {
		shape := append([]int{in[0], groups * outPerGroup}, large...)
		attrs = append(attrs, graph.Attr{Name: "output_shape", Value: shape})
	}
	if perGroup == 1 && (!up || outPerGroup == 1) && r.Bool() {
		attrs = append(attrs, graph.Attr{Name: "groups", Value: 0})
	} else {
		attrs = append(attrs, graph.Attr{Name: "groups", Value: groups})
	}
	x, w, b := r.DType(types), r.DType(Integers), r.DType(TypeSet(tensor.Int32, tensor.Int64))
	if x.IsFloat() {
		w, b = x, x
	} else {
		attrs = append(attrs, graph.Attr{Name: "dtype", Value: b})
	}
	c := Case{In: []*tensor.Tensor{r.Tensor(x, in), r.Tensor(w, filter), nil}, Attrs: attrs}
	if x.IsFloat() && r.IntN(8) == 0 {
		c.In[0] = r.Extremes(x, in)
	}
	if r.Bool() {
		c.In[2] = r.Tensor(b, Pick(r, []tensor.Shape{{}, {1}, {groups * outPerGroup}, {1, groups * outPerGroup}}))
	}
	if zeros {
		c.In = append(c.In, r.Tensor(x, Pick(r, []tensor.Shape{{}, {1}})), r.Tensor(w, Pick(r, []tensor.Shape{{}, {groups * outPerGroup}, {1, groups * outPerGroup}})))
		c.In = r.drop(c.In, 3)
	}
	return c
}
