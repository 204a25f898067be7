package openvx

import (
	"slices"
	"strconv"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
)

// window is what slides along one dimension in a convolution or a pooling: output element x covers the positions
// x·skip - pad + k·step for 0 ≤ k < size.
type window struct {
	axis          string
	in, out       int // extents; an out of 0 is open
	pad           int
	size, step    int
	skip          int
	after, beyond int // padding at the end that the last window needs; how far it reaches beyond the padding that is declared
}

// slide completes a window. OpenVX gives the extents of a result and no stride, so that this is the inverse of op's shape rule, which the node
// that a layer becomes is held to: it finds the least skip that gives out, or with an open out the result that skip 1 gives. It returns false
// if there is none.
func (w *window) slide(r SizeRounding) bool {
	span := (w.size-1)*w.step + 1
	room := w.in + 2*w.pad - span // how far the window can move
	if room < 0 {
		return false
	}
	if w.skip = 1; w.out == 0 {
		w.out = room + 1
	}
	if moves := w.out - 1; moves > 0 {
		made := room / w.out // moves with this skip would be too many
		if r == SizeRoundingCeiling {
			w.skip = max(ceilDiv(room, moves), 1)
			made = ceilDiv(room, w.skip)
		} else {
			w.skip = made + 1
			made = room / w.skip
		}
		if made != moves {
			return false
		}
	}
	w.after = (w.out-1)*w.skip + span - w.in - w.pad
	w.beyond = max(w.after-w.pad, 0)
	return true
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// slideBoth completes the windows along width and height.
func (c *call) slideBoth(windows *[2]window, r SizeRounding) error {
	for i := range windows {
		w := &windows[i]
		if w.slide(r) {
			continue
		}
		want := "with that no window fits"
		if open := *w; open.out > 0 {
			if open.out = 0; open.slide(r) {
				want = "no skip gives that; skip 1 would give " + strconv.Itoa(open.out)
			}
		}
		rounding := "floor"
		if r == SizeRoundingCeiling {
			rounding = "ceiling"
		}
		return c.wrong(c.last(), ErrorInvalidDimension, "has %s %d for inputs with %d, padding %d, a window of %d with %d between its elements, "+
			"and %s rounding: %s", w.axis, w.out, w.in, w.pad, w.size, w.step-1, rounding, want)
	}
	return nil
}

func (c *call) convolutionWindows() ([2]window, error) {
	p := argument[ConvolutionParams](c, 3)
	x, k := c.operands[0].dims, c.operands[1].dims
	windows := [2]window{
		{axis: "width", in: x[0], out: c.extent(0), pad: p.PaddingX, size: k[0], step: p.DilationX + 1},
		{axis: "height", in: x[1], out: c.extent(1), pad: p.PaddingY, size: k[1], step: p.DilationY + 1},
	}
	for _, w := range windows {
		if w.size-1 > limits.VXWindow/w.step {
			return windows, c.wrong(3, ErrorInvalidValue, "makes of the %d weights along the %s a window of more than %d",
				w.size, w.axis, limits.VXWindow)
		}
	}
	return windows, c.slideBoth(&windows, p.DownScaleSize)
}

func inferConvolution(c *call) error {
	p := argument[ConvolutionParams](c, 3)
	if err := firstOf(
		c.checkFormats(0, 1, 2),
		c.checkOverflow(3, p.OverflowPolicy), c.checkRounding(3, p.RoundingPolicy), c.checkSizeRounding(3, p.DownScaleSize),
		c.checkSize(3, "padding_x", p.PaddingX, 0), c.checkSize(3, "padding_y", p.PaddingY, 0),
		c.checkSize(3, "dilation_x", p.DilationX, 0), c.checkSize(3, "dilation_y", p.DilationY, 0),
		c.checkWeights(),
	); err != nil {
		return err
	}
	windows, err := c.convolutionWindows()
	if err != nil {
		return err
	}
	return c.completeMaps(windows[0].out, windows[1].out)
}

// firstOf returns the first error. Its arguments are evaluated all, so each must bear what an earlier one finds wrong.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkWeights checks the ranks of inputs and weights, and that they have as many input channels.
func (c *call) checkWeights() error {
	if err := firstOf(c.checkRank(0, 3, MaxTensorDims), c.checkRank(1, 4, 4)); err != nil {
		return err
	}
	if x, k := c.operands[0].dims, c.operands[1].dims; k[2] != x[2] {
		return c.wrong(1, ErrorInvalidDimension, "has extents %v, %d input channels; inputs has %d, in %v", k, k[2], x[2], x)
	}
	return nil
}

// completeMaps completes the result of a convolution or deconvolution, and checks the biases against it.
func (c *call) completeMaps(width, height int) error {
	x, maps := c.operands[0].dims, c.operands[1].dims[3]
	dims := slices.Concat([]int{width, height, maps}, x[3:])
	if err := c.complete(c.like(0, dims...)); err != nil || !c.operands[2].given {
		return err
	}
	if got := c.operands[2].dims; len(got) == 1 && got[0] == maps {
		return nil
	}
	return c.checkDims(2, dims[:3], "or the last of these alone")
}

// lowerConvolution: the standard's sums in a wide accumulator, to which the bias is added, and one rounding at the end. Windows may leave
// the padded input with ceiling; what lies there is zeros.
func lowerConvolution(l *lowering) *graph.Value {
	p := argument[ConvolutionParams](l.call, 3)
	windows, err := l.convolutionWindows()
	l.Fail(err)
	if l.compatible {
		// The sample implementation puts zeros in front of the weights too, so that all of them lie dilation elements further on.
		for i, dilation := range []int{p.DilationX, p.DilationY} {
			windows[i].pad -= dilation
			windows[i].after += dilation
		}
	}
	return l.maps(p.RoundingPolicy, p.OverflowPolicy, func(x, weights, bias *graph.Value, attrs graph.Attrs) *graph.Value {
		w, h := windows[0], windows[1]
		attrs = append(attrs, emit.Attr("padding", []int{h.pad, h.after, w.pad, w.after},
			"stride", []int{h.skip, w.skip}, "dilation", []int{h.step, w.step})...)
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

// upscaling is what a deconvolution does along one dimension: input element i lies at i·up - pad, and weight k that many further on.
type upscaling struct {
	axis         string
	in, out      int // extents; an out of 0 is open
	pad, size, a int
	up           int
}

func (c *call) upscalings() ([2]upscaling, error) {
	p := argument[DeconvolutionParams](c, 3)
	x, k := c.operands[0].dims, c.operands[1].dims
	both := [2]upscaling{
		{axis: "width", in: x[0], out: c.extent(0), pad: p.PaddingX, size: k[0], a: p.AX},
		{axis: "height", in: x[1], out: c.extent(1), pad: p.PaddingY, size: k[1], a: p.AY},
	}
	for i := range both {
		if err := c.upscale(&both[i]); err != nil {
			return both, err
		}
	}
	return both, nil
}

// upscale finds the factor that gives the result its extent. It is the least possible one, a + 1, where that is open or there is only one
// element, with which every factor gives the same.
func (c *call) upscale(u *upscaling) error {
	if u.size < u.pad+1 {
		return c.wrong(3, ErrorInvalidValue, "gives a padding of %d along the %s; with %d weights it must be less", u.pad, u.axis, u.size)
	}
	if u.in > limits.VXWindow || u.size > limits.VXWindow {
		return c.wrong(0, ErrorInvalidDimension, "has %s %d, and weights %d; neither may be more than %d", u.axis, u.in, u.size, limits.VXWindow)
	}
	least := u.a + 1
	u.up = least
	smallest := (u.in-1)*least - 2*u.pad + u.size + u.a // result
	if u.out == 0 {
		u.out = smallest
	}
	if u.in > 1 {
		u.up = (u.out + 2*u.pad - u.size - u.a) / (u.in - 1)
	}
	if u.out < 1 || u.up < least || (u.in-1)*u.up-2*u.pad+u.size+u.a != u.out {
		return c.wrong(c.last(), ErrorInvalidDimension, "has %s %d for inputs with %d, padding %d, %d weights and a = %d; it must be %d or "+
			"greater by a multiple of %d", u.axis, u.out, u.in, u.pad, u.size, u.a, smallest, u.in-1)
	}
	return nil
}

func inferDeconvolution(c *call) error {
	p := argument[DeconvolutionParams](c, 3)
	if err := firstOf(
		c.checkFormats(0, 1, 2),
		c.checkOverflow(3, p.OverflowPolicy), c.checkRounding(3, p.RoundingPolicy),
		c.checkSize(3, "padding_x", p.PaddingX, 0), c.checkSize(3, "padding_y", p.PaddingY, 0),
		c.checkSize(3, "a_x", p.AX, 0), c.checkSize(3, "a_y", p.AY, 0),
		c.checkWeights(),
	); err != nil {
		return err
	}
	both, err := c.upscalings()
	if err != nil {
		return err
	}
	return c.completeMaps(both[0].out, both[1].out)
}

// lowerDeconvolution: the standard correlates the upscaled input with the weights, which is the adjoint of a convolution with the weights
// turned around.
func lowerDeconvolution(l *lowering) *graph.Value {
	p := argument[DeconvolutionParams](l.call, 3)
	both, err := l.upscalings()
	l.Fail(err)
	return l.maps(p.RoundingPolicy, p.OverflowPolicy, func(x, weights, bias *graph.Value, attrs graph.Attrs) *graph.Value {
		w, h := both[0], both[1]
		if l.compatible {
			// The sample implementation accepts positions in the upscaled input only below the extent of the input itself.
			w.in, h.in = ceilDiv(w.in, w.up), ceilDiv(h.in, h.up)
			x = l.Node("slice", emit.Attr("axes", []int{2, 3}, "begin", []int{0, 0}, "end", []int{h.in, w.in}), x)
		}
		weights = l.Node("reverse", emit.Attr("axes", []int{2, 3}), l.Transpose(weights, 1, 0))
		after := func(u upscaling) int { return (u.in-1)*u.up + u.size - u.pad - u.out }
		attrs = append(attrs, emit.Attr("padding", []int{h.pad, after(h), w.pad, after(w)}, "stride", []int{h.up, w.up})...)
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

func inferFullyConnected(c *call) error {
	if err := firstOf(
		c.checkFormats(0, 1, 2),
		c.checkOverflow(3, ConvertPolicy(argument[Enum](c, 3))), c.checkRounding(4, RoundPolicy(argument[Enum](c, 4))),
		c.checkRank(1, 2, 4),
	); err != nil {
		return err
	}
	x, weights, core := c.operands[0].dims, c.operands[1].dims, c.fullyConnected()
	if core == 0 {
		return c.wrong(c.last(), ErrorInvalidDimension, "has %d dimensions, %v; with inputs of %v it must have as many if these are "+
			"channels, or two less if they are maps", len(c.out().dims), c.out().dims, x)
	}
	maps := weights[len(weights)-1]
	want := []int{product(x[:core]), maps}
	if len(weights) != 2 {
		want = append(slices.Clone(x[:core]), maps)
	}
	if err := c.checkDims(1, want, "the inputs' without the batch, then the outputs' first"); err != nil {
		return err
	}
	if c.operands[2].given {
		if err := c.checkDims(2, []int{maps}, "the last of weights'"); err != nil {
			return err
		}
	}
	return c.complete(c.like(0, append([]int{maps}, x[core:]...)...))
}

func lowerFullyConnected(l *lowering) *graph.Value {
	f, core := l.operands[0].format, l.fullyConnected()
	features, batch := product(f.dims[:core]), product(f.dims[core:])
	maps := l.out().dims[0]
	acc := accumulator(f, features)
	sum := l.Node("linear", sums(acc), l.Reshape(l.values[0], batch, features), l.Reshape(l.values[1], maps, features),
		l.aligned(l.values[2], f, acc))
	return l.result(l.rounded(sum, RoundPolicy(argument[Enum](l.call, 4)).rounding(), ConvertPolicy(argument[Enum](l.call, 3))))
}
