package std

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/concord-nn/concord/nnef/syntax"
)

//go:embed standard.nnef
var standardText string

//go:embed provisional.nnef
var provisionalText string

// Set is the operations of one dialect, or of tract. It may be used by several goroutines at once.
type Set struct {
	list   []*syntax.Fragment
	byName map[string]*syntax.Fragment
}

var sets = map[syntax.Dialect]func() *Set{
	syntax.Final:       sync.OnceValue(func() *Set { return read("standard.nnef", standardText) }),
	syntax.Provisional: sync.OnceValue(func() *Set { return read("provisional.nnef", provisionalText) }),
}

func read(name, text string) *Set {
	fragments, err := syntax.ParseFragments(name, text)
	if err != nil {
		panic(fmt.Sprintf("internal/nnef/std: the embedded declarations are broken: %v", err)) // held by a test
	}
	s := &Set{list: fragments, byName: make(map[string]*syntax.Fragment, len(fragments))}
	for _, f := range fragments {
		s.byName[f.Name.Name] = f
	}
	return s
}

// Of returns the operations of a dialect: the 118 of NNEF 1.0.5, or the 85 of the provisional text. The declarations are
// written in the final dialect in both cases, so that the element types of tensors are seen; provisional operations that
// say a generic type have none in their own dialect.
func Of(d syntax.Dialect) *Set { return sets[d]() }

// Fragments returns the declarations in the order of the standard's chapters. They must not be changed.
func (s *Set) Fragments() []*syntax.Fragment { return slices.Clone(s.list) }

// Lookup returns the declaration of the operation of that name, and false if there is none.
func (s *Set) Lookup(name string) (*syntax.Fragment, bool) {
	f, ok := s.byName[name]
	return f, ok
}

// Lookup returns a declaration of the final dialect; see [Set.Lookup].
func Lookup(name string) (*syntax.Fragment, bool) { return Of(syntax.Final).Lookup(name) }
