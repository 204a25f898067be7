package session

import (
	"maps"
	"slices"
)

// Objects returns the ids of the objects that live, sorted.
func (h *Host) Objects() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(maps.Keys(h.objects))
}
