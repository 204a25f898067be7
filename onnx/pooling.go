package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

const (
	poolAttrs    = `auto_pad="NOTSET", kernel_shape: ints!, pads: ints, strides: ints`
	ceilAttrs    = poolAttrs + `, ceil_mode=0`
	dilatedAttrs = ceilAttrs + `, dilations: ints`
)

// Pooling.
var poolingRows = family{"Pooling", []row{
	{name: "MaxPool", forms: forms("1", "X; "+poolAttrs, "8", "X; "+poolAttrs+", storage_order=0 -> Y, Indices?",
		"10 11 12 22", "X; "+dilatedAttrs+", storage_order=0 -> Y, Indices?"), lower: maxPool},
	{name: "com.microsoft.NhwcMaxPool", forms: forms("1", "X; "+dilatedAttrs), lower: func(c *lowering) []*graph.Value {
		return one(c.channelsFirst(true, func() *graph.Value { return maxPool(c)[0] }))
	}},
	{name: "AveragePool", forms: forms("1", "X; "+poolAttrs, "7", "X; "+poolAttrs+", count_include_pad=0",
		"10 11", "X; "+ceilAttrs+", count_include_pad=0", "19 22", "X; "+dilatedAttrs+", count_include_pad=0"), lower: averagePool},
	{name: "LpPool", forms: forms("1", `X; auto_pad="NOTSET", kernel_shape: ints, p=2.0, pads: ints, strides: ints`, "2 11", "X; "+poolAttrs+", p=2", "18 22", "X; "+dilatedAttrs+", p=2"), lower: lpPool},
	global("GlobalAveragePool", "mean_reduce"),
	global("GlobalMaxPool", "max_reduce"),
	{name: "GlobalLpPool", forms: forms("1", "X; p=2.0", "2 22", "X; p=2"), lower: globalLpPool},
	{name: "MaxUnpool", forms: forms("9 11 22", "X, I, output_shape?; kernel_shape: ints!, pads: ints, strides: ints -> output"), lower: maxUnpool},
}}

// pool returns the window of a pooling, and what ceil_mode adds to the padding behind.
func (c *lowering) pool() (w *sliding, added []int) {
	extents := c.spatial(0)
	size := c.Ints("kernel_shape")
	if len(size) != len(extents) {
		c.failf("kernel_shape", "there are %d numbers; there must be %d", len(size), len(extents))
	}
	w = c.sliding(size)
	c.autoPad(w, extents)
	if !c.Flag("ceil_mode") {
		return w, make([]int, len(extents))
	}
	return w, c.roundUp(w, extents)
}

// attrs returns the attributes that our operators on windows have.
func (w *sliding) attrs(border string) graph.Attrs {
	return emit.Attr("size", everywhere(1, w.Size), "border", border, "padding", append(make([]int, 4), w.Padding()...),
		"stride", everywhere(1, w.Stride), "dilation", everywhere(1, w.Dilation))
}

// extend adds to the padding behind.
func (w *sliding) extend(added []int) {
	for d, n := range added {
		w.After[d] += n
	}
}

func maxPool(c *lowering) []*graph.Value {
	w, added := c.pool()
	w.extend(added)
	attrs := w.attrs("ignore")
	out := []*graph.Value{c.Node("max_pool", attrs, c.In(0))}
	if c.Wants(1) {
		var steps []int
		for _, n := range geometry.Steps(c.Shape(0), c.Flag("storage_order")) {
			steps = append(steps, c.small(c.operandName(0), n))
		}
		out = append(out, c.Node("argmax_pool", append(attrs, emit.Attr("steps", steps)...), c.In(0)))
	}
	return out
}

