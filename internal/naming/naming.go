// Package naming makes names of which nothing has two, puts names in order, and finds the one that was meant by one that there is not.
package naming

import (
	"sort"
	"strconv"
)

// Sorted returns the names that a map has in order. Package sort has one loop for all programs' strings: with slices.Sorted, which is
// generic, each package that sorts some would have its own.
func Sorted[V any](named map[string]V) []string {
	var names []string
	for name := range named {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Set has the names in use, each with the number that was tried last for another of its kind, so that many of one kind take no more time
// each than few.
type Set map[string]int

// Of returns names that are in use.
func Of(list ...string) Set {
	s := make(Set, len(list))
	s.Add(list...)
	return s
}

// Add adds names, which may be in use.
func (s Set) Add(list ...string) {
	for _, name := range list {
		s[name] += 0 // which is there now
	}
}

// Has reports whether a name is in use.
func (s Set) Has(name string) bool {
	_, used := s[name]
	return used
}

// Take returns a name like the wished one that nothing else has: the wish itself, or with a number behind it, from 2 on.
func (s Set) Take(wish string) string { return s.TakeFrom(wish, 2) }

// TakeFrom is Take with numbers from first on.
func (s Set) TakeFrom(wish string, first int) string {
	name := wish
	for s.Has(name) {
		s[wish] = max(s[wish]+1, first)
		name = wish + "_" + strconv.Itoa(s[wish])
	}
	s[name] = 0
	return name
}
