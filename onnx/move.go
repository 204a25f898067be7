package onnx

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Operators that give elements other places: shapes, orders, parts and wholes.
var moveRows = family{"Shapes and places", []row{
	{name: "Concat", forms: forms("1", "inputs...; axis=1 -> concat_result", "4 11 13", "inputs...; axis: int! -> concat_result"), lower: concat},
	{name: "DepthToSpace", forms: forms("1", "input; blocksize: int! -> output", "11 13", `input; blocksize: int!, mode="DCR" -> output`), lower: depthToSpace},
	{name: "Expand", forms: forms("8 13", "input, shape -> output"), lower: func(c *lowering) []*graph.Value {
		return one(c.Broadcast(c.In(0), c.extents(1)...))
	}},
	{name: "Flatten", forms: forms("1 9 11 13 21 23 24 25", "input; axis=1 -> output"), lower: flatten},
	{name: "Identity", forms: forms("1 13 14 16 19 21 23 24 25", "input -> output"), items: func(c *lowering) []item { return []item{c.item(0)} }},
	{name: "Reshape", forms: forms("1", "data; shape: ints, "+consumed+" -> reshaped", "5 13", "data, shape -> reshaped",
		"14 19 21 23 24 25", "data, shape; allowzero=0 -> reshaped"), lower: reshape},
	{name: "SpaceToDepth", forms: forms("1 13", "input; blocksize: int! -> output"), lower: spaceToDepth},
	{name: "Split", forms: forms("1", "input, split?; axis=0, split: ints -> outputs...", "2 11", "input; axis=0, split: ints -> outputs...", "13", "input, split?; axis=0 -> outputs...",
		"18", "input, split?; axis=0, num_outputs: int -> outputs..."), lower: split},
	{name: "Squeeze", forms: forms("1 11", "data; axes: ints -> squeezed", "13 21 23 24 25", "data, axes? -> squeezed"), lower: squeeze},
	{name: "Tile", forms: forms("1", "input, tiles, axis -> output", "6 13", "input, repeats -> output"), lower: tile},
	{name: "Transpose", forms: forms("1 13 21 23 24 25", "data; perm: ints -> transposed"), lower: func(c *lowering) []*graph.Value {
		perm := c.Ints("perm")
		if !c.Given("perm") {
			for d := len(c.Shape(0)) - 1; d >= 0; d-- {
				perm = append(perm, d)
			}
		}
		return one(c.moved(func(v ...*graph.Value) *graph.Value { return c.Transpose(v[0], perm...) }, c.In(0)))
	}},
	{name: "Unsqueeze", forms: forms("1 11", "data; axes: ints! -> expanded", "13 21 23 24 25", "data, axes -> expanded"), lower: func(c *lowering) []*graph.Value {
		axes := c.AttrOrInts("axes", 1)
		return one(c.Unsqueeze(c.In(0), c.Axes("axes", axes, len(c.Shape(0))+len(axes))...))
	}},
}}

// extents returns the elements of an operand that is a shape.
func (c *lowering) extents(i int) []int {
	list := c.KnownInts(i)
	for _, n := range list {
		if n < 0 {
			c.failf(c.operandName(i), "%d is no extent", n)
		}
	}
	return list
}

// Broadcast repeats a value to the shape to which its own and the given one broadcast, aligned at the last dimension.
func (c *lowering) Broadcast(v *graph.Value, shape ...int) *graph.Value {
	missing := max(len(shape)-len(v.Type.Shape), 0)
	v = c.Unsqueeze(v, emit.Counting(0, missing)...)
	to := v.Type.Shape.Clone()
	for i := range shape {
		if d := len(to) - len(shape) + i; shape[i] != 1 {
			to[d] = shape[i]
		}
	}
	if to.Equal(v.Type.Shape) {
		return v
	}
	return c.Node("expand", emit.Attr("shape", []int(to)), v)
}

// Section returns elements begin … end-1 along an axis.
func (c *lowering) Section(v *graph.Value, axis, begin, end int) *graph.Value {
	n := v.Type.Shape[axis]
	if begin == 0 && end == n {
		return v
	}
	if begin == end { // an end of 0 would mean all
		begin, end = n, n
	}
	return c.Node("slice", emit.Attr("axes", []int{axis}, "begin", []int{begin}, "end", []int{end}), v)
}

