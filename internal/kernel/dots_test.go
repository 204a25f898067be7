package kernel_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// BenchmarkDots measures convolutions that networks have, of unsigned by signed bytes, with codes as the result: a thousand million multiply-adds
// a second.
func BenchmarkDots(b *testing.B) {
	for _, tt := range []struct{ in, out, extent, size, stride, groups int }{
		{3, 64, 224, 7, 2, 1}, {3, 32, 224, 3, 2, 1},
		{64, 64, 56, 3, 1, 1}, {128, 128, 28, 3, 1, 1}, {256, 256, 14, 3, 1, 1}, {512, 512, 7, 3, 1, 1},
		{64, 256, 56, 1, 1, 1}, {256, 64, 56, 1, 1, 1}, {512, 128, 28, 1, 1, 1}, {256, 1024, 14, 1, 1, 1}, {1024, 256, 14, 1, 1, 1}, {512, 2048, 7, 1, 1, 1},
		{256, 512, 56, 1, 2, 1}, {16, 96, 112, 1, 1, 1}, {144, 24, 56, 1, 1, 1}, {96, 576, 14, 1, 1, 1}, {960, 320, 7, 1, 1, 1},
		{96, 96, 112, 3, 2, 96}, {144, 144, 56, 3, 1, 144}, {384, 384, 14, 3, 1, 384}, {960, 960, 7, 3, 1, 960},
	} {
		r := op.NewRand(1, 10)
		half := tt.size / 2
		c := op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Uint8, tensor.Shape{1, tt.in, tt.extent, tt.extent}),
			bell(r, tensor.Shape{tt.out, tt.in / tt.groups, tt.size, tt.size}), r.Integers(tensor.Int32, tensor.Shape{tt.out}, -1000, 1000),
			r.Tensor(tensor.Uint8, tensor.Shape{})},
			Attrs: graph.AttrsOf("padding", []int{half, half, half, half}, "stride", []int{tt.stride, tt.stride}, "groups", tt.groups)}
		build := graph.NewBuilder(op.Rules, "case")
		in := make([]*graph.Value, len(c.In))
		for i, x := range c.In {
			if i == 0 {
				in[i] = must(build.Input("x", graph.TypeOf(x)))
			} else {
				in[i] = must(build.Constant("", "", x))
			}
		}
		root := must(build.Node("conv", in, c.Attrs, ""))[0]
		more := []*tensor.Tensor{r.Uniform(tensor.Float32, tensor.Shape{}, 0.0001, 0.1), r.Tensor(tensor.Uint8, tensor.Shape{})}
		out := must(build.Node("requantize", []*graph.Value{root, must(build.Constant("", "", more[0])), must(build.Constant("", "", more[1]))}, nil, ""))[0]
		for _, tier := range kernel.Tiers[:3] {
			if !tier.Has() {
				continue
			}
			b.Run(fmt.Sprintf("%d-%d-%d-%dx%d-s%d-g%d/%s", tt.in, tt.out, tt.extent, tt.size, tt.size, tt.stride, tt.groups, tier.Name), func(b *testing.B) {
				var p *kernel.Plan
				region := kernel.Region{Nodes: []*graph.Node{root.Producer, out.Producer}}
				for i := range tier.Kernels {
					if row := &tier.Kernels[i]; p == nil && row.Takes(root.Producer) {
						p = row.Prepare(region)
					}
				}
				if p == nil {
					b.Skip("no kernel")
				}
				c := c
				c.In = append(c.In[:len(c.In):len(c.In)], more...)
				call := callOf(p, c, out.Type)
				least := time.Hour
				for b.Loop() {
					start := time.Now()
					p.Run(&call, 0, p.Pieces)
					least = min(least, time.Since(start))
				}
				macs := float64(root.Type.Shape.Len()) * float64(tt.in/tt.groups*tt.size*tt.size)
				b.ReportMetric(macs/float64(least.Nanoseconds()), "GMAC/s")
				b.ReportMetric(float64(least.Nanoseconds())/1e3, "least-µs")
			})
		}
	}
}

// bell returns weights as networks have them: most are small, few are great.
func bell(r *op.Rand, shape tensor.Shape) *tensor.Tensor {
	w := must(tensor.New(tensor.Int8, shape))
	for i := range tensor.Data[int8](w) {
		for range 3 {
			tensor.Data[int8](w)[i] += int8(r.Between(-42, 42))
		}
	}
	return w
}

// callOf returns a call of a plan with the operands of a case as rubbish in its layouts.
func callOf(p *kernel.Plan, c op.Case, out op.Type) op.Call {
	call := op.Call{Scratch: tensor.AlignedBytes(p.Scratch)}
	for i, x := range c.In {
		if l := layoutOf(p.In, i); l != kernel.Plain {
			x = must(tensor.New(x.DType(), l.Shape(x.Shape())))
		}
		call.In = append(call.In, x)
	}
	call.Out = []*tensor.Tensor{must(tensor.New(out.DType, layoutOf(p.Out, 0).Shape(out.Shape)))}
	for _, pack := range p.Pack {
		packed := tensor.AlignedBytes(pack.Size)
		pack.Fill(packed, 0, 1)
		call.Packed = append(call.Packed, packed)
	}
	return call
}

// TestZeroPointOfWords holds products of 16 bits to dot products where the zero point is known to be 0, and to none where it is another one.
func TestZeroPointOfWords(t *testing.T) {
	for zero := range int16(2) {
		n := nodeOf(t, "matmul", types(tensor.Int16, tensor.Shape{8, 32}, tensor.Int8, tensor.Shape{32, 16}, tensor.Int16, tensor.Shape{}), nil)
		n.In[2].Const = tensor.Scalar(zero)
		for _, of := range tiers {
			if p := rowOf(of, "dot products of words", "matmul").Prepare(kernel.Region{Nodes: []*graph.Node{n}}); (p != nil) != (zero == 0) {
				t.Errorf("%s, zero point %d: it is taken: %v", of.Name, zero, p != nil)
			}
		}
	}
}
