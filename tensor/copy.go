package tensor

import (
	"fmt"
	"unsafe"
)

// CopyFrom sets the elements of t to those of src, which must have its type and shape. Both may be strided. Unless both are contiguous,
// they must not share memory. It allocates nothing.
func (t *Tensor) CopyFrom(src *Tensor) error {
	if missing(t, src) {
		return errNoTensor
	}
	if src.dtype != t.dtype || !src.shape.Equal(t.shape) {
		return fmt.Errorf("cannot copy %v into %v", src.Describe(), t.Describe())
	}
	src.copyTo(t)
	return nil
}

// copyTo sets the elements of dst, which has t's type and shape, to those of t.
func (t *Tensor) copyTo(dst *Tensor) {
	if t.dense && dst.dense {
		copy(dst.Bytes(), t.Bytes())
		return
	}
	if t.Len() == 0 || t.dtype == Invalid {
		return
	}
	var l loops
	l.nest(dst, t)
	switch {
	case t.foreign && t.dtype == Bool:
		copyBools(dst, t, &l)
	case t.dtype.Size() == 1:
		copyRows[uint8](dst, t, &l)
	case t.dtype.Size() == 2:
		copyRows[uint16](dst, t, &l)
	case t.dtype.Size() == 4:
		copyRows[uint32](dst, t, &l)
	default:
		copyRows[uint64](dst, t, &l)
	}
}

// copyRows copies elements as words of their size, a row at a time if it has no gaps.
func copyRows[W uint8 | uint16 | uint32 | uint64](dst, src *Tensor, l *loops) {
	to, from := memory[W](dst), memory[W](src)
	n, toStep, fromStep := l.extent[l.rank-1], l.to[l.rank-1], l.from[l.rank-1]
	for t, f := range l.rows(dst.offset, src.offset) {
		if toStep == 1 && fromStep == 1 {
			copy(to[t:t+n], from[f:f+n])
			continue
		}
		for range n {
			to[t] = from[f]
			t += toStep
			f += fromStep
		}
	}
}

// copyBools copies bytes of which any but 0 means true.
func copyBools(dst, src *Tensor, l *loops) {
	to, from := memory[uint8](dst), memory[uint8](src)
	n, toStep, fromStep := l.extent[l.rank-1], l.to[l.rank-1], l.from[l.rank-1]
	for t, f := range l.rows(dst.offset, src.offset) {
		for range n {
			to[t] = b2u(from[f] != 0)
			t += toStep
			f += fromStep
		}
	}
}

// memory returns all of the memory that t shows a part of.
func memory[W uint8 | uint16 | uint32 | uint64](t *Tensor) []W {
	return unsafe.Slice((*W)(unsafe.Pointer(unsafe.SliceData(t.mem))), len(t.mem)/t.dtype.Size())
}

// loops is a nest of loops over the elements of two tensors of one shape, outermost first. The innermost runs over a row.
type loops struct {
	rank             int
	extent, to, from [MaxRank]int // how often, and the steps in elements
}

// nest makes the fewest loops over tensors with elements: dimensions that follow one another without a gap, in both, become one.
func (l *loops) nest(to, from *Tensor) {
	for i, n := range to.shape {
		if n == 1 {
			continue
		}
		k := l.rank - 1
		if k >= 0 && l.to[k] == n*to.strides[i] && l.from[k] == n*from.strides[i] {
			n *= l.extent[k]
		} else {
			l.rank++
			k++
		}
		l.extent[k], l.to[k], l.from[k] = n, to.strides[i], from.strides[i]
	}
	if l.rank == 0 { // one element
		l.rank, l.extent[0], l.to[0], l.from[0] = 1, 1, 1, 1
	}
}

// rows yields the positions of the first elements of every row.
func (l *loops) rows(to, from int) func(yield func(int, int) bool) {
	return func(yield func(int, int) bool) {
		var index [MaxRank]int
		for yield(to, from) {
			d := l.rank - 2
			for ; d >= 0; d-- {
				index[d]++
				to += l.to[d]
				from += l.from[d]
				if index[d] < l.extent[d] {
					break
				}
				to -= index[d] * l.to[d]
				from -= index[d] * l.from[d]
				index[d] = 0
			}
			if d < 0 {
				return
			}
		}
	}
}
