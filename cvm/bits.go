package cvm

import (
	"github.com/concord-nn/concord/cvm/operators"
	"github.com/concord-nn/concord/tensor"
)

// unbounded are the bits of an entry that may have any int32, even the least.
const unbounded = operators.MaxPrecision + 1

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

// fillers are the outputs of operators that may have a number of the operator's own, 1 or -1, which takes two bits whatever the
// precision says.
var fillers = map[string]int{"broadcast_greater": 0, "get_valid_counts": 1, "non_max_suppression": 0}

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
				b = unbounded
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
	call.Compat = false
	call.In = make([]operators.Tensor, len(nd.in))
	for i, e := range nd.in {
		call.In[i] = operators.Tensor{Shape: n.entries[e].Shape, Precision: n.entries[e].bits}
	}
	bits, err := call.Operator.Precisions(&call)
	if err != nil {
		bits = make([]int, len(call.Out))
		for k := range bits {
			if bits[k] = unbounded; call.Operator.Name == "cvm_left_shift" {
				bits[k] = call.Attrs.Int("precision") // bounded after it wraps
			}
		}
	}
	for k := range bits {
		if filler, ok := fillers[call.Operator.Name]; ok && filler == k {
			bits[k] = max(bits[k], 2)
		}
		bits[k] = min(bits[k], unbounded)
	}
	return bits
}
