package kernel

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Pooling: rows of results, and where windows have runs of elements, one result's run after the other.
var windowKernels = []Kernel{
	{Name: "rows", Op: "box", In: []op.Types{floats}, Prepare: ofFloats(boxFloats[float32], boxFloats[float64])},
	{Name: "rows of integers", Op: "box", In: []op.Types{op.Integers}, Prepare: alone(boxIntegers)},
	{Name: "rows", Op: "debox", In: []op.Types{floats}, Prepare: ofFloats(boxFloats[float32], boxFloats[float64])},
	{Name: "rows of integers", Op: "debox", In: []op.Types{op.Integers}, Prepare: alone(boxIntegers)},
	{Name: "rows", Op: "max_pool", In: []op.Types{floats}, Prepare: ofFloats(maxFloats[float32], maxFloats[float64])},
	{Name: "rows of integers", Op: "max_pool", In: []op.Types{op.Integers}, Prepare: alone(maxIntegers)},
	{Name: "rows", Op: "argmax_pool", In: []op.Types{float32s}, Prepare: alone(argmaxFloats)},
	{Name: "rows", Op: "l2_pool", In: []op.Types{float32s}, Prepare: alone(rootOfSquares(false))},
	{Name: "rows", Op: "rms_pool", In: []op.Types{float32s}, Prepare: alone(rootOfSquares(true))},
}

// window returns the geometry of a window over all dimensions, and the same without the zeros of a constant border, which leave a sum as it is.
func (a *application) window() (all, sums *geometry.Sliding) {
	g := geometry.NewSliding(a.Attrs, a.in[0].Shape, a.out[0].Shape, a.Ints("size"), geometry.SlidesUp(a.Attrs))
	s := g.WithoutZeros()
	return &g, &s
}

func boxFloats[T fmath.Float](a *application) *Plan {
	all, sums := a.window()
	normalize := a.Bool("normalize")
	return evenly(all.Rows(), func(c *op.Call, lo, hi int) {
		sumWindows[T](c, sums, lo, hi)
		if normalize {
			divideRows[T](c, all, lo, hi)
		}
		canonicalRows[T](c, all, lo, hi)
	})
}

func boxIntegers(a *application) *Plan {
	prepare := integer(a.in[0].DType, boxOf[int8, int64], boxOf[int16, int64], boxOf[int32, int64], boxOf[int64, int64],
		boxOf[uint8, uint64], boxOf[uint16, uint64], boxOf[uint32, uint64], boxOf[uint64, uint64])
	return prepare(a)
}

// boxOf prepares box or debox on T, whose averages are computed in W, unless the reference does as well.
func boxOf[T, W tensor.Integer](a *application) *Plan {
	all, sums := a.window()
	switch {
	case !a.Bool("normalize"):
		return evenly(all.Rows(), func(c *op.Call, lo, hi int) { sumWindows[T](c, sums, lo, hi) })
	case inRuns(sums):
		return evenly(all.Rows(), func(c *op.Call, lo, hi int) { averageRuns[T, W](c, all, sums, lo, hi) })
	}
	return nil
}

func canonicalRows[T fmath.Float](c *op.Call, g *geometry.Sliding, lo, hi int) {
	y, width := tensor.Data[T](c.Out[0]), g.Last().Out
	for i := lo * width; i < hi*width; i++ {
		y[i] = fmath.Canonical(y[i])
	}
}

