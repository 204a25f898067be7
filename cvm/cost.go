package cvm

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
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
		elements = limits.Add(elements, int64(v.Type.Shape.Len()))
	}
	cost := limits.Add(w.perNode, limits.Times(w.perOp, limits.Add(c.MACs, c.Ops)))
	return limits.Add(cost, limits.Times(w.perElement, elements))
}
