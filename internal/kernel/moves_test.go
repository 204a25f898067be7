package kernel_test

import (
	"fmt"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// BenchmarkTranspose has exchanges of dimensions of plain values; operands in blocks of channels that become pixels.
func BenchmarkTranspose(b *testing.B) {
	for _, l := range []struct {
		d     tensor.DType
		shape tensor.Shape
		axes  []int
	}{
		{tensor.Float32, tensor.Shape{512, 512}, []int{1, 0}},
		{tensor.Float32, tensor.Shape{128, 12, 64}, []int{1, 2, 0}},
		{tensor.Float32, tensor.Shape{128, 12, 64}, []int{1, 0, 2}},
		{tensor.Float32, tensor.Shape{1, 56, 56, 64}, []int{0, 3, 1, 2}},
		{tensor.Float32, tensor.Shape{1, 64, 56, 56}, []int{0, 2, 3, 1}},
		{tensor.Float32, tensor.Shape{1, 12, 30, 40}, []int{0, 2, 3, 1}},
		{tensor.Int8, tensor.Shape{1, 56, 56, 64}, []int{0, 3, 1, 2}},
	} {
		benchmarkRows(b, fmt.Sprint(l.d, l.shape, l.axes), func(g *graph.Builder) []*graph.Node {
			x := must(g.Input("x", op.Type{DType: l.d, Shape: l.shape}))
			return []*graph.Node{must(g.One("transpose", []*graph.Value{x}, graph.AttrsOf("axes", l.axes), "")).Producer}
		})
	}
}

// BenchmarkPairs takes two of four elements apart, puts two and two together, and has softmax of two, as networks do that find boxes.
func BenchmarkPairs(b *testing.B) {
	one := func(name string, attrs graph.Attrs, extents ...int) {
		benchmarkRows(b, name, func(g *graph.Builder) []*graph.Node {
			var in []*graph.Value
			for i, n := range extents {
				in = append(in, must(g.Input(fmt.Sprint("x", i), op.Type{DType: tensor.Float32, Shape: tensor.Shape{4420, n}})))
			}
			return []*graph.Node{must(g.One(name, in, attrs, "")).Producer}
		})
	}
	one("slice", graph.AttrsOf("axes", []int{1}, "begin", []int{2}, "end", []int{4}), 4)
	one("concat", graph.AttrsOf("axis", 1), 2, 2)
	one("stack", graph.AttrsOf("axis", 2), 2, 2)
	one("softmax", graph.AttrsOf("axes", []int{1}), 2)
}

// BenchmarkResize enlarges planes by two.
func BenchmarkResize(b *testing.B) {
	for _, mode := range []string{"nearest-neighbor", "linear"} {
		benchmarkRows(b, mode, func(g *graph.Builder) []*graph.Node {
			x := must(g.Input("x", op.Type{DType: tensor.Float32, Shape: tensor.Shape{1, 64, 40, 40}}))
			return []*graph.Node{must(g.One("resample", []*graph.Value{x}, graph.AttrsOf("mode", mode, "sizes", []int{1, 64, 80, 80}), "")).Producer}
		})
	}
}
