package openvx

import (
	"slices"
	"strconv"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Sums of products, and layers with windows.
var sumLayers = []*layer{
	newLayer(KernelConvolutionLayer, inferConvolution, lowerConvolution),
	newLayer(KernelDeconvolutionLayer, inferDeconvolution, lowerDeconvolution),
	newLayer(KernelFullyConnectedLayer, inferFullyConnected, lowerFullyConnected),
	newLayer(KernelPoolingLayer, inferPooling, lowerPooling),
	newLayer(KernelROIPoolingLayer, inferROIPooling, lowerROIPooling),
}

// window is what slides along one dimension in a convolution or a pooling.
type window struct {
	axis           string
	geometry.Slide     // an Out of 0 is open
	after, beyond  int // padding at the end that the last window needs; how far it reaches beyond the padding that is declared
}

// slide completes a window. OpenVX gives the extents of a result and no stride, so that this is the inverse of op's shape rule, which the node
// that a layer becomes is held to: it finds the least skip that gives out, or with an open out the result that skip 1 gives. It returns false
// if there is none.
func (w *window) slide(r SizeRounding) bool {
	room := w.In + 2*w.Before - w.Span() // how far the window can move
	if w.Out == 0 {
		w.Out = max(room+1, 0)
	}
	skip, ok := geometry.InferStride(room, w.Out, r == SizeRoundingCeiling)
	if !ok {
		return false
	}
	w.Stride = skip
	w.after = w.Reach(w.Out) - w.In - w.Before
	w.beyond = max(w.after-w.Before, 0)
	return true
}

// slideBoth completes the windows along width and height.
func (c *call) slideBoth(windows [2]window, r SizeRounding) [2]window {
	for i := range windows {
		w := &windows[i]
		if w.slide(r) {
			continue
		}
		want := "with that no window fits"
		if open := *w; open.Out > 0 {
			if open.Out = 0; open.slide(r) {
				want = "no skip gives that; skip 1 would give " + strconv.Itoa(open.Out)
			}
		}
		rounding := "floor"
		if r == SizeRoundingCeiling {
			rounding = "ceiling"
		}
		c.wrong(c.last(), ErrorInvalidDimension, "has %s %d for inputs with %d, padding %d, a window of %d with %d between its elements, "+
			"and %s rounding: %s", w.axis, w.Out, w.In, w.Before, w.Size, w.Dilation-1, rounding, want)
	}
	return windows
}

func (c *call) convolutionWindows() [2]window {
	p := argument[ConvolutionParams](c, 3)
	x, k := c.operands[0].dims, c.operands[1].dims
	windows := [2]window{
		{axis: "width", Slide: geometry.Slide{In: x[0], Out: c.extent(0), Before: p.PaddingX, Size: k[0], Dilation: p.DilationX + 1}},
		{axis: "height", Slide: geometry.Slide{In: x[1], Out: c.extent(1), Before: p.PaddingY, Size: k[1], Dilation: p.DilationY + 1}},
	}
	for _, w := range windows {
		if w.Size-1 > limits.VXWindow/w.Dilation {
			c.wrong(3, ErrorInvalidValue, "makes of the %d weights along the %s a window of more than %d", w.Size, w.axis, limits.VXWindow)
		}
	}
	return c.slideBoth(windows, p.DownScaleSize)
}

func inferConvolution(c *call) {
	c.checkMaps()
	windows := c.convolutionWindows()
	c.completeMaps(windows[0].Out, windows[1].Out)
}

// checkMaps checks the formats of a convolution or deconvolution, the ranks of inputs and weights, and that they have as many input channels.
func (c *call) checkMaps() {
	c.checkFormats(0, 1, 2)
	c.checkRank(0, 3, MaxTensorDims)
	c.checkRank(1, 4, 4)
	if x, k := c.operands[0].dims, c.operands[1].dims; k[2] != x[2] {
		c.wrong(1, ErrorInvalidDimension, "has extents %v, %d input channels; inputs has %d, in %v", k, k[2], x[2], x)
	}
}

// completeMaps completes the result of a convolution or deconvolution, and checks the biases against it.
func (c *call) completeMaps(width, height int) {
	x, maps := c.operands[0].dims, c.operands[1].dims[3]
	dims := slices.Concat([]int{width, height, maps}, x[3:])
	c.like(dims...)
	if got := c.operands[2].dims; c.operands[2].given && (len(got) != 1 || got[0] != maps) {
		c.checkDims(2, dims[:3], "or the last of these alone")
	}
}

// lowerConvolution: the standard's sums in a wide accumulator, to which the bias is added, and one rounding at the end. Windows may leave
// the padded input with ceiling; what lies there is zeros.
func lowerConvolution(l *lowering) *graph.Value {
	p, windows := argument[ConvolutionParams](l.call, 3), l.convolutionWindows()
	if l.compatible {
		// The sample implementation puts zeros in front of the weights too, so that all of them lie dilation elements further on.
		for i, dilation := range []int{p.DilationX, p.DilationY} {
			windows[i].Before -= dilation
			windows[i].after += dilation
		}
	}
	return l.maps(p.RoundingPolicy, p.OverflowPolicy, func(x, weights, bias *graph.Value, attrs graph.Attrs) *graph.Value {
		w, h := windows[0], windows[1]
		attrs = append(attrs, emit.Attr("padding", []int{h.Before, h.after, w.Before, w.after},
			"stride", []int{h.Stride, w.Stride}, "dilation", []int{h.Dilation, w.Dilation})...)
		return l.Node("conv", attrs, x, weights, bias)
	})
}

// maps lowers what convolution and deconvolution have in common: batches, bias, accumulator and rounding. apply adds the products; its
// bias, which may be nil, is one for each output channel.
func (l *lowering) maps(r RoundPolicy, p ConvertPolicy,
	apply func(x, weights, bias *graph.Value, attrs graph.Attrs) *graph.Value) *graph.Value {
	f, y := l.operands[0].format, l.out().dims
	acc := accumulator(f, product(l.operands[1].dims[:3]))
	bias := l.aligned(l.values[2], f, acc)
	shared := bias
	if len(l.operands[2].dims) == 3 {
		shared = nil
	}
	sum := apply(l.Reshape(l.values[0], batched(f.dims, 3)...), l.values[1], shared, sums(acc))
	if bias != shared {
		sum = l.Node("add", nil, sum, l.Reshape(bias, 1, y[2], y[1], y[0]))
	}
	return l.result(l.rounded(sum, r.rounding(), p))
}

// upscaling is what a deconvolution does along one dimension, by the factor Stride: padding is taken away on both sides, and a elements are added at the
// end.
type upscaling struct {
	axis           string
	geometry.Slide // an Out of 0 is open
	a              int
}

// extent returns that of the result if the factor is up.
func (u upscaling) extent(up int) int {
	u.Stride = up
	return u.Reach(u.In) - 2*u.Before + u.a
}

func (c *call) upscalings() [2]upscaling {
	p := argument[DeconvolutionParams](c, 3)
	x, k := c.operands[0].dims, c.operands[1].dims
	both := [2]upscaling{
		{axis: "width", Slide: geometry.Slide{In: x[0], Out: c.extent(0), Before: p.PaddingX, Size: k[0], Dilation: 1}, a: p.AX},
		{axis: "height", Slide: geometry.Slide{In: x[1], Out: c.extent(1), Before: p.PaddingY, Size: k[1], Dilation: 1}, a: p.AY},
	}
	c.upscale(&both[0])
	c.upscale(&both[1])
	return both
}

// upscale finds the factor that gives the result its extent. It is the least possible one, a + 1, where that is open or there is only one
// element, with which every factor gives the same.
func (c *call) upscale(u *upscaling) {
	if u.Size < u.Before+1 {
		c.wrong(3, ErrorInvalidValue, "gives a padding of %d along the %s; with %d weights it must be less", u.Before, u.axis, u.Size)
	}
	if u.In > limits.VXWindow || u.Size > limits.VXWindow {
		c.wrong(0, ErrorInvalidDimension, "has %s %d, and weights %d; neither may be more than %d", u.axis, u.In, u.Size, limits.VXWindow)
	}
	least := u.a + 1
	u.Stride = least
	smallest := u.extent(least)
	if u.Out == 0 {
		u.Out = smallest
	}
	if u.In > 1 {
		u.Stride = (u.Out - u.extent(0)) / (u.In - 1)
	}
	if u.Out < 1 || u.Stride < least || u.extent(u.Stride) != u.Out {
		c.wrong(c.last(), ErrorInvalidDimension, "has %s %d for inputs with %d, padding %d, %d weights and a = %d; it must be %d or "+
			"greater by a multiple of %d", u.axis, u.Out, u.In, u.Before, u.Size, u.a, smallest, u.In-1)
	}
}

func inferDeconvolution(c *call) {
	c.checkMaps()
	both := c.upscalings()
	c.completeMaps(both[0].Out, both[1].Out)
}

// lowerDeconvolution: the standard correlates the upscaled input with the weights, which is the adjoint of a convolution with the weights
// turned around.
func lowerDeconvolution(l *lowering) *graph.Value {
	p, both := argument[DeconvolutionParams](l.call, 3), l.upscalings()
	return l.maps(p.RoundingPolicy, p.OverflowPolicy, func(x, weights, bias *graph.Value, attrs graph.Attrs) *graph.Value {
		w, h := both[0], both[1]
		if l.compatible {
			// The sample implementation accepts positions in the upscaled input only below the extent of the input itself.
			w.In, h.In = geometry.CeilDiv(w.In, w.Stride), geometry.CeilDiv(h.In, h.Stride)
			x = l.Node("slice", emit.Attr("axes", []int{2, 3}, "begin", []int{0, 0}, "end", []int{h.In, w.In}), x)
		}
		weights = l.Node("reverse", emit.Attr("axes", []int{2, 3}), l.Transpose(weights, 1, 0))
		after := func(u upscaling) int { return u.Reach(u.In) - u.Before - u.Out }
		attrs = append(attrs, emit.Attr("padding", []int{h.Before, after(h), w.Before, after(w)}, "stride", []int{h.Stride, w.Stride})...)
		return l.Node("deconv", attrs, x, weights, bias)
	})
}

// fullyConnected returns the number of dimensions of one input, 1 or 3, or 0 if that cannot be.
func (c *call) fullyConnected() int {
	x, weights := c.operands[0].dims, c.operands[1].dims
	core := len(x) - len(c.out().dims) + 1
	if len(c.out().dims) == 0 { // open: the weights tell
		if core = 3; len(weights) == 2 && len(x) > 0 && weights[0] == x[0] {
			core = 1
		}
	}
	if core != 1 && core != 3 || core > len(x) {
		return 0
	}
	return core
}

func inferFullyConnected(c *call) {
	c.checkFormats(0, 1, 2)
	c.checkRank(1, 2, 4)
	x, weights, core := c.operands[0].dims, c.operands[1].dims, c.fullyConnected()
	if core == 0 {
		c.wrong(c.last(), ErrorInvalidDimension, "has %d dimensions, %v; with inputs of %v it must have as many if these are "+
			"channels, or two less if they are maps", len(c.out().dims), c.out().dims, x)
	}
	maps := weights[len(weights)-1]
	want := []int{product(x[:core]), maps}
	if len(weights) != 2 {
		want = append(slices.Clone(x[:core]), maps)
	}
	c.checkDims(1, want, "the inputs' without the batch, then the outputs' first")
	if c.operands[2].given {
		c.checkDims(2, []int{maps}, "the last of weights'")
	}
	c.like(append([]int{maps}, x[core:]...)...)
}

func lowerFullyConnected(l *lowering) *graph.Value {
	f, core := l.operands[0].format, l.fullyConnected()
	features, batch := product(f.dims[:core]), product(f.dims[core:])
	maps := l.out().dims[0]
	acc := accumulator(f, features)
	sum := l.Node("linear", sums(acc), l.Reshape(l.values[0], batch, features), l.Reshape(l.values[1], maps, features),
		l.aligned(l.values[2], f, acc))
	return l.result(l.rounded(sum, argument[RoundPolicy](l.call, 4).rounding(), argument[ConvertPolicy](l.call, 3)))
}

func (c *call) poolingWindows() [2]window {
	x := c.operands[0].dims
	return c.slideBoth([2]window{
		{axis: "width", Slide: geometry.Slide{In: x[0], Out: c.extent(0), Before: argument[int](c, 4), Size: argument[int](c, 2), Dilation: 1}},
		{axis: "height", Slide: geometry.Slide{In: x[1], Out: c.extent(1), Before: argument[int](c, 5), Size: argument[int](c, 3), Dilation: 1}},
	}, argument[SizeRounding](c, 6))
}

func inferPooling(c *call) {
	c.checkFormats(0)
	c.checkRank(0, 3, MaxTensorDims)
	for i := range 2 {
		c.checkSize(2+i, "size", argument[int](c, 2+i), 1)
		c.checkSize(4+i, "padding", argument[int](c, 4+i), 0)
	}
	if x, y := argument[int](c, 2), argument[int](c, 3); x > limits.VXWindow/y {
		c.wrong(3, ErrorInvalidValue, "and the parameter before it make a window of %d × %d elements; there may be %d", x, y, limits.VXWindow)
	}
	windows := c.poolingWindows()
	c.like(append([]int{windows[0].Out, windows[1].Out}, c.operands[0].dims[2:]...)...)
}

// lowerPooling: the standard pads the data with zeros before it pools, so these take part in maxima and count in averages. With ceiling the
// last window may leave the padded data; of what lies there nothing takes part, and a window with nothing else gives 0. The sample
// implementation leaves the zeros out of maxima, and divides a sum by the size of the window wherever that reaches.
func lowerPooling(l *lowering) *graph.Value {
	const rank = 4 // batch, channels and plane, of which kernels know more
	size, stride := slices.Repeat([]int{1}, rank), slices.Repeat([]int{1}, rank)
	padding, zeros := make([]int, 2*rank), make([]int, 2*rank)
	padded, beyond := false, false
	for i, w := range l.poolingWindows() {
		d := rank - 1 - i
		size[d], stride[d] = w.Size, w.Stride
		padding[2*d], padding[2*d+1] = w.Before, w.after
		last := (w.Out-1)*w.Stride - w.Before // where the last window begins
		zeros[2*d], zeros[2*d+1] = w.Before, max(w.Before, last+1-w.In)
		padded, beyond = padded || zeros[2*d+1] > 0, beyond || w.beyond > 0
	}
	x := l.Reshape(l.values[0], batched(l.operands[0].dims, 3)...)
	pool := func(operator string, attrs ...any) *graph.Value {
		return l.result(l.Node(operator, append(emit.Attr(attrs...), emit.Attr("size", size, "stride", stride, "padding", padding)...), x))
	}
	pad := func() {
		if !padded {
			return
		}
		x = l.Node("pad", emit.Attr("padding", zeros), x)
		for i := range padding {
			padding[i] -= zeros[i]
		}
	}
	switch {
	case argument[Pooling](l.call, 1) == PoolingMax:
		if !l.compatible && x.Type.DType != tensor.Uint8 { // no number of that type is below 0
			pad()
		}
		return pool("max_pool", "border", "ignore")
	case beyond && !l.compatible:
		pad()
		return pool("box", "border", "ignore", "normalize", true)
	}
	return pool("box", "border", "constant", "normalize", true)
}

func inferROIPooling(c *call) {
	c.checkFormats(0, 1)
	c.checkRank(0, 3, MaxTensorDims)
	if kind := argument[ROIPoolParams](c, 2).PoolType; kind != PoolingMax {
		c.wrong(2, ErrorInvalidValue, "gives %v as pool_type; it must be %v", kind, PoolingMax)
	}
	x, rois := c.operands[0].dims, c.operands[1].dims
	if len(rois) != len(x)-1 || rois[0] != 4 || !slices.Equal(rois[2:], x[3:]) {
		batch := ""
		if len(x) > 3 {
			batch = ", and the batch of the data"
		}
		c.wrong(1, ErrorInvalidDimension, "has extents %v; with input_data of %v they must be 4, the number of regions%s", rois, x, batch)
	}
	width, height := c.extent(0), c.extent(1)
	if width == 0 || height == 0 {
		c.wrong(c.last(), ErrorInvalidDimension, "has extents %v; width and height must be given, nothing else says them", c.out().dims)
	}
	dims := []int{width, height, x[2]}
	if len(c.out().dims) != len(x) || rois[1] != 1 { // the text forgets the dimension of regions
		dims = append(dims, rois[1])
	}
	c.like(append(dims, x[3:]...)...)
}

// lowerROIPooling: coordinates are plain integers, whatever the fixed point position. A region may reach outside the data; the sample
// implementation finds nothing in a bin that begins before it.
func lowerROIPooling(l *lowering) *graph.Value {
	x, rois, y := l.operands[0].dims, l.operands[1].dims, l.out().dims
	regions := l.Reshape(l.values[1], batched(rois, 2)...)
	if regions.Type.DType.IsFloat() {
		regions = l.Cast(regions, tensor.Int32)
	}
	before := "clamp"
	if l.compatible {
		before = "empty"
	}
	data := l.Reshape(l.values[0], batched(x, 3)...)
	return l.result(l.Node("roi_pool", emit.Attr("output_size", []int{y[1], y[0]}, "before", before), data, regions))
}
