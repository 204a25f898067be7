package nnef

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Bounds of what is computed before the model runs: elements of one tensor, and arithmetic in one document.
const (
	foldElements = 1 << 16
	foldWork     = 1 << 30
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
	if !ok || err != nil || cost.Written > 8*foldElements || max(cost.Read, cost.MACs, cost.Ops) > foldWork {
		return nil
	}
	if t.work += cost.Written + cost.Read + cost.MACs + cost.Ops; t.work > foldWork {
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
