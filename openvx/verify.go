package openvx

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// verify is [Graph.Verify] for a graph at rest. The context is locked, but not while kernels of the application are called or segments
// are compiled.
func (g *Graph) verify() {
	g.unverify()
	for _, t := range g.resolved {
		t.reopen()
	}
	clear(g.resolved)
	g.resolved = g.resolved[:0]
	g.claim(verifying)
	defer g.yield()
	g.course = g.examine()
	g.state = GraphStateVerified
}

// examine makes the checks of verify, in the order of the standard: parameters, topology, formats.
func (g *Graph) examine() *course {
	if len(g.nodes) == 0 {
		refuse(ErrorInvalidGraph, "the graph has no nodes")
	}
	for _, n := range g.nodes {
		for i := range n.params {
			n.checkParam(i)
		}
		n.within(n.checkReplicas)
	}
	order := g.arrange()
	for _, n := range order {
		n.within(n.resolve)
	}
	for _, n := range order {
		if n.kernel.user != nil {
			n.within(n.initialize)
		}
	}
	return g.plan(order)
}

// arrange puts the nodes in order, if data flow as it must.
func (g *Graph) arrange() []*Node {
	flow := g.dataflow()
	g.checkWriters(flow)
	g.checkReaders(flow)
	return g.order(flow)
}

// checkParam checks that parameter i is given if it must be, and that it is still what it was when it was set.
func (n *Node) checkParam(i int) {
	r := n.params[i]
	if r == nil {
		if n.kernel.params[i].state == ParameterStateRequired {
			refuse(ErrorNotSufficient, "%s is required and not set", n.place(i))
		}
		return
	}
	n.within(func() { n.kernel.accept(n.graph, i, r) })
}

// checkReaders finds virtual objects that are read and not written.
func (g *Graph) checkReaders(d *dataflow) {
	for _, n := range g.nodes {
		for i, r := range n.params {
			if r == nil || n.kernel.params[i].dir == Output || r.base().scope == nil {
				continue
			}
			for _, at := range n.regions(i) {
				if len(d.writers(&at)) == 0 {
					refuse(ErrorInvalidGraph, "%s is a virtual object that no node writes", n.place(i))
				}
			}
		}
	}
}

// resolve checks the operands of a node and completes the formats of its virtual results.
func (n *Node) resolve() {
	for i, r := range n.params {
		if t, _ := r.(*Tensor); t != nil && n.kernel.params[i].dir == Input && !t.known() {
			refuse(ErrorInvalidFormat, "%s is a virtual tensor whose producer does not say what it is: %v of extents %v",
				n.title(i), t.format, t.dims)
		}
	}
	if n.kernel.user != nil {
		n.validate()
		return
	}
	c := n.inferred()
	n.checked = c
	for i := range n.params {
		if n.kernel.params[i].dir == Output && n.params[i] != nil {
			n.adopt(i, n.params[i], description{TypeTensor, c.operands[i].format, 0})
		}
	}
}

// inferred returns a node's operands as its kernel sees them, checked and with the results completed.
func (n *Node) inferred() *call {
	c := &call{layer: n.kernel.layer, operands: make([]operand, len(n.params))}
	for i, r := range n.params {
		o := &c.operands[i]
		o.given = r != nil
		switch r := r.(type) {
		case *Tensor:
			o.format = r.format
			o.dims = slices.Clone(r.dims)
		case *LUT:
			o.format = r.table.format
		case *Scalar:
			o.scalar, o.bytes = r.value(), slices.Clone(r.data)
		case nil:
		default:
			refuse(ErrorInvalidType, "%s is %s, which cannot be an operand", n.title(i), r.base().describe())
		}
	}
	stop(n.kernel.infer(c))
	return c
}

// within runs f and says of a refusal at which node it occurred.
func (n *Node) within(f func()) {
	if err := try(f); err != nil {
		stop(n.failure(err))
	}
}

// failure says of an error at which node it occurred.
func (n *Node) failure(err error) error {
	e := &Error{Status: StatusOf(err), Msg: n.place(-1), Err: err}
	if cause := (*Error)(nil); errors.As(err, &cause) && cause == err { //nolint:errorlint // it is taken apart
		e.Msg, e.Err = e.Msg+": "+cause.Msg, cause.Err
	}
	return e
}

// place names a node, and its parameter i if that is not negative, for messages.
func (n *Node) place(i int) string {
	at := fmt.Sprintf("node %d (%s)", slices.Index(n.graph.nodes, n), n.label(-1))
	if i >= 0 {
		at += ", " + n.title(i)
	}
	return at
}

// title names parameter i.
func (n *Node) title(i int) string { return n.kernel.params[i].title(i) }

// label returns a short name of a node, or of its parameter i.
func (n *Node) label(i int) string {
	name := n.name
	if name == "" {
		name = n.kernel.kernelName[strings.LastIndexByte(n.kernel.kernelName, '.')+1:]
	}
	if i >= 0 {
		name += "." + n.kernel.params[i].name
	}
	return name
}
