package op

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Operators whose window slides over all dimensions, batch and channels included.
var windowOps = slices.Concat(poolOps, windowIndexOps)

// Pooling.
var poolOps = []*Def{
	{
		Name: "box",
		Doc: `Box returns the sum of the elements in each window, or their average (NNEF, box; avg_pool is box with normalize).

Extents: floor((before + X + after - (size-1)·dilation - 1) / stride) + 1. Elements are added to +0 one by one, in row-major
order of the window. With normalize the sum is divided, with one rounding, by the number of window positions, or with border
ignore by the number of those inside the input; an average of none is 0. Integer sums wrap in their type; an average is the
exact sum divided by the number and truncated toward zero (64-bit sums wrap).`,
		Spec:  Spec{NNEF: "box", WebNN: "averagePool2d", OpenVX: "vxPoolingLayer"},
		In:    []Operand{windowInput(Numbers)},
		Out:   []Result{{Name: "output", Like: "input", Doc: "one element for each window"}},
		Attrs: append(windowAttrs(borderNames...), normalizeAttr),
		Shape: poolShape,
		Ref: Reference{Kernels: merge(floatKernel(boxKernel(false)), integerBoxes(false)),
			Pieces: resultRows(false)},
		Work: windowWork,
		NonNegative: func(s *Sig, in []bool) bool {
			return in[0] && (s.In[0].DType.IsFloat() || s.Bool("normalize")) // sums of integers wrap
		},
		Generate: func(r *Rand) Case { return r.box(false) },
	},
	{
		Name: "debox",
		Doc: `Debox returns for each element of a larger tensor the sum of the input elements whose windows cover it: the adjoint of box.

y[X] = Σ input[x] over all window positions k and all x with x·stride - before + k·dilation = X (NNEF, debox). The border rule
concerns x. Extents: those of output_shape, or (x-1)·stride + (size-1)·dilation + 1 - before - after. Elements are added to
+0 one by one, in row-major order of k. With normalize the sum is divided, with one rounding, by the number of window
positions, or with border ignore by the number of elements in the sum; an average of none is 0. Integers as in box.`,
		Spec:  Spec{NNEF: "debox"},
		In:    []Operand{windowInput(Numbers)},
		Out:   []Result{{Name: "output", Like: "input", Doc: "the larger tensor"}},
		Attrs: append(windowAttrs(borderNames...), outputShapeAttr, normalizeAttr),
		Shape: unpoolShape,
		Ref: Reference{Kernels: merge(floatKernel(boxKernel(true)), integerBoxes(true)),
			Pieces: resultRows(true)},
		Work: func(s *Sig, out []tensor.Shape) Work {
			volume := tensor.Shape(s.Ints("size")).Len()
			return Work{Ops: addCounts(times(s.In[0].Shape.Len(), volume), times(rows(out[0]), volume))}
		},
		Generate: func(r *Rand) Case { return r.box(true) },
	},
	{
		Name: "max_pool",
		Doc: `Max_pool returns the greatest element in each window.

NaN if any is NaN; +0 is greater than -0. The zeros of border constant take part. With border ignore a window that lies
outside the input gives minus infinity, or the least integer (NNEF, max_pool; WebNN, maxPool2d and CVM, max_pool2d with
border ignore). Extents as in box.`,
		Spec:  Spec{NNEF: "max_pool", WebNN: "maxPool2d", OpenVX: "vxPoolingLayer", CVM: "max_pool2d"},
		In:    []Operand{windowInput(Numbers)},
		Out:   []Result{{Name: "output", Like: "input", Doc: "one element for each window"}},
		Attrs: windowAttrs(borderNames...),
		Shape: poolShape,
		Ref: Reference{Kernels: merge(floatKernel(maxFloatKernel), integerKernels(
			maxKernelIn[int8, int32], maxKernel[int16], maxKernel[int32], maxKernel[int64],
			maxKernelIn[uint8, int32], maxKernel[uint16], maxKernel[uint32], maxKernel[uint64])),
			Pieces: resultRows(false)},
		Work:        windowWork,
		NonNegative: func(s *Sig, in []bool) bool { return in[0] && s.meetsAll() },
		Generate:    func(r *Rand) Case { return r.pooling(Numbers, false, borderNames...) },
	},
	{
		Name: "l2_pool",
		Doc: `L2_pool returns the square root of the sum of the squares in each window (WebNN, l2Pool2d).

The squares are added to +0 with one fused multiply-add each, in row-major order of the window; the root is rounded once.
Extents as in box.`,
		Spec:     Spec{WebNN: "l2Pool2d"},
		In:       []Operand{windowInput(Floats)},
		Out:      []Result{{Name: "output", Like: "input", Doc: "one element for each window"}},
		Attrs:    windowAttrs(borderNames...),
		Shape:    poolShape,
		Ref:      Reference{Kernels: floatKernel(squareKernel(false)), Pieces: resultRows(false)},
		Body:     "output = sqrt(box(sqr(input), size = size, border = border, padding = padding, stride = stride, dilation = dilation));",
		BodyTol:  1e-2,
		Work:     windowSquares,
		Generate: func(r *Rand) Case { return r.finitePooling(borderNames...) },
	},
	{
		Name: "rms_pool",
		Doc: `Rms_pool returns the square root of the average of the squares in each window (NNEF, rms_pool).

The sum of squares is that of l2_pool; it is divided as the sum of box with normalize is, with one rounding, and the root
rounded once. Extents as in box.`,
		Spec:     Spec{NNEF: "rms_pool"},
		In:       []Operand{windowInput(Floats)},
		Out:      []Result{{Name: "output", Like: "input", Doc: "one element for each window"}},
		Attrs:    windowAttrs(borderNames...),
		Shape:    poolShape,
		Ref:      Reference{Kernels: floatKernel(squareKernel(true)), Pieces: resultRows(false)},
		Body:     "output = sqrt(box(sqr(input), size = size, border = border, padding = padding, stride = stride, dilation = dilation, normalize = true));",
		BodyTol:  1e-2,
		Work:     windowSquares,
		Generate: func(r *Rand) Case { return r.finitePooling(borderNames...) },
	},
}

