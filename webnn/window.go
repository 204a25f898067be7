package webnn

import (
	"math/big"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/internal/geometry"
)

// Methods with a window that slides over height and width, and resample2d, which has none.

// window returns a window of that size, over height and width, with the options padding, strides and dilations, which get their defaults.
func (l *lowering) window(size []int) *geometry.Window {
	l.values["padding"] = l.intsOf("padding", 4, 0, 0, 0, 0)
	l.values["strides"] = l.positive("strides", l.intsOf("strides", 2, 1, 1))
	l.values["dilations"] = l.positive("dilations", l.intsOf("dilations", 2, 1, 1))
	w := &geometry.Window{Size: size, Stride: l.ints("strides"), Dilation: l.ints("dilations")}
	w.Pad(l.ints("padding"))
	return w
}

// intsOf returns a list option, checked to have n items by the rule of the option's name, or the fallback if it is absent.
func (l *lowering) intsOf(name string, n int, fallback ...int) []int {
	v, ok := l.values[name].([]int)
	if !ok {
		return fallback
	}
	if len(v) != n {
		l.reject(name, "%s: %d values are given; there must be %d", name, len(v), n)
		return fallback
	}
	return v
}

// spatial names the dimensions of a window in messages.
var spatial = [2]string{"height", "width"}

// outputSize returns the extent of a dimension of the result, after rejecting it if it is no valid one.
func (l *lowering) outputSize(dimension string, n int64) int {
	if n < 1 || n > maxDimension {
		l.reject("outputSize", "the extent %d of the result's %s is not from 1 to %d", n, dimension, maxDimension)
		return 1
	}
	return int(n)
}

func conv2d(l *lowering) {
	l.window(nil)
	l.groups()
	l.channels(l.shape("filter")[0], "the output channels of the filter", "bias")
}

// groups returns the option of that name, which must not be 0.
func (l *lowering) groups() int {
	if l.int("groups") == 0 {
		l.reject("groups", "groups is 0; it must be positive")
		return 1
	}
	return l.int("groups")
}

// convTranspose2d finds the shape of the result. A call is accepted whose groups do not divide the input channels.
func convTranspose2d(l *lowering) {
	in, filter := l.shape("input"), l.shape("filter")
	w, groups := l.window(filter[2:]), l.groups()
	more, sizes := l.intsOf("outputPadding", 2, 0, 0), l.intsOf("outputSizes", 2)
	channels := geometry.Times(filter[1], groups)
	switch {
	case l.Err != nil:
		return
	case channels > maxDimension:
		l.reject("outputChannels", "%d groups of %d output channels are more than %d", groups, filter[1], maxDimension)
	}
	out := []int{in[0], int(min(channels, maxDimension)), 0, 0}
	l.channels(out[1], "the output channels of the filter by groups", "bias")
	for i := range spatial {
		least := w.Reach(i, in[2+i]) - w.Added(i)
		switch {
		case sizes != nil && (int64(sizes[i]) < least || int64(sizes[i]) >= least+int64(w.Stride[i])):
			l.reject("outputSizes.bounds", "the output %s %d is not from %d to %d, to which input, filter, padding, strides and dilations lead",
				spatial[i], sizes[i], least, least+int64(w.Stride[i])-1)
		case sizes != nil:
			least = int64(sizes[i])
		case more[i] >= w.Stride[i]:
			l.reject("outputPadding.strides", "the output padding %d of the %s must be less than the stride %d", more[i], spatial[i], w.Stride[i])
		default:
			least += int64(more[i])
		}
		out[2+i] = l.outputSize(spatial[i], least)
	}
	l.values["output_shape"] = out
	if l.Err == nil && in[1] == filter[0] && in[1]%groups != 0 {
		l.unbuildable(l.operand("input").Type.DType, out, "the %d input channels are not divisible by groups, %d", in[1], groups)
	}
}

// pool2d gives the window the four dimensions that the operators have.
func pool2d(l *lowering) {
	in := l.shape("input")[2:]
	w := l.window(l.positive("windowDimensions", l.intsOf("windowDimensions", 2, in...)))
	out := l.poolSizes(w, in)
	if l.Err != nil {
		return
	}
	height, width := l.reaching(w, 0, in[0], out[0]), l.reaching(w, 1, in[1], out[1])
	if geometry.Times(height.size, width.size) > maxDimension {
		l.reject("windowDimensions.limit", "the window %v reaches the input at more than %d positions", w.Size, maxDimension)
	}
	l.values["border"], l.values["normalize"] = "ignore", true // a mean, where the operator has the choice
	l.values["size"] = []int{1, 1, height.size, width.size}
	l.values["padding"] = []int{0, 0, 0, 0, height.before, height.after, width.before, width.after}
	l.values["stride"], l.values["dilation"] = append([]int{1, 1}, w.Stride...), append([]int{1, 1}, w.Dilation...)
}

