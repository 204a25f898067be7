package cvm

import (
	"math"
	"math/bits"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
)

//go:generate go run ./internal/calibrate -o cost_table.go

// weight says how long an operator of package op takes, in units of 1/1000 of a multiply-add of a large convolution. Weights are whole
// numbers, and so costs are the same on every machine, whichever the weights were measured on.
type weight struct {
	perOp      int64 // for each multiply-add or other operation that the operator's own cost counts
	perElement int64 // for each element of its results
	perNode    int64 // for each evaluation
}

// unit is how much of a weight is a cost of 1.
const unit = 1000

// costOf returns the expected time of a node in units of weights.
func costOf(n *graph.Node) int64 {
	w, ok := costWeights[n.Op]
	if !ok {
		w = costWeights[""]
	}
	c, _, err := op.NodeCost(n)
	if err != nil {
		return 0 // of an operator that is not there, which nobody has compiled
	}
	elements := int64(0)
	for _, v := range n.Out {
		elements = add(elements, int64(v.Type.Shape.Len()))
	}
	cost := add(w.perNode, times(w.perOp, add(c.MACs, c.Ops)))
	return add(cost, times(w.perElement, elements))
}

// add returns the sum of two counts, or the greatest number if it is beyond it.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// times returns the product of two counts, or the greatest number if it is beyond it.
func times(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}
