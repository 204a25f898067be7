package wasm

import (
	"fmt"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// softmaxChunk is how many columns go through softmax together.
const softmaxChunk = 256

func computeSoftmax(r kernel.Region) *kernel.Plan {
	n := r.Root()
	g, ok := groupsOf(r, n.Attrs.Ints("axes"))
	if !ok {
		return nil
	}
	return &kernel.Plan{Pieces: g.outer * geometry.CeilDiv(g.inner, softmaxChunk), Scratch: 4 * (min(g.inner, softmaxChunk) + 3),
		Code: makes(func(m *maker, c *op.Call) (int, error) {
			f := m.newFunction(kernelType)
			f.pieces(func(piece int) {
				outer, part := f.divided(piece, geometry.CeilDiv(g.inner, softmaxChunk))
				for _, t := range []*tensor.Tensor{c.In[0], c.Out[0]} {
					m.push(f.Code, t)
					f.add(term{outer, 4 * g.count * g.inner}, term{part, 4 * softmaxChunk})
				}
				m.pushScratch(f.Code, c.Scratch)
				if g.inner == 1 {
					f.Ref(wasmobj.ToFunc, m.softmaxRow(g.count), 0)
					return
				}
				left := f.i32()
				f.chunkOf(left, part, g.inner, softmaxChunk)
				f.Get(left)
				f.Ref(wasmobj.ToFunc, m.softmaxColumns(g.count, 4*g.inner), 0)
			})
			return m.addFunc("", kernelType, f.Code), nil
		})}
}

// softmaxRow returns the function of a row, that of the result and room for a vector.
func (m *maker) softmaxRow(count int) int {
	return m.shared(fmt.Sprintf("softmax of %d", count), words(3), func(f *function) {
		x, y, room := 0, 1, 2
		n, to := func() { f.I32(int32(count)) }, func() { f.Get(y) }
		f.store(room, 0, f.row(&greatest, x, count))
		f.apply("sub", to, n, f.all(x), f.once(room))
		f.apply("exp", to, n, f.all(y))
		f.store(room, 0, f.row(&summing, y, count))
		f.apply("div", to, n, f.all(y), f.once(room))
	})
}

// softmaxColumns returns the function of columns of elements so many bytes apart, those of the result, room for a row, and how many columns there are.
func (m *maker) softmaxColumns(count, apart int) int {
	return m.shared(fmt.Sprintf("softmax of %d, %d bytes apart", count, apart), words(4), func(f *function) {
		x, y, room, n := 0, 1, 2, 3
		fold := func(fo *folding, from int) {
			at, to, left := f.copied(from), f.copied(room), f.copied(n)
			f.fours(left, func() {
				f.store(to, 0, f.columns(fo, at, count, apart))
				f.move(at, 16)
				f.move(to, 16)
			})
		}
		rows := func(body func(from, to int, z, columns func())) {
			from, to := f.copied(x), f.copied(y)
			f.loop(count, func() {
				body(from, to, func() { f.Get(to) }, func() { f.Get(n) })
				f.move(from, apart)
				f.move(to, apart)
			})
		}
		fold(&greatest, x)
		rows(func(from, to int, z, columns func()) {
			f.apply("sub", z, columns, f.all(from), f.all(room))
			f.apply("exp", z, columns, f.all(to))
		})
		fold(&summing, y)
		rows(func(_, to int, z, columns func()) { f.apply("div", z, columns, f.all(to), f.all(room)) })
	})
}
