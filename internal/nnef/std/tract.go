package std

import (
	_ "embed"
	"sync"
)

//go:embed tract.nnef
var tractText string

var tract = sync.OnceValue(func() *Set { return read("tract.nnef", tractText) })

// Tract returns the operations that the engine tract adds to those of the standard. The types of their declarations say
// how arguments are converted; see the text tract.nnef.
func Tract() *Set { return tract() }
