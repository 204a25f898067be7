package kernel

import (
	"slices"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// planeSumRows are sums and means over planes of blocks of channels.
func planeSumRows(t *simd.Tier) []Kernel {
	if !t.PlaneSum.Exists() {
		return nil
	}
	row := func(name string, divide func(graph.Attrs) bool) Kernel {
		return Kernel{Name: "planes", Op: name, In: []op.Types{float32s}, Prepare: func(r Region) *Plan { return foldPlanes(t, r, divide(r.Root().Attrs)) }}
	}
	return []Kernel{
		row("mean_reduce", func(graph.Attrs) bool { return true }),
		row("sum_reduce", func(a graph.Attrs) bool { return a.Bool("normalize") }),
	}
}

// foldCall is how many vectors a call of the routine adds.
const foldCall = 1 << 13

// foldPlanes prepares a sum over all dimensions behind the channels of an operand that is there in blocks. The result is plain. A piece is a block
// of channels.
func foldPlanes(t *simd.Tier, r Region, divide bool) *Plan {
	n := r.Root()
	in := n.In[0].Type.Shape
	pixels := in[min(2, len(in)):].Len()
	if len(r.Nodes) > 1 || r.Layouts[n.In[0]] != Blocked16 || pixels > 1<<17 || !behindChannels(n.Attrs.Ints("axes"), len(in)) {
		return nil
	}
	blocks, channels := blocked(in)[1], in[1]
	args := simd.PlaneSumArgs{Pixels: pixels, Divisor: float32(pixels), InStep: pixels * blockBytes, OutStep: blockBytes}
	if divide {
		args.Divide = 1
	}
	run := func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch()
		last := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(c.Scratch))), block)
		for lo < hi {
			item, first := lo/blocks, lo%blocks
			whole := min(hi-lo, channels/block-first, max(foldCall/pixels, 1))
			a := args
			a.Planes = max(whole, 1)
			if watch.Stops(a.Planes * pixels) {
				return
			}
			to := y[item*channels+first*block:]
			if whole <= 0 {
				to = last
			}
			for lane := 0; lane < block; lane += t.Lanes {
				of := a
				of.In, of.Out = simd.At(x, lo*pixels*block+lane), simd.At(to, lane)
				t.PlaneSum.Run(&of)
			}
			if whole <= 0 {
				copy(y[item*channels+first*block:(item+1)*channels], last)
			}
			lo += a.Planes
		}
	}
	return &Plan{In: []Layout{Blocked16}, Pieces: in[0] * blocks, Scratch: blockBytes, Nanos: int64(in[0]*blocks*pixels) / 2, Run: run}
}

// behindChannels reports whether axes are all dimensions of a rank behind the first two.
func behindChannels(axes []int, rank int) bool {
	sorted := slices.Sorted(slices.Values(axes))
	for i, a := range sorted {
		if a != i+2 {
			return false
		}
	}
	return len(sorted) > 0 && len(sorted) == rank-2
}