// sumWindows sets rows of results to the sums of their windows: all results of a row at once for each place in the window, or one after the other where windows have longer
// runs than that.
func sumWindows[T tensor.Number](c *op.Call, g *geometry.Sliding, lo, hi int) {
	x, y := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0])
	width := g.Last().Out
	clear(y[lo*width : hi*width])
	if !inRuns(g) || g.Last().Size < width {
		sweep(c, g, lo, hi, func(row int, s span) {
			out, in := row*width+s.out, s.in
			if s.outStep == 1 && s.inStep == 1 {
				line := y[out:][:s.n]
				for i, v := range x[in:][:len(line)] {
					line[i] += v
				}
				return
			}
			for range s.n {
				y[out] += x[in]
				out += s.outStep
				in += s.inStep
			}
		})
		return
	}
	o, watch := g.Row(lo), c.Watch()
	for row := lo; row < hi; row++ {
		line := y[row*width:][:width]
		eachRun(g, &o, 0, width, &watch, func(i, from, to int) {
			sum := line[i]
			for _, v := range x[from:to] {
				sum += v
			}
			line[i] = sum
		})
		g.NextRow(&o)
	}
}

// divideRows divides rows of results by the number of elements that went into them.
func divideRows[T fmath.Float](c *op.Call, g *geometry.Sliding, lo, hi int) {
	y, width := tensor.Data[T](c.Out[0]), g.Last().Out
	o, volume := g.Row(lo), T(g.Volume())
	for row := lo; row < hi; row++ {
		line := y[row*width : (row+1)*width]
		if g.Border != geometry.BorderIgnore {
			for i := range line {
				line[i] /= volume
			}
		} else {
			outer := countedRow(g, &o)
			for i := range line {
				if n := outer * g.Counted(g.Rank-1, i); n > 0 {
					line[i] /= T(n)
				}
			}
		}
		g.NextRow(&o)
	}
}

// averageRuns sets rows of results to the averages of their windows, whose sums are those of runs.
func averageRuns[T, W tensor.Integer](c *op.Call, g, sums *geometry.Sliding, lo, hi int) {
	x, y, width := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), g.Last().Out
	var tile [128]W
	o, watch := g.Row(lo), c.Watch()
	for row := lo; row < hi; row++ {
		n, outer := g.Volume(), countedRow(g, &o)
		for first := 0; first < width; first += len(tile) {
			part := tile[:min(len(tile), width-first)]
			clear(part)
			eachRun(sums, &o, first, len(part), &watch, func(i, from, to int) {
				sum := part[i]
				for _, v := range x[from:to] {
					sum += W(v)
				}
				part[i] = sum
			})
			for i, sum := range part {
				if g.Border == geometry.BorderIgnore {
					n = outer * g.Counted(g.Rank-1, first+i)
				}
				y[row*width+first+i] = T(sum / W(max(n, 1)))
			}
		}
		g.NextRow(&o)
	}
}

func maxFloats[T fmath.Float](a *application) *Plan {
	all, _ := a.window()
	return evenly(all.Rows(), func(c *op.Call, lo, hi int) {
		maxWindows[T, T](c, all, lo, hi, T(math.Inf(-1)))
		canonicalRows[T](c, all, lo, hi)
	})
}

func maxIntegers(a *application) *Plan {
	// Bytes are compared as int32: the compiler makes no conditional moves of them.
	prepare := integer(a.in[0].DType, maxOf[int8, int32], maxOf[int16, int16], maxOf[int32, int32], maxOf[int64, int64],
		maxOf[uint8, int32], maxOf[uint16, uint16], maxOf[uint32, uint32], maxOf[uint64, uint64])
	return prepare(a)
}

// maxOf prepares max_pool on T, with comparisons in W.
func maxOf[T, W tensor.Integer](a *application) *Plan {
	all, _ := a.window()
	lo, _ := tensor.TypeOf[T]().IntRange()
	least := T(lo)
	return evenly(all.Rows(), func(c *op.Call, lo, hi int) { maxWindows[T, W](c, all, lo, hi, least) })
}

