package syntax

// slab hands out values of one type from chunks, which costs one allocation per chunk instead of one per value. The
// chunks grow with use, so that small texts stay small. Places are counted rather than cut off the chunk, because
// storing a pointer costs more than storing a number while the garbage collector runs.
type slab[T any] struct {
	chunk []T
	used  int
}

const (
	firstChunk = 8
	lastChunk  = 1024
)

func (s *slab[T]) grow(least int) {
	s.chunk = make([]T, min(max(2*len(s.chunk), firstChunk, least), lastChunk))
	s.used = 0
}

// new returns a pointer to a zero value.
func (s *slab[T]) new() *T {
	if s.used == len(s.chunk) {
		s.grow(1)
	}
	x := &s.chunk[s.used]
	s.used++
	return x
}

// list returns a copy of the items, nil if there are none. The copy has no spare capacity.
func (s *slab[T]) list(items []T) []T {
	n := len(items)
	if n == 0 {
		return nil
	}
	if n > len(s.chunk)-s.used {
		if n > lastChunk/8 {
			return append(make([]T, 0, n), items...)
		}
		s.grow(n)
	}
	out := s.chunk[s.used : s.used+n : s.used+n]
	s.used += n
	copy(out, items)
	return out
}
