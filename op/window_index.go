package op

import (
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Pooling by index: where in its window an element lies.
var windowIndexOps = []*Def{
	{
		Name: "argmax_pool",
		Doc: `Argmax_pool returns the place of the greatest element in each window, as its row-major index in the window (NNEF, argmax_pool).

The first of several equal ones counts, and NaN as greater than any number; zeros of both signs are equal. The zeros of
border constant take part. With border ignore a window that lies outside the input gives 0. Extents as in box.

With steps the place is one in the input: the sum of the element's index in each dimension times the step (the second result of ONNX's
MaxPool); -1 where no element of the input is the greatest.`,
		Spec: Spec{NNEF: "argmax_pool"},
		In:   []Operand{windowInput(Numbers)},
		Out:  []Result{{Name: "index", TypeAttr: "dtype", Doc: "one index for each window"}},
		Attrs: append(windowAttrs(geometry.BorderNames...),
			Attr{Name: "dtype", Kind: graph.KindDType, Default: tensor.Int64, Types: indexTypes, Doc: "element type of the result"},
			Attr{Name: "steps", Kind: graph.KindInts, Default: []int{}, Range: [2]float64{0, tensor.MaxElements},
				Doc: "distances of neighbouring elements in each dimension, in whatever order the places are counted; empty for places in the window"}),
		Shape: func(s *Sig) ([]tensor.Shape, error) {
			if err := s.elementSteps(); err != nil {
				return nil, err
			}
			return windowShape(s)
		},
		Ref: Reference{Kernels: merge(floatKernels(argmaxKernel[float32], argmaxKernel[float64]), integerKernels(
			argmaxKernel[int8], argmaxKernel[int16], argmaxKernel[int32], argmaxKernel[int64],
			argmaxKernel[uint8], argmaxKernel[uint16], argmaxKernel[uint32], argmaxKernel[uint64])),
			PerElement: true},
		Work:   windowWork,
		Expand: expandArgmaxPool,
		Lane:   firstLane(unslid),
		Generate: func(r *Rand) Case {
			c := r.pooling(Numbers, false, geometry.BorderNames...)
			c.Attrs = append(c.Attrs, graph.Attr{Name: "dtype", Value: r.DType(indexTypes)})
			return c
		},
		Further: func(r *Rand) Case {
			c := r.pooling(Numbers, false, geometry.BorderNames...)
			steps, order, step := make([]int, len(c.In[0].Shape())), r.Perm(len(c.In[0].Shape())), 1
			for _, d := range order {
				steps[d] = step
				step *= c.In[0].Shape()[d]
			}
			c.Attrs = append(c.Attrs, graph.Attr{Name: "dtype", Value: r.DType(indexTypes)}, graph.Attr{Name: "steps", Value: steps})
			return c
		},
	},
	{
		Name: "sample",
		Doc: `Sample returns the element that an index picks from each window, as argmax_pool gives it (NNEF, sample).

An index beyond the window is clamped to its nearest position. Border constant gives 0. Extents as in box.`,
		Spec:  Spec{NNEF: "sample"},
		In:    []Operand{windowInput(Numbers), indexOperand("the shape of the result")},
		Out:   []Result{{Name: "output", Like: "input", Doc: "one element for each window"}},
		Attrs: windowAttrs(geometry.FillNames...),
		Shape: func(s *Sig) ([]tensor.Shape, error) {
			out, err := windowShape(s)
			if err == nil && !s.In[1].Shape.Equal(out[0]) {
				err = s.Errorf("index", "the shape is %v; it must be %v, that of the result", s.In[1].Shape, out[0])
			}
			return out, err
		},
		Ref:    Reference{Kernels: sized(sampleKernel[uint8], sampleKernel[uint16], sampleKernel[uint32], sampleKernel[uint64]), PerElement: true},
		Expand: expandSample,
		Lane:   allLane(unslid),
		Generate: func(r *Rand) Case {
			c := r.pooling(Numbers, false, geometry.FillNames...)
			pool := &Sig{In: []Type{graph.TypeOf(c.In[0])}, Attrs: c.Attrs}
			c.In = append(c.In, r.windowIndices(c, must(windowShape(pool))[0]))
			return c
		},
	},
	{
		Name: "desample",
		Doc: `Desample returns a larger tensor of zeros to which each input element is added at the place that its index picks: the adjoint of sample.

The place is position index of the window of the element (NNEF, desample); elements that fall outside the result are dropped,
and an index beyond the window is clamped to its nearest position. Elements that meet are added to +0 one by one, in their
row-major order; integers wrap. Extents: those of output_shape, or (x-1)·stride + (size-1)·dilation + 1 - before - after.`,
		Spec:  Spec{NNEF: "desample"},
		In:    []Operand{windowInput(Numbers), indexOperand("the shape of the input")},
		Out:   []Result{{Name: "output", Like: "input", Doc: "the larger tensor"}},
		Attrs: append(windowAttrs(geometry.BorderNames[geometry.BorderConstant]), outputShapeAttr),
		Shape: func(s *Sig) ([]tensor.Shape, error) {
			if !s.In[1].Shape.Equal(s.In[0].Shape) {
				return nil, s.Errorf("index", "the shape is %v; it must be %v, that of the input", s.In[1].Shape, s.In[0].Shape)
			}
			return windowShape(s)
		},
		Ref: Reference{Kernels: wrapping(desampleKernel[float32], desampleKernel[float64],
			desampleKernel[uint8], desampleKernel[uint16], desampleKernel[uint32], desampleKernel[uint64]),
			Pieces: desamplePieces},
		Work:   func(s *Sig, out []tensor.Shape) Work { return Work{Ops: int64(s.In[0].Shape.Len())} },
		Expand: expandDesample,
		Lane:   single("output_shape", allLane(unslid)),
		Generate: func(r *Rand) Case {
			c := r.pooling(Numbers, true, geometry.BorderNames[geometry.BorderConstant])
			c.In = append(c.In, r.windowIndices(c, c.In[0].Shape()))
			return c
		},
	},
}

// indexTypes are the element types of indices into a window.
var indexTypes = TypeSet(tensor.Int32, tensor.Int64)

func indexOperand(shape string) Operand {
	return Operand{Name: "index", Types: indexTypes, Rank: AnyRank, Doc: "row-major indices in the window, of " + shape}
}

// elementSteps checks the attribute steps of argmax_pool.
func (s *Sig) elementSteps() error {
	in, steps, left := s.In[0].Shape, s.Ints("steps"), int64(math.MaxInt64)
	if s.DType("dtype") == tensor.Int32 {
		left = math.MaxInt32
	}
	if len(steps) != 0 && len(steps) != len(in) {
		return s.Errorf("steps", "%d numbers are given; there must be one for each of the %d dimensions, or none", len(steps), len(in))
	}
	for d, step := range steps {
		if left -= times(max(in[d]-1, 0), step); left < 0 {
			return s.Errorf("steps", "%v lead beyond %v in shape %v", steps, s.DType("dtype"), in)
		}
	}
	return nil
}

// placeOf returns the place in a tensor of an element, given its row-major index, where neighbours are steps apart.
func placeOf(at int, shape tensor.Shape, steps []int) int {
	place := 0
	for d := len(shape) - 1; d >= 0; d-- {
		place += at % shape[d] * steps[d]
		at /= shape[d]
	}
	return place
}

func argmaxKernel[T tensor.Number](c *Call, lo, hi int) {
	g, steps := windowed(c), c.Ints("steps")
	x := tensor.Data[T](c.In[0])
	narrow, wide := tensor.Data[int32](c.Out[0]), tensor.Data[int64](c.Out[0])
	o := g.Result(lo)
	for i := lo; i < hi; i++ {
		var greatest T
		best, source, n, k := -1, -1, 0, geometry.Position{}
		for more := true; more; more, n = g.NextPosition(&k), n+1 {
			var v T
			at := g.Source(&o, &k)
			if at >= 0 {
				v = x[at]
			} else if g.Border != geometry.BorderConstant {
				continue
			}
			if best < 0 || v > greatest || v != v && greatest == greatest {
				best, source, greatest = n, at, v
			}
		}
		switch best = max(best, 0); {
		case len(steps) > 0 && source < 0:
			best = -1
		case len(steps) > 0:
			best = placeOf(source, c.In[0].Shape(), steps)
		}
		if wide != nil {
			wide[i] = int64(best)
		} else {
			narrow[i] = int32(best)
		}
		g.NextResult(&o)
	}
}

func sampleKernel[W uint8 | uint16 | uint32 | uint64](c *Call, lo, hi int) {
	g := windowed(c)
	x, y := words[W](c.In[0]), words[W](c.Out[0])
	indices := geometry.IndicesOf(c.In[1])
	o, volume := g.Result(lo), g.Volume()
	for i := lo; i < hi; i++ {
		k := g.Position(indices.Among(i, volume))
		y[i] = 0
		if at := g.Source(&o, &k); at >= 0 {
			y[i] = x[at]
		}
		g.NextResult(&o)
	}
}

// unsampled returns the geometry of desample seen from its result: the window slides over the larger tensor.
func unsampled(c *Call) geometry.Sliding {
	return geometry.NewSliding(c.Attrs, c.Out[0].Shape(), c.In[0].Shape(), c.Ints("size"), false)
}

// desamplePieces makes each index of leading dimensions in which the window is still a piece: different ones do not
// write to the same elements.
func desamplePieces(s *Sig, out []Type) int {
	g := geometry.NewSliding(s.Attrs, out[0].Shape, s.In[0].Shape, s.Ints("size"), false)
	return stillPieces(&g)
}

func stillPieces(g *geometry.Sliding) int {
	if g.Dim[0].Still() { // Without this one worker would have all to do.
		return g.Dim[0].Out
	}
	return 1
}

func desampleKernel[T tensor.Number](c *Call, lo, hi int) {
	g := unsampled(c)
	pieces := stillPieces(&g)
	x, y := unsigned[T](c.In[0]), unsigned[T](c.Out[0])
	indices := geometry.IndicesOf(c.In[1])
	small, large := len(x)/pieces, len(y)/pieces
	clear(y[lo*large : hi*large])
	o, volume := g.Result(lo*small), g.Volume()
	for i := lo * small; i < hi*small; i++ {
		k := g.Position(indices.Among(i, volume))
		if at := g.Source(&o, &k); at >= 0 {
			y[at] += x[i]
		}
		g.NextResult(&o)
	}
	nan := fmath.NaN()
	for i := lo * large; i < hi*large; i++ {
		if y[i] != y[i] {
			y[i] = T(nan)
		}
	}
}

// windowIndices generates indices of the given shape into the window of c, some of them beyond it.
func (r *Rand) windowIndices(c Case, shape tensor.Shape) *tensor.Tensor {
	volume := tensor.Shape(c.Attrs.Ints("size")).Len()
	return r.Integers(r.DType(indexTypes), shape, -1, volume)
}
