package webnn

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// pooling binds a pooling method, https://www.w3.org/TR/webnn/#api-mlgraphbuilder-pool2d, to an operator whose window
// covers all dimensions.
func pooling(name, op string) method {
	options := list(integers("windowDimensions"), integers("padding"), integers("strides"), integers("dilations"),
		enum("layout", LayoutNCHW), enum("outputShapeRounding", RoundingFloor), integers("outputSizes"))
	return method{name, list(operand("input")), options, func(l *lowering) []*graph.Value { return pool2d(l, op) }}
}

func pool2d(l *lowering, op string) []*graph.Value {
	x := l.fromLayout("input", "layout", inputOrder)
	in := x.Type.Shape[2:]
	w := l.window(l.positive("windowDimensions", l.intsOf("windowDimensions", 2, in...)))
	out := l.poolSizes(&w, in)
	if l.Err != nil {
		return nil
	}
	height, width := l.reaching(&w, 0, in[0], out[0]), l.reaching(&w, 1, in[1], out[1])
	if product(height.size, width.size) > maxDimension {
		l.reject("windowDimensions.limit", "the window %v reaches the input at more than %d positions", w.size, maxDimension)
	}
	a := emit.Attr("border", "ignore",
		"size", []int{1, 1, height.size, width.size},
		"padding", []int{0, 0, 0, 0, height.before, height.after, width.before, width.after},
		"stride", append([]int{1, 1}, w.strides...),
		"dilation", append([]int{1, 1}, w.dilations...))
	if op == "box" {
		a = append(a, graph.Attr{Name: "normalize", Value: true})
	}
	return one(l.toLayout(l.Node(op, a, x), "layout"))
}

// poolSizes returns the height and width of the result of pooling.
func (l *lowering) poolSizes(w *window, in []int) []int {
	given := l.intsOf("outputSizes", 2)
	if l.Err != nil {
		return nil
	}
	floor, ceil := make([]int64, 2), make([]int64, 2)
	for i := range spatial {
		floor[i] = floorDiv(w.room(i, in[i]), w.strides[i]) + 1
		ceil[i] = -floorDiv(-w.room(i, in[i]), w.strides[i]) + 1
	}
	sizes := floor
	switch {
	case l.has("outputSizes"):
		sizes = []int64{int64(given[0]), int64(given[1])}
		if !slices.Equal(sizes, floor) && !slices.Equal(sizes, ceil) {
			l.reject("outputSizes.bounds", "the output sizes are %v; they must be %v or %v", sizes, floor, ceil)
		}
	case l.string("outputShapeRounding") == string(RoundingCeil):
		sizes = ceil
	}
	return []int{l.windows(w, 0, in[0], sizes[0]), l.windows(w, 1, in[1], sizes[1])}
}

// poolDim is a dimension of a pooling: the positions of the window, and the padding.
type poolDim struct{ size, before, after int }

// pad makes an int of a number of elements, after rejecting one that an int does not hold.
func (l *lowering) pad(n int64) int {
	if int64(int(n)) != n {
		l.reject("padding", "a padding of %d elements is more than can be addressed", n)
	}
	return int(n)
}

// reaching returns dimension i of a pooling with in and out elements. A window that goes beyond the end finds padding there.
// The positions at the window's ends that reach no element in any of its places take no part in the result; where there are
// such, the window is cut to the others, lest it have more positions than can be counted.
func (l *lowering) reaching(w *window, i, in, out int) poolDim {
	size, before, after := int64(w.size[i]), int64(w.padding[2*i]), int64(w.padding[2*i+1])
	stride, gap := int64(w.strides[i]), int64(w.dilations[i])
	way, end := int64(out-1)*stride, int64(in)-1+before // the last place of the window, and of the input's last element
	// The first and the last place of the window at which it reaches an element have the last and the first position that does.
	from := max(-floorDiv(w.span(i)-1-before, w.strides[i])*stride, 0)
	to := min(floorDiv(end, w.strides[i])*stride, way)
	last := min(floorDiv(end-from, w.dilations[i]), size-1)
	first := max(-floorDiv(to-before, w.dilations[i]), 0)
	if first == 0 && last == size-1 {
		return poolDim{int(size), int(before), l.pad(after + max(way-w.room(i, in), 0))}
	}
	if from > to || first > last { // no position reaches anything
		first, last = 0, 0
	}
	size, before = last-first+1, before-first*gap
	return poolDim{l.pad(size), l.pad(before), l.pad(way + (size-1)*gap + 1 - int64(in) - before)}
}
