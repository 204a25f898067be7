package op

import (
	"math/bits"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

var uniqueDef = &Def{
	Name: "unique",
	Doc: `Unique finds the different slices of x along an axis: where each stands first, which of them each slice is, and how often each occurs.

The slices x[…, i, …] are numbered sorted, or in the order in which they first occur (ONNX Unique; its first result is gather of x by
first, and without an axis x is reshaped to one dimension before). Slices are compared by their elements, in row-major order. Zeros of
both signs are equal; NaN is greater than every number and equal to NaN. What first and counts hold from count on is 0.`,
	In: []Operand{{Name: "x", Types: AnyType, Rank: AtLeast(1), Doc: "the slices"}},
	Out: []Result{
		{Name: "first", Type: tensor.Int64, Doc: "the least index i of each different slice; as long as the axis"},
		{Name: "inverse", Type: tensor.Int64, Doc: "the number of each slice x[…, i, …] among the different ones"},
		{Name: "counts", Type: tensor.Int64, Doc: "how often each different slice occurs; as long as the axis"},
		countResult("different slices"),
	},
	Attrs: []Attr{
		{Name: "axis", Kind: graph.KindInt, Default: 0, Doc: "the axis along which slices are compared"},
		{Name: "sorted", Kind: graph.KindBool, Default: true, Doc: "whether slices are numbered in ascending order, and not in the order of their occurrence"},
	},
	Shape: func(s *Sig) ([]tensor.Shape, error) {
		axis, err := s.axis("axis", s.In[0].Shape)
		if err != nil {
			return nil, err
		}
		line := tensor.Shape{s.In[0].Shape[axis]}
		return []tensor.Shape{line, line, line, {}}, nil
	},
	Ref: Reference{
		Kernels: alike(unique, computed|Bools),
		Scratch: func(s *Sig, _ []Type) int { return 8 * s.In[0].Shape[s.Int("axis")] },
	},
	NonNegative: always,
	Work: func(s *Sig, out []tensor.Shape) Work {
		n := out[0].Len()
		return Work{Ops: times(s.In[0].Shape.Len()+n, 1+bits.Len(uint(n)))}
	},
	Generate: func(r *Rand) Case {
		d, shape := r.DType(AnyType), r.Shape(1, 3)
		axis := r.IntN(len(shape))
		shape[axis] = r.Between(1, 3*r.Size)
		x := r.fewValues(d, shape)
		if d.IsFloat() && r.IntN(3) == 0 {
			x = r.Extremes(d, shape)
		}
		return Case{In: []*tensor.Tensor{x}, Attrs: graph.Attrs{axisOf(axis), {Name: "sorted", Value: r.Bool()}}}
	},
}

// layers are the slices of a tensor along an axis of extent n.
type layers struct {
	ordering
	outer, n, inner int
}

// compareSlices returns whether slice i comes before slice j, -1, is equal to it, 0, or comes behind it, 1.
func (l *layers) compareSlices(i, j int64) int {
	for block := range l.outer {
		a, b := (block*l.n+int(i))*l.inner, (block*l.n+int(j))*l.inner
		for k := range l.inner {
			if order := l.compare(a+k, b+k); order != 0 {
				return order
			}
		}
	}
	return 0
}

// unique computes the whole results.
func unique(c *Call, _, _ int) {
	shape, axis := c.In[0].Shape(), c.Int("axis")
	l := layers{orderingOf(c.In[0]), shape[:axis].Len(), shape[axis], shape[axis+1:].Len()}
	first, inverse, counts := tensor.Data[int64](c.Out[0]), tensor.Data[int64](c.Out[1]), tensor.Data[int64](c.Out[2])
	order, watch := positions(c, l.n), c.Watch()
	for i := range order {
		order[i] = int64(i)
	}
	slices.SortFunc(order, func(i, j int64) int {
		if watch.over || watch.Stops(1+l.outer*l.inner) { // Without this it would end after the sort.
			return 0
		}
		return l.compareSlices(i, j)
	})
	number := int64(0)
	for at, i := range order {
		if watch.over || watch.Stops(1+l.outer*l.inner) {
			return
		}
		if at > 0 && l.compareSlices(order[at-1], i) != 0 {
			number++
		}
		inverse[i] = number
	}
	if !c.Bool("sorted") && !renumber(inverse, order, &watch) {
		return
	}
	clear(first)
	clear(counts)
	count := int64(0)
	for i := l.n - 1; i >= 0; i-- {
		if watch.Stops(1) {
			return
		}
		k := inverse[i]
		first[k] = int64(i)
		counts[k]++
		count = max(count, k+1)
	}
	tensor.Data[int64](c.Out[3])[0] = count
}

// renumber replaces numbers by those of the order in which they occur. It overwrites rank, which is as long. It returns false if it was stopped.
func renumber(numbers, rank []int64, watch *Watch) bool {
	for i := range rank {
		rank[i] = -1
	}
	next := int64(0)
	for i, k := range numbers {
		if watch.Stops(1) {
			return false
		}
		if rank[k] < 0 {
			rank[k] = next
			next++
		}
		numbers[i] = rank[k]
	}
	return true
}
