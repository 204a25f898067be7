package openvx

import "slices"

// UserKernel is what an application says of its kernel. Its functions are called without a lock, by the goroutine that verifies, runs
// or releases the graph, and may use the context.
type UserKernel struct {
	// Run computes the outputs (vx_kernel_f).
	Run func(n *Node, params []Reference) error
	// Validate checks the parameters when the graph is verified, and describes each output in the MetaFormat of the same index
	// (vx_kernel_validate_f). Those of inputs are nil, as are the parameters that are not set.
	Validate func(n *Node, params []Reference, metas []*MetaFormat) error
	// Initialize is called after each Validate, Deinit before the next one and when the node goes (vx_kernel_initialize_f,
	// vx_kernel_deinitialize_f). They may be nil.
	Initialize func(n *Node, params []Reference) error
	Deinit     func(n *Node, params []Reference) error
}

// validate asks a kernel of the application about the operands, after what it has prepared for a verification before has gone.
func (n *Node) validate() {
	n.deinitialize()
	n.prepare()
	metas := make([]*MetaFormat, len(n.params))
	defer func() {
		for _, m := range metas {
			if m != nil {
				m.drop()
			}
		}
	}()
	for i, p := range n.kernel.params {
		if p.dir != Output {
			continue
		}
		of := p.kind
		if !of.isData() { // that of a scalar's value
			of = TypeScalar
		}
		metas[i] = n.ctx.newMeta(of)
	}
	for k := range n.replicas() {
		args := n.arguments(k)
		stop(n.ask("validate", func() error { return n.kernel.user.Validate(n, args, slices.Clone(metas)) }))
		for i, m := range metas {
			if m == nil || args[i] == nil {
				continue
			}
			n.meets(i, args[i], m)
		}
	}
}

// ask calls a function of the application, without the lock. What it returns, or panics with, becomes an error.
func (n *Node) ask(what string, f func() error) (err error) {
	defer n.ctx.mu.Lock()
	defer func() {
		if v := recover(); v != nil {
			err = failed(Failure, "the kernel panicked in %s: %v", what, v)
		}
	}()
	n.ctx.unlock()
	if err := f(); err != nil {
		return &Error{Status: StatusOf(err), Msg: "the kernel failed to " + what, Err: err}
	}
	return nil
}

// run calls the kernel of the application, for each replica.
func (n *Node) run() {
	g := n.graph
	g.calling++
	defer func() { g.calling-- }()
	n.status = Success
	for k := range n.replicas() {
		args := n.arguments(k)
		if err := n.ask("run", func() error { return n.kernel.user.Run(n, args) }); err != nil {
			n.status = StatusOf(err)
			stop(n.failure(err))
		}
	}
}

// completed calls the node's callback.
func (n *Node) completed() {
	g := n.graph
	g.calling++
	defer func() { g.calling-- }()
	callback := n.callback
	action := ActionContinue
	stop(n.ask("complete", func() error {
		action = callback(n)
		return nil
	}))
	if action == ActionAbandon {
		refuse(ErrorGraphAbandoned, "the callback of %s has ended the run", n.place(-1))
	}
}

// meets checks an object against what the kernel has said of it, as far as it has said anything, and completes a virtual one.
func (n *Node) meets(i int, r Reference, m *MetaFormat) {
	if kind := r.base().kind; m.of != kind && m.of != TypeReference {
		refuse(ErrorInvalidType, "%s is %s; the kernel yields a %s", n.title(i), r.base().describe(), m.of.noun())
	}
	if _, ok := describe(r); !ok {
		return
	}
	n.adopt(i, r, m.description)
}
