package webnn

import (
	"slices"

	"github.com/concord-nn/concord/graph"
)

// Convolution, pooling, resampling and padding. The operators work channels first; other layouts are transposed.

// permutations give, for each layout, the dimensions in the operators' order: batch, channels, height, width for inputs,
// output and input channels, height, width for filters.
var (
	inputLayouts  = map[string][]int{"nchw": {0, 1, 2, 3}, "nhwc": {0, 3, 1, 2}}
	filterLayouts = map[string][]int{"oihw": {0, 1, 2, 3}, "hwio": {3, 2, 0, 1}, "ohwi": {0, 3, 1, 2}, "ihwo": {3, 0, 1, 2}}
	// A transposed convolution's filter has the input channels first.
	transposedFilterLayouts = map[string][]int{"iohw": {0, 1, 2, 3}, "hwoi": {3, 2, 0, 1}, "ohwi": {3, 0, 1, 2}, "oihw": {1, 0, 2, 3}}
)

// fromLayout brings a 4-D value into the operators' order.
func (l *lowering) fromLayout(v *graph.Value, option string, layouts map[string][]int) *graph.Value {
	perm, ok := layouts[l.string(option)]
	if !ok {
		l.failf("%s: there is no layout %q", option, l.string(option))
		return v
	}
	if len(v.Type.Shape) != 4 {
		l.failf("shape %v has rank %d; it must be 4", v.Type.Shape, len(v.Type.Shape))
		return v
	}
	return l.transpose(v, perm...)
}

// toLayout brings a result from the operators' order into the layout of the option.
func (l *lowering) toLayout(v *graph.Value, option string) *graph.Value {
	perm, ok := inputLayouts[l.string(option)]
	if !ok || l.err != nil {
		return v
	}
	inverse := make([]int, len(perm))
	for i, p := range perm {
		inverse[p] = i
	}
	return l.transpose(v, inverse...)
}

func conv2d(l *lowering) []*graph.Value {
	x := l.fromLayout(l.operand("input"), "inputLayout", inputLayouts)
	f := l.fromLayout(l.operand("filter"), "filterLayout", filterLayouts)
	y := l.node("conv", attr(
		"padding", l.intsOf("padding", 4, 0, 0, 0, 0),
		"stride", l.intsOf("strides", 2, 1, 1),
		"dilation", l.intsOf("dilations", 2, 1, 1),
		"groups", l.int("groups")), x, f, l.operand("bias"))
	return one(l.toLayout(y, "inputLayout"))
}

func convTranspose2d(l *lowering) []*graph.Value {
	x := l.fromLayout(l.operand("input"), "inputLayout", inputLayouts)
	f := l.fromLayout(l.operand("filter"), "filterLayout", transposedFilterLayouts)
	if l.err != nil {
		return nil
	}
	padding := l.intsOf("padding", 4, 0, 0, 0, 0)
	strides := l.intsOf("strides", 2, 1, 1)
	dilations := l.intsOf("dilations", 2, 1, 1)
	extra := l.intsOf("outputPadding", 2, 0, 0)
	sizes := l.intsOf("outputSizes", 2)
	groups := l.int("groups")
	out := []int{shape(x)[0], shape(f)[1] * groups, 0, 0}
	for i := range 2 {
		window := (shape(f)[2+i]-1)*dilations[i] + 1
		least := (shape(x)[2+i]-1)*strides[i] + window - padding[2*i] - padding[2*i+1]
		out[2+i] = least + extra[i]
		if sizes != nil {
			out[2+i] = sizes[i]
		}
		if sizes != nil && (sizes[i] < least || sizes[i] >= least+strides[i]) || sizes == nil && extra[i] != 0 && extra[i] >= strides[i] {
			l.failf("the output size %d of dimension %d is not from %d to %d", out[2+i], i, least, least+strides[i]-1)
		}
	}
	y := l.node("deconv", attr("padding", padding, "stride", strides, "dilation", dilations,
		"output_shape", out, "groups", groups), x, f, l.operand("bias"))
	return one(l.toLayout(y, "inputLayout"))
}

func pooling(name, op string) method {
	options := list(integers("windowDimensions"), integers("padding"), integers("strides"), integers("dilations"),
		enum("layout", "nchw"), enum("outputShapeRounding", "floor"), integers("outputSizes"))
	return method{name, list(operand("input")), options, func(l *lowering) []*graph.Value {
		x := l.fromLayout(l.operand("input"), "layout", inputLayouts)
		if l.err != nil {
			return nil
		}
		window := l.intsOf("windowDimensions", 2, shape(x)[2:]...)
		padding := slices.Clone(l.intsOf("padding", 4, 0, 0, 0, 0))
		strides := l.intsOf("strides", 2, 1, 1)
		dilations := l.intsOf("dilations", 2, 1, 1)
		sizes := l.intsOf("outputSizes", 2)
		for i := range 2 {
			if window[i] <= 0 || strides[i] <= 0 || dilations[i] <= 0 {
				l.failf("windowDimensions, strides and dilations must be positive")
				return nil
			}
			room := shape(x)[2+i] + padding[2*i] + padding[2*i+1] - (window[i]-1)*dilations[i] - 1
			if room < 0 {
				l.failf("the window of %d is larger than the padded input", window[i])
				return nil
			}
			floor, ceil := room/strides[i]+1, (room+strides[i]-1)/strides[i]+1
			size := floor
			switch {
			case sizes != nil:
				size = sizes[i]
			case l.string("outputShapeRounding") == "ceil":
				size = ceil
			}
			if size != floor && size != ceil {
				l.failf("the output size %d of dimension %d is neither %d nor %d", size, i, floor, ceil)
				return nil
			}
			// A window beyond the end is expressed as padding there, which takes no part.
			padding[2*i+1] += max((size-1)*strides[i]-room, 0)
		}
		a := attr("size", append([]int{1, 1}, window...), "border", "ignore", "padding", append([]int{0, 0, 0, 0}, padding...),
			"stride", append([]int{1, 1}, strides...), "dilation", append([]int{1, 1}, dilations...))
		if op == "box" {
			a = append(a, graph.Attr{Name: "normalize", Value: true})
		}
		return one(l.toLayout(l.node(op, a, x), "layout"))
	}}
}

