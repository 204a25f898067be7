package syntax

// slab hands out values of one type from chunks, which costs one allocation per chunk instead of one per value. The
// chunks grow with use, so that small texts stay small.
type slab[T any] struct {
	free []T
	size int
}

const (
	firstChunk = 8
	lastChunk  = 512
)

func (s *slab[T]) grow() {
	s.size = min(max(2*s.size, firstChunk), lastChunk)
	s.free = make([]T, s.size)
}

// new returns a pointer to a zero value.
func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.grow()
	}
	x := &s.free[0]
	s.free = s.free[1:]
	return x
}

// list returns a copy of the items, nil if there are none. The copy has no spare capacity.
func (s *slab[T]) list(items []T) []T {
	n := len(items)
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		if n > lastChunk/8 {
			return append(make([]T, 0, n), items...)
		}
		s.grow()
		for len(s.free) < n {
			s.grow()
		}
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	copy(out, items)
	return out
}
