package eval

import (
	"math"
	"math/bits"

	"github.com/concord-nn/concord/nnef/syntax"
)

// memo remembers values of arrays and tuples of literals. Documents repeat a few of them all over, strides and paddings
// for instance; a value that is made once serves wherever the same text stands.
type memo [2]*[memoSlots]memoSlot // by whether values are unknown; nil until there are some

type memoSlot struct {
	x      syntax.Expr
	v      Value
	weight int // items on all levels
}

const (
	memoBits  = 7
	memoSlots = 1 << memoBits
	memoNodes = 80 // larger values are not remembered; those of lists count twice
	memoPrime = 0x9e3779b97f4a7c15
)

// find returns the slot for an expression, nil if it is not of the kind that is remembered, and whether its value is in
// the slot.
func (m *memo) find(x syntax.Expr, checking bool) (slot *memoSlot, found bool) {
	h, nodes := hashLiteral(x, 1, 0)
	if nodes > memoNodes {
		return nil, false
	}
	table := &m[0]
	if checking {
		table = &m[1]
	}
	if *table == nil {
		*table = new([memoSlots]memoSlot)
	}
	at := h * memoPrime >> (64 - memoBits)
	slot = &(*table)[at]
	if slot.x == nil || sameLiteral(slot.x, x) {
		return slot, slot.x != nil
	}
	slot = &(*table)[at^1] // two that would have the same slot are common
	return slot, slot.x != nil && sameLiteral(slot.x, x)
}

// hashLiteral mixes the literals of an expression into h and counts its nodes; other nodes count as too many.
func hashLiteral(x syntax.Expr, h uint64, nodes int) (uint64, int) {
	var items []syntax.Expr
	switch x := x.(type) {
	case *syntax.IntegerLit:
		return (h ^ uint64(x.Value)) * memoPrime, nodes + 1
	case *syntax.ScalarLit:
		return (h ^ math.Float64bits(x.Value)) * memoPrime, nodes + 1
	case *syntax.Array:
		items = x.Items
	case *syntax.Tuple:
		items, h = x.Items, h+1
	default:
		return h, memoNodes + 1
	}
	if nodes += len(items) + 1; nodes > memoNodes {
		return h, nodes
	}
	for _, item := range items {
		if h, nodes = hashLiteral(item, bits.RotateLeft64(h, 29)*memoPrime, nodes); nodes > memoNodes {
			break
		}
	}
	return h, nodes
}

// sameLiteral reports whether two expressions of literals are written alike, but for the way the numbers are written.
func sameLiteral(a, b syntax.Expr) bool {
	switch a := a.(type) {
	case *syntax.IntegerLit:
		b, ok := b.(*syntax.IntegerLit)
		return ok && a.Value == b.Value
	case *syntax.ScalarLit:
		b, ok := b.(*syntax.ScalarLit)
		return ok && math.Float64bits(a.Value) == math.Float64bits(b.Value)
	case *syntax.Array:
		b, ok := b.(*syntax.Array)
		return ok && sameLiterals(a.Items, b.Items)
	case *syntax.Tuple:
		b, ok := b.(*syntax.Tuple)
		return ok && sameLiterals(a.Items, b.Items)
	}
	return false
}

func sameLiterals(a, b []syntax.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameLiteral(a[i], b[i]) {
			return false
		}
	}
	return true
}
