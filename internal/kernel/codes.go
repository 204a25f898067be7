package kernel

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// codes is what routines make of sums of integer products: round_even(min(max(float32(sum) · multiplier, least), most)) + zero.
type codes struct {
	to          tensor.DType
	multipliers []float32 // one, or one for each output channel; finite
	least, most float32   // integers
	zero        int32
}

// codesOf returns what the nodes behind the first one make of its sums: a requantisation to integers of 8 bits, by known multipliers for an axis,
// and then known bounds. It returns nil if they are something else, or none.
func codesOf(r Region, axis int) *codes {
	if len(r.Nodes) < 2 {
		return nil
	}
	n, q := r.Nodes[1], requantizationOf(r, axis)
	if q == nil || !bits8.Has(q.to) || n.In[1].Const == nil || n.In[2].Const == nil {
		return nil
	}
	lo, hi := q.to.IntRange()
	least, most, zero := int(lo), int(hi), int(integerAt(n.In[2].Const, 0))
	c := &codes{to: q.to, multipliers: tensor.Data[float32](n.In[1].Const), zero: int32(zero)}
	if slices.ContainsFunc(c.multipliers, func(m float32) bool { return m-m != 0 }) {
		return nil
	}
	least, most, ok := boundsBehind(r.Nodes[1:], least, most)
	if !ok {
		return nil
	}
	c.least, c.most = float32(least-zero), float32(most-zero)
	return c
}

// boundsBehind returns what bounds on integers become by the nodes behind the first one, if these are known bounds.
func boundsBehind(nodes []*graph.Node, least, most int) (int, int, bool) {
	for i, n := range nodes[1:] {
		from, to, ok := boundsOf(n)
		if !ok || n.In[0] != nodes[i].Out[0] {
			return 0, 0, false
		}
		least, most = max(min(least, to), from), max(min(most, to), from)
	}
	return least, most, true
}

// boundsOf returns between which integers of 8 bits a clamp or relu keeps its operand, if that is known.
func boundsOf(n *graph.Node) (from, to int, ok bool) {
	from, to = -1<<8, 1<<8
	switch n.Op {
	case "relu":
		return 0, to, true
	case "clamp":
	default:
		return 0, 0, false
	}
	for i, v := range n.In[1:] {
		if v == nil {
			continue
		}
		if v.Const == nil || v.Const.Len() != 1 {
			return 0, 0, false
		}
		if i == 0 {
			from = int(integerAt(v.Const, 0))
		} else {
			to = int(integerAt(v.Const, 0))
		}
	}
	return from, to, true
}

// load sets m to the multipliers of the channels from the first one on.
func (c *codes) load(m []float32, first int) {
	for i := range m {
		m[i] = c.multipliers[(first+i)%len(c.multipliers)]
	}
}
