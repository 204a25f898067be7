package op

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/limits"
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
		Attrs: append(windowAttrs(geometry.BorderNames...), normalizeAttr),
		Shape: windowShape,
		Ref:   Reference{Kernels: boxSums, PerElement: true},
		Work:  windowWork,
		NonNegative: func(s *Sig, in []bool) bool {
			return in[0] && (s.In[0].DType.IsFloat() || s.Bool("normalize")) // sums of integers wrap
		},
		Expand:   expandBox,
		BodyTol:  1e-5,
		Lane:     firstLane(unslid),
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
		Attrs: append(windowAttrs(geometry.BorderNames...), outputShapeAttr, normalizeAttr),
		Shape: windowShape,
		Ref:   Reference{Kernels: boxSums, PerElement: true},
		Work: func(s *Sig, out []tensor.Shape) Work {
			volume := tensor.Shape(s.Ints("size")).Len()
			return Work{Ops: limits.Add(times(s.In[0].Shape.Len(), volume), times(rows(out[0]), volume))}
		},
		Expand:   expandDebox,
		BodyTol:  1e-5,
		Lane:     single("output_shape", firstLane(unslid)),
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
		Attrs: windowAttrs(geometry.BorderNames...),
		Shape: windowShape,
		Ref: Reference{Kernels: merge(floatKernels(maxFloatKernel[float32], maxFloatKernel[float64]), integerKernels(
			maxIntegerKernel[int8], maxIntegerKernel[int16], maxIntegerKernel[int32], maxIntegerKernel[int64],
			maxIntegerKernel[uint8], maxIntegerKernel[uint16], maxIntegerKernel[uint32], maxIntegerKernel[uint64])),
			PerElement: true},
		Work: windowWork,
		Takes: func(s *Sig) Taken {
			if s.String("border") == "constant" { // zeros, too
				return Taken{}
			}
			return byOrder(s)
		},
		NonNegative: func(s *Sig, in []bool) bool { return in[0] && s.meetsAll() },
		Expand:      pooled,
		Lane:        firstLane(unslid),
		Generate:    func(r *Rand) Case { return r.pooling(Numbers, false, geometry.BorderNames...) },
	},
	{
		Name: "l2_pool",
		Doc: `L2_pool returns the square root of the sum of the squares in each window (WebNN, l2Pool2d).

The squares are added to +0 with one fused multiply-add each, in row-major order of the window; the root is rounded once.
Extents as in box.`,
		Spec:     Spec{WebNN: "l2Pool2d"},
		In:       []Operand{windowInput(Floats)},
		Out:      []Result{{Name: "output", Like: "input", Doc: "one element for each window"}},
		Attrs:    windowAttrs(geometry.BorderNames...),
		Shape:    windowShape,
		Ref:      Reference{Kernels: floatKernels(squareKernel[float32](false), squareKernel[float64](false)), PerElement: true},
		Body:     "output = sqrt(box(sqr(input), size = size, border = border, padding = padding, stride = stride, dilation = dilation));",
		BodyTol:  1e-2,
		Work:     windowSquares,
		Expand:   pooled,
		Lane:     firstLane(unslid),
		Generate: func(r *Rand) Case { return r.finitePooling(geometry.BorderNames...) },
	},
	{
		Name: "rms_pool",
		Doc: `Rms_pool returns the square root of the average of the squares in each window (NNEF, rms_pool).

The sum of squares is that of l2_pool; it is divided as the sum of box with normalize is, with one rounding, and the root
rounded once. Extents as in box.`,
		Spec:     Spec{NNEF: "rms_pool"},
		In:       []Operand{windowInput(Floats)},
		Out:      []Result{{Name: "output", Like: "input", Doc: "one element for each window"}},
		Attrs:    windowAttrs(geometry.BorderNames...),
		Shape:    windowShape,
		Ref:      Reference{Kernels: floatKernels(squareKernel[float32](true), squareKernel[float64](true)), PerElement: true},
		Body:     "output = sqrt(box(sqr(input), size = size, border = border, padding = padding, stride = stride, dilation = dilation, normalize = true));",
		BodyTol:  1e-2,
		Work:     windowSquares,
		Lane:     firstLane(unslid),
		Generate: func(r *Rand) Case { return r.finitePooling(geometry.BorderNames...) },
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

// meetsAll reports whether each window of a pooling has an element, be it one that the border adds.
func (s *Sig) meetsAll() bool {
	if geometry.BorderOf(s.Attrs) != geometry.BorderIgnore { // Without this less would be known of windows that lie in a border.
		return true
	}
	out, _ := windowShape(s) // there is one: operands and attributes fit
	g := geometry.NewSliding(s.Attrs, s.In[0].Shape, out[0], s.Ints("size"), false)
	for d := range g.Rank {
		for o := range g.Dim[d].Out {
			if g.Counted(d, o) == 0 {
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

// boxSums are the kernels of box and debox.
var boxSums = merge(floatKernels(boxKernel[float32, float32](), boxKernel[float64, float64]()),
	integerKernels(boxKernel[int8, int64](), boxKernel[int16, int64](), boxKernel[int32, int64](), boxKernel[int64, int64](),
		boxKernel[uint8, uint64](), boxKernel[uint16, uint64](), boxKernel[uint32, uint64](), boxKernel[uint64, uint64]()))

// boxKernel returns the kernel on T, whose sums are computed in W.
func boxKernel[T, W tensor.Number]() Kernel {
	return windowSums(func(sum W, x T) W { return sum + W(x) }, func(c *Call) bool { return c.Bool("normalize") },
		func(sum W) T { return finish(T(sum)) })
}

// squareKernel returns the kernel of l2_pool or, if the squares are averaged, of rms_pool.
func squareKernel[T fmath.Float](average bool) Kernel {
	return windowSums(floatAddSquare[T], func(*Call) bool { return average }, fmath.Sqrt[T])
}

// windowSums returns a kernel that adds up the elements of each window, and divides the sums if they are averages.
//
//go:noinline // tables of kernels would hold it three times
func windowSums[T, W tensor.Number](add func(sum W, x T) W, average func(c *Call) bool, result func(sum W) T) Kernel {
	return func(c *Call, lo, hi int) {
		g, normalize, watch := windowed(c), average(c), c.Watch()
		x, y := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0])
		sums, volume, o := g.WithoutZeros(), g.Volume(), g.Result(lo)
		for i := lo; i < hi; i++ {
			sum, n := W(0), 0
			for k, more := sums.FirstMet(&o, g.Rank, 1); more; more = sums.NextMet(&k, &o, g.Rank, 1) {
				if watch.Stops(1) {
					return
				}
				if at := sums.Source(&o, &k); at >= 0 {
					sum = add(sum, x[at])
					n++
				}
			}
			if normalize {
				if g.Border != geometry.BorderIgnore {
					n = volume
				}
				sum /= W(max(n, 1))
			}
			y[i] = result(sum)
			g.NextResult(&o)
		}
	}
}

func maxIntegerKernel[T tensor.Integer](c *Call, lo, hi int) {
	least, _ := bounds[T]()
	maxWindows(c, lo, hi, least)
}

func maxFloatKernel[T fmath.Float](c *Call, lo, hi int) { maxWindows(c, lo, hi, T(math.Inf(-1))) }

// maxWindows sets the results lo…hi-1 to the maxima of their windows; least is that of none.
func maxWindows[T tensor.Number](c *Call, lo, hi int, least T) {
	g, watch := windowed(c), c.Watch()
	x, y, nan := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), fmath.NaN()
	o := g.Result(lo)
	for i := lo; i < hi; i++ {
		greatest := least
		for k, more := g.FirstMet(&o, g.Rank, 1); more; more = g.NextMet(&k, &o, g.Rank, 1) {
			if watch.Stops(1) {
				return
			}
			if at := g.Source(&o, &k); at >= 0 {
				greatest = max(greatest, x[at])
			} else if g.Border == geometry.BorderConstant {
				greatest = max(greatest, 0)
			}
		}
		if y[i] = greatest; greatest != greatest {
			y[i] = T(nan)
		}
		g.NextResult(&o)
	}
}

// box generates a case of box or debox.
func (r *Rand) box(up bool) Case {
	c := r.pooling(Numbers, up, geometry.BorderNames...)
	c.Attrs = append(c.Attrs, graph.Attr{Name: "normalize", Value: r.Bool()})
	return c
}

// finitePooling generates a case of a root of squares: floats whose squares do not overflow.
func (r *Rand) finitePooling(borders ...string) Case {
	c := r.pooling(Floats, false, borders...)
	c.In[0] = r.Tensor(c.In[0].DType(), c.In[0].Shape())
	return c
}
