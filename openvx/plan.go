package openvx

import (
	"errors"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
)

// program is how a verified graph runs.
type program struct {
	steps  []step
	flow   *dataflow
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
	p.flow = flow
	for root, uses := range flow.reads {
		p.usage[root] = usage{parameters: len(uses.list)}
	}
	for root, uses := range flow.writes {
		p.usage[root] = usage{parameters: p.usage[root].parameters + len(uses.list), written: true}
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
	written := make(map[position]*graph.Value) // in s
	end := func() {
		if s != nil {
			p.steps = append(p.steps, step{s, s.nodes[len(s.nodes)-1]})
		}
		s, written = nil, make(map[position]*graph.Value)
	}
	for _, n := range order {
		if n.kernel.user != nil {
			end()
			p.steps = append(p.steps, step{node: n})
			p.observe(n)
			continue
		}
		alone := p.measured || n.kernel.stateful()
		if alone || !p.follows(n, written) {
			end()
		}
		if s == nil {
			s = &segment{}
		}
		s.nodes = append(s.nodes, n)
		p.reads(n, written)
		for i, r := range n.params {
			if t, _ := r.(*Tensor); t != nil && n.kernel.params[i].dir == Output {
				written[position{n, i}] = nil // the value is made when the segment is
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

// pieces returns what of a region the given results of nodes are.
func (p *program) pieces(r *region, written map[position]*graph.Value) []piece {
	var parts []piece
	for _, w := range p.flow.writers(r) {
		if v, ok := written[w.position]; ok {
			parts = append(parts, piece{w.region, v})
		}
	}
	return parts
}

// follows reports whether a node can be in one segment with the nodes that have written the given results.
func (p *program) follows(n *Node, written map[position]*graph.Value) bool {
	for i, r := range n.params {
		if t, _ := r.(*Tensor); t != nil && n.kernel.params[i].dir == Input {
			at := t.region()
			if _, ok := assemble(&at, p.pieces(&at, written)); !ok {
				return false
			}
		}
	}
	return true
}

// reads notes what a node of a segment reads that the segment has not written.
func (p *program) reads(n *Node, written map[position]*graph.Value) {
	for i, r := range n.params {
		if t, _ := r.(*Tensor); t != nil && n.kernel.params[i].dir == Input {
			at := t.region()
			if len(p.pieces(&at, written)) == 0 {
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
