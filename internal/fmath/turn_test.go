package fmath

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"testing"
)

func TestTurn(t *testing.T) {
	for _, n := range []int64{1, 2, 3, 4, 5, 7, 8, 12, 100, 257, 1024, 99991} {
		for i := range min(n, 2000) {
			k := i * max(n/2000, 1)
			sin, cos := Turn(k, n)
			if x := 2 * math.Pi * float64(k) / float64(n); math.Abs(sin-math.Sin(x)) > 3e-15 || math.Abs(cos-math.Cos(x)) > 3e-15 {
				t.Errorf("%d/%d: %v, %v, want %v, %v", k, n, sin, cos, math.Sin(x), math.Cos(x))
			}
			if s, c := Turn((n-k)%n, n); s != -sin && k != 0 || c != cos {
				t.Errorf("%d/%d and its mirror: %v, %v and %v, %v", k, n, sin, cos, s, c)
			}
		}
	}
	for k, want := range [][2]float64{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
		if sin, cos := Turn(int64(k), 4); sin != want[0] || cos != want[1] {
			t.Errorf("%d quarters: %v, %v", k, sin, cos)
		}
	}
}

// TestTurnBits holds the bits, as goldenSums does for functions of one argument.
func TestTurnBits(t *testing.T) {
	h := fnv.New64a()
	for n := int64(1); n < 200; n++ {
		for k := range n {
			sin, cos := Turn(k, n)
			var b [16]byte
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(sin+0)) // a zero has either sign
			binary.LittleEndian.PutUint64(b[8:], math.Float64bits(cos+0))
			h.Write(b[:])
		}
	}
	if got := h.Sum64(); got != 0x66f38e0633df0abd {
		t.Errorf("the sum of the bits is %#x", got)
	}
}