func averagePool(c *lowering) []*graph.Value {
	w, added := c.pool()
	x, border := c.In(0), "ignore"
	if c.Flag("count_include_pad") {
		// The padding counts, but not what ceil_mode adds to it.
		border = "constant"
		for _, n := range added {
			if n > 0 {
				border = "ignore"
			}
		}
		if border == "ignore" {
			x = c.Node("pad", emit.Attr("padding", append(make([]int, 4), w.Padding()...)), x)
			w.Before, w.After = make([]int, len(added)), make([]int, len(added))
		}
	}
	w.extend(added)
	return one(c.Node("box", append(w.attrs(border), emit.Attr("normalize", true)...), x))
}

func lpPool(c *lowering) []*graph.Value {
	w, added := c.pool()
	w.extend(added)
	attrs := w.attrs("ignore")
	return one(c.norm(c.In(0), c.power(), func(x *graph.Value) *graph.Value { return c.Node("box", attrs, x) },
		func(x *graph.Value) *graph.Value { return c.Node("l2_pool", attrs, x) }))
}

// power returns the attribute p, which was a float at first.
func (c *lowering) power() float64 {
	if c.form.declared("p").kind == proto.AttributeFloat {
		return c.Float("p")
	}
	return float64(c.Int("p"))
}

// norm returns the p-th root of the sums of the p-th powers of magnitudes; l2 has them for p = 2.
func (c *lowering) norm(x *graph.Value, p float64, sum, l2 func(x *graph.Value) *graph.Value) *graph.Value {
	switch {
	case p == 2:
		return l2(x)
	case p == 1:
		return sum(c.Node("abs", nil, x))
	case !(p > 0):
		c.failf("p", "it is %v; it must be positive", p)
	}
	power := c.Node("pow", nil, c.Node("abs", nil, x), c.Number(p, x.Type.DType))
	return c.Node("pow", nil, sum(power), c.Number(1/p, x.Type.DType))
}

// global is the row of a reduction over all spatial dimensions.
func global(name, operator string) row {
	return row{name: name, forms: forms("1 22", "X"), lower: func(c *lowering) []*graph.Value {
		c.spatial(0)
		return one(c.Node(operator, emit.Attr("axes", spatialAxes(c.In(0))), c.In(0)))
	}}
}

func globalLpPool(c *lowering) []*graph.Value {
	c.spatial(0)
	axes := emit.Attr("axes", spatialAxes(c.In(0)))
	return one(c.norm(c.In(0), c.power(), func(x *graph.Value) *graph.Value { return c.Node("sum_reduce", axes, x) },
		func(x *graph.Value) *graph.Value { return c.Node("l2_reduce", axes, x) }))
}

// maxUnpool puts elements where they stood, which their indices say in the shape that a pooling of that window has come from.
func maxUnpool(c *lowering) []*graph.Value {
	x, places := c.In(0), c.In(1)
	extents, size := c.spatial(0), c.Ints("kernel_shape")
	if len(size) != len(extents) {
		c.failf("kernel_shape", "there are %d numbers; there must be %d", len(size), len(extents))
	}
	w := c.sliding(size)
	shape := everywhere(0, make([]int, len(extents)))
	copy(shape, x.Type.Shape[:2])
	for d, n := range extents {
		shape[2+d] = c.small("pads", max(w.Reach(d, n)-w.Added(d), 0))
	}
	zero := c.Number(0, x.Type.DType)
	full := c.small("kernel_shape", int64(tensor.Shape(shape).Len()))
	y := c.Broadcast(zero, full)
	n := x.Type.Shape.Len()
	y = c.Reshape(c.Node("scatter_elements", emit.Attr("axis", 0), y, c.Reshape(places, n), c.Reshape(x, n)), shape...)
	wanted := c.KnownInts(2)
	if wanted == nil {
		return one(y)
	}
	if len(wanted) != len(shape) {
		c.failf("output_shape", "there are %d extents; there must be %d", len(wanted), len(shape))
	}
	padding := make([]int, 2*len(shape)) // the smaller shape lies at the front of the larger one
	for d, n := range wanted {
		padding[2*d+1] = n - shape[d]
	}
	return one(c.Node("pad", emit.Attr("padding", padding), y))
}
