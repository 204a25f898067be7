//go:build unix

package op_test

import (
	"math"
	"math/big"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestResampleGreatExtents compares positions with exact fractions where products need 64 bits.
func TestResampleGreatExtents(t *testing.T) {
	testdata.Wide(t)
	const most = math.MaxInt32
	zeros := func() *tensor.Tensor { // memory of the system's own is taken where it is touched; Go may write zeros to all of its
		data := must(unix.Mmap(-1, 0, most, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE))
		t.Cleanup(func() { _ = unix.Munmap(data) })
		return must(tensor.FromBytes(tensor.Uint8, tensor.Shape{most, 1}, data))
	}
	in, out := zeros(), zeros()
	// element evaluates result o alone, of zeros but for one element.
	element := func(mode string, shape [2]int, o, at int, value byte) byte {
		in.Bytes()[at] = value
		defer func() { in.Bytes()[at] = 0 }()
		x, y := must(in.Slice(0, 0, shape[0], 1)), must(out.Slice(0, 0, shape[1], 1))
		s, types, err := def("resample").Bind(typesOf([]*tensor.Tensor{x}), graph.AttrsOf("mode", mode, "sizes", []int{shape[1], 1}))
		if err != nil {
			t.Fatal(err)
		}
		s.Def.Kernel(s)(&op.Call{In: []*tensor.Tensor{x}, Out: []*tensor.Tensor{y}, Attrs: s.Attrs}, o, o+1)
		if n := s.Def.Pieces(s, types); n != shape[1] {
			t.Fatalf("there are %d pieces", n)
		}
		return y.Bytes()[o]
	}
	for _, shape := range [][2]int{{most, most}, {most, most - 1}, {most - 1, most}, {most, 3}, {3, most}, {1, most}, {most, 1}} {
		for _, o := range []int{0, 1, shape[1] / 3, shape[1] / 2, shape[1] - 1} {
			if o >= shape[1] {
				continue
			}
			n, m := int64(shape[0]), int64(shape[1])
			u := big.NewRat(2*int64(o)+1, 2*m)
			u.Mul(u, big.NewRat(n, 1)).Sub(u, big.NewRat(1, 2))
			if u.Sign() < 0 {
				u.SetInt64(0)
			} else if most := big.NewRat(n-1, 1); u.Cmp(most) > 0 {
				u = most
			}
			floor, rest := floorRat(u)
			if got := element("linear", shape, o, floor, 200); math.Abs(float64(got)-200*float64(1-rest)) > 1 {
				t.Errorf("%v: linear result %d has %d of 200 from element %d; want %v", shape, o, got, floor, 200*(1-rest))
			}
			nearest := new(big.Rat).Sub(u, big.NewRat(1, 2))
			want, fraction := floorRat(nearest)
			if fraction > 0 {
				want++
			}
			if got := element("nearest-neighbor", shape, o, want, 1); got != 1 {
				t.Errorf("%v: result %d is not element %d", shape, o, want)
			}
		}
	}
}