// maxWindows sets rows of results to the maxima of their windows, with comparisons in W; least is that of none.
func maxWindows[T, W tensor.Number](c *op.Call, g *geometry.Sliding, lo, hi int, least T) {
	x, y, width := tensor.Data[T](c.In[0]), tensor.Data[T](c.Out[0]), g.Last().Out
	for i := lo * width; i < hi*width; i++ {
		y[i] = least
	}
	if !inRuns(g) {
		sweep(c, g, lo, hi, func(row int, s span) {
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
	o, watch := g.Row(lo), c.Watch()
	for row := lo; row < hi; row++ {
		line := y[row*width:][:width]
		eachRun(g, &o, 0, width, &watch, func(i, from, to int) {
			greatest := W(line[i])
			for _, v := range x[from:to] {
				greatest = max(greatest, W(v))
			}
			line[i] = T(greatest)
		})
		g.NextRow(&o)
	}
}

// rootOfSquares prepares l2_pool or, if the squares are averaged, rms_pool.
func rootOfSquares(average bool) func(a *application) *Plan {
	return func(a *application) *Plan {
		all, sums := a.window()
		return evenly(all.Rows(), func(c *op.Call, lo, hi int) {
			x, y, width := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), all.Last().Out
			clear(y[lo*width : hi*width])
			sweep(c, sums, lo, hi, func(row int, s span) {
				out, in := row*width+s.out, s.in
				for range s.n {
					y[out] = fmath.FMA(x[in], x[in], y[out])
					out += s.outStep
					in += s.inStep
				}
			})
			if average {
				divideRows[float32](c, all, lo, hi)
			}
			for i := lo * width; i < hi*width; i++ {
				y[i] = fmath.Sqrt(y[i])
			}
		})
	}
}

// argmaxFloats prepares argmax_pool, whose indices are those in the window or those of the operand's elements in their order. While a row is computed,
// working memory has for each result the greatest so far: the rank of an element, and behind it its place, of which the first is the greatest.
func argmaxFloats(a *application) *Plan {
	g, _ := a.window()
	steps, width := a.Ints("steps"), g.Last().Out
	// Some borders meet later elements first: of equal ones that counts.
	outside := (g.Border == geometry.BorderConstant || g.Border != geometry.BorderIgnore && len(steps) > 0) &&
		slices.ContainsFunc(g.Dim[:g.Rank], func(d geometry.Slide) bool { return d.Outside() })
	if outside || width > longRun || len(steps) > 0 && !slices.Equal(steps, geometry.Distances(a.in[0].Shape)) {
		return nil
	}
	p := evenly(g.Rows(), nil)
	p.Scratch = 8 * width
	if p.Run = argmaxRows[int64](g, len(steps) > 0); a.out[0].DType == tensor.Int32 {
		p.Run = argmaxRows[int32](g, len(steps) > 0)
	}
	return p
}

func argmaxRows[I int32 | int64](g *geometry.Sliding, places bool) op.Kernel {
	none := I(0)
	if places {
		none = -1
	}
	return func(c *op.Call, lo, hi int) {
		x, y, greatest, width := tensor.Data[float32](c.In[0]), tensor.Data[I](c.Out[0]), scratch[uint64](c), g.Last().Out
		o, watch := g.Row(lo), c.Watch()
		for row := lo; row < hi; row++ {
			clear(greatest[:width])
			for k, more := g.FirstMet(&o, g.Rank, width); more; more = g.NextMet(&k, &o, g.Rank, width) {
				if watch.Stops(width) {
					return
				}
				number := g.Number(&k)
				spans(g, &o, &k, func(s span) {
					place, step := number, 0
					if places {
						place, step = s.in, s.inStep
					}
					meet(greatest, x, &s, place, step)
				})
			}
			line := y[row*width:][:width]
			for i, most := range greatest[:width] {
				if line[i] = none; most != 0 {
					line[i] = I(^uint32(most))
				}
			}
			g.NextRow(&o)
		}
	}
}

// meet raises the results beside each other of a run to the ranks of the elements that they meet, of which the first is at a place, and the next so far behind it.
func meet(greatest []uint64, x []float32, s *span, place, step int) {
	in, inStep := s.in, s.inStep
	greatest = greatest[s.out:][:s.n]
	for i, most := range greatest {
		greatest[i] = max(most, rank(x[in], 0)<<32|uint64(^uint32(place)))
		in += inStep
		place += step
	}
}
