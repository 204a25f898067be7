package openvx

import "slices"

// ReplicateNode makes a node run once for each item of object arrays (vxReplicateNode). Replicate has a flag for each parameter of the
// node: parameters with the flag must be items 0 of arrays of one length, and stand for all items; those without are the same in every
// run. All results must have it. Any change to the node holds for all runs.
//
// It is ErrorNotCompatible if a flagged parameter is no item 0 of an array, and a Failure if the node is not of this graph, a result has
// no flag, or the arrays differ in length.
//
//go:noinline // each caller would have a copy of what it does
func (g *Graph) ReplicateNode(first *Node, replicate []bool) error {
	return do(g, ".ReplicateNode", func() {
		g.checkEditable()
		g.ctx.check(first, "the node")
		switch {
		case first.graph != g || first.removed:
			refuse(Failure, "the node does not belong to this graph")
		case len(replicate) != len(first.params):
			refuse(ErrorInvalidParameters, "%d flags are given; %s has %d parameters", len(replicate), first.place(-1), len(first.params))
		}
		before := first.replicated
		first.replicated = slices.Clone(replicate)
		undoing(func() { first.replicated = before }, func() { first.within(first.checkReplicas) })
		first.keepArrays()
		g.unverify()
	})
}

// checkReplicas checks the parameters of a node that is replicated.
func (n *Node) checkReplicas() {
	if n.replicated == nil {
		return
	}
	length := 0
	for i, flag := range n.replicated {
		name := n.title(i)
		if !flag {
			if n.kernel.params[i].dir == Output && n.params[i] != nil {
				refuse(Failure, "%s is a result and must be replicated", name)
			}
			continue
		}
		a := n.array(i)
		switch {
		case a == nil:
			refuse(ErrorNotCompatible, "%s is to be replicated and is not item 0 of an object array", name)
		case length != 0 && len(a.items) != length:
			refuse(Failure, "%s is of an array of %d items, an earlier one of %d", name, len(a.items), length)
		}
		length = len(a.items)
	}
	if n.kernel.user == nil {
		refuse(ErrorNotSupported, "only kernels of the application can be replicated; layers take batches")
	}
}

// array returns the array that replicated parameter i is item 0 of, nil if it is not.
func (n *Node) array(i int) *ObjectArray {
	if n.replicated == nil || !n.replicated[i] || n.params[i] == nil {
		return nil
	}
	if a := n.params[i].base().array; a != nil && len(a.items) > 0 && a.items[0] == n.params[i] {
		return a
	}
	return nil
}

// keepArrays keeps the arrays of a replicated node alive as long as the graph: the node itself keeps no more than their first items.
func (n *Node) keepArrays() {
	g := n.graph
	for i := range n.params {
		if a := n.array(i); a != nil && !slices.Contains(g.kept, a) {
			a.hold()
			g.kept = append(g.kept, a)
		}
	}
}

// replicas returns how often a node runs.
func (n *Node) replicas() int {
	for i := range n.replicated {
		if a := n.array(i); a != nil {
			return len(a.items)
		}
	}
	return 1
}

// argument returns what parameter i is in replica k.
func (n *Node) argument(i, k int) Reference {
	if a := n.array(i); a != nil {
		return a.items[k]
	}
	return n.params[i]
}

// arguments returns the parameters in replica k, in a slice of the node's that is for the application to read.
func (n *Node) arguments(k int) []Reference {
	n.args = n.args[:0]
	for i := range n.params {
		n.args = append(n.args, n.argument(i, k))
	}
	return n.args
}
