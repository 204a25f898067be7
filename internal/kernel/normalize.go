package kernel

import (
	"slices"

	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// normalizeRows returns the rows of softmax and the normalizations of groups.
func normalizeRows(t *simd.Tier) []Kernel {
	if t.Fold == nil {
		return nil
	}
	row := func(name string, prepare func(t *simd.Tier, a *application) *Plan) Kernel {
		return Kernel{Name: "elements", Op: name, In: []op.Types{float32s}, Prepare: alone(func(a *application) *Plan { return prepare(t, a) })}
	}
	return []Kernel{row("softmax", softmax), row("layer_normalization", layerNormalization), row("instance_normalization", instanceNormalization),
		row("rms_normalization", rmsNormalization)}
}

// softmax prepares softmax of groups that are runs, or lie beside each other.
func softmax(t *simd.Tier, a *application) *Plan {
	g, greatest, sum, div := a.reducing(), fold(t, "max"), t.Fold["exp_sum"], t.Elements["div_by"]
	if g == nil {
		return nil
	}
	if g.across {
		return g.softmaxBeside(weightsOf(t))
	}
	switch {
	case len(g.rows) > 0:
		return nil
	case g.run < fewest:
		return g.softmaxSmall(weightsOf(t))
	case g.run <= portion:
		return g.softmaxRows(t)
	}
	return g.inRuns(func(_ int, x, y, work []float32, _ *op.Call, watch op.Watch) op.Watch {
		args := simd.FoldArgs{A: greatest.group(g, x, 0, 0, work, &watch), Acc: simd.At(work, 0), First: 1}
		inParts(len(x), &watch, func(from, n int) {
			args.X, args.Z, args.N = simd.At(x, from), simd.At(y, from), n
			if from+n == len(x) {
				args.Join = 1
			}
			sum.Run(&args)
			args.First = 0
		})
		inParts(len(x), &watch, func(from, n int) {
			div.Run(&simd.ElementsArgs{X: simd.At(y, from), Z: simd.At(y, from), N: n, A: work[0]})
		})
		return watch
	})
}

// softmaxRows prepares softmax of groups that are runs, some of which a routine computes.
func (g *groups) softmaxRows(t *simd.Tier) *Plan {
	return g.planOfRuns(0, func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch()
		for lo < hi {
			n := min(hi-lo, portion/g.run)
			if watch.Stops(n * g.run) {
				return
			}
			t.Softmax.Run(&simd.SoftmaxArgs{X: simd.At(x, lo*g.run), Z: simd.At(y, lo*g.run), N: g.run, Rows: n})
			lo += n
		}
	})
}

// inParts calls f with parts of n elements that are short enough for a routine.
func inParts(n int, watch *op.Watch, f func(from, n int)) {
	for from := 0; from < n && !watch.Stops(min(n-from, portion)); from += portion {
		f(from, min(n-from, portion))
	}
}

// planOfRuns returns the plan of an operator on groups that are runs, which a function computes with so many bytes of working memory; nil for other groups.
func (g *groups) planOfRuns(scratch int, run op.Kernel) *Plan {
	if g == nil || g.across || len(g.rows) > 0 {
		return nil
	}
	p := evenly(g.all, run)
	p.Streams, p.Scratch, p.Nanos = true, scratch, int64(g.all)*(60+int64(g.count)/2)
	return p
}

// inRuns returns the plan of an operator that changes groups, each a run. The function is given a watch and returns it, as that of eachGroup.
func (g *groups) inRuns(change func(group int, x, y, work []float32, c *op.Call, watch op.Watch) op.Watch) *Plan {
	return g.planOfRuns(4*(lanes+2*block), func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch()
		for i := lo; i < hi && !watch.Stops(1); i++ {
			watch = change(i, x[i*g.run:][:g.run], y[i*g.run:][:g.run], floatsOf(c.Scratch), c, watch)
		}
	})
}

// weights computes softmax of groups that lie beside each other.
type weights struct {
	greatest, sum folding
	exp, div      simd.Routine[simd.ElementsArgs]
}

func weightsOf(t *simd.Tier) *weights {
	return &weights{fold(t, "max"), fold(t, "sum"), t.Elements["exp_of_difference"], t.Elements["div"]}
}

// compute computes them for groups at the beginning of x, of which the elements lie in rows.
func (w *weights) compute(b *beside, rows []dimension, x, y []float32, watch *op.Watch) {
	n, m := size(rows), simd.At(b.temp, 0)
	elementsOf(&w.greatest.step, b.n, m, simd.At(x, 0), simd.At(x, 0))
	for k := 1; k < n && !watch.Stops(b.n); k++ {
		elementsOf(&w.greatest.step, b.n, m, m, simd.At(x, offset(rows, k)))
	}
	w.sum.begin(b)
	for k := 0; k < n && !watch.Stops(4*b.n); k++ {
		at := offset(rows, k)
		elementsOf(&w.exp, b.n, simd.At(y, at), simd.At(x, at), m)
		w.sum.add(b, k, simd.At(y, at))
	}
	s := w.sum.end(b)
	for k := 0; k < n && !watch.Stops(b.n); k++ {
		row := simd.At(y, offset(rows, k))
		elementsOf(&w.div, b.n, row, row, s)
	}
}

