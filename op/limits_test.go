package op_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestAttributeLimits binds operators to shapes and attributes at the bounds, and just beyond them.
func TestAttributeLimits(t *testing.T) {
	testdata.Wide(t)
	shapes := func(list ...tensor.Shape) []tensor.Shape { return list }
	window := func(size int, more ...graph.Attr) graph.Attrs {
		return append(graph.Attrs{with("size", []int{size}), with("padding", []int{0, 0})}, more...)
	}
	for _, c := range []struct {
		op   string
		most int
		make func(n int) ([]tensor.Shape, graph.Attrs)
	}{
		{"unstack", limits.OpResults, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{n, 0}), graph.Attrs{with("axis", 0)}
		}},
		{"split", limits.OpResults, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{n}), graph.Attrs{with("axis", 0), with("ratios", slices.Repeat([]int{1}, n))}
		}},
		{"max_pool", limits.OpSlide, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{4}), window(1, with("stride", []int{n}))
		}},
		{"max_pool", limits.OpSlide, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{4}), window(1, with("dilation", []int{n}))
		}},
		{"max_pool", limits.OpSlide, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{4}), graph.Attrs{with("size", []int{1}), with("padding", []int{n, 0})}
		}},
		{"max_pool", limits.OpSlide, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{n + 1}), graph.Attrs{with("size", []int{1}), with("padding", []int{-n, 0})}
		}},
		{"box", limits.OpWindow, func(n int) ([]tensor.Shape, graph.Attrs) { return shapes(tensor.Shape{n}), window(n) }},
		{"box", limits.OpWindow / 2, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{2, n}), graph.Attrs{with("size", []int{2, n}), with("padding", []int{0, 0, 0, 0})}
		}},
		{"local_response_normalization", limits.OpWindow, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{4}), graph.Attrs{with("size", []int{n})}
		}},
		{"local_response_normalization", limits.OpWindow / 3, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{4, 4}), graph.Attrs{with("size", []int{3, n})}
		}},
		{"multilinear_upsample", limits.OpGrid, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, 1, n}), graph.Attrs{with("factor", []int{1})}
		}},
		{"multilinear_upsample", limits.OpGrid, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, 1, 1}), graph.Attrs{with("factor", []int{n})}
		}},
		{"multilinear_upsample", limits.OpGrid / 2, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, 1, n}), graph.Attrs{with("factor", []int{2})}
		}},
		{"max_roi_pool", limits.OpGrid, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, 1, n}, tensor.Shape{1, 2}, tensor.Shape{1}), graph.Attrs{with("output_size", []int{1})}
		}},
		{"max_roi_pool", limits.OpGrid, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, 1, 1}, tensor.Shape{1, 2}, tensor.Shape{1}), graph.Attrs{with("output_size", []int{n})}
		}},
		{"resample", limits.OpResample, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{n}), graph.Attrs{with("sizes", []int{1})}
		}},
		{"resample", limits.OpResample, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1}), graph.Attrs{with("sizes", []int{n})}
		}},
		{"resize", limits.OpResample, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{n}), graph.Attrs{with("sizes", []int{1}), with("mode", "cubic")}
		}},
		{"grid_sample", limits.OpGrid, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, 1, n}, tensor.Shape{1, 1, 1}), nil
		}},
		{"deform_conv", limits.OpGrid, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, 1, n}, tensor.Shape{1, 1, 1}, tensor.Shape{1, 1, n}), graph.Attrs{with("padding", []int{0, 0})}
		}},
		{"roi_align", limits.OpGrid, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, 1, 1, n}, tensor.Shape{1, 4}, tensor.Shape{1}), graph.Attrs{with("output_size", []int{1, 1})}
		}},
		{"dft", limits.OpGrid, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{n, 1}), graph.Attrs{with("axis", 0)}
		}},
		{"non_max_suppression", limits.OpBoxes, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, n, 6}, tensor.Shape{1}), nil
		}},
		{"class_box_suppression", limits.OpBoxes, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, n, 4}, tensor.Shape{1, 1, n}), graph.Attrs{with("max_output_size", n)}
		}},
		{"col_to_im", limits.OpWindow, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, n, 1}), window(n, with("output_size", []int{n}))
		}},
		{"col_to_im", limits.OpSlide, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, 1, 4}), window(1, with("output_size", []int{4}), with("dilation", []int{n}))
		}},
		{"box_suppression", limits.OpBoxes, func(n int) ([]tensor.Shape, graph.Attrs) {
			return shapes(tensor.Shape{1, n, 4}, tensor.Shape{1, n}), nil
		}},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			d, _ := op.Lookup(c.op)
			list, attrs := c.make(n)
			types := make([]op.Type, len(list))
			for i, shape := range list {
				types[i] = op.Type{DType: tensor.Float32, Shape: shape}
				if !d.In[i].Types.Has(tensor.Float32) {
					types[i].DType = tensor.Int32
				}
			}
			_, _, err := d.Bind(types, attrs)
			var violated *op.Error
			if (err == nil) != (n == c.most) || err != nil && !errors.As(err, &violated) {
				t.Errorf("%s with %d: %v", c.op, n, err)
			}
		}
	}
}
