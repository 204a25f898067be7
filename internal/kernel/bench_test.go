package kernel_test

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// sized is a named case of an operator.
type sized struct {
	name, op string
	op.Case
}

// large returns cases of sizes that networks have, at least one for each operator with a kernel.
func large(r *op.Rand) []sized {
	x := func(d tensor.DType, shape ...int) *tensor.Tensor { return r.Tensor(d, shape) }
	conv := func(groups, in, out, extent, size, stride int, input, filter tensor.DType) op.Case {
		half := size / 2
		return op.Case{In: []*tensor.Tensor{x(input, 1, in, extent, extent), x(filter, out, in/groups, size, size)},
			Attrs: graph.AttrsOf("padding", []int{half, half, half, half}, "stride", []int{stride, stride}, "groups", groups)}
	}
	pool := func(x *tensor.Tensor, size, stride int, more ...any) op.Case {
		return op.Case{In: []*tensor.Tensor{x}, Attrs: graph.AttrsOf(append([]any{"size", []int{1, 1, size, size}, "border", "ignore",
			"padding", make([]int, 8), "stride", []int{1, 1, stride, stride}}, more...)...)}
	}
	const i8, u8, i16, i32, f32 = tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Int32, tensor.Float32
	wide := graph.AttrsOf("dtype", tensor.Int64)
	up := graph.AttrsOf("padding", []int{0, 0, 0, 0}, "stride", []int{2, 2})
	return []sized{
		{"conv-int8-16x32x32", "conv", conv(1, 16, 16, 32, 3, 1, i8, i8)},
		{"conv-int8-64x8x8", "conv", conv(1, 64, 64, 8, 3, 1, i8, i8)},
		{"conv-int8-1x1-64x16x16", "conv", conv(1, 64, 64, 16, 1, 1, i8, i8)},
		{"conv-int8-strided-32x32x32", "conv", conv(1, 32, 32, 32, 3, 2, i8, u8)},
		{"conv-int8-depthwise-128x32x32", "conv", conv(128, 128, 128, 32, 3, 1, i8, i8)},
		{"conv-int16-64x8x8", "conv", conv(1, 64, 64, 8, 3, 1, i16, i16)},
		{"conv-int32-16x32x32", "conv", conv(1, 16, 16, 32, 3, 1, i8, i32)},
		{"conv-float-32x32x32", "conv", conv(1, 32, 32, 32, 3, 1, f32, f32)},
		{"conv-float-depthwise-128x32x32", "conv", conv(128, 128, 128, 32, 3, 1, f32, f32)},
		{"deconv-float-16x16x16", "deconv", op.Case{In: []*tensor.Tensor{x(f32, 1, 16, 16, 16), x(f32, 16, 16, 4, 4)}, Attrs: up}},
		{"deconv-int8-16x16x16", "deconv", op.Case{In: []*tensor.Tensor{x(i8, 1, 16, 16, 16), x(i8, 16, 16, 4, 4)}, Attrs: up}},
		{"matmul-float-64x128x128", "matmul", op.Case{In: []*tensor.Tensor{x(f32, 64, 128), x(f32, 128, 128)}}},
		{"matmul-uint8-64x128x128", "matmul", op.Case{In: []*tensor.Tensor{x(u8, 64, 128), x(u8, 128, 128)}}},
		{"linear-float-1x1024x512", "linear", op.Case{In: []*tensor.Tensor{x(f32, 1, 1024), x(f32, 512, 1024)}}},
		{"linear-int8-1x1024x512", "linear", op.Case{In: []*tensor.Tensor{x(i8, 1, 1024), x(i8, 512, 1024)}}},
		{"linear-int16-1x1024x512", "linear", op.Case{In: []*tensor.Tensor{x(i16, 1, 1024), x(i16, 512, 1024)}, Attrs: wide}},
		{"gemm-float-64x128x128", "gemm", op.Case{In: []*tensor.Tensor{x(f32, 64, 128), x(f32, 128, 128), x(f32, 128)}}},
		{"max_pool-int8-2x2-96x64x64", "max_pool", pool(x(i8, 1, 96, 64, 64), 2, 2)},
		{"max_pool-uint8-3x3-16x64x64", "max_pool", pool(x(u8, 1, 16, 64, 64), 3, 1)},
		{"max_pool-float-3x3-16x64x64", "max_pool", pool(x(f32, 1, 16, 64, 64), 3, 1)},
		{"box-int16-512x28x28", "box", pool(x(i16, 1, 512, 28, 28), 28, 1, "normalize", true)},
		{"box-float-3x3-16x64x64", "box", pool(x(f32, 1, 16, 64, 64), 3, 1, "normalize", true)},
		{"debox-float-3x3-16x64x64", "debox", pool(x(f32, 1, 16, 64, 64), 3, 1)},
		{"l2_pool-float-3x3-16x64x64", "l2_pool", pool(x(f32, 1, 16, 64, 64), 3, 1)},
		{"rms_pool-float-3x3-16x64x64", "rms_pool", pool(x(f32, 1, 16, 64, 64), 3, 1)},
	}
}

// elements returns cases of operators on single elements.
func elements(r *op.Rand) []sized {
	x, y := r.Tensor(tensor.Int32, tensor.Shape{1, 16, 32, 32}), r.Tensor(tensor.Float32, tensor.Shape{1, 16, 32, 32})
	one, each, zero := tensor.Scalar[float32](0.1), r.Uniform(tensor.Float32, tensor.Shape{1, 16, 1, 1}, 0.1, 0.2), tensor.Scalar[int8](3)
	return []sized{
		{"quantize-16384", "quantize_linear", op.Case{In: []*tensor.Tensor{y, one, zero}}},
		{"requantize-16384", "requantize", op.Case{In: []*tensor.Tensor{x, each, zero}}},
		{"add-16384", "add", op.Case{In: []*tensor.Tensor{x, x}}},
		{"sub-saturating-16384", "sub", op.Case{In: []*tensor.Tensor{x, x}, Attrs: graph.AttrsOf("overflow", "saturate")}},
	}
}

// BenchmarkKernels compares kernels with references.
func BenchmarkKernels(b *testing.B) {
	r := op.NewRand(1, 4)
	for _, k := range slices.Concat(large(r), elements(r)) {
		d, _ := op.Lookup(k.op)
		n := node(b, op.NewRand(1, 4), k.op, k.Case)
		p := kernel.For(kernel.Tiers, kernel.Region{Nodes: []*graph.Node{n}})
		call := &op.Call{In: append(k.In, make([]*tensor.Tensor, len(d.In)-len(k.In))...), Attrs: n.Attrs, Scratch: tensor.AlignedBytes(p.Scratch)}
		for _, out := range graph.TypesOf(n.Out) {
			call.Out = append(call.Out, must(tensor.New(out.DType, out.Shape)))
		}
		b.Run(k.name+"/kernel", func(b *testing.B) {
			for b.Loop() {
				p.Run(call, 0, p.Pieces)
			}
		})
		b.Run(k.name+"/reference", func(b *testing.B) {
			sig, types := d.Applied(call)
			for reference, pieces := d.Kernel(sig), d.Pieces(sig, types); b.Loop(); {
				reference(call, 0, pieces)
			}
		})
	}
}