// softmaxBeside prepares softmax of groups that lie beside each other.
func (g *groups) softmaxBeside(w *weights) *Plan {
	columns := geometry.CeilDiv(g.run, width)
	return &Plan{Pieces: g.all / g.run * columns, Scratch: besideBytes, Nanos: int64(g.all) * int64(g.count), Run: func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch()
		for i := lo; i < hi && !watch.Stops(0); i++ {
			first := i % columns * width
			b := besideOf(c, min(width, g.run-first), g.count)
			at := offset(g.kept, i/columns) + first
			w.compute(&b, g.rows, x[at:], y[at:], &watch)
		}
	}}
}

// fewest is from how many elements on a group is worth routines of its own.
const fewest = 24

// softmaxSmall prepares softmax of small groups, which are laid beside each other.
func (g *groups) softmaxSmall(w *weights) *Plan {
	rows := []dimension{{g.run, width}}
	p := evenly(g.all, func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch()
		for ; lo < hi && !watch.Stops(0); lo += width {
			b := besideOf(c, min(width, hi-lo), g.count)
			from, to := x[lo*g.run:][:b.n*g.run], y[lo*g.run:][:b.n*g.run]
			laid := floatsOf(c.Scratch[besideBytes:])
			for k := range g.run {
				moveApart(laid, from, k*width, k, loop{b.n, g.run, 1})
			}
			w.compute(&b, rows, laid, laid, &watch)
			for k := range g.run {
				moveApart(to, laid, k, k*width, loop{b.n, 1, g.run})
			}
		}
	})
	p.Scratch, p.Nanos = besideBytes+4*g.run*width, 4*int64(g.all)*int64(g.run)
	return p
}

// parameter is an optional operand of a normalization: one element for all elements of a group, or as many as these.
type parameter struct {
	operand int
	each    bool
	absent  float32
}

// of returns the elements of a parameter for n elements of a group from number from on, and the mask with which they are read. Where it is one,
// that of the group, it is repeated in working memory.
func (p *parameter) of(c *op.Call, group, from int, one []float32) (at uintptr, mask int) {
	x := p.absent
	if c.Has(p.operand) {
		data := tensor.Data[float32](c.In[p.operand])
		if p.each {
			return simd.At(data, from), -1
		}
		x = data[group%len(data)]
	}
	splat(one[:block], x)
	return simd.At(one, 0), 4*block - 1
}

// ascending reports whether axes are listed in the order in which they lie in memory, as the parameters then do.
func (a *application) ascending() bool { return slices.IsSorted(a.Ints("axes")) }

func layerNormalization(t *simd.Tier, a *application) *Plan {
	if !a.ascending() {
		return nil
	}
	g := groupsOf(a.in[0].Shape, a.Ints("axes"))
	return g.normalize(t, "layer_normalization", float32(a.Float("epsilon")), parameter{1, true, 1}, parameter{2, true, 0})
}

func instanceNormalization(t *simd.Tier, a *application) *Plan {
	g := groupsOf(a.in[0].Shape, emit.Counting(2, len(a.in[0].Shape)-2))
	return g.normalize(t, "instance_normalization", float32(a.Float("epsilon")), parameter{1, false, 1}, parameter{2, false, 0})
}

