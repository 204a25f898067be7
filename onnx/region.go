package onnx

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

const roiAttrs = `mode="avg", output_height=1, output_width=1, sampling_ratio=0, spatial_scale=1.0`

// Places that other operands name.
var regionRows = family{"Places and regions", []row{
	{name: "AffineGrid", forms: forms("20", "theta, size; align_corners=0 -> grid"), lower: affineGrid},
	{name: "GridSample", forms: forms("16", `X: any, grid: float; align_corners=0, mode="bilinear", padding_mode="zeros"`,
		"20 22", `X: any, grid: float; align_corners=0, mode="linear", padding_mode="zeros"`), lower: gridSample,
		remark: "all but floats are computed in float64, which has not all integers of 64 bits"},
	{name: "com.microsoft.GridSample", forms: forms("1", `X: any, Grid: float; align_corners=0, mode="bilinear", padding_mode="zeros"`), lower: gridSample},
	{name: "MaxRoiPool", forms: forms("1 22", "X, rois; pooled_shape: ints!, spatial_scale=1.0"), lower: maxRoiPool},
	{name: "RoiAlign", forms: forms("10", "X, rois, batch_indices; "+roiAttrs,
		"16 22", "X, rois, batch_indices; "+roiAttrs+`, coordinate_transformation_mode="half_pixel"`), lower: roiAlign},
}}

// sampleModes are the names that our operator has for modes, which got others in opset 20.
var sampleModes = map[string]string{"nearest": "nearest", "bilinear": "linear", "linear": "linear", "bicubic": "cubic", "cubic": "cubic"}

func gridSample(c *lowering) []*graph.Value {
	mode := sampleModes[c.OneOf("mode", "nearest", "bilinear", "linear", "bicubic", "cubic")]
	padding := c.OneOf("padding_mode", "zeros", "border", "reflection")
	attrs := emit.Attr("mode", mode, "padding_mode", padding, "align_corners", c.Flag("align_corners"))
	x, d := c.In(0), c.DType(0)
	if !d.IsFloat() { // computed as floats and truncated, as the standard says
		x = c.Cast(x, tensor.Float64)
	}
	return one(c.Cast(c.Node("grid_sample", attrs, x, c.Cast(c.In(1), x.Type.DType)), d))
}

func roiAlign(c *lowering) []*graph.Value {
	half := c.form.declared("coordinate_transformation_mode") != nil &&
		c.OneOf("coordinate_transformation_mode", "half_pixel", "output_half_pixel") == "half_pixel"
	return one(c.Node("roi_align", emit.Attr("mode", c.OneOf("mode", "avg", "max"), "output_size", []int{c.Int("output_height"), c.Int("output_width")},
		"sampling_ratio", c.Int("sampling_ratio"), "spatial_scale", c.Float("spatial_scale"), "half_pixel", half), c.All(0)...))
}

// maxRoiPool takes regions of whole elements: the item of each, and then where it begins and ends.
func maxRoiPool(c *lowering) []*graph.Value {
	rois := c.In(1)
	if s := rois.Type.Shape; len(s) != 2 || s[1] != 5 {
		c.failf("rois", "it is %v; it must have five columns", rois.Type)
	}
	item := c.Squeeze(c.Cast(c.Section(rois, 1, 0, 1), tensor.Int64), 1)
	corners := c.scaled(c.Section(rois, 1, 1, 5), "spatial_scale", c.Float("spatial_scale"))
	corners = c.Unsqueeze(c.Cast(c.Node("round", nil, corners), tensor.Int64), 1)
	x := c.Node("gather", emit.Attr("axis", 0), c.In(0), item) // so that each region has an item of its own
	return one(c.Squeeze(c.Node("roi_pool", emit.Attr("output_size", c.Ints("pooled_shape")), x, corners), 1))
}

// affineGrid multiplies the coordinates of all places in a tensor of the given size, with a 1 behind, by matrices.
func affineGrid(c *lowering) []*graph.Value {
	theta, size := c.In(0), c.KnownInts(1)
	d := theta.Type.DType
	rank := len(size) - 2
	if rank < 1 {
		c.failf("size", "there are %d extents; there must be batch, channels and one or more spatial ones", len(size))
	}
	if s := theta.Type.Shape; len(s) != 3 || s[0] != size[0] || s[1] != rank || s[2] != rank+1 {
		c.failf("theta", "it is %v; for the size %v it must have one matrix of %d rows and %d columns for each of %d items", theta.Type, size,
			rank, rank+1, size[0])
	}
	c.bounded("size", 0, size)
	extents := size[2:]
	var rows []*graph.Value
	for k := range extents {
		axis := rank - 1 - k // the last dimension is the first coordinate
		n := extents[axis]
		step, first := 2/float64(n), 1/float64(n)-1
		if c.Flag("align_corners") {
			step, first = 2/float64(max(n-1, 1)), -1
		}
		v := c.Node("add", nil, c.Node("mul", nil, c.IotaAlong(axis, rank, n, d), c.Number(step, d)), c.Number(first, d))
		rows = append(rows, c.Unsqueeze(c.Broadcast(v, extents...), 0))
	}
	rows = append(rows, c.Unsqueeze(c.Broadcast(c.Number(1, d), extents...), 0))
	places := c.Node("concat", emit.Attr("axis", 0), rows...)
	// Coordinates lie together until the product has been made: its rows are long so.
	y := c.Transpose(c.product(theta, c.Reshape(places, rank+1, tensor.Shape(extents).Len()), false, false), 0, 2, 1)
	return one(c.Reshape(y, append(append([]int{size[0]}, extents...), rank)...))
}
