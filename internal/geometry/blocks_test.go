package geometry

import (
	"math/rand/v2"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestBlocks finds the blocks of every element of random tensors by its indices.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		in, small, block := make(tensor.Shape, r.IntN(5)), tensor.Shape{}, []int{}
		for range in {
			small, block = append(small, 0), append(block, 0)
		}
		for d := range in {
			in[d], block[d] = 1+r.IntN(5), 1+r.IntN(6)
			small[d] = BlocksIn(in[d], block[d])
		}
		b := NewBlocks(in, small, block)
		hi := in.Len()
		for i := 0; i < hi; {
			p, end := b.Next(i, hi)
			if end <= i || end > hi {
				t.Fatalf("%v in blocks of %v: behind element %d follows %d", in, block, i, end)
			}
			for ; i < end; i++ {
				want, stride, at := 0, 1, i
				for d := len(in) - 1; d >= 0; d-- {
					want += at % in[d] / block[d] * stride
					stride *= small[d]
					at /= in[d]
				}
				if p != want {
					t.Fatalf("%v in blocks of %v: element %d is in block %d, want %d", in, block, i, p, want)
				}
			}
		}
	}
	for _, tt := range [][3]int{{0, 1, 0}, {0, 3, 0}, {1, 3, 1}, {3, 3, 1}, {4, 3, 2}} {
		if got := BlocksIn(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%d elements are %d blocks of %d", tt[0], got, tt[1])
		}
	}
}
