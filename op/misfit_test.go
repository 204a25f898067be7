package op_test

import (
	"errors"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestMisfit tells attributes that do not fit the extents of the operands from those that are wrong by themselves or
// for the rank: front-ends put the two into different classes of errors.
func TestMisfit(t *testing.T) {
	f := func(shape ...int) op.Type { return op.Type{DType: tensor.Float32, Shape: shape} }
	window := func(size, padding []int, more ...graph.Attr) graph.Attrs {
		return append(graph.Attrs{with("size", size), with("padding", padding)}, more...)
	}
	plane := []int{0, 0, 0, 0}
	for _, c := range []struct {
		name    string
		in      []op.Type
		attrs   graph.Attrs
		operand string
		misfit  bool
	}{
		{"conv", []op.Type{f(1, 4, 5), f(3, 2, 3)}, graph.Attrs{with("groups", 2), with("padding", []int{0, 0})}, "groups", true},
		{"conv", []op.Type{f(1, 4, 5), f(3, 4, 7)}, graph.Attrs{with("padding", []int{0, 0})}, "padding", true},
		{"conv", []op.Type{f(1, 4, 5), f(3, 4, 3)}, graph.Attrs{with("padding", plane)}, "padding", false},
		{"conv", []op.Type{f(1, 4, 5), f(3, 3, 3)}, graph.Attrs{with("padding", []int{0, 0})}, "filter", false},
		{"deconv", []op.Type{f(1, 4, 5), f(4, 1, 3)}, graph.Attrs{with("groups", 3), with("padding", []int{0, 0})}, "groups", true},
		{"deconv", []op.Type{f(1, 4, 5), f(4, 2, 3)},
			graph.Attrs{with("output_shape", []int{1, 3, 7}), with("padding", []int{0, 0})}, "output_shape", true},
		{"deconv", []op.Type{f(1, 4, 5), f(4, 2, 3)},
			graph.Attrs{with("output_shape", []int{1, 2, 8}), with("padding", []int{0, 0})}, "output_shape", true},
		{"deconv", []op.Type{f(1, 4, 5), f(4, 2, 3)},
			graph.Attrs{with("output_shape", []int{1, 2}), with("padding", []int{0, 0})}, "output_shape", false},
		{"deconv", []op.Type{f(1, 4, 2), f(4, 2, 3)}, graph.Attrs{with("padding", []int{3, 3})}, "padding", true},
		{"box", []op.Type{f(2, 5)}, window([]int{3, 1}, plane), "padding", true},
		{"box", []op.Type{f(2, 5)}, window([]int{3}, plane), "size", false},
		{"debox", []op.Type{f(2, 5)}, window([]int{1, 2}, plane, with("output_shape", []int{2, 9})), "output_shape", true},
		{"reshape", []op.Type{f(2, 3)}, graph.Attrs{with("shape", []int{5, -1})}, "shape", true},
		{"reshape", []op.Type{f(2, 3)}, graph.Attrs{with("shape", []int{7})}, "shape", true},
		{"reshape", []op.Type{f(2, 3)}, graph.Attrs{with("shape", []int{-1, -1})}, "shape", false},
		{"squeeze", []op.Type{f(2, 1)}, graph.Attrs{with("axes", []int{0})}, "axes", true},
		{"squeeze", []op.Type{f(2, 1)}, graph.Attrs{with("axes", []int{2})}, "axes", false},
		{"split", []op.Type{f(2, 3)}, graph.Attrs{with("axis", 1), with("ratios", []int{1, 1})}, "ratios", true},
		{"split", []op.Type{f(2, 3)}, graph.Attrs{with("axis", 2), with("ratios", []int{1, 1})}, "axis", false},
		{"pad", []op.Type{f(2, 3)}, graph.Attrs{with("padding", []int{0, 0, -2, -2})}, "padding", true},
		{"pad", []op.Type{f(2, 3)}, graph.Attrs{with("padding", []int{1, 1})}, "padding", false},
	} {
		d, _ := op.Lookup(c.name)
		_, _, err := d.Bind(c.in, c.attrs)
		var violated *op.Error
		if !errors.As(err, &violated) || violated.Operand != c.operand || violated.Misfit != c.misfit {
			t.Errorf("%s %v %v: %v; want one on %s, a misfit: %v", c.name, c.in, c.attrs, err, c.operand, c.misfit)
		}
	}
}

// TestTooLarge tells results that no tensor could hold from every other mistake.
func TestTooLarge(t *testing.T) {
	f := func(shape ...int) op.Type { return op.Type{DType: tensor.Float32, Shape: shape} }
	const n = tensor.MaxElements / 4
	for _, c := range []struct {
		name     string
		in       []op.Type
		attrs    graph.Attrs
		tooLarge bool
	}{
		{"add", []op.Type{f(n, 1), f(1, n)}, nil, true},
		{"add", []op.Type{f(2), f(3)}, nil, false},
		{"expand", []op.Type{f(1, 1)}, graph.Attrs{with("shape", []int{n, n})}, true},
		{"matmul", []op.Type{f(n, 1), f(1, n)}, nil, true},
		{"matmul", []op.Type{f(n, 2), f(1, n)}, nil, false},
	} {
		d, _ := op.Lookup(c.name)
		_, _, err := d.Bind(c.in, c.attrs)
		var violated *op.Error
		if !errors.As(err, &violated) || violated.TooLarge != c.tooLarge {
			t.Errorf("%s %v %v: %v; want one that is too large: %v", c.name, c.in, c.attrs, err, c.tooLarge)
		}
	}
}
