package export

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// Windows. OpenVX pads both sides alike and infers how far a window moves: it is the least distance that gives the extent of the result.

var windowRows = []row{
	direct("max_pool", "vxPoolingLayer MAX", layerTypes, maxPool,
		"windows over the last two dimensions; padding that is left out of the maximum: of inputs that are never negative; "+
			"other borders than constant and ignore are refused"),
	decomposed("box", "vxPoolingLayer AVG", 1e-6, layerTypes, averagePool,
		"windows over the last two dimensions; padding that is not counted: vxTensorMultiplyNode with the ratios, of floats; sums: "+
			"vxConvolutionLayer with ones for each channel; borders other than constant and ignore are refused"),
	decomposed("debox", "vxDeconvolutionLayer", 1e-5, op.Singles, debox,
		"windows over the last two dimensions, with ones for each channel; averages with border ignore: of windows that do not meet"),
	decomposed("mean_reduce", "vxPoolingLayer AVG", 1e-5, op.Singles, func(c *emission) { c.reduce(openvx.PoolingAvg) }, "over the last one or two dimensions"),
	decomposed("sum_reduce", "vxPoolingLayer AVG", 1e-5, op.Singles, func(c *emission) {
		if !c.Bool("normalize") {
			kit.Refuse("a pooling layer has averages but no sums")
		}
		c.reduce(openvx.PoolingAvg)
	}, "with normalize, over the last one or two dimensions"),
	direct("max_reduce", "vxPoolingLayer MAX", layerTypes, func(c *emission) { c.reduce(openvx.PoolingMax) }, "over the last one or two dimensions"),
}

// slide is a window along one dimension as an operator has it.
type slide struct {
	geometry.Slide
	after                         int                 // the padding at the end
	sizes                         openvx.SizeRounding // with which it can be said,
	pad, zerosBefore, zerosBehind int                 // with that padding and so many weights of 0 around those that there are
}

// still is the window of a dimension that there is not.
var still = slide{Slide: geometry.Unmoved}

// slideOf returns dimension i of a window.
func slideOf(a graph.Attrs, i, in, out, size int) slide {
	s := slide{Slide: geometry.SlideOf(a, i, in, out, size), after: a.Ints("padding")[2*i+1]}
	if s.Size == 1 {
		s.Dilation = 1
	}
	return s
}

// end returns where the last window ends, counted from the first element.
func (s *slide) end() int { return s.Reach(s.Out) - s.Before }

// gives reports whether the sizes of a layer with that padding and window make it move as far as this one does.
func (s *slide) gives(in, pad, span int, r openvx.SizeRounding) bool {
	least, ok := geometry.InferStride(in+2*pad-span, s.Out, r == openvx.SizeRoundingCeiling)
	return ok && pad >= 0 && (least == s.Stride || s.Out == 1) // with any distance there is one window, if there is room for no more
}

// roundings are tried in this order.
var roundings = []openvx.SizeRounding{openvx.SizeRoundingFloor, openvx.SizeRoundingCeiling}

// widened finds how both windows of a convolution can be said, with as few weights of 0 around its own as possible: they make paddings
// alike, and the distance that a layer infers that of the window.
func widened(both *[2]slide) {
	best := -1
	var found [2]slide
	for _, r := range roundings {
		total, list := 0, *both
		for i := range list {
			n := list[i].widen(r)
			if total += n; n < 0 {
				total = -1
				break
			}
		}
		if total >= 0 && (best < 0 || total < best) {
			best, found = total, list
		}
	}
	if best < 0 {
		kit.Refuse("its windows cannot be said with padding that is the same on both sides")
	}
	*both = found
}

// widen finds the padding and the fewest weights of 0 for a rounding of sizes, and returns how many there are, or -1.
func (s *slide) widen(r openvx.SizeRounding) int {
	s.sizes = r
	most := min(s.Span()+s.Stride+max(s.Before, s.after), limits.VXZeros+1)
	for n := range most {
		for front := range n + 1 {
			pad := s.Before + front*s.Dilation
			if s.gives(s.In, pad, s.Span()+n*s.Dilation, r) {
				s.pad, s.zerosBefore, s.zerosBehind = pad, front, n-front
				return n
			}
		}
	}
	return -1
}

// pooling is a window over the last two dimensions of a value.
type pooling struct {
	x      *Tensor
	along  [2]slide // width and height
	border string
}

// pooling returns the window of the node.
func (c *emission) pooling() *pooling {
	shape, out := c.shape(0), c.outShape()
	n := len(shape)
	w := geometry.WindowOf(c.Attrs, c.Ints("size"))
	p := &pooling{along: [2]slide{still, still}, border: c.Str("border")}
	for i := range n {
		s := slideOf(c.Attrs, i, shape[i], out[i], w.Size[i])
		switch {
		case i >= n-2:
			p.along[n-1-i] = s
		case !w.Idle(i):
			kit.Refuse("its window reaches over dimension %d; a pooling layer pools the last two", i)
		}
		if s.Dilation != 1 {
			kit.Refuse("its window has a dilation of %d, which a pooling layer has not", s.Dilation)
		}
		if s.Before < 0 || s.after < 0 {
			kit.Refuse("its padding is negative")
		}
		if s.Before+s.after > 0 && p.border != "constant" && p.border != "ignore" {
			kit.Refuse("its border is %s; a pooling layer pads with zeros", p.border)
		}
	}
	p.x = c.as(c.In[0], extended(dimsOf(shape), max(n, 3)))
	return p
}

// outside reports whether any window reaches beyond the elements.
func (p *pooling) outside() bool {
	for _, s := range p.along {
		if s.Outside() {
			return true
		}
	}
	return false
}

