package openvx

import (
	"errors"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
)

// course is how a verified graph runs.
type course struct {
	steps  []step
	flow   *dataflow
	usage  map[*object]usage // of all storage that parameters refer to
	pinned []*memory         // while it runs
	stale  bool              // its steps must be made anew, but verification stands
	made   conditions        // what it was made for
}

// conditions are what of its context a course depends on.
type conditions struct {
	measured, compatible bool
	threads              int
}

func (c *Context) conditions() conditions {
	return conditions{c.performance, c.opts.Compatible, c.opts.Threads}
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
func (p *course) writes(root *object) bool { return p.usage[root].written }

// stored reports whether a result must be copied to memory.
func (p *course) stored(t *Tensor) bool { return t.scope == nil || p.usage[&t.root.object].observed }

// plan divides a graph whose parameters have been checked into segments, which have the nodes in their order, and compiles them.
func (g *Graph) plan(order []*Node) *course {
	flow := g.dataflow() // which knows the extents of virtual tensors, unlike that which has given the order
	p := &course{flow: flow, usage: make(map[*object]usage), made: g.ctx.conditions()}
	for root, uses := range flow.reads {
		p.usage[root] = usage{parameters: len(uses.list)}
	}
	for root, uses := range flow.writes {
		p.usage[root] = usage{parameters: p.usage[root].parameters + len(uses.list), written: true}
	}
	p.divide(order)
	undoing(p.close, func() {
		for s := range p.segments {
			g.compile(p, s)
		}
		p.forget()
		// Memory is there after verification (the standard, vxVerifyGraph), apart from that which the application has yet to give a tensor.
		if err := try(p.pin); StatusOf(err) != ErrorNotAllocated {
			stop(err)
		}
		p.unpin()
	})
	return p
}

// segments yields those of the steps that are segments.
func (p *course) segments(yield func(*segment) bool) {
	for i := range p.steps {
		if s := p.steps[i].segment; s != nil && !yield(s) {
			return
		}
	}
}

// divide makes the steps: segments as long as possible.
func (p *course) divide(order []*Node) {
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
		alone := p.made.measured || n.kernel.stateful()
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

// deposits returns what of a region the given results of nodes are.
func (p *course) deposits(r *region, written map[position]*graph.Value) []deposit {
	var parts []deposit
	for _, w := range p.flow.writers(r) {
		if v, ok := written[w.position]; ok {
			parts = append(parts, deposit{w.region, v})
		}
	}
	return parts
}

// follows reports whether a node can be in one segment with the nodes that have written the given results.
func (p *course) follows(n *Node, written map[position]*graph.Value) bool {
	for i, r := range n.params {
		if t, _ := r.(*Tensor); t != nil && n.kernel.params[i].dir == Input {
			at := t.region()
			if _, ok := assemble(&at, p.deposits(&at, written)); !ok {
				return false
			}
		}
	}
	return true
}

// reads notes what a node of a segment reads that the segment has not written.
func (p *course) reads(n *Node, written map[position]*graph.Value) {
	for i, r := range n.params {
		if t, _ := r.(*Tensor); t != nil && n.kernel.params[i].dir == Input {
			at := t.region()
			if len(p.deposits(&at, written)) == 0 {
				p.keep(at.root)
			}
		}
	}
}

// observe notes that the application can see the operands of a node.
func (p *course) observe(n *Node) {
	for i := range n.params {
		for _, at := range n.regions(i) {
			p.keep(at.root)
		}
	}
}

// forget gives back the memory of virtual tensors that need none, as other segments may have needed it before.
func (p *course) forget() {
	for root, u := range p.usage {
		if t, ok := root.self.(*Tensor); ok && t.scope != nil && !u.observed && t.memory != nil {
			t.memory.abandon()
			t.memory = nil
		}
	}
}

func (p *course) keep(root *object) {
	u := p.usage[root]
	u.observed = true
	p.usage[root] = u
}

// compile makes the program of a segment, in place of another if it has one: if it fails, the segment is what it was, so that another
// attempt is made when it runs again. The context is locked, but not while the engine works.
func (g *Graph) compile(p *course, s *segment) {
	before := *s
	undoing(func() { *s = before }, func() {
		s.program, s.session = nil, nil
		if network := p.weave(s); network != nil {
			s.build(g.ctx, network)
		}
	})
	before.close()
}

// build makes the program of what has been woven.
func (s *segment) build(c *Context, network *graph.Graph) {
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
		stop(s.failure("cannot be compiled", err))
	}
	s.program, s.session = compiled, session
	for i := range s.loads {
		s.loads[i].inside = session.Input(i)
	}
	for i := range s.stores {
		s.stores[i].inside = session.Output(i)
	}
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

// close ends the workers of a course, which may be nil.
func (p *course) close() {
	if p == nil {
		return
	}
	for s := range p.segments {
		s.close()
	}
}
