package syntax

// slab hands out values of one type from chunks, which costs one allocation per chunk instead of one per value. The chunks
// grow with use, so that small texts stay small.
type slab[T any] struct {
	free  []T
	chunk int // length of the last chunk
}

// list returns a copy of items without spare capacity, nil if there are none.
func (s *slab[T]) list(items ...T) []T {
	n := len(items)
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		s.chunk = min(max(2*s.chunk, 8), 1024)
		s.free = make([]T, max(s.chunk, n))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	copy(out, items)
	return out
}

// new returns a pointer to a copy of a value.
func (s *slab[T]) new(x T) *T { return &s.list(x)[0] }