// fit finds a rounding of sizes with which both windows can be said. Where padding on both sides alike does not do, zeros are laid around
// the elements, or elements that no window reaches are left out.
func (c *emission) fit(p *pooling) openvx.SizeRounding {
	for _, r := range roundings {
		if p.fits(r) {
			return r
		}
	}
	for i := range p.along {
		c.lay(p, i)
	}
	if !p.fits(openvx.SizeRoundingCeiling) {
		kit.Refuse("its windows cannot be said with padding that is the same on both sides")
	}
	return openvx.SizeRoundingCeiling
}

// fits reports whether both windows can be said. None may reach beyond the padding: what is there differs between libraries.
func (p *pooling) fits(r openvx.SizeRounding) bool {
	for i := range p.along {
		s := &p.along[i]
		if s.pad = s.Before; s.end() > s.In+s.pad || !s.gives(s.In, s.pad, s.Size, r) {
			return false
		}
	}
	return true
}

// lay makes the elements along a dimension exactly those that windows reach.
func (c *emission) lay(p *pooling, d int) {
	s := &p.along[d]
	p.x = c.framed(p.x, d, s.Before, s.end()-s.In, c.format().raw(0))
	s.In, s.Before, s.after = p.x.Dims[d], 0, 0
}

// pool makes the call.
func (c *emission) pool(p *pooling, kind openvx.Pooling, r openvx.SizeRounding) *Tensor {
	w, h := &p.along[0], &p.along[1]
	return c.make(append(ints{w.Out, h.Out}, p.x.Dims[2:]...), "vxPoolingLayer", p.x, kind, w.Size, h.Size, w.pad, h.pad, r)
}

// maxPool: the standard's padding are zeros that take part, the sample implementation's do not. Of what is never negative no zero is the
// greatest but where all are.
func maxPool(c *emission) {
	p := c.pooling()
	if p.outside() && p.border == "ignore" && !c.e.neverNegative(c.In[0], 0) {
		kit.Refuse("its padding has no part in the maxima, but in the standard's pooling layer it has that of zeros; it can be said of inputs " +
			"that are never negative, such as those of relu")
	}
	c.set(c.pool(p, openvx.PoolingMax, c.fit(p)))
}

func averagePool(c *emission) {
	p := c.pooling()
	if !c.Bool("normalize") {
		c.sums(p)
		return
	}
	uncounted := p.outside() && p.border == "ignore"
	c.exact = !uncounted
	if uncounted && !c.isFloat() {
		kit.Refuse("its padding is not counted in the averages, which integers can only be rounded after")
	}
	y := c.pool(p, openvx.PoolingAvg, c.fit(p))
	if uncounted {
		shape := c.shape(0)
		last := max(len(shape)-2, 0)
		plane := filled(Float32.raw(1), append(ones(last), shape[last:]...))
		inside := eval("box", c.Attrs.With("border", "constant"), plane) // the part of each window that lies inside
		none := eval("eq", nil, inside, Float32.raw(0))                  // whose average is 0
		ratio := eval("rcp", nil, eval("select", nil, none, Float32.raw(1), inside))
		y = c.multiply(y, c.weights("ratio", extended(dimsOf(ints(ratio.Shape())), len(y.Dims)), ratio), 1)
	}
	c.set(y)
}

// sums convolves each channel with ones.
func (c *emission) sums(p *pooling) {
	if !c.isFloat() {
		kit.Refuse("sums of integers wrap in their type, those of a layer are exact")
	}
	widened(&p.along)
	c.convolve(p.x.Dims[2], p.x, c.uniform(p, 1), nil, &p.along)
}

// uniform adds a filter of one channel whose elements are a number, with the zeros around it that the windows say.
func (c *emission) uniform(p *pooling, x float64) *Tensor {
	w, h := &p.along[0], &p.along[1]
	f := c.surrounded(filled(tensor.Scalar(float32(x)), ints{1, 1, h.Size, w.Size}), &p.along)
	return c.weights("ones", dimsOf(ints(f.Shape())), f)
}

// debox is a deconvolution of each channel with ones, or with what they are divided by.
func debox(c *emission) {
	p := c.pooling()
	x := 1.0
	if c.Bool("normalize") {
		switch w, h := &p.along[0], &p.along[1]; {
		case p.border == "constant":
			x /= float64(w.Size * h.Size)
		case w.Size > w.Stride || h.Size > h.Stride:
			kit.Refuse("its averages are of as many elements as there are in each place, which a layer does not count")
		}
	}
	a := deconvolved(&p.along)
	w, h := &p.along[0], &p.along[1]
	w.zerosBefore, h.zerosBefore, w.zerosBehind, h.zerosBehind = w.zerosBehind, h.zerosBehind, 0, 0 // as the layer turns its weights around
	c.deconvolve(p.x.Dims[2], p.x, c.uniform(p, x), nil, &p.along, a)
}

// reduce pools all elements of the last one or two dimensions.
func (c *emission) reduce(kind openvx.Pooling) {
	shape := c.shape(0)
	n := len(shape)
	size := ints{1, 1} // width and height
	for _, a := range c.Ints("axes") {
		if a < n-2 && shape[a] != 1 {
			kit.Refuse("it reduces axis %d of shape %v; a pooling layer pools the last two", a, shape)
		}
		if a >= n-2 {
			size[n-1-a] = shape[a]
		}
	}
	x := c.as(c.In[0], extended(dimsOf(shape), max(n, 3)))
	dims := append(ints{x.Dims[0] / size[0], x.Dims[1] / size[1]}, x.Dims[2:]...)
	c.set(c.make(dims, "vxPoolingLayer", x, kind, size[0], size[1], 0, 0, openvx.SizeRoundingFloor))
}
