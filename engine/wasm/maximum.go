package wasm

import (
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// byteMaximum is a max_pool of integers of 8 bits over planes: a vector is a block of channels.
type byteMaximum struct {
	geometry.Sliding
	rows, columns geometry.Slide
	in, out       int // elements of a plane
	signed        bool
}

func greatestBytes(r kernel.Region) *kernel.Plan {
	n := r.Root()
	in, out := n.In[0].Type.Shape, n.Out[0].Type.Shape
	planes, ok := geometry.Spatial(n.Attrs, in, out)
	if !ok || len(r.Nodes) > 1 || in.Len() == 0 || out.Len() == 0 || planes.Border != geometry.BorderIgnore || planes.Rank > 2 {
		return nil
	}
	v := &byteMaximum{Sliding: planes, in: in[2:].Len(), out: out[2:].Len(), signed: n.In[0].Type.DType == tensor.Int8}
	v.rows, v.columns = linesAndPixels(&v.Sliding)
	for _, d := range []*geometry.Slide{&v.rows, &v.columns} {
		for _, r := range d.Stretches(0, d.Out) {
			if r.Begin == r.End {
				return nil // nothing has a maximum
			}
		}
	}
	return &kernel.Plan{In: []kernel.Layout{kernel.Blocked16}, Out: []kernel.Layout{kernel.Blocked16},
		Pieces: in[0] * geometry.CeilDiv(in[1], block) * v.rows.Out, Code: makes(v.make)}
}

// make adds the function. A piece is a line of a block.
func (v *byteMaximum) make(m *maker, c *op.Call) (int, error) {
	f, table := m.newFunction(kernelType), linesOf(m, &v.rows, v.columns.In*block, 0)
	f.pieces(func(piece int) {
		plane, line := f.divided(piece, v.rows.Out)
		x, out, taps, at := f.i32(), f.i32(), f.i32(), f.i32()
		f.address(at, func() { f.Ref(wasmobj.ToData, table, 0) }, term{line, 12})
		word := func(offset int) { f.Get(at); f.Uint(i32Load, 2, uint64(offset)) }
		f.address(x, func() { m.push(f.Code, c.In[0]); word(0); f.Op(i32Add) }, term{plane, v.in * block})
		f.address(out, func() { m.push(f.Code, c.Out[0]) }, term{plane, v.out * block}, term{line, v.columns.Out * block})
		word(8)
		f.Set(taps)
		first := f.i32()
		for _, r := range v.columns.Stretches(0, v.columns.Out) {
			from, _ := v.columns.Source(r.First, r.Begin)
			f.address(first, func() { f.I32(int32(from * block)) }, term{x, 1})
			some := func(pixels, times int) {
				f.loop(times, func() {
					v.tile(f, [3]int{first, out, taps}, pixels, r.End-r.Begin)
					f.move(first, pixels*v.columns.Stride*block)
					f.move(out, pixels*block)
				})
			}
			if full := r.N / octetPixels; full > 0 {
				some(octetPixels, full)
			}
			if rest := r.N % octetPixels; rest > 0 {
				some(rest, 1)
			}
		}
	})
	return m.addFunc("", kernelType, f.Code), nil
}

// tile computes pixels that as many columns of taps meet, given locals with where input and result begin and with the lines of taps.
func (v *byteMaximum) tile(f *function, at [3]int, pixels, columns int) {
	x, line := f.i32(), f.i32()
	least, greater := uint32(0), uint32(i8x16MaxU)
	if v.signed {
		least, greater = 0x80808080, i8x16MaxS
	}
	var most []int
	for range pixels {
		most = append(most, f.v128())
		f.wideWords(least)
		f.Set(most[len(most)-1])
	}
	f.Get(at[0])
	f.Set(x)
	f.Get(at[2])
	f.Set(line)
	f.repeat(line, func() {
		f.loop(columns, func() {
			for p, y := range most {
				f.load(x, p*v.columns.Stride*block)
				f.Get(y)
				f.SIMD(greater)
				f.Set(y)
			}
			f.move(x, v.columns.Dilation*block)
		})
		f.move(x, v.rows.Dilation*v.columns.In*block-columns*v.columns.Dilation*block)
	})
	for p, y := range most {
		f.store(at[1], p*block, y)
	}
}
