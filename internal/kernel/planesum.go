package kernel

import (
	"slices"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
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
			if divide {
				of := y[item*channels+first*block : item*channels+min(first*block+a.Planes*block, channels)]
				for k, v := range of {
					if !finite(v) {
						of[k] = rescuedMean(x[lo*pixels*block+k/block*pixels*block+k%block:], pixels)
					}
				}
			}
			lo += a.Planes
		}
	}
	return &Plan{In: []Layout{Blocked16}, Pieces: in[0] * blocks, Scratch: blockBytes, Nanos: int64(in[0]*blocks*pixels) / 2, Run: run}
}

// rescuedMean is the mean of so many elements, each a block behind the other, whose sum is no finite number, as mean_reduce finds it: of elements
// times a power of two.
func rescuedMean(x []float32, n int) float32 {
	var acc [lanes]float32
	for k := range n {
		acc[k%lanes] += float32(x[k*block] * 0x1p-80)
	}
	for h := lanes / 2; h > 0; h /= 2 {
		for l := range h {
			acc[l] += acc[l+h]
		}
	}
	return fmath.Canonical(acc[0] / float32(n) * 0x1p80)
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

// wholePlanes are rows for averages, and sums, of bytes and words over whole planes: the products of planes with ones.
func wholePlanes(t *simd.Tier) []Kernel {
	if !t.RowDots.Exists() {
		return nil
	}
	return []Kernel{{Name: "whole planes", Op: "box", In: []op.Types{op.TypeSet(tensor.Uint8, tensor.Int8, tensor.Int16)}, Prepare: alone(func(a *application) *Plan {
		switch a.in[0].DType {
		case tensor.Uint8:
			return wholePlanesOf[uint8](t, a)
		case tensor.Int8:
			return wholePlanesOf[int8](t, a)
		}
		return wholePlanesOf[int16](t, a)
	})}}
}

// wholeMost is the greatest number of elements of a plane, whose sum fits into 32 bits, and wholeAtOnce how many of all planes a call adds.
const wholeMost, wholeAtOnce = 1 << 15, 1 << 17

func wholePlanesOf[T uint8 | int8 | int16](t *simd.Tier, a *application) *Plan {
	g, _ := a.window()
	if g.Rank != 2 || !g.Dim[0].Still() || !g.Dim[1].Whole() || g.Dim[1].In < block || g.Dim[1].In > wholeMost {
		return nil
	}
	size, n, normalize := a.in[0].DType.Size(), g.Dim[1].In, a.Bool("normalize")
	groups, together := geometry.CeilDiv(n, block), max(1, wholeAtOnce/n)
	inside := (a.in[0].Shape.Len() + n - groups*block) / n // planes whose last group, of which zeros multiply what is beyond them, ends within the operand
	args := simd.RowDotsArgs{WRow: n * size, K: groups, Words: size - 1, XSigned: 1}
	if a.in[0].DType == tensor.Int8 { // of ones that may have a sign or not, those are multiplied fastest that have one where planes have none
		args.WSigned, args.XSigned = 1, 0
	}
	// A sum is less than 2³⁰, so that its magnitude times inverse is less than 2⁶², and n · inverse is less than n greater than a power of two: quotients are exact.
	const shift = 47
	inverse := (1<<shift + uint64(n) - 1) / uint64(n)
	onesSize := groups * block * size
	p := evenly(a.out[0].Shape.Len(), func(c *op.Call, lo, hi int) {
		x, y, watch, args := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), c.Watch(), args
		ones, sums := elementsOfType[T](c.Scratch[:onesSize]), elementsOfType[int32](c.Scratch[onesSize:])
		for i := range ones[:n] {
			ones[i] = 1
		}
		clear(ones[n:])
		args.X, args.Out = simd.At(ones, 0), simd.At(sums, 0)
		for ; lo < hi; lo += args.N {
			args.N = max(1, min(hi-lo, together, inside-lo))
			if watch.Stops(args.N * n) {
				return
			}
			if lo < inside {
				args.W = simd.At(x, lo*n)
				t.RowDots.Run(&args)
			} else {
				sums[0] = 0
				for _, v := range x[lo*n:][:n] {
					sums[0] += int32(v)
				}
			}
			to := y[lo:][:args.N]
			for i, sum := range sums[:len(to)] {
				if normalize {
					sign := sum >> 31
					sum = int32(uint64(sum^sign-sign) * inverse >> shift)
					sum = sum ^ sign - sign
				}
				to[i] = T(sum)
			}
		}
	})
	p.Scratch = onesSize + 4*together
	p.Nanos = int64(a.in[0].Shape.Len())/16 + 4*int64(a.out[0].Shape.Len())
	return p
}