var normalizeAttr = Attr{Name: "normalize", Kind: graph.KindBool, Default: false, Doc: "whether sums are divided to averages"}

func windowInput(types Types) Operand {
	return Operand{Name: "input", Types: types, Rank: AnyRank, Doc: "any tensor"}
}

func windowAttrs(borders ...string) []Attr {
	return append([]Attr{
		{Name: "size", Kind: graph.KindInts, Range: [2]float64{1, maxVolume}, Doc: "extents of the window, one for each dimension"},
		borderAttr("what lies outside the input", borders...),
	}, slideAttrs("dimension")...)
}

func poolShape(s *Sig) ([]tensor.Shape, error) {
	shape, err := windowShape(s, false)
	return []tensor.Shape{shape}, err
}

func unpoolShape(s *Sig) ([]tensor.Shape, error) {
	shape, err := windowShape(s, true)
	return []tensor.Shape{shape}, err
}

// meetsAll reports whether each window of a pooling has an element, be it one that the border adds.
func (s *Sig) meetsAll() bool {
	if borderOf(s.Attrs) != borderIgnore {
		return true
	}
	out, err := windowShape(s, false)
	if err != nil {
		return false
	}
	g := newSliding(s.Attrs, s.In[0].Shape, out, s.Ints("size"), false)
	for d := range g.rank {
		for o := range g.dim[d].out {
			if g.counted(d, o) == 0 {
				return false
			}
		}
	}
	return true
}

func windowWork(s *Sig, out []tensor.Shape) Work {
	return Work{Ops: times(append([]int{out[0].Len()}, s.Ints("size")...)...)}
}

func windowSquares(s *Sig, out []tensor.Shape) Work {
	return Work{MACs: windowWork(s, out).Ops, Ops: int64(out[0].Len())}
}

// resultRows makes each row of the result a piece.
func resultRows(up bool) func(c *Call) int {
	return func(c *Call) int {
		g := windowed(c, up)
		return g.rows()
	}
}

// sweep calls f with each of the rows lo…hi-1 of results, and at every window position that meets something, in row-major
// order, with the runs of which the row then consists. It ends early if the evaluation should.
func (g *sliding) sweep(c *Call, lo, hi int, f func(row int, s span)) {
	watch := c.watch()
	o := g.row(lo)
	for row := lo; row < hi; row++ {
		for k, more := g.firstMet(&o, g.rank); more; more = g.nextMet(&k, &o, g.rank) {
			if watch.stops(g.last().out) {
				return
			}
			g.spans(&o, &k, func(s span) { f(row, s) })
		}
		g.nextRow(&o)
	}
}

