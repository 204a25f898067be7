package openvx

import (
	"context"
)

// Process runs the graph once and waits until it has ended (vxProcessGraph); it is verified first if that is needed. Kernels and
// callbacks of the application are called on the caller's goroutine. A run allocates nothing.
//
// Errors are those of [Graph.Verify], ErrorGraphScheduled if the graph is running already, ErrorGraphAbandoned if a callback has ended it,
// ErrorNotAllocated if a tensor has no memory, and what a kernel of the application returned. Results are undefined after an error.
func (g *Graph) Process() error { return g.ctx.do(g, "Graph.Process", g.process) }

func (g *Graph) process() error {
	if err := g.begin(); err != nil {
		return err
	}
	err := guard(g, g.run)
	g.end(err)
	return err
}

// Schedule begins to run the graph and does not wait until it has ended (vxScheduleGraph), as [Graph.Wait] does. It is verified first if
// that is needed. Kernels and callbacks of the application are called on another goroutine. A graph that is running already is
// ErrorGraphScheduled. A graph may be released while it runs; it ends its run.
func (g *Graph) Schedule() error {
	return g.ctx.do(g, "Graph.Schedule", func() {
		must(g.begin())
		g.schedule.called = true
		go func() {
			g.ctx.mu.Lock()
			err := guard(g, g.run)
			g.schedule.err = err
			g.end(err)
			g.ctx.unlock()
		}()
	})
}

// Wait waits until the run that [Graph.Schedule] has begun has ended, and returns what [Graph.Process] would have returned
// (vxWaitGraph). It is a Failure if the graph has not been scheduled since the last Wait. A kernel or callback of the graph itself must
// not call it.
func (g *Graph) Wait() error {
	return g.ctx.do(g, "Graph.Wait", func() {
		if !g.schedule.called {
			refuse(Failure, "the graph has not been scheduled since the last call of Wait")
		}
		g.hold()
		defer g.drop()
		for g.busy == running {
			g.ended.Wait()
		}
		g.schedule.called = false
		must(g.schedule.err)
	})
}

// begin claims the graph for a run. The context is locked.
func (g *Graph) begin() error {
	if err := g.editable(); err != nil {
		return err
	}
	g.hold() // verification may call functions that release graph and context
	g.ctx.hold()
	defer func() {
		g.drop()
		g.ctx.drop()
	}()
	if err := g.prepare(); err != nil {
		return err
	}
	if err := g.course.pin(); err != nil {
		return err
	}
	g.state = GraphStateRunning
	g.claim(running)
	return nil
}

// prepare brings the graph's course up to date.
func (g *Graph) prepare() error {
	c, p := g.ctx, g.course
	if p == nil {
		return g.verify()
	}
	var outdated *segment
	for i := range p.steps {
		if s := p.steps[i].segment; s != nil && !s.volatile && s.changed() {
			outdated = s
			break
		}
	}
	if outdated == nil && !p.stale && p.made == c.conditions() {
		return nil
	}
	g.claim(verifying)
	defer g.yield()
	return g.renew()
}

// renew makes a course, or compiles those segments whose constants have changed.
func (g *Graph) renew() error {
	p := g.course
	if p.stale || p.made != g.ctx.conditions() {
		order, err := g.arrange()
		var made *course
		if err == nil {
			made, err = g.plan(order)
		}
		if err != nil {
			g.unverify()
			return err
		}
		p.close()
		g.course = made
		return nil
	}
	for i := range p.steps {
		if s := p.steps[i].segment; s != nil && !s.volatile && s.changed() {
			if err := g.compile(p, s); err != nil {
				p.stale = true
				return err
			}
		}
	}
	return nil
}

// end is the end of a run that begin has begun. The context is locked.
func (g *Graph) end(err error) {
	g.course.unpin()
	switch StatusOf(err) {
	case Success:
		g.state = GraphStateCompleted
	default:
		g.state = GraphStateAbandoned
	}
	if s := StatusOf(err); s == Success || s == ErrorGraphAbandoned {
		for _, d := range g.delays {
			d.age()
		}
	}
	g.yield()
}

