package op

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

var topKDef = &Def{
	Name: "top_k",
	Doc: "Top_k returns the k greatest or least elements along an axis, and their indices (ONNX TopK). " +
		"Sorted, they stand best first, equal ones in their order; else all stand in their order. Of equal elements the first ones are taken. " +
		"Zeros of both signs are equal; NaN is greater than every number and equal to NaN.",
	In: []Operand{{Name: "x", Types: Numbers, Rank: AtLeast(1), Doc: "elements to compare"}},
	Out: []Result{
		{Name: "values", Like: "x", Doc: "the elements, in the shape of x with extent k along the axis"},
		{Name: "indices", Type: tensor.Int64, Doc: "where they stand along the axis, in the shape of values"},
	},
	Attrs: []Attr{
		{Name: "axis", Kind: graph.KindInt, Doc: "the axis along which elements are compared"},
		{Name: "k", Kind: graph.KindInt, Range: [2]float64{0, tensor.MaxElements}, Doc: "how many to take, at most the extent of the axis"},
		{Name: "largest", Kind: graph.KindBool, Default: true, Doc: "whether the greatest are taken and not the least"},
		{Name: "sorted", Kind: graph.KindBool, Default: true, Doc: "whether they are sorted"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		axis, err := s.axis("axis", s.In[0].Shape)
		if err != nil {
			return nil, err
		}
		out := s.In[0].Shape.Clone()
		if k := s.Int("k"); k > out[axis] {
			return nil, s.Misfit("k", "%d elements are asked for; dimension %d of shape %v has %d", k, axis, out, out[axis])
		}
		out[axis] = s.Int("k")
		return []tensor.Shape{out, out}, nil
	},
	Ref: Reference{
		Kernels: alike(topK, computed),
		Pieces:  perLine,
		Scratch: func(s *Sig, out []Type) int { return 8 * min(s.Int("k"), out[0].Shape.Len()) },
	},
	NonNegative: ifAll,
	Work: func(s *Sig, _ []tensor.Shape) Work {
		return Work{Ops: times(s.In[0].Shape.Len(), 1+bits.Len(uint(s.Int("k"))))}
	},
	Lane: firstLane(besideAxis),
	Generate: func(r *Rand) Case {
		d, shape := r.DType(Numbers), r.Shape(1, 4)
		axis := r.IntN(len(shape))
		shape[axis] = r.Between(1, 4*r.Size)
		x := r.Tensor(d, shape)
		if d.IsFloat() && r.IntN(3) == 0 {
			x = r.Extremes(d, shape)
		} else if r.Bool() {
			x = r.fewValues(d, shape)
		}
		return Case{In: []*tensor.Tensor{x}, Attrs: graph.Attrs{axisOf(axis), {Name: "k", Value: r.Between(0, shape[axis])},
			{Name: "largest", Value: r.Bool()}, {Name: "sorted", Value: r.Bool()}}}
	},
}

// ranking puts the elements of a line in the order in which they are taken.
type ranking struct {
	ordering
	first   int // the line's first element
	step    int // from one element of the line to the next
	largest bool
}

// rank returns whether element i of the line is taken before element j, -1, or behind it, 1.
func (r *ranking) rank(i, j int64) int {
	a, b := r.first+int(i)*r.step, r.first+int(j)*r.step
	if r.largest {
		a, b = b, a
	}
	return cmp.Or(r.compare(a, b), cmp.Compare(i, j))
}

// sink restores a heap whose root is the last one in the order, when the item at i may have to go down.
func (r *ranking) sink(heap []int64, i int, watch *Watch) {
	for !watch.Stops(2) {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && r.rank(heap[child], heap[child+1]) < 0 {
			child++
		}
		if r.rank(heap[i], heap[child]) > 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// choose sets best to the first ones of n elements, in any order.
func (r *ranking) choose(best []int64, n int, watch *Watch) {
	k := len(best)
	for i := range best {
		best[i] = int64(i)
	}
	if k == n {
		return
	}
	for i := k/2 - 1; i >= 0 && !watch.over; i-- {
		r.sink(best, i, watch)
	}
	for i := int64(k); i < int64(n) && !watch.over && !watch.Stops(1); i++ {
		if r.rank(i, best[0]) < 0 {
			best[0] = i
			r.sink(best, 0, watch)
		}
	}
}

// take sets best to the first ones of n elements, sorted or in the order in which they stand. It returns false if it was stopped.
func (r *ranking) take(best []int64, n int, sorted bool, watch *Watch) bool {
	r.choose(best, n, watch)
	slices.SortFunc(best, func(i, j int64) int {
		switch {
		case watch.over || watch.Stops(1):
			return 0
		case sorted:
			return r.rank(i, j)
		}
		return cmp.Compare(i, j)
	})
	return !watch.over
}

// topK takes each line along the axis as a piece.
func topK(c *Call, lo, hi int) {
	x, values, indices, size := c.In[0].Bytes(), c.Out[0].Bytes(), tensor.Data[int64](c.Out[1]), c.In[0].DType().Size()
	shape, axis, k, sorted := c.In[0].Shape(), c.Int("axis"), c.Int("k"), c.Bool("sorted")
	n, inner := shape[axis], shape[axis+1:].Len()
	best, watch := positions(c, k), c.Watch()
	r := ranking{ordering: orderingOf(c.In[0]), step: inner, largest: c.Bool("largest")}
	for line := lo; line < hi; line++ {
		r.first = line/inner*n*inner + line%inner
		if !r.take(best, n, sorted, &watch) {
			return
		}
		to := line/inner*k*inner + line%inner
		for _, i := range best {
			copy(values[to*size:(to+1)*size], x[(r.first+int(i)*inner)*size:])
			indices[to] = i
			to += inner
		}
	}
}
