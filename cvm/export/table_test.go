package export

import (
	"maps"
	"slices"
)

// Operators returns the operators of the table in the order of their names.
func Operators() []string { return slices.Sorted(maps.Keys(table)) }
