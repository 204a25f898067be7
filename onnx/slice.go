package onnx

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Operators that take away elements along dimensions, or add some.
var sliceRows = family{"Slices and padding", []row{
	{name: "CenterCropPad", forms: forms("18", "input_data, shape; axes: ints -> output_data"), lower: centerCropPad},
	{name: "Pad", forms: forms("1", `data; mode="constant", paddings: ints!, value=0.0 -> output`,
		"2", `data; mode="constant", pads: ints!, value=0.0 -> output`, "11 13", `data, pads, constant_value?; mode="constant" -> output`,
		"18 19 21 23 24 25", `data, pads, constant_value?, axes?; mode="constant" -> output`), lower: pad},
	{name: "Slice", forms: forms("1", "data; axes: ints, ends: ints!, starts: ints! -> output", "10 11 13", "data, starts, ends, axes?, steps? -> output"), lower: slice},
	{name: "Trilu", forms: forms("14", "input, k?; upper=1 -> output"), lower: func(c *lowering) []*graph.Value {
		diagonal := 0
		if c.In(1) != nil {
			diagonal = c.KnownInt(1)
		}
		return one(c.Node("triangular", emit.Attr("upper", c.Flag("upper"), "diagonal", diagonal), c.In(0)))
	}},
}}

// span is what a slice takes of a dimension.
type span struct{ axis, begin, end, step int }

func slice(c *lowering) []*graph.Value {
	x := c.In(0)
	var begin, end, axes, step []int
	if c.form.declared("starts") != nil {
		begin, end, axes = c.Places("starts"), c.Places("ends"), c.Ints("axes")
	} else {
		begin, end, axes, step = c.KnownPlaces(1), c.KnownPlaces(2), c.KnownInts(3), c.KnownPlaces(4)
	}
	if axes == nil {
		axes = emit.Counting(0, len(begin))
	}
	if step == nil {
		step = slices.Repeat([]int{1}, len(begin))
	}
	if len(end) != len(begin) || len(axes) != len(begin) || len(step) != len(begin) {
		c.failf("starts", "there are %d starts, %d ends, %d axes and %d steps; there must be equally many", len(begin), len(end), len(axes), len(step))
	}
	spans := make([]span, len(begin))
	for i, a := range c.Axes("axes", axes, len(x.Type.Shape)) {
		if step[i] == 0 {
			c.failf("steps", "the step along axis %d is 0", axes[i])
		}
		spans[i] = span{a, begin[i], end[i], step[i]}
	}
	return one(c.Slice(x, spans...))
}

// Slice takes the elements of spans, with the standard's meaning of begin, end and step.
func (c *lowering) Slice(v *graph.Value, spans ...span) *graph.Value {
	var axes, begin, end, stride []int
	for _, s := range spans {
		if s = s.within(v.Type.Shape[s.axis]); s != (span{s.axis, 0, v.Type.Shape[s.axis], 1}) {
			axes, begin, end, stride = append(axes, s.axis), append(begin, s.begin), append(end, s.end), append(stride, s.step)
		}
	}
	if axes == nil {
		return v
	}
	return c.Node("slice", emit.Attr("axes", axes, "begin", begin, "end", end, "stride", stride), v)
}

// within returns a span of a dimension of extent n in the terms of our operator.
func (s span) within(n int) span {
	s.step = min(max(s.step, -math.MaxInt32), math.MaxInt32)
	if s.begin, s.end = geometry.Places(s.begin, s.end, s.step, n); n > 0 {
		s.begin = max(s.begin, 0) // unlike in Python, where nothing begins in front of the first element
	}
	switch {
	case s.step > 0 && s.begin >= s.end, s.step < 0 && s.begin <= s.end:
		return span{s.axis, n, n, 1}
	case s.end < 0:
		s.end = -n - 1
	}
	return s
}

// borders are the modes of Pad, as our operator names them.
var borders = map[string]string{"constant": "constant", "edge": "replicate", "reflect": "reflect", "wrap": "wrap"}

