package std

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"

	"github.com/concord-nn/concord/nnef/syntax"
)

//go:embed standard.nnef
var text string

var load = sync.OnceValue(func() table {
	fragments, err := syntax.ParseFragments("standard.nnef", text, syntax.Options{})
	if err != nil {
		panic(fmt.Sprintf("nnef/std: the embedded declarations are broken: %v", err)) // held by a test
	}
	t := table{byName: make(map[string]*syntax.Fragment, len(fragments))}
	for _, f := range fragments {
		t.list = append(t.list, f)
		t.byName[f.Name.Name] = f
	}
	return t
})

type table struct {
	list   []*syntax.Fragment
	byName map[string]*syntax.Fragment
}

// Fragments returns the declarations of all 118 operations in the order of the standard's chapters. They must not be
// changed.
func Fragments() []*syntax.Fragment { return slices.Clone(load().list) }

// Lookup returns the declaration of the operation of that name, and false if there is none.
func Lookup(name string) (*syntax.Fragment, bool) {
	f, ok := load().byName[name]
	return f, ok
}
