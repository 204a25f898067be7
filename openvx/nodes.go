package openvx

// Nodes of the built-in kernels, which the generated methods in layer_functions.go make. Operands that are nil are left unset, to be set
// later by [Node.SetParameter] or not at all if they are optional; values other than tensors become scalars that the node holds. What
// operands must be is checked by [Graph.Verify]. Weights and biases, which the standard calls [static], are best not written by nodes: they
// become constants of the compiled graph, which is compiled anew when the application has changed them.

// CreateGenericNode adds a node of any kernel that has been finalized, with no parameter set (vxCreateGenericNode).
func (g *Graph) CreateGenericNode(k *Kernel) (*Node, error) {
	return create(g, ".CreateGenericNode", func() *Node {
		g.ctx.check(k, "the kernel")
		return g.newNode(k, nil)
	})
}

// newNode adds a node, which has one reference of the application.
func (g *Graph) newNode(k *Kernel, params []Reference) *Node {
	g.checkEditable()
	n := g.ctx.newNode(g, k, params)
	g.nodes = append(g.nodes, n)
	g.unverify()
	return n
}

// add adds a node of a built-in kernel with its parameters in order: objects, or values that become scalars.
func (g *Graph) add(name string, id KernelID, params ...any) (*Node, error) {
	return create(g, "."+name, func() *Node { return g.addNode(id, params) })
}

func (g *Graph) addNode(id KernelID, params []any) *Node {
	k := g.ctx.kernels.byID[id]
	refs := make([]Reference, len(params))
	for i, v := range params {
		if r, ok := v.(Reference); ok {
			refs[i] = r
			continue
		}
		kind := k.params[i].value
		data := make([]byte, g.ctx.scalarSize(kind))
		err := try(func() { encode(data, kind, v) })
		because(err, StatusOf(err), "%s", k.params[i].title(i))
		s := g.ctx.newScalar(nil, kind, data)
		s.intern()
		defer s.drop() // it is the node's, if there is one
		refs[i] = s
	}
	return g.newNode(k, refs)
}

// perform runs a graph of one node, on tensors that are not virtual. Its errors are those of [Graph.Process].
func (c *Context) perform(name string, id KernelID, params ...any) error {
	return do(c, "."+name, func() {
		g := c.newGraph()
		g.intern()
		defer g.drop()
		n := g.addNode(id, params)
		n.intern()
		defer n.drop()
		g.process()
	})
}
