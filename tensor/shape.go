package tensor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
)

// MaxRank is the greatest number of dimensions a tensor may have. It bounds the index arrays that operators keep on
// the stack.
const MaxRank = limits.TensorRank

// MaxElements is the greatest number of elements a tensor may have; it keeps every byte count within an int.
const MaxElements = limits.TensorElements

// Shape lists the extents of a tensor, outermost first. The empty shape is that of a scalar.
type Shape []int

// Rank returns the number of dimensions.
func (s Shape) Rank() int { return len(s) }

// Len returns the number of elements; 1 for a scalar. The shape must be valid.
func (s Shape) Len() int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

// Equal reports whether both shapes have the same rank and extents.
func (s Shape) Equal(t Shape) bool { return slices.Equal(s, t) }

// Clone returns a copy.
func (s Shape) Clone() Shape { return slices.Clone(s) }

// String writes the shape as [2,3,4].
func (s Shape) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, d)
	}
	b.WriteByte(']')
	return b.String()
}

// Check reports a rank above MaxRank, a negative extent, or extents whose product (zeros left out) overflows.
func (s Shape) Check() error {
	if len(s) > MaxRank {
		return fmt.Errorf("a shape has rank %d; at most %d is allowed", len(s), MaxRank)
	}
	n := 1
	for i, d := range s {
		if d < 0 {
			return fmt.Errorf("shape %v has the negative extent %d in dimension %d", s, d, i)
		}
		if d > MaxElements/n {
			return fmt.Errorf("shape %v has more elements than can be addressed", s)
		}
		n *= max(d, 1)
	}
	return nil
}

// Strides returns the row-major strides of s, in elements.
func (s Shape) Strides() []int {
	st := make([]int, len(s))
	n := 1
	for i := len(s) - 1; i >= 0; i-- {
		st[i] = n
		n *= s[i]
	}
	return st
}

// Axis returns axis as an index into s, counting from the end if negative, and false if it is out of range.
func (s Shape) Axis(axis int) (int, bool) {
	if axis < 0 {
		axis += len(s)
	}
	return axis, axis >= 0 && axis < len(s)
}