// Sections cuts a value along an axis into parts of the given extents, which make its own.
func (c *lowering) Sections(v *graph.Value, axis int, sizes ...int) []*graph.Value {
	whole := len(sizes) > 0
	for _, n := range sizes {
		whole = whole && n > 0
	}
	if whole {
		return c.Nodes("split", emit.Attr("axis", axis, "ratios", sizes), v)
	}
	out := make([]*graph.Value, len(sizes))
	begin := 0
	for i, n := range sizes {
		out[i] = c.Section(v, axis, begin, begin+n)
		begin += n
	}
	return out
}

func concat(c *lowering) []*graph.Value {
	values := c.All(0)
	if len(values) == 0 {
		c.failf("inputs", "there is no operand; there must be one or more")
	}
	return one(c.Node("concat", emit.Attr("axis", c.Axis("axis", c.Int("axis"), len(c.Shape(0)))), values...))
}

// blocks returns the extents of a picture and the size of the blocks that DepthToSpace and SpaceToDepth move.
func (c *lowering) blocks() (n, channels, height, width, size int) {
	s, size := c.Shape(0), c.Int("blocksize")
	switch {
	case len(s) != 4:
		c.failf("input", "it is %v; its rank must be 4", c.In(0).Type)
	case size < 1 || size > tensor.MaxElements/size:
		c.failf("blocksize", "%d is no size of a block", size)
	}
	return s[0], s[1], s[2], s[3], size
}

func depthToSpace(c *lowering) []*graph.Value {
	n, channels, h, w, b := c.blocks()
	if channels%(b*b) != 0 {
		c.failf("blocksize", "%d channels cannot make blocks of %d by %d", channels, b, b)
	}
	columnFirst := c.form.declared("mode") != nil && c.OneOf("mode", "DCR", "CRD") == "CRD"
	channels /= b * b
	var v *graph.Value
	if columnFirst {
		v = c.Transpose(c.Reshape(c.In(0), n, channels, b, b, h, w), 0, 1, 4, 2, 5, 3)
	} else {
		v = c.Transpose(c.Reshape(c.In(0), n, b, b, channels, h, w), 0, 3, 4, 1, 5, 2)
	}
	return one(c.Reshape(v, n, channels, h*b, w*b))
}

func spaceToDepth(c *lowering) []*graph.Value {
	n, channels, h, w, b := c.blocks()
	if h%b != 0 || w%b != 0 {
		c.failf("blocksize", "a picture of %d by %d has no whole blocks of %d by %d", h, w, b, b)
	}
	v := c.Transpose(c.Reshape(c.In(0), n, channels, h/b, b, w/b, b), 0, 3, 5, 1, 2, 4)
	return one(c.Reshape(v, n, channels*b*b, h/b, w/b))
}

func flatten(c *lowering) []*graph.Value {
	s, axis := c.Shape(0), c.Int("axis")
	if axis < 0 {
		axis += len(s)
	}
	if axis < 0 || axis > len(s) {
		c.failf("axis", "%d is no place between the dimensions of %v", c.Int("axis"), s)
	}
	return one(c.Reshape(c.In(0), s[:axis].Len(), s[axis:].Len()))
}

func reshape(c *lowering) []*graph.Value {
	x, shape := c.In(0), c.AttrOrInts("shape", 1)
	if !c.Flag("allowzero") {
		for i, n := range shape {
			if n == 0 && i < len(x.Type.Shape) {
				shape[i] = x.Type.Shape[i]
			}
		}
	}
	shape = c.inferred(shape, x.Type.Shape)
	if n := tensor.Shape(shape).Len(); n != x.Type.Shape.Len() {
		c.failf("shape", "%v has %d elements; data, %v, has %d", shape, n, x.Type, x.Type.Shape.Len())
	}
	return one(c.Reshape(x, shape...))
}

// inferred replaces the -1 in a shape by the extent that gives the elements of another, if there is one.
func (c *lowering) inferred(shape []int, from tensor.Shape) []int {
	open, rest := -1, 1
	for i, n := range shape {
		switch {
		case n == -1 && open >= 0:
			c.failf("shape", "%v has more than one -1", shape)
		case n == -1:
			open = i
		case n < 0:
			c.failf("shape", "%d is no extent", n)
		case n > 0 && rest > tensor.MaxElements/n:
			c.failf("shape", "%v has more elements than can be addressed", shape)
		default:
			rest *= n
		}
	}
	if open < 0 {
		return shape
	}
	if rest == 0 || from.Len()%rest != 0 {
		c.failf("shape", "no extent for the -1 in %v gives the %d elements of %v", shape, from.Len(), from)
	}
	shape[open] = from.Len() / rest
	return shape
}

