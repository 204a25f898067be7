package eval

// slab hands out values from chunks, which costs one allocation for many of them.
type slab[T any] struct{ free []T }

const chunk = 256

// take returns n zero values.
func (s *slab[T]) take(n int) []T {
	if n > len(s.free) {
		if n > chunk/4 {
			return make([]T, n)
		}
		s.free = make([]T, chunk)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	return out
}