// poolSizes returns the height and width of the result of pooling.
func (l *lowering) poolSizes(w *geometry.Window, in []int) []int {
	given := l.intsOf("outputSizes", 2)
	if l.Err != nil {
		return nil
	}
	var floor, ceil, sizes [2]int64
	for i := range spatial {
		floor[i], ceil[i] = w.Count(i, in[i], false), w.Count(i, in[i], true)
	}
	switch {
	case l.has("outputSizes"):
		if sizes = [2]int64{int64(given[0]), int64(given[1])}; sizes != floor && sizes != ceil {
			l.reject("outputSizes.bounds", "the output sizes are %v; they must be %v or %v", sizes, floor, ceil)
		}
	case l.string("outputShapeRounding") == string(RoundingCeil):
		sizes = ceil
	default:
		sizes = floor
	}
	for i := range spatial {
		if sizes[i] < 1 {
			l.reject("outputSize", "the window covers %d elements of the %s, but the padded input has only %d",
				w.Span(i), spatial[i], int64(in[i])+w.Added(i))
		}
	}
	return []int{l.outputSize(spatial[0], sizes[0]), l.outputSize(spatial[1], sizes[1])}
}

// poolDim is a dimension of a pooling: the positions of the window, and the padding.
type poolDim struct{ size, before, after int }

// addressed makes an int of a number of elements, after rejecting one that an int does not hold.
func (l *lowering) addressed(n int64) int {
	if int64(int(n)) != n {
		l.reject("padding", "a padding of %d elements is more than can be addressed", n)
	}
	return int(n)
}

// reaching returns dimension i of a pooling with in and out elements. A window that goes beyond the end finds padding there.
// The positions at the window's ends that reach no element in any of its places take no part in the result; where there are
// such, the window is cut to the others, lest it have more positions than can be counted.
func (l *lowering) reaching(w *geometry.Window, i, in, out int) poolDim {
	size, before := int64(w.Size[i]), int64(w.Before[i])
	stride, gap := int64(w.Stride[i]), int64(w.Dilation[i])
	way, end := int64(out-1)*stride, int64(in)-1+before // the last place of the window, and of the input's last element
	// The first and the last place of the window at which it reaches an element have the last and the first position that does.
	from := max(-geometry.FloorDiv(w.Span(i)-1-before, stride)*stride, 0)
	to := min(geometry.FloorDiv(end, stride)*stride, way)
	last := min(geometry.FloorDiv(end-from, gap), size-1)
	first := max(-geometry.FloorDiv(to-before, gap), 0)
	if first == 0 && last == size-1 {
		return poolDim{int(size), int(before), l.addressed(int64(w.After[i]) + max(way-w.Room(i, in), 0))}
	}
	if from > to || first > last { // no position reaches anything
		first, last = 0, 0
	}
	size, before = last-first+1, before-first*gap
	return poolDim{l.addressed(size), l.addressed(before), l.addressed(way + (size-1)*gap + 1 - int64(in) - before)}
}

// resample2d finds the extents of the result. Coordinates follow the quotients of the extents, also where scales give them.
func resample2d(l *lowering) {
	out := slices.Clone(l.shape("input"))
	scales, sizes := l.scales(), l.positive("sizes", l.intsOf("sizes", 2))
	axes := l.intsOf("axes", 2, 2, 3)
	l.checkDimensions("axes", axes, len(out))
	if l.Err != nil {
		return
	}
	for i, axis := range axes {
		n := scaled(out[axis], scales[i])
		if sizes != nil {
			n = int64(sizes[i])
		}
		out[axis] = l.outputSize("dimension "+strconv.Itoa(axis), n)
	}
	l.values["sizes"] = []int(out)
	delete(l.values, "scales") // which is another attribute
}

// checkDimensions checks that a list names different dimensions of a tensor of that rank.
func (l *lowering) checkDimensions(name string, list []int, rank int) {
	for i, d := range list {
		switch {
		case d >= rank:
			l.reject(name+".bounds", "%s: %d is no dimension of a tensor of rank %d", name, d, rank)
		case slices.Contains(list[:i], d):
			l.reject(name+".unique", "%s: dimension %d occurs twice", name, d)
		}
	}
}

// scales returns the option of that name.
func (l *lowering) scales() []float64 {
	if !l.has("scales") {
		return []float64{1, 1}
	}
	scales := value[[]float64](l, "scales")
	if len(scales) != 2 {
		l.reject("scales", "scales: %d values are given; there must be 2", len(scales))
	}
	for i, s := range scales {
		if s <= 0 {
			l.reject("scales.positive", "scales: item %d is %v; it must be positive", i, s)
		}
	}
	return scales
}

// scaled returns floor(n·scale), at most the greatest int64. The product of an extent and a float of single precision is
// exact in 64 bits.
func scaled(n int, scale float64) int64 {
	p := new(big.Float).SetPrec(64).SetInt64(int64(n))
	size, _ := p.Mul(p, big.NewFloat(scale)).Int64()
	return size
}
