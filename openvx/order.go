package openvx

import (
	"slices"
	"strings"
)

// dataflow is what the nodes of a graph read and write, by storage.
type dataflow struct {
	reads, writes map[*object]*uses
}

// writers returns what writes elements of a region, in the order of the nodes.
func (d *dataflow) writers(r *region) []*use { return d.writes[r.root].overlapping(r) }

func (g *Graph) dataflow() *dataflow {
	d := &dataflow{make(map[*object]*uses), make(map[*object]*uses)}
	for _, n := range g.nodes {
		for i := range n.params {
			to := d.reads
			if n.kernel.params[i].dir == Output {
				to = d.writes
			}
			for _, r := range n.regions(i) {
				u := to[r.root]
				if u == nil {
					u = &uses{}
					to[r.root] = u
				}
				u.list = append(u.list, use{position{n, i}, r})
			}
		}
	}
	for _, u := range d.writes {
		u.index()
	}
	return d
}

// regions returns what parameter i refers to. A replicated one stands for all items of its array.
func (n *Node) regions(i int) []region {
	if array := n.array(i); array != nil {
		return regions(array)
	}
	return regions(n.params[i])
}

// checkWriters finds storage that is written twice.
func (g *Graph) checkWriters(d *dataflow) {
	for _, n := range g.nodes { // in this order, so that the error does not depend on that of the map
		for i := range n.params {
			if n.kernel.params[i].dir != Output {
				continue
			}
			for _, r := range n.regions(i) {
				for _, w := range d.writers(&r) {
					if w.position != (position{n, i}) {
						refuse(ErrorMultipleWriters, "%s and %s write the same elements of one object; views that several nodes write must be disjoint",
							n.place(i), w.node.place(w.param))
					}
				}
			}
		}
	}
}

// order lists the nodes such that what a node reads has been written before, and else in the order of their creation.
//
// By the standard a delay's slots order nothing, so that they can close cycles. A slot that is written and read in one run is
// nevertheless read after it was written, unless there would be a cycle.
func (g *Graph) order(d *dataflow) []*Node {
	var o ordering
	for _, broken := range []bool{false, true} {
		o = ordering{dataflow: d, state: make(map[*Node]visit, len(g.nodes)), broken: broken}
		for _, n := range g.nodes {
			o.visit(n)
		}
		if o.cycle == nil || !o.delayed {
			break
		}
	}
	if o.cycle != nil {
		var names []string
		for _, n := range o.cycle {
			names = append(names, n.place(-1))
		}
		refuse(ErrorInvalidGraph, "the nodes form a cycle: %s; only a delay can close one", strings.Join(names, " → "))
	}
	return o.list
}

// ordering is a depth-first search over those nodes that must come before others.
type ordering struct {
	*dataflow
	state   map[*Node]visit
	path    []*Node
	list    []*Node
	broken  bool    // delays order nothing
	delayed bool    // a delay ordered something
	cycle   []*Node // the first that was found
}

type visit uint8

const (
	unseen visit = iota
	open
	finished
)

func (o *ordering) visit(n *Node) {
	if o.cycle != nil || o.state[n] == finished {
		return
	}
	o.state[n] = open
	o.path = append(o.path, n)
	for i := range n.params {
		if n.kernel.params[i].dir == Output {
			continue
		}
		for _, r := range n.regions(i) {
			o.before(r)
		}
	}
	o.path = o.path[:len(o.path)-1]
	o.state[n] = finished
	o.list = append(o.list, n)
}

// before visits the nodes that write what is read.
func (o *ordering) before(r region) {
	if r.root.delayed {
		if o.broken {
			return
		}
		o.delayed = o.delayed || o.writes[r.root] != nil
	}
	for _, w := range o.writers(&r) {
		if o.state[w.node] != open {
			o.visit(w.node)
		} else if o.cycle == nil {
			from := slices.Index(o.path, w.node)
			o.cycle = append(slices.Clone(o.path[from:]), w.node)
			slices.Reverse(o.cycle) // in the direction of the data
		}
	}
}