func split(c *lowering) []*graph.Value {
	x, parts := c.In(0), len(c.outputs())
	axis := c.Axis("axis", c.Int("axis"), len(x.Type.Shape))
	n := x.Type.Shape[axis]
	sizes := c.AttrOrInts("split", 1)
	if sizes == nil { // version 1 has both
		sizes = c.KnownInts(1)
	}
	uneven := c.form.declared("num_outputs") != nil
	switch {
	case sizes != nil && len(sizes) != parts:
		c.failf("split", "there are %d sizes; there must be %d, one for each result", len(sizes), parts)
	case sizes == nil && uneven && c.Given("num_outputs") && c.Int("num_outputs") != parts:
		c.failf("num_outputs", "it is %d; the node has %d results", c.Int("num_outputs"), parts)
	case sizes == nil && !uneven && n%parts != 0:
		c.failf("axis", "the extent %d cannot be split into %d equal parts", n, parts)
	}
	if sizes == nil {
		sizes = make([]int, parts)
		each, left := (n+parts-1)/parts, n
		for i := range sizes {
			sizes[i] = min(each, left)
			left -= sizes[i]
		}
	}
	left := n
	for _, k := range sizes {
		if k < 0 || k > left {
			c.failf("split", "the sizes %v do not make the extent %d", sizes, n)
		}
		left -= k
	}
	if left != 0 {
		c.failf("split", "the sizes %v do not make the extent %d", sizes, n)
	}
	return c.Sections(x, axis, sizes...)
}

func squeeze(c *lowering) []*graph.Value {
	s, axes := c.Shape(0), c.AttrOrInts("axes", 1)
	if axes == nil {
		for d, n := range s {
			if n == 1 {
				axes = append(axes, d)
			}
		}
	}
	return one(c.Squeeze(c.In(0), c.Axes("axes", axes, len(s))...))
}

func tile(c *lowering) []*graph.Value {
	x := c.In(0)
	if c.operandName(1) == "tiles" {
		repeats := slices.Repeat([]int{1}, len(x.Type.Shape))
		repeats[c.Axis("axis", c.KnownWhole(2), len(repeats))] = max(c.KnownWhole(1), 0)
		return one(c.Repeat(x, repeats...))
	}
	repeats := c.extents(1)
	if len(repeats) != len(x.Type.Shape) {
		c.failf("repeats", "there are %d numbers; there must be %d, one for each dimension", len(repeats), len(x.Type.Shape))
	}
	return one(c.Repeat(x, repeats...))
}

// Repeat repeats a value as a whole along each dimension, which may be no time.
func (c *lowering) Repeat(v *graph.Value, repeats ...int) *graph.Value {
	shape := v.Type.Shape.Clone()
	none := false
	for d, k := range repeats {
		if k == 0 {
			shape[d], none = 0, true
		} else if shape[d] > tensor.MaxElements/k {
			c.failf("repeats", "%d times the extent %d is more than can be addressed", k, shape[d])
		} else {
			shape[d] *= k
		}
	}
	if none {
		return c.Empty(v, shape...)
	}
	return c.Node("tile", emit.Attr("repeats", repeats), v)
}

// moved has a function move elements of values about, all of the first one's type: those of 8 bits as what is stored, those of fewer as numbers
// that can be the same. Nil stays nil.
func (c *lowering) moved(move func(v ...*graph.Value) *graph.Value, v ...*graph.Value) *graph.Value {
	d := v[0].Type.DType
	through, wide := c.Cast, d
	switch {
	case d.IsPacked() && d.IsSmallFloat():
		wide = tensor.Float32
	case d.IsPacked() && d.IsSigned():
		wide = tensor.Int8
	case d.IsPacked() || d.IsSmallFloat():
		wide = tensor.Uint8
	}
	if d.IsSmallFloat() && !d.IsPacked() {
		through = func(v *graph.Value, d tensor.DType) *graph.Value { return c.Node("bit_cast", emit.Attr("dtype", d), v) }
	}
	if wide == d {
		return move(v...)
	}
	in := make([]*graph.Value, len(v))
	for i, x := range v {
		switch {
		case x == nil:
		case x.Type.DType != d:
			c.failf(c.operandName(i), "the element type is %v; it must be %v", x.Type.DType, d)
		default:
			in[i] = through(x, wide)
		}
	}
	return through(move(in...), d)
}