// boxKernel returns the kernel of box or debox on floats.
func boxKernel(up bool) Kernel {
	return func(c *Call, lo, hi int) {
		g := windowed(c, up)
		sumWindows[float32](c, &g, lo, hi)
		if c.Bool("normalize") {
			divideRows(c, &g, lo, hi)
		}
		canonicalRows(c, &g, lo, hi)
	}
}

func canonicalRows(c *Call, g *sliding, lo, hi int) {
	y, width := tensor.Data[float32](c.Out[0]), g.last().out
	for i := lo * width; i < hi*width; i++ {
		y[i] = canonical(y[i])
	}
}

// withoutZeros returns the geometry without the zeros of a constant border, which leave a sum as it is.
func (g *sliding) withoutZeros() sliding {
	sums := *g
	if g.border == borderConstant {
		sums.border = borderIgnore
	}
	return sums
}

// inRuns reports whether a window has runs of elements along the last dimension, and nothing else.
func (g *sliding) inRuns() bool {
	return g.border == borderIgnore && !g.last().up && g.last().dilation == 1
}

// eachRun calls f with the elements from…to-1 of each run in the window of each of n results, in row-major order of the window. They are
// those from the first on in the row at o. It ends early if the evaluation should.
func (g *sliding) eachRun(o *position, first, n int, watch *watch, f func(i, from, to int)) {
	last, outer := g.last(), g.rank-1
	for k, more := g.firstMet(o, outer); more; more = g.nextMet(&k, o, outer) {
		row, at := g.offset(o, &k, outer), first*last.stride-last.before
		for i := range n {
			if watch.stops(last.size) {
				return
			}
			f(i, row+min(max(at, 0), last.in), row+max(min(at+last.size, last.in), 0))
			at += last.stride
		}
	}
}

// sumWindows sets rows of results to the sums of their windows.
func sumWindows[T tensor.Number](c *Call, all *sliding, lo, hi int) {
	x, y, g := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), all.withoutZeros()
	width := g.last().out
	clear(y[lo*width : hi*width])
	if !g.inRuns() {
		g.sweep(c, lo, hi, func(row int, s span) {
			out, in := row*width+s.out, s.in
			for range s.n {
				y[out] += x[in]
				out += s.outStep
				in += s.inStep
			}
		})
		return
	}
	o, watch := g.row(lo), c.watch()
	for row := lo; row < hi; row++ {
		line := y[row*width:][:width]
		g.eachRun(&o, 0, width, &watch, func(i, from, to int) {
			sum := line[i]
			for _, v := range x[from:to] {
				sum += v
			}
			line[i] = sum
		})
		g.nextRow(&o)
	}
}

// divideRows divides rows of results by the number of elements that went into them.
func divideRows(c *Call, g *sliding, lo, hi int) {
	y, width := tensor.Data[float32](c.Out[0]), g.last().out
	o, volume := g.row(lo), float32(g.volume())
	for row := lo; row < hi; row++ {
		line := y[row*width : (row+1)*width]
		if g.border != borderIgnore {
			for i := range line {
				line[i] /= volume
			}
		} else {
			outer := g.countedRow(&o)
			for i := range line {
				if n := outer * g.counted(g.rank-1, i); n > 0 {
					line[i] /= float32(n)
				}
			}
		}
		g.nextRow(&o)
	}
}

// countedRow returns how many operand elements the window positions reach along all dimensions but the last.
func (g *sliding) countedRow(o *position) int {
	n := 1
	for d := range g.rank - 1 {
		n *= g.counted(d, o[d])
	}
	return n
}

func integerBoxes(up bool) Kernels {
	return integerKernels(integerBox[int8, int64](up), integerBox[int16, int64](up), integerBox[int32, int64](up), integerBox[int64, int64](up),
		integerBox[uint8, uint64](up), integerBox[uint16, uint64](up), integerBox[uint32, uint64](up), integerBox[uint64, uint64](up))
}

// integerBox returns the kernel of box or debox on T, whose averages are computed in W.
func integerBox[T, W tensor.Integer](up bool) Kernel {
	return func(c *Call, lo, hi int) {
		g := windowed(c, up)
		sums := g.withoutZeros()
		switch {
		case !c.Bool("normalize"):
			sumWindows[T](c, &g, lo, hi)
		case sums.inRuns():
			averageRuns[T, W](c, &g, &sums, lo, hi)
		default:
			averages[T, W](c, &g, lo, hi)
		}
	}
}

