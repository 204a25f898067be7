package wasm

import (
	"fmt"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"slices"
)

// normalization is a normalization of rows.
type normalization struct {
	n       *graph.Node
	rows    int
	count   int
	centred bool // whether the mean is subtracted
	channel int  // of how many channels a scale and a bias serve a row each; 0 where they serve the elements of rows
}

func normalizeRows(r kernel.Region) *kernel.Plan {
	n := r.Root()
	shape := n.In[0].Type.Shape
	v := &normalization{n: n, centred: n.Op != "rms_normalization"}
	axes := n.Attrs.Ints("axes")
	if n.Op == "instance_normalization" {
		v.channel, axes = shape[1], emit.Counting(2, len(shape)-2)
	}
	if !slices.IsSorted(axes) {
		return nil
	}
	g, ok := groupsOf(r, axes)
	if !ok || g.inner > 1 {
		return nil
	}
	v.rows, v.count = g.outer, g.count
	return &kernel.Plan{Pieces: v.rows, Scratch: 16, Code: makes(v.make)}
}

// has reports whether an operand is given.
func (v *normalization) has(i int) bool { return i < len(v.n.In) && v.n.In[i] != nil }

func (v *normalization) make(m *maker, c *op.Call) (int, error) {
	f := m.newFunction(kernelType)
	f.pieces(func(piece int) {
		x := f.sum(func() { m.push(f.Code, c.In[0]) }, term{piece, 4 * v.count})
		y := f.sum(func() { m.push(f.Code, c.Out[0]) }, term{piece, 4 * v.count})
		parameter := f.sum(func() { f.I32(0) })
		if v.channel > 0 {
			_, channel := f.divided(piece, v.channel)
			f.address(parameter, func() { f.I32(0) }, term{channel, 4})
		}
		f.Get(x)
		f.Get(y)
		for i := 1; i <= 2; i++ {
			if !v.has(i) {
				f.I32(0)
				continue
			}
			m.push(f.Code, c.In[i])
			if c.In[i].Len() > 1 {
				f.Get(parameter)
				f.Op(i32Add)
			}
		}
		m.pushScratch(f.Code, c.Scratch)
		f.Ref(wasmobj.ToFunc, v.row(m), 0)
		f.Op(opIf, noResult)
		f.reference(v.n, c, piece, func() { f.I32(1) })
		f.Op(opEnd)
	})
	return m.addFunc("", kernelType, f.Code), nil
}

// row returns the function of a row, that of the result, its scale and bias, and room for a vector. It returns whether the variance is no finite number.
func (v *normalization) row(m *maker) int {
	epsilon := float32(v.n.Attrs.Float("epsilon"))
	name := fmt.Sprintf("%s of %d, %v %t %t %t", v.n.Op, v.count, epsilon, v.has(1), v.has(2), v.channel > 0)
	return m.shared(name, words(5, wasmobj.I32), func(f *function) {
		x, y, scale, bias, room := 0, 1, 2, 3, 4
		mean, inv, element := f.v128(), f.v128(), f.v128()
		centre := func(to int) {
			if v.centred {
				f.Get(to)
				f.Get(mean)
				f.SIMD(f32x4Sub)
				f.Set(to)
			}
		}
		if v.centred {
			sum := f.row(&summing, x, v.count)
			divideBy(f, sum, v.count)
			f.Get(sum)
			f.Set(mean)
		}
		variance := f.row(&folding{0, func(f *function, acc, e int) {
			centre(e)
			addSquare(f, acc, e)
		}, f32x4Add}, x, v.count)
		divideBy(f, variance, v.count)
		f.infinite(variance)
		f.Op(opIf, noResult)
		f.I32(1)
		f.Op(opReturn, opEnd)
		f.Get(variance)
		f.vector(epsilon)
		f.SIMD(f32x4Add)
		f.Set(variance)
		f.store(room, 0, variance)
		f.apply("rsqrt", func() { f.Get(room) }, func() { f.I32(1) }, f.all(room))
		f.splat(room, 0)
		f.Set(inv)
		step := 16
		parameter := func(at int) {
			if v.channel > 0 {
				f.splat(at, 0)
			} else {
				f.load(at, 0)
			}
		}
		if v.channel > 0 {
			step = 0
		}
		left := f.i32()
		f.I32(int32(v.count))
		f.Set(left)
		f.fours(left, func() {
			f.load(x, 0)
			f.Set(element)
			centre(element)
			factor := f.v128()
			f.Get(inv)
			if v.has(1) {
				parameter(scale)
				f.SIMD(f32x4Mul)
			}
			f.Set(factor)
			if v.centred {
				sum := f.v128()
				if v.has(2) {
					parameter(bias)
				} else {
					f.vector(0)
				}
				f.Set(sum)
				f.madd(sum, func() { f.Get(element) }, func() { f.Get(factor) })
				element = sum
			} else {
				f.Get(element)
				f.Get(factor)
				f.SIMD(f32x4Mul)
				f.Set(element)
			}
			f.canonical(element)
			f.storeSome(y, element, left)
			f.move(x, 16)
			f.move(y, 16)
			f.move(scale, step)
			f.move(bias, step)
		})
		f.I32(0)
	})
}
