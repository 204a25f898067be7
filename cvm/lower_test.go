package cvm

import (
	"testing"

	"github.com/concord-nn/concord/internal/cvm/operators"
)

// TestBits checks entries that have more bits than their precision, and the types in which they are stored.
func TestBits(t *testing.T) {
	where := func(condition int) *sketch {
		s := newSketch()
		c := s.variable(DataName, condition, 2, 2)
		x := s.parameter("x", 8, []int{2, 2}, make([]int32, 4))
		y := s.parameter("y", 12, []int{2, 2}, make([]int32, 4))
		s.apply("where", "{}", []int{2, 2}, c, x, y)
		return s
	}
	dense := where(4)
	w := dense.parameter("w", 8, []int{3, 2}, make([]int32, 6))
	dense.apply("dense", `{"units":"3","use_bias":"0"}`, []int{2, 3}, 3, w)
	greater := newSketch()
	greater.apply("broadcast_greater", "{}", []int{2}, greater.variable(DataName, 1, 2), 0)
	for _, c := range []struct {
		name            string
		s               *sketch
		compat          bool
		precision, bits int
		typ             string
	}{
		{"where, strict", where(20), false, 12, 12, "int16"},
		{"where, compatible", where(4), true, 4, 12, "int16"},
		{"where, compatible, wide condition", where(20), true, 20, 12, "int16"},
		{"dense of more than its operands' precision", dense, true, 14, operators.Unbounded, "int32"},
		{"a filler", greater, false, 1, 2, "int8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := admit(c.s.head(len(c.s.Nodes)-1).files(t), Options{Compat: c.compat})
			if err != nil {
				t.Fatal(err)
			}
			e := a.net.entries[len(a.net.entries)-1]
			if e.Precision != c.precision || e.bits != c.bits || e.dtype().String() != c.typ {
				t.Errorf("precision %d, %d bits, %v; want %d, %d, %s", e.Precision, e.bits, e.dtype(), c.precision, c.bits, c.typ)
			}
		})
	}
}
