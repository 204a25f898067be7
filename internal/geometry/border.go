package geometry

import (
	"slices"

	"github.com/concord-nn/concord/graph"
)

// Border is the rule for indices outside a tensor.
type Border uint8

// The rules.
const (
	BorderConstant    Border = iota // zeros
	BorderReplicate                 // the nearest element
	BorderReflect                   // mirrored without the edge element
	BorderReflectEven               // mirrored with the edge element
	BorderIgnore                    // no part in the result
)

// BorderNames are the values of the attribute border, indexed by rule; FillNames those of rules by which there is something outside.
var (
	BorderNames = []string{BorderConstant: "constant", BorderReplicate: "replicate", BorderReflect: "reflect", BorderReflectEven: "reflect-even",
		BorderIgnore: "ignore"}
	FillNames = BorderNames[:BorderIgnore]
)

// BorderOf returns the rule that the attribute border names.
func BorderOf(a graph.Attrs) Border { return Border(slices.Index(BorderNames, a.String("border"))) }

// Index returns the element of a dimension of extent n that stands for index i, or -1 if there is none.
func (b Border) Index(i, n int) int {
	switch {
	case i >= 0 && i < n:
		return i
	case n == 0:
		return -1
	case b == BorderReplicate:
		return min(max(i, 0), n-1)
	case b == BorderReflect && n == 1:
		return 0
	case b == BorderReflect:
		period := 2 * (n - 1)
		i = modulo(i, period)
		return min(i, period-i)
	case b == BorderReflectEven:
		i = modulo(i, 2*n)
		return min(i, 2*n-1-i)
	}
	return -1
}

// modulo returns i - n·floor(i/n).
func modulo(i, n int) int {
	if i %= n; i < 0 {
		i += n
	}
	return i
}

// FloorDiv returns floor(a/b) for b > 0.
func FloorDiv[T int | int64](a, b T) T {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// CeilDiv returns ceil(a/b) for b > 0.
func CeilDiv[T int | int64](a, b T) T { return -FloorDiv(-a, b) }
