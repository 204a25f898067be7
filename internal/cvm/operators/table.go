package operators

import (
	"cmp"
	"slices"
	"strings"
)

// table has the operators by name, and names finds them, aliases included.
var table, names = build(reduceOperators, broadcastOperators, nnOperators, elemwiseOperators, transformOperators, visionOperators)

func build(families ...[]*Operator) ([]*Operator, map[string]*Operator) {
	all := slices.Concat(families...)
	slices.SortFunc(all, func(a, b *Operator) int { return cmp.Compare(a.Name, b.Name) })
	names := map[string]*Operator{}
	for _, o := range all {
		o.Shapes = checked(o.Shapes)
		o.precisions, o.Precisions = o.Precisions, limited(o.Precisions)
		for _, name := range append([]string{o.Name}, o.Aliases...) {
			names[name] = o
		}
	}
	return all, names
}

// All lists the operators in the order of their names.
func All() []*Operator { return slices.Clone(table) }

// Lookup finds an operator by the name that a graph gives it, of which one trailing _DIGITS is dropped; the digits may be missing. It
// returns nil if there is none. The second result reports whether the name is an alias, which gas is counted for but no kernel has.
func Lookup(name string) (*Operator, bool) {
	if base, ok := strings.CutSuffix(strings.TrimRight(name, "0123456789"), "_"); ok {
		name = base
	}
	o := names[name]
	return o, o != nil && name != o.Name
}