// averages sets rows of results to the averages of their windows.
func averages[T, W tensor.Integer](c *Call, g *sliding, lo, hi int) {
	x, y, width := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), g.last().out
	o := g.row(lo)
	for i := lo * width; i < hi*width; i++ {
		var sum W
		n, k := 0, position{}
		for more := true; more; more = g.nextPosition(&k) {
			if at := g.source(&o, &k); at >= 0 {
				sum += W(x[at])
				n++
			}
		}
		if g.border != borderIgnore {
			n = g.volume()
		}
		y[i] = T(sum / W(max(n, 1)))
		g.nextResult(&o)
	}
}

// averageRuns gives what averages gives where the sums are those of runs.
func averageRuns[T, W tensor.Integer](c *Call, g, sums *sliding, lo, hi int) {
	x, y, width := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), g.last().out
	var tile [128]W
	o, watch := g.row(lo), c.watch()
	for row := lo; row < hi; row++ {
		n, outer := g.volume(), g.countedRow(&o)
		for first := 0; first < width; first += len(tile) {
			part := tile[:min(len(tile), width-first)]
			clear(part)
			sums.eachRun(&o, first, len(part), &watch, func(i, from, to int) {
				sum := part[i]
				for _, v := range x[from:to] {
					sum += W(v)
				}
				part[i] = sum
			})
			for i, sum := range part {
				if g.border == borderIgnore {
					n = outer * g.counted(g.rank-1, first+i)
				}
				y[row*width+first+i] = T(sum / W(max(n, 1)))
			}
		}
		g.nextRow(&o)
	}
}

func maxFloatKernel(c *Call, lo, hi int) {
	g := windowed(c, false)
	maxWindows[float32, float32](c, &g, lo, hi, float32(math.Inf(-1)))
	canonicalRows(c, &g, lo, hi)
}

func maxKernel[T tensor.Integer](c *Call, lo, hi int) { maxKernelIn[T, T](c, lo, hi) }

// maxKernelIn is maxKernel with comparisons in W. The compiler makes no conditional moves of bytes.
func maxKernelIn[T, W tensor.Integer](c *Call, lo, hi int) {
	g := windowed(c, false)
	least, _ := bounds[T]()
	maxWindows[T, W](c, &g, lo, hi, least)
}

// maxWindows sets rows of results to the maxima of their windows, with comparisons in W; least is that of none.
func maxWindows[T, W tensor.Number](c *Call, g *sliding, lo, hi int, least T) {
	x, y, width := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), g.last().out
	for i := lo * width; i < hi*width; i++ {
		y[i] = least
	}
	if !g.inRuns() {
		g.sweep(c, lo, hi, func(row int, s span) {
			out, in := row*width+s.out, s.in
			for range s.n {
				if s.outside {
					y[out] = max(y[out], 0)
				} else {
					y[out] = max(y[out], x[in])
				}
				out += s.outStep
				in += s.inStep
			}
		})
		return
	}
	o, watch := g.row(lo), c.watch()
	for row := lo; row < hi; row++ {
		line := y[row*width:][:width]
		g.eachRun(&o, 0, width, &watch, func(i, from, to int) {
			greatest := W(line[i])
			for _, v := range x[from:to] {
				greatest = max(greatest, W(v))
			}
			line[i] = T(greatest)
		})
		g.nextRow(&o)
	}
}

// squareKernel returns the kernel of l2_pool or, if the squares are averaged, of rms_pool.
func squareKernel(average bool) Kernel {
	return func(c *Call, lo, hi int) {
		g := windowed(c, false)
		x, y, width := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), g.last().out
		clear(y[lo*width : hi*width])
		g.sweep(c, lo, hi, func(row int, s span) {
			if s.outside {
				return
			}
			out, in := row*width+s.out, s.in
			for range s.n {
				y[out] = fma(x[in], x[in], y[out])
				out += s.outStep
				in += s.inStep
			}
		})
		if average {
			divideRows(c, &g, lo, hi)
		}
		for i := lo * width; i < hi*width; i++ {
			y[i] = fmath.Sqrt(y[i])
		}
	}
}

// box generates a case of box or debox.
func (r *Rand) box(up bool) Case {
	c := r.pooling(Numbers, up, borderNames...)
	c.Attrs = append(c.Attrs, graph.Attr{Name: "normalize", Value: r.Bool()})
	return c
}

// finitePooling generates a case of a root of squares: floats whose squares do not overflow.
func (r *Rand) finitePooling(borders ...string) Case {
	c := r.pooling(Floats, false, borders...)
	c.In[0] = r.Tensor(c.In[0].DType(), c.In[0].Shape())
	return c
}
