package kernel

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

var negativeInfinity = float32(math.Inf(-1))

// reduction is an operator that reduces axes: a fold, and what becomes of its result.
type reduction struct {
	op, fold string
	finish   string // a routine of [simd.Tier].Elements
	rescue   bool   // whether the reference makes results again that are no finite numbers
}

// reductions on float32, besides log_sum_exp_reduce. Those that divide do by the number of elements.
var reductions = []reduction{
	{op: "sum_reduce", fold: "sum", finish: "div", rescue: true},
	{op: "mean_reduce", fold: "sum", finish: "div", rescue: true},
	{op: "max_reduce", fold: "max"},
	{op: "min_reduce", fold: "min"},
	{op: "product_reduce", fold: "product"},
	{op: "l1_reduce", fold: "l1"},
	{op: "l2_reduce", fold: "sum_square", finish: "sqrt", rescue: true},
	{op: "sum_square_reduce", fold: "sum_square"},
	{op: "log_sum_reduce", fold: "sum", finish: "log", rescue: true},
}

// reduceRows returns the rows of reductions.
func reduceRows(t *simd.Tier) []Kernel {
	if t.Fold == nil {
		return nil
	}
	var rows []Kernel
	for _, r := range reductions {
		rows = append(rows, Kernel{Name: "lanes", Op: r.op, In: []op.Types{float32s}, Prepare: alone(func(a *application) *Plan {
			p := r.prepare(t, a)
			if r.rescue && (r.op != "sum_reduce" || a.Bool("normalize")) {
				rescue[float32](p, r.op, a.out[0].Shape.Len())
			}
			return p
		})})
	}
	for _, name := range []string{"argmax_reduce", "argmin_reduce"} {
		rows = append(rows, Kernel{Name: "lanes", Op: name, In: []op.Types{float32s}, Prepare: alone(func(a *application) *Plan { return placeInLanes(t, a, name) })})
	}
	rows = append(rows, integerReductions(t, bits8|bits16|op.TypeSet(tensor.Int32, tensor.Uint32), "sum_reduce", "max_reduce", "min_reduce")...)
	return append(rows, Kernel{Name: "lanes", Op: "log_sum_exp_reduce", In: []op.Types{float32s}, Prepare: alone(func(a *application) *Plan { return logSumExp(t, a) })})
}

// reducing returns the geometry of a node that reduces its attribute axes, or nil if it reduces nothing.
func (a *application) reducing() *groups { return groupsOf(a.in[0].Shape, a.Ints("axes")) }

func (r *reduction) prepare(t *simd.Tier, a *application) *Plan {
	g, f, finish, divides := a.reducing(), fold(t, r.fold), t.Elements[r.finish], r.finish == "div"
	if g == nil {
		return nil
	}
	n, finishes := float32(g.count), r.finish != ""
	if normalize, ok := a.Get("normalize").(bool); ok && !normalize {
		divides, finishes = false, false
	}
	if !g.across && len(g.rows) == 0 && g.run <= portion {
		return g.groupsTogether(&f, finish, finishes)
	}
	if !g.across {
		p := g.eachGroup(func(x []float32, at int, work []float32, watch op.Watch) (float32, op.Watch) {
			y := f.group(g, x, at, 0, work, &watch)
			if divides {
				y /= n
			}
			return y, watch
		})
		if run := p.Run; finishes && !divides {
			p.Run = func(c *op.Call, lo, hi int) {
				run(c, lo, hi)
				y := simd.At(tensor.Data[float32](c.Out[0]), lo)
				finish.Run(&simd.ElementsArgs{X: y, Z: y, N: hi - lo})
			}
		}
		return p
	}
	return g.eachBeside(func(b beside, x, y []float32, watch op.Watch) op.Watch {
		f.begin(&b)
		g.eachInLanes(x, &watch, func(k int, row uintptr) { f.add(&b, k, row) })
		from := f.end(&b)
		if !finishes {
			copy(y, b.acc)
			return watch
		}
		splat(b.one, n)
		elementsBy(&finish, b.n, simd.At(y, 0), from, simd.At(b.one, 0))
		return watch
	})
}

// rescue lets the reference of an operator, of which each of n results is a piece, make results again that are no finite numbers: they may be, by way of
// smaller sums. A piece of the plan is an equal run of results.
func rescue[T fmath.Float](p *Plan, name string, n int) {
	if p == nil {
		return
	}
	run, reference, each := p.Run, referenceOf(name, tensor.TypeOf[T]()), n/p.Pieces
	p.Run = func(c *op.Call, lo, hi int) {
		run(c, lo, hi)
		y, watch := tensor.Data[T](c.Out[0]), c.Watch()
		for i := lo * each; i < hi*each; i++ {
			if finite(y[i]) {
				continue
			}
			if watch.Stops(c.In[0].Len() / n) {
				return
			}
			reference(c, i, i+1)
		}
	}
}

