package op

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// BenchmarkIntegers measures the operators that most of the time of integer networks goes into, and beside some convolutions the same with
// a filter of int32, which the general kernel computes.
func BenchmarkIntegers(b *testing.B) {
	r := NewRand(1, 4)
	conv := func(channels, extent int, filter tensor.DType) Case {
		return Case{In: []*tensor.Tensor{r.Tensor(tensor.Int8, tensor.Shape{1, channels, extent, extent}),
			r.Integers(filter, tensor.Shape{channels, channels, 3, 3}, -127, 127)}, Attrs: graph.AttrsOf("padding", []int{1, 1, 1, 1})}
	}
	window := func(groups, channels, extent, size, stride int) Case { // of a filter, with as much padding as keeps the extent
		filter := tensor.Shape{channels, channels / groups, size, size}
		return Case{In: []*tensor.Tensor{r.Tensor(tensor.Int8, tensor.Shape{1, channels, extent, extent}), r.Tensor(tensor.Int8, filter)},
			Attrs: graph.AttrsOf("padding", []int{size / 2, size / 2, size / 2, size / 2}, "stride", []int{stride, stride}, "groups", groups)}
	}
	sums := r.Tensor(tensor.Int32, tensor.Shape{1, 16, 32, 32})
	wide := r.Tensor(tensor.Int64, tensor.Shape{1, 16, 32, 32})
	shift := graph.AttrsOf("rounding", "half_up", "overflow", "saturate", "dtype", tensor.Int8)
	for _, c := range []struct {
		name, op string
		Case
	}{
		{"conv-16x32x32", "conv", conv(16, 32, tensor.Int8)},
		{"conv-16x32x32-general", "conv", conv(16, 32, tensor.Int32)},
		{"conv-64x8x8", "conv", conv(64, 8, tensor.Int8)},
		{"conv-64x8x8-general", "conv", conv(64, 8, tensor.Int32)},
		{"conv-1x1-64x8x8", "conv", window(1, 64, 8, 1, 1)},
		{"conv-strided-32x32x32", "conv", window(1, 32, 32, 3, 2)},
		{"conv-depthwise-32x16x16", "conv", window(32, 32, 16, 3, 1)},
		{"conv-depthwise-128x4x4", "conv", window(128, 128, 4, 3, 1)},
		{"max_pool-16x32x32", "max_pool", Case{In: []*tensor.Tensor{r.Tensor(tensor.Int8, tensor.Shape{1, 16, 32, 32})},
			Attrs: graph.AttrsOf("size", []int{1, 1, 2, 2}, "border", "ignore", "padding", make([]int, 8), "stride", []int{1, 1, 2, 2})}},
		{"cast-16384", "cast", Case{In: []*tensor.Tensor{sums}, Attrs: graph.AttrsOf("dtype", tensor.Int8)}},
		{"linear-1x1024x256", "linear", Case{In: []*tensor.Tensor{
			r.Tensor(tensor.Int8, tensor.Shape{1, 1024}), r.Tensor(tensor.Int8, tensor.Shape{256, 1024})}}},
		{"conv-int16-64x8x8", "conv", Case{In: []*tensor.Tensor{r.Tensor(tensor.Int16, tensor.Shape{1, 64, 8, 8}),
			r.Tensor(tensor.Int16, tensor.Shape{64, 64, 3, 3})}, Attrs: graph.AttrsOf("padding", []int{1, 1, 1, 1}, "dtype", tensor.Int64)}},
		{"linear-int16-1x1024x256", "linear", Case{In: []*tensor.Tensor{r.Tensor(tensor.Int16, tensor.Shape{1, 1024}),
			r.Tensor(tensor.Int16, tensor.Shape{256, 1024})}, Attrs: graph.AttrsOf("dtype", tensor.Int64)}},
		{"matmul-uint8-64x64x64", "matmul", Case{In: []*tensor.Tensor{
			r.Tensor(tensor.Uint8, tensor.Shape{64, 64}), r.Tensor(tensor.Uint8, tensor.Shape{64, 64})}}},
		{"box-256x7x7", "box", Case{In: []*tensor.Tensor{r.Tensor(tensor.Int16, tensor.Shape{256, 7, 7})},
			Attrs: graph.AttrsOf("size", []int{1, 7, 7}, "padding", make([]int, 6), "normalize", true)}},
		{"max_pool-3x3-16x32x32", "max_pool", Case{In: []*tensor.Tensor{r.Tensor(tensor.Uint8, tensor.Shape{1, 16, 32, 32})},
			Attrs: graph.AttrsOf("size", []int{1, 1, 3, 3}, "border", "ignore", "padding", make([]int, 8))}},
		{"rescale-16384", "rescale", Case{In: by(sums, 9, 1), Attrs: shift}},
		{"rescale-even-16384", "rescale", Case{In: by(sums, 9, 1), Attrs: shift.With("rounding", "half_even")}},
		{"rescale-wide-16384", "rescale", Case{In: by(wide, 9, 1), Attrs: shift.With("rounding", "to_zero")}},
		{"rescale-channels-16384", "rescale", Case{In: []*tensor.Tensor{sums, r.Integers(tensor.Int8, tensor.Shape{16}, 0, 12),
			r.Integers(tensor.Int32, tensor.Shape{16}, 1, 1<<20)}, Attrs: shift}},
		{"clamp_precision-16384", "clamp_precision", Case{In: []*tensor.Tensor{sums}, Attrs: graph.AttrsOf("precision", 8)}},
		{"add-16384", "add", Case{In: []*tensor.Tensor{sums, sums}}},
		{"add-saturating-16384", "add", Case{In: []*tensor.Tensor{sums, sums}, Attrs: graph.AttrsOf("overflow", "saturate")}},
		{"relu-16384", "relu", Case{In: []*tensor.Tensor{sums}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			d, _ := Lookup(c.op)
			var types []Type
			for _, t := range c.In {
				types = append(types, Type{t.DType(), t.Shape()})
			}
			s, out, err := d.Bind(types, c.Attrs)
			if err != nil {
				b.Fatal(err)
			}
			call := &Call{In: append(c.In, make([]*tensor.Tensor, max(0, len(d.In)-len(c.In)))...), Attrs: s.Attrs}
			for _, t := range out {
				y, err := tensor.New(t.DType, t.Shape)
				if err != nil {
					b.Fatal(err)
				}
				call.Out = append(call.Out, y)
			}
			kernel, pieces := d.Kernel(call), d.Pieces(call)
			for b.Loop() {
				kernel(call, 0, pieces)
			}
		})
	}
}
