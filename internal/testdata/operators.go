package testdata

import "github.com/concord-nn/concord/op"

// Operators returns the operators whose generated cases the tests of other packages compile and write: so far all that own no
// graphs, which neither the engine nor the reader of the text form knows yet.
func Operators() []*op.Def {
	var list []*op.Def
	for _, d := range op.All() {
		if len(d.Blocks) == 0 {
			list = append(list, d)
		}
	}
	return list
}
