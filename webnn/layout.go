package webnn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
)

// The operators work channels first; other layouts are transposed. The name of a layout has a letter for each dimension.

// The layouts that the operators have.
const (
	inputOrder            = string(LayoutNCHW)
	filterOrder           = string(FilterOIHW)
	transposedFilterOrder = string(TransposeFilterIOHW)
)

// fromLayout brings an operand of rank 4 from the layout that the option names into that of the operators.
func (l *lowering) fromLayout(operand, option, order string) *graph.Value {
	return l.Transpose(l.operand(operand), permutation(l.string(option), order)...)
}

// toLayout brings a result from the operators' layout into that of the option.
func (l *lowering) toLayout(v *graph.Value, option string) *graph.Value {
	return l.Transpose(v, permutation(inputOrder, l.string(option))...)
}

// permutation returns, for each dimension of a layout, where another layout has it.
func permutation(from, to string) []int {
	perm := make([]int, len(to))
	for i := range perm {
		perm[i] = strings.IndexByte(from, to[i])
	}
	return perm
}

// shaped rejects an operand that has not these extents, if it is given. The message says what gives the extents.
func (l *lowering) shaped(name, from string, extents ...int64) {
	v := l.operand(name)
	if v == nil {
		return
	}
	same := func(got int, want int64) bool { return int64(got) == want }
	if got := v.Type.Shape; !slices.EqualFunc(got, extents, same) {
		want := strings.ReplaceAll(fmt.Sprint(extents), " ", ",")
		l.reject(name+".shape", "the shape of %s is %v; it must be %s, %s", name, got, want, from)
	}
}

// outputSize returns an extent of the result, after rejecting it if it is no valid dimension. The name of the dimension is
// for the message.
func (l *lowering) outputSize(dimension string, n int64) int {
	if n < 1 || n > maxDimension {
		l.reject("outputSize", "the extent %d of the result's %s is not from 1 to %d", n, dimension, maxDimension)
		return 1
	}
	return int(n)
}

// nth names dimension i.
func nth(i int) string { return fmt.Sprint("dimension ", i) }
