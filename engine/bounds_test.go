package engine

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

func TestThreadLimit(t *testing.T) {
	for n, ok := range map[int]bool{-1: false, 0: true, limits.EngineThreads: true, limits.EngineThreads + 1: false} {
		p, err := Compile(chain(t, 1, 1), Options{Threads: n})
		if (err == nil) != ok {
			t.Errorf("%d threads: %v", n, err)
		}
		if p != nil {
			p.Close()
		}
	}
}

func TestDefaultLimits(t *testing.T) {
	want := Limits{limits.EngineNodes, limits.EngineMemory, limits.EngineOperations, limits.EngineSeconds * time.Second}
	if DefaultLimits != want {
		t.Errorf("the defaults are %+v; want %+v", DefaultLimits, want)
	}
}

// TestPlansAreBounded compiles operators for which kernels list lines, tiles or rounds, of extents as only a hostile model declares them: along each
// dimension as many as there are kernels for, fewer, and as there may be. What compiling takes must not follow them.
func TestPlansAreBounded(t *testing.T) {
	pool := func(rank, size int) graph.Attrs {
		padding := append(make([]int, 4), slices.Repeat([]int{size / 2}, 2*rank)...)
		return attrs("size", append([]int{1, 1}, slices.Repeat([]int{size}, rank)...), "padding", padding, "border", "ignore")
	}
	flat, layers, up := slices.Repeat([]int{1}, 4), slices.Repeat([]int{1}, 6), []int{2, 2}
	float, eight := tensor.Float32, tensor.Uint8
	for _, c := range []struct {
		op     string
		attrs  graph.Attrs
		dtype  tensor.DType
		shape  tensor.Shape   // of the input, whose extents are varied
		shapes []tensor.Shape // of constants behind it
	}{
		{"max_pool", pool(2, 3), float, tensor.Shape{1, 64, 20, 20}, nil},
		{"max_pool", pool(2, 3), eight, tensor.Shape{1, 64, 20, 20}, nil},
		{"max_pool", pool(2, 13), float, tensor.Shape{1, 64, 13, 13}, nil},
		{"max_pool", pool(3, 3), float, tensor.Shape{1, 16, 8, 8, 8}, nil},
		{"box", pool(2, 3), float, tensor.Shape{1, 2, 20, 20}, nil},
		{"conv", attrs("padding", flat), float, tensor.Shape{1, 16, 20, 20}, []tensor.Shape{{16, 16, 3, 3}}},
		{"conv", attrs("padding", flat), eight, tensor.Shape{1, 16, 20, 20}, []tensor.Shape{{16, 16, 3, 3}}},
		{"conv", attrs("padding", layers), float, tensor.Shape{1, 16, 8, 8, 8}, []tensor.Shape{{16, 16, 3, 3, 3}}},
		{"conv", attrs("padding", flat, "groups", 0), float, tensor.Shape{1, 32, 20, 20}, []tensor.Shape{{32, 1, 3, 3}}},
		{"deconv", attrs("padding", flat, "stride", up), float, tensor.Shape{1, 16, 20, 20}, []tensor.Shape{{16, 16, 4, 4}}},
		{"deconv", attrs("padding", flat, "stride", up, "groups", 0), float, tensor.Shape{1, 32, 20, 20}, []tensor.Shape{{32, 1, 4, 4}}},
		{"matmul", nil, float, tensor.Shape{4, 64}, []tensor.Shape{{64, 64}}},
		{"matmul", nil, tensor.Int32, tensor.Shape{4, 64}, []tensor.Shape{{64, 64}}},
		{"matmul", nil, eight, tensor.Shape{4, 64}, []tensor.Shape{{64, 64}}},
		{"softmax", attrs("axes", []int{1}), float, tensor.Shape{4, 64, 20, 20}, nil},
		{"sum_reduce", attrs("axes", []int{1}), float, tensor.Shape{4, 64, 20}, nil},
		{"cumulative_sum", attrs("axis", 1), float, tensor.Shape{4, 64, 20}, nil},
		{"transpose", attrs("axes", []int{0, 3, 2, 1}), float, tensor.Shape{4, 64, 20, 20}, nil},
	} {
		for i := range c.shape {
			for _, elements := range []int{limits.KernelElements / 16, limits.KernelElements, limits.TensorElements / 16} {
				shape := slices.Clone(c.shape)
				shape[i] = min(elements, limits.TensorElements/16) / (shape.Len() / shape[i])
				n := newNet(t)
				in := []*graph.Value{n.input("x", c.dtype, shape...)}
				for _, s := range c.shapes {
					v, err := n.Constant("", "", op.NewRand(1, 2).Tensor(c.dtype, s))
					in = append(in, ok(t, v, err))
				}
				y, err := n.One(c.op, in, c.attrs, "")
				if err != nil { // a filter has not as many channels
					continue
				}
				n.output("y", y)
				holdToBounds(t, n, c.op)
			}
		}
	}
}

// TestPartsAreBounded compiles convolutions to more channels than any network has, which declared filters give them.
func TestPartsAreBounded(t *testing.T) {
	for _, c := range []struct {
		op        string
		in, shape tensor.Shape
		groups    int
	}{
		{"conv", tensor.Shape{1, 2, 1, 1}, tensor.Shape{1 << 24, 2, 1, 1}, 1},
		{"conv", tensor.Shape{1, 1 << 23, 1, 1}, tensor.Shape{1 << 22, 2, 1, 1}, 1 << 22},
		{"deconv", tensor.Shape{1, 2, 1, 1}, tensor.Shape{2, 1 << 24, 1, 1}, 1},
	} {
		n := newNet(t)
		in := []*graph.Value{n.input("x", tensor.Float32, c.in...), n.input("filter", tensor.Float32, c.shape...)}
		n.output("y", n.op(c.op, attrs("padding", make([]int, 4), "groups", c.groups), in...))
		holdToBounds(t, n, fmt.Sprint(c.op, c.in, c.shape))
	}
}

// holdToBounds compiles a net, which must not allocate more than 2²⁸ bytes, be they in use at the same time or not.
func holdToBounds(t *testing.T, n net, name string) {
	t.Helper()
	g, err := n.Build()
	g = ok(t, g, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := Compile(g, Options{Limits: Limits{Memory: -1, Operations: -1}})
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; err != nil || n > 1<<28 {
		t.Errorf("%s of %v: compiling allocates %d bytes; error %v", name, g.Inputs[0].Type, n, err)
	}
	p.Close()
}
