package nnef

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// folding computes constants of one graph before the model runs.
type folding struct {
	folded map[*graph.Value]*tensor.Tensor // what constants were computed to; nil for what cannot be
	work   int64                           // spent on that
	made   int                             // elements of constants that were made
}

func newFolding() *folding { return &folding{folded: make(map[*graph.Value]*tensor.Tensor)} }

// fold returns the elements of a value that constants alone decide, or nil.
func (f *folding) fold(v *graph.Value) *tensor.Tensor {
	if v == nil || v.Const != nil || v.Producer == nil {
		if v == nil {
			return nil
		}
		return v.Const
	}
	if x, ok := f.folded[v]; ok {
		return x
	}
	n := v.Producer
	for _, out := range n.Out {
		f.folded[out] = nil
	}
	d, ok := op.Lookup(n.Op)
	cost, _, err := op.NodeCost(n)
	if !ok || err != nil || cost.Written > limits.TractFolded || max(cost.Read, cost.MACs, cost.Ops) > limits.TractFoldWork {
		return nil
	}
	if f.work += cost.Written + cost.Read + cost.MACs + cost.Ops; f.work > limits.TractFoldWork {
		return nil
	}
	in := make([]*tensor.Tensor, len(n.In))
	for i, x := range n.In {
		if x == nil {
			continue
		}
		if in[i] = f.fold(x); in[i] == nil {
			return nil
		}
	}
	out, err := op.Eval(d, in, n.Attrs)
	if err != nil {
		return nil
	}
	for i, x := range n.Out {
		f.folded[x] = out[i]
	}
	return f.folded[v]
}
