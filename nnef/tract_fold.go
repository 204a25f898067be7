package nnef

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// fold returns the elements of a value that constants alone decide, or nil.
func (t *tract) fold(v *graph.Value) *tensor.Tensor {
	if v == nil || v.Const != nil || v.Producer == nil {
		if v == nil {
			return nil
		}
		return v.Const
	}
	if x, ok := t.folded[v]; ok {
		return x
	}
	n := v.Producer
	for _, out := range n.Out {
		t.folded[out] = nil
	}
	d, ok := op.Lookup(n.Op)
	cost, _, err := op.NodeCost(n)
	if !ok || err != nil || cost.Written > limits.TractFolded || max(cost.Read, cost.MACs, cost.Ops) > limits.TractFoldWork {
		return nil
	}
	if t.work += cost.Written + cost.Read + cost.MACs + cost.Ops; t.work > limits.TractFoldWork {
		return nil
	}
	in := make([]*tensor.Tensor, len(n.In))
	for i, x := range n.In {
		if x == nil {
			continue
		}
		if in[i] = t.fold(x); in[i] == nil {
			return nil
		}
	}
	out, err := op.Eval(d, in, n.Attrs)
	if err != nil {
		return nil
	}
	for i, x := range n.Out {
		t.folded[x] = out[i]
	}
	return t.folded[v]
}
