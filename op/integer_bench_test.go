package op_test

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// BenchmarkIntegers measures the steps between the convolutions and products of integer networks, which have kernels of their own in
// internal/kernel.
func BenchmarkIntegers(b *testing.B) {
	r := op.NewRand(1, 4)
	sums := r.Tensor(tensor.Int32, tensor.Shape{1, 16, 32, 32})
	wide := r.Tensor(tensor.Int64, tensor.Shape{1, 16, 32, 32})
	shift := graph.AttrsOf("rounding", "half_up", "overflow", "saturate", "dtype", tensor.Int8)
	for _, c := range []struct {
		name, op string
		op.Case
	}{
		{"cast-16384", "cast", op.Case{In: []*tensor.Tensor{sums}, Attrs: graph.AttrsOf("dtype", tensor.Int8)}},
		{"rescale-16384", "rescale", op.Case{In: by(sums, 9, 1), Attrs: shift}},
		{"rescale-even-16384", "rescale", op.Case{In: by(sums, 9, 1), Attrs: shift.With("rounding", "half_even")}},
		{"rescale-wide-16384", "rescale", op.Case{In: by(wide, 9, 1), Attrs: shift.With("rounding", "to_zero")}},
		{"rescale-channels-16384", "rescale", op.Case{In: []*tensor.Tensor{sums, r.Integers(tensor.Int8, tensor.Shape{16}, 0, 12),
			r.Integers(tensor.Int32, tensor.Shape{16}, 1, 1<<20)}, Attrs: shift}},
		{"clamp_precision-16384", "clamp_precision", op.Case{In: []*tensor.Tensor{sums}, Attrs: graph.AttrsOf("precision", 8)}},
		{"relu-16384", "relu", op.Case{In: []*tensor.Tensor{sums}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			d, _ := op.Lookup(c.op)
			var types []op.Type
			for _, t := range c.In {
				types = append(types, op.Type{DType: t.DType(), Shape: t.Shape()})
			}
			s, out, err := d.Bind(types, c.Attrs)
			if err != nil {
				b.Fatal(err)
			}
			call := &op.Call{In: append(c.In, make([]*tensor.Tensor, max(0, len(d.In)-len(c.In)))...), Attrs: s.Attrs}
			for _, t := range out {
				y, err := tensor.New(t.DType, t.Shape)
				if err != nil {
					b.Fatal(err)
				}
				call.Out = append(call.Out, y)
			}
			sig, types := d.Applied(call)
			kernel, pieces := d.Kernel(sig), d.Pieces(sig, types)
			for b.Loop() {
				kernel(call, 0, pieces)
			}
		})
	}
}
