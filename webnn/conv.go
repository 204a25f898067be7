package webnn

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
)

// conv2d is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-conv2d.
func conv2d(l *lowering) []*graph.Value {
	x := l.fromLayout("input", "inputLayout", inputOrder)
	f := l.fromLayout("filter", "filterLayout", filterOrder)
	in, filter := x.Type.Shape, f.Type.Shape
	w := l.window(filter[2:])
	groups := l.groups()
	switch {
	case l.Err != nil:
		return nil
	case in[1]%groups != 0:
		l.reject("groups.inputChannels", "the %d input channels are not divisible by groups, %d", in[1], groups)
	case in[1]/groups != filter[1]:
		l.reject("filter.inputChannels", "the filter, %v as %s, has %d input channels; the input, %v as %s, has %d in each of %d groups",
			l.operand("filter").Type.Shape, l.string("filterLayout"), filter[1],
			l.operand("input").Type.Shape, l.string("inputLayout"), in[1]/groups, groups)
	case filter[0]%groups != 0:
		l.reject("groups.outputChannels", "the %d output channels are not divisible by groups, %d", filter[0], groups)
	}
	l.shaped("bias", "the output channels of the filter", int64(filter[0]))
	for i := range spatial {
		l.windows(&w, i, in[2+i], floorDiv(w.room(i, in[2+i]), w.strides[i])+1)
	}
	y := l.Node("conv", emit.Attr("padding", w.padding, "stride", w.strides, "dilation", w.dilations, "groups", groups),
		x, f, l.operand("bias"))
	return one(l.toLayout(y, "inputLayout"))
}

// groups returns the option of that name, which must not be 0.
func (l *lowering) groups() int {
	groups := l.int("groups")
	if groups == 0 {
		l.reject("groups", "groups is 0; it must be positive")
	}
	return groups
}

// convTranspose2d is https://www.w3.org/TR/webnn/#api-mlgraphbuilder-convtranspose2d.
func convTranspose2d(l *lowering) []*graph.Value {
	x := l.fromLayout("input", "inputLayout", inputOrder)
	f := l.fromLayout("filter", "filterLayout", transposedFilterOrder)
	in, filter := x.Type.Shape, f.Type.Shape
	w := l.window(filter[2:])
	more := l.intsOf("outputPadding", 2, 0, 0)
	sizes := l.intsOf("outputSizes", 2)
	if !l.has("outputSizes") {
		for i := range spatial {
			if more[i] >= w.strides[i] {
				l.reject("outputPadding.strides", "the output padding %d of the %s must be less than the stride %d",
					more[i], spatial[i], w.strides[i])
			}
		}
	}
	groups := l.groups()
	switch {
	case l.Err != nil:
		return nil
	case in[1] != filter[0]:
		l.reject("filter.inputChannels", "the filter, %v as %s, has %d input channels; it must have %d, those of the input, %v as %s",
			l.operand("filter").Type.Shape, l.string("filterLayout"), filter[0],
			in[1], l.operand("input").Type.Shape, l.string("inputLayout"))
	case product(filter[1], groups) > maxDimension:
		l.reject("outputChannels", "%d groups of %d output channels are more than %d", groups, filter[1], maxDimension)
	}
	channels := product(filter[1], groups)
	l.shaped("bias", "the output channels of the filter by groups", channels)
	out := []int{in[0], int(channels), 0, 0}
	for i := range spatial {
		least := product(in[2+i]-1, w.strides[i]) + w.span(i) - w.added(i)
		n := least + int64(more[i])
		if sizes != nil {
			n = int64(sizes[i])
		}
		if most := least + int64(w.strides[i]) - 1; n < least || n > most {
			l.reject("outputSizes.bounds", "the output %s %d is not from %d to %d, to which input, filter, padding, strides and dilations lead",
				spatial[i], n, least, most)
		}
		out[2+i] = l.outputSize(spatial[i], n)
	}
	if l.Err == nil && in[1]%groups != 0 {
		y := l.unbuildable(x.Type.DType, out, "the %d input channels are not divisible by groups, %d", in[1], groups)
		return one(l.toLayout(y, "inputLayout"))
	}
	y := l.Node("deconv", emit.Attr("padding", w.padding, "stride", w.strides, "dilation", w.dilations,
		"output_shape", out, "groups", groups), x, f, l.operand("bias"))
	return one(l.toLayout(y, "inputLayout"))
}
