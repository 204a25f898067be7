package export

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// Operators that move elements.

var shapeRows = []row{
	free("copy"), free("squeeze"), free("unsqueeze"),
	{kit.Row{Op: "reshape", Form: kit.Free, Note: "where a layer needs extents that are joined or divided: refused, other than in front of a fully " +
		"connected layer, and of channels that were transposed to the end, for which regions of one element are pooled"}, anyType, reshape, false},
	{kit.Row{Op: "cast", Form: kit.Free, Note: "between floats; between integers: the row of rescale"}, anyType, cast, true},
	direct("transpose", "vxTensorTransposeNode", anyType, transpose, "a call for each exchange of two dimensions"),
	direct("concat", "vxCreateTensorFromView", layerTypes, concat, "the operands are made in views of the result, or copied there by vxTensorAddNode"),
	bodied("stack"), bodied("unstack"), bodied("split"),
	direct("slice", "vxCreateTensorFromView", layerTypes, slice, "steps other than 1 are refused"),
	direct("pad", "vxCreateTensorFromView, vxTensorAddNode", layerTypes, pad, "with a constant"),
	direct("expand", "vxTensorAddNode", layerTypes, func(c *emission) {
		dims := dimsOf(c.outShape())
		c.set(c.expanded(c.as(c.In[0], extended(dimsOf(c.shape(0)), len(dims))), dims))
	}),
}

// free is a row of an operator whose result has the elements of its operand, in the same order.
func free(name string) row {
	return row{kit.Row{Op: name, Form: kit.Free}, anyType, func(c *emission) { c.alias() }, false}
}

// alias lets the result be its operand.
func (c *emission) alias() { c.same = c.In[0] }

func reshape(c *emission) {
	if t := c.e.waiting[c.e.source(c.In[0])]; t != nil && t.Op == "transpose" {
		c.gather(t)
		return
	}
	c.alias()
}

func cast(c *emission) {
	from, to := c.In[0].Type.DType, c.out.Type.DType
	switch {
	case from == to || from.IsFloat() && to.IsFloat():
		c.alias()
	case from.IsInteger() && to.IsInteger():
		convert(c)
	default:
		kit.Refuse("OpenVX has no conversion from %v to %v that is the model's", from, to)
	}
}

// transpose waits if all who read its result can have the elements gathered.
func transpose(c *emission) {
	if _, output := c.e.wishes[c.out]; !output && !slices.ContainsFunc(c.e.users[c.out], func(r *graph.Node) bool { return !c.gathers(c.Node.Node, r) }) {
		c.e.waiting[c.out] = c.Node.Node
		return
	}
	shape := c.shape(0)
	axes := op.Permutation(c.Attrs, len(shape))
	var moved ints
	for _, a := range axes {
		if shape[a] != 1 {
			moved = append(moved, a)
		}
	}
	if slices.IsSorted(moved) {
		c.alias()
		return
	}
	if why := c.e.misfit(graph.Type{DType: c.out.Type.DType, Shape: tensor.Shape{}}); why != "" {
		kit.Refuse("%s", why)
	}
	n := len(shape)
	from := make(ints, n)
	for d := range from {
		from[d] = n - 1 - axes[n-1-d]
	}
	c.set(c.permute(c.natural(), from))
}

// gathers reports whether a reshape of a transpose, of one item of a batch with the channels to the end, leaves rows of channels, or of
// equal parts of them, in the order of the positions.
func (c *emission) gathers(t, r *graph.Node) bool {
	in, out := t.In[0].Type.Shape, r.Out[0].Type.Shape
	if r.Op != "reshape" || len(in) != 4 || in[0] != 1 || len(out) < 2 || !slices.Equal(t.Attrs.Ints("axes"), ints{0, 2, 3, 1}) {
		return false
	}
	most := math.MaxInt16 // that a place can be, which has elements of the format
	if d := t.In[0].Type.DType; d.Bits() == 8 {
		_, greatest := d.IntRange()
		most = int(greatest)
	}
	width := out[len(out)-1]
	return in[1]%width == 0 && in[2]*(in[1]/width) <= most && in[3] <= most && in[1]/width*in[2]*in[3] <= maxEvaluated/16 && !slices.Equal(out, tensor.Shape{1, in[2], in[3], in[1]})
}

// gather pools regions of one element, which a layer lays one after the other: the channels of each position. Of channels that are
// divided, the parts are laid one below the other first.
func (c *emission) gather(t *graph.Node) {
	in, out := t.In[0].Type.Shape, c.outShape()
	height, width, channels := in[2], in[3], out[len(out)-1]
	parts := in[1] / channels
	x := c.as(t.In[0], dimsOf(in))
	if parts > 1 {
		list := make([]*Tensor, parts)
		for k := range list {
			list[k] = c.cut(x, 2, k*channels, (k+1)*channels)
		}
		x = c.join(list, 1)
	}
	regions := make([]int16, 0, 4*height*width*parts)
	for y := range height {
		for at := range width {
			for k := range parts {
				column, row := int16(at), int16(k*height+y)
				regions = append(regions, column, row, column, row)
			}
		}
	}
	rois := kit.Must(tensor.FromSlice(regions, len(regions)/4, 4))
	x = c.e.view(x, x.Name, make(ints, 3), x.Dims[:3])
	n := rois.Shape()[0]
	c.set(c.make(ints{1, 1, channels, n}, "vxROIPoolingLayer", x, c.weights("regions", ints{4, n}, rois), openvx.ROIPoolParams{PoolType: openvx.PoolingMax}))
}

func concat(c *emission) {
	axis := c.Int("axis")
	first := c.In[0]
	t := c.e.tensor(first)
	d := c.dimension(t, c.shape(0), axis)
	parts := make([]*Tensor, len(c.In))
	for i, v := range c.In {
		dims := slices.Clone(t.Dims)
		dims[d] = c.shape(i)[axis]
		parts[i] = c.as(v, dims)
	}
	c.set(c.join(parts, d))
}

func slice(c *emission) {
	x, shape := c.tensor(0), slices.Clone(c.shape(0))
	for axis, s := range op.Slices(c.Attrs, shape) {
		if s.Stride != 1 && s.Count > 1 {
			kit.Refuse("it takes every element of step %d; a view has steps of 1", s.Stride)
		}
		if s.Count != shape[axis] {
			x = c.cut(x, c.dimension(x, shape, axis), s.Begin, s.Begin+s.Count)
			shape[axis] = s.Count
		}
	}
	c.set(x)
}

// pad is its body, of slices and tensors that are laid beside each other.
func pad(c *emission) {
	if c.Str("border") != "constant" {
		kit.Refuse("its border is %s; only constants can be laid around a tensor", c.Str("border"))
	}
	c.simpler = true
}

// framed lays strips of a constant beside the elements along a dimension, or takes elements away where a number is negative.
func (c *emission) framed(x *Tensor, d, before, after int, fill *tensor.Tensor) *Tensor {
	begin, end := max(-before, 0), x.Dims[d]-max(-after, 0)
	if begin >= end {
		kit.Refuse("its padding takes all elements of a dimension away")
	}
	parts := []*Tensor{c.cut(x, d, begin, end)}
	for i, n := range []int{before, after} {
		if n > 0 {
			dims := slices.Clone(x.Dims)
			dims[d] = n
			parts = slices.Insert(parts, i*len(parts), c.weights("border", dims, filled(fill, dims)))
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return c.join(parts, d)
}
