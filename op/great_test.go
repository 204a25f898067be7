package op_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Numbers that a tensor's extents do not bound: windows, strides, dilations and paddings of 32 bits, and extents of 31.

// TestGreatWindows slides windows mostly over padding, which must take no time.
func TestGreatWindows(t *testing.T) {
	const most = math.MaxUint32 & math.MaxInt
	if math.MaxInt == math.MaxInt32 {
		t.Skip("these windows take ints of 64 bits")
	}
	x := must(tensor.FromSlice([]float32{1, 2, 3, 4, 5}, 5))
	for _, tt := range []struct {
		op                              string
		size, before, end, stride, dist int
		want                            []float32
	}{
		{"max_pool", math.MaxInt32, math.MaxInt32, 0, 2, 1, []float32{float32(math.Inf(-1)), 2, 4}},
		{"box", math.MaxInt32, math.MaxInt32, math.MaxInt32, math.MaxInt32, 1, []float32{0, 3}},
		{"box", 3, most, most, most, 2, []float32{0, 3, 0}},
		{"box", 3, most, most, 1, most, []float32{1, 2, 3, 4, 5}},
		{"l2_pool", math.MaxInt32, 0, math.MaxInt32, most, 1, []float32{float32(math.Sqrt(55))}},
	} {
		attrs := graph.Attrs{{Name: "size", Value: []int{tt.size}}, {Name: "border", Value: "ignore"}, {Name: "padding", Value: []int{tt.before, tt.end}},
			{Name: "stride", Value: []int{tt.stride}}, {Name: "dilation", Value: []int{tt.dist}}}
		if tt.op == "box" {
			attrs = append(attrs, graph.Attr{Name: "normalize", Value: true})
		}
		out, err := op.Eval(def(tt.op), []*tensor.Tensor{x}, attrs)
		if err != nil {
			t.Errorf("%+v: %v", tt, err)
			continue
		}
		sameFloats(t, out[0], tt.want, op.Case{In: []*tensor.Tensor{x}, Attrs: attrs})
	}
	image, filter := must(tensor.FromSlice([]float32{1, 2, 3}, 1, 1, 3)), must(tensor.FromSlice([]float32{10, 100}, 1, 1, 2))
	attrs := graph.Attrs{{Name: "padding", Value: []int{most, most}}, {Name: "stride", Value: []int{most}}, {Name: "dilation", Value: []int{2}}}
	out := must(op.Eval(def("conv"), []*tensor.Tensor{image, filter}, attrs))
	sameFloats(t, out[0], []float32{0, 310, 0}, op.Case{In: []*tensor.Tensor{image, filter}, Attrs: attrs})
}

// TestResampleGreatExtents compares positions with exact fractions where products need 64 bits.
func TestResampleGreatExtents(t *testing.T) {
	testdata.Wide(t)
	const most = math.MaxInt32
	in, out := must(tensor.New(tensor.Uint8, tensor.Shape{most, 1})), must(tensor.New(tensor.Uint8, tensor.Shape{most, 1})) // memory is taken where it is touched
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
