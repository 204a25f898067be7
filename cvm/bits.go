package cvm

import (
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/tensor"
)

// dtype returns the element type in which an entry is stored.
func (e *entry) dtype() tensor.DType {
	switch {
	case e.bits <= 8:
		return tensor.Int8
	case e.bits <= 16:
		return tensor.Int16
	}
	return tensor.Int32
}

// bound sets the bits of every entry.
//
// Precisions inferred by the formalisation's rules are sound. The deployed rules are not, for where; there, the formalisation's rules
// are followed again, from bits instead of precisions. Where they find no bound, or where storages are shared so that reading an entry
// may give elements of another, any int32 is possible.
func (n *network) bound() {
	anything := n.compat && len(n.conflicts()) > 0
	for i := range n.nodes {
		nd := &n.nodes[i]
		for k, b := range n.boundsOf(nd) {
			if anything {
				b = operators.Unbounded
			}
			n.entries[nd.out+k].bits = b
		}
	}
}

// boundsOf returns the bits of the outputs of a node whose operands have theirs.
func (n *network) boundsOf(nd *node) []int {
	if nd.call == nil {
		return []int{n.entries[nd.out].Precision}
	}
	call := *nd.call
	call.In = make([]operators.Tensor, len(nd.in))
	for i, e := range nd.in {
		call.In[i] = operators.Tensor{Shape: n.entries[e].Shape, Precision: n.entries[e].bits}
	}
	return call.Bits()
}