// referenceOf returns the reference of an operator on a type.
func referenceOf(name string, on tensor.DType) op.Kernel {
	d, _ := op.Lookup(name)
	return d.Ref.Kernels[on]
}

// finite reports whether x is neither infinite nor NaN.
func finite[T fmath.Float](x T) bool { return x-x == 0 }

// logSumExp prepares log_sum_exp_reduce.
func logSumExp(t *simd.Tier, a *application) *Plan {
	g, greatest, sum := a.reducing(), fold(t, "max"), fold(t, "sum")
	less, exp, log, add := t.Elements["min"], t.Elements["exp_of_difference"], t.Elements["log"], t.Elements["add"]
	if g == nil {
		return nil
	}
	if !g.across {
		return g.eachGroup(func(x []float32, at int, work []float32, watch op.Watch) (float32, op.Watch) {
			m := greatest.group(g, x, at, 0, work, &watch)
			m = max(min(m, math.MaxFloat32), -math.MaxFloat32)
			acc, terms, one := work[:lanes], work[lanes+portion:], work[lanes+2*portion:][:block]
			splat(one, m)
			args := simd.FoldArgs{X: simd.At(terms, 0), Acc: simd.At(acc, 0), First: 1}
			g.each(x[at:], work[lanes:], &watch, func(part []float32) {
				args.N = len(part)
				elementsBy(&exp, args.N, args.X, simd.At(part, 0), simd.At(one, 0))
				sum.along.Run(&args)
				args.First = 0
			})
			args.N, args.Join = 0, 1
			sum.along.Run(&args)
			return m + fmath.Log(acc[0]), watch
		})
	}
	return g.eachBeside(func(b beside, x, y []float32, watch op.Watch) op.Watch {
		m := simd.At(y, 0)
		splat(y, negativeInfinity)
		g.eachRow(x, &watch, func(_ int, row uintptr) { elementsOf(&greatest.step, b.n, m, m, row) })
		splat(b.one, math.MaxFloat32)
		elementsBy(&less, b.n, m, m, simd.At(b.one, 0))
		splat(b.one, -math.MaxFloat32)
		elementsBy(&greatest.step, b.n, m, m, simd.At(b.one, 0))
		sum.begin(&b)
		g.eachInLanes(x, &watch, func(k int, row uintptr) {
			elementsOf(&exp, b.n, simd.At(b.temp, 0), row, m)
			sum.add(&b, k, simd.At(b.temp, 0))
		})
		from := sum.end(&b)
		elementsOf(&log, b.n, from, from, from)
		elementsOf(&add, b.n, m, m, from)
		return watch
	})
}

// placeInLanes prepares the place of the greatest or least element.
func placeInLanes(t *simd.Tier, a *application, name string) *Plan {
	g, least := a.reducing(), name == "argmin_reduce"
	f, keeps, choose := fold(t, "max"), t.Elements["keeps_greatest"], t.Elements["select"]
	if least {
		f, keeps = fold(t, "min"), t.Elements["keeps_least"]
	}
	if g == nil || g.across && g.count > 1<<24 { // places are float32 at first
		return nil
	}
	put := placing(a.out[0].DType)
	if g.across {
		return g.plain(4*4, func(c *op.Call, group, n int, watch *op.Watch) {
			w := floatsOf(c.Scratch)
			best, at, kept, one := w[:n], w[plainLanes:][:n], w[2*plainLanes:][:n], w[3*plainLanes:][:block]
			x := tensor.Data[float32](c.In[0])[g.begin(group):]
			copy(best, x)
			clear(at)
			args := simd.ElementsArgs{N: n, X: simd.At(kept, 0), XMask: -1, YMask: -1}
			g.eachRow(x, watch, func(k int, row uintptr) {
				splat(one, float32(k))
				elementsOf(&keeps, n, args.X, simd.At(best, 0), row)
				args.Y, args.V, args.VMask = simd.At(at, 0), simd.At(one, 0), 4*block-1
				args.Z = args.Y
				choose.Run(&args)
				args.Y, args.V, args.VMask = simd.At(best, 0), row, -1
				args.Z = args.Y
				choose.Run(&args)
			})
			for i, k := range at {
				put(c.Out[0], group+i, int(k))
			}
		})
	}
	p := g.plain(4, func(c *op.Call, group, _ int, watch *op.Watch) {
		x, acc := tensor.Data[float32](c.In[0])[g.begin(group):], floatsOf(c.Scratch)[:lanes]
		best, from, first := x[0], x[:1], 0 // the best element is somewhere in that part
		for row := range size(g.rows) {
			run, at := x[offset(g.rows, row):][:g.run], row*g.run
			for len(run) > 0 && best == best {
				part := run[:min(len(run), portion)]
				if watch.Stops(len(part)) {
					return
				}
				f.along.Run(&simd.FoldArgs{X: simd.At(part, 0), Acc: simd.At(acc, 0), N: len(part), First: 1, Join: 1, Start: f.start})
				if m := acc[0]; m != m || m > best && !least || m < best && least {
					best, from, first = m, part, at
				}
				run, at = run[len(part):], at+len(part)
			}
		}
		at := slices.Index(from, best)
		if best != best {
			at = slices.IndexFunc(from, func(v float32) bool { return v != v })
		}
		put(c.Out[0], group, first+at)
	})
	p.Nanos = int64(g.all) * int64(60+g.count/4)
	return p
}

