package openvx

import (
	"slices"
	"sync"
)

// Graph is a set of nodes that are executed together, in the order of their data (vx_graph). Nodes and parameters cannot be changed
// while it is verified or runs; such calls fail with ErrorGraphScheduled.
type Graph struct {
	object
	nodes    []*Node
	params   []graphParam
	state    GraphState
	perf     Performance
	delays   []*Delay   // that age after each run
	resolved []reopener // virtual objects that verification has completed
	course   *course    // since the graph was verified; nil if it is not
	busy     busy
	calling  int            // kernels of the application that it is running: they may access its virtual objects
	kept     []*ObjectArray // of which replicated nodes know only the first item
	ended    *sync.Cond     // a scheduled run has; on ctx.mu
	schedule struct {
		called bool  // and Wait was not, since
		err    error // of the last run
	}
}

// busy says what goes on in a graph.
type busy uint8

const (
	idle busy = iota
	verifying
	running
)

// reopener is a virtual object that can be made again what it was when it was created.
type reopener interface{ reopen() }

// graphParam is a parameter of a graph: a node's parameter that may be exchanged between runs.
type graphParam struct {
	node  *Node
	index int
}

// CreateGraph makes an empty graph (vxCreateGraph).
func (c *Context) CreateGraph() (*Graph, error) {
	return create(c, ".CreateGraph", func() *Graph { return c.newGraph() })
}

func (c *Context) newGraph() *Graph {
	g := &Graph{state: GraphStateUnverified, ended: sync.NewCond(&c.mu)}
	c.register(&g.object, g, TypeGraph)
	return g
}

// destroy gives up the nodes, whose kernels are told as soon as the lock is released.
func (g *Graph) destroy() {
	g.unverify()
	for _, n := range slices.Backward(g.nodes) {
		n.external = 0 // a graph takes the application's references to its nodes with it (the standard, vxReleaseGraph)
		n.detach()
	}
	for _, d := range g.delays {
		d.drop()
	}
	for _, a := range g.kept {
		a.drop()
	}
	g.nodes, g.params, g.delays, g.resolved, g.kept = nil, nil, nil, nil, nil
}

// claim takes the graph, and with it its context, for verification or a run, during which the lock is not always held.
func (g *Graph) claim(b busy) {
	g.busy = b
	g.hold()
	g.ctx.hold()
}

// yield ends what claim began.
func (g *Graph) yield() {
	g.busy = idle
	g.ended.Broadcast()
	g.drop()
	g.ctx.drop()
}

// remove takes a node out of the graph.
func (g *Graph) remove(n *Node) {
	g.nodes = slices.DeleteFunc(g.nodes, func(m *Node) bool { return m == n })
	g.unverify()
}

// checkEditable refuses if the graph cannot be changed now.
func (g *Graph) checkEditable() {
	switch g.busy {
	case verifying:
		refuse(ErrorGraphScheduled, "the graph is being verified")
	case running:
		refuse(ErrorGraphScheduled, "the graph is running or scheduled; wait until it has ended")
	}
}

// unverify makes the graph one that has not been verified.
func (g *Graph) unverify() {
	g.course.close()
	g.course = nil
	g.state = GraphStateUnverified
}

// Verify checks the graph, completes its virtual objects, initializes the application's kernels, and compiles (vxVerifyGraph). What is
// wrong is said by the error and by an entry of the log; the status is one of
//
//   - ErrorInvalidGraph: there are no nodes, they form a cycle, or a virtual object is read that no node writes;
//   - ErrorNotSufficient: a required parameter is not set;
//   - ErrorMultipleWriters: elements are written twice, also by way of overlapping views;
//   - ErrorInvalidScope: a virtual object belongs to another graph;
//   - ErrorInvalidDimension, ErrorInvalidFormat, ErrorInvalidType, ErrorInvalidValue: an operand is not what its node takes, or a result
//     not what it yields;
//   - ErrorNoMemory, ErrorNoResources: the graph exceeds one of [Options].Limits;
//   - what a kernel of the application returned.
//
// It may be called at any time; [Graph.Process] and [Graph.Schedule] do so when nodes or parameters have changed.
func (g *Graph) Verify() error {
	return do(g, ".Verify", func() {
		g.checkEditable()
		g.verify()
	})
}

// AddParameter makes a parameter of a node the next parameter of the graph (vxAddParameterToGraph), which may be exchanged between
// runs.
func (g *Graph) AddParameter(p *Parameter) error {
	return do(g, ".AddParameter", func() {
		g.checkEditable()
		g.ctx.check(p, "the parameter")
		if p.node == nil || p.node.graph != g || p.node.removed {
			refuse(ErrorInvalidParameters, "the parameter does not belong to a node of this graph")
		}
		g.params = append(g.params, graphParam{p.node, p.index})
	})
}

// param returns a parameter of the graph.
func (g *Graph) param(i int) graphParam {
	if i < 0 || i >= len(g.params) {
		refuse(ErrorInvalidParameters, "the graph has %d parameters; there is no parameter %d", len(g.params), i)
	}
	p := g.params[i]
	if p.node.removed {
		refuse(ErrorInvalidParameters, "the node of parameter %d has been removed", i)
	}
	return p
}

// SetParameter sets parameter i of the graph, and with it that of the node (vxSetGraphParameterByIndex). The graph stays verified if r
// has the format of what was set before.
func (g *Graph) SetParameter(i int, r Reference) error {
	return do(g, ".SetParameter", func() {
		p := g.param(i)
		p.node.set(p.index, r)
	})
}

// Parameter returns parameter i of the graph (vxGetGraphParameterByIndex).
func (g *Graph) Parameter(i int) (*Parameter, error) {
	return create(g, ".Parameter", func() *Parameter {
		p := g.param(i)
		return g.ctx.newParameter(p.node.kernel, p.node, p.index)
	})
}

// RegisterAutoAging makes a delay age after each run of the graph that succeeds or is abandoned by a callback (vxRegisterAutoAging).
// Registering it again changes nothing.
func (g *Graph) RegisterAutoAging(d *Delay) error {
	return do(g, ".RegisterAutoAging", func() {
		g.checkEditable()
		g.ctx.check(d, "the delay")
		if !slices.Contains(g.delays, d) {
			d.hold()
			g.delays = append(g.delays, d)
		}
	})
}
