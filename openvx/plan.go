package openvx

import (
	"errors"

	"github.com/concord-nn/concord/engine"
)

// program is how a verified graph runs.
type program struct {
	steps  []step
	usage  map[*object]usage // of all storage that parameters refer to
	pinned []*memory         // while it runs
	stale  bool              // its steps must be made anew, but verification stands

	// What it was made for.
	measured   bool
	compatible bool
}

// step is a segment, or a node with a kernel of the application.
type step struct {
	segment *segment
	node    *Node // the last of the segment
}

// usage says how a graph uses storage.
type usage struct {
	parameters int  // that refer to it
	written    bool // by a node
	observed   bool // a virtual one needs memory: a segment, a kernel or a callback of the application reads it there
}

// writes reports whether a node of the graph writes to storage.
func (p *program) writes(root *object) bool { return p.usage[root].written }

// stored reports whether a result must be copied to memory.
func (p *program) stored(t *Tensor) bool { return !t.virtual || p.usage[&t.root.object].observed }

// plan divides a graph whose parameters have been checked into segments and compiles them.
func (g *Graph) plan() (*program, error) {
	p := &program{usage: make(map[*object]usage), measured: g.ctx.performance, compatible: g.ctx.opts.Compatible}
	flow, order, err := g.arrange()
	if err != nil {
		return nil, err
	}
	for root, uses := range flow.reads {
		p.usage[root] = usage{parameters: len(uses)}
	}
	for root, uses := range flow.writes {
		p.usage[root] = usage{parameters: p.usage[root].parameters + len(uses), written: true}
	}
	p.divide(order)
	for i := range p.steps {
		if s := p.steps[i].segment; s != nil {
			if err := g.compile(p, s); err != nil {
				p.close()
				return nil, err
			}
		}
	}
	p.forget()
	// Memory is there after verification (the standard, vxVerifyGraph), apart from that which the application has yet to give a tensor.
	switch err := p.pin(); {
	case err == nil:
		p.unpin()
	case StatusOf(err) != ErrorNotAllocated:
		p.close()
		return nil, err
	}
	return p, nil
}

// divide makes the steps: segments as long as possible.
func (p *program) divide(order []*Node) {
	var s *segment
	written := make(map[*object][]piece) // in s
	end := func() {
		if s != nil {
			p.steps = append(p.steps, step{s, s.nodes[len(s.nodes)-1]})
		}
		s = nil
		clear(written)
	}
	for _, n := range order {
		if n.kernel.user != nil {
			end()
			p.steps = append(p.steps, step{node: n})
			p.observe(n)
			continue
		}
		alone := p.measured || n.kernel.stateful()
		if alone || !n.follows(written) {
			end()
		}
		if s == nil {
			s = &segment{}
		}
		s.nodes = append(s.nodes, n)
		p.reads(n, written)
		for i, r := range n.params {
			if t, _ := r.(*Tensor); t != nil && n.kernel.params[i].dir == Output {
				at := t.region()
				written[at.root] = append(written[at.root], piece{region: at})
			}
		}
		if n.callback != nil {
			p.observe(n)
		}
		if alone || n.callback != nil {
			end()
		}
	}
	end()
}

// follows reports whether a node can be in one segment with those that have written the given pieces.
func (n *Node) follows(written map[*object][]piece) bool {
	for i, r := range n.params {
		if t, _ := r.(*Tensor); t != nil && n.kernel.params[i].dir == Input {
			at := t.region()
			if _, _, ok := assemble(&at, written[at.root]); !ok {
				return false
			}
		}
	}
	return true
}

// reads notes what a node of a segment reads that the segment has not written.
func (p *program) reads(n *Node, written map[*object][]piece) {
	for i, r := range n.params {
		if t, _ := r.(*Tensor); t != nil && n.kernel.params[i].dir == Input {
			at := t.region()
			if parts, _, _ := assemble(&at, written[at.root]); parts == nil {
				p.keep(at.root)
			}
		}
	}
}

// observe notes that the application can see the operands of a node.
func (p *program) observe(n *Node) {
	for i := range n.params {
		for _, at := range n.regions(i) {
			p.keep(at.root)
		}
	}
}

// forget gives back the memory of virtual tensors that need none, as other segments may have needed it before.
func (p *program) forget() {
	for root, u := range p.usage {
		if t, ok := root.self.(*Tensor); ok && t.virtual && !u.observed && t.memory != nil {
			t.memory.abandon()
			t.memory = nil
		}
	}
}

func (p *program) keep(root *object) {
	u := p.usage[root]
	u.observed = true
	p.usage[root] = u
}

// compile makes the program of a segment, in place of another if it has one. The context is locked, but not while the engine works.
func (g *Graph) compile(p *program, s *segment) error {
	network, err := p.weave(s)
	if err != nil {
		return err
	}
	s.close()
	if network == nil {
		return nil
	}
	c := g.ctx
	o := engine.Options{Threads: c.opts.Threads, Limits: c.opts.Limits}
	var compiled *engine.Program
	var session *engine.Session
	if err := c.unlocked(func() (err error) {
		if compiled, err = engine.Compile(network, o); err != nil {
			return err
		}
		if session, err = compiled.NewSession(); err != nil {
			compiled.Close()
		}
		return err
	}); err != nil {
		return s.failure("cannot be compiled", err)
	}
	s.program, s.session = compiled, session
	for i := range s.loads {
		s.loads[i].inside = session.Input(i)
	}
	for i := range s.stores {
		s.stores[i].inside = session.Output(i)
	}
	return nil
}

// failure makes an error of one of the engine's.
func (s *segment) failure(what string, err error) error {
	e := &Error{Status: StatusOf(err), Msg: s.place() + " " + what, Err: err}
	if limit := (*engine.LimitError)(nil); errors.As(err, &limit) {
		e.Status = ErrorNoResources
		if limit.What == "memory" {
			e.Status = ErrorNoMemory
		}
	}
	return e
}

// place names the nodes of a segment.
func (s *segment) place() string {
	first, last := s.nodes[0], s.nodes[len(s.nodes)-1]
	if first == last {
		return first.place(-1)
	}
	return first.place(-1) + " to " + last.place(-1)
}

// close ends the workers of a segment.
func (s *segment) close() {
	if s.program != nil {
		s.program.Close()
	}
	s.program, s.session = nil, nil
}

// close ends the workers of a program, which may be nil.
func (p *program) close() {
	if p == nil {
		return
	}
	for i := range p.steps {
		if s := p.steps[i].segment; s != nil {
			s.close()
		}
	}
}
