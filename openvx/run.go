package openvx

import "context"

// Process runs the graph once and waits until it has ended (vxProcessGraph); it is verified first if that is needed. Kernels and
// callbacks of the application are called on the caller's goroutine. A run allocates nothing.
//
// Errors are those of [Graph.Verify], ErrorGraphScheduled if the graph is running already, ErrorGraphAbandoned if a callback has ended it,
// ErrorNotAllocated if a tensor has no memory, and what a kernel of the application returned. Results are undefined after an error.
func (g *Graph) Process() error { return do(g, ".Process", g.process) }

func (g *Graph) process() {
	g.begin()
	err := guard(g, g.run)
	g.end(err)
	stop(err)
}

// Schedule begins to run the graph and does not wait until it has ended (vxScheduleGraph), as [Graph.Wait] does. It is verified first if
// that is needed. Kernels and callbacks of the application are called on another goroutine. A graph that is running already is
// ErrorGraphScheduled. A graph may be released while it runs; it ends its run.
func (g *Graph) Schedule() error {
	return do(g, ".Schedule", func() {
		g.begin()
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
	return do(g, ".Wait", func() {
		if !g.schedule.called {
			refuse(Failure, "the graph has not been scheduled since the last call of Wait")
		}
		g.hold()
		defer g.drop()
		for g.busy == running {
			g.ended.Wait()
		}
		g.schedule.called = false
		stop(g.schedule.err)
	})
}

// begin claims the graph for a run. The context is locked.
func (g *Graph) begin() {
	g.checkEditable()
	g.hold() // verification may call functions that release graph and context
	g.ctx.hold()
	defer func() {
		g.drop()
		g.ctx.drop()
	}()
	g.prepare()
	g.course.pin()
	g.state = GraphStateRunning
	g.claim(running)
}

// prepare brings the graph's course up to date.
func (g *Graph) prepare() {
	c, p := g.ctx, g.course
	if p == nil {
		g.verify()
		return
	}
	if !p.stale && p.made == c.conditions() && !p.outdated() {
		return
	}
	g.claim(verifying)
	defer g.yield()
	g.renew()
}

// outdated reports whether a constant is not any more what was compiled.
func (p *course) outdated() bool {
	for s := range p.segments {
		if !s.volatile && s.changed() {
			return true
		}
	}
	return false
}

// renew makes a course, or compiles those segments whose constants have changed.
func (g *Graph) renew() {
	p := g.course
	if p.stale || p.made != g.ctx.conditions() {
		undoing(g.unverify, func() { g.course = g.plan(g.arrange()) })
		p.close()
		return
	}
	undoing(func() { p.stale = true }, func() {
		for s := range p.segments {
			if !s.volatile && s.changed() {
				g.compile(p, s)
			}
		}
	})
}

// end is the end of a run that begin has begun. The context is locked.
func (g *Graph) end(err error) {
	g.course.unpin()
	s := StatusOf(err)
	g.state = GraphStateAbandoned
	if s == Success {
		g.state = GraphStateCompleted
	}
	if s == Success || s == ErrorGraphAbandoned {
		for _, d := range g.delays {
			d.age()
		}
	}
	g.yield()
}

// run executes the steps. The context is locked, but not while the engine works and functions of the application are called.
func (g *Graph) run() {
	p := g.course
	defer g.measure(&g.perf, g.now())
	for i := range p.steps {
		st := &p.steps[i]
		g.step(st)
		if st.node.callback != nil {
			st.node.completed()
		}
	}
}

// step executes a step.
func (g *Graph) step(st *step) {
	defer g.measure(&st.node.perf, g.now())
	if st.segment != nil {
		g.execute(st.segment)
	} else {
		st.node.run()
	}
}

// execute runs a segment.
func (g *Graph) execute(s *segment) {
	if s.volatile && s.changed() {
		err := try(func() { g.compile(g.course, s) })
		s.done(StatusOf(err))
		stop(err)
		g.course.pinSegment(s)
	}
	if s.session == nil {
		return
	}
	err := g.ctx.unlocked(s.run)
	if err != nil {
		err = s.failure("failed", err)
	}
	s.done(StatusOf(err))
	for i := range s.stores {
		s.stores[i].of.version = g.ctx.number() // not of the memory that the tensor has now: a delay may have aged meanwhile
	}
	stop(err)
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

// pin binds all segments to memory as it is now and keeps the memory of all objects, also those of the application's kernels, where it is. If it fails, nothing is
// kept.
func (p *course) pin() {
	undoing(p.unpin, func() {
		for i := range p.steps {
			if st := &p.steps[i]; st.segment != nil {
				p.pinSegment(st.segment)
			} else {
				st.node.within(func() { p.pinOperands(st.node) })
			}
		}
	})
}

func (p *course) pinSegment(s *segment) {
	if err := try(func() {
		for _, list := range [...][]port{s.loads, s.stores} {
			for i := range list {
				t := &list[i]
				t.memory = t.tensor.elements() // which makes the root's memory if there is none
				t.of = t.tensor.root.memory
				p.pinMemory(t.of)
			}
		}
	}); err != nil {
		stop(s.failure("cannot run", err))
	}
}

// pinOperands pins what a kernel of the application may access.
func (p *course) pinOperands(n *Node) {
	for i, r := range n.params {
		if a := n.array(i); a != nil {
			r = a
		}
		p.pinObject(r)
	}
}

// pinObject pins the memory of an object, and of all that it has.
func (p *course) pinObject(r Reference) {
	if t := contents(r); t != nil {
		p.pinMemory(t.allocated())
	}
	var parts []Reference
	switch r := r.(type) {
	case *ObjectArray:
		parts = r.items
	case *Delay:
		parts = r.slots
	}
	for _, part := range parts {
		p.pinObject(part)
	}
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