// run executes the steps. The context is locked, but not while the engine works and functions of the application are called.
func (g *Graph) run() error {
	p, c := g.course, g.ctx
	began := c.now(p.made.measured)
	var err error
	for i := range p.steps {
		st := &p.steps[i]
		started := c.now(p.made.measured)
		if st.segment != nil {
			err = g.execute(st.segment)
		} else {
			err = st.node.run()
		}
		if p.made.measured {
			st.node.perf.add(started, c.now(true))
		}
		if err == nil && st.node.callback != nil {
			err = st.node.completed()
		}
		if err != nil {
			break
		}
	}
	if p.made.measured {
		g.perf.add(began, c.now(true))
	}
	return err
}

// execute runs a segment.
func (g *Graph) execute(s *segment) error {
	if s.volatile && s.changed() {
		if err := g.compile(g.course, s); err != nil {
			s.done(StatusOf(err))
			return err
		}
		if err := g.course.pinSegment(s); err != nil {
			return err
		}
	}
	if s.session == nil {
		return nil
	}
	err := g.ctx.unlocked(s.run)
	if err != nil {
		err = s.failure("failed", err)
	}
	s.done(StatusOf(err))
	for i := range s.stores {
		s.stores[i].of.version = g.ctx.number() // not of the memory that the tensor has now: a delay may have aged meanwhile
	}
	return err
}

// run copies operands into the session, computes, and copies the results out.
func (s *segment) run() error {
	for i := range s.loads {
		t := &s.loads[i]
		if err := t.inside.CopyFrom(t.memory); err != nil {
			return err
		}
	}
	if err := s.session.Run(context.Background()); err != nil {
		return err
	}
	for i := range s.stores {
		t := &s.stores[i]
		if err := t.memory.CopyFrom(t.inside); err != nil {
			return err
		}
	}
	return nil
}

// done notes what became of the nodes.
func (s *segment) done(status Status) {
	for _, n := range s.nodes {
		n.status = status
	}
}

// bind finds the memory of a tensor, as it is now.
func (t *port) bind() (err error) {
	if t.memory, err = t.tensor.elements(); err == nil {
		t.of = t.tensor.root.memory
	}
	return err
}

// pin binds all segments and keeps the memory of all objects, also those of the application's kernels, where it is. If it fails, nothing is
// kept.
func (p *course) pin() (err error) {
	defer func() {
		if err != nil {
			p.unpin()
		}
	}()
	for i := range p.steps {
		st := &p.steps[i]
		if st.segment != nil {
			err = p.pinSegment(st.segment)
		} else {
			err = p.pinOperands(st.node)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *course) pinSegment(s *segment) error {
	for _, list := range [...][]port{s.loads, s.stores} {
		for i := range list {
			if err := list[i].bind(); err != nil {
				return s.failure("cannot run", err)
			}
			p.pinMemory(list[i].of)
		}
	}
	return nil
}

// pinOperands pins what a kernel of the application may access.
func (p *course) pinOperands(n *Node) error {
	for i, r := range n.params {
		if a := n.array(i); a != nil {
			r = a
		}
		if err := p.pinObject(r); err != nil {
			return n.failure(err)
		}
	}
	return nil
}

// pinObject pins the memory of an object, and of all that it has.
func (p *course) pinObject(r Reference) error {
	if t := contents(r); t != nil {
		m, err := t.allocated()
		if err != nil {
			return err
		}
		p.pinMemory(m)
	}
	var parts []Reference
	switch r := r.(type) {
	case *ObjectArray:
		parts = r.items
	case *Delay:
		parts = r.slots
	}
	for _, part := range parts {
		if err := p.pinObject(part); err != nil {
			return err
		}
	}
	return nil
}

// pinMemory pins memory until unpin. It need not be that of the same tensor then, as another graph may have made a delay age.
func (p *course) pinMemory(m *memory) {
	m.pin()
	p.pinned = append(p.pinned, m)
}

// unpin ends what pin began.
func (p *course) unpin() {
	for _, m := range p.pinned {
		m.unpin()
	}
	clear(p.pinned)
	p.pinned = p.pinned[:0]
}
