package eval

// Slab hands out values from chunks, which costs one allocation for many of them.
type Slab[T any] struct{ free []T }

const chunk = 256

// Take returns n zero values.
func (s *Slab[T]) Take(n int) []T {
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
