package export

import (
	"reflect"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// Sums of products: convolutions and products of matrices. Of floats the layer rounds once, at the end. Sums of integers wait for the
// rescale that rounds them.

const convNote = "one or two spatial dimensions, filter and bias constant, border constant; groups: a call for each, on views of the channels; " +
	"paddings or a stride that the layer cannot have: zeros around the filter"

var sumRows = []row{
	summed("conv", "vxConvolutionLayer", conv, convNote),
	summed("deconv", "vxDeconvolutionLayer", deconv,
		"one or two spatial dimensions, filter and bias constant, border constant, no dilation; groups: a call for each, on views of the channels"),
	summed("linear", "vxFullyConnectedLayer", linear, "filter and bias constant; else its body"),
	summed("matmul", "vxFullyConnectedLayer", matmul,
		"a second operand that is constant and has no batch; else vxTensorMatrixMultiplyNode, of matrices"),
	decomposed("gemm", "vxFullyConnectedLayer", 1e-5, op.Singles, gemm, "b constant, c constant for each column; else its body"),
}

// summed is a row of an operator that adds products.
func summed(name, function string, emit func(*emission), note string) row {
	return widening(direct(name, function, op.Singles, emit, note))
}

// structures are the types of parameters that a function is told the size of.
var structures = map[reflect.Type]string{
	reflect.TypeFor[openvx.ConvolutionParams]():   "vx_nn_convolution_params_t",
	reflect.TypeFor[openvx.DeconvolutionParams](): "vx_nn_deconvolution_params_t",
	reflect.TypeFor[openvx.ROIPoolParams]():       "vx_nn_roi_pool_params_t",
}

// filter returns operand 1, which must be a constant.
func (c *emission) filter() *tensor.Tensor {
	f := c.constant(1)
	if f == nil {
		kit.Refuse("its filter must be a constant")
	}
	return f
}

// biases returns what is added to the sums of each output, nil if there is nothing. Sums of integers may have a number for each element.
func (c *emission) biases(outputs int) *tensor.Tensor {
	b := c.addend
	if b == nil {
		if c.Operand(2) == nil {
			return nil
		}
		if b = c.constant(2); b == nil {
			kit.Refuse("its bias must be a constant")
		}
	}
	switch b.Len() {
	case outputs:
		return eval("reshape", attrs("shape", ints{outputs}), b)
	case 1:
		return eval("expand", attrs("shape", ints{outputs}), eval("reshape", attrs("shape", ints{1}), b))
	}
	return eval("reshape", attrs("shape", planar(ints(b.Shape()))[1:]), b)
}

// checkAddend makes sure that what is added to sums of products is a number for each output, or of a convolution one for each element of
// an item of the batch.
func (c *emission) checkAddend(n *graph.Node) {
	out, k := n.Out[0].Type.Shape, c.addend.Shape()
	axis := len(out) - 1
	if n.Op == "conv" || n.Op == "deconv" {
		axis = 1
		if c.addend.Len() == product(out[1:]) && c.addend.Rank() == len(out) {
			return
		}
	}
	if c.addend.Len() != 1 && (axis >= len(k) || k[axis] != c.addend.Len()) {
		kit.Refuse("a constant of shape %v is added to its products; a layer adds one number for each output", k)
	}
}

// bias adds the tensor of a bias; nil if there is none.
func (c *emission) bias(b *tensor.Tensor) *Tensor {
	if b == nil {
		return nil
	}
	return c.weights("bias", dimsOf(ints(b.Shape())), b)
}

// planar returns extents of a value with batch, channels and one or two spatial dimensions as those of two.
func planar(shape ints) ints {
	switch len(shape) {
	case 3:
		return ints{shape[0], shape[1], 1, shape[2]}
	case 4:
		return shape
	}
	kit.Refuse("it has %d spatial dimensions; layers have two", len(shape)-2)
	return nil
}

// slides returns the filter with two spatial dimensions, and its windows along width and height.
func (c *emission) slides() (f *tensor.Tensor, both [2]slide) {
	in, out, padding := planar(c.shape(0)), planar(c.outShape()), c.Ints("padding")
	f = c.filter()
	f = eval("reshape", attrs("shape", planar(f.Shape())), f)
	n := len(padding) / 2
	if c.Str("border") != "constant" && slices.ContainsFunc(padding, func(p int) bool { return p > 0 }) {
		kit.Refuse("its border is %s; layers pad with zeros", c.Str("border"))
	}
	for d := range both { // from the last dimension on
		if both[d] = still; d < n {
			both[d] = slideOf(c.Attrs, n-1-d, in[3-d], out[3-d], f.Shape()[3-d])
		}
	}
	return f, both
}

// surrounded puts zeros around a filter.
func (c *emission) surrounded(f *tensor.Tensor, both *[2]slide) *tensor.Tensor {
	w, h := &both[0], &both[1]
	padding := ints{0, 0, 0, 0, h.zerosBefore, h.zerosBehind, w.zerosBefore, w.zerosBehind}
	if !slices.ContainsFunc(padding, func(n int) bool { return n != 0 }) {
		return f
	}
	return eval("pad", attrs("padding", padding), f)
}

// filters adds the tensor of a filter that was made of operand 1.
func (c *emission) filters(f *tensor.Tensor) *Tensor {
	return c.weightsOf(1, dimsOf(ints(f.Shape())), f)
}

func conv(c *emission) {
	norm := c.e.norms[c.Node.Node]
	if norm != nil && c.isFloat() {
		c.out, c.name = norm.Out[0], c.e.wish(norm.Out[0])
	}
	f, both := c.slides()
	b := c.biases(c.outShape()[1])
	if norm != nil && c.isFloat() {
		f, b = c.normalized(norm, f, b)
	}
	x := c.cropped(c.as(c.In[0], dimsOf(planar(c.shape(0)))), &both)
	widened(&both)
	c.convolve(c.Groups(c.shape(0)[1]), x, c.filters(c.surrounded(f, &both)), b, &both)
}

// convolve calls a convolution layer for each group, with windows that have been widened.
func (c *emission) convolve(groups int, x, f *Tensor, b *tensor.Tensor, both *[2]slide) {
	w, h := &both[0], &both[1]
	c.grouped(groups, "vxConvolutionLayer", x, f, b, both, openvx.ConvolutionParams{PaddingX: w.pad, PaddingY: h.pad, OverflowPolicy: c.overflow,
		RoundingPolicy: c.rounding, DownScaleSize: w.sizes, DilationX: w.Dilation - 1, DilationY: h.Dilation - 1})
}

// cropped returns the view that is left where padding is negative.
func (c *emission) cropped(x *Tensor, both *[2]slide) *Tensor {
	for d := range both {
		s := &both[d]
		x = c.framed(x, d, min(s.Before, 0), min(s.after, 0), nil)
		s.In, s.Before, s.after = x.Dims[d], max(s.Before, 0), max(s.after, 0)
	}
	return x
}

// grouped calls a layer for each group, on parts of the channels. Filters of one output are for all of them.
func (c *emission) grouped(groups int, function string, x, f *Tensor, b *tensor.Tensor, both *[2]slide, params any) {
	y := c.virtual(slices.Concat(ints{both[0].Out, both[1].Out, max(f.Dims[3], groups)}, x.Dims[3:]))
	c.set(y)
	bias := c.bias(b)
	if groups == 1 {
		c.do(function, x, f, bias, params, y)
		return
	}
	each := func(t *Tensor, axis int) any {
		if t == nil || t.Dims[axis] == 1 {
			return t // for all of them
		}
		return Part{t, axis}
	}
	last := 0
	if bias != nil {
		last = len(bias.Dims) - 1
	}
	c.repeat(groups, function, Part{x, 2}, each(f, 3), each(bias, last), params, Part{y, 2})
}

// absorb notes a normalization that becomes part of the convolution in front of it, which nothing else reads.
func (e *exporter) absorb(n *graph.Node) {
	if n.Op != "batch_normalization" || n.Attrs.Int("axis") != 1 {
		return
	}
	if c := n.In[0].Producer; c != nil && c.Op == "conv" && e.only(n.In[0]) && e.areConstant(c.In[1:]) && e.areConstant(n.In[1:]) {
		e.norms[c] = n
	}
}

// normalized makes a normalization of the results part of a filter and a bias.
func (c *emission) normalized(norm *graph.Node, f, b *tensor.Tensor) (filter, bias *tensor.Tensor) {
	factor, shift := c.e.normalization(norm, f.Shape()[0])
	if b != nil {
		shift = eval("add", nil, eval("mul", nil, b, factor), shift)
	}
	return eval("mul", nil, f, eval("reshape", attrs("shape", ints{-1, 1, 1, 1}), factor)), shift
}

// deconv: the layer correlates what has been scaled up with the weights, so that they are the filter turned around.
func deconv(c *emission) {
	f, both := c.slides()
	a := deconvolved(&both)
	outputs := c.outShape()[1]
	groups := c.Groups(outputs)
	f = c.surrounded(f, &both)
	s := f.Shape() // input channels, output channels of a group
	f = eval("reshape", attrs("shape", ints{groups, s[0] / groups, s[1], s[2], s[3]}), f)
	f = eval("reverse", attrs("axes", ints{3, 4}), eval("transpose", attrs("axes", ints{0, 2, 1}), f))
	f = eval("reshape", attrs("shape", ints{groups * s[1], s[0] / groups, s[2], s[3]}), f)
	c.deconvolve(groups, c.as(c.In[0], dimsOf(planar(c.shape(0)))), c.filters(f), c.biases(outputs), &both, a)
}

// deconvolve calls a deconvolution layer for each group, with what [deconvolved] has found.
func (c *emission) deconvolve(groups int, x, f *Tensor, b *tensor.Tensor, both *[2]slide, a [2]int) {
	c.grouped(groups, "vxDeconvolutionLayer", x, f, b, both, openvx.DeconvolutionParams{PaddingX: both[0].pad, PaddingY: both[1].pad,
		OverflowPolicy: c.overflow, RoundingPolicy: c.rounding, AX: a[0], AY: a[1]})
}

// deconvolved finds the paddings of a deconvolution, and how many elements it adds at the ends of width and height. More of them than there
// can be are made by weights of 0.
func deconvolved(both *[2]slide) (a [2]int) {
	for d := range both {
		s := &both[d]
		s.pad = s.Before
		a[d] = s.Out - (s.Reach(s.In) - 2*s.pad)
		if s.zerosBehind = max(a[d]-(s.Stride-1), 0); s.zerosBehind > 0 {
			a[d] = s.Stride - 1
		}
		switch {
		case s.Dilation != 1:
			kit.Refuse("its dilation is %d; a deconvolution layer has none", s.Dilation)
		case s.pad < 0 || s.pad >= s.Size+s.zerosBehind:
			kit.Refuse("its padding of %d before a filter of %d cannot be said; it must be from 0 to %d", s.pad, s.Size, s.Size-1)
		case a[d] < 0:
			kit.Refuse("its padding takes more away at the end than at the beginning, which a deconvolution layer cannot")
		}
	}
	return a
}

func linear(c *emission) {
	if c.simpler = c.isFloat() && !c.e.areConstant(c.In[1:]); c.simpler {
		return
	}
	c.connect(c.filter())
}

// connect calls a fully connected layer with weights of each output and feature.
func (c *emission) connect(weights *tensor.Tensor) {
	f, outputs, features := c.filters(weights), weights.Shape()[0], weights.Shape()[1]
	b, x, core := c.biases(outputs), c.tensor(0), 0
	for _, n := range []int{1, 3} {
		if n <= len(x.Dims) && product(x.Dims[:n]) == features && len(x.Dims)-n <= 3 {
			core = n
			break
		}
	}
	if core == 0 {
		x, core = c.natural(), 1
	}
	if b != nil && b.Len() != outputs {
		kit.Refuse("what is added to its products must be one number for each of the %d outputs", outputs)
	}
	c.set(c.make(append(ints{outputs}, x.Dims[core:]...), "vxFullyConnectedLayer", x, f, c.bias(b), c.overflow, c.rounding))
}

func matmul(c *emission) {
	f := c.constant(1)
	if f == nil || product(ints(f.Shape()[:f.Rank()-2])) != 1 || c.Bool("transposeA") || c.constant(0) != nil {
		c.matrices()
		return
	}
	c.connect(c.turned(eval("reshape", attrs("shape", ints(f.Shape()[f.Rank()-2:])), f)))
}

// turned returns the second factor of a product as a layer has it, with the outputs first.
func (c *emission) turned(f *tensor.Tensor) *tensor.Tensor {
	if c.Bool("transposeB") {
		return f
	}
	return eval("transpose", attrs("axes", ints{1, 0}), f)
}

// matrices calls the product of two matrices. It rounds half up and saturates.
func (c *emission) matrices() {
	if !c.isFloat() {
		kit.Refuse("the product of two matrices that are not constant rounds halves up; of integers only a layer with weights is exact")
	}
	if n := len(c.outShape()); n != 2 && product(c.outShape()[:n-2]) != 1 {
		kit.Refuse("it multiplies more than two matrices, which OpenVX cannot but with constant ones")
	}
	matrix := func(i int) *Tensor {
		s := c.shape(i)
		return c.as(c.In[i], dimsOf(s[len(s)-2:]))
	}
	params := openvx.MatrixMultiplyParams{TransposeA: c.Bool("transposeA"), TransposeB: c.Bool("transposeB")}
	c.set(c.make(dimsOf(c.outShape()[len(c.outShape())-2:]), "vxTensorMatrixMultiplyNode", matrix(0), matrix(1), (*Tensor)(nil), params))
}

// gemm multiplies constants by the factors, and is its body for others.
func gemm(c *emission) {
	alpha, beta := tensor.Scalar(float32(c.Float("alpha"))), tensor.Scalar(float32(c.Float("beta")))
	c.exact = c.Float("alpha") == 1 && c.Float("beta") == 1
	f, b := c.constant(1), c.constant(2)
	outputs := c.outShape()[1]
	each := b == nil && c.Operand(2) == nil || b != nil && (b.Len() == 1 || b.Len() == outputs && b.Shape()[b.Rank()-1] == outputs)
	if f == nil || c.Bool("transposeA") || !each {
		c.simpler = true
		return
	}
	if b != nil {
		c.addend = eval("mul", nil, b, beta)
	}
	c.connect(eval("mul", nil, c.turned(f), alpha))
}

// greatestSum returns a bound for the magnitude of sums of products of elements up to greatest with filters whose sums of magnitudes are
// taken over all axes but the first.
func greatestSum(f *tensor.Tensor, greatest float64) float64 {
	wide := eval("cast", attrs("dtype", tensor.Int64), f)
	sums := eval("max_reduce", attrs("axes", ints{0}), eval("l1_reduce", attrs("axes", emit.Counting(1, wide.Rank()-1)), wide))
	return float64(tensor.Data[int64](sums)[0]) * greatest
}
