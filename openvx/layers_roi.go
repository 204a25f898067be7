package openvx

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

func inferROIPooling(c *call) error {
	if err := firstOf(
		c.checkFormats(0, 1), c.checkRank(0, 3, MaxTensorDims),
		checkEnum(c, 2, "pooling type", argument[ROIPoolParams](c, 2).PoolType, PoolingMax),
	); err != nil {
		return err
	}
	x, rois := c.operands[0].dims, c.operands[1].dims
	if len(rois) != len(x)-1 || rois[0] != 4 || !slices.Equal(rois[2:], x[3:]) {
		return c.wrong(1, ErrorInvalidDimension, "has extents %v; with input_data of %v they must be 4, the number of regions%s",
			rois, x, andBatch(x[3:]))
	}
	width, height := c.extent(0), c.extent(1)
	if width == 0 || height == 0 {
		return c.wrong(c.last(), ErrorInvalidDimension, "has extents %v; width and height must be given, nothing else says them", c.out().dims)
	}
	dims := []int{width, height, x[2]}
	if len(c.out().dims) != len(x) || rois[1] != 1 { // the text forgets the dimension of regions
		dims = append(dims, rois[1])
	}
	return c.complete(c.like(0, append(dims, x[3:]...)...))
}

func andBatch(dims []int) (s string) {
	if len(dims) > 0 {
		s = ", and the batch of the data"
	}
	return s
}

// lowerROIPooling: coordinates are plain integers, whatever the fixed point position. A region may reach outside the data; the sample
// implementation finds nothing in a bin that begins before it.
func lowerROIPooling(l *lowering) *graph.Value {
	x, rois, y := l.operands[0].dims, l.operands[1].dims, l.out().dims
	regions := l.Reshape(l.values[1], batched(rois, 2)...)
	if regions.Type.DType.IsFloat() {
		regions = l.Cast(regions, tensor.Int32)
	}
	before := "clamp"
	if l.compatible {
		before = "empty"
	}
	data := l.Reshape(l.values[0], batched(x, 3)...)
	return l.result(l.Node("roi_pool", emit.Attr("output_size", []int{y[1], y[0]}, "before", before), data, regions))
}