func pad(c *lowering) []*graph.Value {
	x := c.In(0)
	rank := len(x.Type.Shape)
	var pads []int
	var fill *graph.Value
	switch {
	case c.form.declared("paddings") != nil:
		pads, fill = c.Ints("paddings"), c.bound("value")
	case c.form.declared("pads") != nil:
		pads, fill = c.Ints("pads"), c.bound("value")
	default:
		pads, fill = c.KnownInts(1), c.scalar(2)
	}
	axes := emit.Counting(0, rank)
	if c.item(3).kind != absent {
		axes = c.Axes("axes", c.KnownInts(3), rank)
	}
	if len(pads) != 2*len(axes) {
		c.failf("pads", "there are %d numbers; there must be %d, two for each axis", len(pads), 2*len(axes))
	}
	before, after := make([]int, rank), make([]int, rank)
	for i, a := range axes {
		before[a], after[a] = c.padding(pads[i]), c.padding(pads[len(axes)+i])
	}
	if fill != nil && fill.Type.DType != x.Type.DType {
		c.failf("constant_value", "the element type is %v; it must be %v, that of %s", fill.Type.DType, x.Type.DType, c.operandName(0))
	}
	mode := c.OneOf("mode", "constant", "edge", "reflect", "wrap")
	return one(c.moved(func(v ...*graph.Value) *graph.Value { return c.Pad(v[0], mode, v[1], before, after) }, x, fill))
}

// padding checks how many elements are added.
func (c *lowering) padding(n int) int {
	if n < -tensor.MaxElements || n > tensor.MaxElements {
		c.failf("pads", "%d is more than can be addressed", n)
	}
	return n
}

// Pad adds elements before and after each dimension, or takes some away. What it takes away is no element that is repeated, mirrored or
// wrapped around.
func (c *lowering) Pad(x *graph.Value, mode string, fill *graph.Value, before, after []int) *graph.Value {
	before, after = slices.Clone(before), slices.Clone(after)
	for d, n := range x.Type.Shape {
		if n+min(before[d], 0)+min(after[d], 0) < 0 {
			c.failf("pads", "%d and %d take away more than the extent %d of dimension %d", before[d], after[d], n, d)
		}
		x = c.Section(x, d, max(-before[d], 0), n+min(after[d], 0))
		before[d], after[d] = max(before[d], 0), max(after[d], 0)
	}
	if mode == "wrap" {
		return c.wrap(x, before, after)
	}
	around := geometry.Window{Before: before, After: after}
	return c.Node("pad", emit.Attr("padding", around.Padding(), "border", borders[mode]), x, fill)
}

// wrap pads as if each dimension were a circle: it puts an end before the beginning and the beginning behind the end, or where that is not enough repeats
// the whole and takes a part of it.
func (c *lowering) wrap(x *graph.Value, before, after []int) *graph.Value {
	s := x.Type.Shape
	repeats, spans := make([]int, len(s)), make([]span, len(s))
	for d, n := range s {
		if repeats[d] = 1; before[d] == 0 && after[d] == 0 {
			spans[d] = span{d, 0, n, 1}
			continue
		}
		if n == 0 {
			c.failf("data", "dimension %d of %v has no element to repeat", d, x.Type)
		}
		if before[d] <= n && after[d] <= n {
			around := []*graph.Value{c.Section(x, d, n-before[d], n), x, c.Section(x, d, 0, after[d])}
			x = c.Node("concat", emit.Attr("axis", d), slices.DeleteFunc(around, func(v *graph.Value) bool { return v.Type.Shape[d] == 0 })...)
			spans[d] = span{d, 0, before[d] + n + after[d], 1}
			continue
		}
		begin := (n - before[d]%n) % n
		spans[d] = span{d, begin, begin + before[d] + n + after[d], 1}
		repeats[d] = geometry.CeilDiv(spans[d].end, n)
	}
	return c.Slice(c.Repeat(x, repeats...), spans...)
}

func centerCropPad(c *lowering) []*graph.Value {
	x, shape := c.In(0), c.extents(1)
	rank := len(x.Type.Shape)
	axes := c.Ints("axes")
	if !c.Given("axes") {
		axes = emit.Counting(0, rank)
	}
	if len(shape) != len(axes) {
		c.failf("shape", "there are %d extents; there must be %d, one for each axis", len(shape), len(axes))
	}
	before, after := make([]int, rank), make([]int, rank)
	for i, a := range c.Axes("axes", axes, rank) {
		more := c.padding(shape[i]) - x.Type.Shape[a]
		before[a] = more / 2 // toward zero: what is odd is added or taken away behind
		after[a] = more - before[a]
	}
	return one(c.Pad(x, "constant", nil, before, after))
}
