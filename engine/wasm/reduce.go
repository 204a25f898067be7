package wasm

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
)

// reduction is what a reduction folds, and what becomes of the result.
type reduction struct {
	folding
	finish  func(f *function, v, n int) // of n elements
	rescued bool                        // whether a sum that is no finite number is left to the reference
}

func divideBy(f *function, v, n int) {
	f.Get(v)
	f.vector(float32(n))
	f.SIMD(f32x4Div)
	f.Set(v)
}

var reductions = map[string]reduction{
	"sum_reduce":     {folding: summing},
	"max_reduce":     {folding: greatest},
	"min_reduce":     {folding: least},
	"product_reduce": {folding: multiplying},
	"l1_reduce":      {folding: absolutes},
	"mean_reduce":    {folding: summing, finish: divideBy, rescued: true},
	"l2_reduce": {folding: squaring, finish: func(f *function, v, _ int) {
		f.Get(v)
		f.SIMD(f32x4Sqrt)
		f.Set(v)
	}, rescued: true},
	"sum_square_reduce": {folding: squaring},
}

// columnChunk is how many columns make a piece.
const columnChunk = 64

func reduceGroups(r kernel.Region) *kernel.Plan {
	n := r.Root()
	g, ok := groupsOf(r, n.Attrs.Ints("axes"))
	if !ok {
		return nil
	}
	red := reductions[n.Op]
	if n.Op == "sum_reduce" && n.Attrs.Bool("normalize") {
		red = reductions["mean_reduce"]
	}
	return &kernel.Plan{Pieces: g.outer * geometry.CeilDiv(g.inner, columnChunk), Code: makes(func(m *maker, c *op.Call) (int, error) {
		return red.make(m, n, g, c), nil
	})}
}

func (r *reduction) make(m *maker, n *graph.Node, g groups, c *op.Call) int {
	f := m.newFunction(kernelType)
	f.pieces(func(piece int) {
		parts := geometry.CeilDiv(g.inner, columnChunk)
		outer, part := f.divided(piece, parts)
		left := f.i32()
		x := f.sum(func() { m.push(f.Code, c.In[0]) }, term{outer, 4 * g.count * g.inner}, term{part, 4 * columnChunk})
		first := f.sum(func() { f.I32(0) }, term{outer, g.inner}, term{part, columnChunk})
		y := f.sum(func() { m.push(f.Code, c.Out[0]) }, term{first, 4})
		f.chunkOf(left, part, g.inner, columnChunk)
		f.fours(left, func() {
			var v int
			if g.inner == 1 { // Without this there would be three sums that nobody needs.
				v = f.row(&r.folding, x, g.count)
			} else {
				v = f.columns(&r.folding, x, g.count, 4*g.inner)
			}
			write := func() {
				if r.finish != nil {
					r.finish(f, v, g.count)
				}
				f.canonical(v)
				f.storeSome(y, v, left)
			}
			if r.rescued {
				f.infinite(v)
				f.Op(opIf, noResult)
				f.reference(n, c, first, func() { f.least(left, 4) })
				f.Op(opElse)
				write()
				f.Op(opEnd)
			} else {
				write()
			}
			f.move(x, 16)
			f.move(y, 16)
			f.move(first, 4)
		})
	})
	return m.addFunc("", kernelType, f.Code)
}

// least pushes the lesser of a local and a number.
func (f *function) least(local, most int) {
	f.Get(local)
	f.I32(int32(most))
	f.Get(local)
	f.I32(int32(most))
	f.Op(i32LtU, opSelect)
}

// fours repeats a body for as many elements as a local says, at least once, four at a time. The body finds there how many are left.
func (f *function) fours(left int, body func()) {
	f.Op(opLoop, noResult)
	body()
	f.Get(left)
	f.I32(4)
	f.Op(i32GtU)
	f.move(left, -4)
	f.Uint(opBranchIf, 0)
	f.Op(opEnd)
}
