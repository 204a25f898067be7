package kernel

import (
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// response is local_response_normalization in runs along the last dimensions: those of which the window has one index, or the last one.
type response struct {
	outer []extentOf // the dimensions before a run
	run   int
	size  int // of the window along a run

	square, base, power, div simd.Routine[simd.ElementsArgs]
	p, q                     []float32 // parameters of base and power
}

// extentOf is a dimension and the extent of the window.
type extentOf struct {
	dimension
	size int
}

// before returns how many elements of a window lie before its own.
func before(size int) int { return (size - 1) / 2 }

// responseRows returns the row of local_response_normalization.
func responseRows(t *simd.Tier) []Kernel {
	if t.Elements == nil {
		return nil
	}
	return []Kernel{{Name: "runs", Op: "local_response_normalization", In: []op.Types{float32s}, Prepare: alone(func(a *application) *Plan {
		return localResponse(t, a)
	})}}
}

func localResponse(t *simd.Tier, a *application) *Plan {
	shape, size := a.in[0].Shape, a.Ints("size")
	routine, q, ok := powerOf(float32(a.Float("beta")))
	if !ok {
		return nil
	}
	r := &response{run: 1, size: 1, square: t.Elements["add_rounded_square"], base: t.Elements["response"], power: t.Elements[routine], div: t.Elements["div"], q: q}
	d := len(shape) - 1
	for ; d >= 0 && size[d] == 1; d-- {
		r.run *= shape[d]
	}
	if d == len(shape)-1 {
		r.run, r.size = shape[d], size[d]
		d--
	}
	for stride := r.run; d >= 0; d-- {
		r.outer = append([]extentOf{{dimension{shape[d], stride}, size[d]}}, r.outer...)
		stride *= shape[d]
	}
	volume := tensor.Shape(size).Len()
	r.p = []float32{float32(volume), float32(a.Float("alpha")), float32(a.Float("bias"))}
	n := shape.Len()
	each := largestDivisor(n)
	p := evenly(n/each, func(c *op.Call, lo, hi int) { r.compute(c, lo*each, hi*each) })
	p.Scratch, p.Nanos = 4*width, int64(n)*int64(3+volume/4)
	return p
}

// compute computes the elements lo…hi-1.
func (r *response) compute(c *op.Call, lo, hi int) {
	x, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch()
	acc := floatsOf(c.Scratch)
	for lo < hi {
		first := lo % r.run
		n := min(hi-lo, width, r.run-first)
		clear(acc[:n])
		if !r.squares(x, acc[:n], lo/r.run, first, &watch) {
			return
		}
		at := simd.At(acc, 0)
		r.base.Run(&simd.ElementsArgs{X: at, Z: at, N: n, A: r.p[0], B: r.p[1], C: r.p[2]})
		power := simd.ElementsArgs{X: at, Z: at, N: n}
		if len(r.q) > 0 {
			power.A, power.B, power.C, power.D = r.q[0], r.q[1], r.q[2], r.q[3]
		}
		r.power.Run(&power)
		elementsOf(&r.div, n, simd.At(y, lo), simd.At(x, lo), at)
		lo += n
	}
}

// squares adds the squares of the windows of elements from first on of a run, in row-major order. It reports whether the evaluation goes on.
func (r *response) squares(x, acc []float32, run, first int, watch *op.Watch) bool {
	var from, count, index [tensor.MaxRank]int
	row := 0
	for k := len(r.outer) - 1; k >= 0; k-- {
		d := &r.outer[k]
		at := run % d.extent
		run /= d.extent
		from[k] = max(0, at-before(d.size))
		count[k] = min(d.extent, at-before(d.size)+d.size) - from[k]
		row += from[k] * d.stride
	}
	for {
		if watch.Stops(len(acc) * r.size) {
			return false
		}
		for k := range r.size {
			shift := first + k - before(r.size)
			lo, hi := max(0, -shift), min(len(acc), r.run-shift)
			if lo < hi {
				sum := simd.At(acc, lo)
				elementsOf(&r.square, hi-lo, sum, simd.At(x, row+shift+lo), sum)
			}
		}
		k := len(r.outer) - 1
		for ; k >= 0; k-- {
			row += r.outer[k].stride
			if index[k]++; index[k] < count[k] {
				break
			}
			row -= count[k] * r.outer[k].stride
			index[k] = 0
		}
		if k < 0 {
			return true
		}
	}
}
