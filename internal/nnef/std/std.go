package std

import (
	"embed"
	"fmt"
	"slices"
	"sync"

	"github.com/concord-nn/concord/nnef/syntax"
)

//go:embed standard.nnef provisional.nnef tract.nnef
var texts embed.FS

// Set is the operations of one dialect, or of tract. It may be used by several goroutines at once.
type Set struct {
	list   []*syntax.Fragment
	byName map[string]*syntax.Fragment
}

var standard, provisional, tract = declared("standard.nnef"), declared("provisional.nnef"), declared("tract.nnef")

// declared reads a text when it is asked for first.
func declared(name string) func() *Set {
	return sync.OnceValue(func() *Set {
		text, _ := texts.ReadFile(name)
		fragments, err := syntax.ParseFragments(name, string(text))
		if err != nil { // Without this there would be no operations; a test holds that there are no errors.
			panic(fmt.Sprintf("internal/nnef/std: the embedded declarations are broken: %v", err))
		}
		s := &Set{list: fragments, byName: make(map[string]*syntax.Fragment, len(fragments))}
		for _, f := range fragments {
			s.byName[f.Name.Name] = f
		}
		return s
	})
}

// Of returns the operations of a dialect: the 118 of NNEF 1.0.5, or the 85 of the provisional text. The declarations are
// written in the final dialect in both cases, so that the element types of tensors are seen; provisional operations that
// say a generic type have none in their own dialect.
func Of(d syntax.Dialect) *Set {
	if d == syntax.Provisional {
		return provisional()
	}
	return standard()
}

// Tract returns the operations that the engine tract adds to those of the standard. The types of their declarations say
// how arguments are converted; see the text tract.nnef.
func Tract() *Set { return tract() }

// Successor is the operation of the final dialect that is a provisional one of another name, or with parameters of other names.
type Successor struct {
	Name    string
	Grouped bool              // with groups = 0, one group for each channel
	Params  map[string]string // the names in the final dialect of the provisional parameters that have others
}

// Successors has the provisional operations that have other names in the final dialect, or parameters that have. It must not be changed.
var Successors = map[string]Successor{
	"idn":              {Name: "copy"},
	"planewise_conv":   {Name: "conv", Grouped: true},
	"planewise_deconv": {Name: "deconv", Grouped: true},
	"transpose":        {Name: "transpose", Params: map[string]string{"perm": "axes"}},
	"matmul":           {Name: "matmul", Params: map[string]string{"trA": "transposeA", "trB": "transposeB"}},
}

// Fragments returns the declarations in the order of the standard's chapters. They must not be changed.
func (s *Set) Fragments() []*syntax.Fragment { return slices.Clone(s.list) }

// Lookup returns the declaration of the operation of that name, and false if there is none.
func (s *Set) Lookup(name string) (*syntax.Fragment, bool) {
	f, ok := s.byName[name]
	return f, ok
}

// Lookup returns a declaration of the final dialect; see [Set.Lookup].
func Lookup(name string) (*syntax.Fragment, bool) { return Of(syntax.Final).Lookup(name) }
