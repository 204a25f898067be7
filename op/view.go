package op

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// stridedView selects elements of a contiguous tensor: the one at index (i0, i1, …) of the view stands at
// offset + i0·stride[0] + i1·stride[1] + …. It lives on the stack of a kernel.
type stridedView struct {
	rank, offset   int
	extent, stride [tensor.MaxRank]int
}

// viewOf returns the view that selects all elements of a tensor of the given shape, in order.
func viewOf(shape tensor.Shape) stridedView {
	v := stridedView{rank: len(shape)}
	n := 1
	for d := v.rank - 1; d >= 0; d-- {
		v.extent[d], v.stride[d] = shape[d], n
		n *= shape[d]
	}
	return v
}

// merged returns the same view with as few dimensions as possible: those of extent 1 are dropped, and neighbours that
// one stride walks through are joined. It has at least one dimension, so that its last one is a run of elements.
func (v stridedView) merged() stridedView {
	m := stridedView{offset: v.offset}
	for d := range v.rank {
		n, step := v.extent[d], v.stride[d]
		last := m.rank - 1
		switch {
		case n == 1:
		case last >= 0 && m.stride[last] == n*step: // Without this runs would be shorter.
			m.extent[last] *= n
			m.stride[last] = step
		default:
			m.extent[m.rank], m.stride[m.rank] = n, step
			m.rank++
		}
	}
	if m.rank == 0 {
		m.rank, m.extent[0] = 1, 1
	}
	return m
}

// selection says which elements of an operand, by its shape, that of the result and the attributes, are those of the result.
type selection func(in, out tensor.Shape, attrs graph.Attrs) stridedView

// selections are those of the operators that do nothing else, by name.
var selections = map[string]selection{"transpose": transposed, "slice": taken, "reverse": reversed, "expand": expanded}

// Selection returns which elements of its operand the result of a node has, if the node does nothing but choose them: the one at index (i0, i1, …)
// of the result stands at offset + i0·stride[0] + i1·stride[1] + …. The result must have elements. It returns false for any other node.
func Selection(n *graph.Node) (offset int, stride []int, ok bool) {
	d, ok := operator(n)
	if !ok || selections[d.Name] == nil {
		return 0, nil, false
	}
	v := selections[d.Name](n.In[0].Type.Shape, n.Out[0].Type.Shape, n.Attrs)
	return v.offset, slices.Clone(v.stride[:v.rank]), true
}

// contiguous is the rule [Def.View] of an operator whose result is a selection.
func contiguous(view selection) func(s *Sig, out []Type) []int {
	return func(s *Sig, out []Type) []int {
		if out[0].Shape.Len() == 0 {
			return []int{0}
		}
		v := view(s.In[0].Shape, out[0].Shape, s.Attrs).merged()
		if v.rank > 1 || v.extent[0] > 1 && v.stride[0] != 1 {
			return nil
		}
		return []int{v.offset}
	}
}

// viewKernels returns the kernels of an operator whose result is a selection, copied in row-major order. Each element is a
// piece.
func viewKernels(view selection) Kernels {
	return sized(viewKernel[uint8](view), viewKernel[uint16](view), viewKernel[uint32](view), viewKernel[uint64](view))
}

//
//go:noinline // tables of kernels would hold it three times
func viewKernel[W uint8 | uint16 | uint32 | uint64](view selection) Kernel {
	return func(c *Call, lo, hi int) {
		if lo < hi {
			v := view(c.In[0].Shape(), c.Out[0].Shape(), c.Attrs).merged()
			copyView(words[W](c.Out[0])[lo:hi], words[W](c.In[0]), &v, lo)
		}
	}
}

// copyView sets dst to the elements of the view of src from row-major number at on.
func copyView[W any](dst, src []W, v *stridedView, at int) {
	var index [tensor.MaxRank]int
	last := v.rank - 1
	pos := v.offset
	for d := last; d >= 0; d-- {
		index[d] = at % v.extent[d]
		at /= v.extent[d]
		pos += index[d] * v.stride[d]
	}
	step := v.stride[last]
	for {
		run := min(v.extent[last]-index[last], len(dst))
		if step == 1 { // Without this it takes longer.
			copy(dst[:run], src[pos:])
		} else {
			p := pos
			for i := range dst[:run] {
				dst[i] = src[p]
				p += step
			}
		}
		if dst = dst[run:]; len(dst) == 0 {
			return
		}
		pos -= index[last] * step
		index[last] = 0
		for d := last - 1; d >= 0; d-- {
			pos += v.stride[d]
			if index[d]++; index[d] < v.extent[d] {
				break
			}
			pos -= index[d] * v.stride[d]
			index[d] = 0
		}
	}
}

// everyType returns a table with one kernel for all element types: one that moves bytes.
func everyType(k Kernel) Kernels { return sized(k, k, k, k) }

// arbitrary returns a tensor of any element type, for operators that only move elements.
func (r *Rand) arbitrary(shape tensor.Shape) *tensor.Tensor {
	d := r.DType(AnyType)
	if d.IsFloat() && r.IntN(4) == 0 {
		return r.Extremes(d, shape)
	}
	return r.Tensor(d, shape)
}
