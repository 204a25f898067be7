package openvx

// Node is a kernel with parameters in a graph (vx_node).
type Node struct {
	object
	graph       *Graph
	kernel      *Kernel
	params      []Reference // nil where not set
	args        []Reference // what a kernel of the application is given
	checked     *call       // its operands as verification saw them, until they are compiled
	callback    NodeCallback
	border      BorderValue
	status      Status
	perf        Performance
	local       localData
	initialized bool
	replicated  []bool
	removed     bool
}

// NodeCallback is called when a node has run (vx_nodecomplete_f).
type NodeCallback func(n *Node) Action

// newNode makes a node of a kernel in a graph, with params in the places of the kernel's parameters, nil where none is given. The graph
// refers to it, and the application has one reference. The caller, who holds the lock, appends it to the graph's nodes.
func (c *Context) newNode(g *Graph, k *Kernel, params []Reference) *Node {
	k.checkExecutable()
	n := &Node{graph: g, kernel: k, params: make([]Reference, len(k.params)), border: BorderValue{Mode: BorderUndefined}}
	for i, r := range params {
		if baseOf(r) == nil {
			continue
		}
		n.params[i] = k.accept(g, i, r).self
	}
	c.register(&n.object, n, TypeNode)
	n.hold()
	k.hold()
	k.nodes++
	n.local.size = k.localSize
	for _, r := range n.params {
		if r != nil {
			r.base().hold()
		}
	}
	return n
}

// accept returns the base of r if it can be parameter i of a node of the kernel in the graph.
func (k *Kernel) accept(g *Graph, i int, r Reference) *object {
	p := k.params[i]
	o := k.ctx.check(r, p.title(i))
	switch {
	case !p.takes(o):
		refuse(ErrorInvalidType, "%s is %s: it must be %s", p.title(i), o.describe(), p.wants())
	case o.scope != nil && o.scope != g:
		refuse(ErrorInvalidScope, "%s is a virtual %s of another graph", p.title(i), o.kind.noun())
	}
	return o
}

// detach ends the node's part in the graph. Its kernel gives back what it holds as soon as the lock is released. The caller holds the
// lock, and takes the node out of the graph's list.
func (n *Node) detach() {
	n.removed = true
	if n.initialized {
		n.hold()
		n.ctx.later(func() {
			n.ctx.mu.Lock()
			defer n.ctx.unlock()
			n.deinitialize()
			n.drop()
		})
	}
	n.drop()
}

func (n *Node) destroy() {
	n.local.release()
	for _, r := range n.params {
		if r != nil {
			r.base().drop()
		}
	}
	n.kernel.nodes--
	n.kernel.drop()
}

// do is Context.do for a node that is still in its graph.
func (n *Node) do(call string, f func()) error {
	return do(n, call, func() {
		n.checkThere()
		f()
	})
}

func (n *Node) checkThere() {
	if n.removed {
		refuse(ErrorInvalidReference, "the node has been removed, or its graph released")
	}
}

// SetBorder changes [Node.Border]; the graph must be verified again. Only kernels of the application look at it. An unknown mode is
// ErrorInvalidValue.
func (n *Node) SetBorder(b BorderValue) error {
	return n.do(".SetBorder", func() {
		b.check()
		n.graph.checkEditable()
		n.border = b
		n.graph.unverify()
	})
}

// SetTarget says where the node runs; the graph must be verified again (vxSetNodeTarget). The processor on which the program runs is
// the only target, TargetAny or TargetString with "any"; others are ErrorNotSupported.
func (n *Node) SetTarget(t Target, name string) error {
	return n.do(".SetTarget", func() {
		n.graph.checkEditable()
		checkTarget(t, name)
		n.graph.unverify()
	})
}

// SetCallback makes cb be called after each run of the node (vxAssignNodeCallback), without a lock, by the goroutine that runs the
// graph; nil takes it away. If there is one already the error is ErrorNotSupported. The graph must be verified again.
func (n *Node) SetCallback(cb NodeCallback) error {
	return n.do(".SetCallback", func() {
		if cb != nil && n.callback != nil {
			refuse(ErrorNotSupported, "the node has a callback; nil must be set before another one")
		}
		n.graph.checkEditable()
		n.callback = cb
		n.graph.unverify()
	})
}

// Parameter returns parameter i as an object of its own (vxGetParameterByIndex). An index that is not there is ErrorInvalidParameters.
func (n *Node) Parameter(i int) (*Parameter, error) {
	return create(n, ".Parameter", func() *Parameter { return n.ctx.newParameter(n.kernel, n, i) })
}

// ParameterReference returns what parameter i is set to, or nil. It adds no reference; see [Parameter.Reference].
func (n *Node) ParameterReference(i int) Reference {
	return query(n, func() Reference {
		if i < 0 || i >= len(n.params) {
			return nil
		}
		return n.params[i]
	})
}

// SetParameter sets parameter i (vxSetParameterByIndex); nil clears an optional one. The graph must be verified again unless the new
// object is described by the same format as the old one. An index that is not there is ErrorInvalidValue; an object that is gone, of
// another context, or nil for a required parameter ErrorInvalidReference; one of another kind ErrorInvalidType; a virtual one of another
// graph ErrorInvalidScope.
func (n *Node) SetParameter(i int, r Reference) error {
	return do(n, ".SetParameter", func() { n.set(i, r) })
}

// set is SetParameter with the lock held.
func (n *Node) set(i int, r Reference) {
	n.checkThere()
	if i < 0 || i >= len(n.params) {
		refuse(ErrorInvalidValue, "there is no parameter %d: %s has %d", i, n.kernel.kernelName, len(n.params))
	}
	var value Reference
	if baseOf(r) != nil || n.kernel.params[i].state == ParameterStateRequired {
		value = n.kernel.accept(n.graph, i, r).self
	}
	n.graph.checkEditable()
	old := n.params[i]
	if old == value {
		return
	}
	if value != nil {
		value.base().hold()
	}
	n.params[i] = value
	n.keepArrays()
	n.graph.changed(old, value)
	if old != nil {
		old.base().drop()
	}
}

// Remove takes the node out of its graph, which must be verified again, and a reference of the application with it (vxRemoveNode).
func (n *Node) Remove() error {
	return n.do(".Remove", func() {
		if n.external == 0 {
			refuse(ErrorInvalidReference, "the application has no reference to this node that it could release")
		}
		n.graph.checkEditable()
		n.graph.remove(n)
		n.detach()
		n.external--
		n.bury()
	})
}
