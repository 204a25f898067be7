package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// Normalizations.

var normRows = []row{
	decomposed("batch_normalization", "vxTensorMultiplyNode, vxTensorAddNode", 1e-4, op.Singles, batchNormalization,
		"constant parameters; behind a conv that nothing else reads it becomes part of the filter"),
	direct("local_response_normalization", "vxLocalResponseNormalizationLayer", op.Singles, localResponse,
		"windows of 3, 5 or 7 over the channels, or as wide as high over the last two dimensions"),
	direct("softmax", "vxSoftmaxLayer", op.Singles, softmax, "over one dimension of at most four; other than the layer's: vxTensorTransposeNode"),
}

// normalization returns factor and summand of each channel: what becomes of 1 without mean and offset, and of 0.
func (e *exporter) normalization(n *graph.Node, channels int) (factor, shift *tensor.Tensor) {
	in := make([]*tensor.Tensor, 5) // input, mean, variance, offset, scale
	for i, v := range n.In {
		if i == 0 || v == nil {
			continue
		}
		if in[i] = e.number(v); in[i] == nil {
			kit.Refuse("its parameters must be constants")
		}
		in[i] = eval("reshape", attrs("shape", ints{-1}), in[i])
	}
	of := func(x int64, mean, offset *tensor.Tensor) *tensor.Tensor {
		return eval(n.Op, n.Attrs.With("axis", 0), filled(Float32.raw(x), ints{channels}), mean, in[2], offset, in[4])
	}
	return of(1, Float32.raw(0), nil), of(0, in[1], in[3])
}

func batchNormalization(c *emission) {
	if p := c.In[0].Producer; p != nil && c.e.norms[p] == c.Node.Node {
		if c.e.tensors[c.out] == nil {
			c.e.stub(c.out) // as the convolution that it was to be part of has been refused
		}
		return
	}
	shape := c.shape(0)
	axis := c.Int("axis")
	factor, shift := c.e.normalization(c.Node.Node, shape[axis])
	each := ones(len(shape))
	each[axis] = shape[axis]
	y := c.multiply(c.natural(), c.weights("factor", dimsOf(each), factor), 1)
	c.set(c.add("vxTensorAddNode", y, c.weights("shift", dimsOf(each), shift), c.overflow))
}

func localResponse(c *emission) {
	size, shape := c.Ints("size"), c.shape(0)
	n := len(shape)
	wide := ints{}
	for i, s := range size {
		if s != 1 {
			wide = append(wide, i)
		}
	}
	kind, extent := openvx.NormalizationAcrossMaps, 0
	switch {
	case len(wide) == 1 && n >= 3 && wide[0] == n-3:
		extent = size[n-3]
	case len(wide) == 2 && n >= 3 && wide[0] == n-2 && size[n-2] == size[n-1]:
		kind, extent = openvx.NormalizationSameMap, size[n-1]
	default:
		kit.Refuse("its window is %v; the layer's is one over the channels, the third dimension from the end, or a square over the last two", size)
	}
	if extent != 3 && extent != 5 && extent != 7 {
		kit.Refuse("its window is %d wide; the layer's can be 3, 5 or 7", extent)
	}
	alpha, beta, bias := c.Float("alpha"), c.Float("beta"), c.Float("bias")
	if !(float32(alpha) > 0 && float32(beta) > 0 && float32(bias) > 0) {
		kit.Refuse("alpha %g, beta %g and bias %g must be positive", alpha, beta, bias)
	}
	x := c.natural()
	c.set(c.make(x.Dims, "vxLocalResponseNormalizationLayer", x, kind, extent, float32(alpha), float32(beta), float32(bias)))
}

// softmax: a layer normalizes dimension 0 of one or two, and dimension 2 of three or four.
func softmax(c *emission) {
	var along ints
	for _, a := range c.Ints("axes") {
		if c.shape(0)[a] != 1 {
			along = append(along, a)
		}
	}
	if len(along) > 1 {
		kit.Refuse("it normalizes over axes %v of shape %v; the layer does over one", c.Ints("axes"), c.shape(0))
	}
	if len(c.Ints("axes")) == 0 {
		kit.Refuse("it normalizes over no axis")
	}
	x := c.tensor(0)
	d := c.dimension(x, c.shape(0), slices.Concat(along, c.Ints("axes"))[0])
	if len(x.Dims) > 4 {
		kit.Refuse("its operand lies in a tensor of extents %v; the layer takes up to four", x.Dims)
	}
	want := 0
	if len(x.Dims) > 2 {
		want = 2
	}
	t := c.swap(x, d, want)
	c.set(c.swap(c.make(t.Dims, "vxSoftmaxLayer", t), d, want))
}

// neverNegative reports whether no element of a value can be below 0.
func (e *exporter) neverNegative(v *graph.Value, depth int) bool {
	if op.Unsigned.Has(v.Type.DType) {
		return true
	}
	if k := e.constant(v); k != nil && k.Len() == 1 {
		return number(e.number(v)) >= 0
	}
	if v.Producer == nil || depth > limits.VXSigns {
		return false
	}
	in := make([]bool, len(v.Producer.In))
	for i, x := range v.Producer.In {
		in[i] = x == nil || e.neverNegative(x, depth+1)
	}
	return op.NonNegative(v.Producer, in)
}