// placing returns the function that writes a place as an integer of a type.
//
//go:noinline // kernels of every element type would hold it
func placing(d tensor.DType) func(y *tensor.Tensor, i, at int) {
	if d == tensor.Int32 {
		return func(y *tensor.Tensor, i, at int) { tensor.Data[int32](y)[i] = int32(at) }
	}
	return func(y *tensor.Tensor, i, at int) { tensor.Data[int64](y)[i] = int64(at) }
}

// eachRow calls f with the number and the address of the elements of each of the groups beside each other.
func (g *groups) eachRow(x []float32, watch *op.Watch, f func(k int, row uintptr)) {
	for k := range size(g.rows) {
		if watch.Stops(wide) {
			return
		}
		f(k, simd.At(x, offset(g.rows, k)))
	}
}

// eachInLanes is eachRow lane by lane: what a lane adds up to stays near.
func (g *groups) eachInLanes(x []float32, watch *op.Watch, f func(k int, row uintptr)) {
	for lane := range min(g.count, lanes) {
		for k := lane; k < g.count; k += lanes {
			if watch.Stops(wide) {
				return
			}
			f(k, simd.At(x, offset(g.rows, k)))
		}
	}
}

// eachGroup returns the plan of a reduction of groups that lie in runs. The function is given a watch and returns it, as what is given to a function
// that is a value by address does not stay on the stack.
func (g *groups) eachGroup(reduce func(x []float32, at int, work []float32, watch op.Watch) (float32, op.Watch)) *Plan {
	p := evenly(g.all, func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch()
		for i := lo; i < hi; i++ {
			y[i], watch = reduce(x, offset(g.kept, i), floatsOf(c.Scratch), watch)
			y[i] = fmath.Canonical(y[i])
			if watch.Stops(1) {
				return
			}
		}
	})
	p.Scratch, p.Nanos = 4*(lanes+2*portion+block), g.nanos()
	return p
}

// groupsTogether returns the plan of a reduction of short groups that lie one behind the other.
func (g *groups) groupsTogether(f *folding, finish simd.Routine[simd.ElementsArgs], finishes bool) *Plan {
	p := evenly(g.all, func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch()
		count := floatsOf(c.Scratch)[:block]
		splat(count, float32(g.count))
		for n := 0; lo < hi; lo += n {
			n = min(hi-lo, portion/g.run)
			if watch.Stops(n * g.run) {
				return
			}
			to := y[lo:][:n]
			f.along.Run(&simd.FoldArgs{X: simd.At(x, lo*g.run), Acc: simd.At(to, 0), N: g.run, First: 1, Join: 1, Rows: n, Start: f.start})
			if finishes {
				elementsBy(&finish, n, simd.At(to, 0), simd.At(to, 0), simd.At(count, 0))
				continue
			}
			for i, v := range to {
				to[i] = fmath.Canonical(v)
			}
		}
	})
	p.Scratch, p.Nanos = 4*block, int64(g.all)*int64(12+g.run/8)
	return p
}

// eachBeside returns the plan of a reduction of groups that lie beside each other.
func (g *groups) eachBeside(reduce func(b beside, x, y []float32, watch op.Watch) op.Watch) *Plan {
	each := largestDivisor(g.run)
	p := evenly(g.all/each, func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch()
		for i := lo * each; i < hi*each && !watch.Stops(0); {
			b := besideOf(c, min(hi*each-i, wide, g.run-i%g.run), g.count)
			watch = reduce(b, x[offset(g.kept, i/g.run)+i%g.run:], y[i:][:b.n], watch)
			i += b.n
		}
	})
	p.Scratch, p.Nanos = wideBytes, g.nanos()
	return p
}

// nanos estimates the time of a reduction.
func (g *groups) nanos() int64 {
	if g.across {
		return int64(g.all) * int64(g.count) / 8
	}
	return int64(g.all) * (30 + int64(g.count)/8)
}