// normalizeBeside is normalize for groups beside each other, of which each element has its own scale and bias.
func (g *groups) normalizeBeside(t *simd.Tier, name string, epsilon float32, scale, bias parameter) *Plan {
	sum, squares := fold(t, "sum"), fold(t, "variance")
	mul, finish, reference := t.Elements["mul"], t.Elements["normalize"], referenceOf(name, tensor.Float32)
	columns := geometry.CeilDiv(g.run, width)
	return &Plan{Pieces: g.all / g.run * columns, Scratch: besideBytes + 4*2*width, Nanos: int64(g.all) * int64(g.count) * 3 / 2, Run: func(c *op.Call, lo, hi int) {
		x, y, watch, n := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch(), float32(g.count)
		for i := lo; i < hi && !watch.Stops(0); i++ {
			first := i % columns * width
			b := besideOf(c, min(width, g.run-first), g.count)
			means, factors := floatsOf(c.Scratch[besideBytes:])[:b.n], floatsOf(c.Scratch[besideBytes+4*width:])[:b.n]
			from := offset(g.kept, i/columns) + first
			in, out := x[from:], y[from:]
			sum.begin(&b)
			g.eachRow(in, &watch, func(k int, row uintptr) { sum.add(&b, k, row) })
			sum.end(&b)
			for j, v := range b.acc[:b.n] {
				means[j] = v / n
			}
			squares.begin(&b)
			args := simd.ElementsArgs{N: b.n, XMask: -1, YMask: -1, V: simd.At(means, 0), VMask: -1}
			g.eachRow(in, &watch, func(k int, row uintptr) {
				args.X, args.Y = row, simd.At(b.acc, k%lanes*b.n)
				args.Z = args.Y
				squares.step.Run(&args)
			})
			squares.end(&b)
			for j, v := range b.acc[:b.n] {
				factors[j] = fmath.Rsqrt(v/n + epsilon)
			}
			args = simd.ElementsArgs{N: b.n, XMask: -1, Y: simd.At(means, 0), YMask: -1, V: simd.At(b.temp, 0), VMask: -1, WMask: 4*block - 1}
			g.eachRow(in, &watch, func(k int, row uintptr) {
				splat(b.one, scale.at(c, k))
				elementsBy(&mul, b.n, args.V, simd.At(factors, 0), simd.At(b.one, 0))
				splat(b.one, bias.at(c, k))
				args.X, args.W, args.Z = row, simd.At(b.one, 0), simd.At(out, offset(g.rows, k))
				finish.Run(&args)
			})
			for j, v := range b.acc[:b.n] {
				if group := i/columns*g.run + first + j; !finite(v / n) {
					if watch.Stops(g.count) {
						return
					}
					reference(c, group, group+1)
				}
			}
		}
	}}
}

// at returns the element of a parameter for an element of a group.
func (p *parameter) at(c *op.Call, k int) float32 {
	if c.Has(p.operand) {
		return tensor.Data[float32](c.In[p.operand])[k]
	}
	return p.absent
}

// normalize prepares fma(x - mean, (1/√(variance + epsilon))·scale, bias), for the operator of that name. Its reference computes groups whose variance
// is no finite number.
func (g *groups) normalize(t *simd.Tier, name string, epsilon float32, scale, bias parameter) *Plan {
	if g != nil && g.across && scale.each {
		return g.normalizeBeside(t, name, epsilon, scale, bias)
	}
	sum, squares, finish, reference := fold(t, "sum"), fold(t, "variance"), t.Elements["layer"], referenceOf(name, tensor.Float32)
	return g.planOfRuns(4*(lanes+2*block+2*mostMoments), func(c *op.Call, lo, hi int) {
		together := max(min(portion/g.run, mostMoments), 1)
		x, y, work, watch, n := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), floatsOf(c.Scratch), c.Watch(), float32(g.run)
		moments := work[lanes+2*block:]
		for some := 0; lo < hi && !watch.Stops(2*g.run); lo += some {
			some = min(hi-lo, together)
			if g.run > portion {
				moments[0] = sum.group(g, x, lo*g.run, 0, work, &watch) / n
				moments[1] = squares.group(g, x, lo*g.run, moments[0], work, &watch) / n
			} else {
				t.Moments.Run(&simd.MomentsArgs{X: simd.At(x, lo*g.run), Out: simd.At(moments, 0), N: g.run, Rows: some, Count: n})
			}
			for k := range some {
				group, mean, variance := lo+k, moments[2*k], moments[2*k+1]
				if !finite(variance) {
					reference(c, group, group+1)
					continue
				}
				args := simd.ElementsArgs{XMask: -1, A: mean, B: fmath.Rsqrt(variance + epsilon)}
				inParts(g.run, &watch, func(from, n int) {
					args.N, args.X, args.Z = n, simd.At(x, group*g.run+from), simd.At(y, group*g.run+from)
					args.Y, args.YMask = scale.of(c, group, from, work)
					args.V, args.VMask = bias.of(c, group, from, work[block:])
					finish.Run(&args)
				})
			}
		}
	})
}

// mostMoments is of how many groups the moments are computed at a time.
const mostMoments = 16

// rmsNormalization prepares x·((1/√(mean(x²) + epsilon))·scale).
func rmsNormalization(t *simd.Tier, a *application) *Plan {
	if !a.ascending() {
		return nil
	}
	g, epsilon, scale := groupsOf(a.in[0].Shape, a.Ints("axes")), float32(a.Float("epsilon")), parameter{1, true, 1}
	squares, finish, reference := fold(t, "sum_square"), t.Elements["rms"], referenceOf("rms_normalization", tensor.Float32)
	return g.inRuns(func(group int, x, y, work []float32, c *op.Call, watch op.Watch) op.Watch {
		square := squares.group(g, x, 0, 0, work, &watch) / float32(len(x))
		if !finite(square) {
			reference(c, group, group+1)
			return watch
		}
		args := simd.ElementsArgs{XMask: -1, A: fmath.Rsqrt(square + epsilon)}
		inParts(len(x), &watch, func(from, n int) {
			args.N, args.X, args.Z = n, simd.At(x, from), simd.At(y, from)
			args.Y, args.YMask = scale.of(c, group, from, work)
			finish.Run(&args)
		})
		return watch
	})
}