func resample2d(l *lowering) []*graph.Value {
	x := l.operand("input")
	in := shape(x)
	if len(in) != 4 {
		l.failf("shape %v has rank %d; it must be 4", in, len(in))
		return nil
	}
	axes := l.intsOf("axes", 2, 2, 3)
	if l.err == nil && (axes[0] < 0 || axes[0] > 3 || axes[1] < 0 || axes[1] > 3 || axes[0] == axes[1]) {
		l.failf("axes %v must be two different dimensions of the input", axes)
	}
	given := l.floats("scales")
	if !l.has("scales") {
		given = []float64{1, 1}
	}
	if len(given) != 2 {
		l.failf("scales: %d values are given; there must be 2", len(given))
	}
	sizes := l.intsOf("sizes", 2)
	if l.err != nil {
		return nil
	}
	out := in.Clone()
	a := attr("mode", l.string("mode"), "sizes", []int(out))
	if sizes == nil {
		// Coordinates follow the scales, of which the extents keep whole numbers only.
		scales := []float64{1, 1, 1, 1}
		for i, axis := range axes {
			out[axis], scales[axis] = int(min(float64(in[axis])*given[i], 1<<31)), given[i]
		}
		a = append(a, graph.Attr{Name: "scales", Value: scales})
	} else {
		for i, axis := range axes {
			out[axis] = sizes[i]
		}
	}
	return one(l.node("resample", a, x))
}

func pad(l *lowering) []*graph.Value {
	x := l.operand("input")
	begin, end := l.ints("beginningPadding"), l.ints("endingPadding")
	if rank := len(shape(x)); len(begin) != rank || len(end) != rank {
		l.failf("the padding lists have %d and %d items; they must have %d", len(begin), len(end), rank)
		return nil
	}
	borders := map[string]string{"constant": "constant", "edge": "replicate", "reflection": "reflect"}
	border, ok := borders[l.string("mode")]
	if !ok {
		l.failf("mode: there is no mode %q", l.string("mode"))
		return nil
	}
	padding := make([]int, 0, 2*len(begin))
	for i := range begin {
		padding = append(padding, begin[i], end[i])
	}
	var fill *graph.Value
	if border == "constant" {
		fill = l.constant(castNumber(l.values["value"], x.Type.DType))
	}
	return one(l.node("pad", attr("padding", padding, "border", border), x, fill))
}

func slice(l *lowering) []*graph.Value {
	x := l.operand("input")
	in := shape(x)
	begin, sizes := l.ints("starts"), l.ints("sizes")
	strides := l.ints("strides")
	if !l.has("strides") {
		strides = slices.Repeat([]int{1}, len(in))
	}
	if len(begin) != len(in) || len(sizes) != len(in) || len(strides) != len(in) {
		l.failf("starts, sizes and strides must have the %d items of shape %v", len(in), in)
		return nil
	}
	axes, end := make([]int, len(in)), make([]int, len(in))
	for i := range in {
		axes[i], end[i] = i, begin[i]+sizes[i]
		if begin[i] < 0 || begin[i] >= in[i] || sizes[i] <= 0 || sizes[i] > in[i]-begin[i] || strides[i] <= 0 {
			l.failf("the slice of %d elements from %d by %d is not within dimension %d of shape %v", sizes[i], begin[i], strides[i], i, in)
			return nil
		}
	}
	return one(l.node("slice", attr("axes", axes, "begin", begin, "end", end, "stride", strides), x))
}

// maxSplits is as many results as one operator may have.
const maxSplits = 1 << 16

func split(l *lowering) []*graph.Value {
	x := l.operand("input")
	axis := l.int("axis")
	if axis < 0 || axis >= len(shape(x)) {
		l.failf("axis %d is not a dimension of shape %v", axis, shape(x))
		return nil
	}
	ratios, ok := l.values["splits"].([]int)
	if !ok {
		n := l.int("splits")
		if extent := shape(x)[axis]; n <= 0 || n > maxSplits || extent%n != 0 {
			l.failf("splits: the extent %d is not divisible by %d, or these are more than %d parts", extent, n, maxSplits)
			return nil
		}
		ratios = slices.Repeat([]int{1}, n)
	} else {
		sum := 0
		for _, r := range ratios {
			sum += r
		}
		if sum != shape(x)[axis] {
			l.failf("splits: the sum %d of %v is not the extent %d", sum, ratios, shape(x)[axis])
			return nil
		}
	}
	return l.nodes("split", attr("axis", axis, "ratios", ratios), x)
}
