package wasm_test

import (
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// moved adds an operator that moves elements.
func (n *network) moved(x *graph.Value) *graph.Value {
	shape := x.Type.Shape
	rank := len(shape)
	ints := func(each func(d int) int) (list []int) {
		for d := range rank {
			list = append(list, each(d))
		}
		return list
	}
	switch axis := n.IntN(rank); n.IntN(5) {
	case 0:
		axes := n.Perm(rank)
		if n.Bool() {
			axes = []int{0, 2, 3, 1} // channels last, which may be read in blocks
		}
		return n.node("transpose", graph.AttrsOf("axes", axes), x)
	case 1:
		begin, stride := n.IntN(shape[axis]), op.Pick(n.Rand, []int{1, 1, 2, 3})
		return n.node("slice", graph.AttrsOf("axes", []int{axis}, "begin", []int{begin}, "end", []int{n.Between(begin+1, shape[axis])}, "stride", []int{stride}), x)
	case 2:
		return n.node("reverse", graph.AttrsOf("axes", []int{axis}), x)
	case 3:
		return n.node("tile", graph.AttrsOf("repeats", ints(func(int) int { return n.Between(1, 2) })), x)
	default:
		other := append([]int{}, shape...)
		other[axis] = n.Between(1, 40)
		return n.node("concat", graph.AttrsOf("axis", axis), x, n.bytes(x.Type.DType, other...), x)
	}
}

// TestMoves compares networks of operators that move elements of all sizes, also behind what has its channels in blocks, with the references.
func TestMoves(t *testing.T) {
	for seed := range uint64(testdata.Cases(30, 2000)) {
		n := newNetwork(t, seed)
		d := op.Pick(n.Rand, []tensor.DType{tensor.Bool, tensor.Uint8, tensor.Int16, tensor.Float16, tensor.Float32, tensor.Int64})
		x := n.bytes(d, n.Between(1, 2), n.Between(1, 40), n.Between(1, 5), n.Between(1, 40))
		if d == tensor.Float32 && n.Bool() {
			x = n.convolution(x)
		}
		for range n.Between(1, 3) {
			x = n.moved(x)
		}
		n.compare(seed, x)
	}
}
